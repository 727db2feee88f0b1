// The right-hand sides of one pass.
#pragma once
#include <cstdint>

// Columns of f and x. One column has no leading dimension; of NR, the first `count` exist.
template <class T, int NR>
struct Columns {
    T *x;
    const T *f;
    uint64_t ldx, ldf;
    uint32_t count;

    // A column that does not exist repeats the last one, without a branch.
    __device__ __forceinline__ T load(uint32_t row, int j) const {
        return f[NR == 1 ? row : min((uint32_t)j, count - 1) * ldf + row];
    }
    __device__ __forceinline__ void store(uint32_t row, int j, T v) const {
        if (NR == 1 || j < count) x[NR == 1 ? row : j * ldx + row] = v;
    }
};
