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
use crate::select::features::Counts;
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
    let are_apart = regularity != Regularity::Even;
    let hop = match forwarding {
        Forwarding::Narrow => TILED_FORWARD_HOP,
        Forwarding::No | Forwarding::Wide => TILED_HOP,
    };
    if forwarding == Forwarding::Wide {
        shape.batch -= (TILED_BATCH - TILED_WIDE_FORWARD_BATCH).as_secs_f64();
    }
    let (start, hop, far) = (TILED_START.as_secs_f64(), hop.as_secs_f64(), TILED_HOP.as_secs_f64());
    // A level that goes through many tiles, one after the other, finds each of them busy.
    let in_crowd = if forwarding == Forwarding::No { 2.0 * far } else { hop };
    let latest = limit.as_secs_f64();
    // Blocks, how many of them begin together, and when those that are next have been free.
    let (blocks, together) =
        if forwarding == Forwarding::No { (shape.blocks, 1) } else { (in_clusters(shape.blocks), CLUSTER) };
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
    let (least_hop, least_pace) = (hop.min(far), shape.step.min(shape.round));
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
        let hop = wait + if t % CLUSTER != 0 { hop } else { far };
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
    let time = LAUNCH + Duration::from_secs_f64(last);
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

#[cfg(test)]
pub mod tests;
