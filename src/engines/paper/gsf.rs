//! GSF: the synchronization-free baseline (W. Liu et al., 2016).
#![forbid(unsafe_code)]

use super::self_scheduled::SelfScheduled;
use super::{BEFORE_COLUMNS, GSF};
use crate::analysis::{Findings, Needs};
use crate::error::Result;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::{Launcher, Stored};
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
    fn complete(&self, _: &Launcher, _: &mut Stored, _: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(SelfScheduled { kernel: GSF, prologue: BEFORE_COLUMNS }))
    }
}
