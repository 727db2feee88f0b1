//! The model of the time that a solve takes: what it knows of a pattern, and what it promises of all engines but the tiled one.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::ranges::Ranges;
use super::slices::LANES;
use crate::tuning::{
    OfType, DISTANT, DISTANT_PART, LONG_ROW, LONG_ROW_TIMES, NARROW_LAUNCH, NARROW_LEVEL, NARROW_SKEW,
    NARROW_SLICE, NARROW_SPLIT, NARROW_THIRDS, NODAL_ENTRY_SECONDS, NODAL_LEVEL, NODAL_NARROW,
    NODAL_NARROW_LEVEL, NODAL_SUM, NODAL_VALUES_PER_LANE, ONE_WORD_ENTRIES_PER_LANE, ONE_WORD_ENTRY_SECONDS,
    ONE_WORD_LANES, ONE_WORD_LEVEL, ONE_WORD_ROW_SECONDS, ONE_WORD_SCATTERED_SECONDS, ONE_WORD_START,
    STAGED_BYTE_SECONDS, STAGED_ENTRY_SECONDS, STAGED_START, STREAMED_CACHED_SECONDS, STREAMED_ENTRY_SECONDS,
    STREAMED_LEVEL, STREAMED_ROW_SECONDS, STREAMED_SCATTERED_SECONDS, STREAMED_START, STREWN_CACHE,
    STREWN_ENTRY_BYTES, STREWN_ENTRY_SECONDS, STREWN_ROW_BYTES, STREWN_ROW_SECONDS, STREWN_SCATTERED_SECONDS,
    TILED_CACHED_ENTRIES, TILED_ENTRIES, TYPE_C, TYPE_D, TYPE_S, TYPE_Z, TYPE_Z_LANES, WIDE_CACHED_SECONDS,
    WIDE_DEVIATIONS, WIDE_ENTRY_SECONDS, WIDE_LEVEL, WIDE_ROW_SECONDS, WIDE_SCATTERED_SECONDS, WIDE_START,
};

/// By how many deviations the longest row of a slice is above the average one: measured on meshes.
const DEVIATIONS_OF_LONGEST: f64 = 1.5;

/// What a matrix gains that is narrow from the beginning, or, where most rows are of the lowest levels, from some level on:
/// there widths are taken to fall to a third, and again, with as many levels as the average one.
fn narrow_end(levels: u32, slices: u64, average_level: f64) -> Duration {
    let (levels, slices) = (levels as f64, slices as f64);
    let of = |levels: f64, slices: f64| NARROW_LEVEL as f64 * levels - NARROW_SLICE as f64 * slices;
    let whole = of(levels, slices) - NARROW_LAUNCH as f64;
    let thirds = if average_level < NARROW_SKEW * levels { NARROW_THIRDS } else { 0 };
    let ends = (1..=thirds).map(|k| {
        let levels = levels - k as f64 * average_level;
        of(levels, (slices / 3f64.powi(k)).max(levels)) - (NARROW_LAUNCH + NARROW_SPLIT) as f64
    });
    Duration::from_nanos(ends.fold(whole, f64::max).max(0.0) as u64)
}

/// Time of a solve by the one-word engine: each level is a hand-over, and every row and entry is moved, entries
/// whose values lie `scattered` by sectors of their own.
///
/// `average_level` is that of an unknown.
pub(super) fn predict_one_word(rows: Counts, average_level: f64) -> Duration {
    let per_lane = ONE_WORD_ENTRIES_PER_LANE as f64;
    // How many slices it has goes by the longest row of each.
    let lanes = (rows.longest() / per_lane).ceil().clamp(1.0, LANES as f64) as u64;
    let slices = rows.n as u64 * lanes.next_power_of_two() / LANES as u64;
    let gain = narrow_end(rows.levels, slices, average_level);
    predict_levels(rows, rows.levels, 1.0) - gain.mul_f64(rows.of_type().rows)
}

/// The same of some levels, which hold a part of all rows and entries, without a narrow end.
pub(super) fn predict_levels(rows: Counts, levels: u32, part: f64) -> Duration {
    let entry = if rows.scattered { ONE_WORD_SCATTERED_SECONDS } else { ONE_WORD_ENTRY_SECONDS };
    let moved = rows.n as f64 * ONE_WORD_ROW_SECONDS + rows.entries as f64 * entry;
    // The longest row of each slice is what has lanes join in. Where values lie scattered the model promises too much already.
    let usual = if rows.has_lines || rows.scattered { rows.lengths().0 } else { rows.longest() };
    let has_lanes = usual > ONE_WORD_ENTRIES_PER_LANE as f64;
    let level = ONE_WORD_LEVEL + if has_lanes { ONE_WORD_LANES } else { Duration::ZERO };
    let time = ONE_WORD_START + level.mul_f64(levels as f64) + Duration::from_secs_f64(moved * part);
    time.mul_f64(rows.of_type().rows)
}

/// The same by nodes: a hand-over for each level of nodes, and the sums of the lanes of a node.
pub(super) fn predict_nodal(nodes: Counts, rows: Counts) -> Duration {
    let unknowns = nodes.entries as f64 / nodes.n.max(1) as f64 * nodes.node as f64;
    let lanes =
        (unknowns / (NODAL_VALUES_PER_LANE / nodes.node) as f64).max(nodes.node as f64).min(LANES as f64);
    let is_narrow = nodes.n <= NODAL_NARROW.saturating_mul(nodes.levels);
    let level = if is_narrow { NODAL_NARROW_LEVEL } else { NODAL_LEVEL };
    let level = level + NODAL_SUM.mul_f64(lanes.log2().ceil());
    let moved = Duration::from_secs_f64(rows.entries as f64 * NODAL_ENTRY_SECONDS);
    (ONE_WORD_START + level.mul_f64(nodes.levels as f64) + moved).mul_f64(rows.of_type().rows)
}

/// The same by a launch for each level, which streams the matrix; and by the one-word engine where levels are as wide, and so
/// all is streamed there too.
pub(super) fn predict_wide(rows: Counts) -> Duration {
    let seconds = [WIDE_ROW_SECONDS, WIDE_ENTRY_SECONDS];
    streamed(rows, WIDE_START, WIDE_LEVEL, seconds, [WIDE_SCATTERED_SECONDS, WIDE_CACHED_SECONDS])
}
pub(super) fn predict_one_word_streamed(rows: Counts) -> Duration {
    let seconds = [STREAMED_ROW_SECONDS, STREAMED_ENTRY_SECONDS];
    let scattered = [STREAMED_SCATTERED_SECONDS, STREAMED_CACHED_SECONDS];
    streamed(rows, STREAMED_START, STREAMED_LEVEL, seconds, scattered)
}
/// `scattered` is what an entry takes longer whose value lies scattered, and where the cache holds them all.
fn streamed(
    rows: Counts,
    start: Duration,
    level: Duration,
    [row, entry]: [f64; 2],
    scattered: [f64; 2],
) -> Duration {
    let apart = match rows.scattered {
        true => scattered[(rows.entries <= TILED_CACHED_ENTRIES) as usize],
        false => 0.0,
    };
    let moved = rows.n as f64 * row + rows.entries as f64 * (entry + apart);
    (start + level.mul_f64(rows.levels as f64) + Duration::from_secs_f64(moved)).mul_f64(rows.of_type().rows)
}

/// Of the numbers of entries of rows, `entries` in all, the sum of their squares, and of those of rows that are far longer than the
/// average one. Mirrored in kernels/setup_levels.cuh.
pub fn squares(lengths: &[u32], entries: u32) -> (u64, u64) {
    let longest = LONG_ROW.max(LONG_ROW_TIMES.saturating_mul(entries / (lengths.len() as u32).max(1)));
    let sum = |least: u32| lengths.iter().filter(|&&l| l > least).map(|&l| l as u64 * l as u64).sum();
    (sum(0), sum(longest))
}

/// From where on unknowns are distant from each other. Mirrored in kernels/setup_survey.cuh.
pub fn distant_from(n: u32) -> u32 {
    (n / DISTANT_PART).clamp(*DISTANT.start(), *DISTANT.end())
}

/// What the choice goes by: sizes of the pattern that is scheduled, which may be one of nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub n: u32,
    /// Off the diagonal.
    pub entries: u32,
    /// Of those of each row of op(A), the sum of their squares; and of rows that are far longer than the others.
    pub squares: (u64, u64),
    pub levels: u32,
    /// Whether the values of the rows of op(A) lie apart.
    pub scattered: bool,
    /// Whether the pattern has lines, as that of a grid: so most dependencies are near.
    pub has_lines: bool,
    /// Whether it has planes, and some unknowns depend on later lines of earlier ones.
    pub crosses: bool,
    /// Whether what a row depends on lies anywhere.
    pub strewn: bool,
    /// Entries of an unknown that is distant from the row's own: `distant_from`.
    pub distant: u32,
    /// Unknowns of a node.
    pub node: u32,
    pub value_bytes: u32,
    pub is_complex: bool,
}

impl Counts {
    /// The same of the rows.
    pub(super) fn of_rows(self) -> Counts {
        let b = self.node;
        let entries = self.entries * b * b + self.n * (b * (b - 1) / 2);
        let square = |of_nodes: u64| of_nodes.saturating_mul(b as u64 * b as u64);
        let squares = (square(self.squares.0), square(self.squares.1));
        Counts { n: self.n * b, entries, squares, levels: self.levels * b, node: 1, ..self }
    }

    /// Whether no rows are much longer than the others.
    pub(super) fn are_alike(self) -> bool {
        let (average, deviation) = self.lengths();
        deviation <= WIDE_DEVIATIONS * average + 1.0 && self.squares.1 == 0
    }

    /// Entries of a row: the average, and how far they are from that but for rows that are far longer.
    pub(super) fn lengths(self) -> (f64, f64) {
        let average = self.entries as f64 / self.n.max(1) as f64;
        let squares = (self.squares.0 - self.squares.1) as f64;
        (average, (squares / self.n.max(1) as f64 - average * average).max(0.0).sqrt())
    }

    /// The part of the entries that are of distant unknowns.
    pub(super) fn distant_part(self) -> f64 {
        self.distant as f64 / self.entries.max(1) as f64
    }

    /// Whether the average row has several lanes in tiles.
    pub(super) fn has_lanes(self) -> bool {
        self.lengths().0 > TILED_ENTRIES
    }

    /// Whether a level has more rows on average.
    pub(super) fn is_wider(self, rows: u64) -> bool {
        self.n as u64 > self.levels as u64 * rows
    }

    /// Entries that the longest row of a slice mostly has.
    fn longest(self) -> f64 {
        let (average, deviation) = self.lengths();
        average + DEVIATIONS_OF_LONGEST * deviation
    }

    pub(super) fn of_type(self) -> OfType {
        match (self.is_complex, self.value_bytes) {
            (false, 4) => TYPE_S,
            (true, 8) => TYPE_C,
            (true, 16) if self.has_lanes() => TYPE_Z_LANES,
            (true, 16) => TYPE_Z,
            _ => TYPE_D,
        }
    }

    /// A copy of scattered values into the order in which a solve reads them.
    pub(super) fn copied_in_order(self) -> Duration {
        let entry = STAGED_ENTRY_SECONDS + STAGED_BYTE_SECONDS * self.value_bytes as f64;
        STAGED_START + Duration::from_secs_f64(self.entries as f64 * entry)
    }

    /// What strewn dependencies add to the time by rows, more if the rows of a level lie apart as well.
    pub(super) fn strewn_in_rows(self, natural: &Ranges) -> Duration {
        if !self.strewn {
            return Duration::ZERO;
        }
        let are_apart = !natural.are_levels(1);
        let (n, entries) = (self.n as f64, self.entries as f64);
        let cached = STREWN_CACHE / (n * STREWN_ROW_BYTES + entries * STREWN_ENTRY_BYTES);
        let row = if are_apart { STREWN_ROW_SECONDS * (1.0 - cached.min(1.0)) } else { 0.0 };
        let entry = STREWN_ENTRY_SECONDS + if self.scattered { STREWN_SCATTERED_SECONDS } else { 0.0 };
        Duration::from_secs_f64(n * row + entries * entry)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Of rows by themselves, with stored values and no lines.
    pub fn counts_of(n: u32, entries: u32, levels: u32) -> Counts {
        Counts {
            n,
            entries,
            squares: (0, 0),
            levels,
            scattered: false,
            has_lines: false,
            crosses: false,
            strewn: false,
            distant: 0,
            node: 1,
            value_bytes: 8,
            is_complex: false,
        }
    }

    #[test]
    fn rows_are_long_that_are_far_longer_than_the_others() {
        assert_eq!(squares(&[1, 2, 256], 259), (5 + 65536, 0));
        assert_eq!(squares(&[1; 1000], 1000), (1000, 0));
        let mut lengths = vec![1; 999];
        lengths.push(257);
        assert_eq!(squares(&lengths, 999 + 257), (999 + 66049, 66049));
        assert_eq!(squares(&[600; 10], 6000), (3_600_000, 0));
    }

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
            predict_one_word(counts, counts.levels as f64)
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
            predict_one_word(counts, counts.levels as f64)
        };
        let lanes = ONE_WORD_LANES.mul_f64(2883.0);
        assert!(time(2, false, false) >= time(0, false, false) + lanes);
        // Neither in grids nor where values are scattered.
        for (scattered, has_lines) in [(false, true), (true, false)] {
            assert!(time(2, scattered, has_lines) < time(0, scattered, has_lines) + lanes);
        }
    }
}
