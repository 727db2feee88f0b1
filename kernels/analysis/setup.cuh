// Setup on the GPU: what its kernels get and share. The mirror of src/executor/cuda/setup/args.rs.
//
// A stored row or column is called a major. A turn is an unknown's place in natural solving order: the
// unknown itself for a forward solve, counted from the last one for a backward solve.
#pragma once
#include "device/sync.cuh"

constexpr uint32_t FULL = 0xffffffffu;

constexpr uint32_t PIECE = 256;  // entries of a long row that a warp walks; mirrored in setup/args.rs

// What the kernels find out, and the tickets they draw; all zero at the beginning.
struct Summary {
    uint32_t bad;        // the pattern is malformed: every kernel after the survey does nothing
    uint32_t scattered;  // some major's kept entries are not consecutive
    uint32_t entries;    // kept entries
    uint32_t extra;      // second and further entries on a diagonal
    uint32_t missing;    // ~ the smallest major without a diagonal entry, or 0
    uint32_t levels;
    uint32_t pieces[2];  // of long majors, and of long lists of the transposed pattern; where every warp looks anyway
    uint32_t widest;     // unknowns in the widest level
    uint32_t refuted;    // sizes of nodes that the pattern does not have, a bit each
    uint32_t largest_place;  // in the order by strips
    uint32_t longest;    // entries of the longest row, where there are tiles
    uint32_t next_to_diagonal;  // kept entries of an unknown beside the major's own
    uint32_t apart;      // ~ where the first line after the first begins that does not depend on the one before, or 0
    uint32_t line_step, plane_step;  // from the first level of a line, and of a plane, to that of the next, if all are alike
    uint32_t uneven;     // they are not
    uint32_t skew;       // of boxes, so that no unknown depends on a later one; 2 where one line for each plane is too few
    uint32_t displaced;  // some diagonal of a row of a node is not in its place in the row
    uint32_t slices;
    uint64_t narrow;     // what the best narrow end gains, by END_GAIN, in its upper half, and its first slice
    uint64_t squares;    // of the numbers of entries of the rows of op(A), their sum
    uint64_t long_squares;  // and that of those that are far longer than the others
    uint32_t bad_offsets;
    uint32_t bare;       // majors that keep nothing
    uint32_t overtaken;  // some unknown's level is not one above that of the last one that it depends on
    uint32_t most_parts;  // of a row
    uint32_t queued;     // unknowns in the queue of Kahn's algorithm
    uint32_t listed;     // extra diagonal entries in the list
    uint32_t crowded;    // some list of the transposed pattern is very long
    uint32_t ticket[29];
    uint64_t units;      // of the codes of all batches
    uint64_t begun[8];   // when the stretches of the setup that the host tells apart have begun, or 0
    uint64_t thin;       // what the best end for the thin engine gains, in its upper half, and its first level
    uint32_t sampled, strewn;  // entries of some rows, and those that are strewn: see setup_strewn.cuh
    uint32_t ended;      // blocks of a kernel that tells the host something in the end
    uint32_t distant;    // kept entries of an unknown that is distant from the major's own
    uint32_t parted;     // some row of a node does not begin where the one before it ends, if diagonals are in their places
    uint32_t unused;
};

// The levels of some turns, and the sums of those that are not far from the others; mirrored in analysis/ranges.rs.
struct LevelSpan {
    uint32_t low, high, kept, unused;
    uint64_t sum, squares;
};

// A part of a long row or list.
struct Piece {
    uint32_t row, from;      // and with which of its entries it begins
    uint32_t first, unused;  // the number of the row's first piece
};
// What pieces of a row add up to, and how many have.
struct PieceTotals {
    uint32_t sum[7], done;
};

struct SetupArgs {
    uint32_t n, nnz, base;
    uint32_t low;      // kept entries have a smaller index than their major (else a larger one)
    uint32_t forward;
    uint32_t own_diag; // the diagonal is the matrix's own
    uint32_t lanes;    // of a team that walks a major
    uint32_t ticket;   // which ticket a launch draws
    uint32_t count;    // elements to scan or to sort, or bounds to find
    uint32_t shift;    // of the digit that a pass sorts by; passes, for the histograms; bits of a place, for families
    uint32_t level;    // of the unknowns begin..end in Kahn's queue
    uint32_t begin, end;
    uint32_t span;     // turns whose levels are noted together; values of a piece that is staged
    uint32_t tile;     // rows of a tile, or 0
    uint32_t per_lane; // entries of a row before another lane joins in
    uint32_t window;
    uint32_t mask;     // of what is scanned
    uint32_t natural;  // `order` is to be written rather than read
    uint32_t reach;    // positions that a row looks back in the window
    uint32_t stride;   // of what is scanned
    uint32_t node;     // unknowns of a node, where the pattern is one of nodes or is made one
    uint32_t by_strips;  // tiles are ranges of the order by strips
    uint32_t boxes;      // beside each other, where tiles are boxes
    uint32_t skew;       // of boxes: lines for each plane
    uint32_t box_lines, box_planes;  // of a box
    uint32_t piece_room;
    uint32_t thin;     // the thin engine's end is wanted, not ONE_WORD's narrow one
    uint32_t tells;    // words that the host is told in the end
    uint32_t pivot;    // what an info reports that has not solved
    uint32_t unused;

    const void *ptr, *ind;  // the caller's
    Summary *summary;
    uint4 *major;                          // first kept entry and past the last, their number, the diagonal
    uint32_t *word;                        // by turn: level + 1, or 0 while it is not known
    uint64_t *chain;                       // by turn: a `Link`
    uint32_t *list_ptr;                    // the transposed pattern: by minor,
    uint2 *list;                           // (value index, major), by rising value index
    Piece *piece;                          // `piece_room` of long majors, as many of long lists of the transposed pattern
    PieceTotals *totals;                   // by number of a row's first piece; zero while nobody adds to it

    const uint32_t *scan_in, *scan_order;  // scan_in[stride * scan_order[k]], or without order of k;
    uint32_t *scan_out;
    const uint32_t *scan_lengths;          // or scan_lengths[i + 1] - scan_lengths[i]
    uint64_t *states;                      // of the tiles of a scan or sort; zero at the beginning
    const uint32_t *key_in;
    const void *value_in;
    uint32_t *key_out;
    void *value_out;
    uint32_t *histogram;                   // 4 digits of 256; zero at the beginning
    uint32_t *bounds;

    LevelSpan *spans;
    uint2 *ranks;
    uint32_t *family;                      // by turn: see setup_families.cuh
    uint32_t *order, *position;
    const uint32_t *names;                 // of unknowns, where a dependency is not called by its row
    uint32_t *out_ptr, *out_adj, *out_val;
    uint32_t *by_diag, *by_first, *by_kept, *by_count, *count_ptr;
    uint32_t *level_of, *tile_number;      // by position
    uint32_t *level_ptr;
    uint32_t *counters, *chunk, *slice_ptr;  // counters: what Kahn's unknowns wait for; batches that begin at each position
    uint2 *slice;
    uint4 *record;
    uint32_t *tile_step, *level_step;
    const uint32_t *record_diag;
    uint2 *extra;
    uint32_t *run_begin, *run_info, *batch_ptr;
    uint2 *tile_narrow;      // of each tile: narrow runs, and the lanes that they want
    uint32_t *code, *index;  // of the tiled engine; and of the nodal one
    uint2 *node_row;
    const uint32_t *box_tile, *box_begin;  // the tile of each box, and where each tile begins

    State *state;         // whose tickets and progress the watchdog looks at
    uint64_t timeout_ns;  // the watchdog; 0 is off
    uint64_t *stamp;      // where a kernel that begins a stretch of the setup leaves the time; else null
    const uint32_t *tell_from;  // what the host is told, and the page-locked memory that it is told by
    uint32_t *tell_to;

    State *solves;        // of the info
    uint64_t *work;       // its work vectors
    uint64_t work_bytes;  // a multiple of 8
};

static_assert(sizeof(Summary) == 88 * 4, "mirror of setup/args.rs");
static_assert(sizeof(Piece) == 16 && sizeof(PieceTotals) == 32, "mirror of setup/args.rs");
static_assert(sizeof(SetupArgs) == 32 * 4 + 64 * 8, "mirror of setup/args.rs");

__device__ __forceinline__ uint32_t turn_of(const SetupArgs &a, uint32_t i) { return a.forward ? i : a.n - 1 - i; }

__device__ __forceinline__ uint32_t divide_up(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

__device__ __forceinline__ uint32_t thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
// Of the warp; there may be more threads than a number of 32 bits can count.
__device__ __forceinline__ uint32_t warp_index() { return blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; }

// Ends waits that see no progress, as in solves: `turn` is called by whole warps, once per poll. What a
// kernel leaves unfinished then is not looked at: the pattern counts as bad from there on.
struct SetupWatchdog {
    const SetupArgs &a;
    Look last = {0, 0};
    uint32_t turns = 0;

    __device__ __forceinline__ explicit SetupWatchdog(const SetupArgs &args) : a(args) {}

    __device__ __forceinline__ bool turn() {
        if ((++turns & 255u) != 0) return true;
        last = watchdog_look(a.state, &a.summary->bad, a.timeout_ns, last);
        return __all_sync(FULL, last.since != GIVEN_UP);
    }
};

// What every kernel begins with, as it is launched before its turn.
__device__ __forceinline__ void begin_kernel(const SetupArgs &a) {
    wait_for_turn();
    if (a.stamp && thread_index() == 0) *a.stamp = nanoseconds();
}

// Where the host is told that there is a message: behind its words. Mirrors message.rs.
constexpr uint32_t LONGEST_MESSAGE = 32767;

// Tells the host what it has asked for. By a whole block.
__device__ __forceinline__ void tell(const SetupArgs &a) {
    constexpr uint32_t EACH = 8;  // words of a thread, which are on their way together
    for (uint32_t first = threadIdx.x; first < a.tells; first += EACH * blockDim.x) {
        uint32_t word[EACH];
#pragma unroll
        for (uint32_t u = 0; u < EACH; ++u) {
            uint32_t k = first + u * blockDim.x;
            if (k < a.tells) word[u] = load_relaxed(a.tell_from + k);
        }
#pragma unroll
        for (uint32_t u = 0; u < EACH; ++u) {
            uint32_t k = first + u * blockDim.x;
            if (k < a.tells) a.tell_to[k] = word[u];
        }
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    *(volatile uint32_t *)(a.tell_to + LONGEST_MESSAGE) = 1;
}
// The same by the last block of all, when the others have ended.
__device__ __forceinline__ void tell_in_the_end(const SetupArgs &a) {
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) is_last = comes_last(&a.summary->ended, gridDim.x);
    __syncthreads();
    if (!is_last) return;
    if (threadIdx.x == 0) store_relaxed(&a.summary->ended, 0u);
    tell(a);
}

// A kernel, with its launch bounds. It is launched before its turn, and does nothing for a pattern that is malformed; by a
// vote, so that the compiler knows that a warp stays together. In the end it tells the host what that has asked for.
#define SETUP_KERNEL(name, ...) SETUP_KERNEL_UNLESS(__any_sync(FULL, a.summary->bad), name, __VA_ARGS__)
// The same where the watchdog may end waits before all blocks have begun, as in the sweep: from then on the pattern counts as bad,
// so a block's warps must agree whether it does. Where all kernels vote so an analysis takes 3 to 14 % longer.
#define SETUP_KERNEL_WITH_WAITS(name, ...) \
    SETUP_KERNEL_UNLESS(__any_sync(FULL, __syncthreads_or(a.summary->bad)), name, __VA_ARGS__)
#define SETUP_KERNEL_UNLESS(is_bad, name, ...)                                                        \
    __device__ __forceinline__ void name##_work(const SetupArgs &a);                                  \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__) name(const GRID_CONSTANT SetupArgs a) { \
        begin_kernel(a);                                                                              \
        if (!(is_bad)) name##_work(a);                                                                \
        if (a.tells) tell_in_the_end(a);                                                              \
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

constexpr uint32_t TEAM_BLOCK = 256;   // threads of a block of teams
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

// The levels of every span of turns, a block each, by the rule of analysis/ranges.rs; `level(t)` gives that of a turn, and
// `visit(t, level)` sees it once. The highest of the block's own.
template <class Level, class Visit>
__device__ uint32_t each_span(const SetupArgs &a, const Level &level, const Visit &visit) {
    __shared__ uint32_t scratch[32];
    constexpr int64_t FARTHEST = 1 << 18;  // mirrored there
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
