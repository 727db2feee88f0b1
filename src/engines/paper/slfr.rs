//! SLFR: row-wise, self-scheduled (R. Li, algorithm 3).
#![forbid(unsafe_code)]

use super::self_scheduled::SelfScheduled;
use super::{BEFORE_ROWS, SLFR};
use crate::analysis::{Findings, Needs};
use crate::error::Result;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::{Launcher, Stored};
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
    fn complete(&self, _: &Launcher, _: &mut Stored, _: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(SelfScheduled { kernel: SLFR, prologue: BEFORE_ROWS }))
    }
}
