//! Measured numbers of BLOCK.
#![forbid(unsafe_code)]

use std::time::Duration;

pub use super::shared::*;

/// Warps run ahead by so many levels of average width.
pub const BLOCK_LEVELS_AHEAD: u64 = 16;

/// Entries of a row that a warp of it asks for at once.
pub const BLOCK_ENTRIES: u64 = 32;

/// The fewest and the most right-hand sides that it has kernels for, which are powers of two; and the least of the most that a
/// buffer has room for.
pub const BLOCK_FEWEST_COLUMNS: u32 = 16;
pub const BLOCK_COLUMNS: u32 = 32;
pub const BLOCK_MOST_COLUMNS: u32 = 64;

/// A level, and (in seconds) a row, a column of a row, and a column of an entry.
pub const BLOCK_LEVEL: Duration = Duration::from_nanos(570);
pub const BLOCK_ROW_SECONDS: f64 = 0.3e-9;
pub const BLOCK_COLUMN_SECONDS: f64 = 0.125e-10;
pub const BLOCK_ENTRY_SECONDS: f64 = 0.06e-11;
