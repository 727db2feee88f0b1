//! What an engine is: how it is known, what it wants of an analysis, what it keeps of a matrix, and how it solves.
#![forbid(unsafe_code)]

use std::time::Duration;

use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Needs, Schedule};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{Gpu, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use crate::workspace::shared::{ROW_BYTES, SEVERAL_MOST};

/// An algorithm on both executors.
pub trait Algorithm: Sync {
    /// Its number in `sptrsvAlgorithm_t`.
    fn id(&self) -> i32;
    /// Its name; kernels are called by it.
    fn name(&self) -> &'static str;
    /// Whether the same solve gives the same bits every time.
    fn deterministic(&self) -> bool;
    /// What it wants of the analysis.
    fn needs(&self) -> Needs;
    /// Adds to what AUTO wants of the analysis on this GPU what it wants itself, where AUTO may leave such a matrix to it.
    fn add_needs(&self, _gpu: &Gpu, _shape: &Shape, _needs: &mut Needs) {}
    /// `Needs::remote_buffer`, of an engine by tiles.
    fn remote_buffer(&self, _gpu: &Gpu, _shape: &Shape) -> u32 {
        0
    }
    /// Whether AUTO may leave so many right-hand sides to it on a GPU, for which it then wants room in the caller's buffer.
    fn is_for_columns(&self, _right_hand_sides: i64) -> bool {
        false
    }
    /// The time that it is predicted to take for so many right-hand sides, where it has groups of them beside each other.
    fn cost_of_columns(&self, _counts: Counts, _best: Decision, _columns: i64) -> Option<Duration> {
        None
    }
    /// The method of the host executor.
    fn host(&self) -> Method;
    /// Refuses a GPU or a matrix that it cannot serve.
    fn check(&self, _gpu: &Gpu, _shape: &Shape) -> Result<()> {
        Ok(())
    }
    /// How it wants positions cut into work items or batches; it then wants records too.
    fn cut(&self, _dtype: DataType, _form: Form) -> Cut {
        Cut::None
    }
    /// Whether AUTO leaves schedules of this form to it.
    fn is_for(&self, _form: Form) -> bool {
        false
    }
    /// How it solves a pattern best, and the time of that by the model, if AUTO is to take it in place of `best`, the best so far.
    /// It asks for features that take time to find out where they may matter.
    fn cost(&self, _features: &Features, _best: Option<Decision>) -> Result<Option<Decision>> {
        Ok(None)
    }
    /// The least time that a solve may take by the model, which knows these counts of rows and no more. Tuning times the engines
    /// that promise most. None: AUTO leaves no such matrix to it on this GPU.
    fn promise(&self, _gpu: &Gpu, _shape: &Shape, _rows: Counts) -> Option<Duration> {
        None
    }
    /// Adds to a plan the arrays that only this algorithm needs, and to the findings what these say. Where the schedule was made on the
    /// GPU there is none here, and the plan has what `cut` asks for. Work vectors are asked for here, as an analysis ends by resetting
    /// them.
    fn prepare(
        &self,
        _launcher: &Launcher,
        _stored: &mut Stored,
        _schedule: Option<&Schedule>,
        _found: &mut Findings,
    ) -> Result<()> {
        Ok(())
    }
    /// What it keeps of a matrix, when the plan's arrays are on the device.
    fn complete(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        found: Findings,
    ) -> Result<Box<dyn EnginePlan>>;
    /// Bytes of the caller's buffer that it wants for a row, where so many right-hand sides are announced.
    fn row_bytes(&self, _dtype: DataType, _right_hand_sides: i64) -> usize {
        ROW_BYTES
    }
}

/// What an algorithm keeps of a matrix, and how it solves on the GPU.
pub trait EnginePlan: Send {
    /// Enqueues one solve.
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()>;
    /// Whether a solve may give reciprocals: see `SolveCall::inverts`.
    fn inverts(&self) -> bool {
        false
    }
    /// What reads the matrix once for several right-hand sides; None: each is a solve.
    fn multi(&self) -> Option<&dyn Multi> {
        None
    }
    /// Bytes of device memory beside the plan's own arrays.
    fn bytes_held(&self) -> usize {
        0
    }
    /// Words of what a warp or block takes at a time, where the plan lists these.
    fn words_of_work_item(&self) -> usize {
        2
    }
    /// What it has found of the schedule, for comparison.
    fn numbers(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// The part of a plan for several right-hand sides at once. Its kernels publish unknowns through the caller's buffer;
/// where a plan has work vectors, they are reset to the sentinel there before each launch.
pub trait Multi {
    /// The most right-hand sides that it takes at once, where the caller's buffer has so many bytes for a row.
    fn most_columns(&self, stored: &Stored, _row_bytes: usize) -> u32 {
        sector_columns(stored.dtype())
    }
    /// Whether right-hand sides may be stored by rows.
    fn takes_rows(&self) -> bool {
        false
    }
    /// Bytes of a row that are reset to the sentinel there, no more than the algorithm wants of the buffer.
    fn row_bytes(&self, dtype: DataType, columns: u32) -> usize {
        multi_width(columns) as usize * dtype.bytes()
    }
    /// Enqueues one solve on the GPU.
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &MultiArgs) -> Result<()>;
}

/// The most right-hand sides at once.
pub const MOST_COLUMNS: i64 = 64;

/// Bytes of a row for the unknowns of so many right-hand sides, as far as they are solved at once.
pub fn columns_bytes(dtype: DataType, right_hand_sides: i64) -> usize {
    (right_hand_sides.clamp(1, MOST_COLUMNS) as usize * dtype.bytes()).next_multiple_of(ROW_BYTES)
}

/// Right-hand sides whose unknowns of a row the caller's buffer has room for, up to a limit.
pub fn sector_columns(dtype: DataType) -> u32 {
    (ROW_BYTES / dtype.bytes()).min(SEVERAL_MOST) as u32
}

/// Right-hand sides that the kernel for `columns` of them has room for.
pub fn multi_width(columns: u32) -> u32 {
    columns.next_power_of_two()
}
