//! THIN: 32 positions of the level order at a time by a warp, for levels so narrow that a row mostly depends on the one before
//! it: bands, dense blocks, the ends of complete factors. What comes before such levels goes by ONE_WORD.
#![forbid(unsafe_code)]

use super::one_word::{self, OneWord};
use super::Algorithm;
use crate::analysis::slices::Cut;
use crate::analysis::thin::ThinEnd;
use crate::analysis::{Engine, Needs, Schedule};
use crate::error::Result;
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Gpu, Launcher};
use crate::executor::host::Method;
use crate::problem::DataType;
use crate::tuning::{CLUSTER_BLOCKS, PANEL_PLACES, THIN_RING, THIN_WARPS};

pub struct Thin;

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
pub fn is_available(gpu: &Gpu, dtype: DataType) -> bool {
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
        OneWord.needs()
    }
    fn host(&self) -> Method {
        OneWord.host()
    }
    fn cut(&self, dtype: DataType, _engine: Engine) -> Cut {
        Cut::Levels { entries: one_word::entries_per_lane(dtype), node: 1, wide: false, thin: true }
    }
    fn prepare(&self, launcher: &Launcher, plan: &mut CudaPlan, schedule: Option<&Schedule>) -> Result<()> {
        if is_available(launcher.gpu, launcher.dtype) {
            launcher.kernel("thin")?.allow_shared(shared_bytes(launcher.dtype))?;
        }
        one_word::prepare(launcher, plan, schedule, |level_ptr, slices| {
            ThinEnd::best(level_ptr, 1).map(|end| end.first_slice(level_ptr, slices))
        })
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        // Where no end gains, all levels are it.
        let begin = plan.narrow.unwrap_or(0);
        if plan.levels == 1 || !is_available(launcher.gpu, launcher.dtype) {
            return one_word::solve(launcher, plan, args, None);
        }
        one_word::solve_slices(launcher, plan, args, 0, begin)?;
        let end = SolveArgs { begin, end: args.slices, ..*args };
        let threads = warps(launcher.dtype) * 32;
        // On a part of a GPU there may be no room for a cluster.
        launcher
            .kernel_before_turn("thin")?
            .launch(CLUSTER_BLOCKS, threads, shared_bytes(launcher.dtype), &end)
            .or_else(|_| one_word::solve_slices(launcher, plan, args, begin, args.slices))
    }
}
