//! From the caller's pattern to a plan: on the GPU, or on the CPU and uploaded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::args::{SolveArgs, State};
use super::super::engine::{Algorithm, Choice};
use super::super::setup::{self, Known, SetupTimes};
use super::super::values::DiagonalPlaces;
use super::super::{memory, DeviceArray, Gpu, Launcher};
use super::CudaPlan;
use crate::address::{Address, Stream};
use crate::analysis::work_items::{self, Cut};
use crate::analysis::{pattern, Findings, Lists, Needs, Pattern, Schedule, Values, NONE};
use crate::error::{Error, Result};
use crate::executor::host::{self, setup as cpu};
use crate::problem::{Arrays, CopyValues, DiagSource, Index, Setup, Shape};
use crate::tuning::{SETUP_GPU_ROW, SETUP_GPU_SMALLEST};

/// How an analysis is to be done.
#[derive(Clone, Copy)]
pub struct How {
    pub setup: Setup,
    pub stream: Stream,
    /// Of the watchdog; zero is off.
    pub timeout: Duration,
    /// Which values are copied into the order in which solves read them.
    pub copy_values: CopyValues,
    /// How many right-hand sides AUTO is to go by.
    pub right_hand_sides: i64,
}

impl CudaPlan {
    /// Analyses the caller's pattern for what `choice` finds best, and puts the schedule on the device. Calls `let_go` once the
    /// pattern is known to be good, before it allocates what the plan keeps: so a plan from before, dropped there, leaves its
    /// memory to this one.
    pub fn new(
        gpu: &Arc<Gpu>,
        choice: &dyn Choice,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        let_go: &mut dyn FnMut(),
    ) -> Result<CudaPlan> {
        let plan = Self::analyse(gpu, choice, shape, arrays, how, &mut Known::Unwanted, let_go)?;
        plan.with_values(arrays, how)
    }

    /// The same, and a second plan for the transposed operation: the pattern is validated once, and the levels of the
    /// second are those of the first from the last to the first.
    pub fn pair(
        gpu: &Arc<Gpu>,
        choice: &dyn Choice,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        let_go: &mut dyn FnMut(),
    ) -> Result<[CudaPlan; 2]> {
        let mut known = Known::Nothing;
        let first = Self::analyse(gpu, choice, shape, arrays, how, &mut known, let_go)?;
        if matches!(known, Known::Nothing) {
            // One of nodes leaves nothing.
            known = Known::Unwanted;
        }
        let second = Self::analyse(gpu, choice, &shape.transposed(), arrays, how, &mut known, &mut || ())?;
        Ok([first.with_values(arrays, how)?, second.with_values(arrays, how)?])
    }

    /// Itself with a copy of the caller's values, if all values are to be copied. Waits for it.
    fn with_values(mut self, arrays: Arrays, how: How) -> Result<CudaPlan> {
        if how.copy_values != CopyValues::All || self.stored.shape.n == 0 {
            return Ok(self);
        }
        let gpu = self.stored.gpu.clone();
        let _bound = gpu.bind()?;
        if self.copied.is_none() {
            let bytes = self.stored.shape.nnz as usize * self.stored.dtype().bytes();
            self.kept = Some(DeviceArray::on_stream(&gpu, bytes, how.stream)?);
        }
        DiagonalPlaces::load(&self.launcher(how.stream))?;
        self.update_values(how.stream, arrays.val)?;
        memory::synchronize(how.stream)?;
        Ok(self)
    }

    fn analyse(
        gpu: &Arc<Gpu>,
        choice: &dyn Choice,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        known: &mut Known,
        let_go: &mut dyn FnMut(),
    ) -> Result<CudaPlan> {
        let How { setup, stream, timeout, copy_values, right_hand_sides } = how;
        let _bound = gpu.bind()?;
        if memory::is_capturing(stream)? {
            return Err(Error::Capturing);
        }
        let needs = choice.needs(gpu, shape, right_hand_sides)?;
        if copy_values != CopyValues::No && needs.rows && shape.n > 0 && !shape.rows_are_stored() {
            if let Some(plan) = Self::of_transposed(gpu, choice, needs, shape, arrays, how, let_go)? {
                return Ok(plan);
            }
            // Malformed: what follows says how.
        }
        let launcher = Launcher::new(gpu, stream, shape.dtype);
        if let Some(levels) = on_gpu(setup, shape)? {
            let wish = setup::Wish { needs, levels, timeout, node: 1, copies: false };
            match Self::set_up_on_gpu(&launcher, choice, shape, arrays, wish, known, let_go) {
                Ok(Some(plan)) => return plan.with_queues(),
                // Malformed: the CPU says how.
                Ok(None) => {}
                // Its temporaries may be what there is no room for.
                Err(Error::OutOfMemory { .. }) if setup == Setup::Auto => {}
                Err(error) => return Err(error),
            }
        }
        let mut times = SetupTimes::default();
        let (schedule, cpu_times, d2h) = analyse_on_cpu(choice, shape, arrays, needs, stream, known)?;
        let_go();
        times.mat_d2h = d2h;
        (times.trans, times.dep, times.lev) = (cpu_times.trans, cpu_times.dep, cpu_times.lev);

        let algorithm = choice.algorithm(schedule.form);
        let start = Instant::now();
        let (mut plan, mut found) = Self::upload(&launcher, algorithm, shape, &schedule)?;
        algorithm.prepare(&launcher, &mut plan.stored, Some(&schedule), &mut found)?;
        plan.reset(stream)?;
        memory::synchronize(stream)?;
        times.lev_h2d = start.elapsed();
        plan.times = times;
        plan.engine = Some(algorithm.complete(&launcher, &mut plan.stored, found)?);
        plan.with_queues()
    }

    /// The plan of the transposed matrix, whose values are copied. None if the pattern is malformed.
    fn of_transposed(
        gpu: &Arc<Gpu>,
        choice: &dyn Choice,
        needs: Needs,
        shape: &Shape,
        arrays: Arrays,
        how: How,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<CudaPlan>> {
        must_fit(shape)?;
        let launcher = Launcher::new(gpu, how.stream, shape.dtype);
        let start = Instant::now();
        let place = on_gpu(how.setup, shape)?;
        // Nodes are looked for where the schedule is to be made.
        let needs = Needs { nodes: needs.nodes && place.is_some(), ..needs };
        let levels = place.unwrap_or(setup::Levels::Sweep);
        let wish = setup::Wish { needs, levels, timeout: how.timeout, node: 1, copies: true };
        let transposed = match setup::transpose(&launcher, shape, arrays, wish, choice, let_go)? {
            None => return Ok(None),
            Some(setup::Transposition::Schedule(done, pending)) => {
                return Self::of_schedule(&launcher, choice, shape, *done, pending, levels)
                    .and_then(Self::with_queues)
                    .map(Some)
            }
            Some(setup::Transposition::Matrix(transposed)) => transposed,
        };
        let (transposition, mut known) = (start.elapsed(), Known::Unwanted);
        let mut plan =
            Self::analyse(gpu, choice, &transposed.shape, transposed.arrays, how, &mut known, let_go)?;
        plan.copy_values(&launcher, transposed.source, transposed.shape.nnz)?;
        // So that other streams may use what was allocated on this one.
        memory::synchronize(how.stream)?;
        plan.transposition = transposition;
        Ok(Some(plan))
    }

    /// Itself, if queues can hand its work items out.
    fn with_queues(self) -> Result<CudaPlan> {
        match self.stored.base.work_items {
            work_items if work_items > State::MOST_PIECES => {
                Err(Error::Unsupported(format!("a schedule of {work_items} work items")))
            }
            _ => Ok(self),
        }
    }

    /// None if the pattern is malformed.
    fn set_up_on_gpu(
        launcher: &Launcher,
        choice: &dyn Choice,
        shape: &Shape,
        arrays: Arrays,
        wish: setup::Wish,
        known: &mut Known,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<CudaPlan>> {
        let Some((done, pending)) = setup::schedule(launcher, shape, arrays, wish, choice, known, let_go)?
        else {
            return Ok(None);
        };
        Self::of_schedule(launcher, choice, shape, done, pending, wish.levels).map(Some)
    }

    /// A schedule that is on its way, when it has arrived.
    fn of_schedule(
        launcher: &Launcher,
        choice: &dyn Choice,
        shape: &Shape,
        done: setup::DeviceSchedule,
        pending: setup::Pending,
        levels: setup::Levels,
    ) -> Result<CudaPlan> {
        let mut found = done.found;
        let algorithm = choice.algorithm(found.form);
        let missing_diag = done.missing_diag.unwrap_or(NONE);
        let mut plan = Self::bare(launcher, algorithm, shape, done.entries, missing_diag)?;
        plan.stored.levels = done.levels as usize;
        plan.stored.base = SolveArgs {
            state: plan.stored.base.state,
            host_failed: plan.stored.base.host_failed,
            ..done.base
        };
        plan.stored.owned = done.owned;
        (plan.stored.node, plan.predicted) = (found.form.node(), done.predicted);
        plan.setup = if levels == setup::Levels::Kahn { Setup::GpuKahn } else { Setup::Gpu };
        if let Some((source, count)) = done.copied {
            plan.copy_values(launcher, source, count)?;
        }
        if let Some(source) = done.gathered {
            plan.gathered = Some(plan.room_for_copy(launcher, source, done.entries)?);
        }
        algorithm.prepare(launcher, &mut plan.stored, None, &mut found)?;
        let end = pending.finish(launcher, plan.unsolved())?;
        (plan.times, plan.stored.widest, found.end) = (end.times, end.widest, end.narrow);
        work_items::must_number(end.most_row_segments)?;
        found.has_segments = end.most_row_segments > 0;
        (found.diag_in_rows, found.rows_follow) = (end.diag_in_rows, end.rows_follow);
        if end.work_items > 0 {
            plan.stored.base.work_items = end.work_items;
        }
        plan.engine = Some(algorithm.complete(launcher, &mut plan.stored, found)?);
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
        (plan.stored.node, plan.predicted) = (form.node(), schedule.predicted);
        (plan.stored.levels, plan.stored.widest) = (schedule.levels(), schedule.widest_level());
        let tile = schedule.tile_ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let mut found = Findings { form, tile, wide_tiles: schedule.wide_tiles, ..Findings::default() };
        let cut = algorithm.cut(shape.dtype, form);
        if let Some(rows) = &schedule.rows {
            plan.stored.base.row_adj = match cut {
                Cut::Levels { names_rows: true, .. } => {
                    let row = |&p: &u32| schedule.order[p as usize];
                    plan.stored.keep(launcher, &rows.adj.iter().map(row).collect::<Vec<_>>())?
                }
                _ => plan.stored.keep(launcher, &rows.adj)?,
            };
        }
        if !schedule.gathered.is_empty() {
            let source = DeviceArray::copy_of(launcher.gpu, &schedule.gathered, launcher.stream)?;
            plan.gathered = Some(plan.room_for_copy(launcher, source, schedule.entries)?);
        }
        if !schedule.extra_diag.is_empty() {
            plan.stored.base.extra_diag = plan.stored.keep(launcher, &schedule.extra_diag)?;
            plan.stored.base.extra_count = schedule.extra_diag.len() as u32;
        }
        if cut == Cut::None {
            found.level_ptr = schedule.level_ptr.clone();
            plan.upload_arrays(launcher, schedule)?;
        } else if let Some(Lists { values: values @ Some(Values::Permuted(_)), .. }) = &schedule.rows {
            // All else is in the records.
            (plan.stored.base.row_val, plan.stored.base.row_permuted) =
                plan.stored.keep_values(launcher, values)?;
        }
        Ok((plan, found))
    }

    /// What records would say otherwise.
    fn upload_arrays(&mut self, launcher: &Launcher, schedule: &Schedule) -> Result<()> {
        self.stored.base.order = self.stored.keep(launcher, &schedule.order)?;
        if let Some(rows) = &schedule.rows {
            self.stored.base.row_ptr = self.stored.keep(launcher, &rows.ptr)?;
            (self.stored.base.row_val, self.stored.base.row_permuted) =
                self.stored.keep_values(launcher, &rows.values)?;
        }
        if let Some(columns) = &schedule.columns {
            self.stored.base.col_ptr = self.stored.keep(launcher, &columns.ptr)?;
            self.stored.base.col_adj = self.stored.keep(launcher, &columns.adj)?;
            (self.stored.base.col_val, self.stored.base.col_permuted) =
                self.stored.keep_values(launcher, &columns.values)?;
        }
        if !schedule.counts.is_empty() {
            self.stored.base.counts = self.stored.keep(launcher, &schedule.counts)?;
        }
        self.stored.base.diag_index = match self.stored.shape.diag {
            DiagSource::Unit => Address::NULL,
            // The diagonal of unknown i is d[i], and the order lists the unknowns.
            DiagSource::Separate => self.stored.base.order,
            DiagSource::Matrix => self.stored.keep(launcher, &schedule.diag)?,
        };
        Ok(())
    }
}

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
    choice: &dyn Choice,
    shape: &Shape,
    arrays: Arrays,
    needs: Needs,
    stream: Stream,
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
    let (schedule, times) =
        cpu::schedule_by(shape, &pattern, needs, levels, &|features| choice.decide(features));
    if is_first {
        *known = Known::OnHost(pattern, cpu::transposed_levels(&schedule));
    }
    Ok((schedule, times, d2h))
}

/// A copy of the caller's pattern, validated. Where there are no rows there need be no arrays. Indices are read when the offsets
/// have said that there are as many as nnz.
fn read_pattern(shape: &Shape, arrays: Arrays, stream: Stream) -> Result<Pattern> {
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
