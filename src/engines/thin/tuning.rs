//! Measured numbers of THIN.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// The same in the model: until its first row, for a row of real type, for an entry, for an entry of rows that are far longer than the others, and the part of the other engines' time that it must promise.
pub const THIN_START: Duration = Duration::from_nanos(9000);
pub const THIN_REAL_ROW: i64 = 22;
pub const THIN_ENTRY_SECONDS: f64 = 1.6e-9;
pub const THIN_LONG_ROW_SECONDS: f64 = 5e-9;
pub const THIN_ADVANTAGE: f64 = 0.8;
