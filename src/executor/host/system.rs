//! One row or one column of a triangular system: the only code of this executor that touches values.

use std::array::from_fn;
use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use super::job::Job;
use crate::analysis::{Lists, Schedule, Values, NONE};
use crate::scalar::Scalar;

impl Lists {
    /// The neighbours of position `p`.
    pub(super) fn of(&self, p: u32) -> &[u32] {
        &self.adj[self.ptr[p as usize] as usize..self.ptr[p as usize + 1] as usize]
    }
}

impl<T: Scalar> Job<T> {
    #[inline(always)]
    fn conj(&self, value: T) -> T {
        if self.conj {
            value.conj()
        } else {
            value
        }
    }

    /// Value number `index` of the matrix.
    #[inline(always)]
    pub(super) fn value(&self, index: usize) -> T {
        // SAFETY: the analysis names only values that the caller's array has.
        self.conj(unsafe { self.val.add(index).read() })
    }

    /// `alpha f` of an unknown.
    #[inline(always)]
    pub(super) fn right_hand_sides<const K: usize>(&self, unknown: u32) -> [T; K] {
        from_fn(|j| {
            // SAFETY: an unknown is below n; where f is x, only the unknown's own solution overwrites it.
            self.alpha.mul(unsafe { self.f.add(self.of_f.to(unknown, j)).read() })
        })
    }

    /// Divides by the diagonal, and notes a zero pivot. `own` gives where the values of the matrix's own diagonal are:
    /// the first, or [`NONE`], and the last numbers of further ones.
    #[inline(always)]
    pub(super) fn divide<'l, const K: usize>(
        &self,
        unknown: u32,
        sums: [T; K],
        own: impl FnOnce() -> (u32, &'l [[u32; 2]]),
        zero: &mut u32,
    ) -> [T; K] {
        if self.unit {
            return sums;
        }
        let pivot = if self.diag.is_null() {
            let (first, more) = own();
            let first = if first == NONE { T::ZERO } else { self.value(first as usize) };
            more.iter().fold(first, |sum, &[_, index]| sum.add(self.value(index as usize)))
        } else {
            // SAFETY: a separate diagonal has n values.
            self.conj(unsafe { self.diag.add(unknown as usize).read() })
        };
        if pivot.is_zero() {
            *zero = unknown.min(*zero);
        }
        sums.map(|sum| sum.div(pivot))
    }

    /// Stores the solutions of an unknown.
    #[inline(always)]
    pub(super) fn store<const K: usize>(&self, unknown: u32, solutions: [T; K]) {
        for (j, solution) in solutions.into_iter().enumerate() {
            // SAFETY: an unknown is below n, and one thread alone solves it.
            unsafe { self.x.add(self.of_x.to(unknown, j)).write(solution) };
        }
    }
}

/// The second and further diagonal entries of `at`, in a list by rising `at`.
#[inline(always)]
pub(super) fn extra_of(extra_diag: &[[u32; 2]], at: u32) -> &[[u32; 2]] {
    if extra_diag.is_empty() {
        return &[];
    }
    let begin = extra_diag.partition_point(|&[other, _]| other < at);
    let end = extra_diag.partition_point(|&[other, _]| other <= at);
    &extra_diag[begin..end]
}

/// A job with its pointers vouched for, and its schedule, shared by the threads of one solve.
///
/// Each position is solved by one thread, for all `K` right-hand sides at once: what is read of the matrix serves
/// them all, and each gets the bits that it would have alone. `work` holds `K` values by position: solved
/// unknowns in the row-wise methods (so that a row reads them without going through the order), and in the
/// column-wise ones the sums of what the columns solved so far take away from the right-hand side.
pub(super) struct System<'a, T, const K: usize>(&'a Schedule, &'a Job<T>);

// SAFETY: the pointers are used as `System::new` was promised; elements that two threads touch are atomic,
// or the reader has waited for the writer.
unsafe impl<T: Scalar, const K: usize> Sync for System<'_, T, K> {}

impl<'a, T: Scalar, const K: usize> System<'a, T, K> {
    /// # Safety
    /// As for [`super::solve`]. The methods below are then sound as long as one thread at a time has a
    /// position (or clears it), and no position is solved before its dependencies, with a barrier or a
    /// counter between where they are another thread's.
    pub unsafe fn new(schedule: &'a Schedule, job: &'a Job<T>) -> Self {
        System(schedule, job)
    }

    /// Walks the entries of position `p` in the direction of the solve: each neighbour with the value on the way to it.
    #[inline(always)]
    fn walk(&self, lists: &Lists, p: u32, mut visit: impl FnMut(u32, T)) {
        let begin = lists.ptr[p as usize] as usize;
        let neighbours = lists.of(p);
        let length = neighbours.len();
        let entries = (0..length).map(|k| if self.1.forward { k } else { length - 1 - k });
        match lists.values.as_ref().expect("the schedule has no values") {
            Values::Contiguous(first) => {
                let first = first[p as usize] as usize;
                entries.for_each(|k| visit(neighbours[k], self.1.value(first + k)));
            }
            Values::Permuted(index) => {
                let index = &index[begin..begin + length];
                entries.for_each(|k| visit(neighbours[k], self.1.value(index[k] as usize)));
            }
        }
    }

    /// Divides by the diagonal, stores the solution, and notes a zero pivot.
    #[inline(always)]
    fn finish(&self, p: u32, unknown: u32, sums: [T; K], zero: &mut u32) -> [T; K] {
        let Schedule { diag, extra_diag, .. } = self.0;
        let solutions = self.1.divide(unknown, sums, || (diag[p as usize], extra_of(extra_diag, p)), zero);
        self.1.store(unknown, solutions);
        solutions
    }

    /// Solves the row at position `p`.
    #[inline(always)]
    pub fn row(&self, rows: &Lists, p: u32, zero: &mut u32) {
        let unknown = self.0.order[p as usize];
        let mut sums = self.1.right_hand_sides(unknown);
        self.walk(rows, p, |q, value| {
            // SAFETY: q is below n, and its thread wrote it before this position was taken.
            let solved = unsafe { self.1.work.cast::<[T; K]>().add(q as usize).read() };
            for (sum, solved) in sums.iter_mut().zip(solved) {
                *sum = sum.mul_sub(value, solved);
            }
        });
        let solutions = self.finish(p, unknown, sums, zero);
        // SAFETY: p is below n, and this thread alone has it.
        unsafe { self.1.work.cast::<[T; K]>().add(p as usize).write(solutions) };
    }

    /// Solves the unknown at position `p` and takes its column away from the others, calling `after` with
    /// each position that it has taken from.
    #[inline(always)]
    pub fn column(&self, columns: &Lists, p: u32, zero: &mut u32, mut after: impl FnMut(u32)) {
        let unknown = self.0.order[p as usize];
        let mut sums = self.1.right_hand_sides(unknown);
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum = sum.sub(T::atomic_load(self.sum(p, j)));
        }
        let solutions = self.finish(p, unknown, sums, zero);
        self.walk(columns, p, |q, value| {
            for (j, &solution) in solutions.iter().enumerate() {
                T::atomic_add(self.sum(q, j), value.mul(solution));
            }
            after(q);
        });
    }

    /// The shared sum of position `p` for right-hand side `j`.
    #[inline(always)]
    fn sum(&self, p: u32, j: usize) -> &T::Atomic {
        const { assert!(size_of::<T>() == size_of::<T::Atomic>() && align_of::<T>() == align_of::<T::Atomic>()) };
        // SAFETY: p is below n; `T::Atomic` has the layout of `T`; since the clearing, `work` is reached
        // through here alone.
        unsafe { &*self.1.work.add(p as usize * K + j).cast::<T::Atomic>() }
    }

    /// Sets sums to zero.
    pub fn clear_sums(&self, positions: Range<u32>) {
        for p in positions {
            // SAFETY: p is below n, and shares do not overlap.
            unsafe { self.1.work.cast::<[T; K]>().add(p as usize).write([T::ZERO; K]) };
        }
    }

    /// Sets counters to the numbers of dependencies.
    pub fn set_counters(&self, positions: Range<u32>) {
        let positions = positions.start as usize..positions.end as usize;
        // SAFETY: positions are below n, and shares do not overlap.
        let mine =
            unsafe { slice::from_raw_parts_mut(self.1.counters.add(positions.start), positions.len()) };
        mine.copy_from_slice(&self.0.counts[positions]);
    }

    /// How many dependencies of position `p` are unsolved.
    #[inline(always)]
    pub fn counter(&self, p: u32) -> &AtomicU32 {
        // SAFETY: p is below n; since the setting, `counters` is reached through here alone.
        unsafe { AtomicU32::from_ptr(self.1.counters.add(p as usize)) }
    }

    /// Tells position `p` that one dependency is solved and everything written for it.
    #[inline(always)]
    pub fn count_down(&self, p: u32) {
        self.counter(p).fetch_sub(1, Ordering::Release);
    }
}
