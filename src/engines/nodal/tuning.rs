//! Measured numbers of NODAL.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// Levels of average width for which it has warps.
pub const NODAL_LEVELS_AHEAD: u64 = 8;

/// In the model: a level of nodes, and (in seconds) an entry of a row.
pub const NODAL_LEVEL: Duration = Duration::from_nanos(475);
pub const NODAL_ENTRY_SECONDS: f64 = 0.2e-11;

/// A column of a row, in seconds, where groups of columns go beside each other.
pub const NODAL_COLUMN_ROW_SECONDS: f64 = 0.487e-10;
