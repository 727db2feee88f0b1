//! Locality order: an order of the rows of a level in which those that wait for unknowns side by side lie side by side.
//!
//! The parent of a row is, of the unknowns of the level before its own that it depends on, the last one in solving order. A group
//! is what has descended from one row, its head, in the levels up to the next multiple of `LOCALITY_LEVELS`, where every row is the
//! head of a group again. Rows of a level go by the places of their heads in their levels, and ascend inside a group. So the
//! parents of rows beside each other lie beside each other, except in one level of so many.
//!
//! A warp of the one-word engine then looks for the youngest unknowns of its rows in a few lines of the cache; in the order
//! of the rows' numbers these may lie anywhere in the level before. docs/performance.md says what that gains.
//!
//! kernels/analysis/setup_locality.cuh puts rows in that order. Here is where it is worth it.
#![forbid(unsafe_code)]

use crate::tuning::{
    FEW_LEVELS, LOCALITY_ENTRIES, LOCALITY_FEW_LEVELS, LOCALITY_LONG_ROW, LOCALITY_NARROWEST,
    LOCALITY_SMALLEST, LOCALITY_WIDEST,
};

/// Whether rows should go in locality order: `entries` are those beside the diagonal. Where a pattern has lines the rows of a level
/// lie as they should already. In wide levels of short rows not the polls decide, but how many lines of the
/// cache all else is in, which then is side by side no more. And a solve that is over soon has little to gain by what takes the
/// analysis some 80 microseconds.
pub fn are_worth_it(n: u32, entries: u32, levels: u32, has_lines: bool) -> bool {
    let width = n / levels.max(1);
    let rows_are_long = entries as u64 >= LOCALITY_LONG_ROW * n as u64;
    let takes_long = levels >= LOCALITY_FEW_LEVELS || entries >= LOCALITY_ENTRIES;
    let fits = place_bits(levels) + level_bits(levels) < u32::BITS;
    !has_lines
        && n >= LOCALITY_SMALLEST
        && takes_long
        && levels as usize > FEW_LEVELS
        && width >= LOCALITY_NARROWEST
        && (width <= LOCALITY_WIDEST || rows_are_long)
        && fits
}

fn level_bits(levels: u32) -> u32 {
    u32::BITS - levels.saturating_sub(1).leading_zeros()
}

/// Bits that tell where in its level a head is. A key is a level and these; that has 24 bits if so many are enough, as it is
/// sorted 8 by 8.
pub fn place_bits(levels: u32) -> u32 {
    24u32.saturating_sub(level_bits(levels)).max(12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_it_gains() {
        assert!(are_worth_it(1_228_045, 3_070_000, 1239, false));
        assert!(!are_worth_it(1_228_045, 3_070_000, 1239, true));
        // Wide levels, of short rows and of long ones; narrow ones; few; and a small system.
        assert!(!are_worth_it(2_000_000, 8_000_000, 59, false));
        assert!(are_worth_it(2_000_000, 26_000_000, 59, false));
        assert!(!are_worth_it(400_000, 2_000_000, 3000, false));
        assert!(!are_worth_it(100_000, 2_000_000, 24, false));
        assert!(!are_worth_it(30_000, 200_000, 60, false));
        assert!(!are_worth_it(160_000, 1_000_000, 33, false));
        // Keys of three digits, or of four.
        assert_eq!([2, 59, 1239, 4096, 4097, 1 << 20].map(place_bits), [23, 18, 13, 12, 12, 12]);
    }
}
