//! Measured numbers of THIN.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// In the model: the time before the first row, of a row of real type (in nanoseconds), and of an entry that is not near.
pub const THIN_START: Duration = Duration::from_nanos(9000);
pub const THIN_REAL_ROW: i64 = 22;
pub const THIN_ENTRY_SECONDS: f64 = 1.6e-9;
