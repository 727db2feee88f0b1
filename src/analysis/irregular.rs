//! Irregular patterns: what a row depends on lies anywhere, and elsewhere than what the row beside it depends on. So it is in
//! random orders, and not in grids, meshes with a narrow band, nested dissection, and orders by colours.
//!
//! There no line of the cache that a row asks for is of use to the next ones, and of values that lie scattered memory delivers
//! many times as much as is wanted. Some thousand rows, each beside the next one, are looked at.
//!
//! kernels/analysis/setup_irregular.cuh looks at them, and gathers values piece by piece. Here is what counts.
#![forbid(unsafe_code)]

use crate::tuning::*;

/// What was found: entries that were looked at, and how many of them are irregular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub entries: u32,
    pub irregular: u32,
}

impl Sample {
    /// Whether so many unknowns are worth a look.
    pub fn is_wanted(n: u32) -> bool {
        n >= IRREGULAR_SMALLEST
    }

    /// Where a third of them are. In random orders nine of ten are, in layers of rows that depend on any earlier ones four to
    /// eight, and in grids, meshes, nested dissection and orders by colours less than a quarter.
    pub fn is_irregular(self) -> bool {
        3 * self.irregular > self.entries
    }
}

/// Values of a piece of the caller's `nnz`: such pieces fit into the cache, unless there would be too many.
pub fn piece(nnz: u32, value_bytes: u32) -> u32 {
    (GATHER_PIECE_BYTES / value_bytes).max(nnz.div_ceil(GATHER_MOST_PIECES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_holds_a_piece() {
        // And there are not too many.
        assert_eq!(piece(10_000_000, 8) * 8, GATHER_PIECE_BYTES);
        assert_eq!(piece(u32::MAX, 8), u32::MAX.div_ceil(GATHER_MOST_PIECES));
    }
}
