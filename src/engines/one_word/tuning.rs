//! Measured numbers of ONE_WORD.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// The cache is taken to hold the unknowns where it has room for so many times as many.
pub const ONE_WORD_CACHED_PART: u64 = 2;

/// The most blocks on a multiprocessor where no row depends on another.
pub const ONE_LEVEL_BLOCKS: u32 = 16;

/// Levels of average width for which it has warps, unless the widest level wants more.
pub const ONE_WORD_LEVELS_AHEAD: u64 = 12;

/// So many ends are looked at in the model where most rows are of the lowest levels.
pub const NARROW_THIRDS: i32 = 10;

/// In the model: a level, what it takes longer where rows have several lanes, and (in seconds) a row, an entry, and an entry whose
/// value lies scattered.
pub const ONE_WORD_LEVEL: Duration = Duration::from_nanos(346);
pub const ONE_WORD_LANES: Duration = Duration::from_nanos(91);
pub const ONE_WORD_ROW_SECONDS: f64 = 2.7e-11;
pub const ONE_WORD_ENTRY_SECONDS: f64 = 0.8e-11;
pub const ONE_WORD_SCATTERED_SECONDS: f64 = 1.3e-11;

/// The same where levels are so wide that all is streamed. Last comes what an entry takes longer, by WIDE as well, whose value lies
/// scattered, and not in the cache.
pub const STREAMED_START: Duration = Duration::from_nanos(6500);
pub const STREAMED_LEVEL: Duration = Duration::from_nanos(300);
pub const STREAMED_ROW_SECONDS: f64 = 1.9e-11;
pub const STREAMED_ENTRY_SECONDS: f64 = 0.49e-11;
pub const STREAMED_SCATTERED_SECONDS: f64 = 0.7e-11;
