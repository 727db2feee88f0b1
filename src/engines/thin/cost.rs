//! The time that a solve by THIN is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::layout;
use super::tuning::*;
use crate::analysis::Form;
use crate::engines::one_word::cost::predict_levels;
use crate::error::Result;
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features, LastLevels};
use crate::tuning::{LONG_ROW_SECONDS, LOOK_ADVANTAGE};

/// The last levels, or all of them, row by row. Which these are is asked for where they may be faster.
pub fn cost(features: &Features, best: Decision) -> Result<Option<Decision>> {
    let counts = features.counts;
    let limit = best.predicted.mul_f64(LOOK_ADVANTAGE);
    if !features.needs.narrow_levels || least(counts.of_rows()) >= limit {
        return Ok(None);
    }
    let end = features.last_levels(layout::best)?.unwrap_or(LastLevels { level: 0, rows: counts.n });
    let predicted = predict(end, counts);
    Ok((predicted < limit).then(|| Decision::plain(Form::NarrowLevels, predicted)))
}

/// Time of a solve: of the levels before it by the one-word engine, and of its rows one after the other.
pub fn predict(end: LastLevels, counts: Counts) -> Duration {
    let rows = counts.of_rows();
    let (before, in_end) = (end.level * counts.node, end.rows as f64 * counts.node as f64);
    let part = in_end / rows.n.max(1) as f64;
    let of_levels = match before {
        0 => Duration::ZERO,
        _ => {
            predict_levels(rows, before, 1.0 - part) + rows.time(Duration::from_nanos(THIN_SPLIT as u64), 0.0)
        }
    };
    // Rows of one level lie between a row and its near entries' unknowns.
    let near = rows.near as f64 * rows.levels as f64 / rows.n.max(1) as f64;
    let entries = (rows.entries as f64 - near).max(0.0) * part * THIN_ENTRY_SECONDS;
    let long_rows = (rows.squares.1 as f64).sqrt() * LONG_ROW_SECONDS;
    let moved = Duration::from_secs_f64(entries + long_rows);
    let time = rows.time(THIN_START + row_of(rows).mul_f64(in_end) + moved, 0.0);
    of_levels + time.mul_f64(rows.of_type().panels)
}

/// No end takes less: a row of each level is in it at best, and the others are by level, or in it as well.
pub fn least(rows: Counts) -> Duration {
    let row = |number: u32| row_of(rows) * number;
    let others = rows.n.saturating_sub(rows.levels);
    let by_level = predict_levels(rows, 0, others as f64 / rows.n.max(1) as f64);
    let of_type = |time: Duration| rows.time(time, 0.0).mul_f64(rows.of_type().panels);
    of_type(THIN_START + row(rows.levels)) + by_level.min(of_type(row(others)))
}

/// What a row takes in type d, without its entries.
fn row_of(rows: Counts) -> Duration {
    Duration::from_nanos(if rows.is_complex { THIN_ROW } else { THIN_REAL_ROW } as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::features::tests::counts_of;

    fn predicted(counts: Counts) -> Duration {
        predict(LastLevels { level: 0, rows: counts.n }, counts)
    }

    #[test]
    fn near_entries_cost_nothing_however_many_there_are() {
        let chain = counts_of(50_000, 49_999, 50_000);
        let band = Counts { entries: 1_500_000, near: 1_500_000, ..chain };
        assert_eq!(predicted(band), predicted(Counts { near: 49_999, ..chain }));
        assert!(predicted(Counts { near: 0, ..band }) > 2 * predicted(band));
        // Two diagonals below the main one, of so many rows that 53 bits do not hold entries times levels.
        let (n, entries) = (67_108_865, 2 * 67_108_865 - 3);
        predicted(Counts { near: entries, ..counts_of(n, entries, n) });
    }

    #[test]
    fn nodes_are_near_as_their_rows_are() {
        // Each node of six depends on the five before it.
        let nodes = Counts { node: 6, near: 50_000, ..counts_of(10_000, 50_000, 10_000) };
        assert_eq!(nodes.of_rows().near, nodes.of_rows().entries);
    }
}
