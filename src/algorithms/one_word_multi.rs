//! ONE_WORD for several right-hand sides: one pass over the matrix for two of them, or for as many as 16 bytes
//! hold. Twice as many take more than twice the time.
#![forbid(unsafe_code)]

use super::one_word::{self, OneWord};
use super::{multi_width, Multi};
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, Gpu, Launcher};
use crate::problem::DataType;
use crate::status::Result;
use crate::tuning::{ONE_WORD_BLOCK, ONE_WORD_BLOCKS, ONE_WORD_LEVELS_AHEAD};

impl Multi for OneWord {
    fn most_columns(&self, _gpu: &Gpu, dtype: DataType) -> u32 {
        (16 / dtype.bytes()).max(2) as u32
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        let kernel = launcher.kernel(format_args!("one_word_multi{}", multi_width(args.columns)))?;
        let blocks = one_word::blocks(launcher, plan, &args.solve, ONE_WORD_LEVELS_AHEAD, ONE_WORD_BLOCKS);
        let solve = SolveArgs { begin: 0, end: args.solve.slices, ..args.solve };
        kernel.launch(blocks, ONE_WORD_BLOCK, 0, &MultiArgs { solve, ..*args })
    }
}
