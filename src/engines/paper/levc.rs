//! LEVC: column-wise, level-scheduled (R. Li, algorithm 2).
#![forbid(unsafe_code)]

use super::level;
use crate::analysis::Needs;
use crate::engines::{Algorithm, Multi};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;

pub struct Levc;

impl Algorithm for Levc {
    fn id(&self) -> i32 {
        2
    }
    fn name(&self) -> &'static str {
        "levc"
    }
    fn deterministic(&self) -> bool {
        false
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, columns: true, column_values: true, ..Needs::default() }
    }
    fn host(&self) -> Method {
        Method::Levc
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

impl Multi for Levc {
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        level::solve(launcher, plan, args, self.name(), "prologue_columns")
    }
}
