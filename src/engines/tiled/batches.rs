//! The batches of TILED: rows of one or several levels of a tile that a warp solves together.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::shared::*;
use crate::analysis::shared::schedule::{
    BATCH_EXTERNAL_SHIFT, BATCH_LANES_SHIFT, BATCH_LEVELS_SHIFT, BATCH_NEXT_SHIFT,
};
use crate::analysis::work_items::{CODE_UNIT, LANES};
use crate::analysis::{self, Lists, Schedule, Values};
use crate::error::{Error, Result};
use crate::problem::DiagSource;

/// How far a row looks back in the window.
pub const REACH: u32 = TILED_WINDOW - 2 * TILED_SPREAD - LANES;

/// log2 of the lanes that each of the rows of one level gets, where all together want `all` lanes and the longest one
/// `longest`. A round of a long row takes as long as so many batches take a multiprocessor; what costs least is taken.
fn lanes_shift(rows: u32, all: u32, longest: u32) -> u32 {
    let longest = longest.min(TILED_MOST_WANTED);
    let shift = |lanes: u32| lanes.clamp(1, LANES).next_power_of_two().ilog2();
    let cost = |&shift: &u32| {
        ((rows as u64) << shift).div_ceil(LANES as u64)
            + u64::from(TILED_ROUND_BATCHES) * u64::from(longest.div_ceil(1 << shift))
    };
    (shift(all.div_ceil(rows))..=shift(longest)).rev().min_by_key(cost).expect("the average is no larger")
}

/// The batches of every tile and what their entries are.
pub struct Batches {
    /// First position; rows, log2(lanes of a row), levels, past the last of a lane's entries that depend on the
    /// same batch, and whether any depends on another tile, as the `BATCH_` constants say; first code divided by
    /// `CODE_UNIT`; most entries of a lane.
    pub batch: Vec<[u32; 4]>,
    /// First batch of each tile.
    pub tile_batch: Vec<u32>,
    /// By batch, number of a lane's entry, and lane that has a row: the position it depends on, or HIGH_BIT and the
    /// cell of the window, or both bits and the lane.
    pub code: Vec<u32>,
    /// The same for the place of the value, where values are permuted.
    pub index: Vec<u32>,
}

impl Batches {
    pub fn new(schedule: &Schedule, forward: bool, per_lane: u32) -> Result<Self> {
        let rows = schedule.rows.as_ref().expect("asked for");
        let entries = |p: u32| rows.ptr[p as usize] as usize..rows.ptr[p as usize + 1] as usize;
        let lanes = |p: u32| (entries(p).len() as u32).div_ceil(per_lane);
        let mut packed = Vec::new();
        let mut batches =
            Batches { batch: Vec::new(), tile_batch: vec![0], code: Vec::new(), index: Vec::new() };
        for (number, tile) in schedule.tile_ptr.windows(2).enumerate() {
            let before = packed.len();
            let mut runs = Vec::new();
            let mut first = tile[0];
            while first < tile[1] {
                let level = schedule.level[first as usize];
                let end = (first..tile[1]).find(|&p| schedule.level[p as usize] != level).unwrap_or(tile[1]);
                let longest = (first..end).map(lanes).max().unwrap_or(1);
                let all = rows.ptr[end as usize] - rows.ptr[first as usize];
                let shift = lanes_shift(end - first, all.div_ceil(per_lane), longest);
                // Of the entries of a lane only the first few may depend on the same batch. What the others
                // depend on must lie in earlier batches.
                let others = |p: u32| {
                    let (all, may) = (entries(p), (per_lane as usize / 2) << shift);
                    let others = all.len().saturating_sub(may);
                    if forward {
                        &rows.adj[all.start..][..others]
                    } else {
                        &rows.adj[all.end - others..all.end]
                    }
                };
                let after = (first..end).flat_map(others).max().map_or(0, |&q| q + 1);
                runs.push(Run { level, rows: first..end, shift, after });
                first = end;
            }
            let mut packer = Packer::new(&mut packed, levels_together(&runs), number as u32);
            runs.into_iter().for_each(|run| packer.add(run));
            for batch in &packed[before..] {
                batches.describe(rows, batch, tile[0], forward)?;
            }
            batches.tile_batch.push(packed.len() as u32);
        }
        Ok(batches)
    }

    fn describe(&mut self, rows: &Lists, batch: &Packed, tile: u32, forward: bool) -> Result<()> {
        let &Packed { first, rows: count, shift, levels } = batch;
        let lanes = count << shift;
        let span = |p: u32| (rows.ptr[p as usize], rows.ptr[p as usize + 1] - rows.ptr[p as usize]);
        let depth = (first..first + count).map(|p| span(p).1.div_ceil(1 << shift)).max().unwrap_or(0);
        // Padding makes these larger than the matrix, and there may be no room.
        let words = depth as usize * lanes as usize + CODE_UNIT;
        let permuted = matches!(rows.values, Some(Values::Permuted(_)));
        let no_room = Error::OutOfMemory { place: "host", bytes: 4 * words as u64 };
        let begin = u32::try_from(self.code.len() / CODE_UNIT).map_err(|_| no_room.clone())?;
        self.code
            .try_reserve(words)
            .and_then(|()| self.index.try_reserve(if permuted { words } else { 0 }))
            .map_err(|_| no_room)?;
        let (mut next, mut external) = (0, 0);
        for k in 0..depth {
            for lane in 0..lanes {
                let (p, number) = (first + (lane >> shift), (lane & ((1 << shift) - 1)) + (k << shift));
                let (mut code, mut index) = (HIGH_BIT | TILED_WINDOW, 0);
                if number < span(p).1 {
                    let (start, length) = span(p);
                    let e = (start + if forward { length - 1 - number } else { number }) as usize;
                    let q = rows.adj[e];
                    if let Some(Values::Permuted(places)) = &rows.values {
                        index = places[e];
                    }
                    if q >= first {
                        code |= NEXT_BIT | (q - first) << shift << LANE_SHIFT;
                        next = k + 1;
                    } else if q >= tile && p - q <= REACH {
                        code = HIGH_BIT | (q % TILED_WINDOW);
                    } else {
                        code = q;
                        external = 1;
                    }
                }
                self.code.push(code);
                if permuted {
                    self.index.push(index);
                }
            }
        }
        let padded = self.code.len().next_multiple_of(CODE_UNIT);
        self.code.resize(padded, HIGH_BIT | TILED_WINDOW);
        if permuted {
            self.index.resize(padded, 0);
        }
        let bits = count
            | shift << BATCH_LANES_SHIFT
            | levels << BATCH_LEVELS_SHIFT
            | next << BATCH_NEXT_SHIFT
            | external << BATCH_EXTERNAL_SHIFT;
        self.batch.push([first, bits, begin, depth]);
        Ok(())
    }
}

/// By position: row, index of the diagonal value, entries, and the place of the value of entry number 0.
pub fn records(schedule: &Schedule, diag: DiagSource, forward: bool) -> Vec<[u32; 4]> {
    let contiguous = matches!(schedule.rows.as_ref().expect("asked for").values, Some(Values::Contiguous(_)));
    let records = analysis::records(schedule, diag);
    let record = |w: &[[u32; 4]]| {
        let [row, diag, begin, first] = w[0];
        let entries = w[1][2] - begin;
        let last = if contiguous && forward { entries.saturating_sub(1) } else { 0 };
        [row, diag, entries, first + last]
    };
    records.windows(2).map(record).collect()
}

/// Rows of one or several levels that a warp solves together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    first: u32,
    rows: u32,
    /// log2(lanes of a row).
    shift: u32,
    levels: u32,
}

/// The rows of one level in a tile.
struct Run {
    level: u32,
    rows: Range<u32>,
    /// log2(lanes of a row).
    shift: u32,
    /// The first position where a batch that holds the run may begin.
    after: u32,
}

/// How many levels of a tile a batch may hold: as many as fit on average, where most are narrow.
fn levels_together(runs: &[Run]) -> u32 {
    let lanes = runs.iter().map(|run| (run.rows.len() as u64) << run.shift);
    let (narrow, used) = lanes
        .filter(|&lanes| lanes <= LANES as u64 / 2)
        .fold((0, 0), |(narrow, used), lanes| (narrow + 1, used + lanes));
    if 2 * narrow > runs.len() as u64 {
        (LANES as u64 * narrow / used) as u32
    } else {
        1
    }
}

/// Packs the levels of a tile into batches, in order. A level joins the open batch where it fits as a whole with the
/// same lanes and the batch does not begin before `after`; else it begins a new one. Batches end at every `together`-th
/// level, and one level later in each tile than in the tile before, which has what they need by then: levels up to the
/// last but one. A batch that held levels 1 to 4 and waited for one that holds 3 to 6, that one for one that holds 5 to 8,
/// and so on, would wait for all tiles.
struct Packer<'a> {
    batch: &'a mut Vec<Packed>,
    together: u32,
    /// What is added to a level: batches end where the sum is a multiple of `together`.
    offset: u32,
    /// Shift of the last batch, where it may still grow.
    open: Option<u32>,
    /// The level that was added last.
    level: u32,
}

impl<'a> Packer<'a> {
    fn new(batch: &'a mut Vec<Packed>, together: u32, tile: u32) -> Self {
        Packer { batch, together, offset: together - tile % together, open: None, level: 0 }
    }

    fn add(&mut self, run: Run) {
        let Run { level, rows: Range { start: mut first, end }, shift, after } = run;
        let most = LANES >> shift;
        let before = std::mem::replace(&mut self.level, level);
        let group = |level: u32| (level + self.offset) / self.together;
        let follows = level - before <= TILED_MOST_GAP && group(level) == group(before);
        if follows && self.open == Some(shift) {
            let last = self.batch.last_mut().expect("one is open");
            if last.first >= after && last.rows + (end - first) <= most {
                last.rows += end - first;
                last.levels += 1;
                return;
            }
        }
        while first < end {
            let rows = most.min(end - first);
            self.batch.push(Packed { first, rows, shift, levels: 1 });
            first += rows;
        }
        self.open = Some(shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_row_does_not_thin_out_its_level() {
        // Rows of up to 8 lanes' entries, all alike, get what they want.
        assert_eq!([1, 2, 5, 32].map(|lanes| lanes_shift(100, 100 * lanes, lanes)), [0, 1, 3, 5]);
        // A long one among few gets all that it can use, among many less.
        assert_eq!([4, 300, 3000].map(|rows| lanes_shift(rows, rows / 4 + 62, 63)), [5, 3, 1]);
        assert_eq!(lanes_shift(1, 0, 0), 0);
    }

    #[test]
    fn batches_end_at_the_same_levels_in_all_tiles() {
        let runs = |rows: &[u32], first: u32| -> Vec<Run> {
            let run = |(k, &rows): (usize, &u32)| Run {
                level: first + k as u32,
                rows: 0..rows,
                shift: 0,
                after: 0,
            };
            rows.iter().enumerate().map(run).collect()
        };
        // As many as fit on average, one where half of the levels are wide.
        assert_eq!(levels_together(&runs(&[8; 20], 0)), 4);
        assert_eq!(levels_together(&runs(&[9; 20], 0)), 3);
        assert_eq!(levels_together(&runs(&[1; 20], 0)), 32);
        assert_eq!(levels_together(&runs(&[3, 4, 17, 18], 0)), 1);
        // Levels 3 to 9 in threes that end with levels 5 and 8, though the first batch had room for more.
        let mut batch = Vec::new();
        let mut packer = Packer::new(&mut batch, 3, 6);
        let mut first = 0;
        for mut run in runs(&[9; 7], 3) {
            run.rows = first..first + 9;
            first += 9;
            packer.add(run);
        }
        assert_eq!(batch.iter().map(|b: &Packed| b.levels).collect::<Vec<_>>(), [3, 3, 1]);
        // Levels 2 to 7 in fours: those of a tile whose number is a multiple of four, and of the next one.
        for (tile, expected) in [(4, [2, 4]), (5, [3, 3])] {
            let mut batch = Vec::new();
            let mut packer = Packer::new(&mut batch, 4, tile);
            for (k, mut run) in runs(&[2; 6], 2).into_iter().enumerate() {
                run.rows = 2 * k as u32..2 * k as u32 + 2;
                packer.add(run);
            }
            assert_eq!(batch.iter().map(|b: &Packed| b.levels).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn batches_hold_whole_levels_where_they_fit() {
        let mut batch = Vec::new();
        let mut packer = Packer::new(&mut batch, LANES, 0);
        let mut first = 0;
        let levels = [
            (16, 0, 0),
            (16, 0, 0),
            (20, 0, 0),
            (20, 0, 0),
            (70, 0, 0),
            (3, 1, 0),
            (13, 1, 0),
            (1, 1, 0),
            (2, 1, 159),
            (2, 1, 159),
        ];
        for (level, (rows, shift, after)) in levels.into_iter().enumerate() {
            packer.add(Run { level: level as u32, rows: first..first + rows, shift, after });
            first += rows;
        }
        packer.add(Run { level: 20, rows: first..first + 1, shift: 1, after: 0 });
        let rows: Vec<(u32, u32)> = batch.iter().map(|b: &Packed| (b.rows, b.shift)).collect();
        let expected = [(32, 0), (20, 0), (20, 0), (32, 0), (32, 0), (6, 0), (16, 1), (1, 1), (4, 1), (1, 1)];
        assert_eq!(rows, expected);
        assert!(batch.windows(2).all(|w| w[1].first == w[0].first + w[0].rows));
        assert_eq!(batch.iter().map(|b| b.levels).sum::<u32>(), 13);
    }
}
