//! What engines share that go by rows in the order of levels: what they want of an analysis, how rows are cut into work items, and
//! how many blocks wait for rows that are not ready.
#![forbid(unsafe_code)]

mod shared;
pub mod tuning;

use crate::analysis::shared::schedule::ENTRIES_PER_LANE;
use crate::analysis::work_items::{self, Cut, WorkItem};
use crate::analysis::{records, Findings, Needs, Schedule};
use crate::error::Result;
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{Launcher, Stored};
use crate::problem::DataType;
use crate::tuning::FEW_LEVELS;
use tuning::{ROWS_BLOCK, ROWS_FEW_WARPS, ROWS_FEW_WORK_ITEMS, ROWS_PASSES, ROWS_WORK_ITEMS};

/// What they want of the analysis.
pub fn needs() -> Needs {
    Needs { levels: true, rows: true, locality_order: true, ..Needs::default() }
}

/// Entries that a lane takes before another one joins in on the row: as many as it holds at a time.
pub fn entries_per_lane(dtype: DataType) -> u32 {
    if dtype == DataType::C64 {
        ENTRIES_PER_LANE / 2
    } else {
        ENTRIES_PER_LANE
    }
}

/// Work items of a level, by positions.
pub fn cut(dtype: DataType) -> Cut {
    Cut::Levels { entries: entries_per_lane(dtype), node: 1, names_rows: false, end_by_rows: false }
}

/// The same, which name rows in place of positions.
pub fn cut_by_rows(dtype: DataType) -> Cut {
    Cut::Levels { entries: entries_per_lane(dtype), node: 1, names_rows: true, end_by_rows: false }
}

/// Adds to a plan what goes by positions; `end` finds the first work item of what one cluster solves.
pub fn prepare(
    launcher: &Launcher,
    stored: &mut Stored,
    schedule: Option<&Schedule>,
    found: &mut Findings,
    end: fn(&[u32], &[WorkItem]) -> Option<u32>,
) -> Result<()> {
    if let Some(schedule) = schedule {
        let work_items = add_work_items(launcher, stored, schedule, found)?;
        found.end = end(&schedule.level_ptr, &work_items);
    }
    stored.add_work_vectors(launcher, most_row_segments(launcher, stored))
}

/// Adds to a plan what names rows, and to the findings the first work item of each level.
pub fn prepare_by_rows(
    launcher: &Launcher,
    stored: &mut Stored,
    schedule: Option<&Schedule>,
    found: &mut Findings,
) -> Result<()> {
    if let Some(schedule) = schedule {
        let work_items = add_work_items(launcher, stored, schedule, found)?;
        found.level_ptr = work_items::steps(&schedule.level_ptr, &work_items);
    }
    Ok(())
}

fn add_work_items(
    launcher: &Launcher,
    stored: &mut Stored,
    schedule: &Schedule,
    found: &mut Findings,
) -> Result<Vec<WorkItem>> {
    let rows = schedule.rows.as_ref().expect("asked for");
    let entries = entries_per_lane(launcher.dtype);
    let work_items = work_items::of_levels(&schedule.level_ptr, &rows.ptr, entries, 1)?;
    found.has_segments = work_items.iter().any(work_items::is_segment);
    stored.set_work_items(launcher, &work_items)?;
    stored.set_records(launcher, &records(schedule, stored.diag_source()))?;
    Ok(work_items)
}

/// The most segments into which rows may be cut.
pub fn most_row_segments(launcher: &Launcher, stored: &Stored) -> u32 {
    work_items::most_row_segments(stored.entries, entries_per_lane(launcher.dtype))
}

/// Blocks of a launch, at most so many on a multiprocessor: enough warps to work so many levels ahead of the front, each on one
/// of the `column_groups` of a work item, and no more. Warps far ahead only poll, and every poll slows down the unknown that the
/// front waits for.
pub fn blocks(
    launcher: &Launcher,
    stored: &Stored,
    args: &SolveArgs,
    column_groups: u32,
    levels_ahead: u64,
    most: u32,
) -> u32 {
    let multiprocessors = launcher.multiprocessors as u64;
    let all = args.work_items as u64 * column_groups as u64;
    let average = all * levels_ahead / stored.dependent_steps().max(1) as u64;
    let widest = stored.widest as u64 * column_groups as u64 / 32 / ROWS_PASSES;
    let few = match stored.dependent_steps() <= FEW_LEVELS {
        true => (all / ROWS_FEW_WORK_ITEMS).min(multiprocessors * ROWS_FEW_WARPS),
        false => 0,
    };
    let warps = average.max(widest).min(few.max(all / ROWS_WORK_ITEMS)).max(1);
    let of_block = ROWS_BLOCK as u64 / 32;
    let blocks = warps.div_ceil(of_block).clamp(multiprocessors, multiprocessors * most as u64);
    all.div_ceil(of_block).min(blocks) as u32
}
