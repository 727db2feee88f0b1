//! Wavefront strips: an order for tiles where ranges of the natural order do not overlap in time.
//!
//! A tile is a range of consecutive unknowns in some solving order. Where the natural order goes by levels, as after
//! reverse Cuthill-McKee, each range waits for the end of the one before. Here an unknown's place is its rank in its
//! level plus the shift of that level, and the shift grows from level to level by as much as some dependency's rank is
//! above the rank of its row:
//!
//!   place(i) = rank(i) + shift(level(i)),  shift(l) = shift(l - 1) + max(0, max of rank(j) - rank(i)),
//!
//! over all rows i of level l and their dependencies j. So no dependency has a larger place than its row, one with the
//! same place is of an earlier level, and to go by place, and by level where that is the same, is a solving order. In a
//! grid that is ordered by diagonals the places are its lines.
//!
//! Ranks count the unknowns of a level in solving order, or from its other end: in a grid these are the lines along the
//! one axis and along the other. What has fewer places has longer wavefront strips, which wait less for each other.
//!
//! kernels/analysis/setup_wavefront_strips.cuh finds the places. Here is what they have room in.
#![forbid(unsafe_code)]

/// The largest sum of what the shifts grow by both ways, where there are so many levels of so many unknowns at most; None
/// where it may not fit.
pub fn bound(levels: u32, widest: u32) -> Option<u32> {
    levels.checked_mul(widest)?.checked_mul(2)
}

/// Whether there is room for what the shifts grow by, both ways, in a word for each unknown.
pub fn fits(levels: u32, n: u32) -> bool {
    levels <= n / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(bound(1 << 15, (1 << 16) - 1), Some(u32::MAX - 65535));
        assert_eq!(bound(1 << 15, 1 << 16), None);
        assert!(!fits(9, 9) && !fits(9, 17) && fits(9, 18));
    }
}
