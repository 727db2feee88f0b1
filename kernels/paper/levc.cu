// LEVC: column-wise, level-scheduled (R. Li, algorithm 2). One launch a level, one warp a column.
#include "column.cuh"

// The column at `p` of unknown `i`, whose entries are `begin` to `end`.
template <int NR, class T>
__device__ __forceinline__ void solve_column(const SolveArgs<T> &a, const Columns<T, NR> &columns, uint32_t p,
                                             uint32_t i, uint32_t begin, uint32_t end) {
    uint32_t lane = threadIdx.x % WARP;
    T xi = finish_unknown(a, columns, p, i, lane, true);
    for (uint32_t e = begin + lane / NR; e < end; e += WARP / NR)
        add_product(a, columns, a.col_adj[e], lane, column_value(a, p, begin, e), xi);
}

template <class T>
__device__ void levc(const MultiArgs<T> &m, uint32_t begin_level, uint32_t end_level) {
    const SolveArgs<T> &a = m.solve;
    uint32_t p = begin_level + blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    if (p >= end_level) return;
    // Asked for before the branch, while the number of columns may be on its way.
    uint32_t i = a.order[p], begin = a.col_ptr[p], end = a.col_ptr[p + 1];
    if (m.columns > 1) solve_column(a, columns_of(m), p, i, begin, end);
    else solve_column(a, columns_of(a), p, i, begin, end);
}

#define KERNEL(t)                                                                 \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        levc_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                     \
        levc(m, m.solve.begin, m.solve.end);                                      \
    }                                                                             \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        levc_graph_##t(LevelArgs<t##_type> level) {                               \
        levc(*level.args, level.begin, level.end);                                \
    }
FOR_EACH_TYPE(KERNEL)
