// Setup: work items and batches, the rows that one warp solves at a time, and records.
//
// Work items are made by the rule of src/analysis/work_items.rs: a level is cut into chunks of 32 rows, and the row
// that wants the most lanes decides how the chunk is cut into work items. Batches are made by the rule of
// src/engines/tiled/batches.rs: a run (the rows of one level in a tile) joins the open batch where it fits, else
// it begins new ones.
#pragma once
#include "setup_grid.cuh"
#include "shared/one_word.h"
#include "shared/schedule.h"
#include "shared/thin.h"
#include "shared/tiled.h"
#include "shared/tuning.h"

// The exponent of the power of two of lanes that a row gets.
__device__ __forceinline__ uint32_t lanes_shift(uint32_t wanted) {
    return wanted <= 1 ? 0 : 32 - __clz(Min()(wanted, 32) - 1);
}

// The record of a position, as the engine wants it.
__device__ __forceinline__ void make_record(const SetupArgs &a, uint32_t p) {
    uint32_t diag = a.record_diag ? a.record_diag[p] : NONE, row = a.order[p];
    uint32_t first = a.by_first ? a.by_first[p] : 0, entries = a.out_ptr[p + 1] - a.out_ptr[p];
    if (a.tile) {
        // The first entry of the row, or the last one, is number 0.
        a.record[p] = make_uint4(row, diag, entries, first + (a.by_first && a.forward && entries ? entries - 1 : 0));
        return;
    }
    a.record[p] = make_uint4(row, diag, a.out_ptr[p], first);
    if (p == a.n - 1) a.record[a.n] = make_uint4(0, NONE, a.out_ptr[a.n], 0);
}

SETUP_KERNEL(setup_records, 256) {
    each_below(a.n, [&](uint32_t p) { make_record(a, p); });
}

// Work items ----------------------------------------------------------------------------------------

// The segments of a row of so many entries, beside the row's own; nodes have none.
__device__ __forceinline__ uint32_t segments_of(const SetupArgs &a, uint32_t entries) {
    return a.node == 1 && entries > 0 ? (entries - 1) / (a.per_lane * 32) : 0;
}

// The description of each chunk, for its first position; for the others 0.
SETUP_KERNEL(setup_chunks, 256) {
    __shared__ uint32_t length[256 + 31];  // of the block's rows and those that its last chunk goes on with
    uint32_t p = thread_index();
    for (uint32_t k = threadIdx.x, q = p; k < 256 + 31; k += 256, q += 256)
        length[k] = q < a.n ? a.out_ptr[q + 1] - a.out_ptr[q] : 0;
    __syncthreads();
    if (p >= a.n) return;
    uint32_t level = a.level_of[p];
    uint32_t chunk = 0;
    if ((p - a.level_ptr[level]) % 32 == 0) {
        uint32_t rows = Min()(a.level_ptr[level + 1] - p, 32), longest = 0;
        for (uint32_t k = 0; k < rows; ++k) longest = Max()(longest, length[threadIdx.x + k]);
        uint32_t widest = Max()(divide_up(longest * a.node, a.per_lane), a.node);
        uint32_t shift = lanes_shift(widest), work_items = divide_up(rows, 32u >> shift);
        if (segments_of(a, longest) > 0) {
            atomicMax(&a.summary->most_row_segments, segments_of(a, longest));
            for (uint32_t k = 0; k < rows; ++k) work_items += segments_of(a, length[threadIdx.x + k]);
        }
        chunk = work_items | shift << CHUNK_LANES | (rows - 1) << CHUNK_ROWS;
    }
    a.chunk[p] = chunk;
}

// Notes the end that begins with work item, or level, `begin`, if it gains most. Gain and place fit into a word.
__device__ __forceinline__ void note_end(uint64_t *best, int64_t gain, uint32_t begin) {
    if (gain >= END_GAIN) atomicMax((unsigned long long *)best, (uint64_t)(gain / END_GAIN) << 32 | begin);
}

// What is gained if the narrow end begins with a level, by the rule of src/engines/one_word/layout.rs.
__device__ __forceinline__ void consider_narrow_end(const SetupArgs &a, uint32_t level, uint32_t levels) {
    uint32_t first = a.work_item_ptr[a.level_ptr[level]], work_items = a.work_item_ptr[a.n] - first;
    int64_t cost = NARROW_WORK_ITEM * work_items + (first == 0 ? NARROW_LAUNCH : NARROW_SPLIT);
    int64_t gain = NARROW_LEVEL * (levels - level) - cost;
    note_end(&a.summary->narrow, gain, first);
}

// The same if the thin engine's end begins with it, by the rule of src/engines/thin/layout.rs.
__device__ __forceinline__ int64_t gain_of_thin_end(const SetupArgs &a, uint32_t level, uint32_t levels) {
    int64_t rows = a.n - a.level_ptr[level];
    return a.node * (THIN_LEVEL * (levels - level) - THIN_ROW * rows) - (level == 0 ? 0 : THIN_SPLIT);
}

// The first level of the end for the thin engine.
SETUP_KERNEL(setup_thin_end, 256) {
    uint32_t level = thread_index(), levels = a.summary->levels;
    if (level < levels) note_end(&a.summary->thin, gain_of_thin_end(a, level, levels), level);
}

// Work items and records, and the first work item of the end that is wanted; or, where it is wanted, with which work item each
// level begins.
SETUP_KERNEL(setup_work_items, 256) {
    uint32_t p = thread_index(), levels = a.summary->levels;
    if (p >= a.n) return;
    make_record(a, p);
    if (p == 0) a.summary->work_items = a.work_item_ptr[a.n];
    if (a.level_step && p < levels) a.level_step[p] = a.work_item_ptr[a.level_ptr[p]];
    if (a.level_step && p == 0) a.level_step[levels] = a.work_item_ptr[a.n];
    if (p < levels && a.thin)
        note_end(&a.summary->narrow, gain_of_thin_end(a, p, levels), a.work_item_ptr[a.level_ptr[p]]);
    else if (p < levels && a.node == 1 && !a.level_step)
        consider_narrow_end(a, p, levels);
    uint32_t chunk = a.chunk[p];
    if (!chunk) return;
    uint32_t lanes = 1u << (chunk >> CHUNK_LANES & 7u), end = p + (chunk >> CHUNK_ROWS) + 1, s = a.work_item_ptr[p];
    bool has_segments = (chunk & CHUNK_WORK_ITEMS) > divide_up(end - p, 32 / lanes);
    uint32_t level = a.level_of[p];
    bool has_run_ahead_limits = lanes > 1 || a.out_ptr[end] - a.out_ptr[p] >= RUN_AHEAD_ENTRIES * (end - p);
    // Where the level so many before begins; NONE without such a run-ahead limit.
    auto run_ahead_at = [&](uint32_t levels) { return has_run_ahead_limits && level >= levels ? a.level_ptr[level - levels] : NONE; };
    uint32_t far = run_ahead_at(RUN_AHEAD_LEVELS), near = run_ahead_at(RUN_AHEAD_NEAR_LEVELS);
    for (uint32_t first = p; first < end; first += 32 / lanes) {
        bool is_near = near != NONE && (uint64_t)(first - near) * lanes >= RUN_AHEAD_NEAR_LANES;
        if (has_segments)
            for (uint32_t k = segments_of(a, a.out_ptr[first + 1] - a.out_ptr[first]); k-- > 0;)
                a.work_item[s++] = make_uint2(first, SEGMENT | 32 << ITEM_LANES_SHIFT | k << RUN_AHEAD_SHIFT);
        uint32_t limit = is_near ? near : far, back = limit != NONE && first - limit <= NONE >> RUN_AHEAD_SHIFT ? first - limit : 0;
        a.work_item[s++] = make_uint2(first, Min()(32 / lanes, end - first) | lanes << ITEM_LANES_SHIFT | back << RUN_AHEAD_SHIFT);
    }
}

// Batches --------------------------------------------------------------------------------------------

// Where the tile of a position begins.
__device__ __forceinline__ uint32_t own_tile_begin(const SetupArgs &a, uint32_t p) { return tile_begin(a, a.tile_number[p]); }

// Whether a row at `p` of the tile that begins at `begin` may find `q` in the window.
__device__ __forceinline__ bool is_near(const SetupArgs &a, uint32_t begin, uint32_t p, uint32_t q) {
    return q >= begin && p - q <= a.reach;
}

// Whether a run begins at each position; the longest row.
SETUP_KERNEL(setup_run_begins, 256) {
    __shared__ uint32_t scratch[32];
    uint32_t most = 0;
    each_below(a.n, [&](uint32_t p) {
        most = Max()(most, a.out_ptr[p + 1] - a.out_ptr[p]);
        if (p < a.count) a.tile_narrow[p] = make_uint2(0, 0);
        a.run_info[p] = 0;
        a.counters[p] = 0;
        a.chunk[p] = p == own_tile_begin(a, p) || a.level_of[p] != a.level_of[p - 1];
    });
    most = Block(scratch).reduce(most, Max());
    if (threadIdx.x == 0 && most > load_relaxed(&a.summary->longest)) atomicMax(&a.summary->longest, most);
}

// The run of the row at `p`. `work_item_ptr` counts the runs that begin before each position.
__device__ __forceinline__ uint32_t run_of(const SetupArgs &a, uint32_t p) { return a.work_item_ptr[p] + a.chunk[p] - 1; }
__device__ __forceinline__ uint32_t runs_of(const SetupArgs &a) { return a.work_item_ptr[a.n]; }

// Where runs begin, and how many lanes the longest row of each wants.
SETUP_KERNEL(setup_runs, 256) {
    uint32_t p = thread_index(), lane = threadIdx.x % 32;
    bool in = p < a.n, begins = in && a.chunk[p];
    uint32_t run = in ? run_of(a, p) : 0, length = in ? a.out_ptr[p + 1] - a.out_ptr[p] : 0;
    uint32_t wanted = Min()(divide_up(length, a.per_lane), TILED_MOST_WANTED);
    if (begins) a.run_begin[run] = p;
    if (p == a.n - 1) a.run_begin[run + 1] = a.n;
    // One for the warp where that is one run.
    bool together = !__any_sync(FULL, !in || begins && lane > 0);
    if (together) wanted = Lanes(32).reduce(wanted, Max());
    if (in && (!together || lane == 0)) atomicMax(&a.run_info[run], wanted);
}

// In run_info: the lanes of a row, and beside them how far its batch must begin after the 32nd position before the
// run.
constexpr uint32_t WANTED_LANES = 255, CLOSE_SHIFT = 8;

// The lanes for each row of a run: at least what its rows want on average, and at most what the longest row wants. The batches and
// the rounds of the longest row together cost least. Returns the lanes of the whole run.
__device__ __forceinline__ uint32_t choose_lanes(const SetupArgs &a, uint32_t run, uint32_t p) {
    uint32_t end = a.run_begin[run + 1], rows = end - p, longest = a.run_info[run];
    uint32_t average = divide_up(a.out_ptr[end] - a.out_ptr[p], a.per_lane);
    uint32_t least = lanes_shift(divide_up(average, rows)), best = 0;
    uint64_t cost = ~0ull;
    for (uint32_t shift = lanes_shift(longest) + 1; shift-- > least;) {
        uint64_t its = (((uint64_t)rows << shift) + 31) / 32 + TILED_ROUND_BATCHES * divide_up(longest, 1u << shift);
        if (its < cost) {
            cost = its;
            best = shift;
        }
    }
    a.run_info[run] = 1u << best;
    return rows << best;
}

// The lanes of all runs; and of each tile, how many runs are narrow, and how many lanes these have.
SETUP_KERNEL(setup_lanes, 256) {
    uint32_t runs = runs_of(a), lane = threadIdx.x % 32;
    for (uint64_t run = thread_index(); run - lane < runs; run += gridDim.x * blockDim.x) {
        bool in = run < runs;
        uint32_t p = a.run_begin[in ? run : runs - 1], lanes = in ? choose_lanes(a, (uint32_t)run, p) : NONE;
        uint32_t tile = a.tile_number[p];
        uint2 narrow = lanes <= 16 ? make_uint2(1, lanes) : make_uint2(0, 0);
        // Added up first where all of a warp are of one tile.
        bool together = __all_sync(FULL, tile == __shfl_sync(FULL, tile, 0));
        if (together) narrow = make_uint2(Lanes(32).reduce(narrow.x, Sum()), Lanes(32).reduce(narrow.y, Sum()));
        if (narrow.x == 0 || together && lane != 0) continue;
        atomicAdd((unsigned long long *)&a.tile_narrow[tile], (uint64_t)narrow.y << 32 | narrow.x);
    }
}

// Of the entries of a lane only the first few may depend on the same batch. What the others depend on must
// lie in earlier batches.
struct Close {
    static constexpr int PIECES = UNSHARED;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t p) const { return make_uint2(a.out_ptr[p], a.out_ptr[p + 1] - a.out_ptr[p]); }

    template <class Team>
    __device__ void visit(uint32_t p, uint2 span, const Team &team) {
        uint32_t run = run_of(a, p), wanted = a.run_info[run] & WANTED_LANES, first = a.run_begin[run];
        uint32_t may = a.per_lane / 2 << lanes_shift(wanted), closest = 0;
        for (uint32_t k = may + team.rank; k < span.y; k += team.size)
            closest = Max()(closest, a.out_adj[a.forward ? span.x + span.y - 1 - k : span.x + k] + 1);
        closest = team.reduce(closest, Max());
        if (team.rank == 0 && closest + 32 > first)
            atomicMax(&a.run_info[run], (closest + 32 - first) << CLOSE_SHIFT | wanted);
    }
};

SETUP_KERNEL(setup_close, TEAM_BLOCK) {
    // Short rows have no others.
    if (__all_sync(FULL, a.summary->longest <= a.per_lane / 2)) return;
    Close rows{a};
    each_row(a, a.n, rows);
}

// A tile, and how its levels are grouped: batches hold no runs of different groups.
struct Tile {
    uint32_t number, begin, end;
    uint32_t together, offset;  // levels of a group, and by how many the first group has fewer than others would

    // Of the position `p`, when all lanes are known. Where most levels are narrow, a group has as many levels as fit into a batch
    // on average.
    __device__ Tile(const SetupArgs &a, uint32_t p) : number(a.tile_number[p]), begin(tile_begin(a, number)) {
        end = number + 1 < a.count ? tile_begin(a, number + 1) : a.n;
        uint32_t runs = a.work_item_ptr[end] - a.work_item_ptr[begin];
        uint2 narrow = a.tile_narrow[number];
        together = 2ull * narrow.x > runs ? (uint32_t)(32ull * narrow.x / narrow.y) : 1;
        offset = together - number % together;
    }
    __device__ uint32_t group_of(uint32_t level) const { return (level + offset) / together; }
};

// Packs the runs of the group that begins at `p` into batches: runs that join the open batch. `emit(first, rows, count)` takes
// batches that are alike, one behind the other; `rows` has the lanes of a row and levels beside it, as batches do.
template <class Emit>
__device__ __forceinline__ void pack_group(const SetupArgs &a, const Tile &tile, uint32_t p, const Emit &emit) {
    uint32_t first = 0, rows = 0, shift = NONE, levels = 0;  // of the open batch
    uint32_t level = a.level_of[p], group = tile.group_of(level), last_level = level;
    auto close = [&] { emit(first, rows | shift << BATCH_LANES_SHIFT | levels << BATCH_LEVELS_SHIFT, 1u); };
    for (uint32_t run = a.work_item_ptr[p], at = p;; ++run) {
        uint32_t next = a.run_begin[run + 1], info = a.run_info[run], size = next - at;
        uint32_t own_shift = lanes_shift(info & WANTED_LANES), most = 32u >> own_shift;
        // 32 more than the first position where its batch may begin.
        uint32_t after = at + (info >> CLOSE_SHIFT);
        // Rows of a later level would keep those of an earlier one waiting, the longer the farther it is.
        bool follows = level - last_level <= TILED_MOST_GAP;
        if (own_shift == shift && follows && first + 32 >= after && rows + size <= most) {
            rows += size;
            ++levels;
        } else {
            if (shift != NONE) close();
            shift = own_shift;
            levels = 1;
            uint32_t whole = (size - 1) / most;
            if (whole) emit(at, most | shift << BATCH_LANES_SHIFT | 1 << BATCH_LEVELS_SHIFT, whole);
            first = at + whole * most;
            rows = size - whole * most;
        }
        at = next;
        if (at == tile.end) break;
        last_level = level;
        level = a.level_of[at];
        if (tile.group_of(level) != group) break;
    }
    close();
}

// Whether a group of levels begins at `p`.
__device__ __forceinline__ bool begins_group(const SetupArgs &a, const Tile &tile, uint32_t p) {
    return p == tile.begin || tile.group_of(a.level_of[p - 1]) != tile.group_of(a.level_of[p]);
}

// How many batches begin with the group that begins at a position. What the host asks for lies where the sum will: behind it
// is the longest row.
SETUP_KERNEL(setup_count_batches, 256) {
    each_below(runs_of(a), [&](uint32_t run) {
        uint32_t p = a.run_begin[run], batches = 0;
        if (p == 0) a.batch_ptr[a.n + 1] = a.summary->longest;
        Tile tile(a, p);
        if (!begins_group(a, tile, p)) return;
        pack_group(a, tile, p, [&](uint32_t, uint32_t, uint32_t count) { batches += count; });
        a.counters[p] = batches;
    });
}

// The batches, and where those of each tile begin.
SETUP_KERNEL(setup_batches, 256) {
    each_below(runs_of(a), [&](uint32_t run) {
        uint32_t p = a.run_begin[run], next = a.batch_ptr[p];
        Tile tile(a, p);
        if (p == tile.begin) a.tile_step[tile.number] = next;
        if (p == 0) a.tile_step[a.count] = a.batch_ptr[a.n];
        if (!begins_group(a, tile, p)) return;
        pack_group(a, tile, p, [&](uint32_t first, uint32_t rows, uint32_t count) {
            for (; count > 0; --count, first += rows & BATCH_ROWS_MASK)
                reinterpret_cast<uint4 *>(a.work_item)[next++] = make_uint4(first, rows, 0, 0);
        });
    });
}

// The row of a lane in a batch, a warp a batch.
struct BatchLane {
    uint32_t shift, sub, p, begin, entries;

    __device__ BatchLane(const SetupArgs &a, uint4 batch, uint32_t lane)
        : shift(batch.y >> BATCH_LANES_SHIFT & BATCH_LANES_MASK), sub(lane & ((1u << shift) - 1)), p(batch.x + (lane >> shift)),
          begin(0), entries(0) {
        if (lane >> shift >= (batch.y & BATCH_ROWS_MASK)) return;
        begin = a.out_ptr[p];
        entries = a.out_ptr[p + 1] - begin;
    }
};

// The most entries of a lane of each batch, and the units of codes that it needs: one code for each entry and lane
// that has a row.
SETUP_KERNEL(setup_depths, 256) {
    uint32_t s = warp_index(), lane = threadIdx.x % 32;
    uint64_t units[1] = {0};
    if (s < a.count) {
        uint4 &batch = reinterpret_cast<uint4 *>(a.work_item)[s];
        BatchLane row(a, batch, lane);
        uint32_t most = row.entries;
        for (int by = 16; by > 0; by /= 2) most = Max()(most, __shfl_xor_sync(FULL, most, by));
        if (lane == 0) {
            batch.w = divide_up(most, 1u << row.shift);
            units[0] = ((uint64_t)batch.w * ((batch.y & BATCH_ROWS_MASK) << row.shift) + CODE_UNIT - 1) / CODE_UNIT;
            a.chunk[s] = (uint32_t)units[0];
        }
    }
    // All of them may be more than the scan can count.
    add_up(units);
    if (threadIdx.x == 0) atomicAdd((unsigned long long *)&a.summary->units, (unsigned long long)units[0]);
}

// Positions in the same batch become lanes, positions in the window its cells. `work_item_ptr` says where the codes of
// a batch begin.
SETUP_KERNEL(setup_codes, 256) {
    uint32_t s = warp_index(), lane = threadIdx.x % 32;
    if (s >= a.count) return;
    uint4 batch = reinterpret_cast<uint4 *>(a.work_item)[s];
    BatchLane row(a, batch, lane);
    uint32_t lanes = (batch.y & BATCH_ROWS_MASK) << row.shift, begin = own_tile_begin(a, Min()(row.p, a.n - 1)), next = 0;
    size_t first = (size_t)a.work_item_ptr[s] * CODE_UNIT;
    bool external = false;
    // Behind the last one.
    size_t codes = (size_t)batch.w * lanes;
    if ((codes + lane) / CODE_UNIT == codes / CODE_UNIT && codes % CODE_UNIT != 0) {
        a.code[first + codes + lane] = HIGH_BIT | a.window;
        if (a.index) a.index[first + codes + lane] = 0;
    }
    constexpr uint32_t U = 4;  // entries that are loaded together
    for (uint32_t begun = 0; begun < batch.w; begun += U) {
        uint32_t adj[U], index[U];
#pragma unroll
        for (uint32_t u = 0; u < U; ++u) {
            uint32_t number = row.sub + ((begun + u) << row.shift);
            uint32_t e = row.begin + (a.forward ? row.entries - 1 - number : number);
            adj[u] = number < row.entries ? a.out_adj[e] : NONE;
            index[u] = number < row.entries && a.index ? a.out_val[e] : 0;
        }
#pragma unroll
        for (uint32_t u = 0; u < U; ++u) {
            uint32_t k = begun + u, q = adj[u], code = HIGH_BIT | a.window;
            bool is_entry = q != NONE;
            if (is_entry && q >= batch.x) {
                code |= NEXT_BIT | (q - batch.x) << row.shift << LANE_SHIFT;
                next = k + 1;
            } else if (is_entry && is_near(a, begin, row.p, q)) {
                code = HIGH_BIT | q % a.window;
            } else if (is_entry) {
                code = q;
                external = true;
            }
            if (lane >= lanes || k >= batch.w) continue;
            size_t at = first + (size_t)k * lanes + lane;
            a.code[at] = code;
            if (a.index) a.index[at] = index[u];
        }
    }
    for (int by = 16; by > 0; by /= 2) next = Max()(next, __shfl_xor_sync(FULL, next, by));
    external = __any_sync(FULL, external);
    if (lane == 0) {
        batch.y |= next << BATCH_NEXT_SHIFT | external << BATCH_EXTERNAL_SHIFT;
        batch.z = a.work_item_ptr[s];
        reinterpret_cast<uint4 *>(a.work_item)[s] = batch;
    }
}
