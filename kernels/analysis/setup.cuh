// Setup on the GPU: what its kernels share. What they get and leave is written in src/executor/cuda/setup/shared.rs.
#pragma once
#include "device/sync.cuh"
#include "shared/ranges.h"
#include "shared/setup.h"

constexpr uint32_t FULL = 0xffffffffu;

__device__ __forceinline__ uint32_t natural_position(const SetupArgs &a, uint32_t i) { return a.forward ? i : a.n - 1 - i; }

__device__ __forceinline__ uint32_t divide_up(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

__device__ __forceinline__ uint32_t thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
// Of the warp; there may be more threads than a number of 32 bits can count.
__device__ __forceinline__ uint32_t warp_index() { return blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; }

// Ends waits that see no progress, as in solves: `keep_waiting` is called by whole warps, once per poll. What a kernel
// leaves unfinished then is not looked at: the pattern counts as bad from there on.
struct SetupWatchdog {
    const SetupArgs &a;
    LastProgress last = {0, 0, 0};
    uint32_t polls = 0;

    __device__ __forceinline__ explicit SetupWatchdog(const SetupArgs &args) : a(args) {}

    __device__ __forceinline__ bool keep_waiting() {
        if ((++polls & 255u) != 0) return true;
        last = watchdog_poll(a.state, &a.summary->bad, a.timeout_ns, last);
        return __all_sync(FULL, last.at != GIVEN_UP);
    }
};

// What every kernel begins with, as it is launched before the previous one has ended.
__device__ __forceinline__ void begin_kernel(const SetupArgs &a) {
    wait_for_previous_kernel();
    if (a.stamp && thread_index() == 0) *a.stamp = nanoseconds();
}

// Sends the host the message that it has asked for. By a whole block.
__device__ __forceinline__ void send_message(const SetupArgs &a) {
    constexpr uint32_t EACH = 8;  // words of a thread, which are on their way together
    for (uint32_t first = threadIdx.x; first < a.message_words; first += EACH * blockDim.x) {
        uint32_t word[EACH];
#pragma unroll
        for (uint32_t u = 0; u < EACH; ++u) {
            uint32_t k = first + u * blockDim.x;
            if (k < a.message_words) word[u] = load_relaxed(a.message_from + k);
        }
#pragma unroll
        for (uint32_t u = 0; u < EACH; ++u) {
            uint32_t k = first + u * blockDim.x;
            if (k < a.message_words) a.message_to[k] = word[u];
        }
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    *(volatile uint32_t *)(a.message_to + LONGEST_MESSAGE) = 1;
}
// The same by the last block of all, when the others have ended.
__device__ __forceinline__ void send_message_at_end(const SetupArgs &a) {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) is_last = comes_last(&a.summary->ended, gridDim.x);
    __syncthreads();
    if (!is_last) return;
    if (threadIdx.x == 0) store_relaxed(&a.summary->ended, 0u);
    send_message(a);
}

// A kernel, with its launch bounds. It is launched before the previous one has ended, and does nothing for a pattern that
// is malformed; by a vote, so that the compiler knows that a warp stays together. At the end it sends the host the message
// that it has asked for.
#define SETUP_KERNEL(name, ...) SETUP_KERNEL_UNLESS(__any_sync(FULL, a.summary->bad), name, __VA_ARGS__)
// The same where the watchdog may end waits before all blocks have begun: from then on the pattern counts as bad,
// so a block's warps must agree whether it does. Where all kernels vote so an analysis takes 3 to 14 % longer.
#define SETUP_KERNEL_WITH_WAITS(name, ...) \
    SETUP_KERNEL_UNLESS(__any_sync(FULL, __syncthreads_or(a.summary->bad)), name, __VA_ARGS__)
#define SETUP_KERNEL_UNLESS(is_bad, name, ...)                                                        \
    __device__ __forceinline__ void name##_work(const SetupArgs &a);                                  \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__) name(const GRID_CONSTANT SetupArgs a) { \
        begin_kernel(a);                                                                              \
        if (!(is_bad)) name##_work(a);                                                                \
        if (a.message_words) send_message_at_end(a);                                                  \
    }                                                                                                 \
    __device__ __forceinline__ void name##_work(const SetupArgs &a)

// Calls `visit` with each number below `count`, those of a thread one after the other, by whatever blocks there are.
template <class Visit>
__device__ __forceinline__ void each_below(uint32_t count, const Visit &visit) {
    for (uint64_t k = thread_index(); k < count; k += gridDim.x * blockDim.x) visit((uint32_t)k);
}

// Instantiates a kernel template for the widths of the caller's offsets and indices.
#define FOR_EACH_INDEX(INSTANTIATE) INSTANTIATE(i, int32_t) INSTANTIATE(l, int64_t)

// Teams: who walks a row together ----------------------------------------------------------------------

struct Sum {
    __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};
struct Min {
    __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a < b ? a : b; }
};
struct Max {
    __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a > b ? a : b; }
};
struct Or {
    __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a | b; }
};

// Some lanes of a warp: a power of two of them.
struct Lanes {
    uint32_t rank, size, shift, mask;

    // The entries of a row that a member begins and the team ends with.
    __device__ uint32_t begin() const { return rank; }
    __device__ uint32_t end(uint32_t length) const { return length; }
    // Whether this member has what all of a row add up to, in `sum`.
    template <int SUMS, int N>
    __device__ bool has_all(uint32_t (&)[N]) const { return rank == 0; }

    __device__ explicit Lanes(uint32_t lanes) : size(lanes) {
        uint32_t lane = threadIdx.x % 32;
        rank = lane & (lanes - 1);
        shift = lane - rank;
        mask = FULL >> (32 - lanes) << shift;
    }
    template <class Op>
    __device__ uint32_t reduce(uint32_t v, Op op) const {
        for (uint32_t by = size / 2; by > 0; by /= 2) v = op(v, __shfl_xor_sync(mask, v, by));
        return v;
    }
    // How many of the team before this member say yes, and how many in all.
    __device__ uint32_t place(bool yes, uint32_t &total) const {
        uint32_t votes = (__ballot_sync(mask, yes) & mask) >> shift;
        total = __popc(votes);
        return __popc(votes & ((1u << rank) - 1));
    }
};

// The whole block.
struct Block {
    uint32_t rank, size;
    uint32_t *scratch;  // 32 words of shared memory

    __device__ explicit Block(uint32_t *shared) : rank(threadIdx.x), size(blockDim.x), scratch(shared) {}
    template <class Op>
    __device__ uint32_t reduce(uint32_t v, Op op) const {
        v = Lanes(32).reduce(v, op);
        if (rank % 32 == 0) scratch[rank / 32] = v;
        __syncthreads();
        v = scratch[0];
        for (uint32_t w = 1; w < size / 32; ++w) v = op(v, scratch[w]);
        __syncthreads();
        return v;
    }
    __device__ uint32_t place(bool yes, uint32_t &total) const {
        uint32_t inside, before = 0;
        uint32_t slot = Lanes(32).place(yes, inside);
        if (rank % 32 == 0) scratch[rank / 32] = inside;
        __syncthreads();
        total = 0;
        for (uint32_t w = 0; w < size / 32; ++w) {
            if (w == rank / 32) before = total;
            total += scratch[w];
        }
        __syncthreads();
        return before + slot;
    }
};

// A warp, for a piece of a long row, of which others have the others.
struct PieceLanes : Lanes {
    Piece piece;
    PieceTotals &totals;
    uint32_t pieces;  // of the row

    __device__ PieceLanes(Piece piece, PieceTotals &totals, uint32_t pieces)
        : Lanes(32), piece(piece), totals(totals), pieces(pieces) {}
    __device__ uint32_t begin() const { return piece.from + rank; }
    __device__ uint32_t end(uint32_t length) const { return Min()(length, piece.from + PIECE); }
    // The last one to come has, and leaves zeros to the next walk.
    template <int SUMS, int N>
    __device__ bool has_all(uint32_t (&sum)[N]) const {
        static_assert(N <= sizeof(totals.sum) / 4, "there is no room");
        if (rank != 0) return false;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            if (k < SUMS) atomicAdd(&totals.sum[k], sum[k]);
            else atomicMax(&totals.sum[k], sum[k]);
        }
        if (!comes_last(&totals.done, pieces)) return false;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            sum[k] = load_relaxed(&totals.sum[k]);
            store_relaxed(&totals.sum[k], 0u);
        }
        store_relaxed(&totals.done, 0u);
        return true;
    }
};

// Of what the members of all teams of a row have, the sums of the first SUMS and the largest of each of the others; true for the
// one member that has them then. Those whose bit in `wanted` is not set are zero everywhere.
template <int SUMS, int N, class Team>
__device__ __forceinline__ bool add_up_row(const Team &team, uint32_t (&sum)[N], uint32_t wanted = FULL) {
    if (team.size > 1) {
#pragma unroll
        for (int k = 0; k < N; ++k) {
            if (!(wanted >> k & 1u)) continue;
            sum[k] = k < SUMS ? team.reduce(sum[k], Sum()) : team.reduce(sum[k], Max());
        }
    }
    return team.template has_all<SUMS>(sum);
}

constexpr uint32_t LANE_LONGEST = 32;  // entries for each lane; longer rows are walked by the whole warp

// Which list has the pieces of long rows, if all blocks share them.
constexpr int OF_MAJORS = 0, OF_LISTS = 1, UNSHARED = -1;

// Longer rows are cut into pieces; no walk has teams of fewer lanes than the caller's pattern itself.
__device__ __forceinline__ uint32_t longest_whole(uint32_t lanes) { return Max()(PIECE, 2 * LANE_LONGEST * lanes); }

// Lists the pieces of those of a warp's rows that are long. Offsets that are malformed may have more than there is room for: then
// nobody looks at them.
__device__ __forceinline__ void list_pieces(const SetupArgs &a, int which, uint32_t row, uint32_t length) {
    uint32_t lane = threadIdx.x % 32, count = length > longest_whole(a.lanes) ? divide_up(length, PIECE) : 0;
    uint32_t left = __ballot_sync(FULL, count > 0), end = count;
    if (!left) return;
    for (uint32_t by = 1; by < 32; by *= 2) {
        uint32_t before = __shfl_up_sync(FULL, end, by);
        if (lane >= by) end += before;
    }
    uint32_t first = lane == 31 ? atomicAdd(&a.summary->pieces[which], end) : 0;
    first = __shfl_sync(FULL, first, 31) + end - count;
    if (count > 0 && first < a.piece_room) a.totals[first] = {};
    for (; left; left &= left - 1) {
        uint32_t its = __ffs(left) - 1, its_row = __shfl_sync(FULL, row, its), its_first = __shfl_sync(FULL, first, its);
        for (uint32_t k = lane, pieces = __shfl_sync(FULL, count, its); k < pieces; k += 32)
            if (its_first + k < a.piece_room) a.piece[which * a.piece_room + its_first + k] = {its_row, k * PIECE, its_first, 0};
    }
}

// Shares `count` pieces of rows that are long by `rows.span` out to all warps.
template <class Rows>
__device__ void each_piece(const SetupArgs &a, uint32_t count, Rows &rows) {
    uint32_t warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
    for (uint32_t k = warp; k < count; k += TEAM_BLOCK / 32 * gridDim.x) {
        Piece piece = a.piece[Rows::PIECES * a.piece_room + k];
        uint32_t r = rows.number(piece.row);
        uint2 span = rows.span(r);
        span = make_uint2(__shfl_sync(FULL, span.x, 0), __shfl_sync(FULL, span.y, 0));
        if (span.y <= longest_whole(a.lanes) || piece.from >= span.y) continue;
        rows.visit(r, span, PieceLanes(piece, a.totals[piece.first], divide_up(span.y, PIECE)));
    }
}

// Calls `rows.visit(r, span, team)` for each r in 0..n, where `rows.span(r)` is (begin, length). Long rows are walked piece by
// piece by all warps, or, where nobody has listed pieces, each by a block.
template <class Rows>
__device__ void each_row(const SetupArgs &a, uint32_t n, Rows &rows) {
    __shared__ uint32_t long_row[TEAM_BLOCK], longs, scratch[32];
    uint32_t lanes = a.lanes, longest = longest_whole(lanes);
    uint32_t pieces = Rows::PIECES != UNSHARED ? load_first(&a.summary->pieces[Rows::PIECES]) : 0;
    Lanes own_team(lanes);
    uint32_t teams = TEAM_BLOCK / lanes;
    uint64_t r = (uint64_t)blockIdx.x * teams + threadIdx.x / lanes, step = (uint64_t)gridDim.x * teams;
    auto span_of = [&](uint64_t r) { return r < n ? rows.span((uint32_t)r) : make_uint2(0, 0); };
    uint2 own_span = span_of(r);
    for (uint64_t begin = (uint64_t)blockIdx.x * teams; begin < n; begin += step, r += step) {
        uint2 next = span_of(r + step);  // on its way
        bool is_long = own_span.y > longest, is_short = own_span.y <= LANE_LONGEST * lanes;
        // First the teams walk their rows, then the warp one after the other that is too long for its team.
        uint32_t left = __ballot_sync(FULL, own_team.rank == 0 && !is_short && !is_long), row = (uint32_t)r;
        uint2 span = own_span;
        Lanes team = own_team;
        for (bool walks = r < n && is_short;; walks = true, left &= left - 1) {
            if (walks) rows.visit(row, span, team);
            if (!left) break;
            uint32_t lane = __ffs(left) - 1;
            row = __shfl_sync(FULL, (uint32_t)r, lane);
            span = make_uint2(__shfl_sync(FULL, own_span.x, lane), __shfl_sync(FULL, own_span.y, lane));
            team = Lanes(32);
        }
        if constexpr (Rows::PIECES == UNSHARED) {
            if (__syncthreads_or(is_long)) {
                if (threadIdx.x == 0) longs = 0;
                __syncthreads();
                if (is_long && own_team.rank == 0) long_row[atomicAdd(&longs, 1u)] = (uint32_t)r;
                __syncthreads();
                for (uint32_t k = 0; k < longs; ++k) rows.visit(long_row[k], rows.span(long_row[k]), Block(scratch));
                __syncthreads();
            }
        }
        own_span = next;
    }
    if constexpr (Rows::PIECES != UNSHARED) each_piece(a, pieces, rows);
}

template <class Rows>
__device__ void walk(const SetupArgs &a, Rows rows) {
    each_row(a, a.n, rows);
}

// Adds up what the threads of a block have, 256 of them.
template <int N>
__device__ __forceinline__ void add_up(uint64_t (&v)[N]) {
    __shared__ uint64_t scratch[8][N];
    for (uint32_t by = 16; by > 0; by /= 2)
        for (int k = 0; k < N; ++k) v[k] += __shfl_xor_sync(FULL, v[k], by);
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < N; ++k) scratch[threadIdx.x / 32][k] = v[k];
    __syncthreads();
    for (int k = 0; k < N; ++k) {
        v[k] = 0;
        for (int w = 0; w < 8; ++w) v[k] += scratch[w][k];
    }
    __syncthreads();
}

// The levels of every span of positions, a block each, by the rule of src/analysis/ranges.rs; `level(t)` gives that of a
// position, and `visit(t, level)` sees it once. The highest of the block's own.
template <class Level, class Visit>
__device__ uint32_t each_span(const SetupArgs &a, const Level &level, const Visit &visit) {
    __shared__ uint32_t scratch[32];
    uint32_t begin = blockIdx.x * a.span, rows = Min()(a.n - begin, a.span);
    uint32_t low = NONE, high = 0, middle = level(begin + rows / 2);
    auto from_middle = [&](uint32_t l) { return max(min((int64_t)l - middle, FARTHEST), -FARTHEST); };
    uint64_t all[2] = {0, 0}, kept[3] = {0, 0, 0};
    for (uint32_t k = threadIdx.x; k < rows; k += blockDim.x) {
        uint32_t l = level(begin + k);
        visit(begin + k, l);
        low = Min()(low, l);
        high = Max()(high, l);
        int64_t d = from_middle(l);
        all[0] += d;
        all[1] += d * d;
    }
    Block block(scratch);
    low = block.reduce(low, Min());
    high = block.reduce(high, Max());
    add_up(all);
    // Twice the deviation, times the rows, squared.
    uint64_t farthest = 4 * (rows * all[1] - all[0] * all[0]);
    for (uint32_t k = threadIdx.x; k < rows; k += blockDim.x) {
        uint32_t l = level(begin + k);
        int64_t off = rows * from_middle(l) - (int64_t)all[0];
        if ((uint64_t)(off * off) > farthest) continue;
        kept[0] += 1;
        kept[1] += l;
        kept[2] += (uint64_t)l * l;
    }
    add_up(kept);
    if (block.rank == 0) a.spans[blockIdx.x] = {low, high, (uint32_t)kept[0], 0, kept[1], kept[2]};
    return high;
}

// Where lists come from --------------------------------------------------------------------------------

// The caller's majors.
template <class I>
struct Stored {
    static constexpr int PIECES = OF_MAJORS;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t i) const {
        uint2 ends = *(const uint2 *)&a.major[i];
        return make_uint2(ends.x, ends.y - ends.x);
    }
    __device__ bool all_kept() const { return !a.summary->scattered; }
    // Entry `e` of major `i`: its index, and where its value lies. False if it is not of the triangle.
    __device__ bool entry(uint32_t i, uint32_t e, uint32_t &j, uint32_t &value) const {
        j = (uint32_t)((const I *)a.ind)[e] - a.base;
        value = e;
        return j != i && (j < i) == (a.low != 0);
    }
};

// The transposed pattern.
struct Transposed {
    static constexpr int PIECES = OF_LISTS;
    const SetupArgs &a;

    __device__ uint2 span(uint32_t i) const {
        uint32_t begin = a.list_ptr[i];
        return make_uint2(begin, a.list_ptr[i + 1] - begin);
    }
    __device__ bool all_kept() const { return true; }
    __device__ bool entry(uint32_t, uint32_t e, uint32_t &j, uint32_t &value) const {
        uint2 pair = a.list[e];
        j = pair.y;
        value = pair.x;
        return true;
    }
};

// What a walk over the rows of op(A) begins with.
template <class Source>
struct OverRows {
    static constexpr int PIECES = Source::PIECES;
    Source source;

    __device__ uint2 span(uint32_t i) const { return source.span(i); }
    __device__ uint32_t number(uint32_t i) const { return i; }
};

// Calls `visit(j)` for the entries of major `i` in `span` that a member of its team walks, four of them at once; `i` itself
// stands for none.
template <class Source, class Team, class Visit>
__device__ __forceinline__ void each_entry(const Source &source, uint32_t i, uint2 span, const Team &team, const Visit &visit) {
    for (uint32_t k = team.begin(), past = team.end(span.y); k < past; k += 4 * team.size) {
        uint32_t j[4], value;
#pragma unroll
        for (int u = 0; u < 4; ++u)
            if (k + u * team.size >= past || !source.entry(i, span.x + k + u * team.size, j[u], value)) j[u] = i;
        visit(j);
    }
}

// Instantiates a kernel for each source of the rows of op(A).
#define FOR_EACH_SOURCE(INSTANTIATE) \
    INSTANTIATE(i, Stored<int32_t>) INSTANTIATE(l, Stored<int64_t>) INSTANTIATE(transposed, Transposed)
