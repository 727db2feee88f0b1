// Setup: the rows of a level in locality order, which src/analysis/locality.rs explains.
#pragma once
#include "setup.cuh"
#include "shared/tuning.h"

constexpr uint32_t HEAD = 1u << 31;  // rows are fewer

// `locality_group` has, by natural position, HEAD and the place of a head in its level, `shift` bits; or an unknown of the same
// group that is solved before. At first every row is a head. `value_in` holds the unknowns by level.
SETUP_KERNEL(setup_locality_heads, 256) {
    uint32_t p = thread_index();
    if (p >= a.n) return;
    uint32_t level = a.level_of[p], begin = a.level_ptr[level], rows = a.level_ptr[level + 1] - begin;
    uint32_t place = (uint32_t)(((uint64_t)(p - begin) << a.shift) / rows);
    a.locality_group[natural_position(a, ((const uint32_t *)a.value_in)[p])] = HEAD | place;
}

// Rows that have a parent become what has descended from it. By rows of op(A).
template <class Source>
struct Parents : OverRows<Source> {
    using OverRows<Source>::source;

    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        const SetupArgs &a = source.a;
        uint32_t t = natural_position(a, i), own = a.word[t], parent[] = {0};  // one more than its position
        if ((own - 1) % LOCALITY_LEVELS == 0) return;
        each_entry(source, i, span, team, [&](const uint32_t (&unknowns)[4]) {
#pragma unroll
            for (uint32_t j : unknowns) {
                uint32_t position = natural_position(a, j);
                parent[0] = Max()(parent[0], a.word[position] + 1 == own ? position + 1 : 0);
            }
        });
        if (add_up_row<0>(team, parent) && parent[0] > 0) a.locality_group[t] = parent[0] - 1;
    }
};

#define PARENTS(name, SOURCE) \
    SETUP_KERNEL(setup_locality_parents_##name, TEAM_BLOCK) { walk(a, Parents<SOURCE>{{{a}}}); }
FOR_EACH_SOURCE(PARENTS)

// Keys for the sort, and the unknowns. Each row follows its group to the head, and leaves how far it has come to those that
// come by it.
SETUP_KERNEL(setup_locality_keys, 256) {
    uint32_t p = thread_index();
    if (p >= a.n) return;
    uint32_t i = ((const uint32_t *)a.value_in)[p], *own = &a.locality_group[natural_position(a, i)], next = load_relaxed(own);
    while (!(next & HEAD)) {
        next = load_relaxed(&a.locality_group[next]);
        store_relaxed(own, next);
    }
    a.key_out[p] = a.level_of[p] << a.shift | (next & ~HEAD);
    ((uint32_t *)a.value_out)[p] = i;
}
