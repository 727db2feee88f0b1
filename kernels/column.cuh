// One step of the column-wise algorithms: an unknown is finished and subtracted from its dependents.
#pragma once
#include "row.cuh"

// x_i from the partial sum at position `p`, known to the whole warp. `ready` is false after a watchdog.
template <class T>
__device__ __forceinline__ T finish_unknown(const SolveArgs<T> &a, uint32_t p, uint32_t lane, bool ready) {
    T xi = zero(T{});
    if (lane == 0) {
        uint32_t i = a.order[p];
        xi = ready ? divide(alpha_of(a) * a.f[i] - a.work[p], diagonal(a, p, i, &a.state->pivot))
                   : not_a_number(T{});
        a.x[i] = xi;
    }
    return shuffle(xi, 0);
}

template <class T>
__device__ __forceinline__ T column_product(const SolveArgs<T> &a, uint32_t p, uint32_t begin, uint32_t e, T xi) {
    return conjugate_if(a.conjugate, a.val[col_value_index(a, p, begin, e)]) * xi;
}

// A self-scheduled column; `polling` lanes watch the counter.
template <class T>
__device__ __forceinline__ void self_scheduled_column(const SolveArgs<T> &a, uint32_t p, uint32_t polling) {
    uint32_t lane = threadIdx.x % WARP;
    Watchdog<T> dog(a);
    bool ready = true;
    // Ends when every dependency has been subtracted, or by the watchdog.
    if (lane < polling)
        while (load_acquire(&a.counters[p]) != 0 && (ready = dog.turn())) {
        }
    __syncwarp();
    T xi = finish_unknown(a, p, lane, ready);
    uint32_t begin = a.col_ptr[p], end = a.col_ptr[p + 1];
    for (uint32_t e = begin + lane; e < end; e += WARP) {
        uint32_t q = a.col_adj[e];
        atomic_add(&a.work[q], column_product(a, p, begin, e, xi));
        publish_fence();
        atomicSub(&a.counters[q], 1u);
    }
}

// Self-scheduled columns in schedule order, one warp each.
template <class T>
__device__ __forceinline__ void self_scheduled_columns(const SolveArgs<T> &a, uint32_t polling) {
    uint32_t p = (block_ticket(a.state) * blockDim.x + threadIdx.x) / WARP;
    if (p < a.n) self_scheduled_column(a, p, polling);
}
