//! What AUTO does on the host: rows in storage order, on one thread or shared out in pieces.
//!
//! One thread walks the matrix as it is stored. Where the rows of op(A) are stored it gathers, row by row; where they
//! are not it scatters, column by column: each solved unknown is subtracted from the unknowns that depend on it.
//!
//! Several threads take pieces of consecutive rows (see [`grow`]). A thread solves its pieces in order and publishes
//! how many are solved; a piece waits until the pieces of other threads that it depends on are. There are no barriers.
//! Each thread gathers: where the rows of op(A) are not stored, the analysis has made lists of them.
//!
//! An unknown's entries are subtracted in one order, whatever the number of threads, so that all of them give the same
//! bits: in storage order where rows are stored, else in the order in which the unknowns are solved.

mod grow;
mod lists;
mod solve;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::analysis::cpu::{timed, Times};
use crate::analysis::Pattern;
use crate::problem::Shape;
use crate::tuning::{HOST_PIECES_START, HOST_PIECES_WORTH, HOST_STREWN_PLACE};
use grow::Schedule;
use lists::Lists;
pub use solve::solve;

/// The analysis of one problem.
pub struct Pieces {
    n: u32,
    /// Whether unknowns are solved from the first to the last.
    forward: bool,
    /// The rows or columns of op(A), as they are stored; shared with the plan of the transposed operation.
    stored: Arc<Lists>,
    way: Way,
    levels: Levels,
}

/// How the unknowns are solved.
enum Way {
    /// By one thread: over stored rows, or over stored columns.
    Gather,
    Scatter {
        are_sorted: bool,
    },
    /// By several, with lists of the rows where they are not stored.
    Threads {
        schedule: Schedule,
        rows: Option<Box<Lists>>,
    },
}

/// What is to be shared out.
struct Problem<'a> {
    n: u32,
    forward: bool,
    rows_are_stored: bool,
    stored: &'a Lists,
}

/// What is told of the dependency graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    pub count: u32,
    pub widest: u32,
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
        let levels = timed(&mut times.lev, || stored.levels(forward, rows_are_stored));
        let problem = Problem { n, forward, rows_are_stored, stored: &stored };
        let way = Way::of_threads(&problem, threads, &mut times);
        let way = way.unwrap_or_else(|| match rows_are_stored {
            true => Way::Gather,
            false => Way::Scatter { are_sorted: stored.are_sorted() },
        });
        (Pieces { n, forward, stored, way, levels }, times)
    }

    /// Pieces of a few rows for a team, worth it or not.
    #[cfg(test)]
    pub fn for_test(shape: &Shape, pattern: Pattern, threads: u32) -> Pieces {
        let ((mut pieces, mut times), _) = Pieces::new(shape, pattern, 1, false);
        if threads > 1 {
            let Pieces { n, forward, stored, .. } = &pieces;
            let problem =
                Problem { n: *n, forward: *forward, rows_are_stored: shape.rows_are_stored(), stored };
            let (schedule, rows) = problem
                .share(&mut times, |lists| Schedule::grow(*n, threads, *forward, 30, &|i| lists.of(i)));
            pieces.way = Way::Threads { schedule, rows };
        }
        pieces
    }

    pub fn levels(&self) -> Levels {
        self.levels
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

    /// Bytes of memory that the analysis takes; with what the transposed problem's takes too, or without.
    pub fn bytes(&self, with_shared: bool) -> usize {
        let own = match &self.way {
            Way::Gather | Way::Scatter { .. } => 0,
            Way::Threads { schedule, rows } => {
                schedule.bytes() + rows.as_ref().map_or(0, |rows| rows.bytes())
            }
        };
        own + if with_shared { self.stored.bytes() } else { 0 }
    }
}

impl Way {
    /// By several threads, if that promises to be faster than by one.
    fn of_threads(problem: &Problem, threads: u32, times: &mut Times) -> Option<Way> {
        let work = grow::cost(problem.n, problem.stored.entries);
        let is_worth = |time: u64| time * 100 <= work * HOST_PIECES_WORTH;
        // Each thread needs room for its count.
        let threads = threads.min(problem.n / solve::COUNT_STRIDE);
        if threads < 2 || !is_worth(HOST_PIECES_START) {
            return None;
        }
        let (schedule, rows) = problem
            .share(times, |lists| Schedule::best(problem.n, threads, problem.forward, |i| lists.of(i)));
        // A scatter reads values as they lie; what several threads lose by gathering them, they share.
        let strewn = rows.as_ref().map_or(0, |rows| u64::from(rows.strewn_places()));
        let looking = strewn * HOST_STREWN_PLACE / u64::from(threads);
        is_worth(schedule.predicted + looking + HOST_PIECES_START).then_some(Way::Threads { schedule, rows })
    }
}

impl Problem<'_> {
    /// Makes a schedule, by lists of the rows, which are made where they are not stored.
    fn share(
        &self,
        times: &mut Times,
        grow: impl FnOnce(&Lists) -> Schedule,
    ) -> (Schedule, Option<Box<Lists>>) {
        let rows = timed(&mut times.trans, || {
            (!self.rows_are_stored).then(|| Box::new(self.stored.transposed(self.forward)))
        });
        let schedule = timed(&mut times.dep, || grow(rows.as_deref().unwrap_or(self.stored)));
        (schedule, rows)
    }
}
