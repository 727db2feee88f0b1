//! Incomplete factorisations on the GPU: the order of rows, and the launches.
#![forbid(unsafe_code)]

use std::sync::Arc;

use super::args::SolveArgs;
use super::{memory, CudaPlan, DeviceArray, Gpu, How, Kernel, Launcher};
use crate::algorithms::Algorithm;
use crate::analysis::{Needs, NONE};
use crate::error::{Error, Result};
use crate::executor::host::Method;
use crate::executor::{FactorCall, Unfit};
use crate::problem::{Arrays, CopyValues, Factorization, Index, Shape};

/// Threads of a block: of a kernel that factorises (FACTOR_WARPS in kernels/factor.cuh), and of one before it (FACTOR_BLOCK in
/// kernels/factor_begin.cu).
const THREADS: u32 = 256;
/// Blocks of a multiprocessor, of which as many as there is room for draw rows.
const BLOCKS: u32 = 8;
/// What `factor_diagonal` finds of a pattern.
const UNSORTED: usize = 0;
const MISSING_DIAGONAL: usize = 1;
const TOO_LONG: usize = 2;
const FOUND: usize = 4;
/// One row of so many may be longer than what the kernel holds in registers.
const RARE: u32 = 64;

/// Rows by level, and nothing that a solve would need.
struct ByLevel;

impl Algorithm for ByLevel {
    fn id(&self) -> i32 {
        -1
    }
    fn name(&self) -> &'static str {
        "by_level"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, ..Needs::default() }
    }
    fn host(&self) -> Method {
        Method::Serial
    }
    fn solve(&self, _: &Launcher, _: &CudaPlan, _: &SolveArgs) -> Result<()> {
        unreachable!("a factorisation's schedule solves nothing")
    }
}

/// The mirror of FactorArgs in kernels/factor.cuh.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FactorArgs {
    solve: SolveArgs,
    row_ptr: u64,
    col_ind: u64,
    val: u64,
    diag: u64,
    chunk: u64,
    found: u64,
    chunks: u32,
    wide_offsets: u32,
    wide_columns: u32,
    base: u32,
    boosts: u32,
    unused: u32,
    tolerance: f64,
    boost: [f64; 2],
}

const _: () = assert!(size_of::<FactorArgs>() == size_of::<SolveArgs>() + 6 * 8 + 6 * 4 + 3 * 8);

/// What an info holds for factorisations of a pattern.
pub struct CudaFactor {
    plan: CudaPlan,
    /// Where each row's diagonal entry lies.
    diag: DeviceArray,
    /// Where each piece of work begins, in positions.
    chunk: DeviceArray,
    chunks: u32,
    kernels: Kernels,
}

/// Kernels by what they hold in registers: lanes of a row, and entries of each.
#[derive(Clone, Copy)]
enum Kernels {
    Eight,
    Warp,
    Four,
}

impl Kernels {
    /// The one that holds all but few rows, of which so many are longer than the first ones hold.
    fn choose(rows: u32, too_long: [u32; 2]) -> Kernels {
        match too_long.map(|long| long <= rows / RARE) {
            [true, _] => Kernels::Eight,
            [_, true] => Kernels::Warp,
            _ => Kernels::Four,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kernels::Eight => "8x1",
            Kernels::Warp => "32x1",
            Kernels::Four => "32x4",
        }
    }

    /// Rows of a warp.
    fn rows(self) -> u32 {
        match self {
            Kernels::Eight => 4,
            Kernels::Warp | Kernels::Four => 1,
        }
    }
}

/// Where pieces of up to so many rows of one level begin, and where the last one ends.
fn pieces(level_ptr: &[u32], rows: u32) -> Vec<u32> {
    let levels = level_ptr.windows(2);
    let mut starts: Vec<u32> = levels.flat_map(|level| (level[0]..level[1]).step_by(rows as usize)).collect();
    starts.extend(level_ptr.last());
    starts
}

/// What kernels know of the caller's arrays and of the order of rows.
fn args(plan: &CudaPlan, arrays: Arrays) -> FactorArgs {
    let descr = plan.shape().descr;
    FactorArgs {
        solve: *plan.base(),
        row_ptr: arrays.ptr as u64,
        col_ind: arrays.ind as u64,
        val: arrays.val as u64,
        wide_offsets: (descr.offsets == Index::I64) as u32,
        wide_columns: (descr.columns == Index::I64) as u32,
        base: plan.shape().base() as u32,
        ..Default::default()
    }
}

impl CudaFactor {
    /// Prepares factorisations of a pattern that is known to be well-formed. Waits for the stream.
    pub fn new(
        gpu: &Arc<Gpu>,
        shape: &Shape,
        arrays: Arrays,
        how: How,
    ) -> Result<std::result::Result<CudaFactor, Unfit>> {
        let how = How { copy_values: CopyValues::No, ..how };
        let plan = CudaPlan::new(gpu, Some(&ByLevel), shape, arrays, how, &mut || ())?;
        let _bound = gpu.bind()?;
        let launcher = plan.launcher(how.stream);
        let diag = DeviceArray::on_stream(gpu, 4 * shape.n as usize, how.stream)?;
        let found = DeviceArray::copy_of(gpu, &[NONE, NONE, 0, 0], how.stream)?;
        let base = args(&plan, arrays);
        let args = FactorArgs { diag: diag.address(), found: found.address(), ..base };
        launcher.kernel_before_turn("factor_diagonal")?.cover(shape.n.into(), THREADS, &args)?;
        let found = found.read::<u32>(FOUND, how.stream)?;
        if found[UNSORTED] != NONE {
            return Ok(Err(Unfit::Unsorted(found[UNSORTED])));
        }
        if found[MISSING_DIAGONAL] != NONE {
            return Ok(Err(Unfit::NoDiagonal(found[MISSING_DIAGONAL])));
        }
        let kernels = Kernels::choose(shape.n, [found[TOO_LONG], found[TOO_LONG + 1]]);
        let starts = pieces(&plan.level_ptr, kernels.rows());
        let chunk = DeviceArray::copy_of(gpu, &starts, how.stream)?;
        memory::synchronize(how.stream)?;
        let chunks = starts.len().saturating_sub(1) as u32;
        let factor = CudaFactor { plan, diag, chunk, chunks, kernels };
        // Loaded now, as the first factorisation may be captured into a graph.
        let launcher = factor.plan.launcher(how.stream);
        for kind in [Factorization::Ilu0, Factorization::Ic0] {
            factor.kernel(&launcher, kind)?;
        }
        launcher.kernel("factor_begin")?;
        Ok(Ok(factor))
    }

    fn kernel(&self, launcher: &Launcher, kind: Factorization) -> Result<Kernel> {
        launcher.kernel(format_args!("{}_{}", kind.name(), self.kernels.name()))
    }

    /// Enqueues one factorisation.
    pub fn factorize(&mut self, stream: usize, kind: Factorization, call: &FactorCall) -> Result<()> {
        self.plan.note_use(stream)?;
        let launcher = self.plan.launcher(stream);
        let (diag, chunk, chunks) = (self.diag.address(), self.chunk.address(), self.chunks);
        let mut args = FactorArgs { diag, chunk, chunks, ..args(&self.plan, call.arrays) };
        args.solve.work = call.work as u64;
        args.solve.values = self.plan.shape().nnz;
        args.solve.timeout_ns = call.timeout.as_nanos().min(u64::MAX as u128) as u64;
        if let Some(boost) = call.boost {
            (args.boosts, args.tolerance, args.boost) = (1, boost.tolerance, boost.value);
        }
        let most = launcher.gpu.multiprocessors() * BLOCKS;
        let words = u64::from(self.plan.shape().nnz).div_ceil(THREADS.into());
        launcher.kernel_before_turn("factor_begin")?.launch(
            words.clamp(1, most.into()) as u32,
            THREADS,
            0,
            &args,
        )?;
        let blocks = (u64::from(self.chunks) * 32).div_ceil(THREADS.into());
        self.kernel(&launcher, kind)?.launch(blocks.clamp(1, most.into()) as u32, THREADS, 0, &args)
    }

    /// Waits for the last factorisation; the smallest row (zero-based) with a zero pivot.
    pub fn zero_pivot(&self, stream: usize) -> Result<Option<u32>> {
        self.plan.zero_pivot(stream)
    }

    /// Refuses where the watchdog ended the last factorisation, and makes the next one possible.
    pub fn must_have_ended_by_itself(&mut self, stream: usize) -> Result<()> {
        match self.plan.take_failure(stream)? {
            true => Err(Error::TimedOut),
            false => Ok(()),
        }
    }

    pub fn gpu(&self) -> Arc<Gpu> {
        self.plan.gpu().clone()
    }

    pub fn bytes_held(&self) -> usize {
        self.plan.bytes_held() + self.diag.bytes() + self.chunk.bytes()
    }
}
