//! SLFC: column-wise, self-scheduled (R. Li, algorithm 4).
#![forbid(unsafe_code)]

use super::self_scheduled::SelfScheduled;
use super::{BEFORE_COLUMNS, SLFC};
use crate::analysis::{Findings, Needs};
use crate::error::Result;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::{Launcher, Stored};
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
    fn complete(&self, _: &Launcher, _: &mut Stored, _: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(SelfScheduled { kernel: SLFC, prologue: BEFORE_COLUMNS }))
    }
}
