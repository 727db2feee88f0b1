//! Tiles: ranges of consecutive unknowns in solving order, each solved by one block of the GPU.
//!
//! Unknowns are taken in some solving order (rising for a forward, falling for a backward solve, by strips, or by boxes), so a tile
//! depends on earlier tiles only. The size of the tiles is chosen by a model of the time that a solve
//! takes: a batch of rows costs time of its multiprocessor, a dependency on another batch or another level of the
//! same one costs `TILED_STEP` or `TILED_TURN`, and one on another tile `TILED_HOP`.
#![forbid(unsafe_code)]

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use super::lines::Sizes;
use super::slices::LANES;
use super::{Engine, Needs, Relays, Tiles};
use crate::status::Result;
use crate::tuning::{
    OfType, LONG_ROW, LONG_ROW_TIMES, NARROW_LAUNCH, NARROW_LEVEL, NARROW_SKEW, NARROW_SLICE, NARROW_SPLIT,
    NARROW_THIRDS, NODAL_ENTRY_SECONDS, NODAL_LEVEL, NODAL_NARROW, NODAL_NARROW_LEVEL, NODAL_SUM,
    NODAL_VALUES_PER_LANE, ONE_WORD_ENTRIES_PER_LANE, ONE_WORD_ENTRY_SECONDS, ONE_WORD_LANES, ONE_WORD_LEVEL,
    ONE_WORD_ROW_SECONDS, ONE_WORD_SCATTERED_SECONDS, ONE_WORD_START, STAGED_BYTE_SECONDS,
    STAGED_ENTRY_SECONDS, STAGED_PIECES_BYTES, STAGED_PIECES_LEVEL, STAGED_PIECES_SECONDS, STAGED_SMALLEST,
    STAGED_START, STREAMED_CACHED_SECONDS, STREAMED_ENTRY_SECONDS, STREAMED_LEVEL, STREAMED_ROW_SECONDS,
    STREAMED_SCATTERED_SECONDS, STREAMED_START, STREWN_CACHE, STREWN_ENTRY_BYTES, STREWN_ENTRY_SECONDS,
    STREWN_ROW_BYTES, STREWN_ROW_SECONDS, STREWN_SCATTERED_SECONDS, TILED_ADVANTAGE, TILED_ADVANTAGE_LARGE,
    TILED_ADVANTAGE_LINES, TILED_ADVANTAGE_NODES, TILED_ADVANTAGE_STREWN, TILED_ADVANTAGE_WIDE, TILED_BATCH,
    TILED_BATCH_ENTRY, TILED_BATCH_SCATTERED, TILED_BATCH_SCATTERED_CACHED, TILED_BLOCKS, TILED_BOX,
    TILED_BOX_FAVOUR, TILED_BOX_LANES, TILED_CACHED_ENTRIES, TILED_CLUSTER, TILED_CROWD_HOP, TILED_ENTRIES,
    TILED_ENTRY_BYTES, TILED_FIRST, TILED_HOP, TILED_LARGE_BYTES, TILED_LARGE_BYTES_SCATTERED,
    TILED_LARGE_LEVEL, TILED_LAUNCH, TILED_LONG_LANES, TILED_LONG_ROW_SCATTERED_SECONDS,
    TILED_LONG_ROW_SECONDS, TILED_LONG_TURN, TILED_LOWER_LEVELS, TILED_MESH, TILED_MESH_LEVELS,
    TILED_MESH_ROWS, TILED_MESH_SCATTERED, TILED_PLANE, TILED_PLANE_ENTRIES, TILED_RELAY_ENTRIES,
    TILED_RELAY_HOP, TILED_ROW_BYTES, TILED_SCATTERED_LEVEL, TILED_SHORT_BATCHES, TILED_SHORT_ENTRIES,
    TILED_START, TILED_STEP, TILED_STREWN_ROWS, TILED_STRIPS_GAIN, TILED_STRIPS_LEVELS, TILED_STRIPS_WORTH,
    TILED_STRIPS_WORTH_SCATTERED, TILED_SUM, TILED_TURN, TILED_TURN_ENTRIES, TILED_TURN_ENTRY,
    TILED_UNEVEN_ENTRIES, TILED_UNEVEN_LINES, TILED_WAIT, TILED_WIDEST_LEVEL, TILED_WIDE_BATCHES,
    TILED_WIDE_BYTES, TILED_WIDE_LEVEL, TILED_WIDE_RELAY_BATCH, TILED_WIDE_RELAY_HOP, TYPE_C, TYPE_D, TYPE_S,
    TYPE_Z, TYPE_Z_LANES, WIDE_ADVANTAGE, WIDE_CACHED_SECONDS, WIDE_DEVIATIONS, WIDE_ENTRY_SECONDS,
    WIDE_LEVEL, WIDE_MOST_LEVELS, WIDE_ROW_SECONDS, WIDE_SCATTERED_SECONDS, WIDE_SPANS_APART, WIDE_SPAN_PART,
    WIDE_START,
};

/// A size and what the model says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Choice {
    rows: u32,
    relays: Relays,
    /// Whether a level of a tile fills half of a batch, in most of them.
    is_wide: bool,
    predicted: Duration,
}

/// The levels that a range of rows spans.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub low: u32,
    pub high: u32,
    pub rows: u32,
}

/// The levels of a range of rows: from where to where, and of the rows kept, whose levels are not far from the average one, their
/// number, their sum and that of their squares. These wrap from some 2^27 levels on; only the prediction suffers.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    span: Span,
    kept: u64,
    sum: u64,
    squares: u64,
}

/// Levels farther than that from the middle row's count as that far when rows are left out. Mirrored in kernels/setup.cuh, as is
/// `Spread::new`.
const FARTHEST: i64 = 1 << 18;

impl Spread {
    /// Words of one as kernels/setup.cuh has it, beside its rows.
    pub const WORDS: usize = 8;

    pub fn of_words(words: &[u32], rows: u32) -> Spread {
        let long = |k: usize| words[k] as u64 | (words[k + 1] as u64) << 32;
        let span = Span { low: words[0], high: words[1], rows };
        Spread { span, kept: words[2] as u64, sum: long(4), squares: long(6) }
    }

    /// Leaves out rows that are more than two deviations from the average.
    fn new(levels: &[u32]) -> Spread {
        let (rows, middle) = (levels.len() as i64, levels[levels.len() / 2] as i64);
        let off = |level: u32| (level as i64 - middle).clamp(-FARTHEST, FARTHEST);
        let (sum, squares) = levels.iter().fold((0i64, 0i64), |(sum, squares), &level| {
            let d = off(level);
            (sum.wrapping_add(d), squares.wrapping_add(d * d))
        });
        // Twice the deviation, times the rows, squared.
        let farthest = rows.wrapping_mul(squares).wrapping_sub(sum.wrapping_mul(sum)).wrapping_mul(4) as u64;
        let is_kept = |level: u32| {
            let off = (rows * off(level)).wrapping_sub(sum);
            off.wrapping_mul(off) as u64 <= farthest
        };
        let one = |&level: &u32| {
            let (kept, wide) = (is_kept(level) as u64, level as u64);
            let span = Span { low: level, high: level, rows: 1 };
            Spread { span, kept, sum: kept * wide, squares: kept * wide * wide }
        };
        levels.iter().map(one).reduce(Spread::join).expect("chunks are not empty")
    }

    fn join(self, other: Spread) -> Spread {
        Spread {
            span: self.span.join(other.span),
            kept: self.kept + other.kept,
            sum: self.sum.wrapping_add(other.sum),
            squares: self.squares.wrapping_add(other.squares),
        }
    }

    /// The same of the rows, where these are nodes of so many: a node's levels become `b` levels of a row each.
    fn of_rows(self, b: u32) -> Spread {
        let Span { low, high, rows } = self.span;
        let (n, b, steps) = (self.kept, b as u64, b as u64 * (b as u64 - 1) / 2);
        let product = |a: u64, b: u64| a.wrapping_mul(b);
        Spread {
            span: Span { low: low * b as u32, high: high * b as u32 + b as u32 - 1, rows: rows * b as u32 },
            kept: n * b,
            sum: product(b * b, self.sum).wrapping_add(n * steps),
            squares: product(b * b * b, self.squares)
                .wrapping_add(product(2 * b * steps, self.sum))
                .wrapping_add(n * steps * (2 * b - 1) / 3),
        }
    }

    /// The levels that most rows are of: as many as there would be if all of them had as many rows, and those kept varied as much.
    /// All of them where most rows are of the lower ones, as in nested dissection: then few are what others wait for.
    fn usual(self) -> Span {
        let Span { low, high, rows } = self.span;
        let kept = self.kept as f64;
        let mean = self.sum as f64 / kept;
        if mean - (low as f64) < TILED_LOWER_LEVELS * (high - low) as f64 {
            return self.span;
        }
        let half = (3.0 * (self.squares as f64 / kept - mean * mean)).max(0.0).sqrt();
        let level = |of: f64| ((of + 0.5) as u32).clamp(low, high);
        let first = level(mean - half + 0.5);
        Span { low: first, high: level(mean + half - 0.5).max(first), rows }
    }
}

/// The levels of an order, and the sizes that tiles of it may have.
#[derive(Clone, Debug)]
pub struct Ranges {
    sizes: Sizes,
    spreads: Vec<Spread>,
    /// The tiles of each size, once they have been asked for.
    tiles: OnceCell<Vec<(u32, Vec<Spread>)>>,
}

impl Ranges {
    /// `level` is in that order.
    pub fn new(sizes: Sizes, level: &[u32]) -> Self {
        let spreads = level.chunks(sizes.span as usize).map(Spread::new).collect();
        Ranges::of(sizes, spreads)
    }

    pub fn of(sizes: Sizes, spreads: Vec<Spread>) -> Self {
        Ranges { sizes, spreads, tiles: OnceCell::new() }
    }

    /// The average level of an unknown, but for those that are left out.
    fn average_level(&self) -> f64 {
        let total = |of: fn(&Spread) -> f64| self.spreads.iter().map(of).sum::<f64>();
        total(|spread| spread.sum as f64) / total(|spread| spread.kept as f64).max(1.0)
    }

    /// Whether unknowns are laid out level by level, or `most` levels beside each other, but for some.
    fn are_levels(&self, most: u32) -> bool {
        let apart = self.spreads.iter().filter(|spread| spread.usual().levels() > most as f64).count();
        apart * WIDE_SPANS_APART <= self.spreads.len()
    }

    /// The same of the rows, where these are nodes of so many.
    fn of_rows(&self, b: u32) -> Ranges {
        let Sizes { span, ref tiles, plane, whole } = self.sizes;
        let tiles = tiles.iter().map(|rows| rows.saturating_mul(b)).collect();
        let sizes = Sizes { span: span * b, tiles, plane: plane * b, whole: whole * b };
        Ranges::of(sizes, self.spreads.iter().map(|spread| spread.of_rows(b)).collect())
    }

    /// Every size with its tiles.
    fn tiles(&self) -> &[(u32, Vec<Spread>)] {
        self.tiles.get_or_init(|| {
            let mut known: Vec<(u32, Vec<Spread>)> = Vec::with_capacity(self.sizes.tiles.len());
            for &rows in &self.sizes.tiles {
                let smaller = known.iter().rev().find(|(of, _)| rows % of == 0);
                let (of, spreads) = smaller.map_or((self.sizes.span, &self.spreads), |(of, s)| (*of, s));
                let join = |w: &[Spread]| w.iter().copied().reduce(Spread::join).expect("not empty");
                let joined = spreads.chunks((rows / of) as usize).map(join).collect();
                known.push((rows, joined));
            }
            known
        })
    }
}

impl Span {
    fn join(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high), rows: self.rows + other.rows }
    }
    /// Time of each of its levels.
    fn pace(self, shape: Rows) -> f64 {
        let batches = self.batches(shape);
        if batches >= 1.0 {
            return (batches.ceil() * shape.batch).max(shape.step);
        }
        let levels = self.batch_levels(shape);
        ((shape.step + (levels - 1.0) * shape.turn) / levels).max(shape.batch / levels)
    }
    /// What a hop takes longer, as a batch waits for what all of its levels want of other tiles.
    fn wait(self, shape: Rows) -> f64 {
        TILED_WAIT * (self.batch_levels(shape) - 1.0) * shape.turn
    }
    /// Batches of a level, and levels of a batch.
    fn batches(self, shape: Rows) -> f64 {
        self.rows as f64 / self.levels() / shape.per_batch
    }
    fn batch_levels(self, shape: Rows) -> f64 {
        (1.0 / self.batches(shape)).floor().clamp(1.0, LANES as f64)
    }
    fn levels(self) -> f64 {
        (self.high - self.low + 1) as f64
    }
}

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
fn predict_one_word(rows: Counts, average_level: f64) -> Duration {
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
fn predict_nodal(nodes: Counts, rows: Counts) -> Duration {
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
fn predict_wide(rows: Counts) -> Duration {
    let seconds = [WIDE_ROW_SECONDS, WIDE_ENTRY_SECONDS];
    streamed(rows, WIDE_START, WIDE_LEVEL, seconds, [WIDE_SCATTERED_SECONDS, WIDE_CACHED_SECONDS])
}
fn predict_one_word_streamed(rows: Counts) -> Duration {
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

/// What the model knows of the rows.
#[derive(Clone, Copy)]
struct Rows {
    /// Entries of one, on average.
    average: f64,
    /// Rows in a full batch.
    per_batch: f64,
    /// Time that a batch takes of a multiprocessor.
    batch: f64,
    /// Time from one batch to one that depends on it, and from level to level in a batch.
    step: f64,
    turn: f64,
    /// Whether relays may be of use without lines: rows depend on several others, and none is far longer.
    may_relay: bool,
    /// Whether values lie so, and dependencies.
    scattered: bool,
    strewn: bool,
}

impl Rows {
    fn new(rows: Counts) -> Self {
        let average = rows.entries as f64 / rows.n.max(1) as f64;
        let lanes = ((average / TILED_ENTRIES).ceil() as u32).clamp(1, LANES).next_power_of_two();
        let doublings = lanes.ilog2() as f64;
        let sums = TILED_SUM.as_secs_f64() * doublings;
        let (few, most) = (*TILED_TURN_ENTRIES.start(), *TILED_TURN_ENTRIES.end());
        let more = average.clamp(few, most) - few;
        let apart = match rows.scattered {
            true if rows.entries <= TILED_CACHED_ENTRIES => TILED_BATCH_SCATTERED_CACHED,
            true => TILED_BATCH_SCATTERED,
            false => Duration::ZERO,
        };
        let entry = TILED_BATCH_ENTRY + apart;
        let entries = entry.as_secs_f64() * (average / lanes as f64).ceil();
        Rows {
            average,
            per_batch: (LANES / lanes) as f64,
            batch: TILED_BATCH.as_secs_f64() + entries,
            step: TILED_STEP.as_secs_f64() + sums,
            turn: if lanes < TILED_LONG_LANES {
                TILED_TURN.as_secs_f64() + TILED_TURN_ENTRY.as_secs_f64() * more + sums
            } else {
                TILED_LONG_TURN.as_secs_f64()
            },
            may_relay: average >= TILED_RELAY_ENTRIES && rows.squares.1 == 0,
            scattered: rows.scattered,
            strewn: rows.strewn,
        }
    }
}

/// Of the numbers of entries of rows, `entries` in all, the sum of their squares, and of those of rows that are far longer than the
/// average one. Mirrored in kernels/setup_levels.cuh.
pub fn squares(lengths: &[u32], entries: u32) -> (u64, u64) {
    let longest = LONG_ROW.max(LONG_ROW_TIMES.saturating_mul(entries / (lengths.len() as u32).max(1)));
    let sum = |least: u32| lengths.iter().filter(|&&l| l > least).map(|&l| l as u64 * l as u64).sum();
    (sum(0), sum(longest))
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
    fn are_alike(self) -> bool {
        let (average, deviation) = self.lengths();
        deviation <= WIDE_DEVIATIONS * average + 1.0 && self.squares.1 == 0
    }

    /// Entries of a row: the average, and how far they are from that but for rows that are far longer.
    fn lengths(self) -> (f64, f64) {
        let average = self.entries as f64 / self.n.max(1) as f64;
        let squares = (self.squares.0 - self.squares.1) as f64;
        (average, (squares / self.n.max(1) as f64 - average * average).max(0.0).sqrt())
    }

    /// Entries that the longest row of a slice mostly has.
    fn longest(self) -> f64 {
        let (average, deviation) = self.lengths();
        average + DEVIATIONS_OF_LONGEST * deviation
    }

    /// What rows that are far longer than the others, one warp's each, take longer in tiles: the longer the more wait for another.
    fn long_rows_in_tiles(self) -> Duration {
        let seconds = if self.scattered { TILED_LONG_ROW_SCATTERED_SECONDS } else { TILED_LONG_ROW_SECONDS };
        Duration::from_secs_f64((self.squares.1 as f64).sqrt() * seconds)
    }

    /// What levels take longer in tiles whose values lie scattered: these are waited for as well, where products do not take longer.
    fn levels_apart(self) -> Duration {
        match self.scattered && !self.is_complex {
            true => TILED_SCATTERED_LEVEL * self.levels,
            false => Duration::ZERO,
        }
    }

    pub(super) fn of_type(self) -> OfType {
        match (self.is_complex, self.value_bytes) {
            (false, 4) => TYPE_S,
            (true, 8) => TYPE_C,
            (true, 16) if self.entries as f64 > TILED_ENTRIES * self.n as f64 => TYPE_Z_LANES,
            (true, 16) => TYPE_Z,
            _ => TYPE_D,
        }
    }

    /// A copy of scattered values into the order in which a solve reads them.
    fn copied_in_order(self) -> Duration {
        let entry = STAGED_ENTRY_SECONDS + STAGED_BYTE_SECONDS * self.value_bytes as f64;
        STAGED_START + Duration::from_secs_f64(self.entries as f64 * entry)
    }

    /// How many times as long tiles take as of rows that are all alike: a batch of a level goes by the longest of its rows.
    fn unevenness(self) -> f64 {
        let (average, deviation) = self.lengths();
        let part = deviation / average;
        if self.n as u64 <= LANES as u64 * self.levels as u64 {
            return 1.0;
        }
        // As of unknowns of several kinds, one kind behind the other.
        if self.has_lines && average > TILED_ENTRIES && part > TILED_UNEVEN_LINES {
            return 1.0 + part;
        }
        if average <= TILED_UNEVEN_ENTRIES {
            part.max(1.0)
        } else {
            1.0
        }
    }

    fn regularity(self) -> Regularity {
        match (self.has_lines, self.crosses) {
            (_, true) => Regularity::Crossing,
            (true, _) => Regularity::Lines,
            _ => Regularity::Mesh,
        }
    }

    /// What strewn dependencies add to the time by rows, more if the rows of a level lie apart as well.
    fn strewn_in_rows(self, natural: &Ranges) -> Duration {
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

    /// The part of the other engines' time that tiles must promise.
    fn advantage(self) -> f64 {
        let bytes = self.n as u64 * TILED_ROW_BYTES + self.entries as u64 * TILED_ENTRY_BYTES;
        let wider = |rows: u64| self.n as u64 > self.levels as u64 * rows;
        let is_far = self.scattered && !self.has_lines;
        let large = if self.scattered { TILED_LARGE_BYTES_SCATTERED } else { TILED_LARGE_BYTES };
        let is_wide = wider(TILED_WIDE_LEVEL) && bytes > TILED_WIDE_BYTES;
        let is_short = self.entries as u64 <= TILED_SHORT_ENTRIES * self.n as u64;
        match is_far {
            // Each level is a hop there, which the model does not know; where levels are wide hops are not what takes time.
            false if self.strewn && !wider(TILED_LARGE_LEVEL) => TILED_ADVANTAGE_STREWN,
            false if self.strewn => TILED_ADVANTAGE,
            true if is_short => TILED_ADVANTAGE,
            true if is_wide && self.strewn => TILED_ADVANTAGE_STREWN,
            true if is_wide => TILED_ADVANTAGE_WIDE,
            true if wider(TILED_WIDE_LEVEL) => TILED_ADVANTAGE_LARGE,
            false if wider(TILED_LARGE_LEVEL) && bytes > large => TILED_ADVANTAGE_LARGE,
            false if wider(TILED_WIDEST_LEVEL) => TILED_ADVANTAGE_LARGE,
            false if self.has_lines && !self.scattered => TILED_ADVANTAGE_LINES,
            _ => TILED_ADVANTAGE,
        }
    }
}

/// What of the rows makes all tiles better or worse, wherever a solve takes their values from.
#[derive(Clone, Copy)]
struct OfTiles {
    /// The part of the other engines' time that tiles must promise.
    advantage: f64,
    /// How many times as long they take as of rows that are alike and of type d, and what some far longer ones add.
    uneven: f64,
    long_rows: Duration,
    /// What they must stay below whatever others promise.
    below: Option<Duration>,
    /// Whether strips are known, and cost nothing more to look at.
    strips_are_known: bool,
}

impl OfTiles {
    fn new(rows: Counts) -> Self {
        let (advantage, uneven) = (rows.advantage(), rows.unevenness() * rows.of_type().tiles);
        OfTiles {
            advantage,
            uneven,
            long_rows: rows.long_rows_in_tiles(),
            below: None,
            strips_are_known: false,
        }
    }
}

/// The order that tiles are ranges of: the natural one, by strips, or by boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Natural,
    Strips,
    Boxes,
}

/// The copy of scattered values that a solve begins with, if it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Staging {
    #[default]
    No,
    /// Into the order in which it reads them.
    InOrder,
    /// Piece by piece of the caller's array, each into that order.
    ByPieces,
}

/// What `decide` has found best.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    pub engine: Engine,
    /// Of a tile, or of the largest; 0 without tiles.
    pub rows: u32,
    pub order: Order,
    /// Whether a level of a tile fills half of a batch.
    pub is_wide: bool,
    pub staging: Staging,
    /// Time of a solve by the model.
    pub predicted: Duration,
}

/// The engine of rows that is asked for.
pub fn of_rows(needs: Needs, levels: u32) -> Decision {
    let wide = needs.wide && levels <= WIDE_MOST_LEVELS;
    Decision { engine: if wide { Engine::Wide } else { Engine::Rows }, ..Decision::default() }
}

/// The engine, and the tiles where it is the tiled one. A pattern of nodes is either solved by nodes, or has tiles of
/// its rows. Boxes, and the ranges of the order by strips, are asked for where they may be worth it, and may not exist.
///
/// Where values lie scattered, the same as if they did not may be better, after a copy of them.
pub fn decide(
    wish: Tiles,
    mirror: u32,
    natural: Ranges,
    counts: Counts,
    boxes: &mut dyn FnMut() -> Option<Vec<Span>>,
    strips: &mut dyn FnMut() -> Result<Option<Ranges>>,
) -> Result<Decision> {
    let rows = counts.of_rows();
    let of_tiles = OfTiles::new(rows);
    let is_free = wish == Tiles::IfFaster;
    // Where no row depends on another the one-word engine streams too, in one launch.
    if is_free && counts.node == 1 && (2..=WIDE_MOST_LEVELS).contains(&counts.levels) {
        let predicted = predict_wide(counts);
        let most = (counts.levels / WIDE_SPAN_PART).max(1);
        let promises = predicted < predict_one_word_streamed(counts).mul_f64(WIDE_ADVANTAGE);
        if promises && counts.are_alike() && natural.are_levels(most) {
            return Ok(Decision { engine: Engine::Wide, predicted, ..Decision::default() });
        }
    }
    // Not looked for twice.
    let known = RefCell::new(None);
    let mut strips = || match &mut *known.borrow_mut() {
        Some(ranges) => Ok(Option::clone(ranges)),
        unknown => strips().map(|ranges| unknown.insert(ranges.map(Rc::new)).clone()),
    };
    if !is_free || !counts.scattered || rows.n < STAGED_SMALLEST {
        return decide_tiles(wish, mirror, &natural, counts, of_tiles, boxes, &mut strips);
    }
    let gathered = Counts { scattered: false, ..counts };
    let direct = decide_tiles(wish, mirror, &natural, counts, of_tiles, boxes, &mut strips)?;
    let copy = rows.copied_in_order();
    // What is strewn such a copy gathers no better than a solve.
    if !counts.strewn && copy < direct.predicted {
        // They must promise what either kind must.
        let advantage = of_tiles.advantage.min(gathered.of_rows().advantage());
        let below = Some(direct.predicted - copy);
        let of_tiles = OfTiles { advantage, below, strips_are_known: known.borrow().is_some(), ..of_tiles };
        let staged = decide_tiles(wish, mirror, &natural, gathered, of_tiles, boxes, &mut strips)?;
        let predicted = staged.predicted + copy;
        // Rows by themselves, and nodes, wait for unknowns, not for values.
        if matches!(staged.engine, Engine::Tiles(_)) && predicted < direct.predicted {
            return Ok(Decision { staging: Staging::InOrder, predicted, ..staged });
        }
    }
    let bytes = counts.entries as u64 * counts.value_bytes as u64;
    let is_large =
        bytes >= STAGED_PIECES_BYTES && counts.n as u64 >= STAGED_PIECES_LEVEL * counts.levels as u64;
    if direct.engine != Engine::Rows || !counts.strewn || !is_large {
        return Ok(direct);
    }
    let copy = STAGED_START + Duration::from_secs_f64(counts.entries as f64 * STAGED_PIECES_SECONDS);
    Ok(Decision { staging: Staging::ByPieces, predicted: in_rows(gathered, &natural) + copy, ..direct })
}

/// Time of a solve by the one-word engine, if the levels of ranges are known.
fn in_rows(rows: Counts, natural: &Ranges) -> Duration {
    predict_one_word(rows, natural.average_level()) + rows.strewn_in_rows(natural)
}

/// Tiles, if they promise that part of the other engine's time, or else that one.
fn decide_tiles(
    wish: Tiles,
    mirror: u32,
    natural: &Ranges,
    counts: Counts,
    of_tiles: OfTiles,
    boxes: &mut dyn FnMut() -> Option<Vec<Span>>,
    strips: &mut dyn FnMut() -> Result<Option<Rc<Ranges>>>,
) -> Result<Decision> {
    let rows = counts.of_rows();
    let (engine, untiled) = match (counts.node, wish) {
        // Without tiles the levels of ranges are not known.
        (1, Tiles::No) => (Engine::Rows, predict_one_word(rows, rows.levels as f64)),
        (1, _) => (Engine::Rows, in_rows(rows, natural)),
        (node, _) => (Engine::Nodes(node), predict_nodal(counts, rows)),
    };
    let without = Decision { engine, predicted: untiled, ..Decision::default() };
    if wish == Tiles::No {
        return Ok(without);
    }
    let b = counts.node;
    // Whatever the tiles, it takes so many times as long in the end, and these are added.
    let OfTiles { advantage, uneven, long_rows, below, strips_are_known } = of_tiles;
    let added = long_rows + rows.levels_apart();
    let of_alike = |time: Duration| time.saturating_sub(added).div_f64(uneven);
    let (untiled, below) = (of_alike(untiled), below.map_or(Duration::MAX, of_alike));
    let limit = match wish {
        Tiles::IfFaster if b > 1 => untiled.mul_f64(advantage.min(TILED_ADVANTAGE_NODES)),
        Tiles::IfFaster => untiled.mul_f64(advantage),
        _ => Duration::MAX,
    }
    .min(below);
    let may_have_strips = b == 1 && natural.spreads.len() > 1 && !counts.strewn;
    let shape = Rows::new(rows);
    let mut order = Order::Natural;
    let of_rows = (b > 1).then(|| natural.of_rows(b));
    let mut best = choose(of_rows.as_ref().unwrap_or(natural), rows.regularity(), shape, mirror, limit);
    // Against other tiles boxes need not promise as much.
    let of_boxes = best.map_or(limit, |tiles| tiles.predicted.mul_f64(TILED_BOX_FAVOUR).min(limit));
    let mut limit = best.map_or(limit, |best| best.predicted.min(limit));
    if b == 1 {
        if let Some(tiles) = boxes().and_then(|spans| by_boxes(&spans, shape, of_boxes)) {
            (order, best, limit) = (Order::Boxes, Some(tiles), tiles.predicted);
        }
    }
    let other = best.map_or(untiled.min(below), |tiles| tiles.predicted);
    let ideal = ideal(rows, shape);
    let worth = match rows.scattered && rows.levels >= TILED_STRIPS_LEVELS {
        true => TILED_STRIPS_WORTH_SCATTERED,
        false => TILED_STRIPS_WORTH,
    };
    let are_worth_it = strips_are_known || other > ideal.mul_f64(worth).max(ideal + TILED_STRIPS_GAIN);
    if may_have_strips && are_worth_it {
        if let Some(tiles) =
            strips()?.and_then(|ranges| choose(&ranges, Regularity::Lines, shape, mirror, limit.min(other)))
        {
            (order, best) = (Order::Strips, Some(tiles));
        }
    }
    Ok(best.map_or(without, |tiles| Decision {
        engine: Engine::Tiles(tiles.relays),
        rows: tiles.rows,
        order,
        is_wide: tiles.is_wide,
        staging: Staging::No,
        predicted: tiles.predicted.mul_f64(uneven) + added,
    }))
}

/// Boxes, if a solve takes less than the limit. They do better than the model says, which takes each to depend on two.
fn by_boxes(spans: &[Span], shape: Rows, limit: Duration) -> Option<Choice> {
    let rows = spans.iter().map(|span| span.rows).max()?;
    let part = if shape.per_batch < LANES as f64 { TILED_BOX_LANES } else { TILED_BOX };
    let predicted = predict_part(part, spans, shape, Regularity::Lines, Relays::No, limit)?;
    let is_wide = usual_batches(spans, shape) >= TILED_SHORT_BATCHES;
    Some(Choice { rows, relays: Relays::No, is_wide, predicted })
}

/// Batches of a level of a tile that most are like.
fn usual_batches(spans: &[Span], shape: Rows) -> f64 {
    spans.get(spans.len() / 2).map_or(0.0, |span| span.batches(shape))
}

/// Time of a solve if every block had the same part of each level, and none waited for another.
fn ideal(rows: Counts, shape: Rows) -> Duration {
    let part = Span { low: 0, high: rows.levels.max(1) - 1, rows: rows.n / TILED_BLOCKS as u32 + 1 };
    TILED_LAUNCH + Duration::from_secs_f64(part.levels() * part.pace(shape))
}

/// Whether blocks in clusters can relay unknowns from tile to tile: where a tile fits into a mirror of so many
/// unknowns, and where tiles depend on the one before: they begin at rising levels, and not, as parts of planes, at
/// those of the plane before again, or, as parts of no chain, all at the first.
fn can_relay(spans: &[Span], rows: u32, mirror: u32) -> bool {
    let others = spans.windows(2).filter(|w| w[1].low <= w[0].low).count();
    spans.len() > 1 && rows <= mirror && others * TILED_CLUSTER * 2 <= spans.len()
}

/// Blocks that are resident at once in whole clusters.
fn relay_blocks() -> usize {
    TILED_BLOCKS / TILED_CLUSTER * TILED_CLUSTER
}

/// What is known of an order beside its levels.
#[derive(Clone, Copy, PartialEq)]
enum Regularity {
    /// It has lines.
    Lines,
    /// It has none, but as many rows in all levels of a tile.
    Even,
    /// It has planes as well, and a part of one waits for the later parts of the plane before too, which `predict` does not
    /// know: so no tile is less than a plane. Planes do better than it says.
    Crossing,
    /// It has none, and some rows of a tile are far before or behind the others, as in a mesh without order: these are what
    /// other tiles wait for; and tiles do worse than `predict` says.
    Mesh,
}

impl Regularity {
    /// The same, but `Lines` for what is no mesh by the levels of its tiles.
    fn of_levels(self, sizes: &[(u32, Vec<Spread>)]) -> Regularity {
        let middle = sizes.iter().min_by_key(|(rows, _)| rows.abs_diff(TILED_MESH_ROWS));
        let is_mesh = |(_, spreads): &(u32, Vec<Spread>)| {
            let levels = |of: &dyn Fn(&Spread) -> Span| spreads.iter().map(|s| of(s).levels()).sum::<f64>();
            spreads.len() > 1
                && levels(&|spread| spread.usual()) < TILED_MESH_LEVELS * levels(&|spread| spread.span)
        };
        match self {
            Regularity::Mesh if !middle.is_some_and(is_mesh) => Regularity::Even,
            other => other,
        }
    }

    /// Whether relays are of use to so many tiles of such rows: where there are no lines, only to several clusters'.
    fn may_relay(self, tiles: usize, shape: Rows) -> bool {
        matches!(self, Regularity::Lines | Regularity::Crossing)
            || tiles >= 2 * TILED_CLUSTER && shape.may_relay
    }

    /// The levels that tiles of a size are taken to have, and what part of the time that the model then says.
    fn of_tiles(self, rows: u32, whole: u32, spreads: &[Spread], shape: Rows) -> (Vec<Span>, f64) {
        let part = match self {
            Regularity::Crossing if rows == whole && shape.average <= TILED_PLANE_ENTRIES => TILED_PLANE,
            Regularity::Crossing | Regularity::Lines | Regularity::Even => 1.0,
            Regularity::Mesh if shape.scattered => TILED_MESH_SCATTERED,
            Regularity::Mesh => TILED_MESH,
        };
        let by_usual = self == Regularity::Mesh && spreads.len() > 1;
        let levels = |spread: &Spread| if by_usual { spread.usual() } else { spread.span };
        (spreads.iter().map(levels).collect(), part)
    }
}

/// The best size, with or without relays, if a solve takes less than the limit.
fn choose(
    ranges: &Ranges,
    regularity: Regularity,
    shape: Rows,
    mirror: u32,
    limit: Duration,
) -> Option<Choice> {
    let Sizes { plane, whole, .. } = ranges.sizes;
    let regularity = regularity.of_levels(ranges.tiles());
    let mut sizes: Vec<_> = ranges.tiles().iter().collect();
    // Beginning with what is mostly good, so that what is not is soon seen to be worse.
    sizes.sort_by_key(|&&(rows, _)| rows.max(TILED_FIRST) as u64 * 16 / rows.min(TILED_FIRST) as u64);
    let best_up_to = |most: u32| {
        let mut best: Option<Choice> = None;
        for &&(rows, ref spreads) in sizes.iter().filter(|&&&(rows, _)| rows <= most) {
            let (spans, part) = regularity.of_tiles(rows, whole, spreads, shape);
            let spans = &spans;
            if spans.len() > 1 && straddles(rows, plane) && spans[0].batch_levels(shape) > 1.0 {
                continue;
            }
            if regularity == Regularity::Crossing && rows < whole {
                continue;
            }
            let batches = usual_batches(spans, shape);
            let is_wide = batches >= TILED_SHORT_BATCHES;
            let relays = regularity.may_relay(spans.len(), shape) && can_relay(spans, rows, mirror);
            let ways: &[Relays] = match (relays, shape.scattered) {
                (false, _) => &[Relays::No],
                (true, true) => &[Relays::Narrow, Relays::No],
                (true, false) if batches >= TILED_WIDE_BATCHES => &[Relays::Wide, Relays::No],
                (true, false) => &[Relays::Narrow, Relays::Wide, Relays::No],
            };
            for &relays in ways {
                let limit = best.map_or(limit, |best| best.predicted);
                let better = predict_part(part, spans, shape, regularity, relays, limit);
                best = better.map(|predicted| Choice { rows, relays, is_wide, predicted }).or(best);
            }
        }
        best
    };
    match shape.strewn {
        // So few rows may be no size of this pattern. Where tiles are asked for there are some.
        true if limit == Duration::MAX => best_up_to(TILED_STREWN_ROWS).or_else(|| best_up_to(u32::MAX)),
        true => best_up_to(TILED_STREWN_ROWS),
        false => best_up_to(u32::MAX),
    }
}

/// Whether some tiles hold the end of one plane and the beginning of the next. Where a batch has several levels these wait
/// for both of the tiles beside them, and so on through all tiles, which `predict` does not know.
fn straddles(rows: u32, plane: u32) -> bool {
    plane > 0 && rows % plane != 0 && plane % rows != 0
}

/// Such a part of what `predict` says, if it is below the limit.
fn predict_part(
    part: f64,
    spans: &[Span],
    shape: Rows,
    regularity: Regularity,
    relays: Relays,
    limit: Duration,
) -> Option<Duration> {
    // A limit of none stays one.
    let of_whole = if limit == Duration::MAX { limit } else { limit.div_f64(part) };
    predict(spans, shape, regularity, relays, of_whole).map(|time| time.mul_f64(part))
}

/// Time of a solve with these tiles, if it is below the limit. Each begins when a block is free, and no earlier than one
/// hop after the level before its first is done in the last tile before it that begins at a lower one. It ends no earlier
/// than its own levels allow, nor than one hop and the levels that it has beyond after the last tile before it that ends
/// at a lower level, or, if the pattern is `Even`, at the same. From these two it is taken to depend: other tiles that end at
/// the same level are beside each other, or of domains by themselves. A hop takes longer into batches of several levels, and hops
/// inside a cluster that relays are shorter, whose blocks begin together.
fn predict(
    spans: &[Span],
    mut shape: Rows,
    regularity: Regularity,
    relays: Relays,
    limit: Duration,
) -> Option<Duration> {
    let are_apart = regularity != Regularity::Even;
    let hop = match relays {
        Relays::No => TILED_HOP,
        Relays::Narrow => TILED_RELAY_HOP,
        Relays::Wide => TILED_WIDE_RELAY_HOP,
    };
    if relays == Relays::Wide {
        shape.batch -= (TILED_BATCH - TILED_WIDE_RELAY_BATCH).as_secs_f64();
    }
    let (start, hop, far) = (TILED_START.as_secs_f64(), hop.as_secs_f64(), TILED_HOP.as_secs_f64());
    let in_crowd = if relays == Relays::No { TILED_CROWD_HOP.as_secs_f64() } else { hop };
    let latest = limit.as_secs_f64();
    // Blocks, how many of them begin together, and when those that are next have been free.
    let (blocks, together) =
        if relays == Relays::No { (TILED_BLOCKS, 1) } else { (relay_blocks(), TILED_CLUSTER) };
    let mut free = 0.0;
    // Most tiles are like the one before.
    let (mut like, mut own, mut pace, mut wait, mut part) = (None, 0.0, 0.0, 0.0, 0.0);
    // What blocks have ahead of them, and when each will have been free, summed up over all: they end no earlier than this on average.
    let mut ahead = 0.0;
    for &span in spans {
        if like != Some((span.rows, span.high - span.low)) {
            like = Some((span.rows, span.high - span.low));
            own = start + span.levels() * span.pace(shape);
        }
        ahead += own;
    }
    if ahead > latest * blocks as f64 {
        return None;
    }
    // Tiles that end at rising levels are a chain of hops, and of levels behind each.
    let is_chain = spans.is_sorted_by_key(|span| span.high);
    let mut rises = spans.windows(2).filter(|w| w[1].high > w[0].high).count();
    let (least_hop, least_pace) = (hop.min(far), shape.step.min(shape.turn));
    let last = spans.last().map_or(0, |span| span.high);
    let mut at = spans.first().map_or(0, |span| span.high);
    like = None;
    let mut ends: Vec<f64> = Vec::with_capacity(spans.len());
    // Tiles whose lowest levels rise, with begin and time of a level, and tiles whose highest levels rise, with their ends.
    let mut lowest: Vec<(Span, f64, f64)> = Vec::new();
    let mut highest: Vec<(u32, f64)> = Vec::new();
    for (t, &span) in spans.iter().enumerate() {
        if like != Some((span.rows, span.high - span.low)) {
            like = Some((span.rows, span.high - span.low));
            (pace, wait, part) = (span.pace(shape), span.wait(shape), 1.0 / span.levels());
            own = start + span.levels() * pace;
        }
        let hop = wait + if t % TILED_CLUSTER != 0 { hop } else { far };
        if t >= blocks && t % together == 0 {
            free = ends[t - blocks..][..together].iter().copied().fold(0.0, f64::max);
        }
        let mut begin = free + start;
        while lowest.last().is_some_and(|(before, ..)| before.low >= span.low) {
            lowest.pop();
        }
        if let Some(&(before, from, level)) = lowest.last() {
            let levels = (span.low.min(before.high + 1) - before.low) as f64;
            begin = begin.max(from + levels * level + hop);
        }
        let mut end = begin + span.levels() * pace;
        while highest.last().is_some_and(|&(high, _)| high > span.high || are_apart && high == span.high) {
            highest.pop();
        }
        if let Some(&(high, before)) = highest.last() {
            end = end.max(before + hop + (span.high - high) as f64 * pace);
        }
        let left = if is_chain {
            rises -= (span.high > at) as usize;
            at = span.high;
            rises as f64 * least_hop + (last - at) as f64 * least_pace
        } else {
            0.0
        };
        ahead += end - own - if t >= blocks { ends[t - blocks] } else { 0.0 };
        if end + left > latest || ahead > latest * blocks as f64 {
            return None;
        }
        ends.push(end);
        lowest.push((span, begin, (end - begin) * part));
        highest.push((span.high, end));
    }
    let mut last = ends.into_iter().fold(0.0, f64::max);
    // All of them are the largest crowd.
    if spans.len() as f64 * in_crowd > last {
        last = last.max(crowd(spans, shape) as f64 * in_crowd);
    }
    let time = TILED_LAUNCH + Duration::from_secs_f64(last);
    (time < limit).then_some(time)
}

/// The most tiles with batches of several levels that one level goes through. Such a batch waits for one of the tile
/// before it that holds the same levels, and so on through all of them.
fn crowd(spans: &[Span], shape: Rows) -> i32 {
    const PLACES: u64 = 1024;
    let has_several = |s: &&Span| s.levels() * shape.per_batch >= 2.0 * s.rows as f64;
    if !spans.iter().any(|s| has_several(&s)) {
        return 0;
    }
    let levels = spans.iter().map(|s| s.high as u64 + 1).max().unwrap_or(1);
    let place = |level: u32| (level as u64 * PLACES / levels) as usize;
    let mut more = [0; PLACES as usize + 1];
    for span in spans.iter().filter(has_several) {
        more[place(span.low)] += 1;
        more[place(span.high) + 1] -= 1;
    }
    let mut now = 0;
    more.iter()
        .map(|more| {
            now += more;
            now
        })
        .max()
        .unwrap_or(0)
}

/// Where tiles of so many rows begin, and where the last one ends.
pub fn begins(n: u32, rows: u32) -> Vec<u32> {
    let tiles = n.div_ceil(rows.max(1));
    (0..=tiles).map(|t| (t as u64 * rows as u64).min(n as u64) as u32).collect()
}

/// Sorts unknowns by tile, keeping the order by level inside each.
pub fn arrange(by_level: &[u32], tile_ptr: &[u32], tile: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut next = tile_ptr.to_vec();
    let mut order = vec![0; by_level.len()];
    for &unknown in by_level {
        let slot = &mut next[tile(unknown) as usize];
        order[*slot as usize] = unknown;
        *slot += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::boxes::Boxes;
    use crate::analysis::lines::Grid;
    use crate::tuning::TILED_LARGEST_RELAY;

    fn ranges(level: &[u32]) -> Ranges {
        Ranges::new(Sizes::plain(level.len() as u32), level)
    }

    /// Of rows by themselves, with stored values and no lines.
    fn counts_of(n: u32, entries: u32, levels: u32) -> Counts {
        Counts {
            n,
            entries,
            squares: (0, 0),
            levels,
            scattered: false,
            has_lines: false,
            crosses: false,
            strewn: false,
            node: 1,
            value_bytes: 8,
            is_complex: false,
        }
    }

    /// Levels of a five-point grid in natural order.
    fn grid(nx: u32, ny: u32) -> Vec<u32> {
        (0..nx * ny).map(|i| i % nx + i / nx).collect()
    }

    #[test]
    fn tiles_are_ranges_in_solving_order_sorted_by_level() {
        let level = grid(40, 30);
        for forward in [true, false] {
            let by_unknown: Vec<u32> =
                if forward { level.clone() } else { level.iter().rev().copied().collect() };
            let mut by_level: Vec<u32> = (0..1200).collect();
            by_level.sort_by_key(|&i| (by_unknown[i as usize], i));
            let turn = |i| if forward { i } else { 1199 - i };
            let ptr = begins(1200, 500);
            let order = arrange(&by_level, &ptr, |i| turn(i) / 500);
            assert_eq!(ptr, [0, 500, 1000, 1200]);
            for (t, w) in ptr.windows(2).enumerate() {
                let tile = &order[w[0] as usize..w[1] as usize];
                assert!(tile.windows(2).all(|p| by_unknown[p[0] as usize] <= by_unknown[p[1] as usize]));
                assert!(tile.iter().all(|&i| (turn(i) / 500) as usize == t));
            }
        }
    }

    fn rows(n: u32, entries: u32, levels: u32) -> Rows {
        Rows::new(counts_of(n, entries, levels))
    }

    #[test]
    fn scattered_values_cost_a_batch_less_where_the_cache_holds_them() {
        let batch = |scattered, entries| {
            let (n, squares) = (entries / 8, 8 * entries as u64);
            let counts = Counts { squares: (squares, 0), scattered, ..counts_of(n, entries, 100) };
            Rows::new(counts).batch
        };
        let (small, large) = (TILED_CACHED_ENTRIES, TILED_CACHED_ENTRIES + 8);
        assert_eq!(batch(false, small), batch(false, large));
        assert!(batch(false, small) < batch(true, small) && batch(true, small) < batch(true, large));
    }

    fn chosen(level: &[u32], shape: Rows, mirror: u32) -> Choice {
        choose(&ranges(level), Regularity::Lines, shape, mirror, Duration::MAX).unwrap()
    }

    #[test]
    fn strewn_rows_go_by_small_tiles_and_scattered_values_by_pieces() {
        // Each row has six neighbours anywhere, and depends on those before it: as 7-pt 128³ in random order.
        let n = 1u32 << 21;
        let (mut level, mut entries, mut random) = (vec![0; n as usize], 0, 1u64);
        for i in 0..n as usize {
            for _ in 0..6 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let j = (random >> 33) as usize % n as usize;
                if j < i {
                    level[i] = level[i].max(level[j] + 1);
                    entries += 1;
                }
            }
        }
        let levels = level.iter().max().unwrap() + 1;
        let counts = Counts { squares: (4 * entries as u64, 0), ..counts_of(n, entries, levels) };
        let chosen = |strewn, scattered, value_bytes| {
            let counts = Counts { strewn, scattered, value_bytes, ..counts };
            decide(Tiles::IfFaster, 0, ranges(&level), counts, &mut || None, &mut || Ok(None)).unwrap()
        };
        let tiles = chosen(true, false, 8);
        assert!(matches!(tiles.engine, Engine::Tiles(_)) && tiles.rows == TILED_STREWN_ROWS, "{tiles:?}");
        assert_eq!(tiles.staging, Staging::No);
        assert_eq!(chosen(false, false, 8).engine, Engine::Rows);
        let by_pieces = chosen(true, true, 8);
        assert_eq!((by_pieces.engine, by_pieces.staging), (Engine::Rows, Staging::ByPieces));
        // The cache holds them, or lines of it are of use.
        assert_eq!(chosen(true, true, 2).staging, Staging::No);
        assert_eq!(chosen(false, true, 8).staging, Staging::No);
    }

    #[test]
    fn strewn_rows_of_narrow_levels_go_level_by_level() {
        // Levels lie all over the order, the higher ones in its later part only.
        let (n, levels) = (1u32 << 20, 1000);
        let spread = |i: u32| (i as u64 * (i.wrapping_mul(2_654_435_761) % levels) as u64 / n as u64) as u32;
        let level: Vec<u32> = (0..n).map(spread).collect();
        let chosen = |strewn| {
            let counts = Counts { strewn, ..counts_of(n, 3 * n, levels) };
            decide(Tiles::IfFaster, 0, ranges(&level), counts, &mut || None, &mut || Ok(None)).unwrap()
        };
        assert!(matches!(chosen(false).engine, Engine::Tiles(_)));
        assert_eq!(chosen(true).engine, Engine::Rows);
    }

    #[test]
    fn a_chain_is_one_tile_and_a_grid_is_not() {
        let chain: Vec<u32> = (0..100_000).collect();
        assert!(chosen(&chain, rows(100_000, 99_999, 100_000), 0).rows >= 100_000);
        let level = grid(1024, 1024);
        let plain = chosen(&level, rows(1 << 20, 2 << 20, 2047), 0);
        assert!((4 * 1024..=64 * 1024).contains(&plain.rows), "{plain:?}");
        let relayed = chosen(&level, rows(1 << 20, 2 << 20, 2047), 16384);
        assert!(relayed.predicted < plain.predicted, "{relayed:?} {plain:?}");
    }

    #[test]
    fn strips_are_asked_for_where_levels_follow_one_another() {
        let (n, entries, levels) = (1 << 20, 2 << 20, 2047);
        let counts = counts_of(n, entries, levels);
        let natural = grid(1024, 1024);
        let mut by_level = natural.clone();
        by_level.sort_unstable();
        let decision = |wish, level: &[u32], strips: &mut dyn FnMut() -> Result<Option<Ranges>>| {
            decide(wish, TILED_LARGEST_RELAY, ranges(level), counts, &mut || None, strips).unwrap()
        };
        let never = &mut || panic!("lines are good tiles");
        let lines = decision(Tiles::IfFaster, &natural, never);
        assert!(lines.order == Order::Natural && matches!(lines.engine, Engine::Tiles(_)));
        for wish in [Tiles::IfFaster, Tiles::Yes] {
            let strips = decision(wish, &by_level, &mut || Ok(Some(ranges(&natural))));
            // Strips are lines, and relay.
            let engine = Engine::Tiles(Relays::Narrow);
            let predicted = strips.predicted;
            assert_eq!(strips, Decision { order: Order::Strips, engine, predicted, ..lines });
            // Where there are none, or they are no better.
            for mut none in [None, Some(ranges(&(0..n).collect::<Vec<_>>()))] {
                let plain = decision(wish, &by_level, &mut || Ok(none.take()));
                assert_eq!(plain.engine == Engine::Rows, wish == Tiles::IfFaster);
                assert!(plain.order == Order::Natural && plain.predicted > strips.predicted);
            }
        }
        assert_eq!(decision(Tiles::No, &by_level, never).engine, Engine::Rows);
    }

    #[test]
    fn tiles_that_are_asked_for_are_found_in_strewn_patterns_too() {
        // A line has more rows than tiles of a strewn pattern are to have.
        let (nx, ny) = (TILED_STREWN_ROWS + 1, 200);
        let sizes = Grid::new(nx * ny, nx, 0).sizes(nx * ny, 0);
        let counts = Counts { has_lines: true, strewn: true, ..counts_of(nx * ny, 5 * nx * ny, nx + ny - 1) };
        let natural = Ranges::new(sizes, &grid(nx, ny));
        let engine =
            |wish| decide(wish, 0, natural.clone(), counts, &mut || None, &mut || Ok(None)).unwrap().engine;
        assert!(matches!(engine(Tiles::Yes), Engine::Tiles(_)));
        assert_eq!(engine(Tiles::IfFaster), Engine::Rows);
    }

    #[test]
    fn a_few_wide_levels_are_streamed_where_they_are_laid_out() {
        let (n, entries) = (1u32 << 20, 2u32 << 20);
        let squares = (n / 2) as u64 * 16;
        let counts = |levels| Counts { squares: (squares, 0), ..counts_of(n, entries, levels) };
        let level = |of: &dyn Fn(u32) -> u32| -> Vec<u32> { (0..n).map(of).collect() };
        let is_wide = |wish, level: &[u32], counts| {
            let chosen = decide(wish, 0, ranges(level), counts, &mut || None, &mut || Ok(None)).unwrap();
            chosen.engine == Engine::Wide
        };
        let two = level(&|t| t / (n / 2));
        assert!(is_wide(Tiles::IfFaster, &two, counts(2)));
        // One span of levels that do not follow one another is nothing.
        assert!(is_wide(Tiles::IfFaster, &level(&|t| if t < 1000 { t % 2 } else { t / (n / 2) }), counts(2)));
        assert!(!is_wide(Tiles::IfFaster, &level(&|t| t % 2), counts(2)));
        assert!(!is_wide(Tiles::IfFaster, &level(&|t| t / (n / 16)), counts(16)));
        assert!(is_wide(Tiles::IfFaster, &two, Counts { scattered: true, ..counts(2) }));
        assert!(!is_wide(Tiles::IfFaster, &level(&|_| 0), counts(1)));
        // No more than asked for by name.
        let large = |levels| Counts {
            squares: (144 * 150_000_000, 0),
            ..counts_of(150_000_000, 1_800_000_000, levels)
        };
        assert!(is_wide(Tiles::IfFaster, &two, large(WIDE_MOST_LEVELS)));
        assert!(!is_wide(Tiles::IfFaster, &two, large(WIDE_MOST_LEVELS + 1)));
        // A quarter of all levels may lie beside each other, and no more.
        let mixed = |levels: u32| level(&|t| t / (n / 2) * 4 + t % levels);
        let of_many = Counts { squares: (n as u64 * 169, 0), ..counts_of(n, 13 * n, 8) };
        assert!(is_wide(Tiles::IfFaster, &mixed(2), of_many));
        assert!(!is_wide(Tiles::IfFaster, &mixed(4), of_many));
        assert!(!is_wide(Tiles::IfFaster, &two, Counts { squares: (1 << 40, 0), ..counts(2) }));
        let one_long_row = Counts { squares: (squares + (1 << 20), 1 << 20), ..counts(2) };
        assert!(!is_wide(Tiles::IfFaster, &two, one_long_row));
        assert!(!is_wide(Tiles::Yes, &two, counts(2)) && !is_wide(Tiles::No, &two, counts(2)));
    }

    #[test]
    fn a_few_long_rows_make_tiles_slower_and_rows_not() {
        let (m, long) = (512, 60_000);
        let level = grid(m, m);
        let (n, levels) = (m * m, 2 * m - 1);
        let lengths =
            |long_rows: u32| -> Vec<u32> { (0..n).map(|i| if i < long_rows { long } else { 2 }).collect() };
        let decide = |long_rows| {
            let entries = 2 * n + long_rows * long;
            let squares = squares(&lengths(long_rows), entries);
            let counts = Counts { squares, ..counts_of(n, entries, levels) };
            let engine = decide(Tiles::IfFaster, 0, ranges(&level), counts, &mut || None, &mut || Ok(None));
            (engine.unwrap().engine, predict_one_word(counts, counts.levels as f64))
        };
        let ((plain, rows), (uneven, same_rows)) = (decide(0), decide(4));
        assert!(matches!(plain, Engine::Tiles(_)) && uneven == Engine::Rows);
        assert!(same_rows < rows.mul_f64(1.1));
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
    fn scattered_values_are_staged_where_a_copy_takes_less_than_levels_wait_for_them() {
        let decide = |wish, [nx, ny]: [u32; 2], level: Vec<u32>, scattered, entries_of_a_row: u32| {
            let (n, levels) = (nx * ny, level.iter().max().unwrap() + 1);
            let counts = Counts { scattered, has_lines: true, ..counts_of(n, entries_of_a_row * n, levels) };
            let lines = Ranges::new(Grid { line: nx, plane: n }.sizes(n, 0), &level);
            decide(wish, TILED_LARGEST_RELAY, lines, counts, &mut || None, &mut || Ok(None)).unwrap()
        };
        let long = |wish, scattered| decide(wish, [64, 16384], grid(64, 16384), scattered, 2);
        let (staged, stored) = (long(Tiles::IfFaster, true), long(Tiles::IfFaster, false));
        assert!(staged.staging == Staging::InOrder && stored.staging == Staging::No);
        let copy = staged.predicted - stored.predicted;
        assert_eq!(Decision { staging: Staging::No, predicted: stored.predicted, ..staged }, stored);
        assert!(copy > STAGED_START && copy < TILED_SCATTERED_LEVEL * (64 + 16384 - 1));
        // Whatever else is asked for, and lines by themselves, whose levels are few.
        assert!(
            long(Tiles::Yes, true).staging == Staging::No && long(Tiles::No, true).staging == Staging::No
        );
        let lines = (0..256 * 4096).map(|i| i % 256).collect();
        let alone = decide(Tiles::IfFaster, [256, 4096], lines, true, 1);
        assert!(matches!(alone.engine, Engine::Tiles(_)) && alone.staging == Staging::No);
    }

    #[test]
    fn tiles_of_the_rows_of_nodes_are_staged_where_that_is_faster_than_by_nodes() {
        // Nodes of so many unknowns on a grid of 9 points, by nodes; a node's levels are as many of its rows.
        let decide = |node, scattered| {
            let (nx, ny) = (100, 1000);
            let (n, level) = (nx * ny, (0..nx * ny).map(|i| i % nx + 2 * (i / nx)).collect::<Vec<_>>());
            let levels = level.iter().max().unwrap() + 1;
            let entries = 4 * n - 3 * ny - nx;
            let squares = (4 * entries as u64, 0);
            let counts =
                Counts { squares, scattered, has_lines: true, node, ..counts_of(n, entries, levels) };
            let lines = Ranges::new(Grid { line: nx, plane: n }.sizes(n, 0), &level);
            decide(Tiles::IfFaster, TILED_LARGEST_RELAY, lines, counts, &mut || None, &mut || Ok(None))
                .unwrap()
        };
        let (stored, staged, by_nodes) = (decide(3, false), decide(3, true), decide(6, true));
        assert!(matches!(stored.engine, Engine::Tiles(_)) && stored.staging == Staging::No);
        assert!(matches!(staged.engine, Engine::Tiles(_)) && staged.staging == Staging::InOrder);
        assert!(staged.predicted > stored.predicted);
        assert_eq!((by_nodes.engine, by_nodes.staging), (Engine::Nodes(6), Staging::No));
    }

    #[test]
    fn types_are_promised_their_own_times() {
        let n = 512 * 512;
        let decide = |wish, value_bytes, is_complex, scattered| {
            let counts = Counts { value_bytes, is_complex, scattered, ..counts_of(n, 2 * n, 1023) };
            let lines = Ranges::new(Grid { line: 512, plane: n }.sizes(n, 0), &grid(512, 512));
            decide(wish, TILED_LARGEST_RELAY, lines, counts, &mut || None, &mut || Ok(None)).unwrap()
        };
        let part = |wish, value_bytes, is_complex| {
            let time = |value_bytes, is_complex| decide(wish, value_bytes, is_complex, false).predicted;
            time(value_bytes, is_complex).div_duration_f64(time(8, false))
        };
        for (bytes, is_complex, of) in [(4, false, TYPE_S), (8, true, TYPE_C), (16, true, TYPE_Z)] {
            assert!((part(Tiles::No, bytes, is_complex) - of.rows).abs() < 1e-4);
            assert!((part(Tiles::Yes, bytes, is_complex) - of.tiles).abs() < 1e-4);
        }
        // Products of complex numbers hide what scattered values keep a level waiting.
        let staging = |is_complex| decide(Tiles::IfFaster, 8, is_complex, true).staging;
        assert_eq!((staging(false), staging(true)), (Staging::InOrder, Staging::No));
    }

    #[test]
    fn strips_serve_staged_tiles_and_others_and_are_looked_for_once() {
        // A grid of 9 points by diagonals, which by strips has its lines back.
        let (nx, n, levels) = (512, 512 * 512, 3 * 512 - 2);
        let level = |i: u32| i % nx + 2 * (i / nx);
        let mut order: Vec<u32> = (0..n).collect();
        order.sort_by_key(|&i| (i % nx + i / nx, i));
        let natural = ranges(&order.into_iter().map(level).collect::<Vec<_>>());
        let lines = (0..n).map(level).collect::<Vec<_>>();
        let lines = Ranges::new(Grid { line: nx, plane: 0 }.sizes(n, 0), &lines);
        let mut looks = 0;
        let mut strips = || {
            looks += 1;
            Ok(Some(lines.clone()))
        };
        let counts = Counts { scattered: true, squares: (16 * n as u64, 0), ..counts_of(n, 4 * n, levels) };
        let chosen =
            decide(Tiles::IfFaster, TILED_LARGEST_RELAY, natural, counts, &mut || None, &mut strips).unwrap();
        assert_eq!((chosen.order, looks), (Order::Strips, 1), "{chosen:?}");
    }

    #[test]
    fn staged_tiles_must_promise_what_either_kind_must() {
        // A grid of 7 points box by box.
        let (side, of_box, levels) = (128u32, 16u32, 3 * 128 - 2);
        let n = side.pow(3);
        let spots = |i: u32, size: u32| [i % size, i / size % size, i / (size * size)];
        let level = |i: u32| {
            let (boxes, inside) = (i / of_box.pow(3), i % of_box.pow(3));
            let corner = spots(boxes, side / of_box).iter().sum::<u32>() * of_box;
            corner + spots(inside, of_box).iter().sum::<u32>()
        };
        let level: Vec<u32> = (0..n).map(level).collect();
        let boxes = Grid { line: of_box, plane: of_box * of_box }.sizes(n, TILED_LARGEST_RELAY);
        let natural = Ranges::new(boxes, &level);
        for scattered in [false, true] {
            let of_grid = counts_of(n, 3 * n, levels);
            let counts =
                Counts { scattered, has_lines: true, crosses: true, squares: (9 * n as u64, 0), ..of_grid };
            let (mirror, natural) = (TILED_LARGEST_RELAY, natural.clone());
            let mut no_strips = || Ok(None);
            let chosen =
                decide(Tiles::IfFaster, mirror, natural, counts, &mut || None, &mut no_strips).unwrap();
            assert_eq!((chosen.engine, chosen.staging), (Engine::Rows, Staging::No), "{chosen:?}");
        }
    }

    #[test]
    fn rows_of_very_different_lengths_make_tiles_slower() {
        let level = grid(1024, 1024);
        let (n, entries, levels) = (1 << 20, 4u32 << 20, 2047);
        let decide = |wish, deviation: u64, entries: u32| {
            let squares = (entries as u64).pow(2) / n as u64 + deviation * deviation * n as u64;
            let counts = Counts { squares: (squares, 0), ..counts_of(n, entries, levels) };
            decide(wish, 0, ranges(&level), counts, &mut || None, &mut || Ok(None)).unwrap()
        };
        let (alike, apart) = (decide(Tiles::Yes, 4, entries), decide(Tiles::Yes, 20, entries));
        assert_eq!(Decision { predicted: alike.predicted.mul_f64(5.0), ..alike }, apart);
        assert!(matches!(decide(Tiles::IfFaster, 4, entries).engine, Engine::Tiles(_)));
        assert_eq!(decide(Tiles::IfFaster, 20, entries).engine, Engine::Rows);
        // But not where they are long on average.
        let long = |deviation| decide(Tiles::Yes, deviation, 20 << 20).predicted;
        assert_eq!(long(20), long(100));
    }

    #[test]
    fn a_long_row_costs_more_where_values_lie_scattered() {
        let time = |scattered| {
            let counts =
                Counts { squares: (1 << 30, 1 << 30), scattered, ..counts_of(1 << 20, 2 << 20, 100) };
            counts.long_rows_in_tiles()
        };
        assert!(time(true) > time(false) && time(false) > Duration::ZERO);
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
    fn tiles_that_end_at_the_same_level_wait_for_each_other_only_without_lines() {
        let domains = vec![Span { low: 0, high: 99, rows: 4096 }; 100];
        let shape = rows(409_600, 819_200, 100);
        let time = |regularity| predict(&domains, shape, regularity, Relays::No, Duration::MAX).unwrap();
        assert!(time(Regularity::Even) > time(Regularity::Lines) + TILED_HOP.mul_f64(90.0));
        assert_eq!(time(Regularity::Mesh), time(Regularity::Lines));
    }

    #[test]
    fn patterns_without_lines_relay_only_where_rows_depend_on_several_others() {
        let relays = |nx: u32, ny: u32, entries_of_a_row: u32, has_lines, long_squares| {
            let squares = (0, long_squares);
            let counts = counts_of(nx * ny, entries_of_a_row * nx * ny, nx + ny - 1);
            let (counts, natural) = (Counts { has_lines, squares, ..counts }, ranges(&grid(nx, ny)));
            let (wish, mirror) = (Tiles::Yes, TILED_LARGEST_RELAY);
            let decision = decide(wish, mirror, natural, counts, &mut || None, &mut || Ok(None)).unwrap();
            decision.engine == Engine::Tiles(Relays::Narrow)
        };
        assert!(relays(64, 16384, 2, true, 0) && relays(64, 16384, 2, false, 0));
        assert!(relays(64, 16384, 1, true, 0) && !relays(64, 16384, 1, false, 0));
        // Nor where some are far longer, or there are few tiles.
        assert!(!relays(64, 16384, 2, false, 1 << 20));
        assert!(relays(64, 128, 2, true, 0) && !relays(64, 128, 2, false, 0));
    }

    #[test]
    fn as_many_levels_are_launched_as_asked_for_and_no_more() {
        let needs = Needs { levels: true, wide: true, ..Needs::default() };
        assert_eq!(of_rows(needs, WIDE_MOST_LEVELS).engine, Engine::Wide);
        assert_eq!(of_rows(needs, WIDE_MOST_LEVELS + 1).engine, Engine::Rows);
        assert_eq!(of_rows(Needs { wide: false, ..needs }, 2).engine, Engine::Rows);
    }

    /// Tiles of so many rows of a grid.
    fn tiles(nx: u32, ny: u32, rows: usize) -> Vec<Span> {
        let level = grid(nx, ny);
        let span = |tile: &[u32]| Span {
            low: *tile.iter().min().unwrap(),
            high: *tile.iter().max().unwrap(),
            rows: tile.len() as u32,
        };
        level.chunks(rows).map(span).collect()
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

    #[test]
    fn boxes_need_not_promise_as_much_as_other_tiles() {
        let side = 256;
        let (plane, n) = (side * side, side * side * side);
        let level: Vec<u32> = (0..n).map(|i| i % side + i % plane / side + i / plane).collect();
        let grid = Grid::new(n, side, plane);
        let entries = 3 * (n - plane);
        let counts = Counts {
            squares: (3 * entries as u64, 0),
            has_lines: true,
            ..counts_of(n, entries, 3 * side - 2)
        };
        let boxes = Boxes::new(n, entries, grid, [1, 1], 0).unwrap();
        let choice = |with_boxes: bool| {
            let natural = Ranges::new(grid.sizes(n, TILED_LARGEST_RELAY), &level);
            let mut boxes = || with_boxes.then(|| boxes.spans.clone());
            let mut strips = || Ok(None);
            let mirror = TILED_LARGEST_RELAY;
            decide(Tiles::IfFaster, mirror, natural, counts, &mut boxes, &mut strips).unwrap()
        };
        let (with, without) = (choice(true), choice(false));
        assert_eq!((with.order, without.order), (Order::Boxes, Order::Natural));
        let more = with.predicted.div_duration_f64(without.predicted);
        assert!((1.0..TILED_BOX_FAVOUR).contains(&more), "{more}");
    }

    #[test]
    fn a_few_rows_far_from_the_others_do_not_count() {
        let of = |levels: &[u32]| {
            let spread = Spread::new(levels);
            let usual = spread.usual();
            assert_eq!(usual.rows, levels.len() as u32);
            (usual.low, usual.high, spread.span.low, spread.span.high)
        };
        let even: Vec<u32> = (0..1000).map(|i| 7 + i % 50).collect();
        assert_eq!(of(&even), (7, 56, 7, 56));
        assert_eq!(of(&[3]), (3, 3, 3, 3));
        // Some rows are far before the others.
        let late: Vec<u32> = (0..1000).map(|i| if i < 20 { i } else { 500 + i % 50 }).collect();
        let (low, high, first, last) = of(&late);
        assert_eq!((low, high, first, last), (500, 549, 0, 549));
        // Many are of the lower levels, and few behind them.
        let early: Vec<u32> = (0..1000).map(|i| if i < 20 { 400 + i } else { i % 50 }).collect();
        assert_eq!(of(&early), (0, 419, 0, 419));
    }

    #[test]
    fn nodes_have_the_levels_of_their_rows() {
        let nodes = [4u32, 0, 9, 9, 2];
        for b in 1..=6 {
            let rows: Vec<u32> = nodes.iter().flat_map(|l| (0..b).map(move |j| l * b + j)).collect();
            let (of_rows, direct) = (Spread::new(&nodes).of_rows(b), Spread::new(&rows));
            let numbers = |s: Spread| (s.span.low, s.span.high, s.span.rows, s.kept, s.sum, s.squares);
            assert_eq!(numbers(of_rows), numbers(direct));
        }
    }

    #[test]
    fn tiles_of_a_mesh_must_promise_more() {
        // Each range has rows of all levels before it, and most are of a few; in a grid all levels have as many.
        let (tiles, rows) = (64, 4096);
        let levels = |most: u32| -> Vec<u32> {
            let of_tile =
                |t: u32| move |i: u32| if i % 16 < most { 20 * t + i % 20 } else { i % (20 * t + 20) };
            (0..tiles).flat_map(|t| (0..rows).map(of_tile(t))).collect()
        };
        let time = |level: &[u32], regularity| {
            let sizes = Sizes { span: rows, tiles: vec![rows], plane: 0, whole: 0 };
            let shape = self::rows(tiles * rows, 3 * tiles * rows, 20 * tiles);
            choose(&Ranges::new(sizes, level), regularity, shape, 0, Duration::MAX).unwrap().predicted
        };
        let (mesh, even) = (levels(15), levels(0));
        assert!(time(&mesh, Regularity::Mesh) > time(&mesh, Regularity::Lines).mul_f64(TILED_MESH));
        assert_eq!(time(&even, Regularity::Mesh), time(&even, Regularity::Lines));
    }

    #[test]
    fn planes_relay_with_all_warps_where_values_are_not_scattered() {
        let (n, levels) = (128 * 128 * 128, 382);
        let planes: Vec<u32> = (0..n).map(|i| i % 128 + i / 128 % 128 + i / (128 * 128)).collect();
        let of = |scattered| {
            let shape = Rows::new(Counts {
                squares: (9 * n as u64, 0),
                scattered,
                has_lines: true,
                ..counts_of(n, 3 * n, levels)
            });
            chosen(&planes, shape, TILED_LARGEST_RELAY)
        };
        assert_eq!((of(false).rows, of(false).relays), (128 * 128, Relays::Wide));
        assert_ne!(of(true).relays, Relays::Wide);
    }

    #[test]
    fn no_tile_is_less_than_a_plane_where_a_grid_crosses() {
        let (line, plane, n) = (64, 64 * 64, 64 * 64 * 64);
        let level: Vec<u32> = (0..n).map(|i| i % line + 2 * (i % plane / line) + 3 * (i / plane)).collect();
        let ranges = Ranges::new(Grid { line, plane }.sizes(n, TILED_LARGEST_RELAY), &level);
        let chosen = |regularity| {
            let shape = rows(n, 5 * n, 379);
            choose(&ranges, regularity, shape, TILED_LARGEST_RELAY, Duration::MAX).unwrap().rows
        };
        assert!(chosen(Regularity::Lines) < plane);
        assert_eq!(chosen(Regularity::Crossing), plane);
    }

    #[test]
    fn a_limit_leaves_out_nothing_that_is_below_it() {
        let in_a_limit = |spans: &[Span], shape: Rows| {
            for regularity in [Regularity::Lines, Regularity::Even] {
                for relays in [Relays::No, Relays::Narrow, Relays::Wide] {
                    let time = |limit| predict(spans, shape, regularity, relays, limit);
                    let whole = time(Duration::MAX).unwrap();
                    assert_eq!(time(whole + Duration::from_nanos(2)), Some(whole));
                    assert_eq!(time(whole), None);
                }
            }
        };
        let span = |t: u32, rise, levels| Span { low: rise * t, high: rise * t + levels - 1, rows: 4096 };
        // A chain of hops, chains whose tiles have many levels or few, and planes.
        let patterns = [(300, 1, 4096), (300, 20, 30), (300, 500, 2000), (40, 0, 64)];
        for (tiles, rise, levels) in patterns {
            let spans: Vec<Span> = (0..tiles).map(|t| span(t, rise, levels)).collect();
            for entries_of_a_row in [2, 7, 39] {
                in_a_limit(
                    &spans,
                    rows(4096 * tiles, entries_of_a_row * 4096 * tiles, rise * tiles + levels),
                );
            }
        }
        // All sizes of tiles of lines, of no order at all, of nested dissection, and of domains by themselves.
        let n = 1 << 18;
        let anywhere = |i: u32| i.wrapping_mul(2_654_435_761) >> 22;
        let level = |of: &dyn Fn(u32) -> u32| -> Vec<u32> { (0..n).map(of).collect() };
        let orders = [
            grid(512, n / 512),
            level(&anywhere),
            level(&|i| i.trailing_ones() + anywhere(i) % 40),
            level(&|i| i % 4096 / 8),
        ];
        for (_, spreads) in orders.iter().flat_map(|level| ranges(level).tiles().to_vec()) {
            let spans: Vec<Span> = spreads.iter().map(|spread| spread.span).collect();
            in_a_limit(&spans, rows(n, 3 * n, 1023));
        }
    }

    #[test]
    fn planes_of_long_rows_do_no_better_than_the_model_says() {
        let part = |entries_of_a_row: u32, rows_of_a_tile| {
            let shape = rows(1 << 20, entries_of_a_row << 20, 400);
            Regularity::Crossing.of_tiles(rows_of_a_tile, 4096, &[], shape).1
        };
        assert_eq!((part(13, 4096), part(13, 1024), part(39, 4096)), (TILED_PLANE, 1.0, 1.0));
    }

    #[test]
    fn rows_of_several_kinds_are_uneven() {
        // Of three kinds, whose rows have entries of all kinds before their own as well.
        let n = 375_000;
        let uneven = |[a, b, c]: [u32; 3], levels, has_lines| {
            let entries = n / 3 * (a + b + c);
            let squares = (n as u64 / 3 * (a * a + b * b + c * c) as u64, 0);
            Counts { squares, has_lines, ..counts_of(n, entries, levels) }.unevenness()
        };
        let wide = uneven([13, 40, 67], 360, true);
        assert!((1.5..1.6).contains(&wide), "{wide}");
        // Where a batch has several levels, rows are short, or are much alike, it is not the longest that counts.
        assert_eq!(uneven([13, 40, 67], n / 20, true), 1.0);
        assert_eq!(uneven([1, 3, 5], 360, true), 1.0);
        assert_eq!(uneven([12, 13, 14], 360, true), 1.0);
        assert_eq!(uneven([13, 40, 67], 360, false), 1.0);
    }

    #[test]
    fn tiles_must_promise_more_for_scattered_values_and_wide_levels() {
        let with = |n, levels, scattered, has_lines| Counts {
            squares: (9 * n as u64, 0),
            scattered,
            has_lines,
            ..counts_of(n, 3 * n, levels)
        };
        let counts = |n, levels, scattered| with(n, levels, scattered, false);
        assert_eq!(with(1 << 20, 1000, true, true).advantage(), TILED_ADVANTAGE);
        assert_eq!(with(1 << 20, 1000, false, true).advantage(), TILED_ADVANTAGE_LINES);
        assert_eq!(with(1 << 22, 1000, false, true).advantage(), TILED_ADVANTAGE_LARGE);
        assert_eq!(with(1 << 22, 1000, true, true).advantage(), TILED_ADVANTAGE_LARGE);
        assert_eq!(counts(1 << 20, 2047, false).advantage(), TILED_ADVANTAGE);
        assert_eq!(counts(1 << 20, 1000, false).advantage(), TILED_ADVANTAGE);
        assert_eq!(counts(1 << 21, 2000, false).advantage(), TILED_ADVANTAGE);
        assert_eq!(counts(1 << 21, 1000, false).advantage(), TILED_ADVANTAGE_LARGE);
        assert_eq!(counts(1 << 19, 28, false).advantage(), TILED_ADVANTAGE_LARGE);
        assert_eq!(counts(1 << 20, 2047, true).advantage(), TILED_ADVANTAGE);
        assert_eq!(counts(1 << 20, 1000, true).advantage(), TILED_ADVANTAGE_WIDE);
        assert_eq!(counts(1 << 19, 512, true).advantage(), TILED_ADVANTAGE_LARGE);
        assert_eq!(counts(1 << 19, 1024, true).advantage(), TILED_ADVANTAGE);
        // Strewn ones more where values are scattered, and what is short less.
        let strewn = |scattered| Counts { strewn: true, ..counts(1 << 21, 1000, scattered) };
        assert_eq!(strewn(true).advantage(), TILED_ADVANTAGE_STREWN);
        assert_eq!(strewn(false).advantage(), TILED_ADVANTAGE);
        let short = Counts { entries: 2 << 20, ..counts(1 << 20, 1000, true) };
        assert_eq!(short.advantage(), TILED_ADVANTAGE);
    }

    #[test]
    fn strips_are_looked_at_sooner_where_values_lie_scattered() {
        // 7-pt 128³ in reverse Cuthill-McKee order, transposed, where levels are ranges of rows; strips are planes.
        let n = 1u32 << 21;
        let planes: Vec<u32> = (0..n).map(|i| i % 128 + i / 128 % 128 + i / (128 * 128)).collect();
        let mut by_level = planes.clone();
        by_level.sort_unstable();
        let counts = Counts { scattered: true, squares: (9 * n as u64, 0), ..counts_of(n, 3 * n, 382) };
        let strips = &mut || Ok(Some(ranges(&planes)));
        let chosen = decide(Tiles::IfFaster, 0, ranges(&by_level), counts, &mut || None, strips).unwrap();
        assert_eq!((chosen.order, chosen.staging), (Order::Strips, Staging::No));
    }

    #[test]
    fn tiles_relay_where_they_fit_and_depend_on_the_one_before() {
        let square = tiles(1024, 1024, 8192);
        assert!(can_relay(&square, 8192, 8192));
        assert!(!can_relay(&square, 8192, 8191) && !can_relay(&square, 8192, 0));
        assert!(!can_relay(&square[..1], 8192, 8192));
        // Half of a line each.
        let mut halves = square;
        halves.iter_mut().skip(1).step_by(2).for_each(|s| s.low += 512);
        assert!(!can_relay(&halves, 8192, 8192));
        let apart = [Span { low: 0, high: 9, rows: 8192 }; 100];
        assert!(!can_relay(&apart, 8192, 8192));
    }

    #[test]
    fn relays_pay_in_long_grids_and_not_where_levels_are_wide() {
        let long = tiles(64, 16384, 1024);
        let shape = rows(1 << 20, 2 << 20, 16447);
        let predict =
            |spans: &[Span], relays| predict(spans, shape, Regularity::Lines, relays, Duration::MAX).unwrap();
        assert!(predict(&long, Relays::Narrow) < predict(&long, Relays::No));
        // So many rows in each level of every tile that batches, and not hops, are what takes time; and whole clusters
        // have fewer blocks.
        let busy = vec![Span { low: 0, high: 99, rows: 1 << 18 }; TILED_BLOCKS];
        assert!(predict(&busy, Relays::Narrow) > predict(&busy, Relays::No));
        let limit = predict(&busy, Relays::No);
        assert_eq!(super::predict(&busy, shape, Regularity::Lines, Relays::No, limit), None);
    }
}
