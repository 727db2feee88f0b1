//! LEVC: column-wise, level-scheduled (R. Li, algorithm 2).
#![forbid(unsafe_code)]

use super::level::LevelPlan;
use super::{BEFORE_COLUMNS, LEVC, LEVC_GRAPH};
use crate::analysis::{Findings, Needs};
use crate::error::Result;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::{Launcher, Stored};
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
    fn complete(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        found: Findings,
    ) -> Result<Box<dyn EnginePlan>> {
        let kernels = [LEVC, BEFORE_COLUMNS];
        Ok(Box::new(LevelPlan::new(launcher, stored, found.level_ptr, kernels, LEVC_GRAPH)?))
    }
}
