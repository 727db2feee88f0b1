// Setup: the order by strips, by the rule of src/analysis/strips.rs.
#pragma once
#include "setup.cuh"

// Of each unknown, its rank in its level in solving order. `value_in` holds the unknowns by level.
extern "C" __global__ void __launch_bounds__(256) setup_strip_ranks(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t level = a.level_of[p];
    a.position[((const uint32_t *)a.value_in)[p]] =
        a.forward ? p - a.level_ptr[level] : a.level_ptr[level + 1] - 1 - p;
}

// How much the shift grows from the level before to each level, into `scan_out`, which is zero at the beginning.
template <bool BY_ROWS, class I>
struct Shifts {
    Stored<I> source;

    __device__ uint2 span(uint32_t i) const { return source.span(i); }
    // Looks first: almost always as much is known already, and the unknowns of a level share one word.
    __device__ void grow(uint32_t row, uint32_t by) const {
        if (by == 0) return;
        const SetupArgs &a = source.a;
        uint32_t *shift = &a.scan_out[a.word[turn_of(a, row)] - 1];
        if (load_relaxed(shift) < by) atomicMax(shift, by);
    }
    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        const SetupArgs &a = source.a;
        uint32_t own = a.position[i], most = 0;
        for (uint32_t k = team.rank; k < span.y; k += team.size) {
            uint32_t j, e;
            if (!source.entry(i, span.x + k, j, e)) continue;
            uint32_t other = a.position[j];
            if (BY_ROWS) most = Max()(most, other > own ? other - own : 0);
            else grow(j, own > other ? own - other : 0);
        }
        if (!BY_ROWS) return;
        most = team.reduce(most, Max());
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

// Keys for the sort by place, and the unknowns. `bounds` holds the sums of what shifts grow by, before each level.
extern "C" __global__ void __launch_bounds__(256) setup_strip_keys(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t i = ((const uint32_t *)a.value_in)[p];
    a.key_out[p] = a.position[i] + a.bounds[a.level_of[p] + 1];
    ((uint32_t *)a.value_out)[p] = i;
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
