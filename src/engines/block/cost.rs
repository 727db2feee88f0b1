//! The time that a solve by BLOCK is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::tuning::*;
use crate::analysis::Form;
use crate::engines::{self, MANY_COLUMNS};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};

/// Many right-hand sides, unless the best for one of them promises less for groups of them.
pub fn cost(features: &Features, best: Option<Decision>) -> Option<Decision> {
    let Features { needs, counts, .. } = *features;
    if needs.right_hand_sides < MANY_COLUMNS {
        return None;
    }
    let columns = needs.right_hand_sides.min(i64::from(BLOCK_MOST_COLUMNS));
    let predicted = predict(counts.of_rows(), columns as f64);
    let in_groups =
        best.and_then(|best| engines::choose(None, best.form).cost_of_columns(features, best, columns));
    let is_best = in_groups.is_none_or(|other| predicted < other);
    is_best.then(|| Decision::plain(Form::ManyColumns, predicted))
}

/// Time of a solve for so many columns, in one pass.
fn predict(rows: Counts, columns: f64) -> Duration {
    let of_rows = rows.n as f64 * (BLOCK_ROW_SECONDS + columns * BLOCK_COLUMN_SECONDS);
    let of_entries = rows.entries as f64 * columns * BLOCK_ENTRY_SECONDS;
    rows.time(BLOCK_LEVEL.mul_f64(rows.levels as f64), of_rows + of_entries)
}
