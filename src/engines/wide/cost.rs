//! The time that a solve by WIDE is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::tuning::*;
use crate::analysis::{Form, Tiles};
use crate::engines::one_word::cost::{in_rows, predict_streamed, streamed};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use crate::tuning::LAUNCH;

/// Time of a solve by a launch for each level, which streams the matrix.
pub fn predict(rows: Counts) -> Duration {
    streamed(rows, LAUNCH, LAUNCH, [WIDE_ROW_SECONDS, WIDE_ENTRY_SECONDS])
}

/// A launch for each level, where rows lie level by level and none is far longer than the others.
pub fn cost(features: &Features) -> Option<Decision> {
    let Features { needs, counts, ref natural, .. } = *features;
    // Where no row depends on another ONE_WORD streams too, in one launch.
    let is_free = needs.tiles == Tiles::IfFaster && counts.node == 1;
    if !is_free || counts.levels < 2 || counts.levels > WIDE_MOST_LEVELS {
        return None;
    }
    let predicted = predict(counts);
    let most = (counts.levels / WIDE_SPAN_PART).max(1);
    let other = predict_streamed(counts).min(in_rows(counts, natural));
    let has_long_rows = counts.squares.1 > 0;
    (predicted < other && !has_long_rows && natural.are_levels(most))
        .then(|| Decision::plain(Form::WideLevels, predicted))
}
