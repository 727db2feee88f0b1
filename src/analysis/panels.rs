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
    PANEL_ADVANTAGE, PANEL_BLOCKS_OF_GPU, PANEL_ENTRY_SECONDS, PANEL_LEVEL, PANEL_ROWS, PANEL_SECONDS, PANEL_START,
    PANEL_WAITS,
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
}

impl Counts {
    /// Words of the kernels' counts.
    pub const WORDS: usize = 5;
    pub const ROWS: u32 = PANEL_ROWS;
    /// Sizes of segments, rounded up to a power of two.
    pub const SIZES: u32 = 6;

    pub fn of_words(words: &[u32]) -> Counts {
        Counts { unordered: [words[0], words[1]], wait: [words[2], words[3]], segments: words[4] }
    }

    /// The order in which each segment comes after all that it depends on, if one does.
    pub fn order(self) -> Option<Order> {
        match self.unordered {
            [0, _] => Some(Order::ByLast),
            [_, 0] => Some(Order::ByFirst),
            _ => None,
        }
    }

    /// Time of a solve by panels, if rows hardly wait longer than by themselves.
    pub fn predict(self, rows: model::Counts) -> Option<Duration> {
        self.order()?;
        if self.wait[0].min(self.wait[1]) as f64 > PANEL_WAITS * rows.entries as f64 {
            return None;
        }
        Some(least(rows, self.segments))
    }
}

/// The least that panels may take.
fn least(rows: model::Counts, segments: u32) -> Duration {
    let panels = (segments.max(rows.n / PANEL_ROWS)) as f64 / PANEL_BLOCKS_OF_GPU;
    let moved = rows.entries as f64 * PANEL_ENTRY_SECONDS + panels * PANEL_SECONDS;
    PANEL_START + PANEL_LEVEL.mul_f64(rows.levels as f64) + Duration::from_secs_f64(moved)
}

/// Whether panels are worth a look, where something else is predicted to take so long.
pub fn may_be_faster(rows: model::Counts, predicted: Duration) -> bool {
    least(rows, 0) < predicted.mul_f64(PANEL_ADVANTAGE)
}
