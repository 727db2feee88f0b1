// What a kernel gets, by value: the mirror of src/executor/cuda/args.rs, size-checked on both sides.
#pragma once
#include <cstdint>

constexpr uint32_t NONE = 0xffffffffu;
// Of a slice's second word: where the way to its gate begins; and in place of its number of rows, that it is a part of one
// row, whose number takes the place of the gate. Mirrored in analysis/slices.rs.
constexpr uint32_t GATE_SHIFT = 12, PART = 63;

// Slices are dealt out to so many queues, each in a line of the cache of its own: a word can be drawn from once in 2.3 ns
// only, by whomever. No more than a block has warps.
constexpr uint32_t QUEUES = 4;

struct alignas(128) Queue {
    uint32_t next;
};

// Upper bits of the numbers that are drawn from queues: which of two work vectors a solve uses, and which of two pivots.
// The pieces that there are leave them alone.
constexpr uint32_t WORK_BIT = 1u << 31, PIVOT_BIT = 1u << 30;

// Device state of one info.
struct State {
    uint32_t pivot[2];    // smallest row with a zero pivot in a solve, or NONE; with a prologue of its own it uses the second
    uint32_t ticket;      // next piece of work of a solve with a prologue
    uint32_t failed;      // set by the watchdog; sticky until the host resets the info
    uint32_t progress;    // grows now and then while a tile is walked; the watchdog looks at it
    Queue queue[QUEUES];  // next piece of each, which begins with its own number, and above it whose turn it is
};

template <class T>
struct MultiArgs;

template <class T>
struct SolveArgs {
    uint32_t n;
    uint32_t begin, end;   // what a launch solves: positions of one level, or slices
    uint32_t extra_count;  // further diagonal entries
    uint32_t row_permuted, col_permuted;
    uint32_t conjugate;
    uint32_t slices;
    uint32_t tiles;
    uint32_t backward;  // unknowns fall from the last to the first

    const uint32_t *order;
    const uint32_t *row_ptr, *row_adj, *row_val;
    const uint32_t *col_ptr, *col_adj, *col_val;
    const uint32_t *diag_index;  // nullptr: unit diagonal
    const uint2 *extra_diag;     // (position, value index), by rising position
    const uint32_t *counts;
    const uint2 *slice;          // rows for one warp: first position, rows | lanes of a row << 6 | way to gate << GATE_SHIFT; or a PART
    const uint4 *record;         // by position: row, diagonal index, first entry, first value; one more at the end
    const uint32_t *tile_step;   // first slice of each tile

    const T *val;
    const T *diag_values;
    const T *f;
    T *x;
    const T *alpha;  // nullptr: alpha_host
    T *work;
    alignas(16) unsigned char alpha_host[16];  // 16: a T is read from it

    uint32_t *counters;
    State *state;
    volatile uint32_t *host_failed;
    uint64_t timeout_ns;
    MultiArgs<T> *args_copy;  // where the prologue leaves a copy for the kernels of a graph, or nullptr
    const uint2 *node_row;   // of the nodal engine: own entries and diagonal of each row, by position
    uint32_t values;         // that the caller's array has
    uint32_t diag_in_rows;   // of nodes: 1 where each diagonal is in its place in its row
    uint32_t words;          // of a work vector: of positions, and behind them of the parts of long rows
    uint32_t unused;
};

// Arguments of a kernel for one or several right-hand sides: columns of f and x, `ldf` and `ldx` values apart; or by rows that are.
template <class T>
struct MultiArgs {
    SolveArgs<T> solve;
    uint64_t ldf, ldx;
    uint32_t columns;
    uint32_t by_rows;  // for the block engine only
    uint32_t unused[2];
};

// Arguments of a kernel in a graph: the solve's arguments lie in device memory.
template <class T>
struct LevelArgs {
    const MultiArgs<T> *args;
    uint32_t begin, end;
};

static_assert(sizeof(SolveArgs<double>) == 40 + 13 * 8 + 5 * 8 + 16 + 9 * 8, "mirror of args.rs");
static_assert(sizeof(MultiArgs<double>) == sizeof(SolveArgs<double>) + 32, "mirror of args.rs");
static_assert(sizeof(State) == 128 * (1 + QUEUES), "mirror of args.rs");
