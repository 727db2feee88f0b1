// The one-word engine, for NR right-hand sides in one pass over the matrix: each unknown is handed over in
// one word that is value and flag together.
//
// A slice is up to 32 rows of one level, solved by one warp with `lanes` lanes a row; so no lane waits for
// another of its own warp. Rows of more entries than a warp holds are cut into parts (see `Share`). Everything
// that does not depend on other rows (values, indices, right-hand side, reciprocal of the diagonal) is asked for
// at once and in registers before the first poll, and the next slice's record is on its way. The unknowns live in
// a work vector in level order, the NR of one position beside each other. A row is handed over as soon as its own
// unknowns are there, whatever the others of its slice wait for. Every right-hand side is summed up in the same
// order whatever NR is, and so gets the same bits.
#pragma once
#include "columns.cuh"
#include "gate.cuh"
#include "row.cuh"
#include "share.cuh"

// Values of U of this lane's entries, from number `e` on and `lanes` apart, and the positions that they are of.
template <int U, int MOST, class T>
__device__ __forceinline__ void load_entries(const SolveArgs<T> &a, uint4 record, uint32_t end, uint32_t e,
                                             uint32_t lanes, T (&v)[MOST], uint32_t (&q)[MOST]) {
    load_values<U>(a, record, end, e, lanes, v);
    load_adjacent<U, true>(a, record, end, e, lanes, q);
}

// The youngest unknown that a row shared by several lanes depends on, the one of the highest position. It is mostly the last
// to come: so the lane that has it leaves it out, and all others are summed up while it is waited for.
template <int NR, class T>
struct Youngest {
    T v;         // the negative of its value in the matrix
    uint32_t q;  // its position
    Words<T> x[NR];

    // None.
    __device__ __forceinline__ Youngest() : v(zero(T{})), q(0) {
#pragma unroll
        for (int j = 0; j < NR; ++j) x[j] = Words<T>::of_zero();
    }
    __device__ __forceinline__ bool is_there() const {
        bool there = true;
#pragma unroll
        for (int j = 0; j < NR; ++j) there = there && !x[j].is_armed();
        return there;
    }
};

// Subtracts from sum_j the a_k x_kj of U of this lane's entries, from number `e` on and `lanes` apart, waiting for
// each x_kj; where lanes may SHARE a row, and do, without the youngest one, which one lane then `owns`, and whose value is zero
// afterwards. False if the watchdog ended the wait.
template <int U, int NR, bool SHARE, int MOST, class Hand, class T>
__device__ __forceinline__ bool waiting_dot(const SolveArgs<T> &a, const Hand &hand, T (&values)[MOST],
                                            const uint32_t (&q)[MOST], uint32_t end, uint32_t e, uint32_t lanes, bool in,
                                            T (&sum)[NR], Youngest<NR, T> &youngest, bool &owns) {
    // Entries that are waited for together: what 32 registers hold of their unknowns.
    constexpr int FIT = 128 / (NR * sizeof(T)), G = U < FIT ? U : FIT;
    int left_out = U;
    if (SHARE && lanes > 1) {
        uint32_t lane = threadIdx.x % WARP, mine = 0;
#pragma unroll
        for (int u = 0; u < U; ++u) mine = max(mine, e + u * lanes < end ? q[u] + 1 : 0);
        uint32_t highest = mine;
        for (uint32_t by = lanes / 2; by > 0; by /= 2) highest = max(highest, __shfl_xor_sync(FULL, highest, by));
        uint32_t row_lanes = FULL >> (WARP - lanes) << (lane & ~(lanes - 1));
        owns = __ffs(__ballot_sync(FULL, in && mine == highest) & row_lanes) == lane + 1;
#pragma unroll
        for (int u = 0; u < U; ++u)
            if (owns && left_out == U && e + u * lanes < end && q[u] + 1 == highest) {
                left_out = u;
                youngest.v = -conjugate_if(a.conjugate, values[u]);
                youngest.q = q[u];
                values[u] = zero(T{});  // times the zero that stands for the unknown, which an infinite value must not be
            }
#pragma unroll
        for (int j = 0; j < NR; ++j)
            if (left_out < U) youngest.x[j] = hand.ask(true, youngest.q);
    }
#pragma unroll
    for (int g = 0; g < U; g += G) {
        Words<T> x[G][NR];
#pragma unroll
        for (int u = 0; u < G; ++u)
#pragma unroll
            for (int j = 0; j < NR; ++j)
                x[u][j] = hand.ask(e + (g + u) * lanes < end && g + u != left_out, q[g + u]);
        Watchdog<T> dog(a);
        // Ends when every dependency of the warp's rows but the youngest ones has been published, or by the watchdog. All
        // lanes wait together: those that are ready would only be in the way of the others.
        for (;;) {
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < G; ++u) hand.look(q[g + u], x[u]);
            if (SHARE) hand.look(youngest.q, youngest.x);
#pragma unroll
            for (int u = 0; u < G; ++u)
#pragma unroll
                for (int j = 0; j < NR; ++j) highest = max(highest, x[u][j].tell());
            if (!__any_sync(FULL, highest == ARMED)) break;
            if (!__all_sync(FULL, dog.turn())) return false;
        }
#pragma unroll
        for (int u = 0; u < G; ++u)
#pragma unroll
            for (int j = 0; j < NR; ++j)
                sum[j] = multiply_add(-conjugate_if(a.conjugate, values[g + u]), x[u][j].value(), sum[j]);
    }
    return true;
}

// Solves for x where a row is a single lane's, of U entries at most, and publishes it if the lane `waits` to. In every
// turn of the wait the result is worked out from what there is, and stored, without a branch, in the turn in which all is
// there for the row: so nothing is between the last poll and the hand-over but what the result is made of. What is there
// at the first look is no news, and is stored when the others are. `sum` is the right-hand side, and in the end what is to
// be multiplied. False if the watchdog ended the wait.
template <int U, int MOST, class Hand, class T>
__device__ __forceinline__ bool solve_short(const SolveArgs<T> &a, const Hand &hand, const T (&values)[MOST],
                                            const uint32_t (&q)[MOST], uint32_t entries, T scale, bool waits, T &sum, T &result) {
    T v[U];
    Words<T> x[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
        v[u] = -conjugate_if(a.conjugate, values[u]);
        x[u] = hand.ask(u < entries, q[u]);
    }
    T f = sum;
    // Whether the row's unknowns are there, and the result if so.
    auto look = [&] {
        uint32_t highest = 0;
        sum = f;
#pragma unroll
        for (int u = 0; u < U; ++u) hand.look(q[u], x[u]);
#pragma unroll
        for (int u = 0; u < U; ++u) {
            highest = max(highest, x[u].tell());
            sum = multiply_add(v[u], x[u].value(), sum);
        }
        result = product(sum, scale);
        return highest != ARMED;
    };
    if constexpr (!Hand::EACH) {
        if (!spin(a, [&] { return !look(); })) return false;
        hand.give_if(waits, result);
        return true;
    }
    Watchdog<T> dog(a);
    bool is_first = true;
    for (;;) {
        bool ready = look(), all = __all_sync(FULL, ready);
        bool now = waits && (is_first ? all : ready);
        hand.give_if(now, result);
        waits = waits && !now;
        is_first = false;
        if (all) return true;
        if (!__all_sync(FULL, dog.turn())) return false;
    }
}

// Hands unknowns over through L2, by a work vector with the NR unknowns of a position beside each other.
template <int NR, class T>
struct ThroughL2 {
    static constexpr bool GATES = true, EACH = true;  // slices have gates; each row of a slice is handed over by itself
    const SolveArgs<T> &a;
    Slices slices;
    T *work, *word;  // and the row's place there

    // A single column's is the work vector whose turn it is.
    __device__ __forceinline__ explicit ThroughL2(const SolveArgs<T> &args)
        : a(args), slices(a.state, a.begin), work(NR == 1 ? work_of(a, slices.first) : a.work) {}
    // The work vector that a single column arms.
    __device__ __forceinline__ T *other() const { return work_of(a, ~turn_of_warp()); }
    // The first slice of the warp, and the next. Nothing is computed from what is drawn before it is wanted: that would wait
    // for it.
    __device__ __forceinline__ uint32_t first() const { return slices.slice_of(slices.first); }
    __device__ __forceinline__ uint32_t draw() { return slices.draw(); }
    __device__ __forceinline__ uint32_t drawn(uint32_t s) const { return slices.drawn(s); }
    // Expects row number `r` of a slice, which is next.
    __device__ __forceinline__ void expect(uint2 slice, uint32_t r) const {
        bool leads = (threadIdx.x & ((slice.y >> 6 & 63u) - 1)) == 0;
        if (NR == 1) expect_if(r < (slice.y & 63u) && leads, work + (slice.x + r));
    }
    // Begins with a slice, in which this lane's row is at `p`.
    __device__ __forceinline__ void enter(uint2, uint32_t p) { word = work + (size_t)p * NR; }
    // Ends with the last of two slices that were drawn in vain. A solve that leaves a narrow end to do is not over.
    __device__ __forceinline__ void leave(uint32_t last) const {
        slices.leave(a.end, last, 2, NR > 1 || a.end == a.slices ? PASSED_ON<NR> : 0);
    }
    // What is known of an unknown that has not been looked at: armed, if it is wanted.
    __device__ __forceinline__ Words<T> ask(bool wanted, uint32_t) const {
        return wanted ? Words<T>::armed() : Words<T>::of_zero();
    }
    __device__ __forceinline__ void look(uint32_t q, Words<T> &x) const { poll(work + (size_t)q * NR, x); }
    __device__ __forceinline__ void look(uint32_t q, Words<T> (&x)[NR]) const { poll(work + (size_t)q * NR, x); }
    // Hands the row's unknowns over; by a reduction where it has several lanes.
    __device__ __forceinline__ void give_if(bool yes, T v) const { publish_if(yes, word, v); }
    __device__ __forceinline__ void give_shared_if(bool yes, T v) const { publish_reduced_if(yes, word, v); }
    __device__ __forceinline__ void give(const T (&v)[NR]) const { publish(word, v); }
};

// Solves slices `begin` to `end` for the columns, handing unknowns over by `hand`. A single column arms the other work
// vector on the way.
template <int NR, bool MAY_HAVE_PARTS, class Hand, class T>
__device__ __forceinline__ void one_word(const SolveArgs<T> &a, const Columns<T, NR> &columns, Hand &hand) {
    constexpr int U = sizeof(T) > 8 ? 4 : 8;
    constexpr uint2 nothing = {0, 1u << 6};
    uint32_t lane = threadIdx.x % WARP;
    T alpha = alpha_of(a);

    auto slice_of = [&](uint32_t s) { return s < a.end ? a.slice[s] : nothing; };
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

    uint32_t s = hand.first(), s1 = hand.drawn(hand.draw());
    uint2 slice = slice_of(s), slice1 = slice_of(s1);
    uint32_t end, end1;
    uint4 record = record_of(slice, end);
    while (s < a.end) {
        uint32_t s2 = hand.draw();
        uint4 record1 = record_of(slice1, end1);
        hand.expect(slice1, row_of(slice1));

        uint32_t rows = slice.y & 63u, lanes = slice.y >> 6 & 63u, sub = lane & (lanes - 1), r = row_of(slice);
        uint32_t p = slice.x + r;
        bool in = r < rows, owns = in && sub == 0;
        uint32_t begin = record.z, longest = warp_max(end - begin);
        Share<MAY_HAVE_PARTS, U * WARP, NR, T> share(a, slice, begin, end, longest);
        uint32_t e = begin + sub;
        // Calls `f` with the number of entries that a lane must have room for.
        auto for_size = [&](auto f) {
            return longest > 4 * lanes ? f(Size<U>{}) : longest > 2 * lanes ? f(Size<4>{}) : f(Size<2>{});
        };
        // All that the row is made of is asked for before any of it is looked at.
        T sum[NR], d, scale = one(T{}), v[U];
        uint32_t q[U];
#pragma unroll
        for (int j = 0; j < NR; ++j) load_if(in, columns.from(record.x, j), sum[j]);
        if (a.diag_index) load_if(in && record.y != NONE, a.diag_values + record.y, d);
        if (longest > 0) for_size([&](auto size) { load_entries<size.value>(a, record, end, e, lanes, v, q); });
#pragma unroll
        for (int j = 0; j < NR; ++j) sum[j] = owns && !share.is_part ? product(alpha, sum[j]) : zero(T{});
        bool multiplies = true;
        if (a.diag_index && in && !share.is_part) {
            d = diagonal_of(a, p, d, [&] { note_zero_pivot(a.state, turn_of_warp(), record.x); });
            multiplies = reciprocal(d, scale);
            if (!multiplies) scale = d;
        }
        bool at_once = NR == 1 && !share.is_part && __all_sync(FULL, multiplies);
        bool ok = true;
        if (share.is_part) {
            // Of its unknowns the one that is solved last is its gate.
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < U; ++u) highest = max(highest, e + u * lanes < end ? q[u] : 0);
            ok = !Hand::GATES || pass(a, hand.work + (size_t)warp_max(highest) * NR);
        } else if (Hand::GATES) {
            ok = pass_gate(a, hand.work, slice, lanes, NR);
        }
        hand.enter(slice, p);
        if (share.has_parts()) ok = ok && share.add_parts(a, hand.work, sum);

        T x[NR];
        if (NR == 1 && lanes == 1 && longest > 0) {
            ok = for_size([&](auto size) {
                return solve_short<size.value>(a, hand, v, q, end - record.z, scale, owns && at_once, sum[0], x[0]);
            });
        } else {
            Youngest<NR, T> youngest;
            // A single right-hand side whose rows are single lanes' mostly goes the way above.
            if (ok && longest > 0)
                ok = for_size([&](auto size) {
                    if (NR > 1 && lanes == 1)
                        return waiting_dot<size.value, NR, false>(a, hand, v, q, end, e, lanes, in, sum, youngest, owns);
                    return waiting_dot<size.value, NR, true>(a, hand, v, q, end, e, lanes, in, sum, youngest, owns);
                });
            T rest[NR];
#pragma unroll
            for (int j = 0; j < NR; ++j) rest[j] = warp_sum_all(sum[j], __ffs(lanes) - 1);
            // As above nothing is added then: a zero added to a negative zero would change its sign.
            bool is_whole = NR > 1 && lanes == 1 && longest > 0;
            Watchdog<T> dog(a);
            // What a wait has been ended for is a part of a sum.
            for (bool waits = owns && at_once && ok;;) {
#pragma unroll
                for (int j = 0; j < NR; ++j) {
                    sum[j] = is_whole ? rest[j] : multiply_add(youngest.v, youngest.x[j].value(), rest[j]);
                    x[j] = product(sum[j], scale);
                }
                bool ready = youngest.is_there();
                hand.give_shared_if(waits && ready, x[0]);
                waits = waits && !ready;
                if (__all_sync(FULL, ready)) break;
                if (!__all_sync(FULL, dog.turn())) {
                    ok = false;
                    break;
                }
                hand.look(youngest.q, youngest.x);
            }
        }
        if (!multiplies || share.is_part)
#pragma unroll
            for (int j = 0; j < NR; ++j) x[j] = share.is_part ? sum[j] : divide(sum[j], scale);
        if (owns) {
            if (!ok)
#pragma unroll
                for (int j = 0; j < NR; ++j) x[j] = not_a_number(T{});
            if (share.is_part) {
                publish(hand.work + share.place(), x);
                if (NR == 1) arm(hand.other() + share.place());
            } else {
                if (!at_once || !ok) hand.give(x);
#pragma unroll
                for (int j = 0; j < NR; ++j) columns.store(record.x, j, x[j]);
                if (NR == 1) arm(hand.other() + p);
            }
        }
        s = s1;
        slice = slice1;
        record = record1;
        end = end1;
        s1 = hand.drawn(s2);
        slice1 = slice_of(s1);
    }
    hand.leave(s1);
}

// Where no row depends on another nothing is handed over, and rows are taken as they come. Each block draws once, in vain,
// and waits for its turn in the end.
template <class T>
__device__ void one_level(const SolveArgs<T> &a) {
    __shared__ uint32_t turn;
    uint32_t drawn = threadIdx.x == 0 ? atomicAdd(&a.state->queue[0].next, 1u) : 0u, zero_pivot = NONE;
    T alpha = alpha_of(a);
    for (uint64_t p = blockIdx.x * blockDim.x + threadIdx.x; p < a.n; p += (uint64_t)gridDim.x * blockDim.x) {
        uint4 record = a.record[p];
        // Both are asked for before either is looked at; a missing diagonal is zero.
        T f, d = zero(T{}), scale;
        load_if(true, a.f + record.x, f);
        if (a.diag_index) load_if(record.y != NONE, a.diag_values + record.y, d);
        // Nothing is subtracted, as where there are several right-hand sides: so a zero has the same sign.
        T sum = multiply_add(zero(T{}), zero(T{}), product(alpha, f));
        d = a.diag_index ? diagonal_of(a, (uint32_t)p, d, [&] { zero_pivot = min(zero_pivot, record.x); }) : one(T{});
        a.x[record.x] = reciprocal(d, scale) ? product(sum, scale) : divide(sum, d);
    }
    if (threadIdx.x == 0) turn = drawn;
    __syncthreads();
    if (zero_pivot != NONE) note_zero_pivot(a.state, turn, zero_pivot);
    if (threadIdx.x == 0 && (drawn & ~BOTH) == gridDim.x - 1) leave_queues(a.state, drawn, PIVOT_BIT);
}
