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

/// Panels of segments. What is known of these is asked for where they may be faster, and then their levels.
pub fn cost(features: &Features, best: Decision) -> Result<Option<Decision>> {
    let counts = features.counts;
    if features.needs.panels != Panels::IfFaster || !may_be_faster(counts, best.predicted) {
        return Ok(None);
    }
    let Some(segments) = features.segments()? else { return Ok(None) };
    // An estimate, which may be too long.
    if predict(counts, estimated_hops(segments)).mul_f64(LOOK_ADVANTAGE) >= best.predicted {
        return Ok(None);
    }
    let predicted = features.segment_levels()?.map(|levels| predict(counts, f64::from(levels)));
    Ok(predicted.filter(|time| *time < best.predicted).map(|time| Decision::plain(Form::Panels, time)))
}

/// By what is known of segments before their levels are.
fn estimated_hops(segments: SegmentCounts) -> f64 {
    segments.hops as f64 / f64::from(PANEL_HOP_PARTS)
}

/// Time of a solve by panels, with so many hops from one to another.
fn predict(counts: Counts, hops: f64) -> Duration {
    let rows = counts.of_rows();
    let blocks = rows.speed.multiprocessors * (PANEL_WARPS_OF_SM / warps(rows.entries, rows.n));
    let panels = (rows.n / PANEL_ROWS) as f64 / f64::from(blocks);
    let levels_a_hop = rows.levels as f64 / hops.max(1.0);
    let hop = PANEL_HOP + PANEL_FAR_HOP.div_f64(levels_a_hop.max(1.0).powi(2));
    let path = PANEL_LEVEL.mul_f64(rows.levels as f64) + hop.mul_f64(hops);
    let by_clock = PANEL_START + path + Duration::from_secs_f64(panels * PANEL_SECONDS);
    let time = rows.time(by_clock, rows.entries as f64 * PANEL_ENTRY_SECONDS);
    time.mul_f64(rows.of_type().panels)
}

/// No panels take less: full ones, one of which depends on the next.
pub fn least(counts: Counts) -> Duration {
    predict(counts, counts.of_rows().levels as f64 / PANEL_ROWS as f64)
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
    fn panels_are_for_rows_that_few_hops_lead_to() {
        let rows = counts_of(30_000, 8_000_000, 2400);
        let path = 2400 * PANEL_LEVEL + 75 * PANEL_HOP;
        assert!(predict(rows, 75.0) > path && predict(rows, 75.0) < 2 * path);
        // As in a mesh where each row is a segment, and where a path leads from chain to chain.
        assert!(predict(rows, 2400.0) > 2400 * PANEL_FAR_HOP);
        assert!(predict(rows, 200.0) > path + 125 * PANEL_HOP + 100 * MICROSECOND);
    }

    #[test]
    fn panels_are_looked_at_where_levels_are_many_and_slow() {
        assert!(may_be_faster(counts_of(30_000, 8_000_000, 2400), 1000 * MICROSECOND));
        assert!(!may_be_faster(counts_of(30_000, 8_000_000, 2400), 200 * MICROSECOND));
        // 5-pt 1024 x 1024 in tiles.
        assert!(!may_be_faster(counts_of(1 << 20, 2 << 20, 2047), 130 * MICROSECOND));
    }
}
