//! Measured numbers of WIDE.
#![forbid(unsafe_code)]

pub use super::shared::*;

/// The most levels that it launches, some microseconds each.
pub const WIDE_MOST_LEVELS: u32 = 1000;

/// Beside a launch for each level and one before (in seconds): a row and an entry.
pub const WIDE_ROW_SECONDS: f64 = 1.2e-11;
pub const WIDE_ENTRY_SECONDS: f64 = 0.355e-11;

/// AUTO takes it where hardly any range of unknowns is of more than that part of all levels.
pub const WIDE_SPAN_PART: u32 = 4;
