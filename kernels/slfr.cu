// SLFR: row-wise, self-scheduled (R. Li, algorithm 3). One warp a row in level order; its leading lane
// waits for the row's dependency counter.
#include "row.cuh"

template <class T>
__device__ void slfr(const SolveArgs<T> &a) {
    uint32_t p = (block_ticket(a.state) * blockDim.x + threadIdx.x) / WARP;
    uint32_t lane = threadIdx.x % WARP;
    if (p >= a.n) return;
    uint32_t i = a.order[p];
    T fi = zero(T{}), d = zero(T{});
    bool ready = true;
    if (lane == 0) {
        fi = alpha_of(a) * a.f[i];
        d = diagonal(a, p, i, &a.state->pivot);
        Watchdog<T> dog(a);
        // Ends when every dependency has been published, or by the watchdog.
        while (load_acquire(&a.counters[p]) != 0 && (ready = dog.turn())) {
        }
    }
    __syncwarp();
    T sum = warp_sum(row_dot(a, p, lane, WARP));
    if (lane == 0) {
        T xi = ready ? divide(fi - sum, d) : not_a_number(T{});
        a.work[p] = xi;
        a.x[i] = xi;
        publish_fence();
    }
    __syncwarp();
    uint32_t end = a.col_ptr[p + 1];
    for (uint32_t e = a.col_ptr[p] + lane; e < end; e += WARP) {
        publish_fence();
        atomicSub(&a.counters[a.col_adj[e]], 1u);
    }
}

#define KERNEL(t) \
    extern "C" __global__ void __launch_bounds__(256) slfr_##t(SolveArgs<t##_type> a) { slfr(a); }
FOR_EACH_TYPE(KERNEL)
