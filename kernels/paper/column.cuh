// One step of the column-wise algorithms: an unknown is finished and subtracted from its dependents. For NR right-hand
// sides as many lanes beside each other take an entry, each for one of them.
#pragma once
#include "device/columns.cuh"
#include "device/row.cuh"

// x_i of right-hand side `lane % NR` from the partial sums at position `p`. `ready`, which lane 0 knows, is false
// after a watchdog.
template <int NR, class T>
__device__ __forceinline__ T finish_unknown(const SolveArgs<T> &a, const Columns<T, NR> &columns, uint32_t p,
                                            uint32_t i, uint32_t lane, bool ready) {
    T xi = zero(T{});
    if (NR > 1) ready = __shfl_sync(FULL, ready, 0);
    if (lane < NR) {
        xi = ready ? divide(alpha_of(a) * columns.load(i, lane) - a.work[(size_t)p * NR + lane],
                            diagonal(a, p, i))
                   : not_a_number(T{});
        columns.store(i, lane, xi);
    }
    return shuffle(xi, lane % NR);
}

// Adds a value times x_i to the sum at `q` of right-hand side `lane % NR`.
template <int NR, class T>
__device__ __forceinline__ void add_product(const SolveArgs<T> &a, const Columns<T, NR> &columns, uint32_t q,
                                            uint32_t lane, T v, T xi) {
    if (columns.has(lane % NR)) atomic_add(&a.work[(size_t)q * NR + lane % NR], v * xi);
}

template <class T>
__device__ __forceinline__ T column_value(const SolveArgs<T> &a, uint32_t p, uint32_t begin, uint32_t e) {
    return conjugate_if(a.conjugate, a.val[col_value_index(a, p, begin, e)]);
}

// Adds the products of the column at `p` to the sums of its dependents, and then lowers their counters.
template <int NR, class T>
__device__ __forceinline__ void add_and_count(const SolveArgs<T> &a, const Columns<T, NR> &columns, uint32_t p,
                                              uint32_t lane, T xi) {
    uint32_t begin = a.col_ptr[p], end = a.col_ptr[p + 1];
    for (uint32_t first = begin; first < end; first += WARP) {
        uint32_t e = first + lane, q = 0;
        T v = zero(T{});
        if (e < end) {
            q = a.col_adj[e];
            v = column_value(a, p, begin, e);
        }
        // The lanes that have an entry hand it to those that work on it.
#pragma unroll
        for (int k = 0; k < WARP; k += WARP / NR) {
            if (k > 0 && first + k >= end) break;
            uint32_t from = k + lane / NR, qk = NR == 1 ? q : __shfl_sync(FULL, q, from);
            T vk = NR == 1 ? v : shuffle(v, from);
            if (first + from < end) add_product(a, columns, qk, lane, vk, xi);
        }
        // What all lanes have added is there before a counter falls.
        if (NR > 1) __syncwarp();
        publish_fence();
        if (e < end) atomicSub(&a.counters[q], 1u);
    }
}

// Self-scheduled columns in schedule order, one warp each; `polling` lanes watch the counter.
template <int NR, class T>
__device__ __forceinline__ void self_scheduled_columns(const SolveArgs<T> &a, const Columns<T, NR> &columns,
                                                       uint32_t polling) {
    uint32_t p = block_ticket(a.state) * (blockDim.x / WARP) + threadIdx.x / WARP;
    uint32_t lane = threadIdx.x % WARP;
    if (p >= a.n) return;
    Watchdog<T> dog(a);
    bool ready = true;
    // Ends when every dependency has been subtracted, or by the watchdog.
    if (lane < polling)
        while (load_acquire(&a.counters[p]) != 0 && (ready = dog.keep_waiting())) {
        }
    __syncwarp();
    T xi = finish_unknown(a, columns, p, a.order[p], lane, ready);
    add_and_count(a, columns, p, lane, xi);
}

// Kernels `name` and `name_multi` for a value type.
#define SELF_SCHEDULED_COLUMNS(name, t, polling)                                  \
    extern "C" __global__ void __launch_bounds__(256)                             \
        name##_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {                   \
        self_scheduled_columns(m.solve, columns_of(m.solve), polling);            \
    }                                                                             \
    extern "C" __global__ void __launch_bounds__(128, RESIDENT<t##_type>)         \
        name##_multi_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {             \
        self_scheduled_columns(m.solve, columns_of(m), polling);                  \
    }
