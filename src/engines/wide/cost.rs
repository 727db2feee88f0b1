//! The time that a solve by WIDE is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::tuning::*;
use crate::engines::one_word::cost::streamed;
use crate::select::features::Counts;

/// Time of a solve by a launch for each level, which streams the matrix.
pub fn predict(rows: Counts) -> Duration {
    let seconds = [WIDE_ROW_SECONDS, WIDE_ENTRY_SECONDS];
    streamed(rows, WIDE_START, WIDE_LEVEL, seconds, [WIDE_SCATTERED_SECONDS, WIDE_CACHED_SECONDS])
}

/// Whether no rows are much longer than the others.
pub fn are_alike(rows: Counts) -> bool {
    let (average, deviation) = rows.lengths();
    deviation <= WIDE_DEVIATIONS * average + 1.0 && rows.squares.1 == 0
}
