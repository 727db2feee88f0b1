//! ONE_WORD for several right-hand sides: one pass over the matrix for as many as a sector of L2 holds of a row, of which a lane
//! takes two.
#![forbid(unsafe_code)]

use super::tuning::{ONE_WORD_LEVELS_AHEAD, ONE_WORD_PER_LANE};
use super::{OneWordPlan, MULTI};
use crate::engines::by_rows;
use crate::engines::by_rows::tuning::{ROWS_BLOCK, ROWS_BLOCKS};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs, State};
use crate::executor::cuda::engine::{multi_width, sector_columns, Multi};
use crate::executor::cuda::{Launcher, Stored};

impl Multi for OneWordPlan {
    fn most_columns(&self, stored: &Stored, _row_bytes: usize) -> u32 {
        let most = sector_columns(stored.dtype());
        // Queues hand out a column group of each work item for every two of them.
        if stored.work_items() <= State::MOST_PIECES / (most / ONE_WORD_PER_LANE) {
            most
        } else {
            1
        }
    }
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &MultiArgs) -> Result<()> {
        let width = multi_width(args.columns);
        let (column_groups, ahead) = (width / ONE_WORD_PER_LANE, ONE_WORD_LEVELS_AHEAD);
        let blocks = by_rows::blocks(launcher, stored, &args.solve, column_groups, ahead, ROWS_BLOCKS);
        let solve = SolveArgs { begin: 0, end: args.solve.work_items, ..args.solve };
        let kernel = launcher.kernel(MULTI, width)?;
        kernel.launch(blocks, ROWS_BLOCK, 0, &MultiArgs { solve, ..*args })
    }
}
