//! NODAL: ONE_WORD by nodes, unknowns that depend on the same others. A matrix without nodes is left to ONE_WORD.
#![forbid(unsafe_code)]

pub mod cost;
pub mod layout;
mod multi;
mod tuning;

use super::{one_word, Algorithm, Multi};
use crate::analysis::slices::{self, Cut};
use crate::analysis::{Engine, Needs, Schedule};
use crate::engines::one_word::tuning::{ONE_WORD_BLOCK, ONE_WORD_BLOCKS};
use crate::error::Result;
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;
use crate::problem::DataType;
use tuning::{NODAL_LEVELS_AHEAD, NODAL_VALUES_PER_LANE};

pub struct Nodal;

/// Unknowns of other nodes that a lane holds at a time, with a value of each row of its own; mirrors nodal.cuh.
fn entries_per_lane(dtype: DataType, node: u32) -> u32 {
    let values = if dtype == DataType::C64 { NODAL_VALUES_PER_LANE / 2 } else { NODAL_VALUES_PER_LANE };
    (values / node).max(1)
}

/// What a kernel is called for the nodes of a plan.
pub(super) fn nodes_of(plan: &CudaPlan) -> String {
    format!("{}{}", plan.node(), if plan.whole_nodes { "_whole" } else { "" })
}

impl Algorithm for Nodal {
    fn id(&self) -> i32 {
        18
    }
    fn name(&self) -> &'static str {
        "nodal"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { nodes: true, ..one_word::OneWord.needs() }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn cut(&self, dtype: DataType, engine: Engine) -> Cut {
        let node = engine.node();
        Cut::Levels { entries: entries_per_lane(dtype, node), node, wide: false, thin: false }
    }
    fn prepare(&self, launcher: &Launcher, plan: &mut CudaPlan, schedule: Option<&Schedule>) -> Result<()> {
        if let Some((schedule, nodes)) = schedule.and_then(|s| s.nodes.as_ref().map(|n| (s, n))) {
            let lists = schedule.rows.as_ref().expect("asked for");
            let entries = entries_per_lane(launcher.dtype, nodes.size);
            let slices = slices::of_levels(&schedule.level_ptr, &lists.ptr, entries, nodes.size)?;
            plan.set_slices(launcher, &slices)?;
            plan.set_records(launcher, &layout::records(schedule, nodes))?;
            plan.set_node_rows(launcher, nodes, &lists.ptr)?;
        }
        plan.add_work_vectors(launcher, 0)
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        let kernel = launcher.kernel_before_turn(format_args!("nodal{}", nodes_of(plan)))?;
        let blocks = one_word::blocks(launcher, plan, args, 1, NODAL_LEVELS_AHEAD, ONE_WORD_BLOCKS);
        kernel.launch(blocks, ONE_WORD_BLOCK, 0, args)
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
}
