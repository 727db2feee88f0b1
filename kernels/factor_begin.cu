// What a factorisation needs before it: the places of the diagonal entries, once for a pattern; and for each one armed words and a
// state that nothing has been drawn from.
#include "factor.cuh"

constexpr uint32_t FACTOR_BLOCK = 256;  // threads; mirrored in executor/cuda/factor.rs

// Of a pattern: the smallest row that is unsorted, the smallest one without a diagonal entry, and how many rows do not fit into the
// registers of the kernels, by the entries that these hold. Mirrored in executor/cuda/factor.rs.
constexpr uint32_t UNSORTED = 0, MISSING_DIAGONAL = 1, TOO_LONG = 2;
constexpr uint32_t HELD_BY_EIGHT = 8, HELD_BY_WARP = 32;

// A row for each thread.
template <class T>
__device__ void factor_diagonal(const FactorArgs<T> &a) {
    wait_for_turn();
    uint32_t row = blockIdx.x * FACTOR_BLOCK + threadIdx.x;
    if (row >= a.solve.n) return;
    uint32_t begin = offset_at(a, row), end = offset_at(a, (size_t)row + 1), found = NONE, before = 0;
    for (uint32_t e = begin; e < end; ++e) {
        uint32_t column = column_at(a, e);
        if (e > begin && column <= before) atomicMin(&a.found[UNSORTED], row);
        if (column == row) found = e;
        before = column;
    }
    if (found == NONE) atomicMin(&a.found[MISSING_DIAGONAL], row);
    a.diag[row] = found;
    if (end - begin > HELD_BY_EIGHT) atomicAdd(&a.found[TOO_LONG], 1u);
    if (end - begin > HELD_BY_WARP) atomicAdd(&a.found[TOO_LONG + 1], 1u);
}

template <class T>
__device__ void factor_begin(const FactorArgs<T> &a) {
    wait_for_turn();
    using Bits = typename Word<typename Real<T>::type>::bits;
    auto *words = reinterpret_cast<Bits *>(a.solve.work);
    size_t count = (size_t)a.solve.values * (sizeof(T) / sizeof(Bits)), step = (size_t)gridDim.x * FACTOR_BLOCK;
    size_t first = (size_t)blockIdx.x * FACTOR_BLOCK + threadIdx.x;
    for (size_t k = first; k < count; k += step) words[k] = Word<typename Real<T>::type>::armed;
    if (first == 0) {
        a.solve.state->ticket = 0;
        a.solve.state->pivot[1] = NONE;
    }
}

#define KERNEL(t)                                                                                          \
    extern "C" __global__ void __launch_bounds__(FACTOR_BLOCK)                                             \
        factor_diagonal_##t(const GRID_CONSTANT FactorArgs<t##_type> a) {                                  \
        factor_diagonal(a);                                                                                \
    }                                                                                                      \
    extern "C" __global__ void __launch_bounds__(FACTOR_BLOCK)                                             \
        factor_begin_##t(const GRID_CONSTANT FactorArgs<t##_type> a) {                                     \
        factor_begin(a);                                                                                   \
    }
FOR_EACH_TYPE(KERNEL)
