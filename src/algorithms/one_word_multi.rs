//! ONE_WORD for several right-hand sides: one pass over the matrix for two of them, or for as many as 16 bytes
//! hold. Twice as many take more than twice the time.
#![forbid(unsafe_code)]

use super::one_word::{self, OneWord};
use super::Multi;
use crate::executor::cuda::args::MultiArgs;
use crate::executor::cuda::{CudaPlan, Gpu, Launcher};
use crate::problem::DataType;
use crate::status::Result;
use crate::tuning::ONE_WORD_BLOCK;

impl Multi for OneWord {
    fn most_columns(&self, _gpu: &Gpu, dtype: DataType) -> u32 {
        (16 / dtype.bytes()).max(2) as u32
    }
    fn row_bytes(&self, dtype: DataType, columns: u32) -> usize {
        width(columns) as usize * dtype.bytes()
    }
    fn solve(&self, launcher: &Launcher, plan: &CudaPlan, args: &MultiArgs) -> Result<()> {
        let kernel = launcher.kernel(&format!("one_word_multi{}", width(args.columns)))?;
        kernel.launch(one_word::blocks(launcher, plan, &args.solve), ONE_WORD_BLOCK, 0, args)
    }
}

/// Right-hand sides that the kernel for `columns` of them has room for.
fn width(columns: u32) -> u32 {
    columns.next_power_of_two()
}
