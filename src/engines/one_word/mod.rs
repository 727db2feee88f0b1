//! ONE_WORD: row-wise in level order, each unknown published in one word that is value and flag.
#![forbid(unsafe_code)]

pub mod cost;
mod layout;
mod multi;
mod shared;
pub mod tuning;

use std::time::Duration;

use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Needs, Schedule, NONE};
use crate::engines::by_rows;
use crate::engines::by_rows::tuning::{ROWS_BLOCK, ROWS_BLOCKS};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{Algorithm, EnginePlan, Multi};
use crate::executor::cuda::shared::cluster::CLUSTER_BLOCKS;
use crate::executor::cuda::{Gpu, KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use tuning::{
    NARROW_RING, NARROW_WARPS, ONE_LEVEL_BLOCKS, ONE_WORD_BLOCKS_CACHED, ONE_WORD_CACHED_PART,
    ONE_WORD_LEVELS_AHEAD,
};

pub struct OneWord;

/// The kernels: for rows, for a narrow end, for a pattern of one level, and for several right-hand sides, by their number.
const ROWS: KernelName<SolveArgs> = KernelName::new("one_word");
const NARROW: KernelName<SolveArgs> = KernelName::new("one_word_narrow");
const LEVEL: KernelName<SolveArgs> = KernelName::new("one_word_level");
const MULTI: KernelName<MultiArgs> = KernelName::new("one_word_multi");
/// How the names of the first two go on for patterns without segments of rows and with some.
const SEGMENTS: [&str; 2] = ["", "_segments"];

/// Whether there is one, with room for its ring. docs/performance.md says why not in type z.
fn has_narrow_kernel(launcher: &Launcher) -> bool {
    let gpu = launcher.gpu;
    let has_room = gpu.shared_bytes_per_block() >= NARROW_RING && gpu.multiprocessors() >= CLUSTER_BLOCKS;
    gpu.has_clusters() && has_room && launcher.dtype != DataType::C64
}

impl Algorithm for OneWord {
    fn id(&self) -> i32 {
        16
    }
    fn name(&self) -> &'static str {
        "one_word"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        by_rows::needs()
    }
    fn add_needs(&self, _gpu: &Gpu, _shape: &Shape, needs: &mut Needs) {
        *needs = Needs { levels: true, rows: true, locality_order: true, ..*needs };
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn cut(&self, dtype: DataType, _form: Form) -> Cut {
        by_rows::cut(dtype)
    }
    fn is_for(&self, form: Form) -> bool {
        form == Form::Rows
    }
    fn cost(&self, features: &Features, _best: Option<Decision>) -> Result<Option<Decision>> {
        Ok(cost::cost(features))
    }
    fn promise(&self, _gpu: &Gpu, _shape: &Shape, rows: Counts) -> Option<Duration> {
        Some(cost::predict(rows, rows.levels as f64))
    }
    fn prepare(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        if has_narrow_kernel(launcher) {
            for segments in SEGMENTS {
                launcher.kernel(NARROW, segments)?.allow_shared(NARROW_RING)?;
            }
        }
        by_rows::prepare(launcher, stored, schedule, found, layout::narrow_end)
    }
    fn complete(&self, launcher: &Launcher, _: &mut Stored, found: Findings) -> Result<Box<dyn EnginePlan>> {
        let has_narrow_kernel = has_narrow_kernel(launcher);
        Ok(Box::new(OneWordPlan { narrow: found.end, has_narrow_kernel, has_segments: found.has_segments }))
    }
}

/// What ONE_WORD keeps of a matrix.
pub struct OneWordPlan {
    /// The first work item of the narrow end, where the pattern has one, and whether there is a kernel for it.
    narrow: Option<u32>,
    has_narrow_kernel: bool,
    /// Whether rows are cut into segments.
    has_segments: bool,
}

impl OneWordPlan {
    /// Solves some work items by all blocks; nothing for none.
    pub fn solve_work_items(
        &self,
        launcher: &Launcher,
        stored: &Stored,
        args: &SolveArgs,
        begin: u32,
        end: u32,
    ) -> Result<()> {
        if begin >= end {
            return Ok(());
        }
        let size = launcher.dtype.bytes() as u64;
        let is_cached = args.n as u64 * size * ONE_WORD_CACHED_PART <= launcher.gpu.cached_bytes() as u64;
        let most = if is_cached && size <= 8 { ONE_WORD_BLOCKS_CACHED } else { ROWS_BLOCKS };
        let blocks = by_rows::blocks(launcher, stored, args, 1, ONE_WORD_LEVELS_AHEAD, most);
        let args = SolveArgs { begin, end, ..*args };
        launcher
            .kernel_overlapped(ROWS, SEGMENTS[self.has_segments as usize])?
            .launch(blocks, ROWS_BLOCK, 0, &args)
    }

    /// One that leaves no end to a cluster.
    pub fn without_end(has_segments: bool) -> OneWordPlan {
        OneWordPlan { narrow: None, has_narrow_kernel: false, has_segments }
    }
}

impl EnginePlan for OneWordPlan {
    /// From the narrow end on by one cluster, where there is a kernel for that.
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()> {
        if stored.levels == 1 {
            let most = launcher.multiprocessors * ONE_LEVEL_BLOCKS;
            let blocks = args.n.div_ceil(ROWS_BLOCK).min(most);
            return launcher.kernel(LEVEL, "")?.launch(blocks, ROWS_BLOCK, 0, args);
        }
        let Some(begin) = self.narrow.filter(|_| self.has_narrow_kernel) else {
            return self.solve_work_items(launcher, stored, args, 0, args.work_items);
        };
        self.solve_work_items(launcher, stored, args, 0, begin)?;
        let end = SolveArgs { begin, end: args.work_items, ..*args };
        // On a part of a GPU there may be no room for a cluster. Without one the bits are the same.
        launcher
            .kernel_overlapped(NARROW, SEGMENTS[self.has_segments as usize])?
            .launch(CLUSTER_BLOCKS, NARROW_WARPS * 32, NARROW_RING, &end)
            .or_else(|_| self.solve_work_items(launcher, stored, args, begin, args.work_items))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
    fn numbers(&self) -> Vec<u32> {
        vec![self.narrow.unwrap_or(NONE), self.has_segments as u32]
    }
}
