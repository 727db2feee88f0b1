//! BLOCK: for many right-hand sides. Row-wise in level order, a warp for a row and a lane of it for each of 32 columns.
#![forbid(unsafe_code)]

mod cost;
mod shared;
pub mod tuning;

use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Needs, Schedule};
use crate::engines::by_rows;
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{Algorithm, EnginePlan, Multi, MANY_COLUMNS};
use crate::executor::cuda::{KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::DataType;
use crate::select::decision::Decision;
use crate::select::features::Features;
use crate::workspace::QUEUE_BYTES;
use tuning::{
    BLOCK_AHEAD, BLOCK_COLUMNS, BLOCK_DIAGONAL_BYTES, BLOCK_ENTRIES, BLOCK_FEWEST_COLUMNS,
    BLOCK_LEVELS_AHEAD, BLOCK_MORE, BLOCK_MOST_COLUMNS, BLOCK_PACK_THREADS, BLOCK_QUEUE_WORDS,
    BLOCK_ROW_BYTES, BLOCK_THREADS, BLOCK_WIDE_THREADS,
};

pub struct Block;

// A queue for each warp.
const _: () = assert!((BLOCK_THREADS / 32 * BLOCK_QUEUE_WORDS * 4) as usize <= QUEUE_BYTES);

/// The kernels, by the number of columns: for patterns without segments of rows and with some, and those before and behind them.
const ROWS: [KernelName<MultiArgs>; 2] = [KernelName::new("block"), KernelName::new("block_segments")];
const BEGIN: KernelName<MultiArgs> = KernelName::new("block_begin");
const END: KernelName<MultiArgs> = KernelName::new("block_end");

/// Shared memory of a warp with so many columns: what it knows of a few rows before their rounds (where each is, its first entries,
/// right-hand sides and the diagonal), and further entries. The size of `BlockCopies` in kernels/block/block.cu, which checks that.
fn warp_bytes(dtype: DataType, columns: u32) -> u32 {
    let value = dtype.bytes() as u32;
    let entries = 32 * (value + 4);
    BLOCK_AHEAD * (BLOCK_ROW_BYTES + entries + columns * value + BLOCK_DIAGONAL_BYTES) + BLOCK_MORE * entries
}

/// Bytes of the caller's buffer for a row of one column: of the right-hand side, and the word that is published.
fn column_bytes(dtype: DataType) -> usize {
    2 * dtype.bytes()
}

/// The most warps of a block.
fn most_warps(columns: u32) -> u32 {
    let threads = if columns > 32 { BLOCK_WIDE_THREADS } else { BLOCK_THREADS };
    threads / 32
}

impl Algorithm for Block {
    fn id(&self) -> i32 {
        21
    }
    fn name(&self) -> &'static str {
        "block"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { locality_order: false, ..by_rows::needs() }
    }
    fn is_for_columns(&self, right_hand_sides: i64) -> bool {
        right_hand_sides >= MANY_COLUMNS
    }
    fn is_for(&self, form: Form) -> bool {
        form == Form::ManyColumns
    }
    fn cost(&self, features: &Features, best: Option<Decision>) -> Result<Option<Decision>> {
        Ok(cost::cost(features, best))
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn row_bytes(&self, dtype: DataType, right_hand_sides: i64) -> usize {
        let columns = match right_hand_sides > i64::from(BLOCK_COLUMNS) {
            true => BLOCK_MOST_COLUMNS,
            false => BLOCK_COLUMNS,
        };
        columns as usize * column_bytes(dtype)
    }
    fn cut(&self, dtype: DataType, _form: Form) -> Cut {
        by_rows::cut_by_rows(dtype)
    }
    fn prepare(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        by_rows::prepare_by_rows(launcher, stored, schedule, found)
    }
    fn complete(&self, _: &Launcher, _: &mut Stored, found: Findings) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(BlockPlan { has_segments: found.has_segments }))
    }
}

/// What BLOCK keeps of a matrix.
struct BlockPlan {
    /// Whether rows are cut into segments.
    has_segments: bool,
}

impl EnginePlan for BlockPlan {
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, stored, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
    fn numbers(&self) -> Vec<u32> {
        vec![self.has_segments as u32]
    }
}

impl Multi for BlockPlan {
    fn most_columns(&self, stored: &Stored, row_bytes: usize) -> u32 {
        (row_bytes / column_bytes(stored.dtype())) as u32
    }
    fn takes_rows(&self) -> bool {
        true
    }
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &MultiArgs) -> Result<()> {
        let n = args.solve.n;
        let segments = match self.has_segments {
            true => by_rows::most_row_segments(launcher, stored),
            false => 0,
        };
        let args = &MultiArgs { solve: SolveArgs { words: n + segments, ..args.solve }, ..*args };
        let width = args.columns.next_power_of_two().max(BLOCK_FEWEST_COLUMNS);
        let by_squares = |name, rows: u32| {
            let kernel = launcher.kernel(name, width)?;
            kernel.launch(rows.div_ceil(32), BLOCK_PACK_THREADS, 0, args)
        };
        by_squares(BEGIN, n + segments)?;
        // A warp for each row of some levels, and for as many more as rows are long.
        let rounds = (stored.entries as u64).div_ceil(n as u64 * BLOCK_ENTRIES).max(1);
        let warps = n as u64 * BLOCK_LEVELS_AHEAD * rounds / stored.levels.max(1) as u64;
        let of_warp = warp_bytes(launcher.dtype, width);
        let of_block = (launcher.gpu.shared_bytes_per_block() / of_warp).min(most_warps(width));
        let blocks = (warps / of_block as u64).clamp(1, launcher.multiprocessors as u64);
        let kernel = launcher.kernel(ROWS[self.has_segments as usize], width)?;
        kernel.allow_shared(of_block * of_warp)?;
        kernel.launch(blocks as u32, of_block * 32, of_block * of_warp, args)?;
        by_squares(END, n)
    }
}
