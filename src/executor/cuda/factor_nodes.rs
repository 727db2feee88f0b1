//! Factorisations by nodes, unknowns that have the same columns: which patterns it is for, and the order of their nodes.
#![forbid(unsafe_code)]

use super::pattern::Pattern;
use super::shared::factor::{FactorArgs, NodesArgs, FACTOR_MOST_BLOCKS, FACTOR_WARPS};
use super::{factor_order, CudaPlan, DeviceArray, Kernel, KernelName, Launcher};
use crate::error::Result;
use crate::problem::{Arrays, Factorization, Shape};

const CHECK: KernelName<NodesArgs> = KernelName::new("factor_nodes_check");

const ILU0: KernelName<FactorArgs> = KernelName::new("ilu0_");
const IC0: KernelName<FactorArgs> = KernelName::new("ic0_");

/// All kernels of a factorisation.
pub fn kernels(kind: Factorization) -> KernelName<FactorArgs> {
    match kind {
        Factorization::Ilu0 => ILU0,
        Factorization::Ic0 => IC0,
    }
}

/// Threads of a block.
pub const THREADS: u32 = FACTOR_WARPS * 32;
/// Unknowns of a node that there are kernels for, the largest first.
const SIZES: [u32; 5] = [6, 5, 4, 3, 2];

/// Nodes by level.
pub struct FactorNodes {
    size: u32,
    pub count: u32,
    pub order: DeviceArray,
}

impl FactorNodes {
    /// The largest nodes that a pattern has, of a real type, if any. Waits for the stream.
    pub fn find(plan: &CudaPlan, launcher: &Launcher, arrays: Arrays) -> Result<Option<FactorNodes>> {
        let shape = plan.stored.shape();
        for size in SIZES {
            let may_be = shape.n % size == 0 && shape.nnz % (size * size) == 0 && !shape.dtype.is_complex();
            if !may_be || !is_of_nodes(launcher, shape, arrays, size)? {
                continue;
            }
            // A node comes before those that need it, as its first row comes before theirs.
            let (order, count) = factor_order::nodes(plan, launcher, size)?;
            let found = FactorNodes { size, count, order };
            // Loaded now, as the first factorisation may be captured into a graph.
            for kind in [Factorization::Ilu0, Factorization::Ic0] {
                found.kernel(launcher, kind)?;
            }
            return Ok(Some(found));
        }
        Ok(None)
    }

    pub fn kernel(&self, launcher: &Launcher, kind: Factorization) -> Result<Kernel<FactorArgs>> {
        launcher.kernel(kernels(kind), format_args!("nodes_{}", self.size))
    }
}

/// Whether each row has the columns of its node's first one, in whole nodes that a warp has lanes for.
fn is_of_nodes(launcher: &Launcher, shape: &Shape, arrays: Arrays, node: u32) -> Result<bool> {
    let found = DeviceArray::copy_of(launcher.gpu, &[0u32], launcher.stream)?;
    let pattern = Pattern::new(shape, arrays);
    let args = NodesArgs { pattern, found: found.address(), node, most_blocks: FACTOR_MOST_BLOCKS };
    // A warp for each row.
    let blocks = shape.n.div_ceil(FACTOR_WARPS);
    launcher.setup_kernel(CHECK, "")?.launch(blocks, THREADS, 0, &args)?;
    Ok(found.read::<u32>(1, launcher.stream)? == [0])
}
