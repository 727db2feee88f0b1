//! Measured numbers of ONE_WORD.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// The cache is taken to hold the unknowns where it has room for so many times as many.
pub const ONE_WORD_CACHED_PART: u64 = 2;

/// The most blocks on a multiprocessor where no row depends on another.
pub const ONE_LEVEL_BLOCKS: u32 = 16;

/// Levels of average width for which the one-word engine has warps, unless the widest level wants more: it
/// gets a warp for every so many of its slices.
pub const ONE_WORD_LEVELS_AHEAD: u64 = 12;
pub const ONE_WORD_PASSES: u64 = 2;

/// Slices that a warp of this engine or of NODAL has at least, unless there are too few for a block on each multiprocessor: where levels are
/// few, there are warps for fewer of them. Up to FEW_LEVELS it has the second number of them at least, where that gives
/// no more than so many warps on a multiprocessor: these are streamed rather than waited for.
pub const ONE_WORD_SLICES: u64 = 8;
pub const ONE_WORD_FEW_SLICES: u64 = 4;
pub const ONE_WORD_FEW_WARPS: u64 = 8;

/// So many ends are looked at in the model where most rows are of the lowest levels.
pub const NARROW_THIRDS: i32 = 10;

/// The one-word engine: its launch and end, a level, what it takes longer where rows have several lanes, and (in seconds)
/// a row, an entry, and an entry whose value lies scattered.
pub const ONE_WORD_START: Duration = Duration::from_nanos(4690);
pub const ONE_WORD_LEVEL: Duration = Duration::from_nanos(346);
pub const ONE_WORD_LANES: Duration = Duration::from_nanos(91);
pub const ONE_WORD_ROW_SECONDS: f64 = 2.7e-11;
pub const ONE_WORD_ENTRY_SECONDS: f64 = 0.8e-11;
pub const ONE_WORD_SCATTERED_SECONDS: f64 = 1.3e-11;

/// The same where levels are so wide that all is streamed: what an entry takes longer whose value lies scattered, and not in the cache,
/// comes last.
pub const STREAMED_START: Duration = Duration::from_nanos(6500);
pub const STREAMED_LEVEL: Duration = Duration::from_nanos(300);
pub const STREAMED_ROW_SECONDS: f64 = 1.9e-11;
pub const STREAMED_ENTRY_SECONDS: f64 = 0.49e-11;
pub const STREAMED_SCATTERED_SECONDS: f64 = 0.9e-11;
