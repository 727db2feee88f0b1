// The one-word engine, for NR right-hand sides in one pass over the matrix: each unknown is handed over in
// one word that is value and flag together.
//
// A slice is up to 32 rows of one level, solved by one warp with `lanes` lanes a row; so no lane waits for
// another of its own warp. Everything that does not depend on other rows (values, indices, right-hand
// side, reciprocal of the diagonal) is in registers before the first poll, and the next slice's record is
// on its way. The unknowns live in a work vector in level order, the NR of one position beside each other.
// Every right-hand side is summed up in the same order whatever NR is, and so gets the same bits.
#pragma once
#include "columns.cuh"
#include "row.cuh"

// Waits, as a whole warp, at a slice's gate where so many warps run that this one may be far ahead of the front: there
// it would only poll for its rows' unknowns, `width` words a position, and slow the front down. False if the watchdog
// ended the wait.
template <class T>
__device__ __forceinline__ bool pass_gate(const SolveArgs<T> &a, const T *work, uint2 slice, uint32_t lanes, uint32_t width) {
    uint32_t back = slice.y >> GATE_SHIFT;
    if (back == 0 || back * lanes >= gridDim.x * blockDim.x) return true;
    const T *gate = work + (size_t)(slice.x - back) * width;
    Words<T> w = Words<T>::armed();
    Watchdog<T> dog(a);
    for (;;) {
        poll(gate, w);
        if (__all_sync(FULL, !w.is_armed())) return true;
        if (!__all_sync(FULL, dog.turn())) return false;
    }
}

// Values of U of this lane's entries, from number `e` on and `lanes` apart, and the positions that they are of. Loads go
// without a branch, so they all overlap. A lane without an entry repeats another's place, and has a zero for its value.
template <int U, class T>
__device__ __forceinline__ void load_entries(const SolveArgs<T> &a, uint4 record, uint32_t end, uint32_t e,
                                             uint32_t lanes, T (&v)[U], uint32_t (&q)[U]) {
    uint32_t last = end > record.z ? end - 1 : 0;
    if (a.row_permuted) {
        uint32_t index[U];
#pragma unroll
        for (int u = 0; u < U; ++u) index[u] = a.row_val[min(e + u * lanes, last)];
#pragma unroll
        for (int u = 0; u < U; ++u) load_if(e + u * lanes < end, a.val + index[u], v[u]);
    } else {
        const T *val = a.val + ((int64_t)record.w - record.z);
#pragma unroll
        for (int u = 0; u < U; ++u) load_if(e + u * lanes < end, val + (e + u * lanes), v[u]);
    }
#pragma unroll
    for (int u = 0; u < U; ++u) q[u] = a.row_adj[min(e + u * lanes, last)];
}

// Has `count` entries of a row from number `first` on brought to the L2 cache, a line by each lane from `sub` on.
template <class T>
__device__ __forceinline__ void prefetch_entries(const SolveArgs<T> &a, uint4 record, uint32_t end, uint32_t first,
                                                 uint32_t count, uint32_t sub) {
    constexpr uint32_t LINE = 128, VALUES = LINE / sizeof(T), INDICES = LINE / 4;
    uint32_t lines = count / VALUES, value = first + sub * VALUES, index = first + (sub - lines) * INDICES;
    if (sub < lines) {
        if (value < end && !a.row_permuted) prefetch(a.val + ((int64_t)record.w - record.z) + value);
    } else if (index < end && index < first + count) {
        prefetch(a.row_adj + index);
    }
}

// Adds to sum_j the a_k x_kj of U of this lane's entries, from number `e` on and `lanes` apart, waiting for
// each x_kj.
template <int U, int NR, class T>
__device__ __forceinline__ bool waiting_dot(const SolveArgs<T> &a, const T *work, uint4 record, uint32_t end,
                                            uint32_t e, uint32_t lanes, T (&sum)[NR]) {
    // Entries that are waited for together: what 32 registers hold of their unknowns.
    constexpr int FIT = 128 / (NR * sizeof(T)), G = U < FIT ? U : FIT;
    T v[U];
    uint32_t q[U];
    load_entries<U>(a, record, end, e, lanes, v, q);
#pragma unroll
    for (int g = 0; g < U; g += G) {
        Words<T> x[G][NR];
#pragma unroll
        for (int u = 0; u < G; ++u)
#pragma unroll
            for (int j = 0; j < NR; ++j)
                x[u][j] = e + (g + u) * lanes < end ? Words<T>::armed() : Words<T>::of_zero();
        Watchdog<T> dog(a);
        // Ends when every dependency of the warp's rows has been published, or by the watchdog. All lanes wait
        // together: those that are ready would only be in the way of the others.
        for (;;) {
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < G; ++u) poll(&work[(size_t)q[g + u] * NR], x[u]);
#pragma unroll
            for (int u = 0; u < G; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j) highest = max(highest, x[u][j].tell());
            if (!__any_sync(FULL, highest == ARMED)) break;
            if (!__all_sync(FULL, dog.turn())) return false;
        }
#pragma unroll
        for (int u = 0; u < G; ++u) {
            T vu = conjugate_if(a.conjugate, v[g + u]);
#pragma unroll
            for (int j = 0; j < NR; ++j) sum[j] = multiply_add(vu, x[u][j].value(), sum[j]);
        }
    }
    return true;
}

// Solves for x where a row is a single lane's, of U entries at most, and publishes it. In every turn of the wait the
// result is worked out from what there is, and stored, without a branch, in the turn in which all is there for the whole
// warp: so nothing is between the last poll and the hand-over but what the result is made of. False if the watchdog ended
// the wait.
template <int U, class T>
__device__ __forceinline__ bool solve_short(const SolveArgs<T> &a, const T *work, uint4 record, uint32_t end, T f, T scale,
                                            bool leads, T *word, T &result) {
    T v[U];
    uint32_t q[U];
    load_entries<U>(a, record, end, record.z, 1, v, q);
    Words<T> x[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
        v[u] = conjugate_if(a.conjugate, v[u]);
        x[u] = record.z + u < end ? Words<T>::armed() : Words<T>::of_zero();
    }
    Watchdog<T> dog(a);
    for (;;) {
        uint32_t highest = 0;
        T sum = zero(T{});
#pragma unroll
        for (int u = 0; u < U; ++u) poll(work + q[u], x[u]);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            highest = max(highest, x[u].tell());
            sum = multiply_add(v[u], x[u].value(), sum);
        }
        result = product(f - sum, scale);
        bool all = !__any_sync(FULL, highest == ARMED);
        publish_if(all && leads, word, result);
        if (all) return true;
        if (!__all_sync(FULL, dog.turn())) return false;
    }
}

// Solves for the columns, handing unknowns over through `work`. A single column arms `other` on the way.
template <int NR, class T>
__device__ __forceinline__ void one_word(const SolveArgs<T> &a, const Columns<T, NR> &columns, T *work, T *other) {
    constexpr int U = sizeof(T) > 8 ? 4 : 8;
    constexpr uint2 nothing = {0, 1u << 6};
    uint32_t lane = threadIdx.x % WARP;
    T alpha = alpha_of(a);

    Slices slices(a.state);
    auto draw = [&] { return lane == 0 ? slices.draw() : 0u; };
    auto slice_of = [&](uint32_t s) { return s < a.slices ? a.slice[s] : nothing; };
    // Lanes of a row are a power of two.
    auto row_of = [&](uint2 slice) { return lane >> (__ffs(slice.y >> 6) - 1); };
    auto record_of = [&](uint2 slice, uint32_t &end) {
        uint4 record = {0, NONE, 0, 0};
        end = 0;
        uint32_t r = row_of(slice);
        if (r < (slice.y & 63u)) {
            record = a.record[slice.x + r];
            end = a.record[slice.x + r + 1].z;
        }
        return record;
    };

    auto draw_for_all = [&] { return __shfl_sync(FULL, draw(), 0); };
    uint32_t s = draw_for_all(), s1 = draw_for_all();
    uint2 slice = slice_of(s), slice1 = slice_of(s1);
    uint32_t end, end1;
    uint4 record = record_of(slice, end);
    while (s < a.slices) {
        uint32_t s2 = draw();
        uint4 record1 = record_of(slice1, end1);

        uint32_t rows = slice.y & 63u, lanes = slice.y >> 6 & 63u, sub = lane & (lanes - 1), r = row_of(slice);
        uint32_t p = slice.x + r;
        bool leads = r < rows && sub == 0;
        T sum[NR], f[NR], d = one(T{}), scale = d;
#pragma unroll
        for (int j = 0; j < NR; ++j) sum[j] = f[j] = zero(T{});
        bool multiplies = true, ok = pass_gate(a, work, slice, lanes, NR);
        if (leads) {
#pragma unroll
            for (int j = 0; j < NR; ++j) f[j] = product(alpha, columns.load(record.x, j));
            if (a.diag_index) {
                d = diagonal_at(a, p, record.y, record.x, &a.state->pivot_running);
                multiplies = reciprocal(d, scale);
            }
        }
        uint32_t e = record.z + sub;
        uint32_t longest = warp_max(end - record.z);
        T x[NR], *word = work + (size_t)p * NR;
        bool is_short = NR == 1 && lanes == 1 && longest > 0 && longest <= U && !__any_sync(FULL, !multiplies);
        if (is_short) {
            if (longest > 4) ok = solve_short<U>(a, work, record, end, f[0], scale, leads, word, x[0]);
            else if (longest > 2) ok = solve_short<4>(a, work, record, end, f[0], scale, leads, word, x[0]);
            else ok = solve_short<2>(a, work, record, end, f[0], scale, leads, word, x[0]);
        } else {
            if (longest > 4 * lanes) {
                // What a long row goes on with is in the cache when its turn comes.
                constexpr uint32_t AHEAD = 8;
                for (uint32_t k = 1; k < AHEAD && k * U * lanes < longest; ++k)
                    prefetch_entries(a, record, end, record.z + k * U * lanes, U * lanes, sub);
                for (uint32_t t = 0; ok && t < longest; t += U * lanes) {
                    if (t + AHEAD * U * lanes < longest)
                        prefetch_entries(a, record, end, record.z + t + AHEAD * U * lanes, U * lanes, sub);
                    ok = waiting_dot<U, NR>(a, work, record, end, e + t, lanes, sum);
                }
            } else if (longest > 2 * lanes) ok = waiting_dot<4, NR>(a, work, record, end, e, lanes, sum);
            else if (longest > 0) ok = waiting_dot<2, NR>(a, work, record, end, e, lanes, sum);
            if (lanes > 1) {
#pragma unroll
                for (int j = 0; j < NR; ++j) sum[j] = warp_sum(sum[j], lanes);
            }
#pragma unroll
            for (int j = 0; j < NR; ++j) x[j] = multiplies ? product(f[j] - sum[j], scale) : divide(f[j] - sum[j], d);
        }
        if (leads) {
#pragma unroll
            for (int j = 0; j < NR; ++j)
                if (!ok) x[j] = not_a_number(T{});
            if (!is_short || !ok) publish(word, x);
#pragma unroll
            for (int j = 0; j < NR; ++j) columns.store(record.x, j, x[j]);
            if (NR == 1) arm(&other[p]);
        }
        s = s1;
        slice = slice1;
        record = record1;
        end = end1;
        s1 = __shfl_sync(FULL, s2, 0);
        slice1 = slice_of(s1);
    }
}
