//! A copy of the pattern of an analysis, by which a later one of the same pattern is recognised.

use crate::address::Address;
use crate::problem::{Arrays, Shape};

/// The offsets and the indices of a pattern, as the caller's arrays had them.
pub struct KeptPattern([Vec<u8>; 2]);

impl KeptPattern {
    /// A copy of a pattern that is known to be well-formed; none where there is no memory for it.
    pub fn new(shape: &Shape, arrays: Arrays) -> Option<KeptPattern> {
        let copy = |given: &[u8]| {
            let mut copied = Vec::new();
            copied.try_reserve_exact(given.len()).ok()?;
            copied.extend_from_slice(given);
            Some(copied)
        };
        let [offsets, indices] = shape.pattern_bytes();
        // SAFETY: the analysis has found the caller's arrays to be that long.
        let given = unsafe { [bytes(arrays.ptr, offsets), bytes(arrays.ind, indices)] };
        Some(KeptPattern([copy(given[0])?, copy(given[1])?]))
    }

    /// Whether the caller's pattern, of the same shape, is equal.
    pub fn equals(&self, shape: &Shape, arrays: Arrays) -> bool {
        let [offsets, indices] = shape.pattern_bytes();
        // SAFETY: there are that many offsets; where they are equal, there are that many indices.
        unsafe { self.0[0] == bytes(arrays.ptr, offsets) && self.0[1] == bytes(arrays.ind, indices) }
    }

    pub fn bytes_held(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// # Safety
/// `address` is that of so many bytes, which stay as they are, or there are none.
unsafe fn bytes<'a>(address: Address, count: usize) -> &'a [u8] {
    match count {
        0 => &[],
        _ => std::slice::from_raw_parts(address.pointer(), count),
    }
}
