//! Arguments of sweeps.
#![forbid(unsafe_code)]

use super::{ConstPtr, MutPtr, Pattern};

/// Threads of a block.
pub const SWEEP_THREADS: u32 = 256;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SweepArgs /*<T>*/ {
    pub pattern: Pattern,
    pub val: ConstPtr, // <T>
    pub b: ConstPtr,   // <T>
    pub x: MutPtr,     // <T>
    /// null: that of A.
    pub diagonal: ConstPtr, // <T>
    /// By row: where its diagonal entry lies, behind the lower triangle's; null: anywhere.
    pub place: ConstPtr, // <u32>
    /// r.
    pub rest: MutPtr, // <T>
    /// D'; null where that is the diagonal of A.
    pub scaled: MutPtr, // <T>
    /// By row: those with `points` are relaxed; null: all are.
    pub marker: ConstPtr, // <i32>
    /// Of the diagonal, the reciprocal of the weight.
    pub factor: f64,
    /// Of a row, a power of two.
    pub lanes: u32,
    /// Whether the triangle is the upper one.
    pub backward: u32,
    /// Whether x counts as zero.
    pub is_zero: u32,
    pub points: i32,
}
