//! TILED for several right-hand sides, in groups of four columns. The passes of all groups over the matrix go beside each other.
//! A group has two columns where they are complex (four take as long a column, and three longer), or where levels are narrower than a
//! warp.
#![forbid(unsafe_code)]

use super::shared::TILED_FEW_WARPS;
use super::{TiledPlan, MULTI};
use crate::analysis::work_items::LANES;
use crate::error::Result;
use crate::executor::cuda::args::MultiArgs;
use crate::executor::cuda::engine::{multi_width, Multi};
use crate::executor::cuda::{Launcher, Stored};
use crate::problem::DataType;

/// Columns of a group, at most, on a GPU where a block has so much shared memory.
pub fn most_of_group(dtype: DataType, shared_bytes: u32) -> u32 {
    let mut most = if dtype.is_complex() { 2 } else { 4 };
    while most > 1 && super::shared_bytes(dtype, most) > shared_bytes {
        most /= 2;
    }
    most
}

/// The same of a pattern.
pub fn of_group(launcher: &Launcher, stored: &Stored) -> u32 {
    let is_narrow = stored.n() as usize <= LANES as usize * stored.levels;
    let most = most_of_group(launcher.dtype, launcher.gpu.shared_bytes_per_block());
    if is_narrow {
        most.min(2)
    } else {
        most
    }
}

impl Multi for TiledPlan {
    fn most_columns(&self, stored: &Stored, row_bytes: usize) -> u32 {
        let room = (row_bytes / stored.dtype().bytes()) as u32;
        match self.of_group {
            1 => 1,
            of_group => room / of_group * of_group,
        }
    }
    fn row_bytes(&self, dtype: DataType, columns: u32) -> usize {
        let width = self.width(columns);
        (columns.div_ceil(width) * width) as usize * dtype.bytes()
    }
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &MultiArgs) -> Result<()> {
        let width = self.width(args.columns);
        let permuted = if args.solve.row_permuted != 0 { "_permuted" } else { "" };
        let kernel = launcher.kernel(MULTI, format_args!("{width}{permuted}"))?;
        let shared = super::shared_bytes(launcher.dtype, width);
        kernel.allow_shared(shared)?;
        let tiles = args.solve.tiles * args.columns.div_ceil(width);
        kernel.launch(super::blocks(launcher, tiles), TILED_FEW_WARPS * 32, shared, args)
    }
}

impl TiledPlan {
    /// Columns of each group, where there are so many in all.
    fn width(&self, columns: u32) -> u32 {
        multi_width(columns).min(self.of_group)
    }
}
