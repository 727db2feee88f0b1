//! Measured numbers of engines by rows.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// The widest level gets a warp for every so many of its work items.
pub const ROWS_PASSES: u64 = 2;

/// Work items that a warp has at least, unless there are too few for a block on each multiprocessor: where levels are few, there
/// are warps for fewer of them. Up to FEW_LEVELS it has the second number of them at least, where that gives no more than so many
/// warps on a multiprocessor: these are streamed rather than waited for.
pub const ROWS_WORK_ITEMS: u64 = 8;
pub const ROWS_FEW_WORK_ITEMS: u64 = 4;
pub const ROWS_FEW_WARPS: u64 = 8;

/// In the model: a launch and its end.
pub const ROWS_START: Duration = Duration::from_nanos(4690);
