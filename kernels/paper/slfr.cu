// SLFR: row-wise, self-scheduled (R. Li, algorithm 3). One warp a row in level order; its leading lane
// waits for the row's dependency counter.
#include "device/columns.cuh"
#include "device/row.cuh"

template <int NR, class T>
__device__ __forceinline__ void slfr(const SolveArgs<T> &a, const Columns<T, NR> &columns) {
    uint32_t p = block_ticket(a.state) * (blockDim.x / WARP) + threadIdx.x / WARP;
    uint32_t lane = threadIdx.x % WARP;
    if (p >= a.n) return;
    uint32_t i = a.order[p];
    T fi = zero(T{}), d = zero(T{});
    bool ready = true;
    if (lane < NR) {
        fi = product(alpha_of(a), columns.load(i, lane));
        d = diagonal(a, p, i);
    }
    if (lane == 0) {
        Watchdog<T> dog(a);
        // Ends when every dependency has been published, or by the watchdog.
        while (load_acquire(&a.counters[p]) != 0 && (ready = dog.keep_waiting())) {
        }
    }
    __syncwarp();
    if (NR > 1) ready = __shfl_sync(FULL, ready, 0);
    T sum = row_dot<NR>(a, p, a.row_ptr[p], a.row_ptr[p + 1], lane);
    if (lane < NR) {
        T xi = ready ? divide(fi - sum, d) : not_a_number(T{});
        a.work[(size_t)p * NR + lane] = xi;
        columns.store(i, lane, xi);
        publish_fence();
    }
    __syncwarp();
    uint32_t end = a.col_ptr[p + 1];
    for (uint32_t e = a.col_ptr[p] + lane; e < end; e += WARP) {
        publish_fence();
        atomicSub(&a.counters[a.col_adj[e]], 1u);
    }
}

#define KERNEL(t)                                                                 \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        slfr_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                     \
        slfr(m.solve, columns_of(m.solve));                                       \
    }                                                                             \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        slfr_multi_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {               \
        slfr(m.solve, columns_of(m));                                        \
    }
FOR_EACH_TYPE(KERNEL)
