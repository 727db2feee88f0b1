//! The time that a solve by PANEL is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::shared::PANEL_WARPS_OF_SM;
use super::tuning::*;
use super::warps;
use crate::analysis::shared::panels::{SegmentCounts, PANEL_HOP_PARTS, PANEL_ROWS};
use crate::analysis::{Form, Panels};
use crate::error::Result;
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use crate::tuning::LOOK_ADVANTAGE;

/// Panels of segments. What is known of these is asked for where they may be faster.
pub fn cost(features: &Features, best: Decision) -> Result<Option<Decision>> {
    let counts = features.counts;
    if features.needs.panels != Panels::IfFaster || !may_be_faster(counts, best.predicted) {
        return Ok(None);
    }
    let predicted = features.segments()?.and_then(|segments| predict(segments, counts));
    let predicted = predicted.filter(|&time| time < best.predicted);
    Ok(predicted.map(|predicted| Decision::plain(Form::Panels, predicted)))
}

/// Time of a solve by panels, if rows hardly wait longer than by themselves. The segments are of nodes where `counts` are.
pub fn predict(segments: SegmentCounts, counts: Counts) -> Option<Duration> {
    segments.order()?;
    let waits = segments.wait[0].min(segments.wait[1]) as f64;
    (waits <= PANEL_WAITS * counts.entries as f64)
        .then(|| time(counts, segments.hops as f64 / f64::from(PANEL_HOP_PARTS)))
}

/// Time of a solve by panels that hardly wait longer than their rows, with so many hops from one to another.
fn time(counts: Counts, hops: f64) -> Duration {
    let rows = counts.of_rows();
    let blocks = rows.speed.multiprocessors * (PANEL_WARPS_OF_SM / warps(rows.entries, rows.n));
    let panels = (rows.n / PANEL_ROWS) as f64 / f64::from(blocks);
    let path = PANEL_LEVEL.mul_f64(rows.levels as f64) + PANEL_HOP.mul_f64(hops);
    let by_clock = PANEL_START + path + Duration::from_secs_f64(panels * PANEL_SECONDS);
    let time = rows.time(by_clock, rows.entries as f64 * PANEL_ENTRY_SECONDS);
    time.mul_f64(rows.of_type().panels)
}

/// No panels take less: full ones, one of which depends on the next.
pub fn least(counts: Counts) -> Duration {
    time(counts, counts.of_rows().levels as f64 / PANEL_ROWS as f64)
}

/// Whether panels are worth a look, where something else is predicted to take so long.
fn may_be_faster(counts: Counts, predicted: Duration) -> bool {
    least(counts) < predicted.mul_f64(LOOK_ADVANTAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::features::tests::counts_of;

    const MICROSECOND: Duration = Duration::from_micros(1);

    #[test]
    fn panels_are_for_rows_that_hardly_wait_longer() {
        let rows = counts_of(30_000, 8_000_000, 2400);
        let predicted = |wait, unordered, hops| {
            predict(
                SegmentCounts {
                    unordered,
                    wait: [wait; 2],
                    segments: 2500,
                    hops: hops * u64::from(PANEL_HOP_PARTS),
                },
                rows,
            )
        };
        let (time, path) = (predicted(0, [0, 9], 75).unwrap(), 2400 * PANEL_LEVEL + 75 * PANEL_HOP);
        assert!(time > path && time < 2 * path);
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
