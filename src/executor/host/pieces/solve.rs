//! Solves by gathering rows, on one thread or several, and by scattering columns.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::grow::Schedule;
use super::lists::{Lists, Spans};
use super::pace::By;
use super::{OneThread, Pieces, Team};
use crate::executor::host::job::COUNT_STRIDE;
use crate::executor::host::system::extra_of;
use crate::executor::host::{Finished, GivenUp, Job, Member, Pool, MOST_COLUMNS};
use crate::problem::Steps;
use crate::scalar::Scalar;

/// Solves, and returns the smallest row (zero-based) whose diagonal is zero or missing; or leaves x unfinished, where the
/// watchdog ended a wait. Allocates nothing.
///
/// # Safety
/// The job's pointers are aligned and valid for what [`Job`] says: `val` and a separate `diag` for the matrix that was
/// analysed, the others for n elements (of each column). Nobody else uses `x`, `work` and `counters` meanwhile.
pub unsafe fn solve<T: Scalar>(
    pool: &Pool,
    pieces: &mut Pieces,
    job: &Job<T>,
) -> Result<Option<u32>, GivenUp> {
    if pieces.team.is_none() {
        // SAFETY: the caller's promise.
        return unsafe { solve_by(pool, pieces, job, By::One) };
    }
    let pace = job.columns.ilog2() as usize;
    let by = pieces.paces[pace].next();
    let begin = Instant::now();
    // SAFETY: the caller's promise.
    let solved = unsafe { solve_by(pool, pieces, job, by) }?;
    pieces.paces[pace].took(by, begin.elapsed().as_secs_f64());
    Ok(solved)
}

/// The same by the team, where the analysis has found work for one, or by one thread.
///
/// # Safety
/// As for [`solve`].
pub unsafe fn solve_by<T: Scalar>(
    pool: &Pool,
    pieces: &Pieces,
    job: &Job<T>,
    by: By,
) -> Result<Option<u32>, GivenUp> {
    // SAFETY: the caller's promise.
    unsafe {
        match job.columns {
            1 => solve_columns::<T, 1>(pool, pieces, job, by),
            2 => solve_columns::<T, 2>(pool, pieces, job, by),
            4 => solve_columns::<T, 4>(pool, pieces, job, by),
            MOST_COLUMNS => solve_columns::<T, MOST_COLUMNS>(pool, pieces, job, by),
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
    by: By,
) -> Result<Option<u32>, GivenUp> {
    let worst = AtomicU32::new(u32::MAX);
    let (n, stored) = (pieces.n, &pieces.stored);
    // SAFETY: the caller's promise.
    let system = |lists| unsafe { System::<T, K>::new(job, stored, lists) };
    let note = |zero: u32| {
        worst.fetch_min(zero, Ordering::Relaxed);
    };
    // A child of the process has no team.
    let team = pieces.team.as_ref().filter(|team| by == By::Team && team.schedule.threads() <= pool.team());
    match (team, &pieces.one) {
        (Some(Team { schedule, rows }), _) => {
            let system = system(rows.as_deref().unwrap_or(stored));
            pool.run(job.timeout, |me| share(me, schedule, &system).map(note))?;
        }
        (None, OneThread::Gather) => note(system(stored).rows(0..n)),
        (None, OneThread::Scatter { are_sorted }) => note(system(stored).columns(n, *are_sorted)),
    }
    let worst = worst.into_inner();
    Ok((worst != u32::MAX).then_some(worst))
}

/// Solves this member's pieces, each when the pieces that it needs are solved.
fn share<T: Scalar, const K: usize>(
    me: &Member,
    schedule: &Schedule,
    system: &System<T, K>,
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
            zero = zero.min(system.rows(piece.begin..piece.end));
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
    fn rows(&self, positions: Range<u32>) -> u32 {
        match (self.is_plain, Layout::of(self.stored, self.lists)) {
            (true, Layout::Tight) => self.rows_of::<true, TIGHT>(positions),
            (true, Layout::Loose) => self.rows_of::<true, LOOSE>(positions),
            (true, Layout::Placed) => self.rows_of::<true, PLACED>(positions),
            (false, Layout::Tight) => self.rows_of::<false, TIGHT>(positions),
            (false, Layout::Loose) => self.rows_of::<false, LOOSE>(positions),
            (false, Layout::Placed) => self.rows_of::<false, PLACED>(positions),
        }
    }

    fn rows_of<const PLAIN: bool, const LAYOUT: u8>(&self, positions: Range<u32>) -> u32 {
        // Copies, which the compiler knows to stay the same while x is written.
        let (job, walker, unknowns) = (*self.job, Walker::new(self.lists), self.unknowns::<PLAIN>());
        let diagonal = Walker::new(self.stored);
        // The entry of the unknown that is solved last comes last, so that a row waits for nothing but that.
        let reversed = !job.forward && std::ptr::eq(self.stored, self.lists);
        let mut zero = u32::MAX;
        // The unknown before this one, in registers: what was just written to memory takes longer to be read.
        let mut before = (u32::MAX, [T::ZERO; K]);
        self.each(positions, |i| {
            let mut sums = right_hand_sides::<T, K, PLAIN>(&job, i);
            let mut subtract = |e, is_last| {
                let (j, place) = walker.entry::<LAYOUT>(e);
                let solved = if is_last && j == before.0 { before.1 } else { unknowns.get(j) };
                let value = job.value(place);
                for (sum, solved) in sums.iter_mut().zip(solved) {
                    *sum = sum.mul_sub(value, solved);
                }
            };
            let mut entries = walker.entries::<LAYOUT>(i, reversed);
            while entries.count > 1 {
                subtract(entries.next(), false);
            }
            if entries.count > 0 {
                subtract(entries.next(), true);
            }
            let solutions = diagonal.divide::<T, K, PLAIN, LAYOUT>(&job, i, sums, &mut zero);
            unknowns.put(i, solutions);
            before = (i, solutions);
            if !unknowns.in_x {
                job.store(i, solutions);
            }
        });
        zero
    }

    /// Solves all unknowns by columns; returns the smallest with a zero pivot.
    fn columns(&self, n: u32, are_sorted: bool) -> u32 {
        // Row by row f is read before x is written, so they may be one.
        (0..n).for_each(|i| self.unknowns.put(i, self.job.right_hand_sides(i)));
        match (self.is_plain, Layout::of(self.stored, self.lists)) {
            (true, Layout::Tight) => self.columns_of::<true, TIGHT>(n, are_sorted),
            (true, Layout::Loose) => self.columns_of::<true, LOOSE>(n, are_sorted),
            (true, Layout::Placed) => self.columns_of::<true, PLACED>(n, are_sorted),
            (false, Layout::Tight) => self.columns_of::<false, TIGHT>(n, are_sorted),
            (false, Layout::Loose) => self.columns_of::<false, LOOSE>(n, are_sorted),
            (false, Layout::Placed) => self.columns_of::<false, PLACED>(n, are_sorted),
        }
    }

    fn columns_of<const PLAIN: bool, const LAYOUT: u8>(&self, n: u32, are_sorted: bool) -> u32 {
        let (job, walker, unknowns) = (*self.job, Walker::new(self.lists), self.unknowns::<PLAIN>());
        let diagonal = Walker::new(self.stored);
        let mut zero = u32::MAX;
        // What is left of the next right-hand side, in registers, if this one's column has it. Sorted columns have it first, once.
        let next = |i: u32| if job.forward { i + 1 } else { i.wrapping_sub(1) };
        let mut left: Option<[T; K]> = None;
        self.each(0..n, |i| {
            let sums = left.take().unwrap_or_else(|| unknowns.get(i));
            let solutions = diagonal.divide::<T, K, PLAIN, LAYOUT>(&job, i, sums, &mut zero);
            job.store(i, solutions);
            let without = |e| {
                let (j, place) = walker.entry::<LAYOUT>(e);
                let (value, mut sums) = (job.value(place), unknowns.get(j));
                for (sum, &solved) in sums.iter_mut().zip(&solutions) {
                    *sum = sum.mul_sub(value, solved);
                }
                (j, sums)
            };
            let mut entries = walker.entries::<LAYOUT>(i, !job.forward);
            if are_sorted && entries.count > 0 && walker.entry::<LAYOUT>(entries.at).0 == next(i) {
                left = Some(without(entries.next()).1);
            }
            while entries.count > 0 {
                let (j, sums) = without(entries.next());
                unknowns.put(j, sums);
            }
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
    fn each(&self, positions: Range<u32>, mut visit: impl FnMut(u32)) {
        let last = self.stored.spans.len() as u32 - 1;
        let (mut i, step) = if self.job.forward {
            (positions.start, 1)
        } else {
            (last.wrapping_sub(positions.start), u32::MAX)
        };
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

/// The numbers of the entries of an unknown.
struct Entries {
    at: usize,
    step: usize,
    count: u32,
}

impl Entries {
    /// The next one, which there must be for the number to be one of them.
    #[inline(always)]
    fn next(&mut self) -> usize {
        // SAFETY: does nothing, but keeps the compiler from unrolling: rows are short, and the passes of two loops for
        // each are foreseen worse than those of one.
        unsafe { std::arch::asm!("", options(nomem, nostack, preserves_flags)) };
        let e = self.at;
        (self.at, self.count) = (e.wrapping_add(self.step), self.count - 1);
        e
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

    /// The entries of unknown `i`, or these from the last to the first.
    #[inline(always)]
    fn entries<const LAYOUT: u8>(self, i: u32, reversed: bool) -> Entries {
        // SAFETY: i is below n, for which there are as many numbers.
        let (mut first, mut end) =
            unsafe { (*self.first.get_unchecked(i as usize), *self.end.get_unchecked(i as usize)) };
        if LAYOUT == TIGHT {
            (first, end) = (first + self.front, end - self.back);
        }
        let (at, step) =
            if reversed { ((end as usize).wrapping_sub(1), usize::MAX) } else { (first as usize, 1) };
        Entries { at, step, count: end - first }
    }

    /// The other unknown of an entry of some unknown, and the place of the value.
    #[inline(always)]
    fn entry<const LAYOUT: u8>(self, e: usize) -> (u32, usize) {
        // SAFETY: numbers of entries are below the length of the lists.
        unsafe {
            let place = if LAYOUT == PLACED { *self.place.get_unchecked(e) as usize } else { e };
            (*self.other.get_unchecked(e), place)
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
