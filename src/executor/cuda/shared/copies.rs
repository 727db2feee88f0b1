//! Arguments of the kernels in kernels/copies/.
#![forbid(unsafe_code)]

use super::{ConstPtr, MutPtr};

/// Threads of a block that gathers values, and values of each, which are on their way together.
pub const VALUES_BLOCK: u32 = 256;
pub const VALUES_EACH: u32 = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ValuesArgs /*<T>*/ {
    pub from: ConstPtr, // <T>
    pub to: MutPtr,     // <T>
    /// Where each value lies.
    pub source: ConstPtr, // <u32>
    pub count: u32,
}

/// Where a plan has the diagonal entries among the values that its solves read: by rows in records, or by position; or by nodes
/// of `node` unknowns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DiagonalPlaces /*<T>*/ {
    pub from: ConstPtr,       // <T>
    pub to: MutPtr,           // <T>
    pub record: ConstPtr,     // <uint4>
    pub node_row: ConstPtr,   // <uint2>
    pub order: ConstPtr,      // <u32>
    pub diag_index: ConstPtr, // <u32>
    pub n: u32,
    pub node: u32,
}

/// Threads of a block that copies a dense matrix, and rows of its tile.
pub const DENSE_BLOCK: u32 = 256;
pub const DENSE_ROWS: u32 = 64;

/// Values from one row to the next, and from one column to the next.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DenseSteps {
    pub row: u64,
    pub column: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DenseArgs /*<T>*/ {
    pub from: ConstPtr, // <T>
    pub to: MutPtr,     // <T>
    pub of_from: DenseSteps,
    pub of_to: DenseSteps,
    pub n: u32,
    pub columns: u32,
}

/// Threads of a block that compares two arrays, and words of each.
pub const EQUAL_BLOCK: u32 = 256;
pub const EQUAL_WORDS: u32 = 8;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct EqualArgs {
    pub a: ConstPtr, // <u32>
    pub b: ConstPtr, // <u32>
    pub words: u64,
    /// Becomes 1 where a word differs.
    pub differ: MutPtr, // <u32>
}

/// Threads of a block that puts rows into another order.
pub const PERMUTE_BLOCK: u32 = 256;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PermuteArgs /*<T>*/ {
    pub from: ConstPtr, // <T>
    pub to: MutPtr,     // <T>
    /// Of each row, where it comes from or goes to.
    pub index: ConstPtr, // <void>
    /// Values from one column to the next.
    pub ld_from: u64,
    pub ld_to: u64,
    pub columns: u64,
    pub n: u32,
    pub base: u32,
    /// Whether indices are of 64 bits.
    pub is_wide: u32,
    /// Whether a row goes to its index, and does not come from there.
    pub scatters: u32,
}
