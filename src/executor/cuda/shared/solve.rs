//! Arguments of solves, and the state of an info on the device.
#![forbid(unsafe_code)]

use super::{ConstPtr, MutPtr, VolatilePtr};

/// Work items are dealt out to so many queues, each in a line of the cache of its own: one counter serves a ticket every 2.3
/// ns only. No more than a block has warps.
pub const QUEUES: u32 = 4;

/// Upper bits of the tickets of queues, the parity of a solve: which of two work vectors a solve uses, and which of two
/// pivots. The pieces that there are leave them alone.
pub const WORK_BIT: u32 = 0x8000_0000;
pub const PIVOT_BIT: u32 = 0x4000_0000;

#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Its next piece. A queue begins with its own number.
    pub next: u32,
}

/// Device state of one info.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Smallest row (zero-based) with a zero pivot in a solve, or NONE; with a prologue of its own it uses the second.
    pub pivot: [u32; 2],
    /// Next piece of work of a solve with a prologue.
    pub ticket: u32,
    /// Set by the watchdog; sticky until the host resets the info.
    pub failed: u32,
    /// Grows now and then while a tile is walked; the watchdog polls it.
    pub progress: u32,
    /// Next piece of each, and above its number which pivot and which work vector are next.
    pub queue: [Queue; QUEUES as usize],
}

/// Arguments of every solve kernel. The alignment is that of the largest value, which is read from `alpha_host`.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveArgs /*<T>*/ {
    pub n: u32,
    /// What a launch solves, `begin..end`: positions of one level, or work items.
    pub begin: u32,
    pub end: u32,
    /// Further diagonal entries.
    pub extra_count: u32,
    /// 1 where values are found by permutation (`*_val` per entry), 0 where contiguous (per position).
    pub row_permuted: u32,
    pub col_permuted: u32,
    /// 1 to conjugate matrix values.
    pub conjugate: u32,
    /// Number of work items.
    pub work_items: u32,
    /// Number of tiles.
    pub tiles: u32,
    /// 1 where unknowns are solved from the last to the first.
    pub backward: u32,

    pub order: ConstPtr,   // <u32>
    pub row_ptr: ConstPtr, // <u32>
    pub row_adj: ConstPtr, // <u32>
    pub row_val: ConstPtr, // <u32>
    pub col_ptr: ConstPtr, // <u32>
    pub col_adj: ConstPtr, // <u32>
    pub col_val: ConstPtr, // <u32>
    /// Index of each position's diagonal value in `diag_values`; null for a unit diagonal.
    pub diag_index: ConstPtr, // <u32>
    /// Position and value index, by rising position.
    pub extra_diag: ConstPtr, // <uint2>
    pub counts: ConstPtr,  // <u32>
    /// Rows for one warp: first position, and rows | lanes of a row << ITEM_LANES_SHIFT | way to the run-ahead limit << RUN_AHEAD_SHIFT;
    /// or a SEGMENT. Batches of tiles are four words.
    pub work_item: ConstPtr, // <uint2>
    /// By position: row, diagonal index, first entry, first value; one more at the end.
    pub record: ConstPtr, // <uint4>
    /// First work item of each tile.
    pub tile_step: ConstPtr, // <u32>

    pub val: ConstPtr,         // <T>
    pub diag_values: ConstPtr, // <T>
    pub f: ConstPtr,           // <T>
    pub x: MutPtr,             // <T>
    /// alpha on the device, or null: then it is in `alpha_host`.
    pub alpha: ConstPtr, // <T>
    pub work: MutPtr,          // <T>
    pub alpha_host: [u8; 16],

    pub counters: MutPtr, // <u32>
    pub state: MutPtr,    // <State>
    /// Host-visible copy of `State::failed`.
    pub host_failed: VolatilePtr, // <u32>
    /// The watchdog in nanoseconds; 0 is off.
    pub timeout_ns: u64,
    /// Where the prologue leaves a copy of its `MultiArgs` for the kernels of a graph, or null.
    pub args_copy: MutPtr, // <void>
    /// Of a schedule by nodes: own entries and diagonal index of each row, by position.
    pub node_row: ConstPtr, // <uint2>
    /// Number of values that the caller's array has.
    pub values: u32,
    /// Of a schedule by nodes: 1 where each diagonal value is in its place in its row.
    pub diag_in_rows: u32,
    /// Words of a work vector: of positions, and behind them of the segments of long rows.
    pub words: u32,
    /// Whether x becomes the reciprocal of what is left of f, as factorisations want it: then the diagonal is one.
    pub inverts: u32,
}

// A value is read from there.
const _: () = assert!(std::mem::offset_of!(SolveArgs, alpha_host) % 16 == 0);

/// Arguments of a kernel for one or several right-hand sides.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiArgs /*<T>*/ {
    pub solve: SolveArgs, // <T>
    /// Values from one column of `f` and of `x` to the next, or from one row where they are stored by rows.
    pub ldf: u64,
    pub ldx: u64,
    /// Number of columns.
    pub columns: u32,
    /// Whether they are stored by rows, which the block engine alone reads.
    pub by_rows: u32,
}

/// Arguments of a kernel in a graph: the solve's arguments lie in device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LevelArgs /*<T>*/ {
    pub args: ConstPtr, // <MultiArgs<T>>
    pub begin: u32,
    pub end: u32,
}
