//! Whether there is memory for an analysis, asked before it begins.
//!
//! Rust ends the program where a vector finds no memory. A library must not, so the analysis, which takes
//! memory by the size of the matrix, is preceded by one allocation that may fail and is at least as large
//! as all that the analysis will hold at once.
#![forbid(unsafe_code)]

use crate::analysis::{Needs, Tiles};
use crate::error::{Error, Result};
use crate::problem::{Index, Shape};

/// Words a row that `pattern::validate` and `setup::schedule` take at most: the offsets; what the survey notes (4);
/// levels, those of the transposed problem, how many rows each has, their pointers, the order; positions;
/// counts, and those of a transposition; pointers of two lists and first values; the diagonal.
const ROW_WORDS: u64 = 17;

/// Words a row that tiles add: the order by level beside that by tile, and the level of each position.
const TILE_WORDS: u64 = 3;

/// Words a row of what a GPU gets beyond the schedule: records, twice, and work items in a vector that grows; or
/// a copy of the level pointers.
const GPU_WORDS: u64 = 16;

/// Words a row of what AUTO takes at most: the spans of the stored lists and of those across them (5), the diagonal,
/// levels and how many rows each has (2), the piece of each row.
const AUTO_ROW_WORDS: u64 = 9;

/// Words a row that pieces take where each is one row: owners, pieces, times and waits, in vectors that grow; and the
/// last two once more.
const PIECE_WORDS: u64 = 27;

/// Words an entry of what AUTO takes at most: entries gathered from others while those are there, or further lists across
/// them.
const AUTO_ENTRY_WORDS: u64 = 4;

/// What the allocator adds: pages that are not full, and its own records.
const EXTRA: u64 = 1 << 20;

/// Bytes that an analysis on the CPU holds at most. Each list has, of an entry, its neighbour and where its
/// value lies; further diagonal entries take no more than such an entry.
pub fn analysis_bytes(shape: &Shape, needs: Needs) -> u64 {
    let lists = u64::from(needs.rows) + u64::from(needs.columns);
    let entry_words = 1 + 2 * lists.max(1);
    let row_words = ROW_WORDS + if needs.tiles == Tiles::No { 0 } else { TILE_WORDS };
    4 * (row_words * (u64::from(shape.n) + 1) + entry_words * u64::from(shape.nnz)) + EXTRA
}

/// The same for AUTO on the host, with so many threads; and for the transposed operation too.
pub fn auto_bytes(shape: &Shape, threads: usize, both: bool) -> u64 {
    let row_words = AUTO_ROW_WORDS + if threads > 1 { PIECE_WORDS } else { 0 };
    let words = row_words * (u64::from(shape.n) + 1) + AUTO_ENTRY_WORDS * u64::from(shape.nnz);
    4 * words * if both { 2 } else { 1 } + EXTRA
}

/// The same for a matrix on the GPU: its pattern is copied to the host first, and what the schedule becomes
/// there is made on the host.
pub fn analysis_bytes_for_gpu(shape: &Shape, needs: Needs) -> u64 {
    let (rows, entries) = (u64::from(shape.n) + 1, u64::from(shape.nnz));
    let width = |index| if index == Index::I32 { 4 } else { 8 };
    let pattern = rows * width(shape.descr.offsets) + entries * width(shape.descr.columns);
    pattern + analysis_bytes(shape, needs) + 4 * GPU_WORDS * rows
}

/// Fails where that much memory cannot be had. It is given back at once, untouched, so this costs no time.
pub fn must_have(bytes: u64) -> Result<()> {
    let error = Error::OutOfMemory { place: "host", bytes };
    let count = usize::try_from(bytes).map_err(|_| error.clone())?;
    let mut room = Vec::<u8>::new();
    let had = room.try_reserve_exact(count).map_err(|_| error);
    // Unseen by others, the compiler could do without it.
    std::hint::black_box(&room);
    had
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

    #[test]
    fn too_much_is_refused() {
        assert!(must_have(0).is_ok());
        assert!(must_have(1 << 20).is_ok());
        for bytes in [1 << 60, u64::MAX] {
            let error = must_have(bytes).unwrap_err();
            assert_eq!(error.status(), Status::SPTRSV_STATUS_ALLOC_FAILED);
            assert!(error.to_string().contains("host memory"));
        }
    }
}
