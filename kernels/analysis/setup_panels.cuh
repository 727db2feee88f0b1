// Setup: panels, which src/analysis/panels.rs explains. Everything here goes by natural position.
#pragma once
#include "setup.cuh"
#include "shared/panels.h"

__device__ __forceinline__ SegmentCounts &panel_counts(const SetupArgs &a) { return *(SegmentCounts *)a.level_step; }

// `chunk` is 1 where a chain begins.
template <class Source>
struct PanelChains : OverRows<Source> {
    using OverRows<Source>::source;

    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        const SetupArgs &a = source.a;
        uint32_t t = natural_position(a, i), joined[] = {0};
        each_entry(source, i, span, team, [&](const uint32_t (&unknowns)[4]) {
#pragma unroll
            for (uint32_t j : unknowns) joined[0] |= natural_position(a, j) + 1 == t;
        });
        if (add_up_row<0>(team, joined)) a.chunk[t] = !joined[0];
    }
};

#define PANEL_CHAINS(name, SOURCE) \
    SETUP_KERNEL(setup_panel_chains_##name, TEAM_BLOCK) { walk(a, PanelChains<SOURCE>{{{a}}}); }
FOR_EACH_SOURCE(PANEL_CHAINS)

// With which position each chain begins. `work_item_ptr` is how many chains begin before a position.
SETUP_KERNEL(setup_panel_begins, 256) {
    each_below(a.n, [&](uint32_t t) {
        if (a.chunk[t]) a.bounds[a.work_item_ptr[t]] = t;
    });
}

// `counters` is 1 where a segment begins.
SETUP_KERNEL(setup_panel_heads, 256) {
    each_below(a.n, [&](uint32_t t) {
        uint32_t chain = a.work_item_ptr[t] + a.chunk[t] - 1;
        a.counters[t] = (t - a.bounds[chain]) % PANEL_ROWS == 0;
    });
}

// The segment of each position, and with which position each begins. `locality_group` is how many begin before a position.
SETUP_KERNEL(setup_panel_segments, 256) {
    each_below(a.n, [&](uint32_t t) {
        uint32_t head = a.counters[t], segment = a.locality_group[t] + head - 1;
        a.tile_number[t] = segment;
        if (head) a.run_begin[segment] = t;
        if (t + 1 < a.n) return;
        a.run_begin[segment + 1] = a.n;
        panel_counts(a).segments = segment + 1;
    });
}

// In which level each position's segment would begin if it were solved without a pause and ended in the same level, in `level_of`.
SETUP_KERNEL(setup_panel_starts, 256) {
    each_below(a.n, [&](uint32_t t) {
        uint32_t segment = a.tile_number[t], begin = a.run_begin[segment], end = a.run_begin[segment + 1];
        a.level_of[t] = a.word[end - 1] + 1 - (end - begin);
    });
}

// Which of the segments that a segment's rows depend on begins last, in `key_out`: its level, or zero where there are none.
template <class Source>
struct PanelLatest : OverRows<Source> {
    using OverRows<Source>::source;

    template <class Team>
    __device__ void visit(uint32_t i, uint2 span, const Team &team) {
        const SetupArgs &a = source.a;
        uint32_t segment = a.tile_number[natural_position(a, i)], begin = a.run_begin[segment], latest[] = {0};
        each_entry(source, i, span, team, [&](const uint32_t (&unknowns)[4]) {
#pragma unroll
            for (uint32_t j : unknowns) {
                uint32_t position = natural_position(a, j);
                if (position < begin) latest[0] = Max()(latest[0], a.level_of[position]);
            }
        });
        if (add_up_row<0>(team, latest) && latest[0]) atomicMax(a.key_out + segment, latest[0]);
    }
};

#define PANEL_LATEST(name, SOURCE) \
    SETUP_KERNEL(setup_panel_latest_##name, TEAM_BLOCK) { walk(a, PanelLatest<SOURCE>{{{a}}}); }
FOR_EACH_SOURCE(PANEL_LATEST)

// By how many levels of rows the segments of each level's rows take a path on, in `run_info`, in halves. A hop from the latest segment that
// one depends on takes it on by what lies between their beginnings, at most by a segment's rows. Where that one begins in a later level,
// the path goes through the rows of a segment by turns, which makes up for it.
SETUP_KERNEL(setup_panel_steps, 256) {
    each_below(a.n, [&](uint32_t t) {
        uint32_t segment = a.tile_number[t], latest = a.key_out[segment], rows = a.run_begin[segment + 1] - a.run_begin[segment];
        uint32_t begin = a.level_of[t], step = 2 * rows;
        if (latest) step = latest < begin ? 2 * Min()(begin - latest, rows) : Max()(begin + rows, latest + 2) - latest;
        atomicAdd(a.run_info + a.word[t] - 1, step);
    });
}

// The longest path takes as many levels at once as the segments do on average. `level_ptr` says where levels begin; without a `count`
// it does not, and there are none.
SETUP_KERNEL(setup_panel_hops, 256) {
    uint64_t hops[1] = {0};
    each_below(a.count ? a.summary->levels : 0, [&](uint32_t level) {
        hops[0] += (uint64_t)(a.level_ptr[level + 1] - a.level_ptr[level]) * 2 * PANEL_HOP_PARTS / Max()(a.run_info[level], 1);
    });
    add_up(hops);
    if (threadIdx.x == 0) atomicAdd((unsigned long long *)&panel_counts(a).hops, (unsigned long long)hops[0]);
}

// The level of each segment, in `level_of`: one above the highest of those that its rows depend on. A warp takes a row. The last one of
// a segment's rows to be looked at publishes the level, which is one word and its own flag. `counters` is how many have been looked at,
// and `key_out` the highest level so far.
//
// Progress: blocks take positions in order, by ticket. A row waits for segments all of whose rows have earlier positions. So the first
// row that is not done lacks nothing.
template <class Source>
__device__ __forceinline__ void panel_levels(const SetupArgs &a, const Source &source) {
    constexpr uint32_t U = 4;  // entries of a lane that are waited for together
    constexpr uint32_t LONG_WALK = 1 << 16;  // entries of a row between two words to the watchdog
    __shared__ uint32_t ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(&a.summary->ticket[a.ticket], 1u);
    __syncthreads();
    uint32_t t = ticket * (TEAM_BLOCK / 32) + threadIdx.x / 32, lane = threadIdx.x % 32, top = 0;
    SetupWatchdog dog(a);
    if (t < a.n) {
        uint32_t i = natural_position(a, t), segment = a.tile_number[t], begin = a.run_begin[segment];
        uint2 span = source.span(i);
        for (uint32_t k = lane; __any_sync(FULL, k < span.y); k += 32 * U) {
            if (k > 0 && k % LONG_WALK == 0) atomicAdd(&a.state->progress, 1u);
            uint32_t other[U], missing = 0;
#pragma unroll
            for (uint32_t u = 0; u < U; ++u) {
                uint32_t j = i, value;
                bool is_entry = k + 32 * u < span.y && source.entry(i, span.x + k + 32 * u, j, value);
                uint32_t position = natural_position(a, j);
                if (is_entry && position < begin) {
                    other[u] = a.tile_number[position];
                    missing |= 1u << u;
                }
            }
            // Ends when these segments' levels are known, or by the watchdog. Between two looks at all that are missing, the warp polls
            // the youngest one as one word: where the order begins with a long chain, thousands of rows wait for it.
            for (;;) {
                uint32_t youngest = 0;  // its number, from 1 on
#pragma unroll
                for (uint32_t u = 0; u < U; ++u) {
                    uint32_t level = missing >> u & 1u ? load_relaxed(a.level_of + other[u]) : 0;
                    if (level) missing &= ~(1u << u);
                    top = Max()(top, level);
                    if (missing >> u & 1u) youngest = Max()(youngest, other[u] + 1);
                }
                youngest = Lanes(32).reduce(youngest, Max());
                if (youngest == 0) break;
                do {
                    if (!__all_sync(FULL, dog.keep_waiting())) return;
                    rest(SHORT_REST);
                } while (__any_sync(FULL, load_relaxed(a.level_of + youngest - 1) == 0));
            }
        }
        top = Lanes(32).reduce(top, Max());
        if (lane == 0) {
            atomicMax(a.key_out + segment, top);
            if (comes_last(a.counters + segment, a.run_begin[segment + 1] - begin)) {
                uint32_t level = load_relaxed(a.key_out + segment) + 1;
                store_relaxed(a.level_of + segment, level);
                if (load_relaxed(&panel_counts(a).levels) < level) atomicMax(&panel_counts(a).levels, level);
            }
        }
    }
    // What the watchdogs of those who wait poll.
    if (threadIdx.x == 0) atomicAdd(&a.state->progress, 1u);
}

#define PANEL_LEVELS(name, SOURCE) \
    SETUP_KERNEL_WITH_WAITS(setup_panel_segment_levels_##name, TEAM_BLOCK) { panel_levels(a, SOURCE{a}); }
FOR_EACH_SOURCE(PANEL_LEVELS)

// Rows that a segment has room for.
__device__ __forceinline__ uint32_t panel_room(const SetupArgs &a, uint32_t segment) {
    uint32_t rows = a.run_begin[segment + 1] - a.run_begin[segment];
    return rows > 1 ? 2u << (31 - __clz(rows - 1)) : 1;
}

// Keys for the sort of the segments by level, the larger ones first; and the room that each level needs.
SETUP_KERNEL(setup_panel_keys, 256) {
    each_below(a.count, [&](uint32_t s) {
        uint32_t room = panel_room(a, s), level = a.level_of[s] - 1;
        a.key_out[s] = level * PANEL_SIZES + PANEL_SIZES - __ffs(room);
        ((uint32_t *)a.value_out)[s] = s;
        atomicAdd(a.level_ptr + level, room);
    });
}

// The panels of each of `level` levels, and the room of each segment in the order of the sort.
SETUP_KERNEL(setup_panel_rooms, 256) {
    each_below(Max()(a.count, a.level), [&](uint32_t k) {
        if (k < a.level) a.level_ptr[k] = divide_up(a.level_ptr[k], PANEL_ROWS);
        if (k < a.count) a.chunk[k] = panel_room(a, ((const uint32_t *)a.value_in)[k]);
    });
}

// Where each level's room begins, if all had no gaps. `work_item_ptr` is the room of all segments before one.
SETUP_KERNEL(setup_panel_levels, 256) {
    each_below(a.count, [&](uint32_t k) {
        uint32_t level = a.key_in[k] / PANEL_SIZES;
        if (k == 0 || a.key_in[k - 1] / PANEL_SIZES != level) a.bounds[level] = a.work_item_ptr[k];
    });
}

// The place of each segment's first row. `counters` is how many panels the levels before have.
SETUP_KERNEL(setup_panel_places, 256) {
    each_below(a.count, [&](uint32_t k) {
        uint32_t level = a.key_in[k] / PANEL_SIZES;
        a.run_info[((const uint32_t *)a.value_in)[k]] = a.counters[level] * PANEL_ROWS + a.work_item_ptr[k] - a.bounds[level];
    });
}

// The place of a position's row, counted over all panels.
__device__ __forceinline__ uint32_t panel_place(const SetupArgs &a, uint32_t t) {
    uint32_t segment = a.tile_number[t];
    return a.run_info[segment] + t - a.run_begin[segment];
}

// How many work items each panel is, in `counters`: one for each piece of its longest row, of `span` entries.
SETUP_KERNEL(setup_panel_pieces, 256) {
    each_below(a.n, [&](uint32_t t) {
        uint32_t pieces = Max()(divide_up(a.out_ptr[t + 1] - a.out_ptr[t], a.span), 1);
        atomicMax(a.counters + panel_place(a, t) / PANEL_ROWS, pieces);
    });
}

// Writes these, the panel itself last. `work_item_ptr` is how many work items are before each panel's.
SETUP_KERNEL(setup_panel_rows, 256) {
    each_below(a.n, [&](uint32_t t) {
        uint32_t place = panel_place(a, t), panel = place / PANEL_ROWS, row = place % PANEL_ROWS;
        uint32_t first = a.work_item_ptr[panel], end = a.work_item_ptr[panel + 1], sums = first - panel;
        uint32_t *item = (uint32_t *)a.work_item + (size_t)first * PANEL_ITEM_WORDS;
        for (uint32_t piece = end - first; piece-- > 0; item += PANEL_ITEM_WORDS) {
            item[row] = t;
            if (row > 0) continue;
            item[PANEL_ROWS] = sums + Max()(piece, 1) - 1;
            item[PANEL_ROWS + 1] = piece > 0 ? PANEL_PIECE_BIT | piece : end - first - 1;
        }
    });
}
