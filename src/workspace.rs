//! The caller's scratch buffer: one description gives both its size and the places in it.
#![forbid(unsafe_code)]

pub mod shared;

use crate::analysis::shared::schedule::ENTRIES_PER_LANE;
use crate::analysis::work_items;
use crate::problem::Shape;
pub use shared::ROW_BYTES;

/// Places in the buffer, as addresses.
#[derive(Clone, Copy, Debug)]
pub struct Workspace {
    /// `ROW_BYTES` for each of n rows: the unknowns of one or several right-hand sides, or their partial
    /// sums, by position. Then the same for each segment that long rows may be cut into. Algorithms that want more for a row
    /// publish their unknowns there.
    pub values: usize,
    /// n 32-bit counters by position, or queues.
    pub counters: usize,
}

/// Room for queues, which take the place of counters where an algorithm wants more for a row: a line of the cache for each warp that
/// a block may have.
pub const QUEUE_BYTES: usize = 32 * 128;

/// So that a row is one sector.
const ALIGN: usize = ROW_BYTES;

/// Lays the buffer out from `base` on and returns the places and the end.
fn lay_out(shape: &Shape, row_bytes: usize, base: usize) -> (Workspace, usize) {
    // The buffer may begin anywhere (csrsv2 takes any alignment): the first place is aligned inside it.
    let values = base.next_multiple_of(ALIGN);
    // A lane takes the fewest entries in the widest type.
    let segments = work_items::most_row_segments(shape.nnz, ENTRIES_PER_LANE / 2) as usize;
    let n = shape.n as usize;
    // Of a segment there is no right-hand side.
    let of_values = n * row_bytes + segments * ROW_BYTES.max(row_bytes / 2);
    let of_counters = if row_bytes > ROW_BYTES { QUEUE_BYTES.max(n * 4) } else { n * 4 };
    let counters = (values + of_values).next_multiple_of(ALIGN);
    (Workspace { values, counters }, counters + of_counters)
}

/// Bytes that the caller provides, with so many for a row; never 0 for n >= 1.
pub fn buffer_bytes(shape: &Shape, row_bytes: usize) -> usize {
    match shape.n {
        0 => 0,
        // Counted from an address just past an aligned one, the worst case.
        _ => lay_out(shape, row_bytes, 1).1.next_multiple_of(ALIGN) + ALIGN,
    }
}

/// The places in a buffer that begins at `base` of what a sweep solves for and of its diagonal, and the end. A solve's places are
/// before them.
pub fn sweep_places(shape: &Shape, row_bytes: usize, base: usize) -> ([usize; 2], usize) {
    let first = (base + buffer_bytes(shape, row_bytes)).next_multiple_of(ALIGN);
    let each = (shape.n as usize * shape.dtype.bytes()).next_multiple_of(ALIGN);
    ([first, first + each], first + 2 * each)
}

/// Bytes that the caller provides for sweeps.
pub fn sweep_bytes(shape: &Shape, row_bytes: usize) -> usize {
    sweep_places(shape, row_bytes, ALIGN - 1).1
}

/// Bytes that the caller provides for a factorisation, behind those of a solve: a word for each value, and two for each row.
pub fn factor_bytes(shape: &Shape, row_bytes: usize) -> usize {
    let words = shape.nnz as usize + 2 * shape.n as usize;
    buffer_bytes(shape, row_bytes) + words * shape.dtype.bytes() + ALIGN
}

/// Where they begin in a buffer that begins at `base`.
pub fn factor_place(shape: &Shape, row_bytes: usize, base: usize) -> usize {
    (base + buffer_bytes(shape, row_bytes)).next_multiple_of(ALIGN)
}

/// The places in a buffer that begins at `base`.
pub fn places(shape: &Shape, row_bytes: usize, base: usize) -> Workspace {
    lay_out(shape, row_bytes, base).0
}

/// Room in a buffer for the unknowns of a few right-hand sides besides what solves with `ROW_BYTES` for a row leave there.
#[derive(Clone, Copy)]
pub struct Spare {
    pub address: usize,
    /// Bytes for a row.
    pub row_bytes: usize,
}

impl Spare {
    /// Whether solves for several right-hand sides leave it alone.
    pub fn is_apart(self) -> bool {
        self.row_bytes >= ROW_BYTES
    }
}

/// The spare room in a buffer that begins at `base` and has `row_bytes` for a row: a sector, or what solves for one right-hand
/// side at a time leave of theirs.
pub fn spare(shape: &Shape, row_bytes: usize, base: usize) -> Spare {
    let (places, end) = lay_out(shape, ROW_BYTES, base);
    match row_bytes {
        more if more >= 2 * ROW_BYTES => Spare { address: end.next_multiple_of(ALIGN), row_bytes: ROW_BYTES },
        _ => {
            let row_bytes = ROW_BYTES / 2;
            Spare { address: places.values + shape.n as usize * row_bytes, row_bytes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::ALL;
    use crate::problem::{DataType, MatDescr, Op};

    #[test]
    fn places_stay_inside_for_every_alignment() {
        for n in [1, 2, 31, 1000] {
            for dtype in [DataType::F32, DataType::F64, DataType::C32, DataType::C64] {
                let nnz = 1000 * n;
                let shape = Shape::new(Op::NonTranspose, n, nnz, MatDescr::default(), dtype, false).unwrap();
                // Words of the segments that there are at most in this type.
                let entries = ENTRIES_PER_LANE / if dtype == DataType::C64 { 2 } else { 1 };
                let segments = work_items::most_row_segments(nnz as u32, entries) as usize;
                let most = ALL.iter().map(|a| a.row_bytes(dtype)).max().unwrap();
                for (base, row_bytes) in (4096..4096 + 32)
                    .flat_map(|base| [(base, ROW_BYTES), (base, 2 * ROW_BYTES), (base, most)])
                {
                    let (w, end) = lay_out(&shape, row_bytes, base);
                    assert!(w.values >= base && w.values % ALIGN == 0 && w.counters % 4 == 0);
                    let of_part = if row_bytes > ROW_BYTES { row_bytes / 2 } else { ROW_BYTES };
                    assert!(w.counters >= w.values + n as usize * row_bytes + segments * of_part);
                    assert!(
                        end >= w.counters + if row_bytes > ROW_BYTES { QUEUE_BYTES } else { 4 * n as usize }
                    );
                    assert!(end <= base + buffer_bytes(&shape, row_bytes));
                    let room = spare(&shape, row_bytes, base);
                    let limit = if row_bytes == ROW_BYTES {
                        w.counters
                    } else {
                        base + buffer_bytes(&shape, row_bytes)
                    };
                    assert!(room.address % 16 == 0 && room.row_bytes >= dtype.bytes());
                    assert!(room.address + n as usize * room.row_bytes <= limit);
                }
            }
        }
    }
}
