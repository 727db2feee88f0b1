//! Incomplete factorisations on the GPU: the order of rows, and the launches.
#![forbid(unsafe_code)]

use std::sync::Arc;

use super::args::SolveArgs;
use super::pattern::{Diagonal, Pattern};
use super::{memory, CudaPlan, DeviceArray, Gpu, How, Kernel, Launcher, Stored};
use crate::analysis::{Findings, Needs};
use crate::engines::{Algorithm, EnginePlan};
use crate::error::{Error, Result};
use crate::executor::host::Method;
use crate::executor::{FactorCall, Unfit};
use crate::problem::{Arrays, CopyValues, Factorization, Shape};

/// Threads of a block: of a kernel that factorises (FACTOR_WARPS in kernels/factor/factor.cuh), and of one before it (FACTOR_BLOCK in
/// kernels/factor/factor_begin.cu).
const THREADS: u32 = 256;
/// Blocks of a multiprocessor, of which as many as there is room for draw rows.
const BLOCKS: u32 = 8;
/// One row of so many may be longer than what the kernel holds in registers.
const RARE: u32 = 64;

/// Rows by level, and nothing that a solve would need.
struct ByLevel;

/// Where levels begin, in positions.
struct Levels(Vec<u32>);

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
        Method::Levr
    }
    fn complete(&self, _: &Launcher, _: &mut Stored, found: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(Levels(found.level_ptr)))
    }
}

impl EnginePlan for Levels {
    fn solve(&self, _: &Launcher, _: &Stored, _: &SolveArgs) -> Result<()> {
        unreachable!("a factorisation's schedule solves nothing")
    }
    fn numbers(&self) -> Vec<u32> {
        self.0.clone()
    }
}

/// The mirror of FactorArgs in kernels/factor/factor.cuh.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FactorArgs {
    solve: SolveArgs,
    pattern: Pattern,
    val: u64,
    diag: u64,
    chunk: u64,
    chunks: u32,
    boosts: u32,
    tolerance: f64,
    boost: [f64; 2],
}

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
    Three,
}

impl Kernels {
    /// The one that holds all but few rows, of which so many are longer than the first ones hold.
    fn choose(rows: u32, too_long: [u32; 2]) -> Kernels {
        match too_long.map(|long| long <= rows / RARE) {
            [true, _] => Kernels::Eight,
            [_, true] => Kernels::Warp,
            _ => Kernels::Three,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kernels::Eight => "8x1",
            Kernels::Warp => "32x1",
            Kernels::Three => "32x3",
        }
    }

    /// Rows of a warp.
    fn rows(self) -> u32 {
        match self {
            Kernels::Eight => 4,
            Kernels::Warp | Kernels::Three => 1,
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
        let diagonal = match Diagonal::find(&launcher, shape, arrays)? {
            Ok(diagonal) => diagonal,
            Err(unfit) => return Ok(Err(unfit)),
        };
        let kernels = Kernels::choose(shape.n, diagonal.longer);
        let starts = pieces(&plan.numbers(), kernels.rows());
        let chunk = DeviceArray::copy_of(gpu, &starts, how.stream)?;
        memory::synchronize(how.stream)?;
        let chunks = starts.len().saturating_sub(1) as u32;
        let factor = CudaFactor { plan, diag: diagonal.place, chunk, chunks, kernels };
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
        let mut args = FactorArgs {
            solve: self.plan.stored.base,
            pattern: Pattern::new(self.plan.stored.shape(), call.arrays),
            val: call.arrays.val as u64,
            diag: self.diag.address(),
            chunk: self.chunk.address(),
            chunks: self.chunks,
            ..Default::default()
        };
        args.solve.work = call.work as u64;
        args.solve.values = self.plan.stored.shape().nnz;
        args.solve.timeout_ns = call.timeout.as_nanos().min(u64::MAX as u128) as u64;
        if let Some(boost) = call.boost {
            (args.boosts, args.tolerance, args.boost) = (1, boost.tolerance, boost.value);
        }
        let most = launcher.gpu.multiprocessors() * BLOCKS;
        let words = u64::from(self.plan.stored.shape().nnz).div_ceil(THREADS.into());
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
