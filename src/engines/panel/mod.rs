//! PANEL: up to 32 rows at a time by a block, for complete factors, where neighbouring rows depend on each other and on nearly the
//! same unknowns.
#![forbid(unsafe_code)]

pub mod cost;
pub mod shared;
pub mod tuning;

use std::time::Duration;

use crate::analysis::shared::panels::{PANEL_ITEM_WORDS, PANEL_ROWS};
use crate::analysis::{panels, Findings, Form, Needs, Panels, Schedule};
use crate::error::{Error, Result};
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::engine::{Algorithm, EnginePlan};
use crate::executor::cuda::{Gpu, KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use shared::{PANEL_FEW_WARPS, PANEL_MANY_WARPS, PANEL_WARPS_OF_SM};
use tuning::PANEL_PLACES;

pub struct Panel;

/// The kernels, by `variant`.
const PANEL: KernelName<SolveArgs> = KernelName::new("panel");

/// Bytes of shared memory: a tile of columns.
fn shared_bytes(dtype: DataType) -> u32 {
    PANEL_PLACES * dtype.bytes() as u32
}

/// Warps of a block. More of them are sooner done with a panel of long rows, and fewer panels are on a GPU together.
fn warps(entries: u32, n: u32) -> u32 {
    if panels::rows_are_long(entries, n) {
        PANEL_MANY_WARPS
    } else {
        PANEL_FEW_WARPS
    }
}

/// What the name of a kernel for so many warps ends with.
fn variant(warps: u32) -> &'static str {
    if warps == PANEL_MANY_WARPS {
        "_many"
    } else {
        "_few"
    }
}

/// Whether a GPU has what the kernels are compiled for.
fn is_available(gpu: &Gpu, dtype: DataType) -> bool {
    gpu.has_warp_sums() && gpu.shared_bytes_per_block() >= shared_bytes(dtype)
}

impl Algorithm for Panel {
    fn id(&self) -> i32 {
        22
    }
    fn name(&self) -> &'static str {
        "panel"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, rows: true, panels: Panels::Yes, ..Needs::default() }
    }
    fn add_needs(&self, gpu: &Gpu, shape: &Shape, needs: &mut Needs) {
        if is_available(gpu, shape.dtype) {
            needs.panels = Panels::IfFaster;
        }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn check(&self, gpu: &Gpu, shape: &Shape) -> Result<()> {
        if is_available(gpu, shape.dtype) {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "the panel engine on {}; it needs compute capability 8.0 and {} KiB of shared memory a block",
            gpu.describe(),
            shared_bytes(shape.dtype) >> 10
        )))
    }
    fn is_for(&self, form: Form) -> bool {
        form == Form::Panels
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
        _schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        let warps = warps(stored.entries, stored.n());
        launcher.kernel(PANEL, variant(warps))?.allow_shared(shared_bytes(launcher.dtype))?;
        stored.add_work_vectors(launcher, found.panel_sums.saturating_mul(PANEL_ROWS))?;
        // Where the schedule has no panels they are in natural order.
        if stored.base.work_item.is_null() {
            stored.base.work_items = stored.n().div_ceil(PANEL_ROWS);
        }
        Ok(())
    }
    fn complete(&self, _: &Launcher, stored: &mut Stored, _: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(PanelPlan { warps: warps(stored.entries, stored.n()) }))
    }
}

/// What PANEL keeps of a matrix.
struct PanelPlan {
    /// Of a block.
    warps: u32,
}

impl EnginePlan for PanelPlan {
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &SolveArgs) -> Result<()> {
        let most = launcher.multiprocessors * (PANEL_WARPS_OF_SM / self.warps);
        let blocks = args.work_items.min(most);
        launcher.kernel_overlapped(PANEL, variant(self.warps))?.launch(
            blocks,
            self.warps * 32,
            shared_bytes(launcher.dtype),
            args,
        )
    }
    fn words_of_work_item(&self) -> usize {
        PANEL_ITEM_WORDS as usize
    }
}
