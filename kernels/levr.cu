// LEVR: row-wise, level-scheduled (R. Li, algorithm 1). One launch a level, one warp a row.
#include "row.cuh"

template <class T>
__device__ void levr(const SolveArgs<T> &a, uint32_t begin_level, uint32_t end_level) {
    uint32_t p = begin_level + (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    uint32_t lane = threadIdx.x % WARP;
    if (p >= end_level) return;
    T sum = warp_sum(row_dot(a, p, lane, WARP));
    if (lane != 0) return;
    uint32_t i = a.order[p];
    T xi = divide(alpha_of(a) * a.f[i] - sum, diagonal(a, p, i, &a.state->pivot));
    a.work[p] = xi;
    a.x[i] = xi;
}

#define KERNEL(t)                                                                                \
    extern "C" __global__ void __launch_bounds__(256) levr_##t(SolveArgs<t##_type> a) {           \
        levr(a, a.begin, a.end);                                                                  \
    }                                                                                            \
    extern "C" __global__ void __launch_bounds__(256) levr_graph_##t(LevelArgs<t##_type> level) { \
        levr(*level.args, level.begin, level.end);                                                \
    }
FOR_EACH_TYPE(KERNEL)
