//! Panels: up to 32 rows that a block of the panel engine solves together.
//!
//! Unknowns that each depend on the one before form a chain. Chains are cut into segments of at most 32 unknowns. A segment's level is
//! one above the highest of the segments that its unknowns depend on, and a panel is a segment, or several of one level. In the complete
//! factor of a sparse matrix whatever depends on an unknown depends on its ancestors in the elimination tree too (Liu, The role of
//! elimination trees in sparse factorization, 1990), and a chain is a path of that tree: so a panel waits for hardly more than its rows
//! would by themselves.
#![forbid(unsafe_code)]

pub use super::shared::panels::SegmentCounts;
use super::shared::panels::PANEL_PIECE;
use crate::tuning::PANEL_LONG_ROWS;

/// Whether rows are long on average: then blocks have many warps.
pub fn rows_are_long(entries: u32, n: u32) -> bool {
    u64::from(entries) >= u64::from(n) * u64::from(PANEL_LONG_ROWS)
}

/// Entries of a piece of a row. Blocks of many warps keep up with whole rows.
pub fn piece(entries: u32, n: u32) -> u32 {
    if rows_are_long(entries, n) {
        u32::MAX
    } else {
        PANEL_PIECE
    }
}
