//! Measured numbers of WIDE.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// The most levels that it launches, some microseconds each.
pub const WIDE_MOST_LEVELS: u32 = 1000;

/// Its start and end, a level, and (in seconds) a row, an entry, and what an entry takes longer whose value lies scattered, the
/// second where the cache holds them all.
pub const WIDE_START: Duration = Duration::from_nanos(2000);
pub const WIDE_LEVEL: Duration = Duration::from_nanos(2400);
pub const WIDE_ROW_SECONDS: f64 = 1.2e-11;
pub const WIDE_ENTRY_SECONDS: f64 = 0.355e-11;
pub const WIDE_SCATTERED_SECONDS: f64 = 0.7e-11;
pub const WIDE_CACHED_SECONDS: f64 = 0.25e-11;

/// AUTO takes it where hardly any range of unknowns is of more than that part of all levels.
pub const WIDE_SPAN_PART: u32 = 4;
