//! THIN: ONE_WORD by the blocks of a single cluster, for levels so narrow that more of them are of no use. Where ONE_WORD goes
//! on so at a narrow end, this one begins so.
#![forbid(unsafe_code)]

use super::one_word::{self, OneWord};
use super::{Algorithm, Multi};
use crate::analysis::slices::Cut;
use crate::analysis::{Engine, Needs, Schedule};
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;
use crate::problem::DataType;
use crate::status::Result;

pub struct Thin;

impl Algorithm for Thin {
    fn id(&self) -> i32 {
        20
    }
    fn name(&self) -> &'static str {
        "thin"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        OneWord.needs()
    }
    fn host(&self) -> Method {
        OneWord.host()
    }
    fn cut(&self, dtype: DataType, engine: Engine) -> Cut {
        OneWord.cut(dtype, engine)
    }
    fn prepare(&self, launcher: &Launcher, plan: &mut CudaPlan, schedule: Option<&Schedule>) -> Result<()> {
        OneWord.prepare(launcher, plan, schedule)
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        one_word::solve(launcher, plan, args, Some(0))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        OneWord.multi()
    }
}
