//! The caller's pattern as it lies, zero-based.

use crate::address::Address;
use crate::problem::{Arrays, Index, Shape};

/// A pattern in the caller's arrays.
pub struct Pattern {
    pub arrays: Arrays,
    pub shape: Shape,
}

impl Pattern {
    /// An index of the caller's, zero-based.
    fn index(&self, address: Address, width: Index, i: usize) -> usize {
        // SAFETY: by the caller's promise the arrays are as long as the analysis has seen them.
        let index = unsafe {
            match width {
                Index::I32 => i64::from(address.pointer::<i32>().add(i).read()),
                Index::I64 => address.pointer::<i64>().add(i).read(),
            }
        };
        (index - self.shape.base()) as usize
    }

    /// The entries of a row.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        let at = |i| self.index(self.arrays.ptr, self.shape.descr.offsets, i);
        at(i)..at(i + 1)
    }

    pub fn column(&self, e: usize) -> usize {
        self.index(self.arrays.ind, self.shape.descr.columns, e)
    }
}
