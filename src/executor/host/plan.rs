//! What an info holds for the host executor.

use std::sync::Arc;

use super::{memory, solve, GivenUp, Job, Method, Pool, Steps, MOST_COLUMNS};
use crate::analysis::{cpu, Schedule};
use crate::executor::SolveCall;
use crate::problem::{Arrays, DiagSource, Index, Order, Shape};
use crate::scalar::{dispatch, Scalar};
use crate::status::Result;
use crate::tuning::{HOST_SERIAL_ROWS, HOST_SERIAL_WIDTH};
use crate::workspace::ROW_BYTES;

pub struct HostPlan {
    pool: Arc<Pool>,
    method: Method,
    shape: Shape,
    pub schedule: Schedule,
    pub times: cpu::Times,
    /// Smallest row (zero-based) with a zero pivot, of the analysis or the last solve.
    pub pivot: Option<u32>,
    /// The watchdog ended a solve, and nobody has been told yet.
    failed: bool,
}

impl HostPlan {
    /// Analyses the caller's pattern, and for the transposed operation too if `both` says so. Without a method, serial
    /// or level-scheduled: whichever suits.
    pub fn new(
        pool: &Arc<Pool>,
        method: Option<Method>,
        shape: &Shape,
        arrays: Arrays,
        both: bool,
    ) -> Result<(HostPlan, Option<HostPlan>)> {
        let (n, nnz) = (shape.n as usize, shape.nnz as usize);
        // Where there are no rows there need be no arrays.
        let offsets = if n > 0 { n + 1 } else { 0 };
        let needs = method.unwrap_or(Method::Levr).needs();
        let bytes = memory::analysis_bytes(shape, needs);
        memory::must_have(if both { 2 * bytes } else { bytes })?;
        // SAFETY: by the caller's promise the arrays have these lengths and types.
        let pattern = unsafe {
            match (shape.descr.offsets, shape.descr.columns) {
                (Index::I32, _) => {
                    cpu::validate::<i32, i32>(shape, slice(arrays.ptr, offsets), slice(arrays.ind, nnz))
                }
                (Index::I64, Index::I32) => {
                    cpu::validate::<i64, i32>(shape, slice(arrays.ptr, offsets), slice(arrays.ind, nnz))
                }
                (Index::I64, Index::I64) => {
                    cpu::validate::<i64, i64>(shape, slice(arrays.ptr, offsets), slice(arrays.ind, nnz))
                }
            }?
        };
        let (schedule, times) = cpu::schedule(shape, &pattern, needs);
        let transposed = both.then(|| {
            let (shape, levels) = (shape.transposed(), cpu::transposed_levels(&schedule));
            let (schedule, times) = cpu::schedule_by(&shape, &pattern, needs, levels);
            Self::of(pool, method, shape, schedule, times)
        });
        Ok((Self::of(pool, method, *shape, schedule, times), transposed))
    }

    fn of(
        pool: &Arc<Pool>,
        method: Option<Method>,
        shape: Shape,
        schedule: Schedule,
        times: cpu::Times,
    ) -> HostPlan {
        let parallel = pool.threads() > 1
            && schedule.n as usize > HOST_SERIAL_ROWS.max(schedule.levels() * HOST_SERIAL_WIDTH);
        let method = method.unwrap_or(if parallel { Method::Levr } else { Method::Serial });
        let pivot = schedule.missing_diag;
        HostPlan { pool: pool.clone(), method, shape, schedule, times, pivot, failed: false }
    }

    /// How many of `left` right-hand sides the next call of `solve` may take: the buffer has room for them.
    pub fn columns_at_once(&self, left: i64) -> usize {
        let most = (ROW_BYTES / self.shape.dtype.bytes()).min(MOST_COLUMNS);
        1 << left.min(most as i64).ilog2()
    }

    /// Solves for as many columns as `columns_at_once` allows, stored in that order, and keeps the pivot. Where the watchdog
    /// ends a solve, x becomes NaN, there and in further solves until the failure is taken.
    pub fn solve(&mut self, call: &SolveCall, columns: usize, ldf: i64, ldx: i64, order: Order) {
        let steps = |ld: i64| match order {
            Order::Columns => Steps { row: 1, column: ld as usize },
            Order::Rows => Steps { row: ld as usize, column: 1 },
        };
        dispatch!(self.shape.dtype, T => self.solve_typed::<T>(call, columns, steps(ldf), steps(ldx)));
    }

    /// Whether the watchdog ended a solve since the last look.
    pub fn take_failure(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }

    fn solve_typed<T: Scalar>(&mut self, call: &SolveCall, columns: usize, of_f: Steps, of_x: Steps) {
        let separate = self.shape.diag == DiagSource::Separate;
        // SAFETY: the bytes of one T were put there.
        let alpha = unsafe { call.alpha_host.as_ptr().cast::<T>().read_unaligned() };
        let job = Job {
            schedule: &self.schedule,
            alpha,
            val: call.val as *const T,
            diag: if separate { call.diagonal as *const T } else { std::ptr::null() },
            unit: self.shape.diag == DiagSource::Unit,
            conj: call.conjugate,
            f: call.f as *const T,
            x: call.x as *mut T,
            columns,
            of_f,
            of_x,
            work: call.workspace.values as *mut T,
            counters: call.workspace.counters as *mut u32,
            timeout: call.timeout,
        };
        if !self.failed {
            // SAFETY: the caller promises arrays of these lengths, and the buffer has room for both scratch
            // arrays.
            match unsafe { solve(&self.pool, self.method, &job) } {
                Ok(pivot) => self.pivot = pivot,
                Err(GivenUp) => (self.failed, self.pivot) = (true, self.schedule.missing_diag),
            }
        }
        if self.failed {
            for (i, j) in (0..self.shape.n).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                // SAFETY: x has n values a column, and no thread of the solve uses them any longer.
                unsafe { (call.x as *mut T).add(of_x.to(i, j)).write(T::NAN) };
            }
        }
    }
}

/// # Safety
/// `address` is 0 or that of `len` readable elements that outlive the use of the slice.
unsafe fn slice<'a, T>(address: usize, len: usize) -> &'a [T] {
    if address == 0 || len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(address as *const T, len) }
}
