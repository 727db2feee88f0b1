//! LEVR: row-wise, level-scheduled (R. Li, algorithm 1).
#![forbid(unsafe_code)]

use super::level;
use crate::analysis::Needs;
use crate::engines::{Algorithm, Multi};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;

pub struct Levr;

impl Algorithm for Levr {
    fn id(&self) -> i32 {
        1
    }
    fn name(&self) -> &'static str {
        "levr"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, rows: true, ..Needs::default() }
    }
    fn host(&self) -> Method {
        Method::Levr
    }
    fn complete(&self, launcher: &Launcher, plan: &mut CudaPlan) -> Result<()> {
        level::build_graph(launcher, plan, self.name())
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, plan, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
}

impl Multi for Levr {
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        level::solve(launcher, plan, args, self.name(), "prologue_rows")
    }
}
