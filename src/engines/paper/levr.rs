//! LEVR: row-wise, level-scheduled (R. Li, algorithm 1).
#![forbid(unsafe_code)]

use super::level::LevelPlan;
use super::{BEFORE_ROWS, LEVR, LEVR_GRAPH};
use crate::analysis::{Findings, Needs};
use crate::error::Result;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::{Launcher, Stored};
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
    fn complete(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        found: Findings,
    ) -> Result<Box<dyn EnginePlan>> {
        let kernels = [LEVR, BEFORE_ROWS];
        Ok(Box::new(LevelPlan::new(launcher, stored, found.level_ptr, kernels, LEVR_GRAPH)?))
    }
}
