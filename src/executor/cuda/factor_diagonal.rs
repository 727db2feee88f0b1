//! Factorisations whose updates all go to the diagonal, by a solve of the info's own plan: which patterns they are for, and the
//! launches. kernels/factor/factor_diagonal.cu has the formulas.
#![forbid(unsafe_code)]

use super::pattern::Pattern;
use super::shared::factor::{OnDiagonalArgs, OtherUpdates, OtherUpdatesArgs, ON_DIAGONAL_BLOCK};
use super::{CudaPlan, DeviceArray, KernelName, Launcher};
use crate::address::{Address, Stream};
use crate::error::Result;
use crate::executor::{FactorCall, SolveCall};
use crate::problem::{Arrays, Factorization, Shape};
use crate::scalar::{dispatch, Scalar};

const CHECK: KernelName<OtherUpdatesArgs> = KernelName::new("factor_diagonal_check");
/// Before and after the solve, by the factorisation.
const PRODUCTS: KernelName<OnDiagonalArgs> = KernelName::new("factor_diagonal_products_");
const FINISH: KernelName<OnDiagonalArgs> = KernelName::new("factor_diagonal_finish_");

/// For which factorisations a pattern is such a one.
#[derive(Clone, Copy, Default)]
pub struct OnDiagonal {
    ilu0: bool,
    ic0: bool,
}

impl OnDiagonal {
    /// Of a well-formed pattern of short rows, whose diagonal entries lie where `diag` says. Waits for the stream.
    pub fn find(
        launcher: &Launcher,
        shape: &Shape,
        arrays: Arrays,
        diag: &DeviceArray,
    ) -> Result<OnDiagonal> {
        let found = DeviceArray::copy_of(launcher.gpu, &[OtherUpdates { ilu0: 0, ic0: 0 }], launcher.stream)?;
        let pattern = Pattern::new(shape, arrays);
        let args = OtherUpdatesArgs { pattern, diag: diag.address(), found: found.address() };
        launcher.setup_kernel(CHECK, "")?.cover(shape.n.into(), ON_DIAGONAL_BLOCK, &args)?;
        let others = found.read::<OtherUpdates>(1, launcher.stream)?[0];
        let found = OnDiagonal { ilu0: others.ilu0 == 0, ic0: others.ic0 == 0 };
        // Loaded now, as the first factorisation may be captured into a graph.
        for kind in [Factorization::Ilu0, Factorization::Ic0] {
            if found.serves(kind) {
                launcher.kernel(PRODUCTS, kind.name())?;
                launcher.kernel(FINISH, kind.name())?;
            }
        }
        Ok(found)
    }

    pub fn serves(self, kind: Factorization) -> bool {
        match kind {
            Factorization::Ilu0 => self.ilu0,
            Factorization::Ic0 => self.ic0,
        }
    }
}

/// Enqueues a factorisation of the matrix that `plan` solves with. `state` takes its zero pivot.
pub fn factorize(
    plan: &mut CudaPlan,
    stream: Stream,
    kind: Factorization,
    call: &FactorCall,
    diag: &DeviceArray,
    state: Address,
) -> Result<()> {
    let shape = *plan.stored.shape();
    let bytes = shape.dtype.bytes();
    let pivots = call.work.offset(shape.nnz as usize * bytes);
    let args = OnDiagonalArgs {
        pattern: Pattern::new(&shape, call.arrays),
        val: call.arrays.val,
        diag: diag.address(),
        products: call.work,
        pivots,
        scale: pivots.offset(shape.n as usize * bytes),
        state,
        solver: plan.stored.base.state,
    };
    let solve = SolveCall {
        val: call.work,
        diagonal: Address::NULL,
        f: pivots,
        x: pivots,
        alpha_device: Address::NULL,
        alpha_host: dispatch!(shape.dtype, T => T::ONE.bytes()),
        conjugate: false,
        inverts: true,
        workspace: call.workspace,
        timeout: call.timeout,
        sm_count_target: call.sm_count_target,
    };
    plan.note_use(stream)?;
    plan.launcher(stream).kernel_overlapped(PRODUCTS, kind.name())?.cover(
        shape.n.into(),
        ON_DIAGONAL_BLOCK,
        &args,
    )?;
    plan.begin(stream, &solve)?;
    plan.solve(stream, &solve)?;
    plan.launcher(stream).kernel_overlapped(FINISH, kind.name())?.cover(
        shape.n.into(),
        ON_DIAGONAL_BLOCK,
        &args,
    )
}
