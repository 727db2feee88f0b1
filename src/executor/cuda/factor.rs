//! Incomplete factorisations on the GPU: the order of rows, and the launches.
#![forbid(unsafe_code)]

use std::sync::Arc;

use super::args::SolveArgs;
use super::engine::{Algorithm, Choice, EnginePlan};
use super::factor_diagonal::{self, OnDiagonal};
use super::factor_nodes::{self, FactorNodes, THREADS};
use super::factor_order;
use super::pattern::{Diagonal, Pattern};
use super::shared::diagonal::DIAGONAL_LENGTHS;
use super::shared::factor::{FactorArgs, FACTOR_WARPS};
use super::{memory, CudaPlan, DeviceArray, Gpu, How, Kernel, KernelName, Launcher, Stored};
use crate::address::Stream;
use crate::analysis::{Findings, Form, Needs};
use crate::error::Result;
use crate::executor::host::Method;
use crate::executor::{FactorCall, Unfit};
use crate::problem::{Arrays, CopyValues, Factorization, Shape};
use crate::select::decision::{rows_alone, Decision};
use crate::select::features::Features;

/// What comes before a factorisation.
const BEGIN: KernelName<FactorArgs> = KernelName::new("factor_begin");

/// Blocks launched for each multiprocessor; those that find no room begin later.
const BLOCKS: u32 = 16;
/// Levels with warps of their own. Warps further ahead only poll, which slows down the others.
const LEVELS_AHEAD: u32 = 8;
/// A kernel is chosen if at most one row in so many is too long for its registers.
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

impl Choice for ByLevel {
    fn needs(&self, gpu: &Gpu, _: &Shape, _: i64) -> Result<Needs> {
        Ok(Needs { speed: gpu.speed(), ..Algorithm::needs(self) })
    }
    fn decide(&self, features: &Features) -> Result<Decision> {
        rows_alone(features)
    }
    fn algorithm(&self, _: Form) -> &'static dyn Algorithm {
        &ByLevel
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

/// What an info holds for factorisations of a pattern.
pub struct CudaFactor {
    plan: CudaPlan,
    /// Where each row's diagonal entry lies.
    diag: DeviceArray,
    /// The first position of each work item, and the end of the last one.
    item: DeviceArray,
    items: u32,
    /// Blocks for which there is work in so many levels as have warps of their own.
    blocks: u32,
    /// Of ILU(0) and of IC(0).
    kernels: [Kernels; 2],
    /// What it goes by where rows are long enough and the pattern is of nodes.
    nodes: Option<FactorNodes>,
    /// What goes by a solve where the info's plan can do that.
    on_diagonal: OnDiagonal,
}

/// Kernels by the registers for a row: lanes, and entries of each lane.
#[derive(Clone, Copy)]
enum Kernels {
    Eight,
    Warp,
    Two,
    Three,
}

impl Kernels {
    /// The smallest one that is too small for few rows only; `longer` has the rows that do not fit into the first ones.
    fn choose(rows: u32, longer: [u32; DIAGONAL_LENGTHS]) -> Kernels {
        match longer.map(|long| long <= rows / RARE) {
            [true, ..] => Kernels::Eight,
            [_, true, _] => Kernels::Warp,
            [.., true] => Kernels::Two,
            _ => Kernels::Three,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kernels::Eight => "8x1",
            Kernels::Warp => "32x1",
            Kernels::Two => "32x2",
            Kernels::Three => "32x3",
        }
    }

    /// Rows of a warp.
    fn rows(self) -> u32 {
        match self {
            Kernels::Eight => 4,
            Kernels::Warp | Kernels::Two | Kernels::Three => 1,
        }
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
        let plan = CudaPlan::new(gpu, &ByLevel, shape, arrays, how, &mut || ())?;
        let _bound = gpu.bind()?;
        let launcher = plan.launcher(how.stream);
        let diagonal = match Diagonal::find(&launcher, shape, arrays)? {
            Ok(diagonal) => diagonal,
            Err(unfit) => return Ok(Err(unfit)),
        };
        let on_diagonal = match (diagonal.longer[0], shape.n) {
            (0, 1..) => OnDiagonal::find(&launcher, shape, arrays, &diagonal.place)?,
            _ => OnDiagonal::default(),
        };
        let level_ptr = plan.numbers();
        // IC(0) keeps a row up to its diagonal entry, but is faster by a warp for each row where ILU(0) is.
        let of_ic0 = [diagonal.longer[0], diagonal.longer_lower[1], diagonal.longer_lower[2]];
        let kernels = [diagonal.longer, of_ic0].map(|longer| Kernels::choose(shape.n, longer));
        let (item, items) = factor_order::items(&plan, &launcher, &level_ptr, kernels[0].rows())?;
        let nodes = match kernels[0] {
            Kernels::Eight => None,
            _ => FactorNodes::find(&plan, &launcher, arrays)?,
        };
        memory::synchronize(how.stream)?;
        let levels = level_ptr.len().saturating_sub(1).max(1) as u32;
        let blocks = items.div_ceil(levels).saturating_mul(LEVELS_AHEAD).div_ceil(FACTOR_WARPS).max(1);
        let factor =
            CudaFactor { plan, diag: diagonal.place, item, items, blocks, kernels, nodes, on_diagonal };
        // Loaded now, as the first factorisation may be captured into a graph.
        let launcher = factor.plan.launcher(how.stream);
        for kind in [Factorization::Ilu0, Factorization::Ic0] {
            factor.kernel(&launcher, kind)?;
        }
        launcher.kernel(BEGIN, "")?;
        Ok(Ok(factor))
    }

    fn kernels(&self, kind: Factorization) -> Kernels {
        match kind {
            Factorization::Ilu0 => self.kernels[0],
            Factorization::Ic0 => self.kernels[1],
        }
    }

    fn kernel(&self, launcher: &Launcher, kind: Factorization) -> Result<Kernel<FactorArgs>> {
        launcher.kernel(factor_nodes::kernels(kind), self.kernels(kind).name())
    }

    /// Enqueues one factorisation of the matrix that `solver` solves with.
    pub fn factorize(
        &mut self,
        solver: &mut CudaPlan,
        stream: Stream,
        kind: Factorization,
        call: &FactorCall,
    ) -> Result<()> {
        self.plan.note_use(stream)?;
        if self.on_diagonal.serves(kind) && solver.inverts() && call.boost.is_none() {
            let state = self.plan.stored.base.state;
            return factor_diagonal::factorize(solver, stream, kind, call, &self.diag, state);
        }
        let launcher = self.plan.launcher(stream).sized_for(call.sm_count_target);
        let mut args = FactorArgs {
            solve: self.plan.stored.base,
            pattern: Pattern::new(self.plan.stored.shape(), call.arrays),
            val: call.arrays.val,
            diag: self.diag.address(),
            item: self.item.address(),
            items: self.items,
            ..Default::default()
        };
        args.solve.work = call.work;
        args.solve.values = self.plan.stored.shape().nnz;
        args.solve.timeout_ns = call.timeout.as_nanos().min(u64::MAX as u128) as u64;
        if let Some(boost) = call.boost {
            (args.boosts, args.tolerance, args.boost) = (1, boost.tolerance, boost.value);
        }
        let most = launcher.multiprocessors * BLOCKS;
        let words = u64::from(self.plan.stored.shape().nnz).div_ceil(THREADS.into());
        launcher.kernel_overlapped(BEGIN, "")?.launch(
            words.clamp(1, most.into()) as u32,
            THREADS,
            0,
            &args,
        )?;
        if let Some(nodes) = &self.nodes {
            (args.solve.order, args.items) = (nodes.order.address(), nodes.count);
            let blocks = nodes.count.div_ceil(FACTOR_WARPS).min(most);
            return nodes.kernel(&launcher, kind)?.launch(blocks, THREADS, 0, &args);
        }
        let blocks = match self.kernels(kind) {
            Kernels::Eight | Kernels::Warp => self.blocks.min(most),
            // Rows are so long that all warps are busy looking updates up.
            Kernels::Two | Kernels::Three => most,
        };
        self.kernel(&launcher, kind)?.launch(blocks, THREADS, 0, &args)
    }

    /// Waits for the last factorisation; the smallest row (zero-based) with a zero pivot.
    pub fn zero_pivot(&self, stream: Stream) -> Result<Option<u32>> {
        self.plan.zero_pivot(stream)
    }

    /// Whether the watchdog ended a factorisation since the last look. If so, makes the next one possible.
    pub fn take_failure(&mut self, stream: Stream) -> Result<bool> {
        self.plan.take_failure(stream)
    }

    pub fn bytes_held(&self) -> usize {
        let of_nodes = self.nodes.as_ref().map_or(0, |nodes| nodes.order.bytes());
        self.plan.bytes_held() + self.diag.bytes() + self.item.bytes() + of_nodes
    }
}
