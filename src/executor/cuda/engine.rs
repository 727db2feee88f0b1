//! What an engine is to the CUDA executor: its name and number, what it needs of an analysis, what it keeps of a matrix, and how it
//! solves; and what chooses among engines.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::args::{MultiArgs, SolveArgs};
use super::{Gpu, Launcher, Stored};
use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Needs, Schedule};
use crate::error::Result;
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use crate::workspace::shared::{ROW_BYTES, SEVERAL_MOST};

/// Which algorithms an analysis is for, and which of them is to solve.
pub trait Choice {
    /// What they need of an analysis on this GPU, whose context is current. Refuses a GPU or a matrix that cannot be served.
    fn needs(&self, gpu: &Gpu, shape: &Shape, right_hand_sides: i64) -> Result<Needs>;
    /// How a pattern is to be solved.
    fn decide(&self, features: &Features) -> Result<Decision>;
    /// The one that solves a schedule of this form.
    fn algorithm(&self, form: Form) -> &'static dyn Algorithm;
}

/// An algorithm on both executors.
pub trait Algorithm: Sync {
    /// Its number in `sptrsvAlgorithm_t`.
    fn id(&self) -> i32;
    /// Its name; kernels are called by it.
    fn name(&self) -> &'static str;
    /// Whether the same solve gives the same bits every time.
    fn deterministic(&self) -> bool;
    /// What it needs of an analysis.
    fn needs(&self) -> Needs;
    /// Adds its needs to those of AUTO, if AUTO may choose it for such a matrix on this GPU.
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
    fn cost_of_columns(&self, _features: &Features, _best: Decision, _columns: i64) -> Option<Duration> {
        None
    }
    /// The method of the host executor.
    fn host(&self) -> Method;
    /// Refuses a GPU or a matrix that it cannot serve.
    fn check(&self, _gpu: &Gpu, _shape: &Shape) -> Result<()> {
        Ok(())
    }
    /// How positions are cut into work items or batches for it. If they are cut, the plan has records too.
    fn cut(&self, _dtype: DataType, _form: Form) -> Cut {
        Cut::None
    }
    /// Whether AUTO has it solve schedules of this form.
    fn is_for(&self, _form: Form) -> bool {
        false
    }
    /// Its best decision for a pattern, with the predicted time, if AUTO is to take it in place of `best`, the best decision of the
    /// engines asked before. It asks for features that take time to find only where they may matter.
    fn cost(&self, _features: &Features, _best: Option<Decision>) -> Result<Option<Decision>> {
        Ok(None)
    }
    /// The least time that the model can predict for a solve of a matrix with these counts. Tuning times the engines with the least
    /// of these times. None: AUTO never chooses it for such a matrix on this GPU.
    fn promise(&self, _gpu: &Gpu, _shape: &Shape, _rows: Counts) -> Option<Duration> {
        None
    }
    /// Adds the arrays that only this algorithm needs to a plan, and what is found in making them to the findings. `schedule` is that
    /// of an analysis on the CPU; one on the GPU has given the plan what `cut` asks for. Work vectors are allocated here, as an
    /// analysis ends by resetting them.
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
    /// Solves for several right-hand sides that read the matrix once; None: each right-hand side is a solve.
    fn multi(&self) -> Option<&dyn Multi> {
        None
    }
    /// Bytes of device memory beside the plan's own arrays.
    fn bytes_held(&self) -> usize {
        0
    }
    /// Words of a work item or batch in the plan's list.
    fn words_of_work_item(&self) -> usize {
        2
    }
    /// Its own numbers of the schedule, for tests.
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
    /// Bytes of a row that are reset to the sentinel there: at most `Algorithm::row_bytes`.
    fn row_bytes(&self, dtype: DataType, columns: u32) -> usize {
        multi_width(columns) as usize * dtype.bytes()
    }
    /// Enqueues one solve on the GPU.
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &MultiArgs) -> Result<()>;
}

/// From so many right-hand sides on AUTO goes by the time for all of them, and not for one.
pub const MANY_COLUMNS: i64 = 16;

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
