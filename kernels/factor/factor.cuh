// ILU(0) and IC(0), incomplete factorisations without fill-in, in place in the caller's values.
//
// A row needs the finished rows that its lower triangle names, as in the solve with L. So rows are factorised by level. A work item
// is some rows of one level, and a ticket gives it to a warp. `LANES` lanes take a row and hold its values in registers, `EACH`
// values a lane.
//
// First the lanes look up which values of finished rows update which of their own entries. This needs the pattern only, so it is done
// while earlier levels are still at work. Then the warp polls these values, for `STEPS` entries (i, k) of the lower triangle at a
// time, and applies them in the order of k. So sums are made in the same order in every run.
//
// A finished value is published in `work` by one word, at the place that it has among the caller's values. Rows that do not fit into
// the registers are factorised in the caller's array, by a whole warp each.
//
// ILU(0), for k ascending: l_ik = a_ik / u_kk, then a_ij = a_ij - l_ik u_kj for j > k.
// IC(0), for k ascending: l_ik = a_ik / l_kk, then a_ij = a_ij - l_ik conj(l_jk) for k < j <= i. Values of the upper triangle are
// neither read nor written.
#pragma once
#include "device/pattern.cuh"
#include "device/row.cuh"
#include "shared/factor.h"

__device__ __forceinline__ double size_of(float v) { return fabs((double)v); }
__device__ __forceinline__ double size_of(double v) { return fabs(v); }
template <class R>
__device__ double size_of(Complex<R> v) {
    return hypot((double)v.re, (double)v.im);
}
__device__ __forceinline__ void set(float &v, const double (&to)[2]) { v = (float)to[0]; }
__device__ __forceinline__ void set(double &v, const double (&to)[2]) { v = to[0]; }
template <class R>
__device__ void set(Complex<R> &v, const double (&to)[2]) {
    v = {R(to[0]), R(to[1])};
}
// The root of a pivot of IC(0), whose imaginary part is rounding.
__device__ __forceinline__ float root(float v) { return sqrtf(v); }
__device__ __forceinline__ double root(double v) { return sqrt(v); }
template <class R>
__device__ Complex<R> root(Complex<R> v) {
    return {root(v.re), R(0)};
}
__device__ __forceinline__ bool is_positive(float v) { return !(v <= 0.0f); }
__device__ __forceinline__ bool is_positive(double v) { return !(v <= 0.0); }
template <class R>
__device__ bool is_positive(Complex<R> v) {
    return is_positive(v.re);
}

constexpr int STEPS = 4;                // entries of the lower triangle whose updates are polled together
constexpr uint32_t MOST_PREPARED = 48;  // steps whose sources are looked up before the first of them is waited for
constexpr uint16_t EMPTY = 0xffff;

// Where a search for a column begins in a table of so many places, a power of two.
template <uint32_t PLACES>
__device__ __forceinline__ uint32_t slot_of(uint32_t column) {
    return column * 0x9e3779b1u >> 16 & (PLACES - 1);
}

// What the lanes of a row share.
template <uint32_t ENTRIES>
struct SharedRow {
    // A power of two, so large that a column is mostly found at once: a warp waits for the lane that looks longest.
    static constexpr uint32_t TABLE = ENTRIES <= 8 ? 32 : ENTRIES <= 32 ? 128 : ENTRIES <= 64 ? 256 : 512;
    static constexpr uint32_t PREPARED = ENTRIES < MOST_PREPARED ? ENTRIES : MOST_PREPARED;
    static_assert(2 * ENTRIES <= TABLE, "a search ends at an empty place");
    uint32_t column[ENTRIES];
    uint32_t from[PREPARED];             // ILU(0): where row k of a step begins, with its diagonal entry
    uint16_t offset[PREPARED][ENTRIES];  // from there, or in IC(0) from the begin of row j, to what updates an entry; or EMPTY
    uint16_t table[TABLE];               // number of the entry by its column, or EMPTY
};

// Waits for a word.
template <class T>
__device__ __forceinline__ bool wait_for(const SolveArgs<T> &a, const T *p, bool yes, Words<T> &word) {
    word = yes ? Words<T>::sentinel() : Words<T>::of_zero();
    return spin(a, [&] {
        poll(p, word);
        return word.is_sentinel();
    });
}

// The pivot of a row from what is left of its diagonal entry.
template <bool CHOLESKY, class T>
__device__ __forceinline__ T pivot(const FactorArgs<T> &a, uint32_t row, T left) {
    if constexpr (CHOLESKY) {
        if (!is_positive(left)) note_zero_pivot(a.solve.state, PIVOT_BIT, row);
        return root(left);
    } else {
        if (a.boosts && size_of(left) <= a.tolerance) set(left, a.boost);
        if (is_zero(left)) note_zero_pivot(a.solve.state, PIVOT_BIT, row);
        return left;
    }
}

// The entry of a row in that column, by halving; NONE where there is none.
template <class T>
__device__ __forceinline__ uint32_t search(const FactorArgs<T> &a, uint32_t begin, uint32_t end, uint32_t column) {
    uint32_t low = begin, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a.pattern.column(middle) < column) low = middle + 1;
        else high = middle;
    }
    return low < end && a.pattern.column(low) == column ? low : NONE;
}

// A row of any length, by a whole warp, in the caller's array. False if the watchdog ended a wait.
template <bool CHOLESKY, class T>
__device__ __noinline__ bool long_row(const FactorArgs<T> &a, uint32_t row) {
    uint32_t lane = threadIdx.x % WARP, begin = a.pattern.begin(row), end = a.pattern.begin((size_t)row + 1), diagonal = a.diag[row];
    Words<T> word;
    for (uint32_t t = begin; t < diagonal; ++t) {
        uint32_t k = a.pattern.column(t), of_k = a.diag[k];
        if (!wait_for(a.solve, a.solve.work + of_k, true, word)) return false;
        T l = divide(a.val[t], word.value());
        __syncwarp();
        if (lane == 0) a.val[t] = l;
        // Of ILU(0) the entries of row k that row i has too; of IC(0) the entries of row i, whose rows have column k.
        uint32_t first = CHOLESKY ? t + 1 : of_k + 1, last = CHOLESKY ? diagonal + 1 : a.pattern.begin((size_t)k + 1);
        for (uint32_t from = first; from < last; from += WARP) {
            uint32_t e = from + lane, source = NONE, target = NONE;
            if (e < last) {
                uint32_t j = a.pattern.column(e);
                if (CHOLESKY) target = e, source = e == diagonal ? NONE : search(a, a.pattern.begin(j), a.diag[j], k);
                else source = e, target = search(a, t + 1, end, j);
            }
            bool is_own = CHOLESKY && e == diagonal;
            bool updates = (source != NONE && target != NONE);
            if (!wait_for(a.solve, a.solve.work + (updates ? source : of_k), updates, word)) return false;
            if (updates || is_own) {
                T u = is_own ? l : word.value();
                a.val[target] = multiply_add(-l, conjugate_if(CHOLESKY, u), a.val[target]);
            }
        }
        __syncwarp();
    }
    if (lane == 0) {
        T p = pivot<CHOLESKY>(a, row, a.val[diagonal]);
        a.val[diagonal] = p;
        publish(a.solve.work + diagonal, p);
    }
    uint32_t first = CHOLESKY ? begin : diagonal + 1, last = CHOLESKY ? diagonal : end;
    for (uint32_t e = first + lane; e < last; e += WARP) publish(a.solve.work + e, a.val[e]);
    return true;
}

template <class T, int LANES, int EACH, bool CHOLESKY>
struct FactorRows {
    static_assert(LANES % STEPS == 0, "steps of one lane number");
    static constexpr uint32_t ENTRIES = LANES * EACH;
    using Shared = SharedRow<ENTRIES>;
    const FactorArgs<T> &a;
    Shared &s;
    uint32_t sub;                           // number of the lane among the row's
    uint32_t row, begin, length, lower;     // the row, its first entry, its entries, and those before the diagonal one
    T v[EACH];                              // values of entries sub, sub + LANES and so on
    uint32_t begin_of[EACH], cursor[EACH];  // IC(0): where row j of such an entry (i, j) begins, how far it has been walked along,
    uint32_t end_of[EACH];                  // and where its diagonal entry lies

    __device__ __forceinline__ FactorRows(const FactorArgs<T> &args, Shared &shared)
        : a(args), s(shared), sub(threadIdx.x % LANES) {}

    __device__ __forceinline__ static uint32_t entry_of(int k, uint32_t sub) { return sub + k * LANES; }

    // The entry of the row in that column, or NONE.
    __device__ __forceinline__ uint32_t find(uint32_t column) const {
        // Ends at an empty place: at most half of them are taken.
        for (uint32_t at = slot_of<Shared::TABLE>(column);; at = (at + 1) & (Shared::TABLE - 1)) {
            uint32_t e = s.table[at];
            if (e == EMPTY) return NONE;
            if (s.column[e] == column) return e;
        }
    }

    // Loads the row, and makes its table. False if a row that it depends on is too long for offsets of 16 bits.
    __device__ __forceinline__ bool load() {
        bool fits = true;
        if constexpr (!CHOLESKY)
            for (uint32_t t = sub; t < Shared::TABLE; t += LANES) s.table[t] = EMPTY;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            uint32_t e = entry_of(k, sub);
            bool has = e < (CHOLESKY ? lower + 1 : length);
            uint32_t column = has ? a.pattern.column((size_t)begin + e) : 0;
            v[k] = has ? a.val[begin + e] : zero(T{});
            if (has) s.column[e] = column;
            if constexpr (CHOLESKY) {
                bool walks = e < lower;
                begin_of[k] = cursor[k] = walks ? a.pattern.begin(column) : 0;
                end_of[k] = walks ? a.diag[column] : 0;
                fits = fits && end_of[k] - begin_of[k] < EMPTY;
            } else if (has) {
                fits = fits && (e >= lower || a.pattern.begin((size_t)column + 1) - a.diag[column] < EMPTY);
                // Ends at an empty place: at most half of them are taken.
                for (uint32_t at = slot_of<Shared::TABLE>(column);; at = (at + 1) & (Shared::TABLE - 1))
                    if (atomicCAS(&s.table[at], EMPTY, (unsigned short)e) == EMPTY) break;
            }
        }
        __syncwarp();
        return fits;
    }

    // Looks up, for up to PREPARED steps from `first` on, where the values lie that update each entry. For entry k itself, in the
    // step of k, this is the diagonal entry of row k.
    __device__ __forceinline__ void prepare(uint32_t first, uint32_t steps) {
        uint32_t count = min(steps - first, Shared::PREPARED);
        for (uint32_t c = 0; c < count; c += STEPS) {
            if constexpr (CHOLESKY) walk(first, c);
            else look_up(first, c);
        }
    }

    // IC(0): each lane walks along the rows of its own entries.
    __device__ __forceinline__ void walk(uint32_t first, uint32_t c) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            uint32_t t = first + c + i, column = t < lower ? s.column[t] : 0;
#pragma unroll
            for (int k = 0; k < EACH; ++k) {
                uint32_t e = entry_of(k, sub), at = NONE, found = NONE;
                if (t < lower && e > t && e < lower) {
                    // Ends at the row's diagonal entry.
                    while (cursor[k] < end_of[k] && (at = a.pattern.column(cursor[k])) < column) ++cursor[k];
                    if (cursor[k] < end_of[k] && at == column) found = cursor[k];
                } else if (t < lower && e == t) {
                    found = end_of[k];
                }
                s.offset[c + i][e] = found == NONE ? EMPTY : (uint16_t)(found - begin_of[k]);
            }
        }
    }

    // ILU(0): the lanes look up the columns of the rows k among the row's own.
    __device__ __forceinline__ void look_up(uint32_t first, uint32_t c) {
        uint32_t from[STEPS], length_of[STEPS], most = 0;
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            bool is_step = first + c + i < lower;
            uint32_t k = is_step ? s.column[first + c + i] : 0;
            from[i] = is_step ? a.diag[k] : 0;
            length_of[i] = is_step ? a.pattern.begin((size_t)k + 1) - from[i] : 0;
            most = max(most, length_of[i]);
        }
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            if (sub == 0) s.from[c + i] = from[i];
#pragma unroll
            for (int k = 0; k < EACH; ++k) s.offset[c + i][entry_of(k, sub)] = EMPTY;
        }
        __syncwarp();
        most = warp_max(most);
        for (uint32_t at = sub; at - sub < most; at += LANES) {
            uint32_t column[STEPS];
#pragma unroll
            for (int i = 0; i < STEPS; ++i) column[i] = at < length_of[i] ? a.pattern.column(from[i] + at) : NONE;
#pragma unroll
            for (int i = 0; i < STEPS; ++i) {
                if (column[i] == NONE) continue;
                uint32_t target = at == 0 ? first + c + i : find(column[i]);
                if (target != NONE) s.offset[c + i][target] = (uint16_t)at;
            }
        }
        __syncwarp();
    }

    // Eliminates the entries `first + c` to `first + c + STEPS` of the lower triangle, after `prepare(first, ...)`. False if the
    // watchdog ended the wait.
    __device__ __forceinline__ bool eliminate(uint32_t first, uint32_t c) {
        uint32_t source[STEPS][EACH];
        Words<T> word[STEPS][EACH];
#pragma unroll
        for (int i = 0; i < STEPS; ++i)
#pragma unroll
            for (int k = 0; k < EACH; ++k) {
                uint32_t offset = s.offset[c + i][entry_of(k, sub)];
                bool is_update = offset != EMPTY;
                source[i][k] = is_update ? (CHOLESKY ? begin_of[k] : s.from[c + i]) + offset : 0;
                word[i][k] = is_update ? Words<T>::sentinel() : Words<T>::of_zero();
            }
        bool is_there = spin(a.solve, [&] {
            uint32_t highest = 0;
#pragma unroll
            for (int i = 0; i < STEPS; ++i)
#pragma unroll
                for (int k = 0; k < EACH; ++k) {
                    poll(a.solve.work + source[i][k], word[i][k]);
                    highest = max(highest, word[i][k].flag());
                }
            // Leaves the processor to warps that are not waiting.
            if (EACH > 1 && highest == SENTINEL) rest(SHORT_REST);
            return highest == SENTINEL;
        });
        if (!is_there) return false;
        // STEPS divides LANES. So the entries of these steps lie in neighbouring lanes, each as its value number `held`.
        const uint32_t held = (first + c) / LANES;
        T divisor = one(T{}), inverse;
#pragma unroll
        for (int i = 0; i < STEPS; ++i)
#pragma unroll
            for (int k = 0; k < EACH; ++k)
                if (k == held && sub == (first + c + i) % LANES) divisor = word[i][k].value();
        bool multiplies = reciprocal(divisor, inverse);
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            uint32_t t = first + c + i;
            bool is_step = t < lower;
            T l = zero(T{});
#pragma unroll
            for (int k = 0; k < EACH; ++k)
                if (k == held && is_step && sub == t % LANES) {
                    v[k] = multiplies ? product(v[k], inverse) : divide(v[k], divisor);
                    l = v[k];
                }
            l = shuffle(l, (int)(threadIdx.x % WARP - sub + t % LANES));
#pragma unroll
            for (int k = 0; k < EACH; ++k) {
                uint32_t e = entry_of(k, sub);
                T u = CHOLESKY && e == lower ? l : word[i][k].value();
                // A missing value is no zero factor: zero times infinity is NaN. Source 0 means "none": it is the diagonal entry of
                // the first row, which updates nothing.
                bool updates = is_step && e > t && (source[i][k] != 0 || (CHOLESKY && e == lower));
                if (updates) v[k] = multiply_add(-l, conjugate_if(CHOLESKY, u), v[k]);
            }
        }
        return true;
    }

    __device__ __forceinline__ void finish(bool is_mine) {
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            uint32_t e = entry_of(k, sub);
            if (is_mine && e == lower) v[k] = pivot<CHOLESKY>(a, row, v[k]);
            if (is_mine && (CHOLESKY ? e <= lower : e >= lower && e < length)) publish(a.solve.work + begin + e, v[k]);
        }
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            uint32_t e = entry_of(k, sub);
            if (is_mine && e < (CHOLESKY ? lower + 1 : length)) a.val[begin + e] = v[k];
        }
    }

    // Factorises the rows at positions `first` to `end`, all of one level. False if the watchdog ended a wait.
    __device__ __forceinline__ bool factorise(uint32_t first, uint32_t end) {
        uint32_t p = first + threadIdx.x % WARP / LANES;
        bool has = p < end;
        row = has ? a.solve.order[p] : 0;
        begin = has ? a.pattern.begin(row) : 0;
        length = has ? a.pattern.begin((size_t)row + 1) - begin : 0;
        lower = has ? a.diag[row] - begin : 0;
        bool fits = has && (CHOLESKY ? lower + 1 : length) <= ENTRIES;
        uint32_t too_long = __ballot_sync(FULL, has && !fits);
        if (!fits) length = lower = 0;
        if (!__all_sync(FULL, load())) {
            too_long = __ballot_sync(FULL, has);
            fits = false;
            lower = 0;
        }
        uint32_t steps = warp_max(lower);
        for (uint32_t t = 0; t < steps; t += Shared::PREPARED) {
            prepare(t, steps);
            for (uint32_t c = 0; c < Shared::PREPARED && t + c < steps; c += STEPS)
                if (!eliminate(t, c)) return false;
        }
        finish(fits);
        while (too_long) {
            int who = __ffs(too_long) - 1;
            too_long &= ~((LANES == WARP ? FULL : (1u << LANES % WARP) - 1) << who);
            if (!long_row<CHOLESKY>(a, __shfl_sync(FULL, row, who))) return false;
        }
        __syncwarp();
        return true;
    }
};

// Tickets follow the order of levels. A row depends on rows of earlier levels, and so of smaller tickets, which resident warps hold.
template <class T, int LANES, int EACH, bool CHOLESKY>
__device__ __forceinline__ void factor(const FactorArgs<T> &a) {
    using Rows = FactorRows<T, LANES, EACH, CHOLESKY>;
    __shared__ typename Rows::Shared rows[FACTOR_WARPS * WARP / LANES];
    Rows mine(a, rows[threadIdx.x / LANES]);
    for (;;) {
        uint32_t ticket = 0;
        if (threadIdx.x % WARP == 0) ticket = atomicAdd(&a.solve.state->ticket, 1u);
        ticket = __shfl_sync(FULL, ticket, 0);
        if (ticket >= a.items) return;
        if (!mine.factorise(a.item[ticket], a.item[ticket + 1])) return;
    }
}

// For rows of up to `LANES * EACH` entries in registers.
#define FACTOR_KERNEL(t, name, LANES, EACH, CHOLESKY)                                                       \
    extern "C" __global__ void __launch_bounds__(FACTOR_WARPS *WARP)                                        \
        name##_##LANES##x##EACH##_##t(const GRID_CONSTANT FactorArgs<t##_type> a) {                         \
        factor<t##_type, LANES, EACH, CHOLESKY>(a);                                                         \
    }
#define FACTOR_KERNELS(t, name, CHOLESKY)                                                                   \
    FACTOR_KERNEL(t, name, 8, 1, CHOLESKY) FACTOR_KERNEL(t, name, 32, 1, CHOLESKY)                          \
    FACTOR_KERNEL(t, name, 32, 2, CHOLESKY) FACTOR_KERNEL(t, name, 32, 3, CHOLESKY)
