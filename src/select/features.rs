//! What the choice of an engine knows of a pattern.
#![forbid(unsafe_code)]

use std::cell::{OnceCell, RefCell};
use std::time::Duration;

use crate::analysis::panels::SegmentCounts;
use crate::analysis::ranges::{Ranges, Span};
use crate::analysis::Needs;
use crate::error::Result;
use crate::gpus::Speed;
use crate::tuning::{
    OfType, CACHED_ENTRIES, ENTRY_BYTES_MOVED, GATHER_BYTE_SECONDS, GROUPS_ENTRY_SECONDS, GROUPS_TIMES,
    LANE_ENTRIES, LAUNCH, LONG_ROW, LONG_ROW_TIMES, OFF_BAND_LEAST, OFF_BAND_MOST, OFF_BAND_PART,
    ROW_BYTES_MOVED, TYPE_C, TYPE_D, TYPE_S, TYPE_Z, TYPE_Z_LANES,
};

/// The sum of the squares of the rows' numbers of entries, and the part of it that is of rows far longer than the average one. All
/// rows together have `entries`.
pub fn squares(lengths: &[u32], entries: u32) -> (u64, u64) {
    let longest = longest_usual(lengths.len() as u32, entries);
    let sum = |least: u32| lengths.iter().filter(|&&l| l > least).map(|&l| l as u64 * l as u64).sum();
    (sum(0), sum(longest))
}

/// A row with more entries is long, where `n` rows have `entries` together.
pub fn longest_usual(n: u32, entries: u32) -> u32 {
    LONG_ROW.max(LONG_ROW_TIMES.saturating_mul(entries / n.max(1)))
}

/// An entry farther from the diagonal is off-band.
pub fn off_band_from(n: u32) -> u32 {
    (n / OFF_BAND_PART).clamp(OFF_BAND_LEAST, OFF_BAND_MOST)
}

/// The last levels, or all of them, in nodes where these are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastLevels {
    /// The first of them.
    pub level: u32,
    /// Rows of it and those behind it.
    pub rows: u32,
}

/// Features that take time to find out. A cost function asks for one where it may be of use.
pub trait LazyFeatures {
    /// The levels of 3-D blocks, if the pattern has any.
    fn blocks_3d(&mut self) -> Option<Vec<Span>>;
    /// The levels of the ranges of the order by wavefront strips, if there is one.
    fn wavefront_strips(&mut self) -> Result<Option<Ranges>>;
    /// The last levels that are best by the rule `best`, which gets where levels begin and the unknowns of a node.
    fn last_levels(
        &mut self,
        best: fn(&[u32], u32) -> Option<LastLevels>,
        node: u32,
    ) -> Result<Option<LastLevels>>;
    /// What is known of segments of chains. None: panels are not to be chosen.
    fn segments(&mut self) -> Result<Option<SegmentCounts>> {
        Ok(None)
    }
    /// How many levels of segments there are. It takes as long as that many hops from row to row.
    fn segment_levels(&mut self) -> Result<Option<u32>> {
        Ok(None)
    }
}

/// What the choice knows of a pattern, of nodes or of rows.
pub struct Features<'f> {
    /// What is asked for.
    pub needs: Needs,
    pub counts: Counts,
    /// The levels of ranges of the natural order.
    pub natural: Ranges,
    lazy: RefCell<&'f mut dyn LazyFeatures>,
    wavefront_strips: OnceCell<Option<Ranges>>,
}

impl<'f> Features<'f> {
    pub fn new(needs: Needs, counts: Counts, natural: Ranges, lazy: &'f mut dyn LazyFeatures) -> Self {
        Features { needs, counts, natural, lazy: RefCell::new(lazy), wavefront_strips: OnceCell::new() }
    }

    pub fn blocks_3d(&self) -> Option<Vec<Span>> {
        self.lazy.borrow_mut().blocks_3d()
    }

    /// The levels of the ranges of the order by wavefront strips, which are looked for once.
    pub fn wavefront_strips(&self) -> Result<Option<&Ranges>> {
        if self.wavefront_strips.get().is_none() {
            let found = self.lazy.borrow_mut().wavefront_strips()?;
            return Ok(self.wavefront_strips.get_or_init(|| found).as_ref());
        }
        Ok(self.wavefront_strips.get().and_then(Option::as_ref))
    }

    /// Whether wavefront strips cost nothing more to look at.
    pub fn wavefront_strips_are_known(&self) -> bool {
        self.wavefront_strips.get().is_some()
    }

    /// See `LazyFeatures`.
    pub fn last_levels(&self, best: fn(&[u32], u32) -> Option<LastLevels>) -> Result<Option<LastLevels>> {
        self.lazy.borrow_mut().last_levels(best, self.counts.node)
    }

    pub fn segments(&self) -> Result<Option<SegmentCounts>> {
        self.lazy.borrow_mut().segments()
    }

    pub fn segment_levels(&self) -> Result<Option<u32>> {
        self.lazy.borrow_mut().segment_levels()
    }
}

/// What the choice goes by: sizes of the pattern that is scheduled, which may be one of nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub n: u32,
    /// Off the diagonal.
    pub entries: u32,
    /// `squares` of the rows of op(A).
    pub squares: (u64, u64),
    pub levels: u32,
    /// Whether the values of the rows of op(A) lie apart.
    pub scattered: bool,
    /// Whether the pattern has grid lines: then most dependencies are near.
    pub has_lines: bool,
    /// Whether it has planes, and some unknowns depend on later lines of earlier planes.
    pub crosses: bool,
    /// Whether the pattern is irregular: dependencies have no locality.
    pub irregular: bool,
    /// Near entries: those at most `NEAR` rows from the diagonal.
    pub near: u32,
    /// Off-band entries: those farther from the diagonal than `off_band_from`.
    pub off_band: u32,
    /// Unknowns of a node; 1 for rows.
    pub node: u32,
    pub value_bytes: u32,
    pub is_complex: bool,
    /// How fast the GPU is.
    pub speed: Speed,
}

impl Counts {
    /// The counts of the rows, where these are counts of nodes.
    pub fn of_rows(self) -> Counts {
        let b = self.node;
        let of_nodes = |entries: u32| entries * b * b + self.n * (b * (b - 1) / 2);
        let (entries, near) = (of_nodes(self.entries), of_nodes(self.near));
        // A node is that many rows, each that many times as long.
        let square = |of_nodes: u64| of_nodes.saturating_mul(u64::from(b).pow(3));
        let squares = (square(self.squares.0), square(self.squares.1));
        Counts { n: self.n * b, entries, near, squares, levels: self.levels * b, node: 1, ..self }
    }

    /// Entries of a row: the average, and their standard deviation without long rows.
    pub fn lengths(self) -> (f64, f64) {
        let average = self.entries as f64 / self.n.max(1) as f64;
        let squares = (self.squares.0 - self.squares.1) as f64;
        (average, (squares / self.n.max(1) as f64 - average * average).max(0.0).sqrt())
    }

    /// The part of the entries that is off-band.
    pub fn off_band_part(self) -> f64 {
        self.off_band as f64 / self.entries.max(1) as f64
    }

    /// Whether the average row has several lanes in tiles.
    pub fn has_lanes(self) -> bool {
        self.lengths().0 > LANE_ENTRIES
    }

    /// Whether a level has more than `rows` rows on average.
    pub fn is_wider(self, rows: u64) -> bool {
        self.n as u64 > self.levels as u64 * rows
    }

    /// Bytes that a solve in double precision moves.
    pub fn bytes(self) -> f64 {
        self.n as f64 * ROW_BYTES_MOVED + self.entries as f64 * ENTRY_BYTES_MOVED
    }

    /// Whether the cache holds all values, if they are not contiguous.
    pub fn caches_values(self) -> bool {
        self.entries as f64 <= CACHED_ENTRIES as f64 * self.speed.cache
    }

    /// The time on this GPU of work that takes, on an H200, `by_clock` and `from_memory` seconds for what comes from memory.
    pub fn time(self, by_clock: Duration, from_memory: f64) -> Duration {
        by_clock.mul_f64(self.speed.steps) + Duration::from_secs_f64(from_memory * self.speed.memory)
    }

    /// The time of a copy of the values, which takes `value` seconds for each.
    pub fn copied(self, value: f64) -> Duration {
        self.time(LAUNCH, self.entries as f64 * value)
    }

    /// So many columns in groups beside each other, of which a row takes so many seconds and a single one takes `single`. The more
    /// groups there are, the more of them wait for a multiprocessor and not for an unknown.
    pub fn in_groups(self, single: Duration, columns: i64, row: f64) -> Duration {
        let of_column = self.n as f64 * row + self.entries as f64 * GROUPS_ENTRY_SECONDS;
        single.mul_f64(GROUPS_TIMES).max(self.time(Duration::from_secs_f64(columns as f64 * of_column), 0.0))
    }

    pub fn of_type(self) -> OfType {
        match (self.is_complex, self.value_bytes) {
            (false, 4) => TYPE_S,
            (true, 8) => TYPE_C,
            (true, 16) if self.has_lanes() => TYPE_Z_LANES,
            (true, 16) => TYPE_Z,
            _ => TYPE_D,
        }
    }

    /// The time of a copy of the values into the order in which a solve reads them.
    pub fn copied_in_order(self) -> Duration {
        self.copied(GATHER_BYTE_SECONDS * self.value_bytes as f64)
    }
}

#[cfg(test)]
pub mod tests {
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
            irregular: false,
            near: 0,
            off_band: 0,
            node: 1,
            value_bytes: 8,
            is_complex: false,
            speed: Speed::default(),
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
}
