//! The time that a solve by WIDE is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::tuning::*;
use crate::analysis::ranges::Ranges;
use crate::engines::one_word::cost::{predict_streamed, streamed};
use crate::select::features::Counts;

/// Time of a solve by a launch for each level, which streams the matrix.
pub fn predict(rows: Counts) -> Duration {
    let seconds = [WIDE_ROW_SECONDS, WIDE_ENTRY_SECONDS];
    streamed(rows, WIDE_START, WIDE_LEVEL, seconds, [WIDE_SCATTERED_SECONDS, WIDE_CACHED_SECONDS])
}

/// Whether a launch for each level is worth a thought.
pub fn has_few_levels(levels: u32) -> bool {
    levels <= WIDE_MOST_LEVELS
}

/// Time of a solve, if AUTO takes it in place of rows that wait for each other, or are streamed in one launch.
pub fn if_faster(counts: Counts, natural: &Ranges, by_rows: impl FnOnce() -> Duration) -> Option<Duration> {
    // Where no row depends on another ONE_WORD streams too, in one launch.
    if counts.levels < 2 || !has_few_levels(counts.levels) {
        return None;
    }
    let predicted = predict(counts);
    let most = (counts.levels / WIDE_SPAN_PART).max(1);
    let promises = predicted < predict_streamed(counts).min(by_rows()).mul_f64(WIDE_ADVANTAGE);
    (promises && are_alike(counts) && natural.are_levels(most)).then_some(predicted)
}

/// Whether no rows are much longer than the others.
fn are_alike(rows: Counts) -> bool {
    let (average, deviation) = rows.lengths();
    deviation <= WIDE_DEVIATIONS * average + 1.0 && rows.squares.1 == 0
}
