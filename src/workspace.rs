//! The caller's scratch buffer: one description gives both its size and the places in it.
#![forbid(unsafe_code)]

use crate::analysis::slices;
use crate::problem::Shape;
use crate::tuning::ONE_WORD_ENTRIES_PER_LANE;

/// Places in the buffer, as addresses.
#[derive(Clone, Copy, Debug)]
pub struct Workspace {
    /// `ROW_BYTES` for each of n rows: the unknowns of one or several right-hand sides, or their partial
    /// sums, by position. Then the same for each part that long rows may be cut into.
    pub values: usize,
    /// n 32-bit counters by position.
    pub counters: usize,
}

/// Room for a row's unknowns. A sector of the L2 cache: what one access moves anyway.
pub const ROW_BYTES: usize = 32;

/// So that a row is one sector.
const ALIGN: usize = ROW_BYTES;

/// Lays the buffer out from `base` on and returns the places and the end.
fn lay_out(shape: &Shape, base: usize) -> (Workspace, usize) {
    // The buffer may begin anywhere (csrsv2 takes any alignment): the first place is aligned inside it.
    let values = base.next_multiple_of(ALIGN);
    // A lane takes the fewest entries in the widest type.
    let parts = slices::most_parts(shape.nnz, ONE_WORD_ENTRIES_PER_LANE / 2) as usize;
    let counters = (values + (shape.n as usize + parts) * ROW_BYTES).next_multiple_of(ALIGN);
    (Workspace { values, counters }, counters + shape.n as usize * 4)
}

/// Bytes that the caller provides: the same for every algorithm, never 0 for n >= 1.
pub fn buffer_bytes(shape: &Shape) -> usize {
    match shape.n {
        0 => 0,
        // Counted from an address just past an aligned one, the worst case.
        _ => lay_out(shape, 1).1.next_multiple_of(ALIGN) + ALIGN,
    }
}

/// The places in a buffer that begins at `base`.
pub fn places(shape: &Shape, base: usize) -> Workspace {
    lay_out(shape, base).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{DataType, MatDescr, Op};

    #[test]
    fn places_stay_inside_for_every_alignment() {
        for n in [1, 2, 31, 1000] {
            for dtype in [DataType::F32, DataType::F64, DataType::C32, DataType::C64] {
                let shape = Shape::new(Op::NonTranspose, n, n, MatDescr::default(), dtype, false).unwrap();
                for base in 4096..4096 + 32 {
                    let (w, end) = lay_out(&shape, base);
                    assert!(w.values >= base && w.values % ALIGN == 0 && w.counters % 4 == 0);
                    assert!(end <= base + buffer_bytes(&shape));
                }
            }
        }
    }
}
