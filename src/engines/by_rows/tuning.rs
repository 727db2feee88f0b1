//! Measured numbers of engines by rows.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// There are warps for the widest level: one for every ROWS_PASSES of its work items.
pub const ROWS_PASSES: u64 = 2;

/// Least work items of a warp, unless these are too few for a block on each multiprocessor. With at most FEW_LEVELS levels, a solve is
/// limited by memory, and ROWS_FEW_WORK_ITEMS is the least number, if that gives at most ROWS_FEW_WARPS warps on a multiprocessor.
pub const ROWS_WORK_ITEMS: u64 = 8;
pub const ROWS_FEW_WORK_ITEMS: u64 = 4;
pub const ROWS_FEW_WARPS: u64 = 8;

/// In the model: a launch and the end of the kernel.
pub const ROWS_START: Duration = Duration::from_nanos(4690);
