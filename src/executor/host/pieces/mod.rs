//! What AUTO does on the host: rows in storage order, on one thread or shared out in pieces.
//!
//! One thread walks the matrix as it is stored. Where the rows of op(A) are stored it gathers, row by row; where they
//! are not it scatters, column by column: each solved unknown is subtracted from the unknowns that depend on it.
//!
//! Several threads take pieces of consecutive rows (see [`grow`]). A thread solves its pieces in order and publishes
//! how many are solved; a piece waits until the pieces of other threads that it depends on are. There are no barriers.
//! Each thread gathers: where the rows of op(A) are not stored, the analysis has made lists of them.
//!
//! Where both can be done, the faster one is taken, by the times of solves before (see [`pace`]).
//!
//! An unknown's entries are subtracted in one order, whatever the number of threads, so that all of them give the same
//! bits: in the order in which the unknowns are solved, where rows are sorted.

mod grow;
mod lists;
mod pace;
mod solve;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::job::{COUNT_STRIDE, MOST_COLUMNS};
use crate::analysis::Pattern;
use crate::executor::host::setup::{timed, Times};
use crate::problem::Shape;
use crate::tuning::{HOST_FAR_VALUE, HOST_PIECES_START, HOST_PIECES_WORTH};
use grow::Schedule;
pub use lists::Levels;
use lists::Lists;
pub use pace::By;
use pace::Pace;
pub use solve::solve;
#[cfg(test)]
pub use solve::solve_by;

/// The analysis of one problem.
pub struct Pieces {
    n: u32,
    /// Whether unknowns are solved from the first to the last.
    forward: bool,
    /// The rows or columns of op(A), as they are stored; shared with the plan of the transposed operation.
    stored: Arc<Lists>,
    one: OneThread,
    team: Option<Team>,
    /// How fast both are, by the logarithm of the number of right-hand sides.
    paces: [Pace; PACES],
    levels: OnceLock<Levels>,
}

/// A pace for each number of right-hand sides at once.
const PACES: usize = MOST_COLUMNS.ilog2() as usize + 1;

/// How one thread solves.
enum OneThread {
    /// Over stored rows.
    Gather,
    /// Over stored columns, which may be sorted.
    Scatter { are_sorted: bool },
}

/// How several threads solve.
struct Team {
    schedule: Schedule,
    /// Where the rows of op(A) are not stored.
    rows: Option<Box<Lists>>,
}

/// What is to be shared out.
struct Problem<'a> {
    n: u32,
    forward: bool,
    rows_are_stored: bool,
    stored: &'a Lists,
    levels: &'a OnceLock<Levels>,
}

impl Pieces {
    /// Analyses a problem for a team of so many threads, and the transposed problem too if `both` says so.
    pub fn new(
        shape: &Shape,
        pattern: Pattern,
        threads: u32,
        both: bool,
    ) -> ((Pieces, Times), Option<(Pieces, Times)>) {
        let mut times = Times::default();
        let stored = timed(&mut times.trans, || Arc::new(Lists::stored(shape, pattern)));
        let transposed =
            both.then(|| Pieces::of(&shape.transposed(), stored.clone(), threads, Times::default()));
        (Pieces::of(shape, stored, threads, times), transposed)
    }

    fn of(shape: &Shape, stored: Arc<Lists>, threads: u32, mut times: Times) -> (Pieces, Times) {
        let (n, forward, rows_are_stored) = (shape.n, shape.forward(), shape.rows_are_stored());
        let levels = OnceLock::new();
        let problem = Problem { n, forward, rows_are_stored, stored: &stored, levels: &levels };
        let team = problem.team(threads, &mut times);
        let one = match rows_are_stored {
            true => OneThread::Gather,
            false => OneThread::Scatter { are_sorted: timed(&mut times.trans, || stored.are_sorted()) },
        };
        (Pieces { n, forward, stored, one, team, paces: Default::default(), levels }, times)
    }

    /// Pieces of a few rows for a team, worth it or not.
    #[cfg(test)]
    pub fn for_test(shape: &Shape, pattern: Pattern, threads: u32) -> Pieces {
        let ((mut pieces, mut times), _) = Pieces::new(shape, pattern, 1, false);
        if threads > 1 {
            let Pieces { n, forward, stored, levels, .. } = &pieces;
            let (n, forward, rows_are_stored) = (*n, *forward, shape.rows_are_stored());
            let problem = Problem { n, forward, rows_are_stored, stored, levels };
            let grow = |lists: &Lists| Schedule::grow(n, threads, forward, 30, &|i| lists.of(i));
            pieces.team = Some(problem.share(&mut times, grow));
        }
        pieces
    }

    /// The levels, which nothing but statistics needs: they are counted when they are first asked for.
    pub fn levels(&self) -> Levels {
        let rows_are_stored = matches!(self.one, OneThread::Gather);
        *self.levels.get_or_init(|| self.stored.levels(self.forward, rows_are_stored))
    }

    /// Off-diagonal entries of the triangle.
    pub fn entries(&self) -> u32 {
        self.stored.entries
    }

    /// The smallest row (zero-based) without a diagonal entry, where the diagonal is the matrix's own.
    pub fn missing_diag(&self) -> Option<u32> {
        self.stored.missing_diag
    }

    /// Where the diagonal's value of unknown `i` lies, or [`NONE`](crate::analysis::NONE); where it is the matrix's own.
    pub fn diagonal(&self, i: u32) -> u32 {
        self.stored.diagonal(i)
    }

    /// Whether a row has more than one diagonal entry.
    pub fn has_extra_diag(&self) -> bool {
        !self.stored.extra_diag.is_empty()
    }

    /// Bytes of memory that the analysis takes, with its part of what the transposed problem's takes too.
    pub fn bytes(&self) -> usize {
        let team = |team: &Team| team.schedule.bytes() + team.rows.as_ref().map_or(0, |rows| rows.bytes());
        self.team.as_ref().map_or(0, team) + self.stored.bytes() / Arc::strong_count(&self.stored)
    }
}

impl Problem<'_> {
    /// A team, if that promises to be faster than one thread.
    fn team(&self, threads: u32, times: &mut Times) -> Option<Team> {
        let work = grow::cost(self.n, self.stored.entries);
        let is_worth = |time: u64| time * 100 <= work * HOST_PIECES_WORTH;
        // Each thread needs room for its count.
        let threads = threads.min(self.n / COUNT_STRIDE);
        if threads < 2 || !is_worth(HOST_PIECES_START) {
            return None;
        }
        // Nothing is faster than rows of all levels one after the other.
        let mut time = Duration::ZERO;
        let mut may_be_worth = || {
            let count = || self.stored.levels(self.forward, self.rows_are_stored);
            let levels = timed(&mut time, || self.levels.get_or_init(count).count);
            is_worth(grow::cost(levels, 0) + HOST_PIECES_START)
        };
        // Lists of rows take longer to make than levels to be counted.
        if !self.rows_are_stored && !may_be_worth() {
            times.lev += time;
            return None;
        }
        let team = self.share(times, |lists| {
            Schedule::best(self.n, threads, self.forward, |i| lists.of(i), &mut may_be_worth)
        });
        times.lev += time;
        // A scatter reads values as they lie; what several threads lose by gathering them, they share.
        let far = team.rows.as_ref().map_or(0, |rows| u64::from(rows.far_values()));
        let reading = far * HOST_FAR_VALUE / u64::from(threads);
        is_worth(team.schedule.predicted + reading + HOST_PIECES_START).then_some(team)
    }

    /// Makes a schedule, by lists of the rows, which are made where they are not stored.
    fn share(&self, times: &mut Times, grow: impl FnOnce(&Lists) -> Schedule) -> Team {
        let rows = timed(&mut times.trans, || {
            (!self.rows_are_stored).then(|| Box::new(self.stored.transposed(self.forward)))
        });
        let schedule = timed(&mut times.dep, || grow(rows.as_deref().unwrap_or(self.stored)));
        Team { schedule, rows }
    }
}
