//! The model of a solve in tiles, ranges of consecutive unknowns in solving order, each solved by one block of the GPU.
//!
//! Unknowns are taken in some solving order (rising for a forward, falling for a backward solve, by wavefront strips, or by 3-D
//! blocks), so a tile depends on earlier tiles only. A batch of rows costs time of its multiprocessor, a dependency on another
//! batch or another level of the same one costs `TILED_STEP` or `TILED_ROUND`, and one on another tile `TILED_HOP`.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::shared::TILED_CLUSTER;
use super::tuning::*;
use crate::analysis::ranges::Span;
use crate::analysis::work_items::LANES;
use crate::analysis::Forwarding;
use crate::select::features::{Counts, Features};
use crate::tuning::{LANE_ENTRIES, LAUNCH, LONG_ROW_SECONDS};

/// Blocks of a cluster.
pub(super) const CLUSTER: usize = TILED_CLUSTER as usize;

impl Span {
    /// Time of each of its levels.
    fn pace(self, shape: Rows) -> f64 {
        let batches = self.batches(shape);
        if batches >= 1.0 {
            return (batches.ceil() * shape.batch).max(shape.step);
        }
        let levels = self.batch_levels(shape);
        ((shape.step + (levels - 1.0) * shape.round) / levels).max(shape.batch / levels)
    }
    /// What a hop takes longer, as a batch waits for what all of its levels want of other tiles.
    fn wait(self, shape: Rows) -> f64 {
        TILED_WAIT * (self.batch_levels(shape) - 1.0) * shape.round
    }
    /// Batches of a level, and levels of a batch.
    pub(super) fn batches(self, shape: Rows) -> f64 {
        self.rows as f64 / self.levels() / shape.per_batch
    }
    pub(super) fn batch_levels(self, shape: Rows) -> f64 {
        (1.0 / self.batches(shape)).floor().clamp(1.0, LANES as f64)
    }
}

/// What the model knows of the rows.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Entries of one, on average.
    pub(super) average: f64,
    /// Rows in a full batch.
    per_batch: f64,
    /// Time that a batch takes of a multiprocessor.
    batch: f64,
    /// Time from one batch to one that depends on it, and from level to level in a batch.
    step: f64,
    round: f64,
    /// Whether forwarding may be of use without lines: rows depend on several others, and none is far longer.
    pub(super) may_forward: bool,
    /// Blocks that are resident at once.
    blocks: usize,
    /// Whether values lie so, and dependencies.
    pub(super) scattered: bool,
    pub(super) irregular: bool,
}

impl Rows {
    pub fn new(rows: Counts) -> Self {
        let average = rows.entries as f64 / rows.n.max(1) as f64;
        let lanes = ((average / LANE_ENTRIES).ceil() as u32).clamp(1, LANES).next_power_of_two();
        let doublings = lanes.ilog2() as f64;
        let sums = TILED_SUM.as_secs_f64() * doublings;
        let (few, most) = (*TILED_ROUND_ENTRIES.start(), *TILED_ROUND_ENTRIES.end());
        let more = average.clamp(few, most) - few;
        let apart = match rows.scattered {
            true if rows.caches_values() => TILED_BATCH_SCATTERED_CACHED,
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
            round: TILED_ROUND.as_secs_f64() * (1.0 + more) + sums,
            may_forward: average > 1.0 && rows.squares.1 == 0,
            blocks: rows.speed.multiprocessors as usize,
            scattered: rows.scattered,
            irregular: rows.irregular,
        }
    }
}

impl Counts {
    /// What rows that are far longer than the others, one warp's each, take longer in tiles: the longer the more wait for another.
    pub fn long_rows_in_tiles(self) -> Duration {
        let times = if self.scattered { 2.0 } else { 1.0 };
        Duration::from_secs_f64((self.squares.1 as f64).sqrt() * LONG_ROW_SECONDS * times)
    }

    /// What levels take longer in tiles whose values lie scattered: these are waited for as well, where products do not take longer.
    pub fn levels_apart(self) -> Duration {
        match self.scattered && !self.is_complex {
            true => TILED_SCATTERED_LEVEL * self.levels,
            false => Duration::ZERO,
        }
    }

    /// How many times as long tiles take as of rows that are all alike: a batch of a level goes by the longest of its rows.
    pub fn unevenness(self) -> f64 {
        let (average, deviation) = self.lengths();
        match self.is_wider(LANES as u64 / 2) && !self.has_lanes() {
            true => (deviation / average).max(1.0),
            false => 1.0,
        }
    }

    pub fn regularity(self) -> Regularity {
        match (self.has_lines, self.crosses) {
            (_, true) => Regularity::Crossing,
            (true, _) => Regularity::Lines,
            _ => Regularity::Mesh,
        }
    }
}

/// Time of a solve if every block had the same part of each level, and none waited for another.
pub fn ideal(rows: Counts, shape: Rows) -> Duration {
    let part = Span { low: 0, high: rows.levels.max(1) - 1, rows: rows.n / rows.speed.multiprocessors + 1 };
    LAUNCH + Duration::from_secs_f64(part.levels() * part.pace(shape))
}

/// Of so many blocks that are resident at once, those in whole clusters, of which there is one at least.
fn in_clusters(blocks: usize) -> usize {
    (blocks / CLUSTER * CLUSTER).max(CLUSTER)
}

/// What is known of an order beside its levels.
#[derive(Clone, Copy, PartialEq)]
pub enum Regularity {
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

/// Time of a hop from tile to tile.
#[derive(Clone, Copy)]
struct Hops {
    /// Inside a cluster, and to the first tile of the next one.
    near: f64,
    far: f64,
    /// Where a level goes through many tiles, one after the other, and finds each of them busy.
    in_crowd: f64,
}

impl Hops {
    fn new(forwarding: Forwarding) -> Hops {
        let far = TILED_HOP.as_secs_f64();
        let (near, in_crowd) = match forwarding {
            Forwarding::No => (far, 2.0 * far),
            Forwarding::Narrow => (TILED_FORWARD_HOP.as_secs_f64(), TILED_FORWARD_HOP.as_secs_f64()),
            Forwarding::Wide => (far, far),
        };
        Hops { near, far, in_crowd }
    }

    /// To the tile of this number.
    fn to(self, t: usize) -> f64 {
        if t % CLUSTER == 0 {
            self.far
        } else {
            self.near
        }
    }
}

/// What a tile takes by itself.
#[derive(Clone, Copy)]
struct Alone {
    /// Time of each of its levels, and of all of them.
    pace: f64,
    levels: f64,
    /// The part of the time of all that each takes.
    part: f64,
    /// What a hop to it takes longer.
    wait: f64,
}

impl Alone {
    fn new(span: Span, shape: Rows) -> Alone {
        let pace = span.pace(shape);
        Alone { pace, levels: span.levels() * pace, part: 1.0 / span.levels(), wait: span.wait(shape) }
    }

    /// What each of these tiles does. Most are like the one before.
    fn each(spans: &[Span], shape: Rows) -> impl Iterator<Item = Alone> + '_ {
        let mut before = None;
        spans.iter().map(move |&span| {
            let size = (span.rows, span.high - span.low);
            let alone = match before {
                Some((like, alone)) if like == size => alone,
                _ => Alone::new(span, shape),
            };
            before = Some((size, alone));
            alone
        })
    }

    fn with_start(self) -> f64 {
        TILED_START.as_secs_f64() + self.levels
    }
}

/// The blocks that are resident at once, each of which takes one tile after the other.
struct Blocks {
    count: usize,
    /// How many of them begin together.
    together: usize,
    /// When those that began last were free.
    free: f64,
}

impl Blocks {
    fn new(resident: usize, forwarding: Forwarding) -> Blocks {
        let (count, together) = match forwarding {
            Forwarding::No => (resident, 1),
            Forwarding::Narrow | Forwarding::Wide => (in_clusters(resident), CLUSTER),
        };
        Blocks { count, together, free: 0.0 }
    }

    /// When blocks are free for tile `t`, where the tiles before it end at `ends`.
    fn free_for(&mut self, t: usize, ends: &[f64]) -> f64 {
        if t >= self.count && t % self.together == 0 {
            self.free = ends[t - self.count..][..self.together].iter().copied().fold(0.0, f64::max);
        }
        self.free
    }

    /// When the tile before ends that the block of tile `t` takes.
    fn end_before(&self, t: usize, ends: &[f64]) -> f64 {
        if t >= self.count {
            ends[t - self.count]
        } else {
            0.0
        }
    }
}

/// The tiles that later ones may be taken to depend on.
struct Before {
    /// Tiles whose lowest levels rise, with begin and time of a level.
    lowest: Vec<(Span, f64, f64)>,
    /// The highest levels of tiles, which rise, with the ends of these.
    highest: Vec<(u32, f64)>,
    /// Whether a tile does not depend on one that ends at the same level.
    are_apart: bool,
}

impl Before {
    fn new(regularity: Regularity) -> Before {
        Before { lowest: Vec::new(), highest: Vec::new(), are_apart: regularity != Regularity::Even }
    }

    /// When a tile can begin at the earliest.
    fn begin(&mut self, span: Span, hop: f64) -> f64 {
        let is_lower = |(before, ..): &(Span, f64, f64)| before.low < span.low;
        last_that(&mut self.lowest, is_lower).map_or(0.0, |&(before, begin, level)| {
            let levels = (span.low.min(before.high + 1) - before.low) as f64;
            begin + levels * level + hop
        })
    }

    /// When a tile whose levels take this time each can end at the earliest.
    fn end(&mut self, span: Span, pace: f64, hop: f64) -> f64 {
        let are_apart = self.are_apart;
        let is_lower = |&(high, _): &(u32, f64)| high < span.high || !are_apart && high == span.high;
        last_that(&mut self.highest, is_lower)
            .map_or(0.0, |&(high, end)| end + hop + (span.high - high) as f64 * pace)
    }

    fn push(&mut self, span: Span, [begin, end]: [f64; 2], part: f64) {
        self.lowest.push((span, begin, (end - begin) * part));
        self.highest.push((span.high, end));
    }
}

/// The last tile that is so. Those behind it are dropped.
fn last_that<T>(tiles: &mut Vec<T>, is_so: impl Fn(&T) -> bool) -> Option<&T> {
    while tiles.last().is_some_and(|tile| !is_so(tile)) {
        tiles.pop();
    }
    tiles.last()
}

/// Tiles that end at rising levels: a chain of hops, and of levels behind each.
struct Chain {
    /// The highest level of the tile where it is, how many times that level still rises, and the last one.
    at: u32,
    rises: usize,
    last: u32,
    /// The least time of a hop, and of a level.
    hop: f64,
    pace: f64,
}

impl Chain {
    /// None where the levels do not rise.
    fn new(spans: &[Span], hops: Hops, shape: Rows) -> Option<Chain> {
        if !spans.is_sorted_by_key(|span| span.high) {
            return None;
        }
        Some(Chain {
            at: spans.first()?.high,
            rises: spans.windows(2).filter(|w| w[1].high > w[0].high).count(),
            last: spans.last()?.high,
            hop: hops.near.min(hops.far),
            pace: shape.step.min(shape.round),
        })
    }

    /// The least time that it takes after its next tile.
    fn left_after(&mut self, span: Span) -> f64 {
        self.rises -= (span.high > self.at) as usize;
        self.at = span.high;
        self.rises as f64 * self.hop + (self.last - self.at) as f64 * self.pace
    }
}

/// Time of a solve with these tiles, if it is below the limit. Each begins when a block is free, and no earlier than one
/// hop after the level before its first is done in the last tile before it that begins at a lower one. It ends no earlier
/// than its own levels allow, nor than one hop and the levels that it has beyond after the last tile before it that ends
/// at a lower level, or, if the pattern is `Even`, at the same. From these two it is taken to depend: other tiles that end at
/// the same level are beside each other, or of domains by themselves. A hop takes longer into batches of several levels, and hops
/// inside a cluster that forwards are shorter, whose blocks begin together.
pub(super) fn predict(
    spans: &[Span],
    mut shape: Rows,
    regularity: Regularity,
    forwarding: Forwarding,
    limit: Duration,
) -> Option<Duration> {
    if forwarding == Forwarding::Wide {
        shape.batch -= (TILED_BATCH - TILED_WIDE_FORWARD_BATCH).as_secs_f64();
    }
    let ends = tile_ends(spans, shape, regularity, forwarding, limit)?;
    let mut last = ends.into_iter().fold(0.0, f64::max);
    let hop = Hops::new(forwarding).in_crowd;
    // All of them are the largest crowd.
    if spans.len() as f64 * hop > last {
        last = last.max(crowd(spans, shape) as f64 * hop);
    }
    let time = LAUNCH + Duration::from_secs_f64(last);
    (time < limit).then_some(time)
}

/// When each tile ends, as `predict` says. None as soon as one is found to end behind the limit.
fn tile_ends(
    spans: &[Span],
    shape: Rows,
    regularity: Regularity,
    forwarding: Forwarding,
    limit: Duration,
) -> Option<Vec<f64>> {
    let (hops, mut blocks) = (Hops::new(forwarding), Blocks::new(shape.blocks, forwarding));
    let start = TILED_START.as_secs_f64();
    let latest = limit.as_secs_f64();
    // What blocks have ahead of them, and when each will have been free, summed up over all: they end no earlier than this on average.
    let mut ahead: f64 = Alone::each(spans, shape).map(Alone::with_start).sum();
    if ahead > latest * blocks.count as f64 {
        return None;
    }
    let mut chain = Chain::new(spans, hops, shape);
    let mut before = Before::new(regularity);
    let mut ends = Vec::with_capacity(spans.len());
    for (t, (&span, alone)) in spans.iter().zip(Alone::each(spans, shape)).enumerate() {
        let hop = alone.wait + hops.to(t);
        let begin = (blocks.free_for(t, &ends) + start).max(before.begin(span, hop));
        let end = (begin + alone.levels).max(before.end(span, alone.pace, hop));
        let left = chain.as_mut().map_or(0.0, |chain| chain.left_after(span));
        ahead += end - alone.with_start() - blocks.end_before(t, &ends);
        if end + left > latest || ahead > latest * blocks.count as f64 {
            return None;
        }
        ends.push(end);
        before.push(span, [begin, end], alone.part);
    }
    Some(ends)
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

/// Time of a solve for so many columns, a single one of which takes `single`. None where a pass has room for one only, or rows have
/// more than two lanes: for several columns these take far longer.
pub fn of_columns(features: &Features, single: Duration, columns: i64) -> Option<Duration> {
    let rows = features.counts.of_rows();
    let has_groups = features.needs.tile_columns > 1 && rows.lengths().0 <= 2.0 * LANE_ENTRIES;
    has_groups.then(|| rows.in_groups(single, columns, TILED_COLUMN_ROW_SECONDS))
}

#[cfg(test)]
pub mod tests;
