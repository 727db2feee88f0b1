// Setup: from majors and levels to the arrays of the normal form.
#pragma once
#include "setup_grid.cuh"

// By position: the unknown, and what is known of its major.
SETUP_KERNEL(setup_place, 256) {
    each_below(a.n, [&](uint32_t p) {
        uint32_t i = a.natural ? natural_position(a, p) : a.order[p];
        if (a.natural) a.order[p] = i;
        a.position[i] = p;
        uint4 major = a.major[i];
        a.by_kept[p] = major.z;
        if (a.by_diag) a.by_diag[p] = major.w;
        if (a.by_first) a.by_first[p] = major.x;
        if (a.level_of) a.level_of[p] = a.word[natural_position(a, i)] - 1;
        if (a.by_count) a.by_count[p] = a.count_ptr ? a.count_ptr[i + 1] - a.count_ptr[i] : major.z;
    });
}

// For a sort that goes on by another key: the tile of each position's unknown.
SETUP_KERNEL(setup_tile_keys, 256) {
    Grid grid(a);
    each_below(a.n, [&](uint32_t p) {
        uint32_t i = ((const uint32_t *)a.value_in)[p], t = a.by_wavefronts ? a.position[i] : natural_position(a, i);
        a.key_out[p] = a.blocks_3d ? a.block_3d_tile[grid.block_3d(t)] : t / a.tile;
    });
}

// What a dependency is called: its position, or the row itself.
__device__ __forceinline__ uint32_t name_of(const SetupArgs &a, uint32_t j) { return a.names ? a.names[j] : j; }

// The lists by position. Where no value is wanted there is no out_val.
template <class Source>
struct Fill {
    static constexpr int PIECES = Source::PIECES;
    Source source;

    // Where all is kept and it is known by position where it begins, there is nothing to gather.
    __device__ uint2 span(uint32_t p) const {
        const SetupArgs &a = source.a;
        return a.by_first ? make_uint2(a.by_first[p], a.out_ptr[p + 1] - a.out_ptr[p]) : source.span(a.order[p]);
    }
    __device__ uint32_t number(uint32_t i) const { return source.a.position[i]; }
    template <class Team>
    __device__ void visit(uint32_t p, uint2 span, const Team &team) {
        constexpr int U = 4;  // entries that are loaded together
        const SetupArgs &a = source.a;
        uint32_t out = a.out_ptr[p];
        if (source.all_kept()) {
            uint32_t past = team.end(span.y);
            for (uint32_t k = team.begin(); k < past; k += U * team.size) {
                uint32_t j[U], e[U];
#pragma unroll
                for (int u = 0; u < U; ++u)
                    if (k + u * team.size < past) source.entry(0, span.x + k + u * team.size, j[u], e[u]);
#pragma unroll
                for (int u = 0; u < U; ++u)
                    if (k + u * team.size < past) j[u] = name_of(a, j[u]);
#pragma unroll
                for (int u = 0; u < U; ++u) {
                    uint32_t slot = out + k + u * team.size;
                    if (k + u * team.size < past) {
                        a.out_adj[slot] = j[u];
                        if (a.out_val) a.out_val[slot] = e[u];
                    }
                }
            }
            return;
        }
        // Where an entry goes depends on all before it: who has the first has the row.
        if (team.begin() != team.rank) return;
        uint32_t i = a.order[p];
        for (uint32_t k = 0; k < span.y; k += team.size) {
            uint32_t j, e, total;
            bool yes = k + team.rank < span.y && source.entry(i, span.x + k + team.rank, j, e);
            uint32_t slot = out + team.place(yes, total);
            if (yes) {
                a.out_adj[slot] = name_of(a, j);
                if (a.out_val) a.out_val[slot] = e;
            }
            out += total;
        }
    }
};

// Second and further entries on the diagonals, as (position, value index), in any order.
template <class P, class I>
__device__ void extra_diagonals(const SetupArgs &a) {
    uint32_t i = thread_index();
    if (i >= a.n) return;
    uint32_t diag = a.major[i].w;
    if (diag == NONE) return;
    uint32_t end = (uint32_t)((const P *)a.ptr)[i + 1] - a.base;
    for (uint32_t e = diag + 1; e < end; ++e)
        if ((uint32_t)((const I *)a.ind)[e] - a.base == i)
            a.extra[atomicAdd(&a.summary->listed, 1u)] = make_uint2(a.position[i], e);
}

#define LISTS(i, I) \
    SETUP_KERNEL(setup_fill_##i, TEAM_BLOCK) { walk(a, Fill<Stored<I>>{{a}}); }
FOR_EACH_INDEX(LISTS)

SETUP_KERNEL(setup_fill_transposed, TEAM_BLOCK) {
    walk(a, Fill<Transposed>{{a}});
}

#define EXTRA(p, P, i, I) \
    SETUP_KERNEL(setup_extra_##p##i, 256) { extra_diagonals<P, I>(a); }
EXTRA(i, int32_t, i, int32_t)
EXTRA(l, int64_t, i, int32_t)
EXTRA(l, int64_t, l, int64_t)
