//! What an info holds for the host executor.

use std::sync::Arc;

use super::pieces::{self, Levels, Pieces};
use super::{memory, setup, solve, GivenUp, HostArray, Job, Method, Pool, MOST_COLUMNS};
use crate::address::Address;
use crate::analysis::{pattern, Schedule, NONE};
use crate::error::{Error, Result};
use crate::executor::SolveCall;
use crate::problem::{Arrays, Dense, DiagSource, Index, Shape, Steps};
use crate::scalar::{dispatch, Scalar};
use crate::select::decision::rows_alone;
use crate::workspace::ROW_BYTES;

pub struct HostPlan {
    pool: Arc<Pool>,
    shape: Shape,
    way: Way,
    pub times: setup::Times,
    /// Smallest row (zero-based) with a zero pivot, of the analysis or the last solve.
    pub pivot: Option<u32>,
    /// The watchdog ended a solve, and nobody has been told yet.
    failed: bool,
    /// All values, where solves do not read the caller's.
    copy: Option<HostArray>,
}

/// How it solves: by one of the paper's algorithms, or as AUTO does.
enum Way {
    Paper(Method, Box<Schedule>),
    Auto(Box<Pieces>),
}

impl HostPlan {
    /// Analyses the caller's pattern, and for the transposed operation too if `both` says so. Without a method it is
    /// solved by pieces.
    pub fn new(
        pool: &Arc<Pool>,
        method: Option<Method>,
        shape: &Shape,
        arrays: Arrays,
        both: bool,
    ) -> Result<(HostPlan, Option<HostPlan>)> {
        // SAFETY: by the caller's promise the offsets have this length and type, where there are rows.
        unsafe {
            match (shape.n as usize, shape.descr.offsets) {
                (0, _) => Ok(()),
                (n, Index::I32) => pattern::last_offset::<i32>(shape, slice(arrays.ptr, n + 1)),
                (n, Index::I64) => pattern::last_offset::<i64>(shape, slice(arrays.ptr, n + 1)),
            }?
        };
        let (n, nnz) = (shape.n as usize, shape.nnz as usize);
        // Where there are no rows there need be no arrays.
        let offsets = if n > 0 { n + 1 } else { 0 };
        let needs = method.map(Method::needs);
        memory::must_have(match needs {
            Some(needs) => memory::analysis_bytes(shape, needs) * if both { 2 } else { 1 },
            None => memory::auto_bytes(shape, pool.threads(), both),
        })?;
        // SAFETY: by the caller's promise the arrays have these lengths and types.
        let pattern = unsafe {
            match (shape.descr.offsets, shape.descr.columns) {
                (Index::I32, _) => {
                    pattern::validate::<i32, i32>(shape, slice(arrays.ptr, offsets), slice(arrays.ind, nnz))
                }
                (Index::I64, Index::I32) => {
                    pattern::validate::<i64, i32>(shape, slice(arrays.ptr, offsets), slice(arrays.ind, nnz))
                }
                (Index::I64, Index::I64) => {
                    pattern::validate::<i64, i64>(shape, slice(arrays.ptr, offsets), slice(arrays.ind, nnz))
                }
            }?
        };
        let Some((method, needs)) = method.zip(needs) else {
            let (own, transposed) = Pieces::new(shape, pattern, pool.threads() as u32, both);
            let of = |shape, (pieces, times)| Self::of(pool, shape, Way::Auto(Box::new(pieces)), times);
            return Ok((of(*shape, own), transposed.map(|found| of(shape.transposed(), found))));
        };
        let (schedule, times) = setup::schedule(shape, &pattern, needs);
        let transposed = both.then(|| {
            let (shape, levels) = (shape.transposed(), setup::transposed_levels(&schedule));
            let (schedule, times) = setup::schedule_by(&shape, &pattern, needs, levels, &rows_alone);
            Self::of(pool, shape, Way::Paper(method, Box::new(schedule)), times)
        });
        Ok((Self::of(pool, *shape, Way::Paper(method, Box::new(schedule)), times), transposed))
    }

    fn of(pool: &Arc<Pool>, shape: Shape, way: Way, times: setup::Times) -> HostPlan {
        let mut plan =
            HostPlan { pool: pool.clone(), shape, way, times, pivot: None, failed: false, copy: None };
        plan.pivot = plan.missing_diag();
        plan
    }

    /// The paper's algorithm that it solves by; None: as AUTO does.
    pub fn method(&self) -> Option<Method> {
        match self.way {
            Way::Paper(method, _) => Some(method),
            Way::Auto(_) => None,
        }
    }

    /// Makes it that of an analysis that has not solved, with a copy of these values if there are any.
    pub fn renew(&mut self, values: Option<Address>) {
        (self.pivot, self.failed) = (self.missing_diag(), false);
        if let Some(val) = values {
            self.update_values(val);
        }
    }

    pub fn levels(&self) -> Levels {
        match &self.way {
            Way::Paper(_, schedule) => {
                Levels { count: schedule.levels() as u32, widest: schedule.widest_level() }
            }
            Way::Auto(pieces) => pieces.levels(),
        }
    }

    /// Off-diagonal entries of the triangle.
    pub fn entries(&self) -> u32 {
        match &self.way {
            Way::Paper(_, schedule) => schedule.entries,
            Way::Auto(pieces) => pieces.entries(),
        }
    }

    /// The smallest row (zero-based) without a diagonal entry.
    pub fn missing_diag(&self) -> Option<u32> {
        match &self.way {
            Way::Paper(_, schedule) => schedule.missing_diag,
            Way::Auto(pieces) => pieces.missing_diag(),
        }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How many of `left` right-hand sides the next call of `solve` may take: the buffer has room for them.
    fn columns_at_once(&self, left: i64) -> usize {
        let most = (ROW_BYTES / self.shape.dtype.bytes()).min(MOST_COLUMNS);
        1 << left.min(most as i64).ilog2()
    }

    /// Solves for as many columns as `columns_at_once` allows, stored in that order, and keeps the pivot. Where the watchdog
    /// ends a solve, x becomes NaN, there and in further solves until the failure is taken.
    fn solve(&mut self, call: &SolveCall, columns: usize, of_f: Steps, of_x: Steps) {
        dispatch!(self.shape.dtype, T => self.solve_typed::<T>(call, columns, of_f, of_x));
    }

    /// Solves for `count` right-hand sides, each side stored by columns or by rows.
    pub fn solve_dense(&mut self, call: &SolveCall, count: i64, [f, x]: [Dense; 2]) {
        let val = self.copy.as_mut().map_or(call.val, HostArray::address);
        let mut done = 0;
        while done < count {
            let [of_f, of_x] = [f, x].map(|side| side.column(done, self.shape.dtype).address);
            let columns = self.columns_at_once(count - done);
            self.solve(&SolveCall { val, f: of_f, x: of_x, ..*call }, columns, f.steps(), x.steps());
            done += columns as i64;
        }
    }

    /// Has solves read a copy of the caller's values.
    pub fn copy_values(&mut self, val: Address) -> Result<()> {
        let bytes = self.shape.nnz as usize * self.shape.dtype.bytes();
        self.copy = Some(HostArray::new(bytes)?);
        self.update_values(val);
        Ok(())
    }

    /// Copies the caller's values, where solves read a copy.
    pub fn update_values(&mut self, val: Address) {
        let bytes = self.shape.nnz as usize * self.shape.dtype.bytes();
        let Some(copy) = self.copy.as_mut().filter(|_| bytes > 0) else { return };
        // SAFETY: by the caller's promise the array has that many bytes; so has the copy.
        unsafe { std::ptr::copy_nonoverlapping(val.pointer::<u8>(), copy.address().pointer(), bytes) };
    }

    /// Puts another diagonal into the copy. Rows without an entry there are left out.
    pub fn update_diagonal(&mut self, diagonal: Address) -> Result<()> {
        let has_extra = match &self.way {
            Way::Paper(_, schedule) => !schedule.extra_diag.is_empty(),
            Way::Auto(pieces) => pieces.has_extra_diag(),
        };
        if has_extra {
            return Err(Error::Unsupported("a new diagonal where a row has two diagonal entries".into()));
        }
        let Some(copy) = &mut self.copy else { return Ok(()) };
        let (bytes, to) = (self.shape.dtype.bytes(), copy.address().pointer::<u8>());
        for p in 0..self.shape.n {
            let (unknown, index) = match &self.way {
                Way::Paper(_, schedule) => (schedule.order[p as usize], schedule.diag[p as usize]),
                Way::Auto(pieces) => (p, pieces.diagonal(p)),
            };
            if index == NONE {
                continue;
            }
            // SAFETY: by the caller's promise there are n values; the analysis names values that the copy has.
            unsafe {
                let from = diagonal.pointer::<u8>().add(unknown as usize * bytes);
                std::ptr::copy_nonoverlapping(from, to.add(index as usize * bytes), bytes);
            }
        }
        Ok(())
    }

    /// Bytes of memory, with its part of what it shares with the plan for the transposed operation.
    pub fn bytes_held(&self) -> usize {
        let analysis = match &self.way {
            Way::Paper(_, schedule) => schedule.bytes(),
            Way::Auto(pieces) => pieces.bytes(),
        };
        analysis + self.copy.as_ref().map_or(0, HostArray::bytes)
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
            alpha,
            val: call.val.pointer(),
            diag: if separate { call.diagonal.pointer() } else { std::ptr::null() },
            unit: self.shape.diag == DiagSource::Unit,
            conj: call.conjugate,
            forward: self.shape.forward(),
            f: call.f.pointer(),
            x: call.x.pointer(),
            columns,
            of_f,
            of_x,
            work: call.workspace.values.pointer(),
            counters: call.workspace.counters.pointer(),
            timeout: call.timeout,
        };
        if !self.failed {
            // SAFETY: the caller promises arrays of these lengths, and the buffer has room for both scratch
            // arrays.
            let solved = unsafe {
                match &mut self.way {
                    Way::Paper(method, schedule) => solve(&self.pool, *method, schedule, &job),
                    Way::Auto(pieces) => pieces::solve(&self.pool, pieces, &job),
                }
            };
            match solved {
                Ok(pivot) => self.pivot = pivot,
                Err(GivenUp) => (self.failed, self.pivot) = (true, self.missing_diag()),
            }
        }
        if self.failed {
            for (i, j) in (0..self.shape.n).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                // SAFETY: x has n values a column, and no thread of the solve uses them any longer.
                unsafe { call.x.pointer::<T>().add(of_x.to(i, j)).write(T::NAN) };
            }
        }
    }
}

/// # Safety
/// `address` is null or that of `len` readable elements that outlive the use of the slice.
unsafe fn slice<'a, T>(address: Address, len: usize) -> &'a [T] {
    if address.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(address.pointer(), len) }
}
