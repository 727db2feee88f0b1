// The right-hand sides of one pass.
#pragma once
#include <cstdint>

#include "args.cuh"
#include "shared/workspace.h"

// Columns of f and x. One column has no leading dimension; of NR, the first `count` exist.
template <class T, int NR>
struct Columns {
    T *x;
    const T *f;
    uint64_t ldx, ldf;
    uint32_t count;

    // Groups of NR columns, of which the last may have fewer; and one of them.
    __device__ __forceinline__ uint32_t groups() const { return NR == 1 ? 1 : (count + NR - 1) / NR; }
    __device__ __forceinline__ Columns of_group(uint32_t group) const {
        return {x + group * NR * ldx, f + group * NR * ldf, ldx, ldf, min(count - group * NR, (uint32_t)NR)};
    }

    __device__ __forceinline__ bool has(uint32_t j) const { return NR == 1 || j < count; }
    // A column that does not exist repeats the last one, without a branch.
    __device__ __forceinline__ const T *from(uint32_t row, int j) const {
        return f + (NR == 1 ? row : min((uint32_t)j, count - 1) * ldf + row);
    }
    __device__ __forceinline__ T load(uint32_t row, int j) const { return *from(row, j); }
    // An unknown that is known, in the same way.
    __device__ __forceinline__ const T *solved(uint32_t row, int j) const {
        return x + (NR == 1 ? row : min((uint32_t)j, count - 1) * ldx + row);
    }
    __device__ __forceinline__ void store(uint32_t row, int j, T v) const {
        if (NR == 1 || j < count) x[NR == 1 ? row : j * ldx + row] = v;
    }
};

// The most right-hand sides in a pass of the paper's algorithms.
template <class T>
constexpr int SEVERAL = ROW_BYTES / sizeof(T) < SEVERAL_MOST ? ROW_BYTES / sizeof(T) : SEVERAL_MOST;

// Blocks of 128 threads on a multiprocessor that leave these kernels enough registers.
template <class T>
#if __CUDA_ARCH__ >= 900
constexpr int RESIDENT = sizeof(T) > 8 ? 8 : 12;
#else
constexpr int RESIDENT = 8;
#endif

template <class T>
__device__ __forceinline__ Columns<T, 1> columns_of(const SolveArgs<T> &a) {
    return {a.x, a.f};
}
template <class T>
__device__ __forceinline__ Columns<T, SEVERAL<T>> columns_of(const MultiArgs<T> &m) {
    return {m.solve.x, m.solve.f, m.ldx, m.ldf, m.columns};
}
