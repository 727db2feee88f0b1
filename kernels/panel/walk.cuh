// The entries of the rows of a panel that are a warp's, some lanes a row. Each lane has only one row to look after.
//
// In an order by nested dissection a row of a separator depends on one half of the unknowns, which end with a separator of their
// own, and then on the other half. If entries were taken in the order of their columns, the end of the first half would hold up all
// of the other half. So rows are walked in parts beside each other: where one waits for an unknown another one goes on. Each part has
// a sum of its own, and in the end these are added up one after the other: the order of the sums is fixed.
//
// Long rows are walked by several blocks. Counted from a row's youngest entry on, each piece has PANEL_PIECE entries; the first one is
// the panel's own, with all that is near.
#pragma once
#include "panel.cuh"

template <class T, uint32_t LANES>
struct RowWalk {
    static constexpr int MANY = TOGETHER<T>;  // entries of a lane in a step
    static constexpr uint32_t STEP = LANES * MANY, PARTS = 4;
    const SolveArgs<T> &a;
    const T *work;
    uint32_t row;        // the lane's, in the panel
    uint32_t near_from;  // unknowns from this position on are near it
    uint32_t begin, end, first_value;
    uint32_t piece;  // which one is walked
    bool is_cut;     // or else the whole row

    // Some entries of the lane's row, counted from its youngest one on.
    struct Span {
        uint32_t from, until;
        __device__ __forceinline__ uint32_t length() const { return until - from; }
    };
    // Those of the piece.
    __device__ __forceinline__ Span span() const {
        uint32_t length = end - begin;
        return {min(length, piece * PANEL_PIECE), is_cut ? min(length, (piece + 1) * PANEL_PIECE) : length};
    }

    // Steps end with the span's youngest entry, so that those of all rows that mostly depend on the youngest unknowns are walked
    // together.
    struct Steps {
        uint32_t number;       // of the longest span of the warp
        uint32_t length;       // entries of the lane's span
        uint32_t first, by;    // where the first step begins, from the span's first entry on, and from one to the next
        const uint32_t *adj;   // of the span's first entry
        const uint32_t *index;
        uint32_t first_value;
    };
    __device__ __forceinline__ Steps steps(const Span &span) const {
        uint32_t length = span.length(), number = (uniform(length) + STEP - 1) / STEP;
        uint32_t skipped = a.backward ? span.from : end - begin - span.until, lane = threadIdx.x % LANES;
        return {number,
                length,
                lane + (a.backward ? (number - 1) * STEP : length - number * STEP),
                a.backward ? 0u - STEP : STEP,
                a.row_adj + (begin + skipped),
                a.row_val + (begin + skipped),
                first_value + skipped};
    }
    struct Entries {
        uint32_t q[MANY];      // what they are of, or NONE
        uint32_t index[MANY];  // of their values
        T v[MANY];
    };
    // Those of a step, without their values. There are none of a step that is not there.
    __device__ __forceinline__ Entries find(const Steps &s, uint32_t step) const {
        Entries e;
        uint32_t k = s.first + step * s.by;
        const uint32_t *adj = s.adj + (int32_t)k, *index = s.index + (int32_t)k;
#pragma unroll
        for (int u = 0; u < MANY; ++u) {
            bool is_in = k + u * LANES < s.length;
            e.q[u] = NONE;
            e.index[u] = s.first_value + k + u * LANES;
            if (is_in) e.q[u] = adj[u * LANES];
            if (is_in && a.row_permuted) e.index[u] = index[u * LANES];
        }
        return e;
    }
    __device__ __forceinline__ void load_values(Entries &e) const {
#pragma unroll
        for (int u = 0; u < MANY; ++u) load_line_if(e.q[u] != NONE, a.val + e.index[u], e.v[u]);
    }

    // What was put into the tile of a row.
    struct Near {
        uint32_t entries;
        uint32_t columns[3];  // in which ones, a bit each
    };
    // Puts what is near the rows into the tile, from the last step back, as long as one has any of it. `origin` is the position
    // that the tile's first own column would be of in the row's run. Own columns get what `factor_of` makes of an entry. What all
    // lanes of the row have put there.
    template <class F>
    __device__ __forceinline__ Near put_near(const Tile<T> &tile, uint32_t origin, const F &factor_of) const {
        const Steps s = steps({0, end - begin});
        Near near = {};
        bool goes_on = true;
#pragma unroll 1
        for (uint32_t step = s.number; step-- > 0 && goes_on;) {
            Entries e = find(s, step);
            load_values(e);
            goes_on = false;
#pragma unroll
            for (int u = 0; u < MANY; ++u) {
                bool is_near = e.q[u] >= near_from && e.q[u] != NONE;
                if (!__any_sync(FULL, is_near)) continue;
                goes_on = true;
                uint32_t column = e.q[u] - origin + WINDOW, bit = is_near ? 1u << column % WARP : 0;
                T v = -conjugate_if(a.conjugate, e.v[u]);
                tile.put_if(is_near, column, row, column >= WINDOW ? factor_of(is_near && column >= WINDOW, v) : v);
                near.entries += is_near;
#pragma unroll
                for (uint32_t third = 0; third < 3; ++third) near.columns[third] |= column / WARP == third ? bit : 0;
            }
        }
#pragma unroll
        for (uint32_t by = 1; by < LANES; by *= 2) {
            near.entries += __shfl_xor_sync(FULL, near.entries, by);
#pragma unroll
            for (uint32_t third = 0; third < 3; ++third) near.columns[third] |= __shfl_xor_sync(FULL, near.columns[third], by);
        }
        return near;
    }

    // The sum over what is far of the span, times the unknowns, in all lanes of a row. How many entries of the lane that were. `ok` is
    // false in the end if the watchdog ended a wait.
    __device__ __forceinline__ uint32_t sum_far(const Span &span, T &sum, bool &ok) const {
        const Steps s = steps(span);
        // Of a part, which is the lane's number modulo PARTS: its next step, its end, and the unknown that it waits for.
        uint32_t part = threadIdx.x % PARTS, step = s.number * part / PARTS, last = s.number * (part + 1) / PARTS, awaited = NONE;
        T sums[PARTS];
#pragma unroll
        for (uint32_t k = 0; k < PARTS; ++k) sums[k] = zero(T{});
        auto parts = [&](bool yes) { return __ballot_sync(FULL, yes) & ((1u << PARTS) - 1); };
        uint32_t entries = 0, held = NONE;  // the step that `e` is of
        Entries e;
#pragma unroll 1
        while (uint32_t open = parts(step < last)) {
            uint32_t ready = open & parts(awaited == NONE);
            if (ready == 0) {
                Words<T> x = step < last ? Words<T>::sentinel() : Words<T>::of_zero();
                ok = spin(a, [&] {
                    poll(work + awaited, x);
                    ready = open & parts(!x.is_sentinel());
                    if (ready == 0) rest(SHORT_REST);
                    return ready == 0;
                }) && ok;
                if (!ok) ready = open;
                if (ready >> part & 1u) awaited = NONE;
            }
            uint32_t is_held = ready & parts(step == held);
            uint32_t taken = __ffs(is_held ? is_held : ready) - 1;
            uint32_t now = __shfl_sync(FULL, step, taken), until = __shfl_sync(FULL, last, taken);
            if (!is_held) {
                e = find(s, now);
                load_values(e);
            }
            T own = zero(T{});
#pragma unroll
            for (uint32_t k = 0; k < PARTS; ++k)
                if (k == taken) own = sums[k];
            uint32_t missing = 0;
#pragma unroll 1
            while (now < until) {
                Words<T> x[MANY];
#pragma unroll
                for (int u = 0; u < MANY; ++u) {
                    x[u] = Words<T>::of_zero();
                    read_if(e.q[u] < near_from, work + e.q[u], x[u]);
                }
                // The next ones are on their way meanwhile.
                Entries next = find(s, now + 1);
                if (!a.row_permuted) load_values(next);
                auto is_missing = [&] {
                    uint32_t highest = 0;
#pragma unroll
                    for (int u = 0; u < MANY; ++u) highest = max(highest, x[u].flag());
                    return highest == SENTINEL;
                };
                bool waits = __any_sync(FULL, is_missing()) && ok;
                if (waits) {
#pragma unroll
                    for (int u = 0; u < MANY; ++u) missing = max(missing, x[u].is_sentinel() ? e.q[u] + 1 : 0);
                    missing = uniform(missing);
                    break;
                }
                if (a.row_permuted) load_values(next);
#pragma unroll
                for (int u = 0; u < MANY; ++u) {
                    bool is_far = e.q[u] < near_from;
                    multiply_add_if(is_far, conjugate_if(a.conjugate, e.v[u]), x[u].value(), own, own);
                    entries += is_far;
                }
                e = next;
                ++now;
            }
            held = now;
#pragma unroll
            for (uint32_t k = 0; k < PARTS; ++k)
                if (k == taken) sums[k] = own;
            if (part == taken) {
                step = now;
                awaited = missing - 1;  // NONE if none is missing
            }
        }
#pragma unroll
        for (uint32_t k = 1; k < PARTS; ++k) sums[0] = sums[0] + sums[k];
#pragma unroll
        for (uint32_t by = 1; by < LANES; by *= 2) sums[0] = sums[0] + shuffle_xor(sums[0], by);
        sum = sums[0];
        return entries;
    }
};
