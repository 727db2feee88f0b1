//! TILED for several right-hand sides: one pass over the matrix for up to four of them, two where they are complex
//! (four take as long a column, and three longer).
#![forbid(unsafe_code)]

use super::shared::TILED_FEW_WARPS;
use super::{TiledPlan, MULTI};
use crate::engines::engine::{multi_width, Multi};
use crate::error::Result;
use crate::executor::cuda::args::MultiArgs;
use crate::executor::cuda::{Launcher, Stored};

impl Multi for TiledPlan {
    fn most_columns(&self, stored: &Stored) -> u32 {
        let mut most = if stored.dtype().is_complex() { 2 } else { 4 };
        while super::shared_bytes(stored.dtype(), most) > stored.gpu().shared_bytes_per_block() {
            most /= 2;
        }
        most
    }
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &MultiArgs) -> Result<()> {
        let width = multi_width(args.columns);
        let permuted = if args.solve.row_permuted != 0 { "_permuted" } else { "" };
        let kernel = launcher.kernel(MULTI, format_args!("{width}{permuted}"))?;
        let shared = super::shared_bytes(launcher.dtype, width);
        kernel.allow_shared(shared)?;
        kernel.launch(super::blocks(launcher, args.solve.tiles), TILED_FEW_WARPS * 32, shared, args)
    }
}
