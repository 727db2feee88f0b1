//! Measured numbers of ONE_WORD.
#![forbid(unsafe_code)]

use std::time::Duration;

/// Threads in a block of the one-word engine, and the most blocks on a multiprocessor; more where the cache holds so
/// many times the unknowns, and values are of 8 bytes at most. Mirrored in kernels/one_word/one_word.cu.
pub const ONE_WORD_BLOCK: u32 = 128;
pub const ONE_WORD_BLOCKS: u32 = 4;
pub const ONE_WORD_BLOCKS_CACHED: u32 = 5;
pub const ONE_WORD_CACHED_PART: u64 = 2;

/// Right-hand sides that a lane of it takes, where a solve has several. Mirrored in kernels/one_word/one_word.cuh.
pub const ONE_WORD_PER_LANE: u32 = 2;

/// The most blocks on a multiprocessor where no row depends on another.
pub const ONE_LEVEL_BLOCKS: u32 = 16;

/// Levels of average width for which the one-word engine has warps, unless the widest level wants more: it
/// gets a warp for every so many of its slices.
pub const ONE_WORD_LEVELS_AHEAD: u64 = 12;
pub const ONE_WORD_PASSES: u64 = 2;

/// Slices that a warp of this engine or of NODAL has at least, unless there are too few for a block on each multiprocessor: where levels are
/// few, there are warps for fewer of them. Up to so many levels it has the second number of them at least, where that gives
/// no more than so many warps on a multiprocessor: these are streamed rather than waited for.
pub const ONE_WORD_SLICES: u64 = 8;
pub const ONE_WORD_FEW_SLICES: u64 = 4;
pub const ONE_WORD_FEW_WARPS: u64 = 8;
pub const ONE_WORD_FEW_LEVELS: usize = 32;

/// Entries that one lane of the one-word engine takes before another lane joins in on the row.
pub const ONE_WORD_ENTRIES_PER_LANE: u32 = 8;

/// The narrow end of a matrix, which the one-word engine leaves to one cluster: the warps of a block, and what it has of
/// shared memory for its ring, in bytes. Mirrored in kernels/one_word/one_word_narrow.cuh.
pub const NARROW_WARPS: u32 = 8;
pub const NARROW_RING: u32 = 128 << 10;

/// What each of its levels gains and each slice loses, and what its launch costs in place of another and behind it, in
/// nanoseconds. Mirrored in kernels/analysis/setup_slices.cuh.
pub const NARROW_LEVEL: i64 = 200;
pub const NARROW_SLICE: i64 = 20;
pub const NARROW_LAUNCH: i64 = 4000;
pub const NARROW_SPLIT: i64 = 10_000;

/// In the model most rows are of the lowest levels where the average level is below this part of all, and so many ends are looked at.
pub const NARROW_SKEW: f64 = 0.1;
pub const NARROW_THIRDS: i32 = 10;

/// The one-word engine: its launch and end, a level, what it takes longer where rows have several lanes, and (in seconds)
/// a row, an entry, and an entry whose value lies scattered.
pub const ONE_WORD_START: Duration = Duration::from_nanos(4690);
pub const ONE_WORD_LEVEL: Duration = Duration::from_nanos(346);
pub const ONE_WORD_LANES: Duration = Duration::from_nanos(91);
pub const ONE_WORD_ROW_SECONDS: f64 = 2.7e-11;
pub const ONE_WORD_ENTRY_SECONDS: f64 = 0.8e-11;
pub const ONE_WORD_SCATTERED_SECONDS: f64 = 1.3e-11;

/// The same where levels are so wide that all is streamed: what an entry takes longer whose value lies scattered comes last, the second
/// where the cache holds them all.
pub const STREAMED_START: Duration = Duration::from_nanos(6500);
pub const STREAMED_LEVEL: Duration = Duration::from_nanos(300);
pub const STREAMED_ROW_SECONDS: f64 = 1.9e-11;
pub const STREAMED_ENTRY_SECONDS: f64 = 0.49e-11;
pub const STREAMED_SCATTERED_SECONDS: f64 = 0.9e-11;
pub const STREAMED_CACHED_SECONDS: f64 = 0.18e-11;
