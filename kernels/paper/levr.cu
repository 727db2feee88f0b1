// LEVR: row-wise, level-scheduled (R. Li, algorithm 1). One launch a level, one warp a row.
#include "device/columns.cuh"
#include "device/row.cuh"

// The row at `p`, whose entries are `begin` to `end`.
template <int NR, class T>
__device__ __forceinline__ void solve_row(const SolveArgs<T> &a, const Columns<T, NR> &columns, uint32_t p,
                                          uint32_t begin, uint32_t end) {
    uint32_t lane = threadIdx.x % WARP;
    T sum = row_dot<NR>(a, p, begin, end, lane);
    if (lane >= NR) return;
    uint32_t i = a.order[p];
    T xi = divide(multiply_add(alpha_of(a), columns.load(i, lane), -sum), diagonal(a, p, i));
    a.work[(size_t)p * NR + lane] = xi;
    columns.store(i, lane, xi);
}

template <class T>
__device__ void levr(const MultiArgs<T> &m, uint32_t begin_level, uint32_t end_level) {
    const SolveArgs<T> &a = m.solve;
    uint32_t p = begin_level + blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    if (p >= end_level) return;
    // Asked for before the branch, while the number of columns may be on its way.
    uint32_t begin = a.row_ptr[p], end = a.row_ptr[p + 1];
    if (m.columns > 1) solve_row(a, columns_of(m), p, begin, end);
    else solve_row(a, columns_of(a), p, begin, end);
}

#define KERNEL(t)                                                                 \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        levr_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                     \
        levr(m, m.solve.begin, m.solve.end);                                      \
    }                                                                             \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        levr_graph_##t(LevelArgs<t##_type> level) {                               \
        levr(*level.args, level.begin, level.end);                                \
    }
FOR_EACH_TYPE(KERNEL)
