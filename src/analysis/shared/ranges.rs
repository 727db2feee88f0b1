//! What is known of the levels of a range of rows.
#![forbid(unsafe_code)]

/// Levels farther than that from the middle row's count as that far when rows are left out.
pub const FARTHEST: i64 = 0x40000;

/// The levels of some rows, and of those that are not far from the others: their number, their sum, and that of their squares.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LevelSpan {
    pub low: u32,
    pub high: u32,
    pub kept: u32,
    pub unused: u32,
    pub sum: u64,
    pub squares: u64,
}
