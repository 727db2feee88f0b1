// Panels: 32 consecutive positions that a warp solves together, a row a lane, by blocks as in Golub and Van Loan, Matrix
// Computations, 3.1. What the rows depend on is of three kinds, by its distance:
//
//   far:    all lanes read a row's entries beside each other, the oldest unknowns first, and are summed up;
//   window: unknowns of the two panels before, some columns at a time as they become known;
//   own:    the triangle of the panel itself, four rows at a time, which are divided by their diagonals beforehand. What is left
//           of the four right-hand sides goes to all lanes by shuffles. Each lane solves for the four unknowns by itself, and
//           subtracts their share of its own row: so from four rows to the next four there are a shuffle and four multiply-adds.
//
// For the last two the entries are put into a tile of columns in shared memory beforehand. `Exchange` says how unknowns reach a
// warp.
#pragma once
#include "device/columns.cuh"
#include "device/row.cuh"

constexpr uint32_t WINDOW = 64;  // positions before a panel that its tile has columns for
// Rows whose entries are looked at together.
template <class T>
constexpr int TOGETHER = sizeof(T) > 8 ? 4 : 8;
constexpr int GROUP = 4;  // rows of a triangle that are solved at a time

// The columns of a tile: 64 of the window, and 32 below the diagonal, of which two share 32 places. Where a row is in a column
// is such that neither lanes that are rows nor lanes that are columns meet in a bank.
template <class T>
struct Tile {
    static constexpr uint32_t PLACES = (WINDOW + WARP / 2) * WARP;
    T *values;

    static __device__ __forceinline__ uint32_t place(uint32_t column, uint32_t row) {
        uint32_t j = column % WARP, of_pair = WINDOW + min(j, WARP - 1 - j);
        return (column < WINDOW ? column : of_pair) * WARP + ((row ^ j) % WARP);
    }
    __device__ __forceinline__ void clear() const {
        constexpr uint32_t PIECES = PLACES * sizeof(T) / sizeof(uint4);
#pragma unroll 4
        for (uint32_t k = threadIdx.x % WARP; k < PIECES; k += WARP)
            reinterpret_cast<uint4 *>(values)[k] = make_uint4(SENTINEL, SENTINEL, SENTINEL, SENTINEL);
        __syncwarp();
    }
    // Fills it from a column on with zeros, which may be the first one or the first own one.
    __device__ __forceinline__ void clear_by_block(uint32_t first) const {
        constexpr uint32_t PIECES = PLACES * sizeof(T) / sizeof(uint4), OF_COLUMN = WARP * sizeof(T) / sizeof(uint4);
        for (uint32_t k = first * OF_COLUMN + threadIdx.x; k < PIECES; k += blockDim.x)
            reinterpret_cast<uint4 *>(values)[k] = make_uint4(0, 0, 0, 0);
    }
    __device__ __forceinline__ void put_if(bool yes, uint32_t column, uint32_t row, T v) const {
        publish_shared_if(yes, shared_address(values) + place(column, row) * (uint32_t)sizeof(T), v);
    }
    // What a row has in a column, or zero; and whether it has an entry there.
    __device__ __forceinline__ T get(uint32_t column, uint32_t row, bool &is_in) const {
        T v = values[place(column, row)];
        is_in = !is_absent(v);
        return is_in ? v : zero(T{});
    }
    // Makes of what the lane's row has in a third of the columns, and of zeros where it has no entry, what `f` does. How many
    // entries it has there.
    template <class F>
    __device__ __forceinline__ uint32_t fill_third(uint32_t third, const F &f) const {
        constexpr uint32_t MANY = 16;
        uint32_t entries = 0, lane = threadIdx.x % WARP, columns = third < WINDOW / WARP ? WARP : lane;
#pragma unroll 1
        for (uint32_t j = 0; j < WARP; j += MANY) {
            T v[MANY];
            bool is_in[MANY];
#pragma unroll
            for (uint32_t k = 0; k < MANY; ++k) v[k] = get(third * WARP + j + k, lane, is_in[k]);
#pragma unroll
            for (uint32_t k = 0; k < MANY; ++k) {
                bool is_own = j + k < columns;
                entries += is_in[k] & is_own;
                put_if(is_own, third * WARP + j + k, lane, f(is_own ? v[k] : zero(T{})));
            }
        }
        return entries;
    }
};

// The rows of a panel: which entries each lane's has, and where the first one's value lies. With RUNS they may be of several runs
// of consecutive positions, and only those that are solved by their entries are asked for; else they are one.
template <class T, class Exchange, bool RUNS = false>
struct Panel {
    static constexpr int MANY = TOGETHER<T>;
    const SolveArgs<T> &a;
    const Exchange &exchange;
    const T *work;
    Tile<T> tile;
    uint32_t position;         // of the lane's row, or NONE
    uint32_t base;             // the first position, where the panel has a window
    uint32_t near_from;        // unknowns from this position on are near the lane's row
    uint32_t begin, end, first_value;

    // Rows are walked 32 entries at a time, so that the last ones, which mostly depend on the youngest unknowns, are walked
    // together.
    struct Walk {
        uint32_t all;      // steps, times 32
        uint32_t missing;  // before the lane's row begins
        uint32_t origin, value_origin, step;  // the entry that would be the first of the first step, where its value is, and to the next one
    };
    // Of all entries but so many of the last ones.
    __device__ __forceinline__ Walk walk(uint32_t without) const {
        uint32_t length = end - begin - without;
        uint32_t all = (uniform(length) + WARP - 1) / WARP * WARP, missing = all - length;
        uint32_t origin = a.backward ? end - 1 + missing : begin - missing;
        return {all, missing, origin, origin + (first_value - begin), a.backward ? ~0u : 1u};
    }
    // An entry each of some rows, of a lane; which rows have one, a bit each.
    struct Entries {
        uint32_t in, q[MANY];
        T v[MANY];
    };
    // The k-th from the origin, of rows from number `first` on. A lane without one has zero for its value. All lanes take part in
    // the shuffles, whatever they find.
    __device__ __forceinline__ Entries load(const Walk &w, uint32_t k, uint32_t first) const {
        Entries e;
        uint32_t index[MANY];
        e.in = 0;
#pragma unroll
        for (int u = 0; u < MANY; ++u) {
            bool is_in = k >= __shfl_sync(FULL, w.missing, first + u) && k < w.all;
            uint32_t at = __shfl_sync(FULL, w.origin, first + u) + w.step * k;
            index[u] = __shfl_sync(FULL, w.value_origin, first + u) + w.step * k;
            e.in |= (uint32_t)is_in << u;
            at = is_in ? at : 0u;
            e.q[u] = a.row_adj[at];
            if (a.row_permuted) index[u] = a.row_val[at];
        }
#pragma unroll
        for (int u = 0; u < MANY; ++u) load_line_if(e.in >> u & 1u, a.val + index[u], e.v[u]);
        return e;
    }
    // Which of them are far.
    __device__ __forceinline__ uint32_t far_ones(const Entries &e) const {
        uint32_t is_far = 0;
#pragma unroll
        for (int u = 0; u < MANY; ++u) is_far |= (e.in >> u & 1u && e.q[u] < near_from ? 1u : 0u) << u;
        return is_far;
    }
    // Of what each lane has of some rows the sum over the lanes, of a row in WARP / ROWS lanes beside each other.
    template <int ROWS>
    static __device__ __forceinline__ T of_row(const T (&part)[ROWS]) {
        if constexpr (ROWS == 1) {
            return part[0];
        } else {
            constexpr int HALF = ROWS / 2, BY = WARP / MANY * HALF;
            bool upper = threadIdx.x & BY;
            T rest[HALF];
#pragma unroll
            for (int r = 0; r < HALF; ++r) {
                T sent = upper ? part[r] : part[r + HALF];
                rest[r] = (upper ? part[r + HALF] : part[r]) + shuffle_xor(sent, BY);
            }
            return of_row<HALF>(rest);
        }
    }

    // Waits, as a whole warp, for the unknown at `q`, of which `x` is known, at rest between polls, so that the warps that are about
    // to publish are not disturbed. False if the watchdog ended the wait.
    __device__ __forceinline__ bool rest_until(uint32_t q, Words<T> x) const {
        return spin(a, [&] {
            exchange.poll(q, x);
            bool waits = x.is_sentinel();
            if (__any_sync(FULL, waits)) rest(SHORT_REST);
            return waits;
        });
    }

    // Puts what is not far into the tile, from the last step on to the first, or as long as one has any of it. How many entries of
    // the lane's that were.
    __device__ __forceinline__ uint32_t put_near(bool to_the_first) const {
        Walk w = walk(0);
        uint32_t lane = threadIdx.x % WARP, entries = 0;
        bool goes_on = true;
#pragma unroll 1
        for (uint32_t left = w.all; left > 0 && goes_on; left -= WARP) {
            goes_on = to_the_first;
            // The next rows' entries are on their way while some are worked on.
            Entries next = load(w, left - WARP + lane, 0);
#pragma unroll 1
            for (uint32_t first = 0; first < WARP; first += MANY) {
                Entries e = next;
                next = load(w, first + MANY < WARP ? left - WARP + lane : ~0u, (first + MANY) % WARP);
                uint32_t is_near = e.in & ~far_ones(e);
                if (!__any_sync(FULL, is_near != 0)) continue;
                goes_on = true;
                entries += __popc(is_near);
#pragma unroll
                for (int u = 0; u < MANY; ++u)
                    tile.put_if(is_near >> u & 1u, e.q[u] - base + WINDOW, first + u, -conjugate_if(a.conjugate, e.v[u]));
            }
        }
        __syncwarp();
        return entries;
    }
    // Subtracts what is far from the sum of each lane's row. How many entries of the lane's that was. `ok` is false in the end if the
    // watchdog ended a wait.
    __device__ __forceinline__ uint32_t subtract_far(const Walk &w, T &sum, bool &ok) const {
        uint32_t lane = threadIdx.x % WARP, entries = 0, first = 0, k = lane;
        if (w.all == 0) return 0;
        Entries next = load(w, k, first);
#pragma unroll 1
        for (uint32_t pieces = w.all / MANY; pieces > 0; --pieces) {
            Entries e = next;
            uint32_t rows = first;
            first += MANY;
            if (first == WARP) {
                first = 0;
                k += WARP;
            }
            next = load(w, k, first);
            uint32_t is_far = far_ones(e), youngest = 0;
#pragma unroll
            for (int u = 0; u < MANY; ++u) youngest = max(youngest, is_far >> u & 1u ? e.q[u] + 1 : 0);
            youngest = uniform(youngest);
            if (youngest == 0) continue;
            entries += __popc(is_far);
            Words<T> x[MANY];
            auto are_missing = [&] {
                uint32_t highest = 0;
#pragma unroll
                for (int u = 0; u < MANY; ++u) exchange.poll(e.q[u], x[u]);
#pragma unroll
                for (int u = 0; u < MANY; ++u) highest = max(highest, x[u].flag());
                return highest == SENTINEL;
            };
            // A poll disturbs those that are to publish next.
            ok = rest_until(youngest - 1, exchange.expected(work, true, youngest - 1)) && ok;
#pragma unroll
            for (int u = 0; u < MANY; ++u) x[u] = exchange.expected(work, is_far >> u & 1u, e.q[u]);
            ok = spin(a, are_missing) && ok;
            T part[MANY];
#pragma unroll
            for (int u = 0; u < MANY; ++u) {
                part[u] = zero(T{});
                multiply_add_if(is_far >> u & 1u, -conjugate_if(a.conjugate, e.v[u]), x[u].value(), part[u], part[u]);
            }
            constexpr int SHIFT = MANY == 8 ? 2 : 3;
            T of_own = shuffle(warp_sum_all(of_row<MANY>(part), SHIFT), lane % MANY << SHIFT);
            if (lane / MANY == rows / MANY) sum = sum + of_own;
        }
        return entries;
    }

    // Subtracts one half of the window, some columns at a time as soon as they are known, by two sums, so that half as many
    // are one behind the other. Each lane polls one unknown, if the bit of its column says that it is wanted. False if one is not finite, which a zero in the tile must not
    // be multiplied by, or if the watchdog ended the wait.
    __device__ __forceinline__ bool subtract_half(uint32_t half, uint32_t wanted, T &sum) const {
        uint32_t lane = threadIdx.x % WARP, there = 0;
        T sums[2] = {sum, zero(T{})};
        Words<T> x = wanted >> lane & 1u ? Words<T>::sentinel() : Words<T>::of_zero();
        uint32_t first = base - WINDOW + half * WARP, q = first + lane;
        bool ok = true;
        // As long as none is known this warp is not the next to solve.
        if (half == 0) ok = rest_until(first + __ffs(wanted) - 1, Words<T>::sentinel());
#pragma unroll
        for (uint32_t j = 0; j < WARP; j += GROUP) {
            constexpr uint32_t OF_GROUP = (1u << GROUP) - 1;
            T t[GROUP];
#pragma unroll
            for (uint32_t g = 0; g < GROUP; ++g) t[g] = tile.values[half * WARP * WARP + Tile<T>::place(j + g, lane)];
            if (~there & OF_GROUP << j)
                ok = spin(a, [&] {
                    exchange.poll(q, x);
                    there = __ballot_sync(FULL, !x.is_sentinel());
                    return (~there & OF_GROUP << j) != 0;
                }) && ok;
#pragma unroll
            for (uint32_t g = 0; g < GROUP; ++g) sums[g % 2] = multiply_add(t[g], shuffle(x.value(), j + g), sums[g % 2]);
        }
        sum = sums[0] + sums[1];
        return __all_sync(FULL, ok && magnitude(x.value()) < NOT_FINITE<T>);
    }

    // Solves for the rows from one on, one after the other, by their entries, with all lanes for each; `sum` is what was left when
    // all that is far was subtracted. For what the other ways are not for: entries in the same place, diagonals that must be
    // divided by, unknowns that are not finite.
    template <class Divide, class Publish>
    __device__ __forceinline__ void solve_by_entries(uint32_t first, T sum, T &x, const Divide &divide, const Publish &publish_unknown) const {
        uint32_t lane = threadIdx.x % WARP;
        // What has been published.
        Words<T> before = Words<T>::sentinel();
        if (lane < first && position != NONE) exchange.poll(position, before);
        x = before.value();
#pragma unroll 1
        for (uint32_t row = uniform(first); row < WARP; ++row) {
            uint32_t from = __shfl_sync(FULL, begin, row), until = __shfl_sync(FULL, end, row);
            uint32_t value_from = __shfl_sync(FULL, first_value, row);
            uint32_t near = RUNS ? __shfl_sync(FULL, near_from, row) : near_from;
            T part = zero(T{});
            bool ok = true;
#pragma unroll 1
            for (uint32_t k = from; k < until; k += WARP) {
                uint32_t e = min(k + lane, until - 1), q = a.row_adj[e];
                bool is_near = k + lane < until && q >= near;
                T v;
                load_if(is_near, a.val + (a.row_permuted ? a.row_val[e] : e - from + value_from), v);
                Words<T> known = exchange.expected(work, is_near, q);
                ok = spin(a, [&] {
                    exchange.poll(q, known);
                    return known.is_sentinel();
                }) && ok;
                multiply_add_if(is_near, -conjugate_if(a.conjugate, v), known.value(), part, part);
            }
            part = warp_sum_all(part, 5);
            if (lane == row) x = ok ? divide(sum + part) : not_a_number(T{});
            publish_unknown(lane == row, x);
            __syncwarp();
        }
    }
};

// The triangle of a panel, a row a lane, over the diagonal.
template <class T>
struct Triangle {
    T factor[WARP - 1];  // zero where there is no entry

    __device__ __forceinline__ void load(const Tile<T> &tile) {
        uint32_t lane = threadIdx.x % WARP;
#pragma unroll
        for (uint32_t j = 0; j < WARP - 1; ++j) {
            T v = tile.values[Tile<T>::place(WINDOW + j, lane)];
            factor[j] = j < lane ? v : zero(T{});
        }
    }
    // Puts the factors of a row's own group where all lanes will look for them, in place of the first half of the window.
    static __device__ __forceinline__ void show_groups(const Tile<T> &tile) {
        uint32_t lane = threadIdx.x % WARP, first = lane & ~(GROUP - 1u);
        __syncwarp();
#pragma unroll
        for (uint32_t v = 0; v < GROUP - 1; ++v)
            if (first + v < lane) tile.values[lane * GROUP + v] = tile.values[Tile<T>::place(WINDOW + first + v, lane)];
        __syncwarp();
    }
    // Solves for the unknown, where `sum` over the diagonal is left of a row's right-hand side, and publishes it by
    // `publish_unknown`, if it is to be published in that moment. An unknown that is not finite must not be multiplied by a zero
    // factor: the first row of its group, from which on none has been published; or 32.
    template <class Publish>
    __device__ __forceinline__ uint32_t solve(const Tile<T> &tile, T sum, T &x, const Publish &publish_unknown) const {
        uint32_t highest = 0, own_group = threadIdx.x % WARP / GROUP, solved = 0;
        T of_group[GROUP][GROUP];
        auto load_group = [&](uint32_t j) {
#pragma unroll
            for (uint32_t u = 1; u < GROUP; ++u)
#pragma unroll
                for (uint32_t v = 0; v < u; ++v) of_group[u][v] = tile.values[(j + u) * GROUP + v];
        };
        load_group(0);
        bool publishes = false;
#pragma unroll
        for (uint32_t j = 0; j < WARP; j += GROUP) {
            T known[GROUP], before = sum;
#pragma unroll
            for (uint32_t u = 0; u < GROUP; ++u) known[u] = shuffle(sum, j + u);
            // While these are on their way the group before is published, and the next one's factors come.
            if (j > 0) publish_unknown(publishes, before);
#pragma unroll
            for (uint32_t u = 1; u < GROUP; ++u)
#pragma unroll
                for (uint32_t v = 0; v < u; ++v) known[u] = multiply_add(of_group[u][v], known[v], known[u]);
            if (j + GROUP < WARP) load_group(j + GROUP);
#pragma unroll
            for (uint32_t u = 0; u < GROUP; ++u) {
                if (j + u < WARP - 1) sum = multiply_add(factor[j + u], known[u], sum);
                highest = max(highest, magnitude(known[u]));
            }
            publishes = own_group == j / GROUP && highest < NOT_FINITE<T>;
            solved += highest < NOT_FINITE<T> ? GROUP : 0;
        }
        publish_unknown(publishes, sum);
        x = sum;
        return uniform(solved);
    }
};

