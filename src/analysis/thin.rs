//! The thin end: the levels at the end of a matrix, or all of them, that have so few rows that the thin engine, which takes 32
//! positions at a time, is faster than rows by level.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::choice::Decision;
use super::model::{predict_levels, Counts};
use super::slices::Slice;
use super::Engine;
use crate::error::Result;
use crate::tuning::{
    END_GAIN, THIN_ADVANTAGE, THIN_ENTRY_SECONDS, THIN_LEVEL, THIN_LONG_ROW_SECONDS, THIN_ROW,
    THIN_SHORT_ENTRIES, THIN_SHORT_ROW, THIN_SPLIT, THIN_START,
};

/// The last levels, or all of them, where the thin engine gains most against rows by level.
///
/// In nodes, where these are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinEnd {
    /// The first of them.
    pub level: u32,
    /// Rows of it and those behind it.
    pub rows: u32,
}

impl ThinEnd {
    /// Of levels of rows, or of nodes of so many unknowns: each level gains the same, each row takes some of it away, and so
    /// does the second launch. None where no end gains. Mirrored in kernels/setup_slices.cuh.
    pub fn best(level_ptr: &[u32], node: u32) -> Option<ThinEnd> {
        let (levels, n) = (level_ptr.len() - 1, *level_ptr.last().expect("not empty"));
        let (mut most, mut best) = (0, None);
        for (level, begin) in level_ptr[..levels].iter().enumerate().rev() {
            let launch = if level == 0 { 0 } else { THIN_SPLIT };
            let of_levels = THIN_LEVEL * (levels - level) as i64 - THIN_ROW * (n - begin) as i64;
            let gain = (node as i64 * of_levels - launch) / END_GAIN;
            if gain > most {
                (most, best) = (gain, Some(ThinEnd { level: level as u32, rows: n - begin }));
            }
        }
        best
    }

    /// With which slice it begins.
    pub fn first_slice(self, level_ptr: &[u32], slices: &[Slice]) -> u32 {
        slices.partition_point(|slice| slice[0] < level_ptr[self.level as usize]) as u32
    }

    /// Time of a solve: of the levels before it by the one-word engine, and of its rows one after the other.
    fn predict(self, counts: Counts) -> Duration {
        let rows = counts.of_rows();
        let (before, in_end) = (self.level * counts.node, self.rows as f64 * counts.node as f64);
        let part = in_end / rows.n.max(1) as f64;
        let of_levels = match before {
            0 => Duration::ZERO,
            _ => predict_levels(rows, before, 1.0 - part) + Duration::from_nanos(THIN_SPLIT as u64),
        };
        let entries = rows.entries as f64 * part * THIN_ENTRY_SECONDS;
        let long_rows = (rows.squares.1 as f64).sqrt() * THIN_LONG_ROW_SECONDS;
        let moved = Duration::from_secs_f64(entries + long_rows);
        let end = THIN_START + row_of(rows).mul_f64(in_end) + moved;
        of_levels + end.mul_f64(rows.of_type().thin)
    }
}

/// The thin engine in place of what was chosen, if it is faster. Its end is asked for where it may be; without one it takes all
/// levels.
pub fn choose(
    chosen: Decision,
    counts: Counts,
    end: impl FnOnce() -> Result<Option<ThinEnd>>,
) -> Result<Decision> {
    let limit = chosen.predicted.mul_f64(THIN_ADVANTAGE);
    if least(counts.of_rows()) >= limit {
        return Ok(chosen);
    }
    let predicted = end()?.unwrap_or(ThinEnd { level: 0, rows: counts.n }).predict(counts);
    Ok(match predicted < limit {
        true => Decision { engine: Engine::Thin, predicted, ..Decision::default() },
        false => chosen,
    })
}

/// No end takes less: a row of each level is in it at best, and the others are by level, or in it as well.
fn least(rows: Counts) -> Duration {
    let row = |number: u32| row_of(rows) * number;
    let others = rows.n.saturating_sub(rows.levels);
    let by_level = predict_levels(rows, 0, others as f64 / rows.n.max(1) as f64);
    let of_type = |time: Duration| time.mul_f64(rows.of_type().thin);
    of_type(THIN_START + row(rows.levels)) + by_level.min(of_type(row(others)))
}

/// What a row takes in type d, but for its entries.
fn row_of(rows: Counts) -> Duration {
    let is_short = rows.lengths().0 <= THIN_SHORT_ENTRIES && !rows.is_complex;
    Duration::from_nanos(if is_short { THIN_SHORT_ROW } else { THIN_ROW } as u64)
}

#[cfg(test)]
mod tests {
    use super::super::cpu::running_sum;
    use super::*;
    use crate::analysis::model::tests::counts_of;

    fn end(widths: &[u32]) -> Option<ThinEnd> {
        ThinEnd::best(&running_sum(widths), 1)
    }

    #[test]
    fn a_thin_end_begins_where_levels_have_few_rows() {
        // Behind wide levels; from the first one on; not at the end; and nowhere.
        let some = |level, rows| Some(ThinEnd { level, rows });
        assert_eq!(end(&[[5000; 10].as_slice(), &[1; 300]].concat()), some(10, 300));
        assert_eq!(end(&[2; 300]), some(0, 600));
        assert_eq!(end(&[[1; 300].as_slice(), &[100; 10]].concat()), some(0, 1300));
        assert_eq!(end(&[5000; 3]), None);
    }

    #[test]
    fn a_band_is_thin_and_a_dense_triangle_and_wide_levels_are_not() {
        // `--suite structures` and `extremes` have the first two, with these times of the others by the model.
        let chosen = |n: u32, entries, levels, micros| {
            let squares = ((entries as u64).pow(2) / n as u64, 0);
            let counts = Counts { squares, ..counts_of(n, entries, levels) };
            let other = Decision { predicted: Duration::from_micros(micros), ..Decision::default() };
            choose(other, counts, || Ok(Some(ThinEnd { level: 0, rows: n }))).unwrap().engine
        };
        assert_eq!(chosen(50_000, 1_500_000, 50_000, 5700), Engine::Thin);
        assert_eq!(chosen(1200, 719_400, 1200, 99), Engine::Rows);
        assert_eq!(chosen(262_144, 1_000_000, 190, 80), Engine::Rows);
        // A chain, whose tiles are faster in single precision.
        assert_eq!(chosen(200_000, 199_999, 200_000, 6168), Engine::Thin);
        let single = Counts { value_bytes: 4, ..counts_of(200_000, 199_999, 200_000) };
        let tiles = Decision { predicted: Duration::from_micros(5551), ..Decision::default() };
        assert_eq!(choose(tiles, single, || Ok(None)).unwrap(), tiles);
        // Nobody asks for the end where none can be as fast.
        let counts = Counts { n: 262_144, levels: 45, entries: 523_000, node: 1, ..Counts::default() };
        let other = Decision { predicted: Duration::from_micros(22), ..Decision::default() };
        assert_eq!(choose(other, counts, || panic!("no end can be as fast")).unwrap(), other);
    }
}
