// Setup: the order by strips, by the rule of src/analysis/strips.rs.
#pragma once
#include "setup.cuh"

// Of each unknown, its rank in its level in solving order, and from the other end. `value_in` holds the unknowns by level.
extern "C" __global__ void __launch_bounds__(256) setup_strip_ranks(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t level = a.level_of[p];
    uint2 rank = make_uint2(p - a.level_ptr[level], a.level_ptr[level + 1] - 1 - p);
    a.ranks[((const uint32_t *)a.value_in)[p]] = a.forward ? rank : make_uint2(rank.y, rank.x);
}

// How much the shifts grow from the level before to each level, into `scan_out`, which is zero at the beginning: `count`
// words for ranks in solving order, and as many for those from the other end.
template <bool BY_ROWS, class I>
struct Shifts {
    Stored<I> source;

    __device__ uint2 span(uint32_t i) const { return source.span(i); }
    // By how much a row's ranks are below those of what it depends on.
    static __device__ uint2 below(uint2 row, uint2 other) {
        return make_uint2(other.x > row.x ? other.x - row.x : 0, other.y > row.y ? other.y - row.y : 0);
    }
    // Looks first: almost always as much is known already, and the unknowns of a level share a word.
    __device__ void grow(uint32_t row, uint2 by) const {
        const SetupArgs &a = source.a;
        if ((by.x | by.y) == 0) return;
        uint32_t *shift = &a.scan_out[a.word[turn_of(a, row)] - 1];
        if (by.x != 0 && load_relaxed(shift) < by.x) atomicMax(shift, by.x);
        shift += a.count;
        if (by.y != 0 && load_relaxed(shift) < by.y) atomicMax(shift, by.y);
    }
    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        const SetupArgs &a = source.a;
        uint2 own = a.ranks[i], most = make_uint2(0, 0);
        for (uint32_t k = team.rank; k < span.y; k += team.size) {
            uint32_t j, e;
            if (!source.entry(i, span.x + k, j, e)) continue;
            if (BY_ROWS) {
                uint2 by = below(own, a.ranks[j]);
                most = make_uint2(Max()(most.x, by.x), Max()(most.y, by.y));
            } else {
                grow(j, below(a.ranks[j], own));
            }
        }
        if (!BY_ROWS) return;
        most.x = team.reduce(most.x, Max());
        most.y = team.reduce(most.y, Max());
        if (team.rank == 0) grow(i, most);
    }
};

#define SHIFTS(i, I)                                                                                              \
    extern "C" __global__ void __launch_bounds__(TEAM_BLOCK) setup_strip_shifts_##i(const GRID_CONSTANT SetupArgs a) { \
        walk(a, Shifts<true, I>{{a}});                                                                            \
    }                                                                                                             \
    extern "C" __global__ void __launch_bounds__(TEAM_BLOCK)                                                      \
        setup_strip_shifts_transposed_##i(const GRID_CONSTANT SetupArgs a) {                                      \
        walk(a, Shifts<false, I>{{a}});                                                                           \
    }
FOR_EACH_INDEX(SHIFTS)

// Keys for the sort by place, the unknowns, and the largest place, by ranks of that kind by which shifts grow less.
// `bounds` holds the sums of what shifts grow by, before each level and both kinds.
extern "C" __global__ void __launch_bounds__(256) setup_strip_keys(const GRID_CONSTANT SetupArgs a) {
    __shared__ uint32_t scratch[32];
    uint32_t p = thread_index(), place = 0;
    if (a.summary->bad) return;
    if (p < a.n) {
        uint32_t i = ((const uint32_t *)a.value_in)[p], l = a.level_of[p] + 1;
        uint32_t rising = a.bounds[a.count], falling = a.bounds[2 * a.count] - rising;
        uint2 rank = a.ranks[i];
        place = falling < rising ? rank.y + (a.bounds[a.count + l] - rising) : rank.x + a.bounds[l];
        a.key_out[p] = place;
        ((uint32_t *)a.value_out)[p] = i;
    }
    place = Block(scratch).reduce(place, Max());
    if (threadIdx.x == 0 && load_relaxed(&a.summary->largest_place) < place) atomicMax(&a.summary->largest_place, place);
}

// The turn of each unknown of the order in `value_in`, and the least and largest level of every span of turns.
extern "C" __global__ void __launch_bounds__(256) setup_strip_turns(const GRID_CONSTANT SetupArgs a) {
    if (a.summary->bad) return;
    each_span(a, [&](uint32_t t) {
        uint32_t i = ((const uint32_t *)a.value_in)[t];
        a.position[i] = t;
        return a.word[turn_of(a, i)] - 1;
    });
}
