// What has to be reset before a level-scheduled or self-scheduled solve, in one launch.
#include "row.cuh"

template <class T>
__device__ void reset_state(const SolveArgs<T> &a) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a.state->pivot = NONE;
        a.state->ticket = 0;
        if (a.args_copy) *a.args_copy = a;
    }
}

// Row-wise: dependency counters, where the algorithm has them.
template <class T>
__device__ void prologue_rows(const SolveArgs<T> &a) {
    reset_state(a);
    if (!a.counts) return;
    for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < a.n; p += gridDim.x * blockDim.x)
        a.counters[p] = a.counts[p];
}

// Column-wise: counters, and the partial sums.
template <class T>
__device__ void prologue_columns(const SolveArgs<T> &a) {
    prologue_rows(a);
    for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < a.n; p += gridDim.x * blockDim.x)
        a.work[p] = zero(T{});
}

#define KERNEL(t)                                                                                            \
    extern "C" __global__ void prologue_rows_##t(SolveArgs<t##_type> a) { prologue_rows(a); }                \
    extern "C" __global__ void prologue_columns_##t(SolveArgs<t##_type> a) { prologue_columns(a); }
FOR_EACH_TYPE(KERNEL)
