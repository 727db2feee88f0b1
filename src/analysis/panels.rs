//! Panels: up to 32 rows that a block of the panel engine solves together.
//!
//! Unknowns that each depend on the one before form a chain. Chains are cut into segments of at most 32 unknowns; a panel is a
//! segment, or several of one level. In the complete factor of a sparse matrix whatever depends on an unknown depends on its
//! ancestors in the elimination tree too (Liu, The role of elimination trees in sparse factorization, 1990), and a chain is a
//! path of that tree: so a panel waits for hardly more than its rows would by themselves.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::model;
use crate::tuning::{
    PANEL_ADVANTAGE, PANEL_BLOCKS_OF_GPU, PANEL_ENTRY_SECONDS, PANEL_HOP, PANEL_LEVEL, PANEL_ROWS,
    PANEL_SECONDS, PANEL_START, PANEL_WAITS,
};

/// The level that stands for a segment's: that of its first, or of its last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    ByFirst,
    ByLast,
}

/// What is known of the segments of a pattern. Of the entries that depend on another segment, `[by last, by first]` row: those by
/// which segments are not in order, and those that wait for rows that they would not wait for by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub unordered: [u32; 2],
    pub wait: [u32; 2],
    pub segments: u32,
    /// From segment to segment on the longest path, about, times `HOP`.
    pub hops: u64,
}

/// Mirrored in kernels/setup_panels.cuh, as are `SIZES` and the layout of the words.
const HOP: f64 = 1024.0;

impl Counts {
    /// Words of the kernels' counts.
    pub const WORDS: usize = 8;
    pub const ROWS: u32 = PANEL_ROWS;
    /// Sizes of segments, rounded up to a power of two.
    pub const SIZES: u32 = 6;

    pub fn of_words(words: &[u32]) -> Counts {
        let hops = words[6] as u64 | (words[7] as u64) << 32;
        Counts { unordered: [words[0], words[1]], wait: [words[2], words[3]], segments: words[4], hops }
    }

    /// The order in which each segment comes after all that it depends on, if one does.
    pub fn order(self) -> Option<Order> {
        match self.unordered {
            [0, _] => Some(Order::ByLast),
            [_, 0] => Some(Order::ByFirst),
            _ => None,
        }
    }

    /// Time of a solve by panels, if rows hardly wait longer than by themselves. The segments are of nodes where `counts` are.
    pub fn predict(self, counts: model::Counts) -> Option<Duration> {
        self.order()?;
        let waits = self.wait[0].min(self.wait[1]) as f64;
        (waits <= PANEL_WAITS * counts.entries as f64).then(|| time(counts, self.hops as f64 / HOP))
    }
}

/// Time of a solve by panels that hardly wait longer than their rows, with so many hops from one to another.
fn time(counts: model::Counts, hops: f64) -> Duration {
    let rows = counts.of_rows();
    let panels = (rows.n / PANEL_ROWS) as f64 / PANEL_BLOCKS_OF_GPU;
    let moved = rows.entries as f64 * PANEL_ENTRY_SECONDS + panels * PANEL_SECONDS;
    let path = PANEL_LEVEL.mul_f64(rows.levels as f64) + PANEL_HOP.mul_f64(hops);
    let time = PANEL_START + path + Duration::from_secs_f64(moved);
    time.mul_f64(rows.of_type().thin)
}

/// Whether panels are worth a look, where something else is predicted to take so long.
pub fn may_be_faster(counts: model::Counts, predicted: Duration) -> bool {
    let least = counts.of_rows().levels as f64 / PANEL_ROWS as f64;
    time(counts, least) < predicted.mul_f64(PANEL_ADVANTAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::model::tests::counts_of;

    const MICROSECOND: Duration = Duration::from_micros(1);

    #[test]
    fn segments_go_by_the_level_that_puts_them_in_order() {
        let order =
            |by_last, by_first| Counts { unordered: [by_last, by_first], ..Counts::default() }.order();
        assert_eq!(order(0, 0), Some(Order::ByLast));
        assert_eq!(order(0, 7), Some(Order::ByLast));
        assert_eq!(order(7, 0), Some(Order::ByFirst));
        assert_eq!(order(7, 7), None);
    }

    #[test]
    fn panels_are_for_rows_that_hardly_wait_longer() {
        let rows = counts_of(30_000, 8_000_000, 2400);
        let predicted = |wait, unordered, hops| {
            Counts { unordered, wait: [wait; 2], segments: 2500, hops: hops * HOP as u64 }.predict(rows)
        };
        let time = predicted(0, [0, 9], 75).unwrap();
        assert!(time > 2400 * PANEL_LEVEL + 75 * PANEL_HOP && time < 2400 * PANEL_LEVEL + 150 * PANEL_HOP);
        assert_eq!(predicted(70_000, [0, 9], 75), Some(time));
        // As in a grid, where a line keeps the next one waiting.
        assert_eq!(predicted(90_000, [0, 9], 75), None);
        assert_eq!(predicted(0, [9, 9], 75), None);
        // As in a mesh where each row is a segment.
        assert!(predicted(0, [0, 9], 2400).unwrap() > 2400 * PANEL_HOP);
    }

    #[test]
    fn panels_are_looked_at_where_levels_are_many_and_slow() {
        assert!(may_be_faster(counts_of(30_000, 8_000_000, 2400), 1000 * MICROSECOND));
        assert!(!may_be_faster(counts_of(30_000, 8_000_000, 2400), 200 * MICROSECOND));
        // 5-pt 1024 x 1024 in tiles.
        assert!(!may_be_faster(counts_of(1 << 20, 2 << 20, 2047), 130 * MICROSECOND));
    }
}
