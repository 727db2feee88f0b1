//! Panels: up to 32 rows that a block of the panel engine solves together.
//!
//! Unknowns that each depend on the one before form a chain. Chains are cut into segments of at most 32 unknowns; a panel is a
//! segment, or several of one level. In the complete factor of a sparse matrix whatever depends on an unknown depends on its
//! ancestors in the elimination tree too (Liu, The role of elimination trees in sparse factorization, 1990), and a chain is a
//! path of that tree: so a panel waits for hardly more than its rows would by themselves.
#![forbid(unsafe_code)]

pub use super::shared::panels::SegmentCounts;

/// The level that stands for a segment's: that of its first, or of its last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    ByFirst,
    ByLast,
}

impl SegmentCounts {
    /// The order in which each segment comes after all that it depends on, if one does.
    pub fn order(self) -> Option<Order> {
        match self.unordered {
            [0, _] => Some(Order::ByLast),
            [_, 0] => Some(Order::ByFirst),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_go_by_the_level_that_puts_them_in_order() {
        let order = |by_last, by_first| {
            SegmentCounts { unordered: [by_last, by_first], ..SegmentCounts::default() }.order()
        };
        assert_eq!(order(0, 0), Some(Order::ByLast));
        assert_eq!(order(0, 7), Some(Order::ByLast));
        assert_eq!(order(7, 0), Some(Order::ByFirst));
        assert_eq!(order(7, 7), None);
    }
}
