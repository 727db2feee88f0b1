//! Work items: rows that one warp solves at a time, none of which depends on another.
//!
//! A group of independent rows (a level, or the part of a level in a tile) is cut into chunks of 32 rows.
//! The longest row of a chunk decides how many lanes a row gets there, and the chunk is cut again into
//! work items of as many rows as 32 lanes then serve. So one long row widens only its own chunk. A row that is longer than
//! what 32 lanes hold is solved in segments, each of which is a work item before the row's own.
#![forbid(unsafe_code)]

use super::shared::schedule::{self, *};
use crate::error::{Error, Result};
use crate::tuning::{RUN_AHEAD_ENTRIES, RUN_AHEAD_LEVELS, RUN_AHEAD_NEAR_LANES, RUN_AHEAD_NEAR_LEVELS};

pub const LANES: u32 = 32;

/// `[first position, rows | lanes of a row << ITEM_LANES_SHIFT | positions back to the work item's run-ahead limit << RUN_AHEAD_SHIFT]`;
/// no positions back, no run-ahead limit. A segment of a row is
/// `[position, SEGMENT | 32 << ITEM_LANES_SHIFT | number << RUN_AHEAD_SHIFT]`, the number counted from the row's own segment of
/// entries, whose entries depend on the unknowns solved last.
pub type WorkItem = [u32; 2];

/// Refuses a row of so many segments, if their numbers do not fit into a work item.
pub fn must_number(segments: u32) -> Result<()> {
    match segments.saturating_sub(1) >> (u32::BITS - RUN_AHEAD_SHIFT) {
        0 => Ok(()),
        _ => Err(Error::Unsupported(format!(
            "a row of {segments} segments, by an algorithm that cuts long rows"
        ))),
    }
}

/// How an engine wants positions cut into work items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Not at all.
    None,
    /// Level by level, with another lane for every `entries` entries of a row. Rows may be nodes: an entry then
    /// counts for each of its unknowns, and a node has at least as many lanes as unknowns. Where
    /// `names_rows`, dependencies are named by rows, not by positions, and it is wanted where each level begins. The end that one
    /// cluster solves is found by its rows or else by its work items.
    Levels { entries: u32, node: u32, names_rows: bool, end_by_rows: bool },
    /// Into the batches of the tiled engine, with another lane for every `entries` entries of a row. Rows look
    /// back over `reach` positions of their tile in a window.
    Tiles { entries: u32, window: u32, reach: u32 },
}

/// The codes of a batch of TILED begin at a multiple of it.
pub const CODE_UNIT: usize = schedule::CODE_UNIT as usize;

/// Past the codes of a batch: by its rows and log2(lanes of a row), its first code, and the most entries of a lane.
pub fn codes_end(batch: &[u32]) -> usize {
    let lanes = (batch[1] & BATCH_ROWS_MASK) << (batch[1] >> BATCH_LANES_SHIFT & BATCH_LANES_MASK);
    batch[2] as usize * CODE_UNIT + (batch[3] as usize * lanes as usize).next_multiple_of(CODE_UNIT)
}

/// The most segments that so many entries are cut into, where a lane takes so many of them, and so the words for
/// their sums.
pub fn most_row_segments(all_entries: u32, entries: u32) -> u32 {
    all_entries / (entries * LANES)
}

/// The segments of a row of so many entries, beside the row's own.
fn segments(row_entries: u32, entries: u32) -> u32 {
    row_entries.saturating_sub(1) / (entries * LANES)
}

/// Whether a work item is a segment of a row.
pub fn is_segment(work_item: &WorkItem) -> bool {
    work_item[1] & ITEM_ROWS_MASK == SEGMENT
}

/// Appends the work items of the group `begin..end`; `lanes(p)` is how many lanes the row at `p` wants.
pub fn cut(begin: u32, end: u32, lanes: impl Fn(u32) -> u32, work_items: &mut Vec<WorkItem>) {
    let mut chunk = begin;
    while chunk < end {
        let stop = end.min(chunk + LANES);
        let widest = (chunk..stop).map(&lanes).max().unwrap_or(1);
        let row_lanes = widest.clamp(1, LANES).next_power_of_two();
        let mut first = chunk;
        while first < stop {
            let rows = (LANES / row_lanes).min(stop - first);
            work_items.push([first, rows | row_lanes << ITEM_LANES_SHIFT]);
            first += rows;
        }
        chunk = stop;
    }
}

/// The work items of every level, where another lane joins in for every `entries` entries of a row of `node` unknowns. Only
/// rows of one unknown have segments. The run-ahead limit of a work item whose rows have several lanes, or `RUN_AHEAD_ENTRIES` on
/// average, is the first unknown of the level `RUN_AHEAD_LEVELS` before its own, or of a nearer one where levels are wide; the
/// nodal engine takes from it how wide levels are, and waits nearer (kernels/nodal/nodal.cuh).
pub fn of_levels(level_ptr: &[u32], row_ptr: &[u32], entries: u32, node: u32) -> Result<Vec<WorkItem>> {
    let lanes = |p: u32| ((row_ptr[p as usize + 1] - row_ptr[p as usize]) * node).div_ceil(entries).max(node);
    let (mut all, mut of_level) = (Vec::new(), Vec::new());
    for (l, level) in level_ptr.windows(2).enumerate() {
        of_level.clear();
        cut(level[0], level[1], lanes, &mut of_level);
        // The polls of short rows are few, and their run-ahead limit another wait.
        let has_run_ahead_limit = |work_item: &WorkItem| {
            let (first, rows) = (work_item[0] as usize, work_item[1] & ITEM_ROWS_MASK);
            work_item[1] >> ITEM_LANES_SHIFT > 1
                || row_ptr[first + rows as usize] - row_ptr[first] >= RUN_AHEAD_ENTRIES * rows
        };
        let [far, near] = [RUN_AHEAD_LEVELS, RUN_AHEAD_NEAR_LEVELS]
            .map(|levels| Some(level_ptr[l.checked_sub(levels as usize)?]));
        for work_item in of_level.iter_mut().filter(|work_item| has_run_ahead_limit(work_item)) {
            let back_to = |limit: Option<u32>| limit.map(|limit| work_item[0] - limit);
            let lanes = (work_item[1] >> ITEM_LANES_SHIFT) as u64;
            let near = back_to(near).filter(|&back| back as u64 * lanes >= RUN_AHEAD_NEAR_LANES.into());
            if let Some(back) =
                near.or(back_to(far)).filter(|&back| back < 1 << (u32::BITS - RUN_AHEAD_SHIFT))
            {
                work_item[1] |= back << RUN_AHEAD_SHIFT;
            }
        }
        for &work_item in &of_level {
            let p = work_item[0] as usize;
            let segments = if node == 1 { segments(row_ptr[p + 1] - row_ptr[p], entries) } else { 0 };
            must_number(segments)?;
            all.extend(
                (0..segments)
                    .rev()
                    .map(|k| [work_item[0], SEGMENT | LANES << ITEM_LANES_SHIFT | k << RUN_AHEAD_SHIFT]),
            );
            all.push(work_item);
        }
    }
    Ok(all)
}

/// The first work item of each level, and past the last.
pub fn steps(level_ptr: &[u32], work_items: &[WorkItem]) -> Vec<u32> {
    level_ptr
        .iter()
        .map(|&begin| work_items.partition_point(|work_item| work_item[0] < begin) as u32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::running_sum;

    #[test]
    fn levels_begin_with_work_items_or_segments_of_rows() {
        let row_ptr = [0, 3, 303, 306, 309, 909];
        let level_ptr = [0, 1, 4, 5];
        let work_items = of_levels(&level_ptr, &row_ptr, 8, 1).unwrap();
        let steps = steps(&level_ptr, &work_items);
        assert_eq!(steps.len(), level_ptr.len());
        assert_eq!((steps[0], steps[3] as usize), (0, work_items.len()));
        for (level, step) in level_ptr.windows(2).zip(steps.windows(2)) {
            let of_level = &work_items[step[0] as usize..step[1] as usize];
            assert!(!of_level.is_empty());
            assert!(of_level.iter().all(|work_item| (level[0]..level[1]).contains(&work_item[0])));
        }
        assert!(is_segment(&work_items[steps[1] as usize]) && is_segment(&work_items[steps[2] as usize]));
    }

    #[test]
    fn all_but_short_rows_have_run_ahead_limits() {
        // Narrow and wide levels, whose rows have 20 entries in every other one, and few in the rest.
        let several = (20, 40, RUN_AHEAD_LEVELS);
        let wide = (20, 600, RUN_AHEAD_NEAR_LEVELS);
        let single = (RUN_AHEAD_ENTRIES, 40, RUN_AHEAD_LEVELS);
        for (entries, rows, levels_back) in [several, wide, single] {
            let level_ptr: Vec<u32> = (0..=24).map(|l| rows * l).collect();
            let mut row_ptr = vec![0];
            for p in 0..24 * rows as usize {
                let is_long = p as u32 / rows % 2 == 0;
                row_ptr.push(row_ptr[p] + if is_long { entries } else { RUN_AHEAD_ENTRIES - 1 });
            }
            let work_items = of_levels(&level_ptr, &row_ptr, 8, 1).unwrap();
            assert!(work_items.iter().any(|s| s[1] >> RUN_AHEAD_SHIFT > 0));
            for [first, packed] in work_items {
                let (lanes, back, level) =
                    (packed >> ITEM_LANES_SHIFT & ITEM_LANES_MASK, packed >> RUN_AHEAD_SHIFT, first / rows);
                let is_long = level % 2 == 0;
                assert_eq!(lanes, if is_long { entries.div_ceil(8).next_power_of_two() } else { 1 });
                let limit = level.checked_sub(levels_back).filter(|_| is_long);
                assert_eq!(back, limit.map_or(0, |limit| first - rows * limit));
            }
        }
    }

    #[test]
    fn long_rows_have_segments_before_them() {
        let lengths = [3, 256, 257, 5, 513, 70_000];
        let row_ptr = running_sum(&lengths);
        let work_items = of_levels(&[0, 2, 6], &row_ptr, 8, 1).unwrap();
        let segments = |p: u32| work_items.iter().filter(|s| s[0] == p && is_segment(s)).count();
        assert_eq!([0, 1, 2, 3, 4, 5].map(segments), [0, 0, 1, 0, 2, 273]);
        assert_eq!(work_items.len(), 6 + 276);
        assert!(most_row_segments(row_ptr[6], 8) >= 276);
        let of_fourth: Vec<WorkItem> = work_items.iter().copied().filter(|s| s[0] == 4).collect();
        assert_eq!(
            of_fourth,
            [
                [4, SEGMENT | 32 << ITEM_LANES_SHIFT | 1 << RUN_AHEAD_SHIFT],
                [4, SEGMENT | 32 << ITEM_LANES_SHIFT],
                [4, 1 | 32 << ITEM_LANES_SHIFT]
            ]
        );
        // Nodes have none.
        assert_eq!(of_levels(&[0, 2, 6], &row_ptr, 8, 2).unwrap().len(), 6);
    }

    #[test]
    fn work_items_cover_a_group_once_and_fit_a_warp() {
        let lanes = |p: u32| if p % 97 == 0 { 31 } else { p % 3 };
        let mut work_items = Vec::new();
        cut(5, 505, lanes, &mut work_items);
        let mut next = 5;
        for [first, packed] in work_items {
            let (rows, row_lanes) = (packed & ITEM_ROWS_MASK, packed >> ITEM_LANES_SHIFT);
            assert_eq!(first, next);
            assert!(rows >= 1 && rows * row_lanes <= 32 && row_lanes.is_power_of_two());
            assert!((first..first + rows).all(|p| lanes(p) <= row_lanes));
            next += rows;
        }
        assert_eq!(next, 505);
    }

    #[test]
    fn a_row_of_more_segments_than_have_numbers_is_refused() {
        // The row's own segment has 256 entries, and so has each other one.
        let longest = 256 * ((1 << 20) + 1);
        assert_eq!(of_levels(&[0, 1], &[0, longest], 8, 1).unwrap().len(), (1 << 20) + 1);
        assert!(matches!(of_levels(&[0, 1], &[0, longest + 1], 8, 1), Err(Error::Unsupported(_))));
    }
}
