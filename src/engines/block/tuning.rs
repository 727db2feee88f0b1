//! Measured numbers of BLOCK.
#![forbid(unsafe_code)]

pub use super::shared::*;

/// Warps run ahead by so many levels of average width.
pub const BLOCK_LEVELS_AHEAD: u64 = 16;

/// Entries of a row that a warp of it asks for at once.
pub const BLOCK_ENTRIES: u64 = 32;

/// Right-hand sides that it takes at once, and half of them, which it has kernels for too.
pub const BLOCK_COLUMNS: u32 = 32;
pub const BLOCK_FEW_COLUMNS: u32 = 16;

/// Right-hand sides from which on AUTO leaves all of them to it.
pub const BLOCK_LEAST_COLUMNS: i64 = 16;
