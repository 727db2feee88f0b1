//! Measured numbers that no single engine owns: of the analysis, of the pattern that the choice looks at, and of the host. An engine
//! has its own in the `tuning.rs` of its folder.
#![forbid(unsafe_code)]

mod shared;

use std::time::Duration;

pub use shared::*;

/// The watchdog's default.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Size of a system from which on it is analysed on the GPU: entries, where a row counts as SETUP_GPU_ROW entries. The launches and
/// waits of an analysis on the GPU take about as long as the CPU takes for a system of this size.
pub const SETUP_GPU_SMALLEST: u64 = 8000;
pub const SETUP_GPU_ROW: u64 = 4;

/// How long the host polls for a message of an analysis, before it waits for the stream. Small systems take less time between two
/// messages. In larger systems, and behind the caller's own work, the 5 µs that polling saves do not matter.
pub const SETUP_POLLS: Duration = Duration::from_micros(200);

/// Blocks of the survey on a multiprocessor. All blocks add to the same words in the end, so there are no more than can run at once.
pub const SETUP_SURVEY_BLOCKS: u64 = 5;

/// Lists of the transposed pattern with more entries are sorted by all blocks together, with SETUP_LIST_BLOCKS blocks on a
/// multiprocessor.
pub const SETUP_LONGEST_LIST: u32 = 8192;
pub const SETUP_LIST_BLOCKS: u64 = 2;

/// Rows up to which an analysis allocates the most work items that there can be: one for each row, and all segments. With more rows
/// it waits for their number.
pub const SETUP_WORK_ITEM_ROOM: u32 = 1 << 16;

/// Rows of a level are put in locality order where four conditions hold:
/// * The system has at least LOCALITY_SMALLEST rows.
/// * It has at least LOCALITY_FEW_LEVELS levels or LOCALITY_ENTRIES entries.
/// * A level has at least LOCALITY_NARROWEST rows on average.
/// * A level has at most LOCALITY_WIDEST rows on average, or a row at least LOCALITY_LONG_ROW entries beside the diagonal.
pub const LOCALITY_SMALLEST: u32 = 1 << 16;
pub const LOCALITY_FEW_LEVELS: u32 = 100;
pub const LOCALITY_ENTRIES: u32 = 4_000_000;
pub const LOCALITY_NARROWEST: u32 = 200;
pub const LOCALITY_WIDEST: u32 = 5000;
pub const LOCALITY_LONG_ROW: u64 = 8;

/// The host executor's pieces, in nanoseconds: the work of a row and of an entry; the most work of a coarse, a finer and the finest
/// piece; how long it takes until another thread sees that a piece is solved; and by how much a row could begin earlier or later than
/// its piece before it gets a piece of its own.
pub const HOST_PIECE_ROW: u64 = 5;
pub const HOST_PIECE_ENTRY: u64 = 1;
pub const HOST_PIECE_LIMITS: [u64; 3] = [4000, 1000, 250];
pub const HOST_PIECE_SEEN: u64 = 150;
pub const HOST_PIECE_APART: u64 = 500;
/// Finer pieces are tried where threads are idle for a larger part of their time, in per cent.
pub const HOST_PIECE_IDLE: u64 = 10;
/// Time to gather a value that is far from those of the row before, in nanoseconds.
pub const HOST_FAR_VALUE: u64 = 8;
/// Time to wake a team, in nanoseconds. A team solves if its predicted time is at most this part of one thread's, in per cent.
pub const HOST_PIECES_START: u64 = 20_000;
pub const HOST_PIECES_WORTH: u64 = 80;

/// Lines and planes of a 3-D block: of rows with one lane, and with several. 3-D blocks are considered where lines and planes have at
/// least BLOCK_3D_LINE and BLOCK_3D_PLANE rows.
pub const BLOCK_3D_SHAPE: [u32; 2] = [8, 4];
pub const BLOCK_3D_SHAPE_LANES: [u32; 2] = [4, 4];
pub const BLOCK_3D_LINE: u32 = 64;
pub const BLOCK_3D_PLANE: u32 = 6000;

/// Rows of the smallest range whose levels are noted together, in patterns without grid lines.
pub const SMALLEST_RANGE: u32 = 1024;

/// A matrix of at most this many levels may be limited by memory, and not by waits.
pub const FEW_LEVELS: usize = 32;

/// In the model: where the average row's level is below this part of all levels, most rows are in the lowest levels, and the last
/// levels are narrow.
pub const SKEWED_LEVELS: f64 = 0.1;

/// In the model: a level with more rows on average takes longer than a hop, so hops do not limit the solve.
pub const HOPS_HIDDEN_LEVEL: u64 = 1100;

/// In the model: entries of a row before another lane joins in.
pub const LANE_ENTRIES: f64 = 8.0;

/// In the model: the cache holds the values of at most this many entries, if they are not contiguous.
pub const CACHED_ENTRIES: u32 = 1_600_000;

/// Tiles are grid lines, or parts of lines by halving. A line that cannot be halved to at most this many rows counts as none.
pub const LONGEST_LINE: u32 = 4096;

/// Rows of the ranges whose levels tell a mesh from other patterns without grid lines.
pub const MESH_ROWS: u32 = 4096;

/// Where the average row's level is below this part of all levels, most rows are in the lower levels, as by nested dissection.
pub const LOWER_LEVELS: f64 = 0.3;

/// A range holds mostly its first and its last levels if the variance of its rows' levels is more than this part of the greatest
/// variance that levels with the same average can have.
pub const SPLIT_LEVELS: f64 = 0.8;

/// In the model: a launch of a kernel, and its end.
pub const LAUNCH: Duration = Duration::from_nanos(2400);

/// In the model: an entry of rows that are far longer than the others, one warp's each (in seconds).
pub const LONG_ROW_SECONDS: f64 = 2.5e-9;

/// Some features take time to find. An engine that needs them is considered only if its predicted time can be at most this part of the
/// best time so far.
pub const LOOK_ADVANTAGE: f64 = 0.8;

/// Values that are not contiguous may be gathered before a solve in tiles. That takes this time for each byte of them, in seconds. AUTO
/// considers it for systems of at least GATHER_SMALLEST rows.
pub const GATHER_BYTE_SECONDS: f64 = 0.875e-12;
pub const GATHER_SMALLEST: u32 = 4096;

/// Systems of at least this many rows are examined for an irregular pattern (`analysis::irregular`).
pub const IRREGULAR_SMALLEST: u32 = 1 << 19;

/// Values of an irregular pattern that are not contiguous are gathered piece by piece if they have at least GATHER_PIECES_BYTES, they
/// and all else that a solve reads have at least GATHER_PIECES_ALL_BYTES, and levels are wider than HOPS_HIDDEN_LEVEL.
pub const GATHER_PIECES_BYTES: f64 = 24e6;
pub const GATHER_PIECES_ALL_BYTES: f64 = 65e6;

/// Bytes of a piece, which the cache holds. Pieces of large matrices are larger, so that there are at most GATHER_MOST_PIECES.
pub const GATHER_PIECE_BYTES: u32 = 8 << 20;
pub const GATHER_MOST_PIECES: u32 = 32;

/// By how much longer ONE_WORD takes for an entry of an irregular pattern, in seconds; and the time that its value adds if it is not
/// contiguous, or is gathered before the solve.
pub const IRREGULAR_ENTRY_SECONDS: f64 = 0.2e-11;
pub const IRREGULAR_SCATTERED_SECONDS: f64 = 1.3e-11;

/// By how much longer ONE_WORD takes for a row of an irregular pattern, in seconds, where the rows of a level do not follow one another.
/// The part of the system that the cache holds takes no longer.
pub const IRREGULAR_ROW_SECONDS: f64 = 3.3e-11;

/// Bytes of a system that the cache holds, and those that a solve moves for each row and entry.
pub const CACHE_BYTES: f64 = 35e6;
pub const ROW_BYTES_MOVED: f64 = 32.0;
pub const ENTRY_BYTES_MOVED: f64 = 12.0;

/// Times by type, as multiples of those of type d: of engines by rows or nodes, of TILED, and of THIN and PANEL.
#[derive(Clone, Copy, Debug)]
pub struct OfType {
    pub rows: f64,
    pub tiles: f64,
    pub panels: f64,
}

/// For each type. Type z has two rows, the last one for rows with several lanes.
pub const TYPE_D: OfType = OfType { rows: 1.0, tiles: 1.0, panels: 1.0 };
pub const TYPE_S: OfType = OfType { rows: 0.9, tiles: 0.9, panels: 1.07 };
pub const TYPE_C: OfType = OfType { rows: 1.16, tiles: 1.25, panels: 1.16 };
pub const TYPE_Z: OfType = OfType { rows: 1.5, tiles: 1.6, panels: 1.5 };
pub const TYPE_Z_LANES: OfType = OfType { rows: 1.5, tiles: 1.9, panels: 1.5 };

/// Rows count as stored level by level if at most one range of rows in SPANS_APART holds too many levels.
pub const SPANS_APART: usize = 10;

/// Groups of columns beside each other: how many times a single solve they take at least; and in seconds a column of an entry.
pub const GROUPS_TIMES: f64 = 2.0;
pub const GROUPS_ENTRY_SECONDS: f64 = 0.16e-11;

/// Rows of panels are long where they have so many entries on average.
pub const PANEL_LONG_ROWS: u32 = 64;
