//! What an info holds on the GPU: the schedule, the state that kernels leave, and the work vectors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::args::{MultiArgs, SolveArgs, State};
use super::locked::Flag;
use super::memory::StreamId;
use super::values::{CopiedValues, DiagonalPlaces};
use super::{memory, setup, DeviceArray, Gpu, Launcher};
use crate::analysis::slices::{self, Cut};
use crate::analysis::{cpu, pattern, Findings, Lists, Needs, Pattern, Schedule, Values, NONE};
use crate::engines::nodal::layout as nodes;
use crate::engines::{self, Algorithm, EnginePlan};
use crate::error::{Error, Result};
use crate::executor::{host, SolveCall};
use crate::problem::{Arrays, CopyValues, DataType, DiagSource, Index, Order, Setup, Shape, MAX_SIZE};
use crate::tuning::{SETUP_GPU_ROW, SETUP_GPU_SMALLEST};

/// Times of the paper's setup operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetupTimes {
    pub mat_d2h: Duration,
    pub trans: Duration,
    pub dep: Duration,
    pub lev: Duration,
    pub lev_h2d: Duration,
}

/// How an analysis is to be done.
#[derive(Clone, Copy)]
pub struct How {
    pub setup: Setup,
    pub stream: usize,
    /// Of the watchdog; zero is off.
    pub timeout: Duration,
    /// Which values are copied into the order in which solves read them.
    pub copy_values: CopyValues,
}

/// What the analysis for an operation leaves for that of the transposed one.
#[derive(Default)]
pub enum Known {
    /// There is only one analysis.
    #[default]
    Unwanted,
    /// Nothing yet.
    Nothing,
    /// The pattern, found good, and the levels for the transposed operation if there are any.
    OnHost(Pattern, Option<Vec<u32>>),
    OnDevice(setup::Found),
}

pub struct CudaPlan {
    gpu: Arc<Gpu>,
    algorithm: &'static dyn Algorithm,
    shape: Shape,
    /// What the algorithm keeps of the matrix; there when the analysis is complete.
    engine: Option<Box<dyn EnginePlan>>,
    /// Everything that does not change from solve to solve.
    pub base: SolveArgs,
    owned: Vec<DeviceArray>,
    state: DeviceArray,
    flag: Arc<Flag>,
    /// Whether a solve was refused after a part of it may have been enqueued.
    is_half_done: bool,
    /// Values in solving order, where solves do not read the caller's.
    copied: Option<CopiedValues>,
    /// The same where each solve begins by a copy of the caller's.
    staged: Option<CopiedValues>,
    /// All values as the caller's array has them, where solves read neither that nor gathered ones.
    kept: Option<DeviceArray>,
    /// How long it took to turn the matrix for that.
    turning: Duration,
    /// Two vectors of n values, all armed, for algorithms that hand values over in one word.
    work: Option<DeviceArray>,
    missing_diag: u32,
    pub levels: usize,
    pub widest: u32,
    pub entries: u32,
    /// Unknowns of a node.
    node: u32,
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

/// What a solve that is on its way may still write to or run from: the watchdog's word, which must be no other plan's yet, and what the
/// algorithm keeps: the end of a graph takes the host about as long as its beginning.
pub struct Leftover {
    _flag: Arc<Flag>,
    _engine: Option<Box<dyn EnginePlan>>,
}

impl CudaPlan {
    /// Analyses the caller's pattern for the algorithm asked for, or else for the best one, and puts the
    /// schedule on the device. Calls `let_go` once the pattern is known to be good, before it allocates what
    /// the plan keeps: so a plan from before, dropped there, leaves its memory to this one.
    pub fn new(
        gpu: &Arc<Gpu>,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        let_go: &mut dyn FnMut(),
    ) -> Result<CudaPlan> {
        let plan = Self::analyse(gpu, asked, shape, arrays, how, &mut Known::Unwanted, let_go)?;
        plan.with_values(arrays, how)
    }

    /// The same, and a second plan for the transposed operation: the pattern is validated once, and the levels of the
    /// second are those of the first from the last to the first.
    pub fn pair(
        gpu: &Arc<Gpu>,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        let_go: &mut dyn FnMut(),
    ) -> Result<[CudaPlan; 2]> {
        let mut known = Known::Nothing;
        let first = Self::analyse(gpu, asked, shape, arrays, how, &mut known, let_go)?;
        if matches!(known, Known::Nothing) {
            // One of nodes leaves nothing.
            known = Known::Unwanted;
        }
        let second = Self::analyse(gpu, asked, &shape.transposed(), arrays, how, &mut known, &mut || ())?;
        Ok([first.with_values(arrays, how)?, second.with_values(arrays, how)?])
    }

    /// Itself with a copy of the caller's values, if all values are to be copied. Waits for it.
    fn with_values(mut self, arrays: Arrays, how: How) -> Result<CudaPlan> {
        if how.copy_values != CopyValues::All || self.shape.n == 0 {
            return Ok(self);
        }
        let gpu = self.gpu.clone();
        let _bound = gpu.bind()?;
        if self.copied.is_none() {
            let bytes = self.shape.nnz as usize * self.dtype().bytes();
            self.kept = Some(DeviceArray::on_stream(&gpu, bytes, how.stream)?);
        }
        DiagonalPlaces::load(&self.launcher(how.stream))?;
        self.update_values(how.stream, arrays.val)?;
        memory::synchronize(how.stream)?;
        Ok(self)
    }

    fn analyse(
        gpu: &Arc<Gpu>,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        known: &mut Known,
        let_go: &mut dyn FnMut(),
    ) -> Result<CudaPlan> {
        let How { setup, stream, timeout, copy_values } = how;
        let _bound = gpu.bind()?;
        if memory::is_capturing(stream)? {
            return Err(Error::Capturing);
        }
        let needs = engines::needs_on_gpu(asked, gpu, shape)?;
        if copy_values != CopyValues::No && needs.rows && shape.n > 0 && !shape.rows_are_stored() {
            if let Some(plan) = Self::of_turned(gpu, asked, needs, shape, arrays, how, let_go)? {
                return Ok(plan);
            }
            // Malformed: what follows says how.
        }
        let launcher = Launcher { gpu, stream, dtype: shape.dtype };
        if let Some(levels) = on_gpu(setup, shape)? {
            let wish = setup::Wish { needs, levels, timeout, node: 1, copies: false };
            match Self::set_up_on_gpu(&launcher, asked, shape, arrays, wish, known, let_go) {
                Ok(Some(plan)) => return plan.with_queues(),
                // Malformed: the CPU says how.
                Ok(None) => {}
                // Its temporaries may be what there is no room for.
                Err(Error::OutOfMemory { .. }) if setup == Setup::Auto => {}
                Err(error) => return Err(error),
            }
        }
        let mut times = SetupTimes::default();
        let (schedule, cpu_times, d2h) = analyse_on_cpu(shape, arrays, needs, stream, known)?;
        let_go();
        times.mat_d2h = d2h;
        (times.trans, times.dep, times.lev) = (cpu_times.trans, cpu_times.dep, cpu_times.lev);

        let algorithm = engines::choose(asked, schedule.form);
        let start = Instant::now();
        let (mut plan, mut found) = Self::upload(&launcher, algorithm, shape, &schedule)?;
        algorithm.prepare(&launcher, &mut plan, Some(&schedule), &mut found)?;
        plan.arm(stream)?;
        memory::synchronize(stream)?;
        times.lev_h2d = start.elapsed();
        plan.times = times;
        plan.engine = Some(algorithm.complete(&launcher, &mut plan, found)?);
        plan.with_queues()
    }

    /// The plan of the turned matrix, whose values are copied. None if the pattern is malformed.
    fn of_turned(
        gpu: &Arc<Gpu>,
        asked: Option<&'static dyn Algorithm>,
        needs: Needs,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<CudaPlan>> {
        must_fit(shape)?;
        let launcher = Launcher { gpu, stream: how.stream, dtype: shape.dtype };
        let start = Instant::now();
        let place = on_gpu(how.setup, shape)?;
        // Nodes are looked for where the schedule is to be made.
        let needs = Needs { nodes: needs.nodes && place.is_some(), ..needs };
        let levels = place.unwrap_or(setup::Levels::Sweep);
        let wish = setup::Wish { needs, levels, timeout: how.timeout, node: 1, copies: true };
        let cut = |form| engines::choose(asked, form).cut(shape.dtype, form);
        let turned = match setup::turn(&launcher, shape, arrays, wish, &cut, let_go)? {
            None => return Ok(None),
            Some(setup::Turn::Schedule(done, pending)) => {
                return Self::of_schedule(&launcher, asked, shape, *done, pending, levels)
                    .and_then(Self::with_queues)
                    .map(Some)
            }
            Some(setup::Turn::Matrix(turned)) => turned,
        };
        let (turning, mut known) = (start.elapsed(), Known::Unwanted);
        let mut plan = Self::analyse(gpu, asked, &turned.shape, turned.arrays, how, &mut known, let_go)?;
        plan.copy_values(&launcher, turned.source, turned.shape.nnz)?;
        // So that other streams may use what was allocated on this one.
        memory::synchronize(how.stream)?;
        plan.turning = turning;
        Ok(Some(plan))
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
        self.owned.extend([source, values]);
        Ok(copied)
    }

    /// Itself, if queues can hand its slices out.
    fn with_queues(self) -> Result<CudaPlan> {
        match self.base.slices {
            slices if slices > State::MOST_PIECES => {
                Err(Error::Unsupported(format!("a schedule of {slices} slices")))
            }
            _ => Ok(self),
        }
    }

    /// None if the pattern is malformed.
    fn set_up_on_gpu(
        launcher: &Launcher,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
        wish: setup::Wish,
        known: &mut Known,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<CudaPlan>> {
        let cut = |form| engines::choose(asked, form).cut(shape.dtype, form);
        let Some((done, pending)) = setup::schedule(launcher, shape, arrays, wish, &cut, known, let_go)?
        else {
            return Ok(None);
        };
        Self::of_schedule(launcher, asked, shape, done, pending, wish.levels).map(Some)
    }

    /// A schedule that is on its way, when it has arrived.
    fn of_schedule(
        launcher: &Launcher,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        done: setup::DeviceSchedule,
        pending: setup::Pending,
        levels: setup::Levels,
    ) -> Result<CudaPlan> {
        let mut found = done.found;
        let algorithm = engines::choose(asked, found.form);
        let missing_diag = done.missing_diag.unwrap_or(NONE);
        let mut plan = Self::bare(launcher, algorithm, shape, done.entries, missing_diag)?;
        plan.levels = done.levels as usize;
        plan.base = SolveArgs { state: plan.base.state, host_failed: plan.base.host_failed, ..done.base };
        plan.owned = done.owned;
        (plan.node, plan.predicted) = (found.form.node(), done.predicted);
        plan.setup = if levels == setup::Levels::Kahn { Setup::GpuKahn } else { Setup::Gpu };
        if let Some((source, count)) = done.copied {
            plan.copy_values(launcher, source, count)?;
        }
        if let Some(source) = done.staged {
            plan.staged = Some(plan.room_for_copy(launcher, source, done.entries)?);
        }
        algorithm.prepare(launcher, &mut plan, None, &mut found)?;
        let end = pending.finish(launcher, plan.unsolved())?;
        (plan.times, plan.widest, found.end) = (end.times, end.widest, end.narrow);
        slices::must_number(end.most_parts)?;
        found.has_parts = end.most_parts > 0;
        (found.diag_in_rows, found.rows_follow) = (end.diag_in_rows, end.rows_follow);
        if end.slices > 0 {
            plan.base.slices = end.slices;
        }
        plan.engine = Some(algorithm.complete(launcher, &mut plan, found)?);
        Ok(plan)
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
            gpu: gpu.clone(),
            algorithm,
            engine: None,
            shape: *shape,
            base: SolveArgs { n: shape.n, ..Default::default() },
            owned: Vec::new(),
            state: DeviceArray::on_stream(gpu, std::mem::size_of::<State>(), launcher.stream)?,
            flag,
            is_half_done: false,
            copied: None,
            staged: None,
            kept: None,
            turning: Duration::ZERO,
            work: None,
            levels: 0,
            widest: 0,
            missing_diag,
            entries,
            node: 1,
            predicted: Duration::ZERO,
            times: SetupTimes::default(),
            setup: Setup::Cpu,
            used_on: None,
            used_elsewhere: false,
            retired: false,
        };
        plan.base.state = plan.state.address();
        plan.base.host_failed = plan.flag.device_address()?;
        Ok(plan)
    }

    fn upload(
        launcher: &Launcher,
        algorithm: &'static dyn Algorithm,
        shape: &Shape,
        schedule: &Schedule,
    ) -> Result<(CudaPlan, Findings)> {
        let missing_diag = schedule.missing_diag.unwrap_or(NONE);
        let mut plan = Self::bare(launcher, algorithm, shape, schedule.entries, missing_diag)?;
        let form = schedule.form;
        (plan.node, plan.predicted) = (form.node(), schedule.predicted);
        (plan.levels, plan.widest) = (schedule.levels(), schedule.widest_level());
        let tile = schedule.tile_ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let mut found = Findings { form, tile, wide_tiles: schedule.wide_tiles, ..Findings::default() };
        let cut = algorithm.cut(shape.dtype, form);
        if let Some(rows) = &schedule.rows {
            plan.base.row_adj = match cut {
                Cut::Levels { names_rows: true, .. } => {
                    let row = |&p: &u32| schedule.order[p as usize];
                    plan.keep(launcher, &rows.adj.iter().map(row).collect::<Vec<_>>())?
                }
                _ => plan.keep(launcher, &rows.adj)?,
            };
        }
        if !schedule.staged.is_empty() {
            let source = DeviceArray::copy_of(launcher.gpu, &schedule.staged, launcher.stream)?;
            plan.staged = Some(plan.room_for_copy(launcher, source, schedule.entries)?);
        }
        if !schedule.extra_diag.is_empty() {
            plan.base.extra_diag = plan.keep(launcher, &schedule.extra_diag)?;
            plan.base.extra_count = schedule.extra_diag.len() as u32;
        }
        if cut == Cut::None {
            found.level_ptr = schedule.level_ptr.clone();
            plan.upload_arrays(launcher, schedule)?;
        } else if let Some(Lists { values: values @ Some(Values::Permuted(_)), .. }) = &schedule.rows {
            // All else is in the records.
            (plan.base.row_val, plan.base.row_permuted) = plan.keep_values(launcher, values)?;
        }
        Ok((plan, found))
    }

    /// Makes the state that of an info that has not solved, and arms the work vectors. Setups on the GPU end by that.
    fn arm(&self, stream: usize) -> Result<()> {
        self.state.write(&[State::new(self.missing_diag)], stream)?;
        self.work.as_ref().map_or(Ok(()), |work| work.fill(0xff, stream))
    }

    /// What there is to arm.
    fn unsolved(&self) -> setup::Unsolved {
        let (work, work_bytes) = self.work.as_ref().map_or((0, 0), |work| (work.address(), work.bytes()));
        setup::Unsolved { state: self.state.address(), work, work_bytes, pivot: self.missing_diag }
    }

    /// What records would say otherwise.
    fn upload_arrays(&mut self, launcher: &Launcher, schedule: &Schedule) -> Result<()> {
        self.base.order = self.keep(launcher, &schedule.order)?;
        if let Some(rows) = &schedule.rows {
            self.base.row_ptr = self.keep(launcher, &rows.ptr)?;
            (self.base.row_val, self.base.row_permuted) = self.keep_values(launcher, &rows.values)?;
        }
        if let Some(columns) = &schedule.columns {
            self.base.col_ptr = self.keep(launcher, &columns.ptr)?;
            self.base.col_adj = self.keep(launcher, &columns.adj)?;
            (self.base.col_val, self.base.col_permuted) = self.keep_values(launcher, &columns.values)?;
        }
        if !schedule.counts.is_empty() {
            self.base.counts = self.keep(launcher, &schedule.counts)?;
        }
        self.base.diag_index = match self.shape.diag {
            DiagSource::Unit => 0,
            // The diagonal of unknown i is d[i], and the order lists the unknowns.
            DiagSource::Separate => self.base.order,
            DiagSource::Matrix => self.keep(launcher, &schedule.diag)?,
        };
        Ok(())
    }

    /// Copies an array to the device for as long as the plan lives; its address.
    pub fn keep<T: Copy>(&mut self, launcher: &Launcher, data: &[T]) -> Result<u64> {
        let array = DeviceArray::copy_of(launcher.gpu, data, launcher.stream)?;
        let address = array.address();
        self.owned.push(array);
        Ok(address)
    }

    fn keep_values(&mut self, launcher: &Launcher, values: &Option<Values>) -> Result<(u64, u32)> {
        Ok(match values {
            None => (0, 0),
            Some(Values::Contiguous(first)) => (self.keep(launcher, first)?, 0),
            Some(Values::Permuted(index)) => (self.keep(launcher, index)?, 1),
        })
    }

    /// Gives the plan its two work vectors, with so many words behind those of positions. They are armed in the end.
    pub fn add_work_vectors(&mut self, launcher: &Launcher, further: u32) -> Result<()> {
        let words = self.shape.n as u64 + further as u64;
        self.base.words = u32::try_from(words).map_err(|_| Error::TooLarge {
            what: "rows and parts of long rows together",
            value: words as i64,
            limit: MAX_SIZE,
        })?;
        let bytes = 2 * self.base.words as usize * self.shape.dtype.bytes();
        let work = DeviceArray::on_stream(launcher.gpu, bytes, launcher.stream)?;
        self.work = Some(work);
        Ok(())
    }

    /// Frees arrays that were kept, by their addresses.
    pub fn release(&mut self, addresses: &[u64]) {
        self.owned.retain(|array| !addresses.contains(&array.address()));
    }

    /// What a warp or block takes at a time.
    pub fn set_slices(&mut self, launcher: &Launcher, slices: &[[u32; 2]]) -> Result<()> {
        self.base.slice = self.keep(launcher, slices)?;
        self.base.slices = slices.len() as u32;
        Ok(())
    }

    /// What is to be known of each row in one place.
    pub fn set_records(&mut self, launcher: &Launcher, record: &[[u32; 4]]) -> Result<()> {
        self.base.record = self.keep(launcher, record)?;
        self.base.diag_index = setup::diag_in_records(&self.shape, self.base.record);
        Ok(())
    }

    pub fn algorithm(&self) -> &'static dyn Algorithm {
        self.algorithm
    }

    pub fn diag_source(&self) -> DiagSource {
        self.shape.diag
    }

    fn engine(&self) -> &dyn EnginePlan {
        self.engine.as_deref().expect("complete")
    }

    /// Unknowns of a node.
    pub fn node(&self) -> u32 {
        self.node
    }

    /// Levels of what is handed over: of rows, or of nodes.
    pub fn hand_overs(&self) -> usize {
        self.levels / self.node() as usize
    }

    /// Whether unknowns are solved from the first to the last.
    pub fn is_forward(&self) -> bool {
        self.shape.forward()
    }

    pub fn n(&self) -> u32 {
        self.shape.n
    }
    pub fn tiles(&self) -> u32 {
        self.base.tiles
    }
    /// Whether the values of the rows are found by permutation.
    pub fn is_permuted(&self) -> bool {
        self.base.row_permuted != 0
    }

    fn args(&self, call: &SolveCall) -> SolveArgs {
        let as_they_lie = self.kept.as_ref().map_or(call.val as u64, DeviceArray::address);
        let (val, values) = match self.copied.or(self.staged) {
            Some(copied) => (copied.address(), copied.count()),
            None => (as_they_lie, self.shape.nnz),
        };
        // What is staged are entries beside the diagonal.
        let own_diagonal = if self.staged.is_some() { as_they_lie } else { val };
        SolveArgs {
            val,
            values,
            diag_values: if call.diagonal != 0 { call.diagonal as u64 } else { own_diagonal },
            f: call.f as u64,
            x: call.x as u64,
            alpha: call.alpha_device as u64,
            alpha_host: call.alpha_host,
            conjugate: call.conjugate as u32,
            work: self.work.as_ref().map_or(call.workspace.values as u64, DeviceArray::address),
            counters: call.workspace.counters as u64,
            backward: !self.shape.forward() as u32,
            timeout_ns: call.timeout.as_nanos().min(u64::MAX as u128) as u64,
            ..self.base
        }
    }

    /// Enqueues the copy of the caller's values, where solves read one.
    pub fn update_values(&mut self, stream: usize, val: usize) -> Result<()> {
        if self.copied.is_none() && self.kept.is_none() {
            return Ok(());
        }
        self.note_use(stream)?;
        if let Some(kept) = &self.kept {
            let bytes = self.shape.nnz as usize * self.dtype().bytes();
            if bytes > 0 {
                // SAFETY: the caller's array has that many bytes, and so has the copy.
                unsafe { memory::copy(kept.address(), val as u64, bytes, stream)? };
            }
        }
        let launcher = self.launcher(stream);
        if let (Some(kept), Some(staged)) = (&self.kept, self.staged) {
            staged.update(&launcher, kept.address() as usize)?;
        }
        self.copied.map_or(Ok(()), |copied| copied.update(&launcher, val))
    }

    /// Enqueues new values for the diagonal in the copy of all values.
    pub fn update_diagonal(&mut self, stream: usize, diagonal: usize) -> Result<()> {
        if self.base.extra_count > 0 {
            return Err(Error::Unsupported("a new diagonal where a row has two diagonal entries".into()));
        }
        self.note_use(stream)?;
        let to = match (&self.kept, self.copied) {
            (Some(kept), _) => kept.address(),
            (None, Some(copied)) => copied.address(),
            (None, None) => return Ok(()),
        };
        DiagonalPlaces::of(&self.base, self.node()).update(&self.launcher(stream), diagonal, to)
    }

    pub fn launcher(&self, stream: usize) -> Launcher<'_> {
        Launcher { gpu: &self.gpu, stream, dtype: self.shape.dtype }
    }

    /// Enqueues what the solves of a call have in common, before them.
    pub fn begin(&self, stream: usize, call: &SolveCall) -> Result<()> {
        match (self.staged, &self.kept) {
            (Some(staged), None) => staged.update(&self.launcher(stream), call.val),
            _ => Ok(()),
        }
    }

    /// Enqueues one solve, after `begin`.
    pub fn solve(&self, stream: usize, call: &SolveCall) -> Result<()> {
        let launcher = Launcher { gpu: &self.gpu, stream, dtype: self.shape.dtype };
        self.engine().solve(&launcher, self, &self.args(call))
    }

    /// How many of `left` right-hand sides the next call of `solve_columns` may take.
    pub fn columns_at_once(&self, left: i64) -> u32 {
        let most = self.engine().multi().map_or(1, |m| m.most_columns(self));
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
        stream: usize,
        call: &SolveCall,
        columns: u32,
        ldf: i64,
        ldx: i64,
        order: Order,
    ) -> Result<()> {
        let enqueued = (|| match self.engine().multi() {
            Some(multi) if columns > 1 || order == Order::Rows => {
                let launcher = Launcher { gpu: &self.gpu, stream, dtype: self.shape.dtype };
                let work = call.workspace.values as u64;
                // Algorithms that hand values over in one word find it armed.
                if self.work.is_some() {
                    let bytes = self.base.words as usize * multi.row_bytes(self.shape.dtype, columns);
                    // SAFETY: the workspace has room for a row's unknowns of that many columns, and for the sums of parts.
                    unsafe { memory::fill(work, 0xff, bytes, stream)? };
                }
                let solve = SolveArgs { work, ..self.args(call) };
                let (ldf, ldx) = (ldf as u64, ldx as u64);
                let by_rows = (order == Order::Rows) as u32;
                let args = MultiArgs { solve, ldf, ldx, columns, by_rows, ..Default::default() };
                multi.solve(&launcher, self, &args)
            }
            _ => self.solve(stream, call),
        })();
        // What a capture has of a solve never runs.
        self.is_half_done |= enqueued.is_err() && !memory::is_in_capture(stream);
        enqueued
    }

    /// Whether the watchdog ended a solve since the last look. If so, or where a solve was refused after a part of it may have been
    /// enqueued, waits and makes the plan usable again.
    pub fn take_failure(&mut self, stream: usize) -> Result<bool> {
        let was_ended = self.flag.is_set();
        if was_ended || self.is_half_done {
            self.wait(stream)?;
            self.arm(stream)?;
            memory::synchronize(stream)?;
            self.flag.clear();
            self.is_half_done = false;
        }
        Ok(was_ended)
    }

    /// Waits for all that uses the plan: for the stream alone where nothing else has used it, so that other streams go on, and
    /// may be capturing. A stream that is capturing itself is left alone.
    fn wait(&self, stream: usize) -> Result<()> {
        if memory::is_capturing(stream)? {
            return Err(Error::Capturing);
        }
        match self.is_used_only_on(stream) {
            true => memory::synchronize(stream),
            false => memory::synchronize_all(),
        }
    }

    /// Waits for the last solve; the smallest row (zero-based) with a zero pivot.
    pub fn zero_pivot(&self, stream: usize) -> Result<Option<u32>> {
        self.wait(stream)?;
        // SAFETY: there is one.
        let state: Vec<State> = unsafe { memory::read(self.state.address() as usize, 1, stream)? };
        let pivot = state[0].last_pivot();
        Ok((pivot != NONE).then_some(pivot))
    }

    /// The smallest row (zero-based) without a diagonal entry.
    pub fn missing_diag(&self) -> Option<u32> {
        (self.missing_diag != NONE).then_some(self.missing_diag)
    }

    /// Writes a zero-pivot position to the caller's device memory.
    pub fn write_position(&self, address: usize, position: i64, stream: usize) -> Result<()> {
        let _bound = self.gpu.bind()?;
        // SAFETY: the C interface demands a writable int64_t in device memory.
        unsafe { memory::write_one(address, position, stream) }
    }

    /// A copy of the arrays that solves read, for comparison.
    pub fn arrays(&self, stream: usize) -> Result<PlanArrays> {
        let base = &self.base;
        let node = self.node() as usize;
        let (rows, n) = (base.n as usize, base.n as usize / node);
        let entries = match node {
            1 => self.entries as usize,
            _ => nodes::entries(base.n, self.entries, self.node()) as usize,
        };
        // SAFETY: the plan's arrays have these lengths, or are not there.
        let read =
            |address: u64, words: usize| unsafe { memory::read::<u32>(address as usize, words, stream) };
        let values = |permuted: u32| if permuted != 0 { entries * node } else { n };
        let tiled = base.tiles > 0;
        let slice = read(base.slice, self.engine().words_of_slice() * base.slices as usize)?;
        // With tiles the codes of all batches take the places of the rows' entries.
        let codes = slice.rchunks_exact(4).next().map_or(0, slices::codes_end);
        let (row_adj, row_val) = if tiled { (codes, codes) } else { (entries, values(base.row_permuted)) };
        Ok(PlanArrays {
            order: read(base.order, n)?,
            row_ptr: read(base.row_ptr, n + 1)?,
            row_adj: read(base.row_adj, row_adj)?,
            row_val: read(base.row_val, if tiled && base.row_permuted == 0 { n } else { row_val })?,
            col_ptr: read(base.col_ptr, n + 1)?,
            col_adj: read(base.col_adj, entries)?,
            col_val: read(base.col_val, values(base.col_permuted))?,
            counts: read(base.counts, n)?,
            // With records it is they.
            diag_index: if base.record == 0 { read(base.diag_index, n)? } else { Vec::new() },
            extra_diag: read(base.extra_diag, 2 * base.extra_count as usize)?,
            slice,
            record: read(base.record, 4 * n)?,
            tile_step: read(base.tile_step, base.tiles as usize + 1)?,
            staged: self.staged.map_or(Ok(Vec::new()), |s| read(s.source(), s.count() as usize))?,
            node_row: read(base.node_row, 2 * rows)?,
            numbers: [
                self.entries,
                self.missing_diag,
                self.widest,
                base.row_permuted,
                base.col_permuted,
                base.extra_count,
                base.slices,
                base.tiles,
                self.node(),
                base.diag_in_rows,
            ]
            .into_iter()
            .chain(self.engine().numbers())
            .collect(),
        })
    }

    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    pub fn dtype(&self) -> DataType {
        self.shape.dtype
    }

    /// Slices of the schedule, where the algorithm asked for some.
    pub fn slices(&self) -> u32 {
        self.base.slices
    }

    /// How long the parts of the analysis took.
    pub fn times(&self) -> SetupTimes {
        SetupTimes { trans: self.times.trans + self.turning, ..self.times }
    }

    /// A solve is about to be enqueued there.
    pub fn note_use(&mut self, stream: usize) -> Result<()> {
        // What a graph holds may be launched anywhere, and each thread has a stream of its own by that number. A capture ends
        // where its stream is asked for its number.
        let is_one = stream != STREAM_PER_THREAD && !memory::is_capturing(stream)?;
        let here = if is_one { memory::stream_id(stream) } else { None };
        self.used_elsewhere |= here.is_none() || (self.used_on.is_some() && self.used_on != here);
        self.used_on = here;
        Ok(())
    }

    fn is_used_only_on(&self, stream: usize) -> bool {
        !self.used_elsewhere && self.used_on.is_none_or(|used| memory::stream_id(stream) == Some(used))
    }

    /// To be dropped, where only work on `stream` comes after: needs no wait unless another stream has used it. The result is to
    /// be dropped when `stream` has been waited for.
    pub fn retire_on(&mut self, stream: usize) -> Leftover {
        if self.is_used_only_on(stream) {
            self.retired = true;
            self.arrays_mut().for_each(|array| array.set_only_on(stream));
        }
        Leftover { _flag: self.flag.clone(), _engine: self.engine.take() }
    }

    fn arrays_mut(&mut self) -> impl Iterator<Item = &mut DeviceArray> {
        self.owned.iter_mut().chain(&mut self.work).chain(&mut self.kept).chain([&mut self.state])
    }

    pub fn bytes_held(&self) -> usize {
        let of_engine = self.engine.as_ref().map_or(0, |engine| engine.bytes_held());
        let arrays = self.owned.iter().chain(&self.work).chain(&self.kept).chain([&self.state]);
        arrays.map(DeviceArray::bytes).sum::<usize>() + of_engine
    }
}

impl Drop for CudaPlan {
    fn drop(&mut self) {
        // Once for all of them.
        let Ok(_bound) = self.gpu.bind() else { return };
        if !self.retired && memory::wait_for_kernels() {
            self.arrays_mut().for_each(DeviceArray::set_idle);
        }
    }
}

/// What a plan holds on the device, as words; empty where there is nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct PlanArrays {
    pub order: Vec<u32>,
    pub row_ptr: Vec<u32>,
    pub row_adj: Vec<u32>,
    pub row_val: Vec<u32>,
    pub col_ptr: Vec<u32>,
    pub col_adj: Vec<u32>,
    pub col_val: Vec<u32>,
    pub counts: Vec<u32>,
    pub diag_index: Vec<u32>,
    pub extra_diag: Vec<u32>,
    pub slice: Vec<u32>,
    pub record: Vec<u32>,
    pub tile_step: Vec<u32>,
    /// Where each value that is staged comes from.
    pub staged: Vec<u32>,
    pub node_row: Vec<u32>,
    /// Numbers of entries, slices and so on, and those of the algorithm.
    pub numbers: Vec<u32>,
}

/// The driver's CU_STREAM_PER_THREAD.
const STREAM_PER_THREAD: usize = 2;

/// How to set up on the GPU, or None for the CPU.
fn on_gpu(setup: Setup, shape: &Shape) -> Result<Option<setup::Levels>> {
    let fits = must_fit(shape);
    let large = SETUP_GPU_ROW * shape.n as u64 + shape.nnz as u64 >= SETUP_GPU_SMALLEST;
    let levels = match setup {
        Setup::Cpu => return Ok(None),
        Setup::Auto if !large || fits.is_err() => return Ok(None),
        Setup::Auto | Setup::Gpu => setup::Levels::Sweep,
        Setup::GpuKahn => setup::Levels::Kahn,
    };
    fits.map(|()| (shape.n > 0).then_some(levels))
}

/// Refuses what is too large for setup on the GPU.
fn must_fit(shape: &Shape) -> Result<()> {
    match shape.n.max(shape.nnz) {
        most if most < setup::MAX_SIZE => Ok(()),
        most => Err(Error::Unsupported(format!("setup on the GPU of {most} rows or entries"))),
    }
}

/// The paper's setup on the CPU: the pattern is copied to the host, validated, and scheduled there.
fn analyse_on_cpu(
    shape: &Shape,
    arrays: Arrays,
    needs: Needs,
    stream: usize,
    known: &mut Known,
) -> Result<(Schedule, cpu::Times, Duration)> {
    host::memory::must_have(host::memory::analysis_bytes_for_gpu(shape, needs))?;
    let start = Instant::now();
    let is_first = matches!(known, Known::Nothing);
    let (pattern, levels) = match std::mem::take(known) {
        Known::OnHost(pattern, levels) => (pattern, levels),
        _ => (read_pattern(shape, arrays, stream)?, None),
    };
    let d2h = start.elapsed();
    let (schedule, times) = cpu::schedule_by(shape, &pattern, needs, levels);
    if is_first {
        *known = Known::OnHost(pattern, cpu::transposed_levels(&schedule));
    }
    Ok((schedule, times, d2h))
}

/// A copy of the caller's pattern, validated. Where there are no rows there need be no arrays. Indices are read when the offsets
/// have said that there are as many as nnz.
fn read_pattern(shape: &Shape, arrays: Arrays, stream: usize) -> Result<Pattern> {
    let (n, nnz) = (shape.n as usize, shape.nnz as usize);
    let offsets = if n > 0 { n + 1 } else { 0 };
    // SAFETY: by the caller's promise the arrays have these lengths and types.
    unsafe {
        let ptr = match shape.descr.offsets {
            Index::I32 => pattern::offsets(shape, &memory::read::<i32>(arrays.ptr, offsets, stream)?)?,
            Index::I64 => pattern::offsets(shape, &memory::read::<i64>(arrays.ptr, offsets, stream)?)?,
        };
        let ind = match shape.descr.columns {
            Index::I32 => pattern::indices(shape, &ptr, &memory::read::<i32>(arrays.ind, nnz, stream)?)?,
            Index::I64 => pattern::indices(shape, &ptr, &memory::read::<i64>(arrays.ind, nnz, stream)?)?,
        };
        Ok(Pattern { ptr, ind })
    }
}
