//! Measured numbers of TILED.
#![forbid(unsafe_code)]

use std::time::Duration;

/// What a batch costs its multiprocessor, and what each entry of a lane adds, more where its value lies scattered.
pub const TILED_BATCH: Duration = Duration::from_nanos(71);
pub const TILED_BATCH_ENTRY: Duration = Duration::from_nanos(17);
pub const TILED_BATCH_SCATTERED: Duration = Duration::from_nanos(19);

/// The same up to so many entries, whose values the cache holds.
pub const TILED_BATCH_SCATTERED_CACHED: Duration = Duration::from_nanos(9);

/// What a level takes longer, whose batches wait for such values, of real types.
pub const TILED_SCATTERED_LEVEL: Duration = Duration::from_nanos(20);

/// From one batch to one that depends on it; from level to level inside a batch, and as much for each further entry of a row, from
/// the first of these numbers to the second. Each doubling of a row's lanes adds to both.
pub const TILED_STEP: Duration = Duration::from_nanos(180);
pub const TILED_ROUND: Duration = Duration::from_nanos(26);
pub const TILED_ROUND_ENTRIES: std::ops::RangeInclusive<f64> = 1.6..=4.0;
pub const TILED_SUM: Duration = Duration::from_nanos(7);

/// From tile to tile, what a hop takes longer for each further level of a batch (of a round), and until a block has begun a tile.
pub const TILED_HOP: Duration = Duration::from_nanos(330);
pub const TILED_WAIT: f64 = 0.44;
pub const TILED_START: Duration = Duration::from_nanos(2900);

/// From tile to tile in a cluster of blocks that forward unknowns.
pub const TILED_FORWARD_HOP: Duration = Duration::from_nanos(297);

/// What a batch costs in place of `TILED_BATCH` where all warps forward, as it looks less into other tiles. From tile to tile it
/// takes as long as without forwarding.
pub const TILED_WIDE_FORWARD_BATCH: Duration = Duration::from_nanos(31);

/// The largest tile whose unknowns are forwarded. With more rows too few blocks have a tile.
pub const TILED_LARGEST_FORWARDED: u32 = 16384;

/// Wavefront strips are looked at where the best that there is without them takes so many times what tiles that never waited for
/// each other would.
pub const TILED_WAVEFRONT_STRIPS_WORTH: f64 = 1.8;

/// And where it takes so much longer: to look at them takes some hundred microseconds itself.
pub const TILED_WAVEFRONT_STRIPS_GAIN: Duration = Duration::from_micros(40);

/// 3-D blocks take this part of what the model says, and so do whole planes where unknowns depend on later lines of the plane
/// before, and rows have no more entries than these on average.
pub const TILED_BLOCK_3D: f64 = 0.85;
pub const TILED_PLANE_ENTRIES: f64 = 16.0;

/// Where most rows of tiles are of less than that part of their levels, these are of a mesh, and take so many times as long.
pub const TILED_MESH_LEVELS: f64 = 0.63;
pub const TILED_MESH: f64 = 1.2;

/// Short rows get more warps, whose lanes hold fewer entries, where a level of a tile fills so much of a batch; where values lie
/// scattered, where levels have so many rows on average.
pub const TILED_SHORT_BATCHES: f64 = 0.5;
pub const TILED_SHORT_WIDTH: usize = 32;

/// Fewer warps are faster where a level has no more rows on average, and a row no more entries.
pub const TILED_NARROW_WIDTH: u64 = 16;
pub const TILED_NARROW_ENTRIES: u64 = 32;

/// Tiles may promise so many times what the other engines do: the model promises too little of tiles that hardly wait for each other.
pub const TILED_FAVOUR: f64 = 1.25;

/// They lose to unknowns of other tiles, which the model does not know: so many times the part of the entries that is off-band, up
/// to that part.
pub const TILED_OFF_BAND: f64 = 3.0;
pub const TILED_OFF_BAND_MOST: f64 = 0.22;

/// The most rows of a tile of an irregular pattern, so that lines of the cache are of use to it again.
pub const TILED_IRREGULAR_ROWS: u32 = 2048;

/// A column of a row, in seconds, where groups of columns go beside each other.
pub const TILED_COLUMN_ROW_SECONDS: f64 = 0.272e-10;
