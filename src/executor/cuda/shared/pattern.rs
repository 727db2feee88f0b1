//! The caller's pattern as it lies.
#![forbid(unsafe_code)]

use super::ConstPtr;

/// Offsets of rows and indices of columns, of 32 or 64 bits each. To kernels it is the `Pattern` of kernels/device/pattern.cuh,
/// which reads them zero-based.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct PatternArgs {
    pub row_ptr: ConstPtr, // <void>
    pub col_ind: ConstPtr, // <void>
    /// Whether they are of 64 bits.
    pub wide_offsets: u32,
    pub wide_columns: u32,
    pub base: u32,
    pub n: u32,
}
