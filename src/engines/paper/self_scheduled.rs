//! What the self-scheduled algorithms of the paper share: counters are reset, then one warp a row or
//! column starts in schedule order.
#![forbid(unsafe_code)]

use super::tuning::PAPER_BLOCK;
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{EnginePlan, Multi};
use crate::executor::cuda::{KernelName, Launcher, Stored};

/// The kernels of SLFR, SLFC or GSF. They keep nothing of a matrix beside the plan's arrays.
pub struct SelfScheduled {
    pub kernel: KernelName<MultiArgs>,
    pub prologue: KernelName<MultiArgs>,
}

impl EnginePlan for SelfScheduled {
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, stored, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
}

impl Multi for SelfScheduled {
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &MultiArgs) -> Result<()> {
        let n = args.solve.n as u64;
        launcher.kernel(self.prologue, "")?.cover(n, PAPER_BLOCK, args)?;
        let columns = if args.columns > 1 { "_multi" } else { "" };
        launcher.kernel(self.kernel, columns)?.cover(n * 32, PAPER_BLOCK, args)
    }
}
