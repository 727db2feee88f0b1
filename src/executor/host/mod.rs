//! The host executor: the paper's algorithms 1 to 4 on the threads of a [`Pool`], on host memory; and [`pieces`] of
//! consecutive rows, which AUTO takes.
//!
//! | method | rows or columns | order | waits |
//! |---|---|---|---|
//! | LEVR (algorithm 1) | rows | by level | a barrier between levels |
//! | LEVC (algorithm 2) | columns | by level | a barrier between levels |
//! | SLFR (algorithm 3) | rows | by level, self-scheduled | each row for its count to fall to 0 |
//! | SLFC (algorithm 4) | columns | by level, self-scheduled | each column for its count to fall to 0 |
//! | GSF (Liu et al. 2016) | columns | natural, self-scheduled | as SLFC |
//! | pieces (AUTO) | rows; columns on one thread | natural | pieces for pieces of other threads |
//!
//! A wait in which nobody makes progress for the caller's timeout is given up, and the solve with it: only
//! a caller who breaks the contract, say by using one buffer in two solves at once, ever sees that.
//!
//! The row-wise ones, pieces among them, subtract a row's entries in one order: that of the solve, where rows are sorted.
//! So LEVR, SLFR, pieces and every number of threads give the same bits. The column-wise ones add atomically in the order
//! of arrival.

mod array;
mod factor;
mod job;
mod kept;
pub mod memory;
mod pattern;
mod permute;
pub mod pieces;
mod plan;
mod pool;
pub mod setup;
mod sweep;
mod system;
#[cfg(test)]
mod tests;
mod timed;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::analysis::{Needs, Schedule};
use crate::scalar::Scalar;
pub use array::HostArray;
pub use factor::HostFactor;
pub use job::{Job, MOST_COLUMNS};
pub use kept::KeptPattern;
pub use plan::HostPlan;
pub use pool::{default_threads, Finished, GivenUp, Member, Pool};
use system::System;

/// A level with fewer rows is done by one thread alone: sharing it out costs more than it saves.
const SHARED_LEVEL: u32 = 64;

/// Positions that a thread takes with one ticket: enough that threads seldom write to the same cache line.
const TICKET: u32 = 64;

/// Rows of a level after which a thread says that it makes progress: often enough for the shortest sensible
/// timeout, and too seldom to cost anything.
const PROGRESS: u32 = 256;

/// How a system is solved on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Levr,
    Levc,
    Slfr,
    Slfc,
    Gsf,
}

impl Method {
    /// What the analysis must provide. A schedule that has more serves as well.
    pub fn needs(self) -> Needs {
        let by_columns = matches!(self, Method::Levc | Method::Slfc | Method::Gsf);
        Needs {
            levels: self != Method::Gsf,
            rows: !by_columns,
            columns: by_columns || self == Method::Slfr,
            column_values: by_columns,
            counts: matches!(self, Method::Slfr | Method::Slfc | Method::Gsf),
            ..Needs::default()
        }
    }
}

/// Solves, and returns the smallest row (zero-based) whose diagonal is zero or missing; or leaves x
/// unfinished, where the watchdog ended a wait. Allocates nothing.
///
/// # Safety
/// The job's pointers are aligned and valid for what [`Job`] says: `val` and a separate `diag` for all that
/// the schedule names, the others for n elements (of each column). Nobody else uses `x`, `work` and `counters` meanwhile. The
/// schedule was made by the analysis for at least what [`Method::needs`] asks.
pub unsafe fn solve<T: Scalar>(
    pool: &Pool,
    method: Method,
    schedule: &Schedule,
    job: &Job<T>,
) -> Result<Option<u32>, GivenUp> {
    // SAFETY: the caller's promise.
    unsafe {
        match job.columns {
            1 => solve_columns::<T, 1>(pool, method, schedule, job),
            2 => solve_columns::<T, 2>(pool, method, schedule, job),
            4 => solve_columns::<T, 4>(pool, method, schedule, job),
            MOST_COLUMNS => solve_columns::<T, MOST_COLUMNS>(pool, method, schedule, job),
            other => unreachable!("{other} columns at once"),
        }
    }
}

/// # Safety
/// As for [`solve`].
unsafe fn solve_columns<T: Scalar, const K: usize>(
    pool: &Pool,
    method: Method,
    schedule: &Schedule,
    job: &Job<T>,
) -> Result<Option<u32>, GivenUp> {
    let n = schedule.n;
    if n == 0 {
        return Ok(None);
    }
    let by_level_ptr = matches!(method, Method::Levr | Method::Levc);
    assert!(
        !by_level_ptr || schedule.tile_ptr.is_empty(),
        "LEVR and LEVC need an order by level, not by tile"
    );
    // SAFETY: the caller's promise is the one that `System::new` asks for.
    let system = unsafe { System::<T, K>::new(schedule, job) };
    let worst = AtomicU32::new(u32::MAX);
    let ticket = AtomicU64::new(0);
    pool.run(job.timeout, |me| {
        let zero = solve_as_member(me, method, schedule, &system, &ticket)?;
        worst.fetch_min(zero, Ordering::Relaxed);
        Ok(())
    })?;
    let worst = worst.into_inner();
    Ok((worst != u32::MAX).then_some(worst))
}

/// This member's part of a solve, whose tickets are shared by all members. The smallest row of its own with a zero pivot.
fn solve_as_member<T: Scalar, const K: usize>(
    me: &Member,
    method: Method,
    schedule: &Schedule,
    system: &System<T, K>,
    ticket: &AtomicU64,
) -> Result<u32, GivenUp> {
    let n = schedule.n;
    let mut zero = u32::MAX;
    match method {
        Method::Levr => {
            let rows = schedule.rows.as_ref().expect("LEVR needs the rows");
            by_level(me, &schedule.level_ptr, |p| system.row(rows, p, &mut zero))?;
        }
        Method::Levc => {
            let columns = schedule.columns.as_ref().expect("LEVC needs the columns");
            system.clear_sums(me.share(0, n));
            me.barrier()?;
            by_level(me, &schedule.level_ptr, |p| system.column(columns, p, &mut zero, |_| {}))?;
        }
        Method::Slfr => {
            let rows = schedule.rows.as_ref().expect("SLFR needs the rows");
            let columns = schedule.columns.as_ref().expect("SLFR needs the columns");
            system.set_counters(me.share(0, n));
            me.barrier()?;
            by_ticket(me, ticket, n, |p| {
                // Ends: all dependencies have smaller positions, so they are done or in the hands of
                // threads whose own waits end by the same argument; or by the watchdog.
                me.wait_until(|| system.counter(p).load(Ordering::Acquire) == 0)?;
                system.row(rows, p, &mut zero);
                columns.of(p).iter().for_each(|&q| system.count_down(q));
                Ok(())
            })?;
        }
        Method::Slfc | Method::Gsf => {
            let columns = schedule.columns.as_ref().expect("SLFC and GSF need the columns");
            system.set_counters(me.share(0, n));
            system.clear_sums(me.share(0, n));
            me.barrier()?;
            by_ticket(me, ticket, n, |p| {
                // Ends as in SLFR.
                me.wait_until(|| system.counter(p).load(Ordering::Acquire) == 0)?;
                system.column(columns, p, &mut zero, |q| system.count_down(q));
                Ok(())
            })?;
        }
    }
    Ok(zero)
}

/// Takes this member's share of every level, with a barrier where one level's work is another thread's
/// input. Narrow levels are one member's, and between two of them there is nobody to wait for.
fn by_level(me: &Member, level_ptr: &[u32], mut step: impl FnMut(u32)) -> Finished {
    let levels = level_ptr.len() - 1;
    let narrow = |l: usize| level_ptr[l + 1] - level_ptr[l] < SHARED_LEVEL;
    let mut l = 0;
    while l < levels {
        let mut next = l + 1;
        let mut mine = me.share(level_ptr[l], level_ptr[next]);
        if narrow(l) {
            while next < levels && narrow(next) {
                next += 1;
            }
            mine = if me.rank == 0 { level_ptr[l]..level_ptr[next] } else { 0..0 };
        }
        while !mine.is_empty() {
            let end = mine.end.min(mine.start.saturating_add(PROGRESS));
            (mine.start..end).for_each(&mut step);
            me.progress();
            mine.start = end;
        }
        if next < levels {
            me.barrier()?;
        }
        l = next;
    }
    Ok(())
}

/// Takes positions from the shared counter of tickets, always the smallest that nobody has.
fn by_ticket(me: &Member, ticket: &AtomicU64, n: u32, mut step: impl FnMut(u32) -> Finished) -> Finished {
    let take = if me.team == 1 { n } else { TICKET };
    // Ends: the ticket only rises.
    loop {
        let begin = ticket.fetch_add(take.into(), Ordering::Relaxed);
        if begin >= u64::from(n) {
            return Ok(());
        }
        for p in begin as u32..n.min((begin as u32).saturating_add(take)) {
            step(p)?;
        }
        me.progress();
    }
}
