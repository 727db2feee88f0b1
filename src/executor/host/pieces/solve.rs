//! Solves by gathering rows, on one thread or several, and by scattering columns.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::grow::Schedule;
use super::lists::{Lists, Spans};
use super::{Pieces, Way};
use crate::executor::host::system::extra_of;
use crate::executor::host::{Finished, GivenUp, Job, Member, Pool, MOST_COLUMNS};
use crate::problem::Steps;
use crate::scalar::Scalar;

/// Words from one thread's count of solved pieces to the next: each is in a line of the cache of its own.
pub const COUNT_STRIDE: u32 = 32;

/// Rows after which a thread that works alone says that it makes progress.
const PROGRESS: u32 = 4096;

/// Solves, and returns the smallest row (zero-based) whose diagonal is zero or missing; or leaves x unfinished, where the
/// watchdog ended a wait. Allocates nothing.
///
/// # Safety
/// The job's pointers are aligned and valid for what [`Job`] says: `val` and a separate `diag` for the matrix that was
/// analysed, the others for n elements (of each column). Nobody else uses `x`, `work` and `counters` meanwhile.
pub unsafe fn solve<T: Scalar>(pool: &Pool, pieces: &Pieces, job: &Job<T>) -> Result<Option<u32>, GivenUp> {
    // SAFETY: the caller's promise.
    unsafe {
        match job.columns {
            1 => solve_columns::<T, 1>(pool, pieces, job),
            2 => solve_columns::<T, 2>(pool, pieces, job),
            4 => solve_columns::<T, 4>(pool, pieces, job),
            MOST_COLUMNS => solve_columns::<T, MOST_COLUMNS>(pool, pieces, job),
            other => unreachable!("{other} columns at once"),
        }
    }
}

/// # Safety
/// As for [`solve`].
unsafe fn solve_columns<T: Scalar, const K: usize>(
    pool: &Pool,
    pieces: &Pieces,
    job: &Job<T>,
) -> Result<Option<u32>, GivenUp> {
    let worst = AtomicU32::new(u32::MAX);
    let (n, forward) = (pieces.n, pieces.forward);
    // SAFETY: the caller's promise.
    let system = |lists| unsafe { System::<T, K>::new(job, &pieces.stored, lists) };
    let note = |zero: u32| worst.fetch_min(zero, Ordering::Relaxed);
    match &pieces.way {
        Way::Gather => note(system(&pieces.stored).rows(0..n, forward)),
        Way::Scatter => note(system(&pieces.stored).columns(n, forward)),
        Way::Threads { schedule, rows } => {
            let system = system(rows.as_deref().unwrap_or(&pieces.stored));
            pool.run(job.timeout, |me| {
                if me.team >= schedule.threads() {
                    return share(me, schedule, &system, forward).map(|zero| {
                        note(zero);
                    });
                }
                // A child of the process, which works alone.
                for begin in (0..n).step_by(PROGRESS as usize).filter(|_| me.rank == 0) {
                    note(system.rows(begin..n.min(begin + PROGRESS), forward));
                    me.progress();
                }
                Ok(())
            })?;
            0
        }
    };
    let worst = worst.into_inner();
    Ok((worst != u32::MAX).then_some(worst))
}

/// Solves this member's pieces, each when the pieces that it needs are solved.
fn share<T: Scalar, const K: usize>(
    me: &Member,
    schedule: &Schedule,
    system: &System<T, K>,
    forward: bool,
) -> Result<u32, GivenUp> {
    let takes_part = me.rank < schedule.threads();
    if takes_part {
        system.solved_pieces(me.rank).store(0, Ordering::Relaxed);
    }
    me.barrier()?;
    let mut zero = u32::MAX;
    if takes_part {
        let own = system.solved_pieces(me.rank);
        for (number, (piece, waits)) in (1..).zip(schedule.of(me.rank)) {
            waits.iter().try_for_each(|wait| -> Finished {
                let count = system.solved_pieces(wait.thread);
                // Ends: each thread solves its pieces in the order of the rows, so the first piece that is not solved
                // waits for nothing; or by the watchdog.
                me.wait_until(|| count.load(Ordering::Acquire) >= wait.pieces)
            })?;
            zero = zero.min(system.rows(piece.begin..piece.end, forward));
            own.store(number, Ordering::Release);
            me.progress();
        }
    }
    Ok(zero)
}

/// A job with its pointers vouched for, shared by the threads of one solve.
struct System<'a, T, const K: usize> {
    job: &'a Job<T>,
    /// Whose diagonal it is.
    stored: &'a Lists,
    lists: &'a Lists,
    unknowns: Unknowns<T, K>,
    /// Whether each row has one diagonal entry of the matrix, and values lie beside each other in f and x.
    is_plain: bool,
}

/// Solved unknowns, and what is left of right-hand sides while columns are scattered: `K` consecutive values of unknown `i`
/// from `i * stride` on. They are in x, where its values of a row are consecutive; else in the scratch memory.
#[derive(Clone, Copy)]
struct Unknowns<T, const K: usize> {
    values: *mut T,
    stride: usize,
    in_x: bool,
}

// SAFETY: the pointers are used as `System::new` was promised. An unknown is written by one thread, and read by others
// when that thread has published the piece.
unsafe impl<T: Scalar, const K: usize> Sync for System<'_, T, K> {}

impl<T: Scalar, const K: usize> Unknowns<T, K> {
    fn new(job: &Job<T>) -> Self {
        let in_x = K == 1 || job.of_x.column == 1;
        let (values, stride) = if in_x { (job.x, job.of_x.row) } else { (job.work, K) };
        Unknowns { values, stride, in_x }
    }

    #[inline(always)]
    fn get(self, i: u32) -> [T; K] {
        // SAFETY: i is below n, and was written by this thread or by one that has published it.
        unsafe { self.values.add(i as usize * self.stride).cast::<[T; K]>().read() }
    }

    #[inline(always)]
    fn put(self, i: u32, values: [T; K]) {
        // SAFETY: i is below n, and this thread alone solves it.
        unsafe { self.values.add(i as usize * self.stride).cast::<[T; K]>().write(values) }
    }
}

impl<'a, T: Scalar, const K: usize> System<'a, T, K> {
    /// # Safety
    /// As for [`solve`]; the lists are those of the matrix. The methods below are then sound as long as one thread solves
    /// an unknown, and not before its dependencies are solved and published.
    unsafe fn new(job: &'a Job<T>, stored: &'a Lists, lists: &'a Lists) -> Self {
        let has_own_diagonal = job.diag.is_null() && !job.unit;
        let is_close = K == 1 && job.of_x.row == 1 && job.of_f.row == 1;
        let is_single = stored.missing_diag.is_none() && stored.extra_diag.is_empty();
        let is_plain = is_close && has_own_diagonal && is_single;
        System { job, stored, lists, unknowns: Unknowns::new(job), is_plain }
    }

    /// Solves the rows at these positions, whose dependencies are solved; returns the smallest with a zero pivot.
    fn rows(&self, positions: Range<u32>, forward: bool) -> u32 {
        match (self.is_plain, Layout::of(self.stored, self.lists)) {
            (true, Layout::Tight) => self.rows_of::<true, TIGHT>(positions, forward),
            (true, Layout::Loose) => self.rows_of::<true, LOOSE>(positions, forward),
            (true, Layout::Placed) => self.rows_of::<true, PLACED>(positions, forward),
            (false, Layout::Tight) => self.rows_of::<false, TIGHT>(positions, forward),
            (false, Layout::Loose) => self.rows_of::<false, LOOSE>(positions, forward),
            (false, Layout::Placed) => self.rows_of::<false, PLACED>(positions, forward),
        }
    }

    fn rows_of<const PLAIN: bool, const LAYOUT: u8>(&self, positions: Range<u32>, forward: bool) -> u32 {
        // Copies, which the compiler knows to stay the same while x is written.
        let (job, walker, unknowns) = (*self.job, Walker::new(self.lists), self.unknowns::<PLAIN>());
        let diagonal = Walker::new(self.stored);
        let mut zero = u32::MAX;
        self.each(positions, forward, |i| {
            let mut sums = right_hand_sides::<T, K, PLAIN>(&job, i);
            walker.walk::<LAYOUT>(i, |j, place| {
                let value = job.value(place);
                for (sum, solved) in sums.iter_mut().zip(unknowns.get(j)) {
                    *sum = sum.mul_sub(value, solved);
                }
            });
            let solutions = diagonal.divide::<T, K, PLAIN, LAYOUT>(&job, i, sums, &mut zero);
            unknowns.put(i, solutions);
            if !unknowns.in_x {
                job.store(i, solutions);
            }
        });
        zero
    }

    /// Solves all unknowns by columns; returns the smallest with a zero pivot.
    fn columns(&self, n: u32, forward: bool) -> u32 {
        // Row by row f is read before x is written, so they may be one.
        (0..n).for_each(|i| self.unknowns.put(i, self.job.right_hand_sides(i)));
        match (self.is_plain, Layout::of(self.stored, self.lists)) {
            (true, Layout::Tight) => self.columns_of::<true, TIGHT>(n, forward),
            (true, Layout::Loose) => self.columns_of::<true, LOOSE>(n, forward),
            (true, Layout::Placed) => self.columns_of::<true, PLACED>(n, forward),
            (false, Layout::Tight) => self.columns_of::<false, TIGHT>(n, forward),
            (false, Layout::Loose) => self.columns_of::<false, LOOSE>(n, forward),
            (false, Layout::Placed) => self.columns_of::<false, PLACED>(n, forward),
        }
    }

    fn columns_of<const PLAIN: bool, const LAYOUT: u8>(&self, n: u32, forward: bool) -> u32 {
        let (job, walker, unknowns) = (*self.job, Walker::new(self.lists), self.unknowns::<PLAIN>());
        let diagonal = Walker::new(self.stored);
        let mut zero = u32::MAX;
        self.each(0..n, forward, |i| {
            let solutions = diagonal.divide::<T, K, PLAIN, LAYOUT>(&job, i, unknowns.get(i), &mut zero);
            job.store(i, solutions);
            walker.walk::<LAYOUT>(i, |j, place| {
                let value = job.value(place);
                let mut sums = unknowns.get(j);
                for (sum, &solved) in sums.iter_mut().zip(&solutions) {
                    *sum = sum.mul_sub(value, solved);
                }
                unknowns.put(j, sums);
            });
        });
        zero
    }

    #[inline(always)]
    fn unknowns<const PLAIN: bool>(&self) -> Unknowns<T, K> {
        match PLAIN {
            true => Unknowns { stride: 1, in_x: true, ..self.unknowns },
            false => self.unknowns,
        }
    }

    /// The unknowns at these positions, in order.
    #[inline(always)]
    fn each(&self, positions: Range<u32>, forward: bool, mut visit: impl FnMut(u32)) {
        let last = self.stored.spans.len() as u32 - 1;
        let (mut i, step) =
            if forward { (positions.start, 1) } else { (last.wrapping_sub(positions.start), u32::MAX) };
        for _ in positions {
            visit(i);
            i = i.wrapping_add(step);
        }
    }

    /// How many pieces a thread has solved.
    fn solved_pieces(&self, thread: u32) -> &AtomicU32 {
        // SAFETY: the analysis shares work among no more threads than n words have room for; `counters` is reached
        // through here alone.
        unsafe { AtomicU32::from_ptr(self.job.counters.add((thread * COUNT_STRIDE) as usize)) }
    }
}

#[inline(always)]
fn right_hand_sides<T: Scalar, const K: usize, const PLAIN: bool>(job: &Job<T>, i: u32) -> [T; K] {
    match PLAIN {
        true => Job { of_f: Steps { row: 1, column: 1 }, ..*job }.right_hand_sides(i),
        false => job.right_hand_sides(i),
    }
}

/// What a solve has to read to find the entries of a row and its diagonal; the kernels are made for each.
enum Layout {
    /// The spans of the stored lists, which are tight, or loose.
    Tight,
    Loose,
    /// The place of each value too; and the diagonal by the stored lists.
    Placed,
}

const TIGHT: u8 = Layout::Tight as u8;
const LOOSE: u8 = Layout::Loose as u8;
const PLACED: u8 = Layout::Placed as u8;

impl Layout {
    fn of(stored: &Lists, lists: &Lists) -> Layout {
        match &lists.spans {
            _ if !std::ptr::eq(stored, lists) || !lists.place.is_empty() => Layout::Placed,
            Spans::Tight { .. } => Layout::Tight,
            Spans::Loose { .. } => Layout::Loose,
        }
    }
}

/// Goes along lists.
#[derive(Clone, Copy)]
struct Walker<'a> {
    lists: &'a Lists,
    first: &'a [u32],
    end: &'a [u32],
    front: u32,
    back: u32,
    other: &'a [u32],
    place: &'a [u32],
    diag: &'a [u32],
}

impl<'a> Walker<'a> {
    fn new(lists: &'a Lists) -> Self {
        let (first, end, front, back) = match &lists.spans {
            Spans::Tight { ptr, front, back } => (&ptr[..], &ptr[1..], *front, *back),
            Spans::Loose { first, end } => (&first[..], &end[..], 0, 0),
        };
        let Lists { other, place, diag, .. } = lists;
        Walker { lists, first, end, front, back, other, place, diag }
    }

    /// The entries of unknown `i`: the other unknown, and the place of the value.
    #[inline(always)]
    fn walk<const LAYOUT: u8>(self, i: u32, mut visit: impl FnMut(u32, usize)) {
        // SAFETY: i is below n, for which there are as many numbers.
        let (mut first, mut end) =
            unsafe { (*self.first.get_unchecked(i as usize), *self.end.get_unchecked(i as usize)) };
        if LAYOUT == TIGHT {
            (first, end) = (first + self.front, end - self.back);
        }
        for e in first as usize..end as usize {
            // SAFETY: does nothing, but keeps the compiler from unrolling: rows are short, and the turns of two loops for
            // each are foreseen worse than those of one.
            unsafe { std::arch::asm!("", options(nomem, nostack, preserves_flags)) };
            // SAFETY: numbers of entries are below the length of the lists.
            unsafe {
                let place = if LAYOUT == PLACED { *self.place.get_unchecked(e) as usize } else { e };
                visit(*self.other.get_unchecked(e), place);
            }
        }
    }

    /// Divides by the diagonal, and notes a zero pivot.
    #[inline(always)]
    fn divide<T: Scalar, const K: usize, const PLAIN: bool, const LAYOUT: u8>(
        self,
        job: &Job<T>,
        i: u32,
        sums: [T; K],
        zero: &mut u32,
    ) -> [T; K] {
        if !PLAIN {
            let own = || (self.lists.diagonal(i), extra_of(&self.lists.extra_diag, i));
            return job.divide(i, sums, own, zero);
        }
        // SAFETY: i is below n, and the matrix has a diagonal entry in each row.
        let place = unsafe {
            match (LAYOUT, self.front) {
                (TIGHT, 0) => *self.end.get_unchecked(i as usize) - 1,
                (TIGHT, _) => *self.first.get_unchecked(i as usize),
                (LOOSE, _) => *self.diag.get_unchecked(i as usize),
                _ => self.lists.diagonal(i),
            }
        };
        let pivot = job.value(place as usize);
        if pivot.is_zero() {
            note_zero(i, zero);
        }
        sums.map(|sum| sum.div(pivot))
    }
}

/// Apart, so that a pivot that is not zero costs a branch only.
#[cold]
#[inline(never)]
fn note_zero(i: u32, zero: &mut u32) {
    *zero = i.min(*zero);
}
