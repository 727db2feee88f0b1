// What has to be reset before a level-scheduled or self-scheduled solve, in one launch.
#include "device/columns.cuh"
#include "device/row.cuh"

__device__ __forceinline__ uint64_t first_thread() { return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ uint64_t all_threads() { return (uint64_t)gridDim.x * blockDim.x; }

template <class T>
__device__ void reset_state(const MultiArgs<T> &m) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        State *state = m.solve.state;
        *pivot_of(state, PIVOT_BIT) = NONE;
        state->ticket = 0;
        if (m.solve.args_copy) *static_cast<MultiArgs<T> *>(m.solve.args_copy) = m;
    }
}

// Row-wise: dependency counters, where the algorithm has them.
template <class T>
__device__ void prologue_rows(const MultiArgs<T> &m) {
    reset_state(m);
    const SolveArgs<T> &a = m.solve;
    if (!a.counts) return;
    for (uint64_t p = first_thread(); p < a.n; p += all_threads())
        a.counters[p] = a.counts[p];
}

// Column-wise: counters, and the partial sums.
template <class T>
__device__ void prologue_columns(const MultiArgs<T> &m) {
    prologue_rows(m);
    uint64_t sums = (uint64_t)m.solve.n * (m.columns > 1 ? SEVERAL<T> : 1);
    for (uint64_t k = first_thread(); k < sums; k += all_threads())
        m.solve.work[k] = zero(T{});
}

#define KERNEL(t)                                                                                 \
    extern "C" __global__ void prologue_rows_##t(const GRID_CONSTANT MultiArgs<t##_type> m) {    \
        prologue_rows(m);                                                                         \
    }                                                                                             \
    extern "C" __global__ void prologue_columns_##t(const GRID_CONSTANT MultiArgs<t##_type> m) { \
        prologue_columns(m);                                                                      \
    }
FOR_EACH_TYPE(KERNEL)
