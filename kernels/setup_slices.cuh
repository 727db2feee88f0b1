// Setup: slices and batches, the rows that one warp solves at a time, and records.
//
// Slices are made by the rule of src/analysis/slices.rs: a level is cut into chunks of 32 rows, and the row
// that wants the most lanes decides how the chunk is cut into slices. Batches are made by the rule of
// src/algorithms/tiled.rs: a run (the rows of one level in a tile) joins the open batch where it fits, else
// it begins new ones.
#pragma once
#include "setup.cuh"

constexpr uint32_t HIGH_BIT = 0x80000000u;  // of local entries and of rows that begin a level; as in tiled.cu

__device__ __forceinline__ uint32_t divide_up(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

// The exponent of the power of two of lanes that a row gets.
__device__ __forceinline__ uint32_t lanes_shift(uint32_t wanted) {
    return wanted <= 1 ? 0 : 32 - __clz(Min()(wanted, 32) - 1);
}

// By position; for tiles with a mark where a level begins.
extern "C" __global__ void __launch_bounds__(256) setup_records(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t diag = a.record_diag ? a.record_diag[p] : NONE, row = a.order[p];
    if (a.tile && (p == 0 || a.level_of[p] != a.level_of[p - 1])) row |= HIGH_BIT;
    a.record[p] = make_uint4(row, diag, a.out_ptr[p], a.by_first ? a.by_first[p] : 0);
    if (p == a.n - 1) a.record[a.n] = make_uint4(0, NONE, a.out_ptr[a.n], 0);
}

// Slices ---------------------------------------------------------------------------------------------

// For the first position of each chunk: slices | lanes of a row << 6 | rows << 12; for the others 0.
extern "C" __global__ void __launch_bounds__(256) setup_chunks(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t level = a.level_of[p];
    uint32_t chunk = 0;
    if ((p - a.level_ptr[level]) % 32 == 0) {
        uint32_t rows = Min()(a.level_ptr[level + 1] - p, 32), widest = 1;
        for (uint32_t q = p; q < p + rows; ++q)
            widest = Max()(widest, divide_up(a.out_ptr[q + 1] - a.out_ptr[q], a.per_lane));
        uint32_t share = 1u << lanes_shift(widest);
        chunk = divide_up(rows, 32 / share) | share << 6 | rows << 12;
    }
    a.chunk[p] = chunk;
}

extern "C" __global__ void __launch_bounds__(256) setup_slices(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t chunk = a.chunk[p];
    if (!chunk) return;
    uint32_t share = chunk >> 6 & 63u, end = p + (chunk >> 12), s = a.slice_ptr[p];
    for (uint32_t first = p; first < end; first += 32 / share)
        a.slice[s++] = make_uint2(first, Min()(32 / share, end - first) | share << 6);
}

// Batches --------------------------------------------------------------------------------------------

__device__ __forceinline__ uint32_t tile_begin(const SetupArgs &a, uint32_t p) { return p / a.tile * a.tile; }

// Whether the row at `p` of a tile may find `q` in the window.
__device__ __forceinline__ bool is_near(const SetupArgs &a, uint32_t begin, uint32_t p, uint32_t q) {
    return q >= begin && p - q <= a.window - 32;
}

// The rows' entries, by position.
struct Filled {
    const SetupArgs &a;

    __device__ uint2 span(uint32_t p) const { return make_uint2(a.out_ptr[p], a.out_ptr[p + 1] - a.out_ptr[p]); }
};

// How many lanes each row wants, and whether a run begins at it.
struct Wanted : Filled {
    template <class Team>
    __device__ void visit(uint32_t p, uint2 span, const Team &team) {
        uint32_t begin = tile_begin(a, p), local = 0;
        for (uint32_t k = team.rank; k < span.y; k += team.size)
            local += is_near(a, begin, p, a.out_adj[span.x + k]);
        local = team.reduce(local, Sum());
        if (team.rank != 0) return;
        a.wanted[p] = Max()(divide_up(local, a.per_lane), divide_up(span.y, 2 * a.per_lane));
        a.chunk[p] = p == begin || a.level_of[p] != a.level_of[p - 1];
    }
};

extern "C" __global__ void __launch_bounds__(TEAM_BLOCK) setup_wanted(const GRID_CONSTANT SetupArgs a) {
    Wanted rows{{a}};
    if (!a.summary->bad) each_row(a.n, a.lanes, rows);
}

// The run of the row at `p`. `slice_ptr` counts the runs that begin before each position.
__device__ __forceinline__ uint32_t run_of(const SetupArgs &a, uint32_t p) { return a.slice_ptr[p] + a.chunk[p] - 1; }

constexpr uint32_t FULL_RUN = 1u << 31;  // in run_info, beside the most lanes that one of its rows wants

extern "C" __global__ void __launch_bounds__(256) setup_runs(const GRID_CONSTANT SetupArgs a) {
    uint32_t p = thread_index();
    if (p >= a.n || a.summary->bad) return;
    uint32_t run = run_of(a, p);
    if (a.chunk[p]) a.run_begin[run] = p;
    if (p == a.n - 1) a.run_begin[run + 1] = a.n;
    atomicMax(&a.run_info[run], a.wanted[p]);
}

// Whether a lane of some row of a run has more local entries than there is room for. Those are waited for
// while the batch is made ready, so the run must begin a batch.
struct Full : Filled {
    template <class Team>
    __device__ void visit(uint32_t p, uint2 span, const Team &team) {
        uint32_t run = run_of(a, p), share = 1u << lanes_shift(a.run_info[run] & ~FULL_RUN);
        if (share == 1 || span.y <= a.per_lane) return;
        uint32_t begin = tile_begin(a, p), most = 0;
        for (uint32_t lane = team.rank; lane < share; lane += team.size) {
            uint32_t local = 0;
            for (uint32_t k = lane; k < span.y; k += share) local += is_near(a, begin, p, a.out_adj[span.x + k]);
            most = Max()(most, local);
        }
        if (most > a.per_lane) atomicOr(&a.run_info[run], FULL_RUN);
    }
};

extern "C" __global__ void __launch_bounds__(TEAM_BLOCK) setup_full(const GRID_CONSTANT SetupArgs a) {
    Full rows{{a}};
    if (!a.summary->bad) each_row(a.n, a.lanes, rows);
}

// Packs the runs of a tile into batches, a warp a tile: all runs that join the open batch at once. The
// batches of a tile lie from its first position on in `batch`.
extern "C" __global__ void __launch_bounds__(32) setup_pack(const GRID_CONSTANT SetupArgs a) {
    if (a.summary->bad) return;
    uint32_t lane = threadIdx.x, begin = blockIdx.x * a.tile, end = Min()(a.n - begin, a.tile) + begin;
    uint32_t run = a.slice_ptr[begin], runs_end = a.slice_ptr[end];
    uint2 *out = a.batch + begin;
    uint32_t done = 0, first = 0, rows = 0, shift = NONE;  // batches before the open one, and that one
    auto close = [&] {
        if (shift == NONE) return;
        if (lane == 0) out[done] = make_uint2(first, rows | shift << 6);
        ++done;
    };
    auto load = [&](uint32_t k, uint32_t &at, uint32_t &size, uint32_t &info) {
        bool in = k < runs_end;
        at = in ? a.run_begin[k] : 0;
        size = in ? a.run_begin[k + 1] - at : 0;
        info = in ? a.run_info[k] : 0;
    };
    uint32_t at, size, info, next_at, next_size, next_info;
    load(run + lane, next_at, next_size, next_info);
    for (; run < runs_end; run += 32) {
        at = next_at, size = next_size, info = next_info;
        load(run + 32 + lane, next_at, next_size, next_info);
        uint32_t here = Min()(runs_end - run, 32), own_shift = lanes_shift(info & ~FULL_RUN), through = size;
        for (int by = 1; by < 32; by *= 2) {
            uint32_t v = __shfl_up_sync(FULL, through, by);
            if (lane >= by) through += v;
        }
        for (uint32_t m = 0;; ++m) {
            // Runs from number m on join as long as they fit.
            uint32_t before = __shfl_sync(FULL, through, m == 0 ? 0 : m - 1);
            if (m == 0) before = 0;
            bool fits = own_shift == shift && !(info & FULL_RUN) && rows + through - before <= 32u >> own_shift;
            uint32_t barred = __ballot_sync(FULL, lane >= m && !(lane < here && fits));
            uint32_t stop = barred ? __ffs(barred) - 1 : 32;
            uint32_t upto = __shfl_sync(FULL, through, stop == 0 ? 0 : stop - 1);
            if (stop > m) rows += upto - before;
            m = stop;
            if (m >= here) break;
            close();
            first = __shfl_sync(FULL, at, m);
            rows = __shfl_sync(FULL, size, m);
            shift = __shfl_sync(FULL, own_shift, m);
            uint32_t most = 32u >> shift, whole = (rows - 1) / most;
            for (uint32_t b = lane; b < whole; b += 32) out[done + b] = make_uint2(first + b * most, most | shift << 6);
            done += whole;
            first += whole * most;
            rows -= whole * most;
        }
    }
    close();
    if (lane == 0) a.batch_count[blockIdx.x] = done;
}

// From where each tile's batches were made to where they are kept.
extern "C" __global__ void __launch_bounds__(256) setup_gather(const GRID_CONSTANT SetupArgs a) {
    if (a.summary->bad) return;
    uint32_t target = a.tile_step[blockIdx.x], count = a.tile_step[blockIdx.x + 1] - target;
    const uint2 *batch = a.batch + blockIdx.x * a.tile;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) a.slice[target + k] = batch[k];
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) a.slice[target + count] = make_uint2(a.n, 0);
}

// Each lane of a batch takes up to `per_lane` local entries; their positions become cells of the window.
extern "C" __global__ void __launch_bounds__(256) setup_codes(const GRID_CONSTANT SetupArgs a) {
    uint32_t s = thread_index() / 32, lane = threadIdx.x % 32;
    if (a.summary->bad || s >= a.count) return;
    uint2 batch = a.slice[s];
    uint32_t shift = batch.y >> 6, r = lane >> shift;
    if (r >= (batch.y & 63u)) return;
    uint32_t p = batch.x + r, begin = tile_begin(a, p), end = a.out_ptr[p + 1], taken = 0;
    for (uint32_t e = a.out_ptr[p] + (lane & ((1u << shift) - 1)); e < end && taken < a.per_lane; e += 1u << shift) {
        uint32_t q = a.out_adj[e];
        if (!is_near(a, begin, p, q)) continue;
        ++taken;
        a.out_adj[e] = HIGH_BIT | q % a.window;
    }
}
