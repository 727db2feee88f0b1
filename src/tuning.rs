//! Measured numbers that no single engine owns: of the analysis, of the pattern that the choice looks at, and of the host. An engine
//! has its own in the `tuning.rs` of its folder.
#![forbid(unsafe_code)]

mod shared;

use std::time::Duration;

pub use shared::*;

/// The watchdog's default.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Entries from which on setup is done on the GPU, a row counting as so many: its launches and waits take about as
/// long as the CPU takes for these.
pub const SETUP_GPU_SMALLEST: u64 = 8000;
pub const SETUP_GPU_ROW: u64 = 4;

/// How long the host polls for a message of a setup, before it waits for the stream: longer than small systems take between two
/// messages. In larger ones, and behind the caller's own work, the 5 microseconds that polls save do not count.
pub const SETUP_POLLS: Duration = Duration::from_micros(200);

/// Blocks of the survey on each multiprocessor: as many as it has room for, as all of them add to the same words in the end.
pub const SETUP_SURVEY_BLOCKS: u64 = 5;

/// Longer lists of the transposed pattern are put in order by all blocks together, so many on each multiprocessor.
pub const SETUP_LONGEST_LIST: u32 = 8192;
pub const SETUP_LIST_BLOCKS: u64 = 2;

/// Up to so many rows there is room for a work item for each and for all segments that there may be, where else setup waits for
/// their number.
pub const SETUP_WORK_ITEM_ROOM: u32 = 1 << 16;

/// Rows of a level go in locality order where a system has so many rows at least, and so many levels or entries; and levels of so
/// many rows on average, but not of more than the next number unless rows have so many entries beside the diagonal.
pub const LOCALITY_SMALLEST: u32 = 1 << 16;
pub const LOCALITY_FEW_LEVELS: u32 = 100;
pub const LOCALITY_ENTRIES: u32 = 4_000_000;
pub const LOCALITY_NARROWEST: u32 = 200;
pub const LOCALITY_WIDEST: u32 = 5000;
pub const LOCALITY_LONG_ROW: u64 = 8;

/// The host executor's pieces, in nanoseconds: the work of a row and of an entry; that of a coarse, a finer and the
/// finest piece; how much later than it is solved a piece is seen by another thread; and how much earlier or later than its
/// piece a row could begin before it is better in a piece of its own.
pub const HOST_PIECE_ROW: u64 = 5;
pub const HOST_PIECE_ENTRY: u64 = 1;
pub const HOST_PIECE_LIMITS: [u64; 3] = [4000, 1000, 250];
pub const HOST_PIECE_SEEN: u64 = 150;
pub const HOST_PIECE_APART: u64 = 500;
/// Per cent of their time that threads may be idle before fine pieces are tried.
pub const HOST_PIECE_IDLE: u64 = 10;
/// What it takes to gather a value that lies far from the last row's, in nanoseconds.
pub const HOST_FAR_VALUE: u64 = 8;
/// What it takes to wake a team, in nanoseconds; and the per cent of one thread's time that a team must promise.
pub const HOST_PIECES_START: u64 = 20_000;
pub const HOST_PIECES_WORTH: u64 = 80;

/// Lines and planes of a 3-D block, and where rows have several lanes. 3-D blocks are looked at where lines and planes are at least
/// so long.
pub const BLOCK_3D_SHAPE: [u32; 2] = [8, 4];
pub const BLOCK_3D_SHAPE_LANES: [u32; 2] = [4, 4];
pub const BLOCK_3D_LINE: u32 = 64;
pub const BLOCK_3D_PLANE: u32 = 6000;

/// The smallest range of rows whose levels are looked at where there are no lines.
pub const SMALLEST_RANGE: u32 = 1024;

/// Up to so many levels a matrix may be streamed rather than waited for.
pub const FEW_LEVELS: usize = 32;

/// In the model most rows are of the lowest levels where the average level is below this part of all.
pub const SKEWED_LEVELS: f64 = 0.1;

/// In the model: where levels have so many rows on average, hops are not what takes time.
pub const HOPS_HIDDEN_LEVEL: u64 = 1100;

/// In the model: entries of a row before another lane joins in.
pub const LANE_ENTRIES: f64 = 8.0;

/// In the model: up to so many entries the cache holds all values that lie scattered.
pub const CACHED_ENTRIES: u32 = 1_600_000;

/// Longer lines that cannot be halved down to this are no lines.
pub const LONGEST_LINE: u32 = 4096;

/// Ranges of so many rows tell a mesh from other patterns without lines.
pub const MESH_ROWS: u32 = 4096;

/// Most rows are of the lower levels, as by nested dissection, where the average one is below this part of all.
pub const LOWER_LEVELS: f64 = 0.3;

/// Ranges hold the first and the last of their levels and little between where these have so much of the greatest variance that levels
/// with their average may have.
pub const SPLIT_LEVELS: f64 = 0.8;

/// In the model: a launch of a kernel, and its end.
pub const LAUNCH: Duration = Duration::from_nanos(2400);

/// In the model: an entry of rows that are far longer than the others, one warp's each (in seconds).
pub const LONG_ROW_SECONDS: f64 = 2.5e-9;

/// The part of the best time so far that an engine must promise which takes a look at the pattern that the others do not need.
pub const LOOK_ADVANTAGE: f64 = 0.8;

/// A copy of scattered values before a solve in tiles: each byte of them (in seconds). AUTO makes one where there are so many rows,
/// and the model says that it gains.
pub const GATHER_BYTE_SECONDS: f64 = 0.875e-12;
pub const GATHER_SMALLEST: u32 = 4096;

/// Rows are looked at for whether their pattern is irregular (`analysis::irregular`) where there are so many.
pub const IRREGULAR_SMALLEST: u32 = 1 << 19;

/// Scattered values of an irregular pattern are gathered piece by piece where they are so many bytes at least, with their places and what
/// rows have more than the cache holds, and hops do not hide what values take.
pub const GATHER_PIECES_BYTES: f64 = 24e6;
pub const GATHER_PIECES_ALL_BYTES: f64 = 65e6;

/// The bytes of a piece, which the cache holds, and the most pieces: with more values pieces are larger.
pub const GATHER_PIECE_BYTES: u32 = 8 << 20;
pub const GATHER_MOST_PIECES: u32 = 32;

/// What an irregular entry takes longer by rows (in seconds), and one whose value lies scattered besides, or is gathered before.
pub const IRREGULAR_ENTRY_SECONDS: f64 = 0.2e-11;
pub const IRREGULAR_SCATTERED_SECONDS: f64 = 1.3e-11;

/// What a row takes longer (in seconds), whose values and right-hand side come from lines of their own, except for the part that the
/// cache holds.
pub const IRREGULAR_ROW_SECONDS: f64 = 3.3e-11;

/// Bytes of a system that the cache holds, and those that a solve moves for each row and entry.
pub const CACHE_BYTES: f64 = 35e6;
pub const ROW_BYTES_MOVED: f64 = 32.0;
pub const ENTRY_BYTES_MOVED: f64 = 12.0;

/// Times of rows, or nodes, of tiles, and of rows 32 at a time, of those in type d.
#[derive(Clone, Copy, Debug)]
pub struct OfType {
    pub rows: f64,
    pub tiles: f64,
    pub panels: f64,
}

/// For each type; the last where rows have several lanes.
pub const TYPE_D: OfType = OfType { rows: 1.0, tiles: 1.0, panels: 1.0 };
pub const TYPE_S: OfType = OfType { rows: 0.9, tiles: 0.9, panels: 1.07 };
pub const TYPE_C: OfType = OfType { rows: 1.16, tiles: 1.25, panels: 1.16 };
pub const TYPE_Z: OfType = OfType { rows: 1.5, tiles: 1.6, panels: 1.5 };
pub const TYPE_Z_LANES: OfType = OfType { rows: 1.5, tiles: 1.9, panels: 1.5 };

/// Ranges are levels where no more than one in so many of them is of several levels.
pub const SPANS_APART: usize = 10;

/// Groups of columns beside each other: how many times a single solve they take at least; and in seconds a column of an entry.
pub const GROUPS_TIMES: f64 = 2.0;
pub const GROUPS_ENTRY_SECONDS: f64 = 0.16e-11;
