// Panels: 32 consecutive positions that a warp solves together, a row a lane, by blocks as in Golub and Van Loan, Matrix
// Computations, 3.1. What the rows depend on is of three kinds, by its distance:
//
//   far:    these are summed up, the oldest unknowns first;
//   window: unknowns of the two panels before, some columns at a time as they become known;
//   own:    the triangle of the panel itself, four rows at a time, which are divided by their diagonals beforehand. What is left
//           of the four right-hand sides goes to all lanes by shuffles. Each lane solves for the four unknowns by itself, and
//           subtracts their share of its own row: so from four rows to the next four there are a shuffle and four multiply-adds.
//
// For the last two the entries are put into a tile of columns in shared memory beforehand. `Exchange` says how unknowns reach a
// warp. PANEL and THIN walk along rows in their own ways (`walk.cuh`).
#pragma once
#include "device/columns.cuh"
#include "device/row.cuh"
#include "shared/tuning.h"

constexpr uint32_t WINDOW = NEAR;  // positions before a panel that its tile has columns for
// Entries that a lane looks at together.
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
    __device__ __forceinline__ void put_if(bool yes, uint32_t column, uint32_t row, T v) const {
        publish_shared_if(yes, shared_address(values) + place(column, row) * (uint32_t)sizeof(T), v);
    }
};

// The rows of a panel: which entries each lane's has, and where the first one's value lies. With RUNS they may be of several runs
// of consecutive positions; else they are one.
template <class T, class Exchange, bool RUNS = false>
struct Panel {
    const SolveArgs<T> &a;
    const Exchange &exchange;
    const T *work;
    Tile<T> tile;
    uint32_t position;         // of the lane's row, or NONE
    uint32_t base;             // the first position, where the panel has a window
    uint32_t near_from;        // unknowns from this position on are near the lane's row
    uint32_t begin, end, first_value;

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

    // Subtracts one half of the window, some columns at a time as soon as they are known, by two sums, so that half as many
    // are one behind the other. Each lane polls one unknown, if the bit of its column says that it is wanted. False if one is not
    // finite, which a zero in the tile must not be multiplied by, or if the watchdog ended the wait.
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

