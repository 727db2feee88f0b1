//! NODAL: ONE_WORD by nodes, unknowns that depend on the same others. A matrix without nodes is left to ONE_WORD.
#![forbid(unsafe_code)]

pub mod cost;
mod multi;
mod shared;
mod tuning;

use std::time::Duration;

use crate::analysis::work_items::{self, Cut};
use crate::analysis::{nodes, Findings, Form, Needs, Schedule};
use crate::engines::by_rows;
use crate::engines::by_rows::tuning::{ROWS_BLOCK, ROWS_BLOCKS};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{columns_bytes, Algorithm, EnginePlan, Multi};
use crate::executor::cuda::{Gpu, KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, DiagSource, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use tuning::{NODAL_LEVELS_AHEAD, NODAL_VALUES_PER_LANE};

pub struct Nodal;

/// The kernels, and those for several right-hand sides, by the unknowns of a node and `NodalPlan::suffix`.
const NODAL: KernelName<SolveArgs> = KernelName::new("nodal");
const MULTI: KernelName<MultiArgs> = KernelName::new("nodal_multi");

/// Unknowns of other nodes that a lane holds at a time, with a value of each row of its own.
fn entries_per_lane(dtype: DataType, node: u32) -> u32 {
    let values = if dtype == DataType::C64 { NODAL_VALUES_PER_LANE / 2 } else { NODAL_VALUES_PER_LANE };
    (values / node).max(1)
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
        Needs { nodes: true, ..by_rows::needs() }
    }
    fn add_needs(&self, _gpu: &Gpu, _shape: &Shape, needs: &mut Needs) {
        needs.nodes = true;
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn cut(&self, dtype: DataType, form: Form) -> Cut {
        let node = form.node();
        Cut::Levels { entries: entries_per_lane(dtype, node), node, names_rows: false, end_by_rows: false }
    }
    fn is_for(&self, form: Form) -> bool {
        matches!(form, Form::Nodes(_))
    }
    fn cost(&self, features: &Features, _best: Option<Decision>) -> Result<Option<Decision>> {
        Ok(cost::cost(features))
    }
    fn row_bytes(&self, dtype: DataType, right_hand_sides: i64) -> usize {
        columns_bytes(dtype, right_hand_sides)
    }
    fn is_for_columns(&self, _right_hand_sides: i64) -> bool {
        true
    }
    fn cost_of_columns(&self, features: &Features, best: Decision, columns: i64) -> Option<Duration> {
        Some(features.counts.of_rows().in_groups(best.predicted, columns, tuning::NODAL_COLUMN_ROW_SECONDS))
    }
    fn promise(&self, _gpu: &Gpu, _shape: &Shape, rows: Counts) -> Option<Duration> {
        Some(cost::least(rows))
    }
    fn prepare(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        if let Some((schedule, nodes)) = schedule.and_then(|s| s.nodes.as_ref().map(|n| (s, n))) {
            let lists = schedule.rows.as_ref().expect("asked for");
            let entries = entries_per_lane(launcher.dtype, nodes.size);
            let work_items = work_items::of_levels(&schedule.level_ptr, &lists.ptr, entries, nodes.size)?;
            stored.set_work_items(launcher, &work_items)?;
            stored.set_records(launcher, &nodes::records(schedule, nodes))?;
            stored.base.node_row = stored.keep(launcher, &nodes.rows)?;
            if stored.is_permuted() {
                stored.release(&[stored.base.row_val]);
                stored.base.row_val = stored.keep(launcher, &nodes.index)?;
            }
            (found.diag_in_rows, found.rows_follow) = (nodes.diag_in_rows(), nodes.rows_follow(&lists.ptr));
        }
        stored.add_work_vectors(launcher, 0)
    }
    fn complete(&self, _: &Launcher, stored: &mut Stored, found: Findings) -> Result<Box<dyn EnginePlan>> {
        let node = found.form.node();
        let are_rows = node > 1 && stored.diag_source() == DiagSource::Matrix && !stored.is_permuted();
        stored.base.diag_in_rows = (found.diag_in_rows && are_rows) as u32;
        Ok(Box::new(NodalPlan { node, is_whole: stored.base.diag_in_rows != 0 && found.rows_follow }))
    }
}

/// What NODAL keeps of a matrix.
struct NodalPlan {
    /// Unknowns of a node.
    node: u32,
    /// Whether each node's rows lie one behind the other, each with its diagonal, so that they can be copied as one.
    is_whole: bool,
}

impl NodalPlan {
    /// What the name of a kernel for such nodes ends with.
    fn suffix(&self) -> &'static str {
        if self.is_whole {
            "_whole"
        } else {
            ""
        }
    }
}

impl EnginePlan for NodalPlan {
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()> {
        let kernel = launcher.kernel_overlapped(NODAL, format_args!("{}{}", self.node, self.suffix()))?;
        let blocks = by_rows::blocks(launcher, stored, args, 1, NODAL_LEVELS_AHEAD, ROWS_BLOCKS);
        kernel.launch(blocks, ROWS_BLOCK, 0, args)
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
    fn numbers(&self) -> Vec<u32> {
        vec![self.is_whole as u32]
    }
}
