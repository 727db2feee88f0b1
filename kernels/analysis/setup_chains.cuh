// Setup: levels by chains, without a sweep.
//
// Each unknown follows the last one that it depends on, and so is the end of a chain that begins with one that depends on
// nothing. Its number in the chain is no higher than its level, and it is its level where the last one is also the highest:
// on grids, in natural and in reverse Cuthill-McKee order, along lines and bands, in orders by level or by colour. As with the
// levels of grids, one look at all rows at once proves that or refutes it, and what is refuted is left to the sweep.
//
// The numbers: pointer jumping (J. C. Wyllie, The Complexity of Parallel Computations, 1979), in place. What is known of a
// position is one word: a position farther down its chain, and how many there are down to that one. To these an unknown adds
// what is known of that position, until the chain is at its end. Others do so at the same time, so it takes a few steps,
// whatever the number of levels; and nobody waits for anybody.
#pragma once
#include "setup_grid.cuh"

struct Link {
    uint32_t next;      // a position farther down the chain, or NONE
    uint32_t distance;  // from this one down to that one, without it

    __device__ static Link from(uint64_t word) { return {(uint32_t)(word >> 32), (uint32_t)word}; }
    __device__ uint64_t word() const { return (uint64_t)next << 32 | distance; }
};

__device__ __forceinline__ bool levels_by_grid(const SetupArgs &a) { return Grid(a).line && !a.summary->uneven; }
__device__ __forceinline__ bool tries_chains(const SetupArgs &a) {
    return !levels_by_grid(a) && a.summary->bare <= a.n / SETUP_CHAINS_BARE;
}
__device__ __forceinline__ bool levels_by_chains(const SetupArgs &a) { return tries_chains(a) && !a.summary->overtaken; }

// The number of a position in its chain, from 1 on, when all are known.
__device__ __forceinline__ uint32_t number_in_chain(const SetupArgs &a, uint32_t t) { return Link::from(a.chain[t]).distance; }

// Links each position to the last one that it depends on; in rows that are not sorted, to any.
template <class Rows>
__device__ void link_chains(const SetupArgs &a, const Rows &rows) {
    if (!tries_chains(a)) return;
    for (uint32_t t = thread_index(); t < a.n; t += gridDim.x * blockDim.x) {
        uint2 span = rows.span(natural_position(a, t));
        uint32_t e = a.forward ? span.x + span.y - 1 : span.x;
        uint32_t q = span.y > 0 ? natural_position(a, (uint32_t)rows.entries()[e] - rows.base()) : NONE;
        a.chain[t] = Link{q < t ? q : NONE, 1}.word();
    }
}

SETUP_KERNEL(setup_follow_chains, 256) {
    if (!tries_chains(a)) return;
    for (uint32_t t = thread_index(); t < a.n; t += gridDim.x * blockDim.x) {
        Link own = Link::from(load_relaxed(&a.chain[t]));
        while (own.next != NONE) {  // each is an earlier position than the one before
            Link its = Link::from(load_relaxed(&a.chain[own.next]));
            own = {its.next, own.distance + its.distance};
            store_relaxed(&a.chain[t], own.word());
        }
    }
}

// Whether each number is one above the highest of what its row depends on.
template <class Rows>
struct ChainCheck {
    static constexpr int PIECES = Rows::PIECES;
    const SetupArgs &a;
    Rows rows;
    bool refuted = false;  // by a row that this thread has led

    __device__ uint2 span(uint32_t t) const { return rows.span(natural_position(a, t)); }
    __device__ uint32_t number(uint32_t i) const { return natural_position(a, i); }
    template <class Team>
    __device__ void visit(uint32_t t, uint2 span, const Team &team) {
        uint32_t top[] = {0};
        each_dependency(a, rows, t, span, team, [&](const uint32_t (&positions)[4]) {
#pragma unroll
            for (uint32_t q : positions) {
                uint32_t its = number_in_chain(a, q);
                top[0] = Max()(top[0], q < t ? its : 0);
            }
        });
        if (add_up_row<0>(team, top)) refuted |= top[0] + 1 != number_in_chain(a, t);
    }
};

template <class Rows>
__device__ void check_chains(const SetupArgs &a, const Rows &rows) {
    ChainCheck<Rows> check{a, rows};
    if (!tries_chains(a)) return;
    // What is refuted is not looked at any more. But pieces of rows are, or what others of the same row have added up would be
    // there in the next walk.
    bool refuted = __syncthreads_or(threadIdx.x == 0 && load_relaxed(&a.summary->overtaken));
    each_row(a, refuted ? 0 : a.n, check);
    // Once for the block: each warp's store to the same word would keep the others waiting.
    if (__syncthreads_or(check.refuted) && threadIdx.x == 0) a.summary->overtaken = 1;
}

#define CHAINS(name, ROWS)                                                   \
    SETUP_KERNEL(setup_link_chains_##name, 256) { link_chains(a, ROWS{a}); } \
    SETUP_KERNEL(setup_check_chains_##name, TEAM_BLOCK) { check_chains(a, ROWS{a}); }
FOR_EACH_ROWS(CHAINS)
