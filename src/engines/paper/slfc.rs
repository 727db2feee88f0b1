//! SLFC: column-wise, self-scheduled (R. Li, algorithm 4).
#![forbid(unsafe_code)]

use super::self_scheduled;
use crate::analysis::Needs;
use crate::engines::{Algorithm, Multi};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;

pub struct Slfc;

impl Algorithm for Slfc {
    fn id(&self) -> i32 {
        4
    }
    fn name(&self) -> &'static str {
        "slfc"
    }
    fn deterministic(&self) -> bool {
        false
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, columns: true, column_values: true, counts: true, ..Needs::default() }
    }
    fn host(&self) -> Method {
        Method::Slfc
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, plan, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
}

impl Multi for Slfc {
    fn solve(&self, launcher: &Launcher, _plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        self_scheduled::solve(launcher, args, self.name(), "prologue_columns")
    }
}
