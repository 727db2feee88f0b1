//! How a schedule is written down.
#![forbid(unsafe_code)]

/// "No such entry" among value indices.
pub const NONE: u32 = u32::MAX;

/// Of a work item's second word, `rows | lanes of a row << ITEM_LANES_SHIFT | positions back to its run-ahead limit << RUN_AHEAD_SHIFT`.
pub const ITEM_ROWS_MASK: u32 = 63;
pub const ITEM_LANES_SHIFT: u32 = 6;
pub const ITEM_LANES_MASK: u32 = 63;
pub const RUN_AHEAD_SHIFT: u32 = 12;

/// In place of the number of rows: the work item is a segment of one row, and the segment's number takes the place of the run-ahead
/// limit.
pub const SEGMENT: u32 = ITEM_ROWS_MASK;

/// Entries of a row that one lane takes before another lane joins in, as many as it holds at a time; half as many where a value
/// has 16 bytes. NODAL and TILED have numbers of their own.
pub const ENTRIES_PER_LANE: u32 = 8;

/// The codes of a batch of TILED begin at a multiple of it.
pub const CODE_UNIT: u32 = 8;

/// Of a batch's second word: its rows.
pub const BATCH_ROWS_MASK: u32 = 63;
/// log2(lanes of a row).
pub const BATCH_LANES_SHIFT: u32 = 6;
pub const BATCH_LANES_MASK: u32 = 7;
/// Its levels.
pub const BATCH_LEVELS_SHIFT: u32 = 9;
pub const BATCH_LEVELS_MASK: u32 = 63;
/// Past the last of a lane's entries that depend on the same batch.
pub const BATCH_NEXT_SHIFT: u32 = 15;
pub const BATCH_NEXT_MASK: u32 = 7;
/// Whether the batch depends on other tiles: the last bit.
pub const BATCH_EXTERNAL_SHIFT: u32 = 18;

/// A chunk's description, as made on the GPU: work items | log2(lanes of a row) << CHUNK_LANES | rows - 1 << CHUNK_ROWS.
pub const CHUNK_LANES: u32 = 24;
pub const CHUNK_ROWS: u32 = 27;
pub const CHUNK_WORK_ITEMS: u32 = 0xff_ffff;
