// Walking one row (or column) of the normal form.
#pragma once
#include "sync.cuh"

constexpr int WARP = 32;
constexpr uint32_t FULL = 0xffffffffu;  // all lanes

template <class T>
__device__ __forceinline__ T alpha_of(const SolveArgs<T> &a) {
    return a.alpha ? *a.alpha : *reinterpret_cast<const T *>(a.alpha_host);
}

// Where the value of entry `e`, the k-th of position `p`, lies.
template <class T>
__device__ __forceinline__ uint32_t row_value_index(const SolveArgs<T> &a, uint32_t p, uint32_t begin, uint32_t e) {
    return a.row_permuted ? a.row_val[e] : a.row_val[p] + (e - begin);
}
template <class T>
__device__ __forceinline__ uint32_t col_value_index(const SolveArgs<T> &a, uint32_t p, uint32_t begin, uint32_t e) {
    return a.col_permuted ? a.col_val[e] : a.col_val[p] + (e - begin);
}

// Second and further diagonal entries of a position; almost always there are none in the whole matrix.
template <class T>
__device__ __noinline__ T extra_diagonal(const SolveArgs<T> &a, uint32_t p, T d) {
    uint32_t lo = 0, hi = a.extra_count;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (a.extra_diag[mid].x < p) lo = mid + 1;
        else hi = mid;
    }
    for (; lo < a.extra_count && a.extra_diag[lo].x == p; ++lo) d = d + a.diag_values[a.extra_diag[lo].y];
    return d;
}

// The diagonal value of position `p`, whose first entry, or zero, is `d`. Calls `note` if it is zero.
template <class T, class Note>
__device__ __forceinline__ T diagonal_of(const SolveArgs<T> &a, uint32_t p, T d, const Note &note) {
    if (a.extra_count) d = extra_diagonal(a, p, d);
    if (is_zero(d)) note();
    return conjugate_if(a.conjugate, d);
}

// The same from the array of indices, where the entry may be missing; one for a unit diagonal. After a prologue.
template <class T>
__device__ __forceinline__ T diagonal(const SolveArgs<T> &a, uint32_t p, uint32_t row) {
    if (!a.diag_index) return one(T{});
    uint32_t k = a.diag_index[p];
    return diagonal_of(a, p, k == NONE ? zero(T{}) : a.diag_values[k],
                       [&] { note_zero_pivot(a.state, PIVOT_BIT, row); });
}

__device__ __forceinline__ uint32_t warp_max(uint32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(FULL, v);
#else
    for (int by = WARP / 2; by > 0; by /= 2) v = max(v, __shfl_xor_sync(FULL, v, by));
    return v;
#endif
}

// Values of U of a lane's entries of a row with a record, from number `e` on and `lanes` apart, and what they are of. Loads go
// without a branch, so they all overlap. A lane without an entry repeats another's place, and has a zero for its value.
template <int U, int MOST, class T>
__device__ __forceinline__ void load_values(const SolveArgs<T> &a, uint4 record, uint32_t end, uint32_t e, uint32_t lanes,
                                            T (&v)[MOST]) {
    if (a.row_permuted) {
        uint32_t index[U], last = end > record.z ? end - 1 : 0;
#pragma unroll
        for (int u = 0; u < U; ++u) index[u] = a.row_val[min(e + u * lanes, last)];
#pragma unroll
        for (int u = 0; u < U; ++u) load_if(e + u * lanes < end, a.val + index[u], v[u]);
    } else {
        const T *val = a.val + ((int64_t)record.w - record.z);
#pragma unroll
        for (int u = 0; u < U; ++u) load_line_if(e + u * lanes < end, val + (e + u * lanes), v[u]);
    }
}
// What they are of, by loads that nobody repeats if ONCE.
template <int U, bool ONCE, int MOST, class T>
__device__ __forceinline__ void load_adjacent(const SolveArgs<T> &a, uint4 record, uint32_t end, uint32_t e, uint32_t lanes,
                                              uint32_t (&q)[MOST]) {
    uint32_t last = end > record.z ? end - 1 : 0;
#pragma unroll
    for (int u = 0; u < U; ++u) {
        const uint32_t *from = a.row_adj + min(e + u * lanes, last);
        q[u] = ONCE ? load_once(from) : *from;
    }
}

// A number that the compiler knows.
template <int N>
struct Constant {
    static constexpr int value = N;
};

// What all lanes of the warp have, known to be so: where the compiler believes that a branch may part them, it guards each
// vote and shuffle behind it.
__device__ __forceinline__ uint32_t uniform(uint32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(FULL, v);
#else
    return v;
#endif
}

// The sum over each 2^shift lanes in every one of them.
template <class T>
__device__ __forceinline__ T warp_sum_all(T sum, uint32_t shift) {
    for (uint32_t by = 1u << shift >> 1; by > 0; by >>= 1) sum = sum + shuffle_xor(sum, by);
    return sum;
}

// sum_k a_k x_kj over the dependencies of `p`, which are all known and whose entries are `begin` to `end`, for NR
// right-hand sides: in lane j < NR that of the j-th. The NR unknowns of a position lie beside each other, and as
// many lanes take an entry. Sums are made in the same order whatever NR is: all right-hand sides get the same bits.
template <int NR, class T>
__device__ __forceinline__ T row_dot(const SolveArgs<T> &a, uint32_t p, uint32_t begin, uint32_t end, uint32_t lane) {
    constexpr int AT_ONCE = WARP / NR;
    const T *x = a.work + lane % NR;
    T sum[NR];
#pragma unroll
    for (int k = 0; k < NR; ++k) sum[k] = zero(T{});
#pragma unroll (NR == 1 ? 4 : 1)
    for (uint32_t e = begin + lane / NR; e < end; e += WARP)
#pragma unroll
        for (int k = 0; k < NR; ++k)
            if (uint32_t ek = e + k * AT_ONCE; k == 0 || ek < end) {
                T v = conjugate_if(a.conjugate, a.val[row_value_index(a, p, begin, ek)]);
                sum[k] = multiply_add(v, x[(size_t)a.row_adj[ek] * NR], sum[k]);
            }
    // sum[k] is what lane k * AT_ONCE + lane / NR would have of a single right-hand side.
#pragma unroll
    for (int half = NR / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; ++k) sum[k] = sum[k] + sum[k + half];
#pragma unroll
    for (int by = WARP / 2; by >= NR; by /= 2) sum[0] = sum[0] + shuffle_down(sum[0], by, WARP);
    return sum[0];
}
