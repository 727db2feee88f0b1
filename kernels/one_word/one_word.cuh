// The one-word engine, for NR right-hand sides in one pass over the matrix: each unknown is published in one word that
// is value and flag together.
//
// A work item is up to 32 rows of one level, solved by one warp with `lanes` lanes a row, or by several where there are several
// right-hand sides (see `Place`); so no lane waits for another of its own warp. Rows of more entries than a warp holds are cut
// into segments (see `LongRow`). Everything that does not depend on other rows (values, indices, right-hand side, reciprocal of the
// diagonal) is asked for at once and in registers before the first poll, and the next work item's record is on its way. The
// unknowns live in a work vector in level order, the NR of one position beside each other. A row is published as soon as its own
// unknowns are there, whatever the others of its work item wait for. Every right-hand side is summed up in the same order whatever
// NR is, and so gets the same bits.
#pragma once
#include "device/columns.cuh"
#include "device/long_row.cuh"
#include "device/row.cuh"
#include "device/run_ahead.cuh"
#include "shared/by_rows.h"
#include "shared/one_word.h"

// Right-hand sides of a lane, where a pass takes NR: as many as leave it enough registers.
template <int NR>
constexpr int PER_LANE = NR > 1 ? ONE_WORD_PER_LANE : 1;

// Where a lane is in a work item, of which there are GROUPS column groups, each a warp's. Where rows have few lanes,
// they have as many for each group: the ones that take an entry lie beside each other, and poll words of one sector of L2. A column
// group is some of the rows then, and elsewhere one group of all of them.
template <int GROUPS>
struct Place {
    uint32_t lanes, step;  // of a row, for a group, and from one of these to the next
    uint32_t sub;          // number of the lane among them
    uint32_t row, group;

    __device__ __forceinline__ Place(uint2 work_item, uint32_t column_group) {
        uint32_t lane = threadIdx.x % WARP;
        lanes = work_item.y >> ITEM_LANES_SHIFT & ITEM_LANES_MASK;
        bool beside = GROUPS > 1 && lanes <= WARP / GROUPS;
        step = beside ? GROUPS : 1;
        uint32_t number = beside ? column_group * (WARP / GROUPS) + lane / GROUPS : lane;
        sub = number & (lanes - 1);
        row = number >> (__ffs(lanes) - 1);
        group = GROUPS == 1 ? 0 : beside ? lane % GROUPS : column_group;
    }
    // The row's lanes for the group, as bits.
    __device__ __forceinline__ uint32_t mask() const {
        uint32_t each = GROUPS == 1 || step == 1 ? FULL : FULL / ((1u << GROUPS) - 1);
        return each >> (WARP - lanes * step) << (threadIdx.x % WARP - sub * step);
    }
    // The sum over these lanes in every one of them.
    template <class T>
    __device__ __forceinline__ T sum(T v) const {
        for (uint32_t by = lanes * step / 2; by >= step; by /= 2) v = v + shuffle_xor(v, by);
        return v;
    }
};

// Values of U of this lane's entries, from number `e` on and `lanes` apart, and the positions that they are of.
template <int U, int MOST, class T>
__device__ __forceinline__ void load_entries(const SolveArgs<T> &a, uint4 record, uint32_t end, uint32_t e,
                                             uint32_t lanes, T (&v)[MOST], uint32_t (&q)[MOST]) {
    load_values<U>(a, record, end, e, lanes, v);
    load_adjacent<U, true>(a, record, end, e, lanes, q);
}

// The youngest unknown that a row shared by several lanes depends on, the one of the highest position. It is mostly the last
// to come: so the lane that has it leaves it out, and all others are summed up while it is waited for.
template <int PER, class T>
struct Youngest {
    T v;         // the negative of its value in the matrix
    uint32_t q;  // its position
    Words<T> x[PER];

    // None.
    __device__ __forceinline__ Youngest() : v(zero(T{})), q(0) {
#pragma unroll
        for (int j = 0; j < PER; ++j) x[j] = Words<T>::of_zero();
    }
    __device__ __forceinline__ bool is_there() const {
        bool there = true;
#pragma unroll
        for (int j = 0; j < PER; ++j) there = there && !x[j].is_sentinel();
        return there;
    }
};

// Subtracts from sum_j the a_k x_kj of U of this lane's entries, from number `e` on and as many apart as the row has lanes,
// waiting for each x_kj; where there are several lanes without the youngest one, which one of them then `owns`, and whose value
// is zero afterwards. False if the watchdog ended the wait.
template <int U, int GROUPS, int PER, int MOST, class Exchange, class T>
__device__ __forceinline__ bool waiting_dot(const SolveArgs<T> &a, const Exchange &exchange, const Place<GROUPS> &at, T (&values)[MOST],
                                            const uint32_t (&q)[MOST], uint32_t end, uint32_t e, bool in, T (&sum)[PER],
                                            Youngest<PER, T> &youngest, bool &owns) {
    // Entries that are waited for together: what 32 registers hold of their unknowns.
    constexpr int FIT = 128 / (PER * sizeof(T)), G = U < FIT ? U : FIT;
    int left_out = U;
    uint32_t lanes = at.lanes;
    if (lanes > 1) {
        uint32_t lane = threadIdx.x % WARP, mine = 0;
#pragma unroll
        for (int u = 0; u < U; ++u) mine = max(mine, e + u * lanes < end ? q[u] + 1 : 0);
        uint32_t highest = mine;
        for (uint32_t by = lanes * at.step / 2; by >= at.step; by /= 2) highest = max(highest, __shfl_xor_sync(FULL, highest, by));
        owns = __ffs(__ballot_sync(FULL, in && mine == highest) & at.mask()) == lane + 1;
#pragma unroll
        for (int u = 0; u < U; ++u)
            if (owns && left_out == U && e + u * lanes < end && q[u] + 1 == highest) {
                left_out = u;
                youngest.v = -conjugate_if(a.conjugate, values[u]);
                youngest.q = q[u];
                values[u] = zero(T{});  // times the zero that stands for the unknown, which an infinite value must not be
            }
#pragma unroll
        for (int j = 0; j < PER; ++j)
            if (left_out < U) youngest.x[j] = exchange.expected(true, youngest.q);
    }
#pragma unroll
    for (int g = 0; g < U; g += G) {
        Words<T> x[G][PER];
#pragma unroll
        for (int u = 0; u < G; ++u)
#pragma unroll
            for (int j = 0; j < PER; ++j)
                x[u][j] = exchange.expected(e + (g + u) * lanes < end && g + u != left_out, q[g + u]);
        Watchdog<T> dog(a);
        // Ends when every dependency of the warp's rows but the youngest ones has been published, or by the watchdog. All
        // lanes wait together: those that are ready would only be in the way of the others.
        for (;;) {
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < G; ++u) exchange.poll(q[g + u], x[u]);
            exchange.poll(youngest.q, youngest.x);
#pragma unroll
            for (int u = 0; u < G; ++u)
#pragma unroll
                for (int j = 0; j < PER; ++j) highest = max(highest, x[u][j].flag());
            if (!__any_sync(FULL, highest == SENTINEL)) break;
            if (!__all_sync(FULL, dog.keep_waiting())) return false;
        }
#pragma unroll
        for (int u = 0; u < G; ++u)
#pragma unroll
            for (int j = 0; j < PER; ++j)
                sum[j] = multiply_add(-conjugate_if(a.conjugate, values[g + u]), x[u][j].value(), sum[j]);
    }
    return true;
}

// Solves for x where a row is a single lane's, of U entries at most, and publishes it if the lane `waits` to. At every poll of
// the wait the result is worked out from what there is, and stored, a single one without a branch, at the poll at which all is
// there for the row: so nothing is between the last poll and the publication but what the result is made of. What is there at the
// first poll is no news, and is stored when the others are. `sum` is the right-hand side, and in the end what is to be multiplied.
// False if the watchdog ended the wait.
template <int U, int PER, int MOST, class Exchange, class T>
__device__ __forceinline__ bool solve_short(const SolveArgs<T> &a, const Exchange &exchange, const T (&values)[MOST],
                                            const uint32_t (&q)[MOST], uint32_t entries, T scale, bool waits, T (&sum)[PER],
                                            T (&result)[PER]) {
    T v[U], f[PER];
    Words<T> x[U][PER];
#pragma unroll
    for (int j = 0; j < PER; ++j) f[j] = sum[j];
#pragma unroll
    for (int u = 0; u < U; ++u) {
        v[u] = -conjugate_if(a.conjugate, values[u]);
#pragma unroll
        for (int j = 0; j < PER; ++j) x[u][j] = exchange.expected(u < entries, q[u]);
    }
    // Whether the row's unknowns are there, and the results if so.
    auto poll_row = [&] {
        uint32_t highest = 0;
#pragma unroll
        for (int j = 0; j < PER; ++j) sum[j] = f[j];
#pragma unroll
        for (int u = 0; u < U; ++u) exchange.poll(q[u], x[u]);
#pragma unroll
        for (int u = 0; u < U; ++u)
#pragma unroll
            for (int j = 0; j < PER; ++j) {
                highest = max(highest, x[u][j].flag());
                sum[j] = multiply_add(v[u], x[u][j].value(), sum[j]);
            }
#pragma unroll
        for (int j = 0; j < PER; ++j) result[j] = product(sum[j], scale);
        return highest != SENTINEL;
    };
    if constexpr (!Exchange::EACH) {
        if (!spin(a, [&] { return !poll_row(); })) return false;
        exchange.publish_if(waits, result);
        return true;
    }
    Watchdog<T> dog(a);
    bool is_first = true;
    for (;;) {
        bool ready = poll_row(), all = __all_sync(FULL, ready);
        bool now = waits && (is_first ? all : ready);
        exchange.publish_if(now, result);
        waits = waits && !now;
        is_first = false;
        if (all) return true;
        if (!__all_sync(FULL, dog.keep_waiting())) return false;
    }
}

// Publishes unknowns through L2, by a work vector with the NR unknowns of a position beside each other.
template <int NR, class T>
struct ThroughL2 {
    static constexpr int PER = PER_LANE<NR>;
    // Work items have run-ahead limits; each row of a work item is published by itself.
    static constexpr bool LIMITS_RUN_AHEAD = true, EACH = true;
    const SolveArgs<T> &a;
    WorkItems work_items;
    T *work, *columns, *word;  // the lane's columns there, and the row's place in them

    // A single column's is the work vector of the solve's parity.
    __device__ __forceinline__ explicit ThroughL2(const SolveArgs<T> &args)
        : a(args), work_items(a.state, a.begin), work(NR == 1 ? work_of(a, work_items.first) : a.work), columns(work) {}
    // The work vector that a single column resets.
    __device__ __forceinline__ T *other() const { return work_of(a, ~parity_of_warp()); }
    // The first column group of a work item for the warp, and the next. Nothing is computed from a ticket before it is wanted: that
    // would wait for it.
    __device__ __forceinline__ uint32_t first() const { return work_items.work_item_of(work_items.first); }
    __device__ __forceinline__ uint32_t take_ticket() { return work_items.take_ticket(); }
    __device__ __forceinline__ uint32_t of_ticket(uint32_t s) const { return work_items.of_ticket(s); }
    // Expects the row of a place in a work item, which is next.
    __device__ __forceinline__ void expect(uint2 work_item, const Place<NR / PER> &at) const {
        expect_if(at.row < (work_item.y & ITEM_ROWS_MASK) && at.sub == 0, work + (size_t)(work_item.x + at.row) * NR);
    }
    // Begins with a work item, in which this lane's row is at `p`.
    __device__ __forceinline__ void enter(uint2, uint32_t p, uint32_t group) {
        columns = work + group * PER;
        word = columns + (size_t)p * NR;
    }
    // Ends with the last of two tickets beyond the last work item. A solve that leaves a narrow end to do is not over.
    __device__ __forceinline__ void leave(uint32_t last) const {
        work_items.leave(a.end * (NR / PER), last, 2, NR > 1 || a.end == a.work_items ? PASSED_ON<NR> : 0);
    }
    // What is known of an unknown that has not been polled: the sentinel, if it is wanted.
    __device__ __forceinline__ Words<T> expected(bool wanted, uint32_t) const {
        return wanted ? Words<T>::sentinel() : Words<T>::of_zero();
    }
    __device__ __forceinline__ void poll(uint32_t q, Words<T> (&x)[PER]) const {
        ::poll((NR == 1 ? work : columns) + (size_t)q * NR, x);
    }
    // Publishes the row's unknowns; a single one by a reduction where the row has several lanes.
    __device__ __forceinline__ void publish_if(bool yes, const T (&v)[PER]) const {
        if constexpr (PER == 1) ::publish_if(yes, word, v[0]);
        else if (yes) ::publish(word, v);
    }
    __device__ __forceinline__ void publish_shared_if(bool yes, const T (&v)[PER]) const {
        if constexpr (PER == 1) publish_reduced_if(yes, word, v[0]);
        else if (yes) ::publish(word, v);
    }
    __device__ __forceinline__ void publish(const T (&v)[PER]) const { ::publish(word, v); }
};

// Solves work items `begin` to `end` for the columns, publishing and polling unknowns by `exchange`. A single column resets
// the other work vector to the sentinel on the way.
template <int NR, bool MAY_HAVE_SEGMENTS, class Exchange, class T>
__device__ __forceinline__ void one_word(const SolveArgs<T> &a, const Columns<T, NR> &columns, Exchange &exchange) {
    constexpr int U = LONGEST_WHOLE<T> / WARP, PER = PER_LANE<NR>, GROUPS = NR / PER;
    constexpr uint2 nothing = {0, 1u << ITEM_LANES_SHIFT};
    T alpha = alpha_of(a);
    uint32_t column_groups = a.end * GROUPS;

    auto work_item_of = [&](uint32_t s) { return s < column_groups ? a.work_item[s / GROUPS] : nothing; };
    auto record_of = [&](uint2 work_item, const Place<GROUPS> &at, uint32_t &end) {
        uint4 record = {0, NONE, 0, 0};
        end = 0;
        if (at.row < (work_item.y & ITEM_ROWS_MASK)) {
            record = a.record[work_item.x + at.row];
            end = a.record[work_item.x + at.row + 1].z;
        }
        return record;
    };

    uint32_t s = exchange.first(), s1 = exchange.of_ticket(exchange.take_ticket());
    uint2 work_item = work_item_of(s), work_item1 = work_item_of(s1);
    uint32_t end, end1;
    uint4 record = record_of(work_item, Place<GROUPS>(work_item, s % GROUPS), end);
    while (s < column_groups) {
        uint32_t s2 = exchange.take_ticket();
        Place<GROUPS> next(work_item1, s1 % GROUPS);
        uint4 record1 = record_of(work_item1, next, end1);
        exchange.expect(work_item1, next);

        Place<GROUPS> at(work_item, s % GROUPS);
        uint32_t lanes = at.lanes, sub = at.sub, p = work_item.x + at.row;
        bool in = at.row < (work_item.y & ITEM_ROWS_MASK), owns = in && sub == 0;
        uint32_t begin = record.z, longest = warp_max(end - begin);
        LongRow<MAY_HAVE_SEGMENTS, NR, T> long_row(a, work_item, begin, end, longest);
        uint32_t e = begin + sub, first = at.group * PER;  // entry, and column
        // Calls `f` with the number of entries that a lane must have room for.
        auto for_size = [&](auto f) {
            return longest > 4 * lanes ? f(Constant<U>{}) : longest > 2 * lanes ? f(Constant<4>{}) : f(Constant<2>{});
        };
        // All that the row is made of is asked for before any of it is looked at.
        T sum[PER], d, scale = one(T{}), v[U];
        uint32_t q[U];
#pragma unroll
        for (int j = 0; j < PER; ++j) load_if(in, columns.from(record.x, first + j), sum[j]);
        if (a.diag_index) load_if(in && record.y != NONE, a.diag_values + record.y, d);
        if (longest > 0) for_size([&](auto size) { load_entries<size.value>(a, record, end, e, lanes, v, q); });
#pragma unroll
        for (int j = 0; j < PER; ++j) sum[j] = owns && !long_row.is_segment ? product(alpha, sum[j]) : zero(T{});
        bool multiplies = true;
        if (a.diag_index && in && !long_row.is_segment) {
            d = diagonal_of(a, p, d, [&] { note_zero_pivot(a.state, parity_of_warp(), record.x); });
            multiplies = reciprocal(d, scale);
            if (!multiplies) scale = d;
        }
        bool at_once = !long_row.is_segment && __all_sync(FULL, multiplies);
        bool ok = true;
        if (long_row.is_segment) {
            // Of its unknowns the one that is solved last is its run-ahead limit.
            uint32_t highest = 0;
#pragma unroll
            for (int u = 0; u < U; ++u) highest = max(highest, e + u * lanes < end ? q[u] : 0);
            ok = !Exchange::LIMITS_RUN_AHEAD || pass(a, exchange.work + (size_t)warp_max(highest) * NR);
        } else if (Exchange::LIMITS_RUN_AHEAD) {
            ok = limit_run_ahead(a, exchange.work, work_item, lanes * GROUPS, NR);
        }
        exchange.enter(work_item, p, at.group);
        if (long_row.has_segments()) ok = ok && long_row.add_segments(a, exchange.work + first, sum);

        T x[PER];
        if (lanes == 1 && longest > 0) {
            ok = for_size([&](auto size) {
                return solve_short<size.value>(a, exchange, v, q, end - record.z, scale, owns && at_once, sum, x);
            });
        } else {
            Youngest<PER, T> youngest;
            if (ok && longest > 0)
                ok = for_size([&](auto size) {
                    return waiting_dot<size.value>(a, exchange, at, v, q, end, e, in, sum, youngest, owns);
                });
            T rest[PER];
#pragma unroll
            for (int j = 0; j < PER; ++j) rest[j] = at.sum(sum[j]);
            Watchdog<T> dog(a);
            // What a wait has been ended for is a part of a sum.
            for (bool waits = owns && at_once && ok;;) {
#pragma unroll
                for (int j = 0; j < PER; ++j) {
                    sum[j] = multiply_add(youngest.v, youngest.x[j].value(), rest[j]);
                    x[j] = product(sum[j], scale);
                }
                bool ready = youngest.is_there();
                exchange.publish_shared_if(waits && ready, x);
                waits = waits && !ready;
                if (__all_sync(FULL, ready)) break;
                if (!__all_sync(FULL, dog.keep_waiting())) {
                    ok = false;
                    break;
                }
                exchange.poll(youngest.q, youngest.x);
            }
        }
        if (!multiplies || long_row.is_segment)
#pragma unroll
            for (int j = 0; j < PER; ++j) x[j] = long_row.is_segment ? sum[j] : divide(sum[j], scale);
        if (owns) {
            if (!ok)
#pragma unroll
                for (int j = 0; j < PER; ++j) x[j] = not_a_number(T{});
            if (long_row.is_segment) {
                publish(exchange.work + long_row.place() + first, x);
                if (NR == 1) reset(exchange.other() + long_row.place());
            } else {
                if (!at_once || !ok) exchange.publish(x);
#pragma unroll
                for (int j = 0; j < PER; ++j) columns.store(record.x, first + j, x[j]);
                if (NR == 1) reset(exchange.other() + p);
            }
        }
        s = s1;
        work_item = work_item1;
        record = record1;
        end = end1;
        s1 = exchange.of_ticket(s2);
        work_item1 = work_item_of(s1);
    }
    exchange.leave(s1);
}

// Where no row depends on another nothing is published, and rows are taken as they come. Each block takes one ticket,
// beyond the last work item, and waits for it only at the end.
template <class T>
__device__ void one_level(const SolveArgs<T> &a) {
    __shared__ uint32_t parity;
    uint32_t ticket = threadIdx.x == 0 ? atomicAdd(&a.state->queue[0].next, 1u) : 0u, zero_pivot = NONE;
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
    if (threadIdx.x == 0) parity = ticket;
    __syncthreads();
    if (zero_pivot != NONE) note_zero_pivot(a.state, parity, zero_pivot);
    if (threadIdx.x == 0 && (ticket & ~BOTH) == gridDim.x - 1) leave_queues(a.state, ticket, PIVOT_BIT);
}
