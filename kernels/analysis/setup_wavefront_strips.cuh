// Setup: the order by wavefront strips, which src/analysis/wavefront_strips.rs explains.
#pragma once
#include "setup.cuh"

// Of each unknown, its rank in its level in solving order, and from the other end. `value_in` holds the unknowns by level.
SETUP_KERNEL(setup_wavefront_ranks, 256) {
    uint32_t p = thread_index();
    if (p >= a.n) return;
    uint32_t level = a.level_of[p];
    uint2 rank = make_uint2(p - a.level_ptr[level], a.level_ptr[level + 1] - 1 - p);
    a.ranks[((const uint32_t *)a.value_in)[p]] = a.forward ? rank : make_uint2(rank.y, rank.x);
}

// How much the shifts grow from the level before to each level, into `scan_out`, which is zero at the beginning: `count`
// words for ranks in solving order, and as many for those from the other end. By rows of op(A).
template <class Source>
struct Shifts : OverRows<Source> {
    using OverRows<Source>::source;

    // Reads it first: almost always as much is known already, and the unknowns of a level share a word.
    static __device__ void grow(uint32_t *shift, uint32_t by) {
        if (by != 0 && load_relaxed(shift) < by) atomicMax(shift, by);
    }
    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        const SetupArgs &a = source.a;
        uint2 own = a.ranks[i];
        uint32_t by[] = {0, 0};  // by how much they are below those of what the row depends on
        each_entry(source, i, span, team, [&](const uint32_t (&unknowns)[4]) {
#pragma unroll
            for (uint32_t j : unknowns) {
                uint2 other = a.ranks[j];
                by[0] = Max()(by[0], other.x > own.x ? other.x - own.x : 0);
                by[1] = Max()(by[1], other.y > own.y ? other.y - own.y : 0);
            }
        });
        if (!add_up_row<0>(team, by)) return;
        uint32_t *shift = &a.scan_out[a.word[natural_position(a, i)] - 1];
        grow(shift, by[0]);
        grow(shift + a.count, by[1]);
    }
};

#define SHIFTS(name, SOURCE) \
    SETUP_KERNEL(setup_wavefront_shifts_##name, TEAM_BLOCK) { walk(a, Shifts<SOURCE>{{{a}}}); }
FOR_EACH_SOURCE(SHIFTS)

// Keys for the sort by place, the unknowns, and the largest place, by ranks of that kind by which shifts grow less.
// `bounds` holds the sums of what shifts grow by, before each level and both kinds.
SETUP_KERNEL(setup_wavefront_keys, 256) {
    __shared__ uint32_t scratch[32];
    uint32_t p = thread_index(), place = 0;
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

// The position of each unknown of the order in `value_in`, and the levels of every span of positions.
SETUP_KERNEL(setup_wavefront_positions, 256) {
    auto unknown = [&](uint32_t t) { return ((const uint32_t *)a.value_in)[t]; };
    each_span(a, [&](uint32_t t) { return a.word[natural_position(a, unknown(t))] - 1; },
              [&](uint32_t t, uint32_t) { a.position[unknown(t)] = t; });
}
