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

/// From one batch to one that depends on it, from level to level inside a batch, what each entry of a row between so many
/// adds to that, and what each doubling of a row's lanes adds to both.
pub const TILED_STEP: Duration = Duration::from_nanos(180);
pub const TILED_TURN: Duration = Duration::from_nanos(26);
pub const TILED_TURN_ENTRY: Duration = Duration::from_nanos(26);
pub const TILED_TURN_ENTRIES: std::ops::RangeInclusive<f64> = 1.6..=4.0;
pub const TILED_SUM: Duration = Duration::from_nanos(7);

/// From level to level inside a batch where a row has so many lanes or more.
pub const TILED_LONG_LANES: u32 = 8;
pub const TILED_LONG_TURN: Duration = Duration::from_nanos(400);

/// A launch and its end, from tile to tile, the same where a level goes through many tiles one after the other, what a hop
/// takes longer for each further level of a batch (of a turn), and until a block has begun a tile.
pub const TILED_LAUNCH: Duration = Duration::from_nanos(2400);
pub const TILED_HOP: Duration = Duration::from_nanos(330);
pub const TILED_CROWD_HOP: Duration = Duration::from_nanos(700);
pub const TILED_WAIT: f64 = 0.44;
pub const TILED_START: Duration = Duration::from_nanos(2900);

/// From tile to tile in a cluster of blocks that relay unknowns.
pub const TILED_RELAY_HOP: Duration = Duration::from_nanos(297);

/// The same with as many warps as without relays, and what a batch costs then in place of `TILED_BATCH`, as it looks less
/// into other tiles.
pub const TILED_WIDE_RELAY_HOP: Duration = Duration::from_nanos(324);
pub const TILED_WIDE_RELAY_BATCH: Duration = Duration::from_nanos(31);

/// Where a level of a tile fills so much of a batch, all warps relay, and not a few.
pub const TILED_WIDE_BATCHES: f64 = 0.75;

/// The largest tile whose unknowns are relayed. With more rows too few blocks have a tile.
pub const TILED_LARGEST_RELAY: u32 = 16384;

/// Strips are looked at where the best that there is without them takes so many times what tiles that never waited for
/// each other would; the second number where values lie scattered.
pub const TILED_STRIPS_WORTH: f64 = 2.2;
pub const TILED_STRIPS_WORTH_SCATTERED: f64 = 1.8;

/// And where it takes so much longer: to look at them takes some hundred microseconds itself.
pub const TILED_STRIPS_GAIN: Duration = Duration::from_micros(40);

/// Boxes take this part of what the model says, less where rows have several lanes; the first part also goes for whole planes, where
/// unknowns depend on later lines of the plane before, and rows have no more entries than these on average.
pub const TILED_BOX: f64 = 0.85;
pub const TILED_BOX_LANES: f64 = 0.6;
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

/// AUTO takes tiles where the model promises less than the other engines' time, or this part of it where it is the time by nodes, which
/// the model knows better than that by rows.
pub const TILED_ADVANTAGE_NODES: f64 = 0.95;

/// More is allowed where the pattern has lines and values are not scattered: there the model promises too little of tiles, and
/// too much of rows.
pub const TILED_ADVANTAGE_LINES: f64 = 1.15;

/// Less is allowed where values lie scattered, the pattern has no lines, rows have more entries than these on average and levels so
/// many rows; the least where the cache does not hold the system, which the model does not know of. The first number is for rows of
/// one entry, too.
pub const TILED_ADVANTAGE_WIDE: f64 = 0.86;
pub const TILED_SHORT_ENTRIES: u64 = 2;
pub const TILED_WIDE_LEVEL: u64 = 900;
pub const TILED_ADVANTAGE_APART: f64 = 0.62;

/// So tiles must promise less where nearly all entries are of such unknowns; and where the average row is of a level below this part of
/// all, as by nested dissection: from so large a part of such entries on, and from the next. Where there are fewer it promises too
/// much. Not so of short rows that are fewer than those.
pub const TILED_DISTANT_MOST: f64 = 0.85;
pub const TILED_ADVANTAGE_DISTANT_MOST: f64 = 0.67;
pub const TILED_DISSECTED: f64 = 0.3;
pub const TILED_DISSECTED_ROWS: u32 = 8192;
pub const TILED_DISTANT_SOME: f64 = 0.12;
pub const TILED_DISTANT_MANY: f64 = 0.25;
pub const TILED_ADVANTAGE_NEAR: f64 = 1.05;
pub const TILED_ADVANTAGE_DISTANT_SOME: f64 = 0.8;
pub const TILED_ADVANTAGE_DISTANT_MANY: f64 = 0.65;

/// More is allowed where there are next to none, levels are wide and the average row's is not so low: these are domains by
/// themselves, whose tiles do not wait for each other as the model has them do.
pub const TILED_DISTANT_NONE: f64 = 0.02;
pub const TILED_ADVANTAGE_ALONE: f64 = 1.25;

/// More is allowed of irregular rows that have one lane: there it promises too much.
pub const TILED_ADVANTAGE_SHORT: f64 = 1.4;

/// The most rows of a tile there, so that lines of the cache are of use to it again.
pub const TILED_IRREGULAR_ROWS: u32 = 2048;
pub const TILED_LONG_ROW_SECONDS: f64 = 2.5e-9;
pub const TILED_LONG_ROW_SCATTERED_SECONDS: f64 = 5e-9;

/// Where rows have no more entries on average, and their numbers deviate by more than that, tiles take as many times longer.
pub const TILED_UNEVEN_ENTRIES: f64 = 16.0;

/// The same where the pattern has lines and rows have several lanes, and they deviate by more than this part of the average.
pub const TILED_UNEVEN_LINES: f64 = 0.25;
