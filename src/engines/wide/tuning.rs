//! Measured numbers of WIDE.
#![forbid(unsafe_code)]

pub use super::shared::*;

/// The most levels. Each is a launch, which takes some microseconds.
pub const WIDE_MOST_LEVELS: u32 = 1000;

/// In the model, beside a launch before the solve and one for each level: a row and an entry, in seconds.
pub const WIDE_ROW_SECONDS: f64 = 1.2e-11;
pub const WIDE_ENTRY_SECONDS: f64 = 0.355e-11;

/// AUTO takes WIDE only if few ranges of rows span more than 1 / WIDE_SPAN_PART of all levels.
pub const WIDE_SPAN_PART: u32 = 4;
