//! What kernels of TILED and of its part of the analysis know too.
#![forbid(unsafe_code)]

/// Warps in a block; fewer with permuted values, narrow levels or several right-hand sides, and more where no row has more than
/// TILED_SHORT entries.
pub const TILED_WARPS: u32 = 12;
pub const TILED_FEW_WARPS: u32 = 8;
pub const TILED_MANY_WARPS: u32 = 16;

/// Entries that a lane holds at a time, half as many in type z; half of them may depend on the same batch. And where no row has
/// more than the second number.
pub const TILED_ENTRIES: u32 = 8;
pub const TILED_SHORT: u32 = 4;

/// Unknowns in the window, and bytes before it.
pub const TILED_WINDOW: u32 = 4096;
pub const TILED_HEAD: u32 = 1184;

/// Unfinished batches are of so many rounds of a block's warps, and lie within so many positions.
pub const TILED_ROUNDS: u32 = 2;
pub const TILED_SPREAD: u32 = (TILED_ROUNDS * TILED_MANY_WARPS + 1) * 32;

/// Marks a code of an unknown in the window, and with it one of an unknown in the same batch, whose lane is from
/// LANE_SHIFT on. What is not in the window points to the cell behind it.
pub const HIGH_BIT: u32 = 0x8000_0000;
pub const NEXT_BIT: u32 = 0x4000_0000;
pub const LANE_SHIFT: u32 = 16;

/// Blocks of a cluster that forward unknowns.
pub const TILED_CLUSTER: u32 = 8;

/// A round of a long row takes as long as so many batches take a multiprocessor; and the most lanes that a row may want.
pub const TILED_ROUND_BATCHES: u32 = 10;
pub const TILED_MOST_WANTED: u32 = 255;

/// From one level of a batch to the next: rows of a later level keep those of an earlier one waiting.
pub const TILED_MOST_GAP: u32 = 2;
