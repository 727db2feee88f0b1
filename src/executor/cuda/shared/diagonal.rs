//! Arguments of the search for diagonal entries.
#![forbid(unsafe_code)]

use super::{MutPtr, Pattern};

/// Threads of a block that looks for diagonal entries.
pub const DIAGONAL_BLOCK: u32 = 256;

/// What such a block counts: rows of more entries than each of these.
pub const DIAGONAL_LENGTHS: usize = 3;
pub const DIAGONAL_LONGER: u32 = 8;
pub const DIAGONAL_MUCH_LONGER: u32 = 32;
pub const DIAGONAL_LONGEST: u32 = 64;

/// What is found of all rows. The first two are NONE where there is no such row.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DiagonalsFound {
    /// The smallest row whose columns do not ascend.
    pub unsorted: u32,
    /// The smallest row without a diagonal entry.
    pub missing: u32,
    /// How many rows are longer than each of these lengths.
    pub longer: [u32; DIAGONAL_LENGTHS],
    /// How many are longer up to their diagonal entries, with these.
    pub longer_lower: [u32; DIAGONAL_LENGTHS],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DiagonalArgs {
    pub pattern: Pattern,
    /// By row: where its diagonal entry lies, or NONE.
    pub place: MutPtr, // <u32>
    pub found: MutPtr, // <DiagonalsFound>
}
