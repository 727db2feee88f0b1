//! Analysis on the CPU: the paper's setup phase LEV_CPU with both of its loops, the dependency counts,
//! and the transposition of the pattern.
//!
//! Every pass is linear in rows and entries and touches flat arrays only: it has to serve a hundred
//! million entries. A stored row or column is called a *major* here, whichever of the two it is.
//!
//! Orders that gain in large systems only are made on the GPU alone: wavefront strips, 3-D blocks and the locality order. Neither
//! are patterns looked at here for whether they are irregular. Below `SETUP_GPU_SMALLEST` nothing of that can be chosen, and both
//! analyses give the same schedule.
#![forbid(unsafe_code)]

mod order;
mod survey;

use std::time::{Duration, Instant};

use crate::analysis::{nodes, Form, Lists, Needs, Pattern, Schedule, Values};
use crate::problem::Shape;
use crate::select::decision::{rows_alone, Decide, Gathering};
use order::Ordered;
pub use order::Seen;
pub use survey::Survey;

/// Time spent in the paper's setup operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Reading the pattern and building the lists (TRANS).
    pub trans: Duration,
    /// Counting dependencies (DEP).
    pub dep: Duration,
    /// Levels and the order by level (LEV).
    pub lev: Duration,
}

/// Adds the time that `work` takes to `total`.
pub fn timed<R>(total: &mut Duration, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}

/// Builds the normal form of a problem, where nothing is to be chosen: exactly what `needs` asks for. Deterministic.
pub fn schedule(shape: &Shape, pattern: &Pattern, needs: Needs) -> (Schedule, Times) {
    schedule_by(shape, pattern, needs, None, &rows_alone)
}

/// The level of each unknown in the transposed problem, by the schedule of the problem: what is solved last there is
/// solved first here. As many levels, though an unknown may come later than it could. None where the schedule has
/// none, or has those of nodes.
pub fn transposed_levels(schedule: &Schedule) -> Option<Vec<u32>> {
    if schedule.nodes.is_some() {
        return None;
    }
    let last = schedule.levels().checked_sub(1)? as u32;
    let mut levels = vec![0; schedule.n as usize];
    let mut set = |p: usize, level: u32| levels[schedule.order[p] as usize] = last - level;
    if schedule.level.is_empty() {
        for (level, ends) in (0..).zip(schedule.level_ptr.windows(2)) {
            (ends[0]..ends[1]).for_each(|p| set(p as usize, level));
        }
    } else {
        // With tiles levels are not consecutive positions.
        schedule.level.iter().enumerate().for_each(|(p, &level)| set(p, level));
    }
    Some(levels)
}

/// The same as `schedule` with these levels, if some are given, in place of the earliest possible ones, and as `decide` chooses.
pub fn schedule_by(
    shape: &Shape,
    pattern: &Pattern,
    needs: Needs,
    levels: Option<Vec<u32>>,
    decide: Decide,
) -> (Schedule, Times) {
    let mut times = Times::default();
    let mut survey = timed(&mut times.trans, || Survey::new(shape, pattern, 1));
    survey.known_levels = levels;
    if needs.nodes {
        if let Some(schedule) = by_nodes(&survey, needs, decide, &mut times) {
            return (schedule, times);
        }
    }
    let schedule = by_rows(&survey, needs, 1, decide, &mut times).expect("rows are what is left");
    (schedule, times)
}

/// The size of the pattern's nodes, if it has any, and their own pattern.
pub fn nodes_of<'a>(survey: &'a Survey) -> Option<(nodes::Majors<'a>, u32, Pattern)> {
    if !survey.consecutive || survey.extra_diag > 0 {
        return None;
    }
    let Survey { low, ref first, ref lengths, ref diag, .. } = *survey;
    let majors = nodes::Majors { low, first, lengths, diag, ind: &survey.pattern.ind };
    let size = majors.size()?;
    let pattern = majors.pattern(size);
    Some((majors, size, pattern))
}

/// The schedule of the pattern's nodes, if it has any and tiles of rows are not faster.
fn by_nodes(survey: &Survey, needs: Needs, decide: Decide, times: &mut Times) -> Option<Schedule> {
    let shape = survey.shape;
    let (majors, size, pattern) = timed(&mut times.trans, || nodes_of(survey))?;
    let node_shape = nodes::shape(shape, pattern.ind.len() as u32, size);
    let of_nodes = timed(&mut times.trans, || Survey::new(&node_shape, &pattern, size));
    let mut schedule = by_rows(&of_nodes, needs, size, decide, times)?;
    schedule.form = Form::Nodes(size);
    schedule.nodes = Some(timed(&mut times.trans, || majors.rows(&pattern, &schedule, size, shape.diag)));
    (schedule.entries, schedule.missing_diag) = (survey.entries, survey.missing_diag);
    Some(schedule)
}

/// The schedule of rows, or of nodes in their place. None for nodes whose rows are faster in tiles.
fn by_rows(survey: &Survey, needs: Needs, node: u32, decide: Decide, times: &mut Times) -> Option<Schedule> {
    let shape = survey.shape;
    let Ordered { form, level_ptr, tile_ptr, wide_tiles, level, order, gathering, predicted } =
        timed(&mut times.lev, || Ordered::new(survey, needs, node, decide))?;
    let position = timed(&mut times.lev, || positions(&order));

    // The rows of op(A) are either what is stored or its transpose; the columns are the other one.
    let stored_rows = shape.rows_are_stored();
    let (want_stored, want_transposed) =
        if stored_rows { (needs.rows, needs.columns) } else { (needs.columns, needs.rows) };
    let value_wanted = |rows: bool| rows || needs.column_values;

    let stored_counts = || order.iter().map(|&i| survey.lengths[i as usize]).collect();
    let transposed_counts = || survey.minor_counts(&position);
    let counts: Vec<u32> = timed(&mut times.dep, || match (needs.counts, stored_rows) {
        (false, _) => Vec::new(),
        (true, true) => stored_counts(),
        (true, false) => transposed_counts(),
    });

    let (stored, transposed, (diag, extra_diag)) = timed(&mut times.trans, || {
        let stored = want_stored.then(|| survey.stored(&order, &position, value_wanted(stored_rows)));
        let transposed = want_transposed.then(|| {
            let own = (stored_rows || counts.is_empty()).then(transposed_counts);
            survey.transposed(own.as_ref().unwrap_or(&counts), &position, value_wanted(!stored_rows))
        });
        (stored, transposed, survey.diagonal(&order))
    });
    let (mut rows, columns) = if stored_rows { (stored, transposed) } else { (transposed, stored) };
    let gathered = match (&mut rows, gathering) {
        (Some(rows), Gathering::InOrder) => gather(rows),
        // Values lie where they do. Only of irregular patterns they are gathered in another way, and nobody looks for these here.
        _ => Vec::new(),
    };

    Some(Schedule {
        n: survey.n,
        entries: survey.entries,
        level_ptr,
        tile_ptr,
        form,
        wide_tiles,
        level,
        order,
        rows,
        gathered,
        columns,
        counts,
        diag,
        extra_diag,
        missing_diag: survey.missing_diag,
        predicted,
        nodes: None,
    })
}

/// The position of each unknown in an order.
fn positions(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (p, &unknown) in (0..).zip(order) {
        position[unknown as usize] = p;
    }
    position
}

/// Where the values come from that solves gather. What `rows` says of their places is of the gathered ones then.
fn gather(rows: &mut Lists) -> Vec<u32> {
    let Some(Values::Permuted(places)) = &mut rows.values else { return Vec::new() };
    let places = std::mem::take(places);
    rows.values = Some(Values::Contiguous(rows.ptr[..rows.ptr.len() - 1].to_vec()));
    places
}

#[cfg(test)]
mod tests;
