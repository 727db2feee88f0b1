//! What a kernel gets, by value: the mirror of `kernels/device/args.cuh`, size-checked on both sides.
#![forbid(unsafe_code)]

/// Queues that slices are dealt out to.
const QUEUES: usize = 4;

/// Of what a solve finds in the first word of a queue: which of two pivots is its. It and the next bit count no pieces.
const PIVOT_BIT: u32 = 1 << 30;

/// Device state of one info. Kernels and host share this layout.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Smallest row (zero-based) with a zero pivot in a solve, or u32::MAX; with a prologue of its own it uses the second.
    pub pivot: [u32; 2],
    /// Next piece of work of a solve with a prologue.
    pub ticket: u32,
    /// Set by the watchdog; sticky until the host resets the info.
    pub failed: u32,
    /// Grows now and then while a tile is walked; the watchdog looks at it.
    pub progress: u32,
    pub padding: [u32; 27],
    /// Next piece of each queue, which begins with its own number, and above it whose turn it is, in the first word of each.
    pub queue: [[u32; 32]; QUEUES],
}

impl State {
    /// Pieces that queues can hand out: the numbers that are drawn in vain are fewer than these.
    pub const MOST_PIECES: u32 = PIVOT_BIT - (1 << 20);

    /// That of an info that has not solved, which reports this pivot. Mirrored in kernels/analysis/setup_arm.cuh.
    pub fn new(pivot: u32) -> State {
        State {
            pivot: [u32::MAX, pivot],
            ticket: 0,
            failed: 0,
            progress: 0,
            padding: [0; 27],
            queue: std::array::from_fn(|q| std::array::from_fn(|k| if k == 0 { q as u32 } else { 0 })),
        }
    }

    /// The pivot of the last solve: the one that is not the next one's.
    pub fn last_pivot(&self) -> u32 {
        self.pivot[(self.queue[0][0] & PIVOT_BIT == 0) as usize]
    }
}

/// Arguments of every solve kernel. Pointers are device addresses.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveArgs {
    pub n: u32,
    /// What a launch solves, `begin..end`: positions of one level, or slices.
    pub begin: u32,
    pub end: u32,
    /// Further diagonal entries (pairs in `extra_diag`).
    pub extra_count: u32,
    /// 1 where values are found by permutation (`*_val` per entry), 0 where contiguous (per position).
    pub row_permuted: u32,
    pub col_permuted: u32,
    /// 1 to conjugate matrix values.
    pub conjugate: u32,
    /// Number of slices.
    pub slices: u32,
    /// Number of tiles.
    pub tiles: u32,
    /// 1 where unknowns are solved from the last to the first.
    pub backward: u32,

    pub order: u64,
    pub row_ptr: u64,
    pub row_adj: u64,
    pub row_val: u64,
    pub col_ptr: u64,
    pub col_adj: u64,
    pub col_val: u64,
    /// Index of each position's diagonal value in `diag_values`; 0 for a unit diagonal.
    pub diag_index: u64,
    pub extra_diag: u64,
    pub counts: u64,
    /// Rows for one warp, or a part of one: `analysis::slices::Slice`; batches of tiles are four words.
    pub slice: u64,
    /// By position: row, diagonal index, first entry, first value; one more at the end.
    pub record: u64,
    /// First slice of each tile.
    pub tile_step: u64,

    pub val: u64,
    pub diag_values: u64,
    pub f: u64,
    pub x: u64,
    /// alpha on the device, or 0: then it is in `alpha_host`.
    pub alpha: u64,
    pub work: u64,
    pub alpha_host: [u8; 16],

    pub counters: u64,
    pub state: u64,
    /// Host-visible copy of `State::failed`.
    pub host_failed: u64,
    /// The watchdog in nanoseconds; 0 is off.
    pub timeout_ns: u64,
    /// Where the prologue leaves a copy of the arguments for the kernels of a graph, or 0.
    pub args_copy: u64,
    /// Of the nodal engine: own entries and diagonal index of each row, by position.
    pub node_row: u64,
    /// Number of values that the caller's array has.
    pub values: u32,
    /// Of the nodal engine: 1 where each diagonal value is in its place in its row.
    pub diag_in_rows: u32,
    /// Words of a work vector: of positions, and behind them of the parts of long rows.
    pub words: u32,
    pub unused: u32,
}

/// Arguments of a kernel for one or several right-hand sides.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiArgs {
    pub solve: SolveArgs,
    /// Values from one column of `f` and of `x` to the next, or from one row where they are stored by rows.
    pub ldf: u64,
    pub ldx: u64,
    /// Number of columns.
    pub columns: u32,
    pub by_rows: u32,
    pub unused: [u32; 2],
}

impl MultiArgs {
    /// Those of a solve for one right-hand side.
    pub fn one_column(solve: &SolveArgs) -> MultiArgs {
        MultiArgs { solve: *solve, columns: 1, ..Default::default() }
    }
}

const _: () = assert!(std::mem::size_of::<MultiArgs>() == std::mem::size_of::<SolveArgs>() + 32);
const _: () = assert!(std::mem::size_of::<SolveArgs>() == 40 + 13 * 8 + 5 * 8 + 16 + 9 * 8);
// A kernel reads a value of up to 16 bytes from there.
const _: () = assert!(std::mem::offset_of!(SolveArgs, alpha_host) % 16 == 0);
const _: () = assert!(std::mem::size_of::<State>() == 128 * (1 + QUEUES));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pivot_is_not_the_next_one() {
        let mut state = State::new(7);
        assert_eq!((state.last_pivot(), state.pivot[0]), (7, u32::MAX));
        // The first solve uses the first one, and passes the second one on.
        state.pivot = [3, u32::MAX];
        for queue in &mut state.queue {
            queue[0] |= PIVOT_BIT;
        }
        assert_eq!(state.last_pivot(), 3);
    }
}
