//! GSF: the synchronization-free baseline (W. Liu et al., 2016).
#![forbid(unsafe_code)]

use super::self_scheduled;
use crate::analysis::Needs;
use crate::engines::{Algorithm, Multi};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;

pub struct Gsf;

impl Algorithm for Gsf {
    fn id(&self) -> i32 {
        5
    }
    fn name(&self) -> &'static str {
        "gsf"
    }
    fn deterministic(&self) -> bool {
        false
    }
    fn needs(&self) -> Needs {
        Needs { columns: true, column_values: true, counts: true, ..Needs::default() }
    }
    fn host(&self) -> Method {
        Method::Gsf
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, plan, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
}

impl Multi for Gsf {
    fn solve(&self, launcher: &Launcher, _plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        self_scheduled::solve(launcher, args, self.name(), "prologue_columns")
    }
}
