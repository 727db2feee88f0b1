//! THIN: 32 positions of the level order at a time by a warp, for levels so narrow that a row mostly depends on the one before
//! it: bands, dense blocks, the ends of complete factors. What comes before such levels goes by ONE_WORD.
#![forbid(unsafe_code)]

pub mod cost;
pub mod layout;
mod shared;
pub mod tuning;

use std::time::Duration;

use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Needs, Schedule, NONE};
use crate::engines::by_rows;
use crate::engines::one_word::OneWordPlan;
use crate::engines::panel::tuning::PANEL_PLACES;
use crate::error::Result;
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::shared::cluster::CLUSTER_BLOCKS;
use crate::executor::cuda::{Gpu, KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use tuning::{THIN_RING, THIN_WARPS};

pub struct Thin;

/// The kernel.
const THIN: KernelName<SolveArgs> = KernelName::new("thin");

/// Warps of a block: what its shared memory has tiles for.
fn warps(dtype: DataType) -> u32 {
    if dtype == DataType::C64 {
        THIN_WARPS / 2
    } else {
        THIN_WARPS
    }
}

/// Bytes of shared memory: the ring, and a tile for each warp.
fn shared_bytes(dtype: DataType) -> u32 {
    THIN_RING + warps(dtype) * PANEL_PLACES * dtype.bytes() as u32
}

/// Whether a GPU has clusters, and room for one.
fn is_available(gpu: &Gpu, dtype: DataType) -> bool {
    let has_room = gpu.shared_bytes_per_block() >= shared_bytes(dtype);
    gpu.has_clusters() && has_room && gpu.multiprocessors() >= CLUSTER_BLOCKS
}

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
        by_rows::needs()
    }
    fn add_needs(&self, gpu: &Gpu, shape: &Shape, needs: &mut Needs) {
        needs.narrow_levels = is_available(gpu, shape.dtype);
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn cut(&self, dtype: DataType, _form: Form) -> Cut {
        Cut::Levels {
            entries: by_rows::entries_per_lane(dtype),
            node: 1,
            names_rows: false,
            end_by_rows: true,
        }
    }
    fn is_for(&self, form: Form) -> bool {
        form == Form::NarrowLevels
    }
    fn cost(&self, features: &Features, best: Option<Decision>) -> Result<Option<Decision>> {
        best.map_or(Ok(None), |best| cost::cost(features, best))
    }
    fn promise(&self, gpu: &Gpu, shape: &Shape, rows: Counts) -> Option<Duration> {
        is_available(gpu, shape.dtype).then(|| cost::least(rows))
    }
    fn prepare(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        if is_available(launcher.gpu, launcher.dtype) {
            launcher.kernel(THIN, "")?.allow_shared(shared_bytes(launcher.dtype))?;
        }
        by_rows::prepare(launcher, stored, schedule, found, |level_ptr, work_items| {
            layout::best(level_ptr, 1).map(|end| layout::first_work_item(end, level_ptr, work_items))
        })
    }
    fn complete(&self, launcher: &Launcher, _: &mut Stored, found: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(ThinPlan {
            end: found.end,
            is_available: is_available(launcher.gpu, launcher.dtype),
            by_rows: OneWordPlan::without_end(found.has_segments),
        }))
    }
}

/// What THIN keeps of a matrix.
struct ThinPlan {
    /// The first work item of its end. Where no end gains, all levels are it.
    end: Option<u32>,
    is_available: bool,
    /// What solves the levels before.
    by_rows: OneWordPlan,
}

impl EnginePlan for ThinPlan {
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()> {
        let begin = self.end.unwrap_or(0);
        if stored.levels == 1 || !self.is_available {
            return self.by_rows.solve(launcher, stored, args);
        }
        self.by_rows.solve_work_items(launcher, stored, args, 0, begin)?;
        let end = SolveArgs { begin, end: args.work_items, ..*args };
        let threads = warps(launcher.dtype) * 32;
        // On a part of a GPU there may be no room for a cluster.
        launcher
            .kernel_overlapped(THIN, "")?
            .launch(CLUSTER_BLOCKS, threads, shared_bytes(launcher.dtype), &end)
            .or_else(|_| self.by_rows.solve_work_items(launcher, stored, args, begin, args.work_items))
    }
    fn numbers(&self) -> Vec<u32> {
        [vec![self.end.unwrap_or(NONE)], self.by_rows.numbers()].concat()
    }
}
