//! WIDE: row-wise in level order, a launch for each level; for levels so wide that they are streamed and not waited for.
//! Where levels are too many for that, the matrix is left to it.
#![forbid(unsafe_code)]

pub mod cost;
mod shared;
pub mod tuning;

use std::time::Duration;

use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Needs, Schedule};
use crate::engines::by_rows;
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{multi_width, Algorithm, EnginePlan, Multi};
use crate::executor::cuda::{Gpu, KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use tuning::{WIDE_BLOCK, WIDE_BLOCKS, WIDE_BLOCKS_MULTI, WIDE_MOST_LEVELS};

pub struct Wide;

/// The kernel, and those for several right-hand sides, by their number.
const WIDE: KernelName<SolveArgs> = KernelName::new("wide");
const MULTI: KernelName<MultiArgs> = KernelName::new("wide_multi");

impl Algorithm for Wide {
    fn id(&self) -> i32 {
        19
    }
    fn name(&self) -> &'static str {
        "wide"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { locality_order: false, wide_levels: WIDE_MOST_LEVELS, ..by_rows::needs() }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn cut(&self, dtype: DataType, _form: Form) -> Cut {
        by_rows::cut_by_rows(dtype)
    }
    fn is_for(&self, form: Form) -> bool {
        form == Form::WideLevels
    }
    fn cost(&self, features: &Features, _best: Option<Decision>) -> Result<Option<Decision>> {
        Ok(cost::cost(features))
    }
    fn promise(&self, _gpu: &Gpu, _shape: &Shape, rows: Counts) -> Option<Duration> {
        (rows.levels <= WIDE_MOST_LEVELS).then(|| cost::predict(rows))
    }
    fn prepare(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        by_rows::prepare_by_rows(launcher, stored, schedule, found)
    }
    fn complete(&self, _: &Launcher, _: &mut Stored, found: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(WidePlan { level_ptr: found.level_ptr, has_segments: found.has_segments }))
    }
}

/// What WIDE keeps of a matrix.
struct WidePlan {
    /// The first work item of each level, and past the last.
    level_ptr: Vec<u32>,
    has_segments: bool,
}

impl EnginePlan for WidePlan {
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &SolveArgs) -> Result<()> {
        let most = if launcher.dtype == DataType::C64 { WIDE_BLOCKS_MULTI } else { WIDE_BLOCKS };
        let kernel = launcher.kernel_overlapped(WIDE, "")?;
        self.each_level(launcher, most, |begin, end, blocks| {
            kernel.launch(blocks, WIDE_BLOCK, 0, &SolveArgs { begin, end, ..*args })
        })
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
    fn numbers(&self) -> Vec<u32> {
        [self.level_ptr.as_slice(), &[self.has_segments as u32]].concat()
    }
}

impl Multi for WidePlan {
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &MultiArgs) -> Result<()> {
        let kernel = launcher.kernel_overlapped(MULTI, multi_width(args.columns))?;
        self.each_level(launcher, WIDE_BLOCKS_MULTI, |begin, end, blocks| {
            let solve = SolveArgs { begin, end, ..args.solve };
            kernel.launch(blocks, WIDE_BLOCK, 0, &MultiArgs { solve, ..*args })
        })
    }
}

impl WidePlan {
    /// Calls `launch(begin, end, blocks)` for the work items of each level: a warp for each, and so many blocks on a multiprocessor
    /// at most.
    fn each_level(
        &self,
        launcher: &Launcher,
        most: u32,
        mut launch: impl FnMut(u32, u32, u32) -> Result<()>,
    ) -> Result<()> {
        let most = launcher.multiprocessors * most;
        self.level_ptr.windows(2).try_for_each(|level| {
            let blocks = (level[1] - level[0]).div_ceil(WIDE_BLOCK / 32).min(most);
            launch(level[0], level[1], blocks)
        })
    }
}
