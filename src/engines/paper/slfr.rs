//! SLFR: row-wise, self-scheduled (R. Li, algorithm 3).
#![forbid(unsafe_code)]

use super::self_scheduled;
use crate::analysis::Needs;
use crate::engines::{Algorithm, Multi};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;

pub struct Slfr;

impl Algorithm for Slfr {
    fn id(&self) -> i32 {
        3
    }
    fn name(&self) -> &'static str {
        "slfr"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, rows: true, columns: true, counts: true, ..Needs::default() }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, plan, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
}

impl Multi for Slfr {
    fn solve(&self, launcher: &Launcher, _plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        self_scheduled::solve(launcher, args, self.name(), "prologue_rows")
    }
}
