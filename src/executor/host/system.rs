//! One row or one column of a triangular system: the only code of this executor that touches values.

use std::array::from_fn;
use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Job;
use crate::analysis::{Lists, Values, NONE};
use crate::scalar::Scalar;

impl Lists {
    /// The neighbours of position `p`.
    pub(super) fn of(&self, p: u32) -> &[u32] {
        &self.adj[self.ptr[p as usize] as usize..self.ptr[p as usize + 1] as usize]
    }
}

/// A job with its pointers vouched for, shared by the threads of one solve.
///
/// Each position is solved by one thread, for all `K` right-hand sides at once: what is read of the matrix serves
/// them all, and each gets the bits that it would have alone. `work` holds `K` values by position: solved
/// unknowns in the row-wise methods (so that a row reads them without going through the order), and in the
/// column-wise ones the sums of what the columns solved so far take away from the right-hand side.
pub(super) struct System<'a, T, const K: usize>(&'a Job<'a, T>);

// SAFETY: the pointers are used as `System::new` was promised; elements that two threads touch are atomic,
// or the reader has waited for the writer.
unsafe impl<T: Scalar, const K: usize> Sync for System<'_, T, K> {}

impl<'a, T: Scalar, const K: usize> System<'a, T, K> {
    /// # Safety
    /// As for [`super::solve`]. The methods below are then sound as long as one thread at a time has a
    /// position (or clears it), and no position is solved before its dependencies, with a barrier or a
    /// counter between where they are another thread's.
    pub unsafe fn new(job: &'a Job<'a, T>) -> Self {
        System(job)
    }

    #[inline(always)]
    fn conj(&self, value: T) -> T {
        if self.0.conj {
            value.conj()
        } else {
            value
        }
    }

    /// Value number `index` of the matrix.
    #[inline(always)]
    fn value(&self, index: usize) -> T {
        // SAFETY: the schedule names only values that the caller's array has.
        self.conj(unsafe { self.0.val.add(index).read() })
    }

    /// Walks the entries of position `p`: each neighbour with the value on the way to it.
    #[inline(always)]
    fn walk(&self, lists: &Lists, p: u32, mut visit: impl FnMut(u32, T)) {
        let begin = lists.ptr[p as usize] as usize;
        let neighbours = lists.of(p);
        match lists.values.as_ref().expect("the schedule has no values") {
            Values::Contiguous(first) => {
                let first = first[p as usize] as usize;
                for (k, &q) in neighbours.iter().enumerate() {
                    visit(q, self.value(first + k));
                }
            }
            Values::Permuted(index) => {
                for (&q, &e) in neighbours.iter().zip(&index[begin..begin + neighbours.len()]) {
                    visit(q, self.value(e as usize));
                }
            }
        }
    }

    /// `alpha f` of an unknown.
    #[inline(always)]
    fn right_hand_sides(&self, unknown: u32) -> [T; K] {
        from_fn(|j| {
            // SAFETY: an unknown is below n; where f is x, only this position's own solution overwrites it.
            self.0.alpha.mul(unsafe { self.0.f.add(self.0.of_f.to(unknown, j)).read() })
        })
    }

    /// Divides by the diagonal, stores the solution, and notes a zero pivot.
    #[inline(always)]
    fn finish(&self, p: u32, unknown: u32, sums: [T; K], zero: &mut u32) -> [T; K] {
        let solutions = if self.0.unit {
            sums
        } else {
            let pivot = self.pivot(p, unknown);
            if pivot.is_zero() {
                *zero = unknown.min(*zero);
            }
            sums.map(|sum| sum.div(pivot))
        };
        for (j, solution) in solutions.into_iter().enumerate() {
            // SAFETY: an unknown is below n, and this thread alone has its position.
            unsafe { self.0.x.add(self.0.of_x.to(unknown, j)).write(solution) };
        }
        solutions
    }

    #[inline(always)]
    fn pivot(&self, p: u32, unknown: u32) -> T {
        if !self.0.diag.is_null() {
            // SAFETY: a separate diagonal has n values.
            return self.conj(unsafe { self.0.diag.add(unknown as usize).read() });
        }
        let schedule = self.0.schedule;
        let first = schedule.diag[p as usize];
        if first == NONE {
            return T::ZERO;
        }
        let mut pivot = self.value(first as usize);
        if !schedule.extra_diag.is_empty() {
            let begin = schedule.extra_diag.partition_point(|&[at, _]| at < p);
            for &[_, index] in schedule.extra_diag[begin..].iter().take_while(|&&[at, _]| at == p) {
                pivot = pivot.add(self.value(index as usize));
            }
        }
        pivot
    }

    /// Solves the row at position `p`.
    #[inline(always)]
    pub fn row(&self, rows: &Lists, p: u32, zero: &mut u32) {
        let unknown = self.0.schedule.order[p as usize];
        let mut sums = self.right_hand_sides(unknown);
        self.walk(rows, p, |q, value| {
            // SAFETY: q is below n, and its thread wrote it before this position's turn.
            let solved = unsafe { self.0.work.cast::<[T; K]>().add(q as usize).read() };
            for (sum, solved) in sums.iter_mut().zip(solved) {
                *sum = sum.mul_sub(value, solved);
            }
        });
        let solutions = self.finish(p, unknown, sums, zero);
        // SAFETY: p is below n, and this thread alone has it.
        unsafe { self.0.work.cast::<[T; K]>().add(p as usize).write(solutions) };
    }

    /// Solves the unknown at position `p` and takes its column away from the others, calling `after` with
    /// each position that it has taken from.
    #[inline(always)]
    pub fn column(&self, columns: &Lists, p: u32, zero: &mut u32, mut after: impl FnMut(u32)) {
        let unknown = self.0.schedule.order[p as usize];
        let mut sums = self.right_hand_sides(unknown);
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
        unsafe { &*self.0.work.add(p as usize * K + j).cast::<T::Atomic>() }
    }

    /// Sets sums to zero.
    pub fn clear_sums(&self, positions: Range<u32>) {
        for p in positions {
            // SAFETY: p is below n, and shares do not overlap.
            unsafe { self.0.work.cast::<[T; K]>().add(p as usize).write([T::ZERO; K]) };
        }
    }

    /// Sets counters to the numbers of dependencies.
    pub fn set_counters(&self, positions: Range<u32>) {
        let positions = positions.start as usize..positions.end as usize;
        // SAFETY: positions are below n, and shares do not overlap.
        let mine =
            unsafe { slice::from_raw_parts_mut(self.0.counters.add(positions.start), positions.len()) };
        mine.copy_from_slice(&self.0.schedule.counts[positions]);
    }

    /// How many dependencies of position `p` are unsolved.
    #[inline(always)]
    pub fn counter(&self, p: u32) -> &AtomicU32 {
        // SAFETY: p is below n; since the setting, `counters` is reached through here alone.
        unsafe { AtomicU32::from_ptr(self.0.counters.add(p as usize)) }
    }

    /// Tells position `p` that one dependency is solved and everything written for it.
    #[inline(always)]
    pub fn count_down(&self, p: u32) {
        self.counter(p).fetch_sub(1, Ordering::Release);
    }
}
