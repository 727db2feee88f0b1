// LEVC: column-wise, level-scheduled (R. Li, algorithm 2). One launch a level, one warp a column.
#include "column.cuh"

template <class T>
__device__ void levc(const SolveArgs<T> &a, uint32_t begin_level, uint32_t end_level) {
    uint32_t p = begin_level + (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    uint32_t lane = threadIdx.x % WARP;
    if (p >= end_level) return;
    T xi = finish_unknown(a, p, lane, true);
    uint32_t begin = a.col_ptr[p], end = a.col_ptr[p + 1];
    for (uint32_t e = begin + lane; e < end; e += WARP)
        atomic_add(&a.work[a.col_adj[e]], column_product(a, p, begin, e, xi));
}

#define KERNEL(t)                                                                                \
    extern "C" __global__ void __launch_bounds__(256) levc_##t(SolveArgs<t##_type> a) {           \
        levc(a, a.begin, a.end);                                                                  \
    }                                                                                            \
    extern "C" __global__ void __launch_bounds__(256) levc_graph_##t(LevelArgs<t##_type> level) { \
        levc(*level.args, level.begin, level.end);                                                \
    }
FOR_EACH_TYPE(KERNEL)
