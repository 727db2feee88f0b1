//! How a schedule is written down.
#![forbid(unsafe_code)]

/// "No such entry" among value indices.
pub const NONE: u32 = u32::MAX;

/// Of a work item's second word: where the way to its run-ahead limit begins; and in place of its number of rows, that it is a
/// segment of one row, whose number takes the place of the run-ahead limit.
pub const RUN_AHEAD_SHIFT: u32 = 12;
pub const SEGMENT: u32 = 63;

/// Entries of a row that one lane takes before another lane joins in, as many as it holds at a time; half as many where a value
/// has 16 bytes. NODAL and TILED have numbers of their own.
pub const ENTRIES_PER_LANE: u32 = 8;

/// The codes of a batch of TILED begin at a multiple of it.
pub const CODE_UNIT: u32 = 8;

/// A chunk's description, as made on the GPU: work items | log2(lanes of a row) << CHUNK_LANES | rows - 1 << CHUNK_ROWS.
pub const CHUNK_LANES: u32 = 24;
pub const CHUNK_ROWS: u32 = 27;
pub const CHUNK_WORK_ITEMS: u32 = 0xff_ffff;
