//! NODAL for several right-hand sides: one pass over the matrix for two of them.
#![forbid(unsafe_code)]

use super::tuning::NODAL_LEVELS_AHEAD;
use super::{NodalPlan, MULTI};
use crate::engines::by_rows;
use crate::engines::by_rows::tuning::{ROWS_BLOCK, ROWS_BLOCKS};
use crate::engines::engine::Multi;
use crate::error::Result;
use crate::executor::cuda::args::MultiArgs;
use crate::executor::cuda::{Launcher, Stored};

impl Multi for NodalPlan {
    fn most_columns(&self, _stored: &Stored) -> u32 {
        2
    }
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &MultiArgs) -> Result<()> {
        let kernel = launcher.kernel(MULTI, format_args!("{}{}", self.node, self.suffix()))?;
        let blocks = by_rows::blocks(launcher, stored, &args.solve, 1, NODAL_LEVELS_AHEAD, ROWS_BLOCKS);
        kernel.launch(blocks, ROWS_BLOCK, 0, args)
    }
}
