//! The caller's scratch buffer: one description gives both its size and the places in it.
#![forbid(unsafe_code)]

pub mod shared;

use crate::address::Address;
use crate::analysis::shared::schedule::ENTRIES_PER_LANE;
use crate::analysis::work_items;
use crate::problem::Shape;
pub use shared::ROW_BYTES;

/// Places in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Workspace {
    /// `ROW_BYTES` for each of n rows: the unknowns of one or several right-hand sides, or their partial
    /// sums, by position. Then the same for each segment that long rows may be cut into. Algorithms that want more for a row
    /// publish their unknowns there.
    pub values: Address,
    /// How many bytes for each row.
    pub row_bytes: usize,
    /// n 32-bit counters by position, or queues.
    pub counters: Address,
}

/// Room for queues, which take the place of counters where an algorithm wants more for a row: a line of the cache for each warp that
/// a block may have.
pub const QUEUE_BYTES: usize = 32 * 128;

/// So that a row is one sector.
const ALIGN: usize = ROW_BYTES;

/// How many bytes behind the first place of a `Workspace` the second one is, and the end. The first place is the first in the buffer
/// that is aligned: the buffer may begin anywhere (csrsv2 takes any alignment).
fn lay_out(shape: &Shape, row_bytes: usize) -> [usize; 2] {
    // A lane takes the fewest entries in the widest type.
    let segments = work_items::most_row_segments(shape.nnz, ENTRIES_PER_LANE / 2) as usize;
    let n = shape.n as usize;
    // Of a segment there is no right-hand side.
    let of_values = n * row_bytes + segments * ROW_BYTES.max(row_bytes / 2);
    let of_counters = if row_bytes > ROW_BYTES { QUEUE_BYTES.max(n * 4) } else { n * 4 };
    let counters = of_values.next_multiple_of(ALIGN);
    [counters, counters + of_counters]
}

/// Bytes that the caller provides, with so many for a row; never 0 for n >= 1.
pub fn buffer_bytes(shape: &Shape, row_bytes: usize) -> usize {
    match shape.n {
        0 => 0,
        // Before the first place there are fewer bytes than one of the two units.
        _ => lay_out(shape, row_bytes)[1].next_multiple_of(ALIGN) + 2 * ALIGN,
    }
}

/// Bytes of each of the two places that a sweep needs.
fn sweep_place_bytes(shape: &Shape) -> usize {
    (shape.n as usize * shape.dtype.bytes()).next_multiple_of(ALIGN)
}

/// The places in a buffer of what a sweep solves for and of its diagonal. A solve's places are before them.
pub fn sweep_places(shape: &Shape, row_bytes: usize, buffer: Address) -> [Address; 2] {
    let first = behind_a_solve(shape, row_bytes, buffer);
    [first, first.offset(sweep_place_bytes(shape))]
}

/// Bytes that the caller provides for sweeps.
pub fn sweep_bytes(shape: &Shape, row_bytes: usize) -> usize {
    buffer_bytes(shape, row_bytes) + 2 * sweep_place_bytes(shape) + ALIGN
}

/// Bytes that the caller provides for a factorisation, behind those of a solve: a word for each value, and two for each row.
pub fn factor_bytes(shape: &Shape, row_bytes: usize) -> usize {
    let words = shape.nnz as usize + 2 * shape.n as usize;
    buffer_bytes(shape, row_bytes) + words * shape.dtype.bytes() + ALIGN
}

/// Where the place for more than a solve begins in a buffer.
pub fn behind_a_solve(shape: &Shape, row_bytes: usize, buffer: Address) -> Address {
    buffer.offset(buffer_bytes(shape, row_bytes)).aligned(ALIGN)
}

/// The places in a buffer.
pub fn places(shape: &Shape, row_bytes: usize, buffer: Address) -> Workspace {
    let values = buffer.aligned(ALIGN);
    Workspace { values, row_bytes, counters: values.offset(lay_out(shape, row_bytes)[0]) }
}

/// Room in a buffer for the unknowns of a few right-hand sides besides what solves with `ROW_BYTES` for a row leave there.
#[derive(Clone, Copy)]
pub struct Spare {
    pub address: Address,
    /// Bytes for a row.
    pub row_bytes: usize,
}

impl Spare {
    /// Whether solves for several right-hand sides leave it alone.
    pub fn is_apart(self) -> bool {
        self.row_bytes >= ROW_BYTES
    }
}

/// The spare room in a buffer that has `row_bytes` for a row, of which solves want `of_solves`: as much, or what solves for one
/// right-hand side at a time leave of theirs.
pub fn spare(shape: &Shape, row_bytes: usize, of_solves: usize, buffer: Address) -> Spare {
    let begin = buffer.aligned(ALIGN);
    match row_bytes {
        more if more >= 2 * of_solves => {
            let [_, end] = lay_out(shape, of_solves);
            Spare { address: begin.offset(end).aligned(ALIGN), row_bytes: of_solves }
        }
        _ => {
            let row_bytes = ROW_BYTES / 2;
            Spare { address: begin.offset(shape.n as usize * row_bytes), row_bytes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::ALL;
    use crate::executor::host::HostArray;
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
                let most = ALL.iter().map(|a| a.row_bytes(dtype, i64::MAX)).max().unwrap();
                for row_bytes in [ROW_BYTES, 2 * ROW_BYTES, most] {
                    let bytes = buffer_bytes(&shape, row_bytes);
                    let mut buffer = HostArray::new(bytes + ALIGN).unwrap();
                    let begin = buffer.address();
                    for buffer in (0..ALIGN).map(|by| begin.offset(by)) {
                        // Where a place is in the buffer.
                        let at = |place: Address| (place.get() - buffer.get()) as usize;
                        let w = places(&shape, row_bytes, buffer);
                        let (values, counters) = (at(w.values), at(w.counters));
                        assert!(w.values.get() % ALIGN as u64 == 0 && w.counters.get() % 4 == 0);
                        let of_part = if row_bytes > ROW_BYTES { row_bytes / 2 } else { ROW_BYTES };
                        assert!(counters >= values + n as usize * row_bytes + segments * of_part);
                        let of_counters = if row_bytes > ROW_BYTES { QUEUE_BYTES } else { 4 * n as usize };
                        assert!(counters + of_counters <= bytes);
                        let room = spare(&shape, row_bytes, (row_bytes / 2).max(ROW_BYTES), buffer);
                        let limit = if row_bytes == ROW_BYTES { counters } else { bytes };
                        assert!(room.address.get() % 16 == 0 && room.row_bytes >= dtype.bytes());
                        assert!(at(room.address) + n as usize * room.row_bytes <= limit);
                        let [rest, scaled] = sweep_places(&shape, row_bytes, buffer).map(at);
                        let of_each = n as usize * dtype.bytes();
                        assert!(bytes <= rest && rest + of_each <= scaled);
                        assert!(scaled + of_each <= sweep_bytes(&shape, row_bytes));
                    }
                }
            }
        }
    }
}
