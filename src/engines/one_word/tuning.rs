//! Measured numbers of ONE_WORD.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// The cache counts as holding the unknowns if it has room for ONE_WORD_CACHED_PART times their bytes.
pub const ONE_WORD_CACHED_PART: u64 = 2;

/// The most blocks on a multiprocessor for patterns of one level.
pub const ONE_LEVEL_BLOCKS: u32 = 16;

/// There are warps for this many levels of average width, or more if the widest level needs more.
pub const ONE_WORD_LEVELS_AHEAD: u64 = 12;

/// In the model: how many narrow ends are considered where most rows are in the lowest levels.
pub const NARROW_THIRDS: i32 = 10;

/// In the model: the time of a level, what it takes longer if rows have several lanes, and, in seconds, the time of a row, of an entry
/// with its value in storage order, and of one with its value elsewhere.
pub const ONE_WORD_LEVEL: Duration = Duration::from_nanos(346);
pub const ONE_WORD_LANES: Duration = Duration::from_nanos(91);
pub const ONE_WORD_ROW_SECONDS: f64 = 2.7e-11;
pub const ONE_WORD_ENTRY_SECONDS: f64 = 0.8e-11;
pub const ONE_WORD_SCATTERED_SECONDS: f64 = 1.3e-11;

/// The same where levels are so wide that memory limits the solve: the start, a level, and, in seconds, a row and an entry. The last one
/// is what an entry takes longer, by WIDE as well, if its value is not in storage order and not in the cache.
pub const STREAMED_START: Duration = Duration::from_nanos(6500);
pub const STREAMED_LEVEL: Duration = Duration::from_nanos(300);
pub const STREAMED_ROW_SECONDS: f64 = 1.9e-11;
pub const STREAMED_ENTRY_SECONDS: f64 = 0.49e-11;
pub const STREAMED_SCATTERED_SECONDS: f64 = 0.7e-11;
