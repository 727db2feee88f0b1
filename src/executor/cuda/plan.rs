//! What an info holds on the GPU: the schedule, the state that kernels leave, and the work vectors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::args::{MultiArgs, SolveArgs, State};
use super::watch::Flag;
use super::{memory, DeviceArray, Gpu, Graph, Launcher};
use crate::algorithms::{self, Algorithm};
use crate::analysis::{self, cpu, Schedule, Values, NONE};
use crate::executor::SolveCall;
use crate::problem::{Arrays, DiagSource, Index, Shape};
use crate::status::{Error, Result};

/// Times of the paper's setup operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetupTimes {
    pub mat_d2h: Duration,
    pub trans: Duration,
    pub dep: Duration,
    pub lev: Duration,
    pub lev_h2d: Duration,
}

pub struct CudaPlan {
    gpu: Arc<Gpu>,
    algorithm: &'static dyn Algorithm,
    shape: Shape,
    /// Everything that does not change from solve to solve.
    base: SolveArgs,
    owned: Vec<DeviceArray>,
    state: DeviceArray,
    flag: Flag,
    /// Two vectors of n values, all armed, for algorithms that hand values over in one word.
    work: Option<DeviceArray>,
    /// Level pointers, on the host, for algorithms that launch a kernel a level.
    pub level_ptr: Vec<u32>,
    pub graph: Option<LevelGraph>,
    missing_diag: u32,
    pub levels: usize,
    pub widest: u32,
    pub entries: u32,
    pub predicted: Duration,
    pub times: SetupTimes,
}

/// A graph whose kernels read their arguments from device memory, where each solve puts them.
pub struct LevelGraph {
    pub graph: Graph,
    pub args: DeviceArray,
}

impl CudaPlan {
    /// Analyses the caller's pattern for the algorithm asked for, or else for the best one, and puts the
    /// schedule on the device.
    pub fn new(
        gpu: &Arc<Gpu>,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
        stream: usize,
    ) -> Result<CudaPlan> {
        let needs = match asked {
            Some(algorithm) => {
                algorithm.check(gpu, shape)?;
                algorithm.needs()
            }
            None => algorithms::auto_needs(gpu, shape),
        };
        let _bound = gpu.bind()?;
        if memory::is_capturing(stream)? {
            return Err(Error::Capturing);
        }
        let mut times = SetupTimes::default();
        let (schedule, cpu_times, d2h) = analyse_on_cpu(shape, arrays, needs, stream)?;
        times.mat_d2h = d2h;
        (times.trans, times.dep, times.lev) = (cpu_times.trans, cpu_times.dep, cpu_times.lev);

        let algorithm = asked.unwrap_or_else(|| algorithms::choose(&schedule));
        let start = Instant::now();
        let launcher = Launcher { gpu, stream, dtype: shape.dtype };
        let mut plan = Self::upload(&launcher, algorithm, shape, &schedule)?;
        algorithm.prepare(&launcher, &mut plan, &schedule)?;
        memory::synchronize(stream)?;
        times.lev_h2d = start.elapsed();
        plan.times = times;
        Ok(plan)
    }

    fn upload(
        launcher: &Launcher,
        algorithm: &'static dyn Algorithm,
        shape: &Shape,
        schedule: &Schedule,
    ) -> Result<CudaPlan> {
        let (gpu, stream) = (launcher.gpu, launcher.stream);
        let flag = Flag::new(gpu)?;
        let missing_diag = schedule.missing_diag.unwrap_or(NONE);
        let mut plan = CudaPlan {
            gpu: gpu.clone(),
            algorithm,
            shape: *shape,
            base: SolveArgs { n: shape.n, conjugate: shape.conjugate() as u32, ..Default::default() },
            owned: Vec::new(),
            state: DeviceArray::copy_of(gpu, &[initial_state(missing_diag)], stream)?,
            flag,
            work: None,
            level_ptr: schedule.level_ptr.clone(),
            graph: None,
            missing_diag,
            levels: schedule.levels(),
            widest: schedule.widest_level(),
            entries: schedule.entries,
            predicted: schedule.predicted,
            times: SetupTimes::default(),
        };
        plan.base.state = plan.state.address();
        plan.base.host_failed = plan.flag.device_address()?;
        plan.base.order = plan.keep(launcher, &schedule.order)?;
        if let Some(rows) = &schedule.rows {
            plan.base.row_ptr = plan.keep(launcher, &rows.ptr)?;
            plan.base.row_adj = plan.keep(launcher, &rows.adj)?;
            (plan.base.row_val, plan.base.row_permuted) = plan.keep_values(launcher, &rows.values)?;
        }
        if let Some(columns) = &schedule.columns {
            plan.base.col_ptr = plan.keep(launcher, &columns.ptr)?;
            plan.base.col_adj = plan.keep(launcher, &columns.adj)?;
            (plan.base.col_val, plan.base.col_permuted) = plan.keep_values(launcher, &columns.values)?;
        }
        if !schedule.counts.is_empty() {
            plan.base.counts = plan.keep(launcher, &schedule.counts)?;
        }
        plan.base.diag_index = match shape.diag {
            DiagSource::Unit => 0,
            // The diagonal of unknown i is d[i], and the order lists the unknowns.
            DiagSource::Separate => plan.base.order,
            DiagSource::Matrix => plan.keep(launcher, &schedule.diag)?,
        };
        if !schedule.extra_diag.is_empty() {
            plan.base.extra_diag = plan.keep(launcher, &schedule.extra_diag)?;
            plan.base.extra_count = schedule.extra_diag.len() as u32;
        }
        Ok(plan)
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

    /// Gives the plan its two armed work vectors.
    pub fn add_work_vectors(&mut self, launcher: &Launcher) -> Result<()> {
        let bytes = 2 * self.shape.n as usize * self.shape.dtype.bytes();
        let work = DeviceArray::new(launcher.gpu, bytes)?;
        work.fill(0xff, launcher.stream)?;
        self.work = Some(work);
        Ok(())
    }

    /// The slices of the one-word engine.
    pub fn set_slices(&mut self, launcher: &Launcher, slices: &[[u32; 2]]) -> Result<()> {
        self.base.slice = self.keep(launcher, slices)?;
        self.base.slices = slices.len() as u32;
        Ok(())
    }

    /// The records of the one-word engines.
    pub fn set_records(&mut self, launcher: &Launcher, record: &[[u32; 4]]) -> Result<()> {
        self.base.record = self.keep(launcher, record)?;
        Ok(())
    }

    /// The tiles of the tiled engine; `code` takes the place of the entries' positions.
    pub fn set_tiles(&mut self, launcher: &Launcher, tile_step: &[u32], code: &[u32]) -> Result<()> {
        self.base.tile_step = self.keep(launcher, tile_step)?;
        self.base.tiles = tile_step.len() as u32 - 1;
        self.base.row_adj = self.keep(launcher, code)?;
        Ok(())
    }

    pub fn algorithm(&self) -> &'static dyn Algorithm {
        self.algorithm
    }

    pub fn diag_source(&self) -> DiagSource {
        self.shape.diag
    }

    /// Whether the values of the rows are found by permutation.
    pub fn is_permuted(&self) -> bool {
        self.base.row_permuted != 0
    }

    fn args(&self, call: &SolveCall) -> SolveArgs {
        SolveArgs {
            val: call.val as u64,
            diag_values: if call.diagonal != 0 { call.diagonal } else { call.val } as u64,
            f: call.f as u64,
            x: call.x as u64,
            alpha: call.alpha_device as u64,
            alpha_host: call.alpha_host,
            work: self.work.as_ref().map_or(call.workspace.values as u64, DeviceArray::address),
            counters: call.workspace.counters as u64,
            timeout_ns: call.timeout.as_nanos().min(u64::MAX as u128) as u64,
            ..self.base
        }
    }

    /// Enqueues one solve.
    pub fn solve(&self, stream: usize, call: &SolveCall) -> Result<()> {
        let launcher = Launcher { gpu: &self.gpu, stream, dtype: self.shape.dtype };
        self.algorithm.solve(&launcher, self, &self.args(call))
    }

    /// How many of `left` right-hand sides the next call of `solve_columns` may take.
    pub fn columns_at_once(&self, left: i64) -> u32 {
        let most = self.algorithm.multi().map_or(1, |m| m.most_columns(self.shape.dtype));
        left.min(most as i64) as u32
    }

    /// Enqueues one solve for as many columns as `columns_at_once` allows, `ldf` and `ldx` values apart.
    pub fn solve_columns(
        &self,
        stream: usize,
        call: &SolveCall,
        columns: u32,
        ldf: i64,
        ldx: i64,
    ) -> Result<()> {
        match self.algorithm.multi() {
            Some(multi) if columns > 1 => {
                let launcher = Launcher { gpu: &self.gpu, stream, dtype: self.shape.dtype };
                let work = call.workspace.values as u64;
                let bytes = self.shape.n as usize * multi.row_bytes(self.shape.dtype, columns);
                // SAFETY: the workspace has room for a row's unknowns of that many columns.
                unsafe { memory::fill(work, 0xff, bytes, stream)? };
                let solve = SolveArgs { work, ..self.args(call) };
                let (ldf, ldx) = (ldf as u64, ldx as u64);
                multi.solve(&launcher, &MultiArgs { solve, ldf, ldx, columns, ..Default::default() })
            }
            _ => self.solve(stream, call),
        }
    }

    /// Whether the watchdog ended a solve since the last look. If so, waits and makes the plan usable again.
    pub fn take_failure(&mut self, stream: usize) -> Result<bool> {
        if !self.flag.is_set() {
            return Ok(false);
        }
        memory::synchronize_all()?;
        self.state.write(&[initial_state(self.missing_diag)], stream)?;
        if let Some(work) = &self.work {
            work.fill(0xff, stream)?;
        }
        memory::synchronize(stream)?;
        self.flag.clear();
        Ok(true)
    }

    /// Waits for the last solve; the smallest row (zero-based) with a zero pivot.
    pub fn zero_pivot(&self, stream: usize) -> Result<Option<u32>> {
        memory::synchronize_all()?;
        // SAFETY: the state is six words.
        let words: Vec<u32> = unsafe { memory::read(self.state.address() as usize, 6, stream)? };
        Ok((words[0] != NONE).then_some(words[0]))
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

    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    pub fn bytes_held(&self) -> usize {
        let graph = self.graph.as_ref().map_or(0, |g| g.args.bytes());
        let work = self.work.as_ref().map_or(0, DeviceArray::bytes);
        self.owned.iter().map(DeviceArray::bytes).sum::<usize>() + self.state.bytes() + work + graph
    }
}

fn initial_state(missing_diag: u32) -> State {
    State { pivot: missing_diag, pivot_running: NONE, epoch: 0, ticket: 0, done: 0, failed: 0, progress: 0, padding: 0 }
}

/// The paper's setup on the CPU: the pattern is copied to the host, validated, and scheduled there.
fn analyse_on_cpu(
    shape: &Shape,
    arrays: Arrays,
    needs: analysis::Needs,
    stream: usize,
) -> Result<(Schedule, cpu::Times, Duration)> {
    let start = Instant::now();
    let (n, nnz) = (shape.n as usize, shape.nnz as usize);
    // SAFETY: by the caller's promise the arrays have these lengths and types.
    let pattern = unsafe {
        match (shape.descr.offsets, shape.descr.columns) {
            (Index::I32, _) => cpu::validate(
                shape,
                &memory::read::<i32>(arrays.ptr, n + 1, stream)?,
                &memory::read::<i32>(arrays.ind, nnz, stream)?,
            )?,
            (Index::I64, Index::I32) => cpu::validate(
                shape,
                &memory::read::<i64>(arrays.ptr, n + 1, stream)?,
                &memory::read::<i32>(arrays.ind, nnz, stream)?,
            )?,
            (Index::I64, Index::I64) => cpu::validate(
                shape,
                &memory::read::<i64>(arrays.ptr, n + 1, stream)?,
                &memory::read::<i64>(arrays.ind, nnz, stream)?,
            )?,
        }
    };
    let d2h = start.elapsed();
    let (schedule, times) = cpu::schedule(shape, &pattern, needs);
    Ok((schedule, times, d2h))
}
