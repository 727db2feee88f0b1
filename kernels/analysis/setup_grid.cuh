// Setup: levels of grids in natural order, without a sweep.
//
// From unknown to unknown of a line the level rises by one, from line to line of a plane by some step, and from plane to
// plane by another; the steps are what the first unknown of the second line, and of the second plane, say. These levels
// are a guess. Where each row's is one above the highest of what it depends on, or zero where that is nothing, they are
// the levels: nothing else fulfils that, by induction along the solving order. So all rows are looked at at once, and
// only if some row refutes the guess the sweep goes from row to row.
#pragma once
#include "setup.cuh"
#include "shared/tuning.h"

// Rows of op(A): where the entries of the unknown at position t are.
template <class I>
struct StoredRows {
    static constexpr int PIECES = OF_MAJORS;
    using index = I;
    const SetupArgs &a;
    __device__ const I *entries() const { return (const I *)a.ind; }
    __device__ uint32_t base() const { return a.base; }
    __device__ uint2 span(uint32_t i) const { return Stored<I>{a}.span(i); }
};
struct TransposedRows {
    static constexpr int PIECES = OF_LISTS;
    // The value index in front of each major is read along: an entry is eight bytes.
    struct index {
        uint32_t value, major;
        __device__ operator uint32_t() const { return major; }
    };
    const SetupArgs &a;
    __device__ const index *entries() const { return (const index *)a.list; }
    __device__ uint32_t base() const { return 0; }
    __device__ uint2 span(uint32_t i) const { return Transposed{a}.span(i); }
};

// Instantiates a kernel for each of them.
#define FOR_EACH_ROWS(INSTANTIATE) \
    INSTANTIATE(i, StoredRows<int32_t>) INSTANTIATE(l, StoredRows<int64_t>) INSTANTIATE(transposed, TransposedRows)

// The shape of a grid, by the rules of src/analysis/lines.rs: positions of a line and of a plane, or 0 where there are none.
struct Grid {
    const SetupArgs &a;
    uint32_t line, plane, line_step, plane_step;

    __device__ explicit Grid(const SetupArgs &args) : a(args) {
        uint32_t lines = a.n - Min()(a.n, a.summary->next_to_diagonal), apart = a.summary->apart;
        line = lines > 1 && a.n % lines == 0 && a.n / lines >= SHORTEST_LINE ? a.n / lines : 0;
        plane = apart != 0 && a.n % ~apart == 0 ? ~apart : a.n;
        line_step = a.summary->line_step;
        plane_step = a.summary->plane_step;
    }
    // A line: its plane, its number there, and where both begin.
    struct Line {
        uint32_t z, y, plane_begin, begin;
    };
    __device__ Line line_of(uint32_t t) const {
        uint32_t z = t / plane, y = (t - z * plane) / line;
        return {z, y, z * plane, z * plane + y * line};
    }
    // The same for a position that most likely is in that line or beside it, or so in the plane before.
    __device__ Line line_of(uint32_t t, Line l) const {
        if (t < l.plane_begin) l = {l.z - 1, l.y, l.plane_begin - plane, l.begin - plane};
        if (t < l.begin) l = {l.z, l.y - 1, l.plane_begin, l.begin - line};
        else if (t - l.begin >= line) l = {l.z, l.y + 1, l.plane_begin, l.begin + line};
        return t - l.plane_begin < plane && t - l.begin < line ? l : line_of(t);
    }
    // The guess for a position of a line; modulo 2^32, which no level exceeds.
    __device__ uint32_t level(uint32_t t, const Line &l) const { return t - l.begin + l.y * line_step + l.z * plane_step; }
    __device__ uint32_t level(uint32_t t) const { return level(t, line_of(t)); }
    // By how many lines for each plane 3-D blocks must be skewed, as a line depends on another; 2 is too many.
    __device__ static uint32_t skew(const Line &l, const Line &other) {
        return other.y <= l.y ? 0 : other.y - l.y <= l.z - other.z ? 1 : 2;
    }
    // The 3-D block of a position. src/analysis/blocks_3d.rs explains 3-D blocks.
    __device__ uint32_t block_3d(uint32_t t) const {
        Line l = line_of(t);
        return l.z / a.block_3d_planes * a.blocks_3d + (l.y + a.skew * l.z) / a.block_3d_lines;
    }
};

// Calls `visit(q)` for the positions that position `t` depends on, those of a member of its team, four of them at once; t
// itself stands for none.
template <class Rows, class Team, class Visit>
__device__ __forceinline__ void each_dependency(const SetupArgs &a, const Rows &rows, uint32_t t, uint2 span,
                                                const Team &team, const Visit &visit) {
    auto ind = rows.entries();
    uint32_t past = team.end(span.y);
    for (uint32_t k = team.begin(); k < past; k += 4 * team.size) {
        uint32_t q[4];
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            uint32_t e = k + u * team.size;
            q[u] = e < past ? Min()(natural_position(a, (uint32_t)ind[span.x + e] - rows.base()), t) : t;
        }
        visit(q);
    }
}

// Where a tile begins.
__device__ __forceinline__ uint32_t tile_begin(const SetupArgs &a, uint32_t tile) {
    return a.blocks_3d ? a.block_3d_begin[tile] : tile * a.tile;
}

// Where planes begin.
template <class I>
__device__ void find_planes(const SetupArgs &a) {
    uint32_t line = Grid(a).line;
    if (!line) return;
    Stored<I> source{a};
    uint32_t lines = a.n / line;
    for (uint32_t k = thread_index() + 1; k < lines; k += gridDim.x * blockDim.x) {
        uint32_t begin = k * line, i = a.low ? begin : a.n - 1 - begin, nearest = NONE;
        uint2 span = source.span(i);
        for (uint32_t e = span.x; e < span.x + span.y; ++e) {
            uint32_t j, value;
            if (source.entry(i, e, j, value)) nearest = Min()(nearest, j < i ? i - j : j - i);
        }
        // Reads it first: almost always an earlier one is known already.
        if (nearest > line + line / 2 && load_relaxed(&a.summary->apart) < ~begin) atomicMax(&a.summary->apart, ~begin);
    }
}

// One warp: the steps.
template <class Rows>
__device__ void find_steps(const SetupArgs &a, const Rows &rows) {
    Grid grid(a);
    if (!grid.line) return;
    auto ind = rows.entries();
    // One above the highest level that the row of a position depends on.
    auto above = [&](uint32_t t) {
        uint2 span = rows.span(natural_position(a, t));
        uint32_t top = 0;
        for (uint32_t k = threadIdx.x; k < span.y; k += 32) {
            uint32_t q = natural_position(a, (uint32_t)ind[span.x + k] - rows.base());
            if (q < t) top = Max()(top, grid.level(q) + 1);
        }
        return Lanes(32).reduce(top, Max());
    };
    grid.line_step = above(grid.line);
    if (grid.plane < a.n) grid.plane_step = above(grid.plane);
    if (threadIdx.x != 0) return;
    a.summary->line_step = grid.line_step;
    a.summary->plane_step = grid.plane_step;
}

// Whether the guess is right.
template <class Rows>
struct Guess {
    static constexpr int PIECES = Rows::PIECES;
    const SetupArgs &a;
    Rows rows;
    Grid grid;
    uint32_t skew = 0;     // that this thread has seen
    bool refuted = false;  // by a row that it has led

    __device__ uint2 span(uint32_t t) const { return rows.span(natural_position(a, t)); }
    __device__ uint32_t number(uint32_t i) const { return natural_position(a, i); }
    template <class Team>
    __device__ void visit(uint32_t t, uint2 span, const Team &team) {
        uint32_t top[] = {0};
        Grid::Line own = grid.line_of(t);
        each_dependency(a, rows, t, span, team, [&](const uint32_t (&positions)[4]) {
#pragma unroll
            for (uint32_t q : positions) {
                Grid::Line line = grid.line_of(q, own);
                top[0] = Max()(top[0], q < t ? grid.level(q, line) + 1 : 0);
                skew = Max()(skew, grid.skew(own, line));
            }
        });
        if (add_up_row<0>(team, top)) refuted |= top[0] != grid.level(t, own);
    }
};

template <class Rows>
__device__ void check_guess(const SetupArgs &a, const Rows &rows) {
    __shared__ uint32_t scratch[32];
    Guess<Rows> guess{a, rows, Grid(a)};
    if (!guess.grid.line) return;
    each_row(a, a.n, guess);
    if (__syncthreads_or(guess.refuted) && threadIdx.x == 0) a.summary->uneven = 1;
    uint32_t skew = Block(scratch).reduce(guess.skew, Max());
    if (threadIdx.x == 0 && skew > load_relaxed(&a.summary->skew)) atomicMax(&a.summary->skew, skew);
}

#define PLANES(i, I) \
    SETUP_KERNEL(setup_planes_##i, 256) { find_planes<I>(a); }
FOR_EACH_INDEX(PLANES)

#define GUESS(name, ROWS)                                            \
    SETUP_KERNEL(setup_steps_##name, 32) { find_steps(a, ROWS{a}); } \
    SETUP_KERNEL(setup_guess_##name, TEAM_BLOCK) { check_guess(a, ROWS{a}); }
FOR_EACH_ROWS(GUESS)
