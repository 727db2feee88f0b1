//! What an info holds on the GPU: the stored schedule, what its engine keeps, and the state that kernels leave; and solves by it.

mod analyse;
mod arrays;

use std::sync::Arc;
use std::time::Duration;

use super::args::{MultiArgs, SolveArgs, State};
use super::engine::{Algorithm, EnginePlan};
use super::locked::Flag;
use super::memory::StreamId;
use super::setup::{self, SetupTimes};
use super::stored::Stored;
use super::values::{CopiedValues, DiagonalPlaces};
use super::{memory, DeviceArray, Gpu, Launcher};
use crate::address::{Address, Stream};
use crate::analysis::NONE;
use crate::error::{Error, Result};
use crate::executor::SolveCall;
use crate::problem::{DiagSource, Order, Setup, Shape};

pub use analyse::How;
pub use arrays::PlanArrays;

pub struct CudaPlan {
    pub stored: Stored,
    algorithm: &'static dyn Algorithm,
    /// What the algorithm keeps of the matrix; there when the analysis is complete.
    engine: Option<Box<dyn EnginePlan>>,
    state: DeviceArray,
    flag: Arc<Flag>,
    /// Whether a solve was refused after a part of it may have been enqueued.
    is_half_done: bool,
    /// Values in solving order, where solves do not read the caller's.
    pub(super) copied: Option<CopiedValues>,
    /// The same where each solve begins by a copy of the caller's.
    gathered: Option<CopiedValues>,
    /// All values as the caller's array has them, where solves read neither that nor gathered ones.
    kept: Option<DeviceArray>,
    /// How long it took to transpose the matrix for that.
    transposition: Duration,
    missing_diag: u32,
    pub predicted: Duration,
    times: SetupTimes,
    /// Where the analysis was done: never AUTO.
    pub setup: Setup,
    /// The stream of the last solve, and whether there were others, or may have been.
    used_on: Option<StreamId>,
    used_elsewhere: bool,
    /// Its memory waits for no stream but one.
    retired: bool,
}

/// What is released later than a plan's memory: the watchdog's word, which a solve under way may still write to; and what the algorithm
/// keeps, as destroying a graph takes the host about as long as making it.
pub struct DeferredRelease {
    _flag: Arc<Flag>,
    _engine: Option<Box<dyn EnginePlan>>,
}

impl CudaPlan {
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.stored.gpu
    }

    pub fn algorithm(&self) -> &'static dyn Algorithm {
        self.algorithm
    }

    /// A plan without its arrays.
    fn bare(
        launcher: &Launcher,
        algorithm: &'static dyn Algorithm,
        shape: &Shape,
        entries: u32,
        missing_diag: u32,
    ) -> Result<CudaPlan> {
        let gpu = launcher.gpu;
        let flag = Arc::new(Flag::new(gpu)?);
        let mut plan = CudaPlan {
            stored: Stored::new(gpu, shape, entries),
            algorithm,
            engine: None,
            state: DeviceArray::on_stream(gpu, std::mem::size_of::<State>(), launcher.stream)?,
            flag,
            is_half_done: false,
            copied: None,
            gathered: None,
            kept: None,
            transposition: Duration::ZERO,
            missing_diag,
            predicted: Duration::ZERO,
            times: SetupTimes::default(),
            setup: Setup::Cpu,
            used_on: None,
            used_elsewhere: false,
            retired: false,
        };
        plan.stored.base.state = plan.state.address();
        plan.stored.base.host_failed = plan.flag.device_address()?;
        Ok(plan)
    }

    /// Has solves read a copy of so many values, which come from where `source` says.
    fn copy_values(&mut self, launcher: &Launcher, source: DeviceArray, count: u32) -> Result<()> {
        self.copied = Some(self.room_for_copy(launcher, source, count)?);
        Ok(())
    }

    fn room_for_copy(
        &mut self,
        launcher: &Launcher,
        source: DeviceArray,
        count: u32,
    ) -> Result<CopiedValues> {
        let (copied, values) = CopiedValues::new(launcher, &source, count)?;
        self.stored.owned.extend([source, values]);
        Ok(copied)
    }

    /// Makes the state that of an info that has not solved, and resets the work vectors to the sentinel. Setups on the GPU end by
    /// that.
    fn reset(&self, stream: Stream) -> Result<()> {
        self.state.write(&[State::new(self.missing_diag)], stream)?;
        self.stored.work.as_ref().map_or(Ok(()), |work| work.fill(0xff, stream))
    }

    /// What there is to reset.
    fn unsolved(&self) -> setup::Unsolved {
        let (work, work_bytes) =
            self.stored.work.as_ref().map_or((Address::NULL, 0), |work| (work.address(), work.bytes()));
        setup::Unsolved { state: self.state.address(), work, work_bytes, pivot: self.missing_diag }
    }

    fn engine(&self) -> &dyn EnginePlan {
        self.engine.as_deref().expect("complete")
    }

    /// Whether it can solve for reciprocals with values of a factorisation.
    pub fn inverts(&self) -> bool {
        self.copied.is_none()
            && self.kept.is_none()
            && self.stored.shape.diag != DiagSource::Separate
            && self.engine().inverts()
    }

    /// What its engine has found of the schedule.
    pub fn numbers(&self) -> Vec<u32> {
        self.engine().numbers()
    }

    fn args(&self, call: &SolveCall) -> SolveArgs {
        let as_they_lie = self.kept.as_ref().map_or(call.val, DeviceArray::address);
        let (val, values) = match self.copied.or(self.gathered) {
            Some(copied) => (copied.address(), copied.count()),
            None => (as_they_lie, self.stored.shape.nnz),
        };
        // What is gathered are entries beside the diagonal.
        let own_diagonal = if self.gathered.is_some() { as_they_lie } else { val };
        SolveArgs {
            val,
            values,
            diag_values: call.diagonal.or(own_diagonal),
            f: call.f,
            x: call.x,
            alpha: call.alpha_device,
            alpha_host: call.alpha_host,
            conjugate: call.conjugate as u32,
            inverts: call.inverts as u32,
            work: self.stored.work.as_ref().map_or(call.workspace.values, DeviceArray::address),
            counters: call.workspace.counters,
            backward: !self.stored.shape.forward() as u32,
            timeout_ns: call.timeout.as_nanos().min(u64::MAX as u128) as u64,
            ..self.stored.base
        }
    }

    /// Enqueues the copy of the caller's values, where solves read one.
    pub fn update_values(&mut self, stream: Stream, val: Address) -> Result<()> {
        if self.copied.is_none() && self.kept.is_none() {
            return Ok(());
        }
        self.note_use(stream)?;
        if let Some(kept) = &self.kept {
            let bytes = self.stored.shape.nnz as usize * self.stored.dtype().bytes();
            if bytes > 0 {
                // SAFETY: the caller's array has that many bytes, and so has the copy.
                unsafe { memory::copy(kept.address(), val, bytes, stream)? };
            }
        }
        let launcher = self.launcher(stream);
        if let (Some(kept), Some(gathered)) = (&self.kept, self.gathered) {
            gathered.update(&launcher, kept.address())?;
        }
        self.copied.map_or(Ok(()), |copied| copied.update(&launcher, val))
    }

    /// Enqueues new values for the diagonal in the copy of all values.
    pub fn update_diagonal(&mut self, stream: Stream, diagonal: Address) -> Result<()> {
        if self.stored.base.extra_count > 0 {
            return Err(Error::Unsupported("a new diagonal where a row has two diagonal entries".into()));
        }
        self.note_use(stream)?;
        let to = match (&self.kept, self.copied) {
            (Some(kept), _) => kept.address(),
            (None, Some(copied)) => copied.address(),
            (None, None) => return Ok(()),
        };
        DiagonalPlaces::of(&self.stored.base, self.stored.node()).update(&self.launcher(stream), diagonal, to)
    }

    pub fn launcher(&self, stream: Stream) -> Launcher<'_> {
        Launcher::new(&self.stored.gpu, stream, self.stored.shape.dtype)
    }

    /// Enqueues what the solves of a call have in common, before them.
    pub fn begin(&self, stream: Stream, call: &SolveCall) -> Result<()> {
        match (self.gathered, &self.kept) {
            (Some(gathered), None) => gathered.update(&self.launcher(stream), call.val),
            _ => Ok(()),
        }
    }

    /// Enqueues one solve, after `begin`.
    pub fn solve(&self, stream: Stream, call: &SolveCall) -> Result<()> {
        let launcher = self.launcher(stream).sized_for(call.sm_count_target);
        self.engine().solve(&launcher, &self.stored, &self.args(call))
    }

    /// How many of `left` right-hand sides the next call of `solve_columns` may take.
    pub fn columns_at_once(&self, call: &SolveCall, left: i64) -> u32 {
        let row_bytes = call.workspace.row_bytes;
        let most = self.engine().multi().map_or(1, |m| m.most_columns(&self.stored, row_bytes));
        left.min(most as i64) as u32
    }

    /// Whether the algorithm reads right-hand sides that are stored by rows.
    pub fn takes_rows(&self) -> bool {
        self.engine().multi().is_some_and(|multi| multi.takes_rows())
    }

    /// Enqueues one solve for as many columns as `columns_at_once` allows, stored in that order, with `ldf` and `ldx` values from one
    /// column or row to the next.
    pub fn solve_columns(
        &mut self,
        stream: Stream,
        call: &SolveCall,
        columns: u32,
        ldf: i64,
        ldx: i64,
        order: Order,
    ) -> Result<()> {
        let enqueued = (|| match self.engine().multi() {
            Some(multi) if columns > 1 || order == Order::Rows => {
                let launcher = self.launcher(stream).sized_for(call.sm_count_target);
                let work = call.workspace.values;
                // Algorithms that publish values in one word find it reset to the sentinel.
                if self.stored.work.is_some() {
                    let bytes =
                        self.stored.base.words as usize * multi.row_bytes(self.stored.shape.dtype, columns);
                    // SAFETY: the workspace has room for a row's unknowns of that many columns, and for the sums of segments.
                    unsafe { memory::fill(work, 0xff, bytes, stream)? };
                }
                let solve = SolveArgs { work, ..self.args(call) };
                let (ldf, ldx) = (ldf as u64, ldx as u64);
                let by_rows = (order == Order::Rows) as u32;
                let args = MultiArgs { solve, ldf, ldx, columns, by_rows };
                multi.solve(&launcher, &self.stored, &args)
            }
            _ => self.solve(stream, call),
        })();
        // What a capture has of a solve never runs.
        self.is_half_done |= enqueued.is_err() && !memory::is_in_capture(stream);
        enqueued
    }

    /// Whether the watchdog ended a solve since the last look. If so, or where a solve was refused after a part of it may have been
    /// enqueued, waits and makes the plan usable again.
    pub fn take_failure(&mut self, stream: Stream) -> Result<bool> {
        let was_ended = self.flag.is_set();
        if was_ended || self.is_half_done {
            self.wait(stream)?;
            self.reset(stream)?;
            memory::synchronize(stream)?;
            self.flag.clear();
            self.is_half_done = false;
        }
        Ok(was_ended)
    }

    /// Makes it that of an analysis that has not solved, with a copy of all of these values if there are any. Waits for the stream,
    /// and for all work of the context where another stream may have used it.
    pub fn renew(&mut self, stream: Stream, values: Option<Address>) -> Result<()> {
        if !self.is_used_only_on(stream) && !memory::wait_for_kernels() {
            memory::synchronize_all()?;
        }
        self.take_failure(stream)?;
        self.reset(stream)?;
        if let Some(val) = values {
            self.update_values(stream, val)?;
        }
        memory::synchronize(stream)?;
        (self.used_on, self.used_elsewhere) = (None, false);
        Ok(())
    }

    /// Waits for all that uses the plan: for the stream alone where nothing else has used it, so that other streams go on, and
    /// may be capturing. A stream that is capturing itself is left alone.
    fn wait(&self, stream: Stream) -> Result<()> {
        if memory::is_capturing(stream)? {
            return Err(Error::Capturing);
        }
        match self.is_used_only_on(stream) {
            true => memory::synchronize(stream),
            false => memory::synchronize_all(),
        }
    }

    /// Waits for the last solve; the smallest row (zero-based) with a zero pivot.
    pub fn zero_pivot(&self, stream: Stream) -> Result<Option<u32>> {
        self.wait(stream)?;
        let pivot = self.state.read::<State>(1, stream)?[0].last_pivot();
        Ok((pivot != NONE).then_some(pivot))
    }

    pub fn shape(&self) -> &Shape {
        self.stored.shape()
    }

    /// The smallest row (zero-based) without a diagonal entry.
    pub fn missing_diag(&self) -> Option<u32> {
        (self.missing_diag != NONE).then_some(self.missing_diag)
    }

    /// Writes a zero-pivot position to the caller's device memory.
    pub fn write_position(&self, address: Address, position: i64, stream: Stream) -> Result<()> {
        let _bound = self.stored.gpu.bind()?;
        // SAFETY: the C interface demands a writable int64_t in device memory.
        unsafe { memory::write_one(address, position, stream) }
    }

    /// Sets the n values of x to zero, ordered on `stream`.
    pub fn clear(&mut self, stream: Stream, x: Address) -> Result<()> {
        self.note_use(stream)?;
        let bytes = self.stored.n() as usize * self.stored.dtype().bytes();
        // SAFETY: the C interface demands an array of that size.
        unsafe { memory::fill(x, 0, bytes, stream) }
    }

    /// How long the parts of the analysis took.
    pub fn times(&self) -> SetupTimes {
        SetupTimes { trans: self.times.trans + self.transposition, ..self.times }
    }

    /// A solve is about to be enqueued there.
    pub fn note_use(&mut self, stream: Stream) -> Result<()> {
        // What a graph holds may be launched anywhere, and each thread has a stream of its own by that number. A capture ends
        // where its stream is asked for its number.
        let is_one = stream != Stream::PER_THREAD && !memory::is_capturing(stream)?;
        let here = if is_one { memory::stream_id(stream) } else { None };
        self.used_elsewhere |= here.is_none() || (self.used_on.is_some() && self.used_on != here);
        self.used_on = here;
        Ok(())
    }

    fn is_used_only_on(&self, stream: Stream) -> bool {
        !self.used_elsewhere && self.used_on.is_none_or(|used| memory::stream_id(stream) == Some(used))
    }

    /// To be dropped, where only work on `stream` comes after: needs no wait unless another stream has used it. The result is to
    /// be dropped when `stream` has been waited for.
    pub fn retire_on(&mut self, stream: Stream) -> DeferredRelease {
        if self.is_used_only_on(stream) {
            self.retired = true;
            self.arrays_mut().for_each(|array| array.set_only_on(stream));
        }
        DeferredRelease { _flag: self.flag.clone(), _engine: self.engine.take() }
    }

    fn arrays_mut(&mut self) -> impl Iterator<Item = &mut DeviceArray> {
        self.stored
            .owned
            .iter_mut()
            .chain(&mut self.stored.work)
            .chain(&mut self.kept)
            .chain([&mut self.state])
    }

    pub fn bytes_held(&self) -> usize {
        let of_engine = self.engine.as_ref().map_or(0, |engine| engine.bytes_held());
        let arrays = self.stored.owned.iter().chain(&self.stored.work).chain(&self.kept).chain([&self.state]);
        arrays.map(DeviceArray::bytes).sum::<usize>() + of_engine
    }
}

impl Drop for CudaPlan {
    fn drop(&mut self) {
        // Once for all of them.
        let Ok(_bound) = self.stored.gpu.bind() else { return };
        if !self.retired && memory::wait_for_kernels() {
            self.arrays_mut().for_each(DeviceArray::set_idle);
        }
    }
}
