//! The time that a solve by ONE_WORD is predicted to take.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::tuning::*;
use crate::analysis::ranges::Ranges;
use crate::analysis::shared::schedule::ENTRIES_PER_LANE;
use crate::analysis::work_items::LANES;
use crate::analysis::{Form, Tiles};
use crate::engines::by_rows::tuning::ROWS_START;
use crate::select::decision::{Decision, Gathering};
use crate::select::features::{Counts, Features};
use crate::tuning::*;

/// By how many deviations the longest row of a work item is above the average one: measured on meshes.
const DEVIATIONS_OF_LONGEST: f64 = 1.5;

/// Rows one by one, after a copy of their values where those lie scattered in an irregular pattern that is large. None for nodes.
pub fn cost(features: &Features) -> Option<Decision> {
    let Features { needs, counts, ref natural, .. } = *features;
    if counts.node > 1 {
        return None;
    }
    // Without tiles the levels of ranges are not known.
    if needs.tiles == Tiles::No {
        return Some(Decision::plain(Form::Rows, predict(counts, counts.levels as f64)));
    }
    let direct = Decision::plain(Form::Rows, in_rows(counts, natural));
    if needs.tiles == Tiles::Yes || !gathers_by_pieces(counts) {
        return Some(direct);
    }
    let copy = counts.copied(IRREGULAR_SCATTERED_SECONDS);
    let predicted = in_rows(Counts { scattered: false, ..counts }, natural) + copy;
    Some(Decision { gathering: Gathering::ByPieces, predicted, ..direct })
}

/// Whether values are so many that the cache does not hold them, and levels so wide that waits for dependencies do not hide what
/// they take.
fn gathers_by_pieces(rows: Counts) -> bool {
    let values = rows.entries as f64 * f64::from(rows.value_bytes);
    let others = rows.n as f64 * ROW_BYTES_MOVED + rows.entries as f64 * 4.0;
    let is_large = values >= GATHER_PIECES_BYTES * rows.speed.cache
        && values + others >= GATHER_PIECES_ALL_BYTES * rows.speed.cache;
    rows.scattered && rows.irregular && is_large && rows.is_wider(HOPS_HIDDEN_LEVEL)
}

/// What a matrix gains that is narrow from the beginning, or, where most rows are of the lowest levels, from some level on:
/// there widths are taken to fall to a third, and again, with as many levels as the average one.
fn narrow_end(levels: u32, work_items: u64, average_level: f64) -> Duration {
    let (levels, work_items) = (levels as f64, work_items as f64);
    let of =
        |levels: f64, work_items: f64| NARROW_LEVEL as f64 * levels - NARROW_WORK_ITEM as f64 * work_items;
    let whole = of(levels, work_items) - NARROW_LAUNCH as f64;
    let thirds = if average_level < SKEWED_LEVELS * levels { NARROW_THIRDS } else { 0 };
    let ends = (1..=thirds).map(|k| {
        let levels = levels - k as f64 * average_level;
        of(levels, (work_items / 3f64.powi(k)).max(levels)) - (NARROW_LAUNCH + NARROW_SPLIT) as f64
    });
    Duration::from_nanos(ends.fold(whole, f64::max).max(0.0) as u64)
}

/// Time of a solve by the one-word engine: each level is a step of dependencies, and every row and entry is moved,
/// entries whose values lie `scattered` by sectors of their own.
///
/// `average_level` is that of an unknown.
pub fn predict(rows: Counts, average_level: f64) -> Duration {
    let per_lane = ENTRIES_PER_LANE as f64;
    // How many work items it has goes by the longest row of each.
    let lanes = (longest(rows) / per_lane).ceil().clamp(1.0, LANES as f64) as u64;
    let work_items = rows.n as u64 * lanes.next_power_of_two() / LANES as u64;
    let gain = narrow_end(rows.levels, work_items, average_level);
    predict_levels(rows, rows.levels, 1.0) - gain.mul_f64(rows.of_type().rows * rows.speed.steps)
}

/// The same of some levels, which hold a part of all rows and entries, without a narrow end.
pub fn predict_levels(rows: Counts, levels: u32, part: f64) -> Duration {
    // The longest row of each work item is what has lanes join in. Where values lie scattered the model promises too much already.
    let usual = if rows.has_lines || rows.scattered { rows.lengths().0 } else { longest(rows) };
    let has_lanes = usual > ENTRIES_PER_LANE as f64;
    let level = ONE_WORD_LEVEL + if has_lanes { ONE_WORD_LANES } else { Duration::ZERO };
    let time = rows.time(ROWS_START + level.mul_f64(levels as f64), moved(rows) * part);
    time.mul_f64(rows.of_type().rows)
}

/// Seconds that all rows and entries take from memory.
pub fn moved(rows: Counts) -> f64 {
    let entry = if rows.scattered { ONE_WORD_SCATTERED_SECONDS } else { ONE_WORD_ENTRY_SECONDS };
    rows.n as f64 * ONE_WORD_ROW_SECONDS + rows.entries as f64 * entry
}

/// The same where levels are so wide that all is streamed.
pub fn predict_streamed(rows: Counts) -> Duration {
    let seconds = [STREAMED_ROW_SECONDS, STREAMED_ENTRY_SECONDS];
    streamed(rows, STREAMED_START, STREAMED_LEVEL, seconds)
}

/// Time of a solve that streams the matrix level by level. An entry takes longer whose value lies scattered, and not in the cache.
pub fn streamed(rows: Counts, start: Duration, level: Duration, [row, entry]: [f64; 2]) -> Duration {
    let apart = if rows.scattered && !rows.caches_values() { STREAMED_SCATTERED_SECONDS } else { 0.0 };
    let moved = rows.n as f64 * row + rows.entries as f64 * (entry + apart);
    rows.time(start + level.mul_f64(rows.levels as f64), moved).mul_f64(rows.of_type().rows)
}

/// Entries that the longest row of a work item mostly has.
fn longest(rows: Counts) -> f64 {
    let (average, deviation) = rows.lengths();
    average + DEVIATIONS_OF_LONGEST * deviation
}

/// The same, if the levels of ranges are known.
pub fn in_rows(rows: Counts, natural: &Ranges) -> Duration {
    predict(rows, natural.average_level()) + irregular_rows(rows, natural)
}

/// What irregular dependencies add to the time by rows, more if the rows of a level lie apart as well.
fn irregular_rows(rows: Counts, natural: &Ranges) -> Duration {
    if !rows.irregular {
        return Duration::ZERO;
    }
    let are_apart = !natural.are_levels(1);
    let (n, entries) = (rows.n as f64, rows.entries as f64);
    let cached = CACHE_BYTES * rows.speed.cache / rows.bytes();
    let row = if are_apart { IRREGULAR_ROW_SECONDS * (1.0 - cached.min(1.0)) } else { 0.0 };
    let entry = IRREGULAR_ENTRY_SECONDS + if rows.scattered { IRREGULAR_SCATTERED_SECONDS } else { 0.0 };
    rows.time(Duration::ZERO, n * row + entries * entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::features::tests::counts_of;

    #[test]
    fn a_matrix_is_narrow_from_some_level_on_where_most_rows_are_of_the_lowest() {
        // 500,000 rows, spread evenly, and most of them in the lowest levels.
        assert_eq!(narrow_end(1000, 15_625, 500.0), Duration::ZERO);
        let late = narrow_end(1000, 15_625, 2.0);
        assert!(late > Duration::from_micros(100) && late < Duration::from_nanos(200 * 1000));
        // What is narrow from the beginning gains all of it either way.
        assert_eq!(narrow_end(1000, 1000, 500.0), narrow_end(1000, 1000, 2.0));
    }

    #[test]
    fn levels_of_long_and_short_rows_gain_less_by_being_narrow() {
        let time = |squares: u64| {
            let (n, entries, levels) = (100_000, 600_000, 2000);
            let counts = Counts { squares: (squares, 0), ..counts_of(n, entries, levels) };
            predict(counts, counts.levels as f64)
        };
        // Six entries each; or of half of the rows nine.
        assert!(time(36 * 100_000) < time((81 + 9) * 50_000));
    }

    #[test]
    fn the_longest_rows_of_a_mesh_have_several_lanes() {
        let time = |deviation: u64, scattered, has_lines| {
            let (n, entries, levels) = (2_000_000, 13_600_000, 2883);
            let squares = (entries as u64).pow(2) / n as u64 + deviation * deviation * n as u64;
            let counts =
                Counts { squares: (squares, 0), scattered, has_lines, ..counts_of(n, entries, levels) };
            predict(counts, counts.levels as f64)
        };
        let lanes = ONE_WORD_LANES.mul_f64(2883.0);
        assert!(time(2, false, false) >= time(0, false, false) + lanes);
        // Neither in grids nor where values are scattered.
        for (scattered, has_lines) in [(false, true), (true, false)] {
            assert!(time(2, scattered, has_lines) < time(0, scattered, has_lines) + lanes);
        }
    }
}
