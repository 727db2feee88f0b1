//! NODAL for several right-hand sides: groups of two columns go beside each other, each in a pass over the matrix.
#![forbid(unsafe_code)]

use super::tuning::NODAL_LEVELS_AHEAD;
use super::{NodalPlan, MULTI};
use crate::engines::by_rows;
use crate::engines::by_rows::tuning::{ROWS_BLOCK, ROWS_BLOCKS};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, State};
use crate::executor::cuda::engine::Multi;
use crate::executor::cuda::{Launcher, Stored};
use crate::problem::DataType;

/// Columns of a group.
const OF_GROUP: u32 = 2;

impl Multi for NodalPlan {
    fn most_columns(&self, stored: &Stored, row_bytes: usize) -> u32 {
        let room = row_bytes / stored.dtype().bytes();
        // Queues hand out each work item for every group.
        let groups = (room as u32 / OF_GROUP).min(State::MOST_PIECES / stored.work_items().max(1));
        (groups * OF_GROUP).max(1)
    }
    fn row_bytes(&self, dtype: DataType, columns: u32) -> usize {
        columns.next_multiple_of(OF_GROUP) as usize * dtype.bytes()
    }
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &MultiArgs) -> Result<()> {
        let groups = args.columns.div_ceil(OF_GROUP);
        let kernel = launcher.kernel(MULTI, format_args!("{}{}", self.node, self.suffix()))?;
        let blocks = by_rows::blocks(launcher, stored, &args.solve, groups, NODAL_LEVELS_AHEAD, ROWS_BLOCKS);
        kernel.launch(blocks, ROWS_BLOCK, 0, args)
    }
}
