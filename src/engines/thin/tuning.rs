//! Measured numbers of THIN.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// In the model: the time before the first row, of a row, of what a row waits for that has far entries, and of a far entry.
pub const THIN_START: Duration = Duration::from_nanos(16000);
pub const THIN_ROW_SECONDS: f64 = 8.5e-9;
pub const THIN_FAR_ROW_SECONDS: f64 = 22e-9;
pub const THIN_ENTRY_SECONDS: f64 = 1.6e-9;
