//! Measured numbers. Everything that was tuned rather than derived is here.
#![forbid(unsafe_code)]

use std::time::Duration;

/// The watchdog's default.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Threads in a block of the paper's kernels: one warp a row or column.
pub const PAPER_BLOCK: u32 = 128;

/// Level-scheduled solves launch from a graph up to this many levels: a node costs about 0.5 µs where a
/// launch costs 3.5 to 4.7, but instantiating a graph grows with its nodes.
pub const GRAPH_LEVELS: usize = 1 << 16;

/// Entries from which on setup is done on the GPU, a row counting as so many: its launches and waits take about as
/// long as the CPU takes for these.
pub const SETUP_GPU_SMALLEST: u64 = 8000;
pub const SETUP_GPU_ROW: u64 = 4;

/// How long the host looks for a message of a setup again and again, before it waits for the stream: longer than small systems
/// take between two messages. In larger ones, and behind the caller's own work, the 5 microseconds that looks save do not count.
pub const SETUP_LOOKS: Duration = Duration::from_micros(200);

/// Levels are not looked for by chains where more than one in so many rows keeps nothing: there are few levels then.
/// Mirrored in kernels/setup_chains.cuh.
pub const SETUP_CHAINS_BARE: u32 = 64;

/// Blocks of the survey on each multiprocessor: as many as it has room for, as all of them add to the same words in the end.
pub const SETUP_SURVEY_BLOCKS: u64 = 5;

/// Longer lists of the transposed pattern are put in order by all blocks together, so many on each multiprocessor.
pub const SETUP_LONGEST_LIST: u32 = 8192;
pub const SETUP_LIST_BLOCKS: u64 = 2;

/// Up to so many rows there is room for a slice for each and for all parts that there may be, where else setup waits for
/// their number.
pub const SETUP_SLICE_ROOM: u32 = 1 << 16;

/// Threads in a block of the one-word engine, and the most blocks on a multiprocessor; more where the cache holds so
/// many times the unknowns, and values are of 8 bytes at most. Mirrored in kernels/one_word.cu.
pub const ONE_WORD_BLOCK: u32 = 128;
pub const ONE_WORD_BLOCKS: u32 = 4;
pub const ONE_WORD_BLOCKS_CACHED: u32 = 5;
pub const ONE_WORD_CACHED_PART: u64 = 2;

/// Right-hand sides that a lane of it takes, where a solve has several. Mirrored in kernels/one_word.cuh.
pub const ONE_WORD_PER_LANE: u32 = 2;

/// The most blocks on a multiprocessor where no row depends on another.
pub const ONE_LEVEL_BLOCKS: u32 = 16;

/// Levels of average width for which the one-word engine has warps, unless the widest level wants more: it
/// gets a warp for every so many of its slices.
pub const ONE_WORD_LEVELS_AHEAD: u64 = 12;
pub const ONE_WORD_PASSES: u64 = 2;
/// The same for the nodal engine, whose warps are ready sooner.
pub const NODAL_LEVELS_AHEAD: u64 = 8;
/// Slices that a warp of either has at least, unless there are too few for a block on each multiprocessor: where levels are
/// few, there are warps for fewer of them. Up to so many levels it has the second number of them at least, where that gives
/// no more than so many warps on a multiprocessor: these are streamed rather than waited for.
pub const ONE_WORD_SLICES: u64 = 8;
pub const ONE_WORD_FEW_SLICES: u64 = 4;
pub const ONE_WORD_FEW_WARPS: u64 = 8;
pub const ONE_WORD_FEW_LEVELS: usize = 32;

/// Levels from the gate of a slice to the slice, where rows have several lanes or so many entries on average: a warp polls for
/// nothing else before it has passed. They are as many as the second number where so many lanes' rows are between. Mirrored in
/// kernels/setup_slices.cuh.
pub const ONE_WORD_GATE_LEVELS: usize = 8;
pub const ONE_WORD_NEAR_GATE_LEVELS: usize = 4;
pub const ONE_WORD_NEAR_GATE_LANES: u64 = 8192;
pub const ONE_WORD_GATE_ENTRIES: u32 = 4;

/// Entries that one lane of the one-word engine takes before another lane joins in on the row.
pub const ONE_WORD_ENTRIES_PER_LANE: u32 = 8;

/// Rows of a level go by families where a system has so many rows at least, and so many levels or entries; and levels of so
/// many rows on average, but not of more than the next number unless rows have so many entries beside the diagonal.
pub const FAMILY_SMALLEST: u32 = 1 << 16;
pub const FAMILY_FEW_LEVELS: u32 = 100;
pub const FAMILY_ENTRIES: u32 = 4_000_000;
pub const FAMILY_NARROWEST: u32 = 200;
pub const FAMILY_WIDEST: u32 = 5000;
pub const FAMILY_LONG_ROW: u64 = 8;
/// Every so many levels families begin anew. Mirrored in kernels/setup_families.cuh.
pub const FAMILY_LEVELS: u32 = 16;

/// Blocks of a cluster that solves narrow levels by itself. Mirrored in kernels/ring.cuh.
pub const CLUSTER_BLOCKS: u32 = 8;

/// The narrow end of a matrix, which the one-word engine leaves to one cluster: the warps of a block, and what it has of
/// shared memory for its ring, in bytes. Mirrored in kernels/one_word_narrow.cuh.
pub const NARROW_WARPS: u32 = 8;
pub const NARROW_RING: u32 = 128 << 10;
/// What each of its levels gains and each slice loses, and what its launch costs in place of another and behind it, in
/// nanoseconds. Mirrored in kernels/setup_slices.cuh.
pub const NARROW_LEVEL: i64 = 200;
pub const NARROW_SLICE: i64 = 20;
pub const NARROW_LAUNCH: i64 = 4000;
pub const NARROW_SPLIT: i64 = 10_000;
/// Ends, of this engine and of the thin one, are told apart by what they gain in so many ns: less than a level gains, and so that 32
/// bits count what 2^31 of them do. Mirrored in kernels/setup_slices.cuh.
pub const END_GAIN: i64 = 140;
/// In the model most rows are of the lowest levels where the average level is below this part of all, and so many ends are looked at.
pub const NARROW_SKEW: f64 = 0.1;
pub const NARROW_THIRDS: i32 = 10;

/// The same of the thin engine, half as many warps in type z, and the values that a tile of a warp has room for. Mirrored in
/// kernels/thin.cu.
pub const THIN_WARPS: u32 = 8;
pub const THIN_RING: u32 = 64 << 10;
pub const PANEL_PLACES: u32 = 80 * 32;
/// What a level gains against rows by level, what each row takes, and what a launch costs behind another, in nanoseconds.
/// Mirrored in kernels/setup_slices.cuh.
pub const THIN_LEVEL: i64 = 280;
pub const THIN_ROW: i64 = 27;
pub const THIN_SPLIT: i64 = 4000;
/// The same in the model: until its first row, for a row of real type and no more entries than these on average, for an entry, for an
/// entry of rows that are far longer than the others, and the part of the other engines' time that it must promise.
pub const THIN_START: Duration = Duration::from_nanos(9000);
pub const THIN_SHORT_ROW: i64 = 22;
pub const THIN_SHORT_ENTRIES: f64 = 4.0;
pub const THIN_ENTRY_SECONDS: f64 = 1.6e-9;
pub const THIN_LONG_ROW_SECONDS: f64 = 5e-9;
pub const THIN_ADVANTAGE: f64 = 0.8;

/// The host executor's pieces, in nanoseconds: the work of a row and of an entry; that of a coarse and of a fine piece; how much
/// later than it is solved a piece is seen by another thread; and how much later it may begin than it could elsewhere, to be
/// where the piece before it is.
pub const HOST_PIECE_ROW: u64 = 5;
pub const HOST_PIECE_ENTRY: u64 = 1;
pub const HOST_PIECE_LIMITS: [u64; 3] = [4000, 1000, 250];
pub const HOST_PIECE_SEEN: u64 = 150;
pub const HOST_PIECE_STAY: u64 = 0;
pub const HOST_PIECE_APART: u64 = 500;
/// Per cent of their time that threads may be idle before fine pieces are tried.
pub const HOST_PIECE_IDLE: u64 = 10;
/// What it takes to gather a value that lies far from the last row's, in nanoseconds.
pub const HOST_STREWN_PLACE: u64 = 8;
/// What it takes to wake a team, in nanoseconds; and the per cent of one thread's time that a team must promise.
pub const HOST_PIECES_START: u64 = 20_000;
pub const HOST_PIECES_WORTH: u64 = 80;

/// The tiled engine: blocks that are resident at once in the model, and the smallest tile where there are no lines.
pub const TILED_BLOCKS: usize = 132;
pub const TILED_SMALLEST: u32 = 1024;
/// The size that is looked at first, as it is mostly good.
pub const TILED_FIRST: u32 = 8192;
/// Entries of a row before another lane joins in.
pub const TILED_ENTRIES: f64 = 8.0;
/// What a batch costs its multiprocessor, and what each entry of a lane adds, more where its value lies scattered.
pub const TILED_BATCH: Duration = Duration::from_nanos(71);
pub const TILED_BATCH_ENTRY: Duration = Duration::from_nanos(17);
pub const TILED_BATCH_SCATTERED: Duration = Duration::from_nanos(19);
/// The same up to so many entries, whose values the cache holds.
pub const TILED_BATCH_SCATTERED_CACHED: Duration = Duration::from_nanos(9);
pub const TILED_CACHED_ENTRIES: u32 = 1_600_000;
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
/// Blocks of a cluster that relay unknowns (mirrored in kernels/tiled_relay.cu), and from tile to tile there.
pub const TILED_CLUSTER: usize = 8;
pub const TILED_RELAY_HOP: Duration = Duration::from_nanos(297);
/// The same with as many warps as without relays, and what a batch costs then in place of `TILED_BATCH`, as it looks less
/// into other tiles.
pub const TILED_WIDE_RELAY_HOP: Duration = Duration::from_nanos(324);
pub const TILED_WIDE_RELAY_BATCH: Duration = Duration::from_nanos(31);
/// Where a level of a tile fills so much of a batch, all warps relay, and not a few.
pub const TILED_WIDE_BATCHES: f64 = 0.75;
/// Without lines rows must have so many entries on average for relays to be of use.
pub const TILED_RELAY_ENTRIES: f64 = 1.5;
/// The largest tile whose unknowns are relayed. With more rows too few blocks have a tile.
pub const TILED_LARGEST_RELAY: u32 = 16384;
/// Strips are looked at where the best that there is without them takes so many times what tiles that never waited for
/// each other would; the second number where values lie scattered and there are so many levels.
pub const TILED_STRIPS_WORTH: f64 = 2.2;
pub const TILED_STRIPS_WORTH_SCATTERED: f64 = 1.8;
pub const TILED_STRIPS_LEVELS: u32 = 200;
/// And where it takes so much longer: to look at them takes some hundred microseconds itself.
pub const TILED_STRIPS_GAIN: Duration = Duration::from_micros(40);
/// Shorter lines, and longer ones that cannot be halved down to this, are no lines for tiles. The first is mirrored in
/// kernels/setup_grid.cuh.
pub const TILED_SHORTEST_LINE: u32 = 8;
pub const TILED_LONGEST_LINE: u32 = 4096;
/// Lines and planes of a box, and where rows have several lanes.
pub const TILED_BOX_SHAPE: [u32; 2] = [8, 4];
pub const TILED_BOX_SHAPE_LANES: [u32; 2] = [4, 4];
/// Boxes are looked at where lines and planes are at least so long, and take this part of what the model says, less where
/// rows have several lanes.
pub const TILED_BOX_LINE: u32 = 64;
pub const TILED_BOX_PLANE: u32 = 6000;
pub const TILED_BOX: f64 = 0.85;
pub const TILED_BOX_LANES: f64 = 0.6;
/// Boxes are taken in place of other tiles up to so many times the time that the model promises of those.
pub const TILED_BOX_FAVOUR: f64 = 1.2;
/// The same of planes, where unknowns depend on later lines of the plane before, and rows have no more entries than these on average.
pub const TILED_PLANE: f64 = 0.85;
pub const TILED_PLANE_ENTRIES: f64 = 16.0;
/// Where a pattern has no lines, and most rows of tiles of so many are of so small a part of their levels, the model goes by these
/// levels, and tiles take so much of what it says, more where values lie scattered. All levels of a tile count where the average one
/// is not so far up among them.
pub const TILED_MESH_ROWS: u32 = 4096;
pub const TILED_MESH_LEVELS: f64 = 0.63;
pub const TILED_MESH: f64 = 1.2;
pub const TILED_MESH_SCATTERED: f64 = 1.4;
pub const TILED_LOWER_LEVELS: f64 = 0.4;
/// A turn of a long row takes as long as so many batches take a multiprocessor. Mirrored in kernels/setup_slices.cuh,
/// as is the next.
pub const TILED_TURN_BATCHES: u64 = 10;
/// From one level of a batch to the next: rows of a later level keep those of an earlier one waiting.
pub const TILED_MOST_GAP: u32 = 2;
/// Short rows get more warps, whose lanes hold fewer entries, where a level of a tile fills so much of a batch; where values lie
/// scattered, where levels have so many rows on average.
pub const TILED_SHORT_BATCHES: f64 = 0.5;
pub const TILED_SHORT_WIDTH: usize = 32;
/// Fewer warps are faster where a level has no more rows on average, and a row no more entries.
pub const TILED_NARROW_WIDTH: u64 = 16;
pub const TILED_NARROW_ENTRIES: u64 = 32;
/// AUTO takes tiles where the model promises this part of the other engines' time or less; less where values lie
/// scattered, the pattern has no lines, rows have more entries than these on average, levels so many rows, and there are more bytes
/// than these, which the model does not know of; and least where it is strewn.
pub const TILED_ADVANTAGE: f64 = 1.0;
/// No more than this where it is the time by nodes, which the model knows better than that by rows.
pub const TILED_ADVANTAGE_NODES: f64 = 0.95;
/// More is allowed where the pattern has lines and values are not scattered: there the model promises too little of tiles, and
/// too much of rows.
pub const TILED_ADVANTAGE_LINES: f64 = 1.15;
pub const TILED_ADVANTAGE_WIDE: f64 = 0.62;
pub const TILED_ADVANTAGE_STREWN: f64 = 0.4;
pub const TILED_SHORT_ENTRIES: u64 = 2;
pub const TILED_WIDE_LEVEL: u64 = 900;
pub const TILED_WIDE_BYTES: u64 = 40_000_000;
/// Somewhat less where there are no more bytes than those; and where values are not scattered or the pattern has lines, where
/// levels and bytes are more than these, and whatever the bytes where levels are wider than the last; and of far rows of one entry.
pub const TILED_ADVANTAGE_LARGE: f64 = 0.86;
pub const TILED_LARGE_LEVEL: u64 = 1800;
pub const TILED_LARGE_BYTES: u64 = 100_000_000;
pub const TILED_LARGE_BYTES_SCATTERED: u64 = 200_000_000;
pub const TILED_WIDEST_LEVEL: u64 = 9000;
/// What the model does not know is what a tile takes longer for unknowns of other tiles. Most of those are distant from the row that
/// depends on them: by that part of all unknowns, but between so many. Mirrored in kernels/setup_survey.cuh.
pub const DISTANT_PART: u32 = 8;
pub const DISTANT: std::ops::RangeInclusive<u32> = 1024..=4096;
/// So tiles must promise less where nearly all entries are of such unknowns; and where the average row is of a level below this part of
/// all, as by nested dissection: from so large a part of such entries on, and from the next. Where there are fewer it promises too
/// much. Not so of short rows that are fewer than those. Where values lie scattered and rows have several lanes, from the part on
/// that is named for these.
pub const TILED_DISTANT_MOST: f64 = 0.85;
pub const TILED_ADVANTAGE_DISTANT_MOST: f64 = 0.67;
pub const TILED_DISSECTED: f64 = 0.3;
pub const TILED_DISSECTED_ROWS: u32 = 8192;
pub const TILED_DISTANT_SOME: f64 = 0.12;
pub const TILED_DISTANT_MANY: f64 = 0.25;
pub const TILED_DISTANT_SCATTERED: f64 = 0.5;
pub const TILED_ADVANTAGE_NEAR: f64 = 1.05;
pub const TILED_ADVANTAGE_DISTANT_SOME: f64 = 0.8;
pub const TILED_ADVANTAGE_DISTANT_MANY: f64 = 0.65;
/// More is allowed where there are next to none, levels have more rows than that and the average row's is not so low: these are domains
/// by themselves, whose tiles do not wait for each other as the model has them do.
pub const TILED_DISTANT_NONE: f64 = 0.02;
pub const TILED_ALONE_LEVEL: u64 = 3500;
pub const TILED_ADVANTAGE_ALONE: f64 = 1.25;
/// Least where tiles hold the first and the last of their levels and little between: of the greatest variance that levels with their
/// average may have, so much. Their rows wait for few others at a time, and the model takes them to be spread evenly.
pub const TILED_SPLIT: f64 = 0.8;
/// More is allowed of strewn rows that have one lane: there it promises too much.
pub const TILED_ADVANTAGE_SHORT: f64 = 1.4;
/// A copy of scattered values before a solve in tiles: its start, and (in seconds) an entry and each byte of its value. AUTO makes
/// one where there are so many rows, and the model says that it gains.
pub const STAGED_START: Duration = Duration::from_nanos(2200);
pub const STAGED_ENTRY_SECONDS: f64 = 3e-12;
pub const STAGED_BYTE_SECONDS: f64 = 0.5e-12;
pub const STAGED_SMALLEST: u32 = 4096;
/// Rows are looked at for whether their pattern is strewn (`analysis::strewn`) where there are so many.
pub const STREWN_SMALLEST: u32 = 1 << 19;
/// Scattered values of a strewn pattern are staged piece by piece where they are so many bytes at least, with their places and what
/// rows have more than the cache holds, and levels have so many rows on average: else hand-overs hide what values take. What each
/// entry takes (in seconds).
pub const STAGED_PIECES_BYTES: u64 = 24_000_000;
pub const STAGED_PIECES_ALL_BYTES: u64 = 65_000_000;
pub const STAGED_PIECES_LEVEL: u64 = 1800;
pub const STAGED_PIECES_SECONDS: f64 = 1.3e-11;
/// The bytes of a piece, which the cache holds, and the most pieces: with more values pieces are larger.
pub const STAGED_PIECE_BYTES: u32 = 8 << 20;
pub const STAGED_MOST_PIECES: u32 = 32;
/// What a strewn entry takes longer by rows (in seconds), and one whose value lies scattered besides.
pub const STREWN_ENTRY_SECONDS: f64 = 0.2e-11;
pub const STREWN_SCATTERED_SECONDS: f64 = 1.3e-11;
/// What a row takes longer (in seconds), whose values and right-hand side come from lines of their own, but for the part that a
/// cache of so many bytes holds, of so many bytes for each row and entry.
pub const STREWN_ROW_SECONDS: f64 = 3.3e-11;
pub const STREWN_CACHE: f64 = 35e6;
pub const STREWN_ROW_BYTES: f64 = 32.0;
pub const STREWN_ENTRY_BYTES: f64 = 12.0;
/// The most rows of a tile there, so that lines of the cache are of use to it again.
pub const TILED_STREWN_ROWS: u32 = 2048;
/// Rows are long that have so many entries, and so many times the average: mirrored in kernels/setup_levels.cuh. In tiles each is one
/// warp's, which takes so long (in seconds) for an entry, the second where values lie scattered.
pub const LONG_ROW: u32 = 256;
pub const LONG_ROW_TIMES: u32 = 64;
pub const TILED_LONG_ROW_SECONDS: f64 = 2.5e-9;
pub const TILED_LONG_ROW_SCATTERED_SECONDS: f64 = 5e-9;
/// Where rows have no more entries on average, and their numbers deviate by more than that, tiles take as many times longer.
pub const TILED_UNEVEN_ENTRIES: f64 = 16.0;
/// The same where the pattern has lines and rows have several lanes, and they deviate by more than this part of the average.
pub const TILED_UNEVEN_LINES: f64 = 0.25;
/// Bytes that a solve in double precision with scattered values moves for a row and for an entry.
pub const TILED_ROW_BYTES: u64 = 28;
pub const TILED_ENTRY_BYTES: u64 = 16;

/// The one-word engine: its launch and end, a level, what it takes longer where rows have several lanes, and (in seconds)
/// a row, an entry, and an entry whose value lies scattered.
pub const ONE_WORD_START: Duration = Duration::from_nanos(4690);
pub const ONE_WORD_LEVEL: Duration = Duration::from_nanos(346);
pub const ONE_WORD_LANES: Duration = Duration::from_nanos(91);
pub const ONE_WORD_ROW_SECONDS: f64 = 2.7e-11;
pub const ONE_WORD_ENTRY_SECONDS: f64 = 0.8e-11;
pub const ONE_WORD_SCATTERED_SECONDS: f64 = 1.3e-11;

/// Times of rows, or nodes, of tiles, and of rows by the thin engine, of those in type d.
#[derive(Clone, Copy, Debug)]
pub struct OfType {
    pub rows: f64,
    pub tiles: f64,
    pub thin: f64,
}
/// For each type; the last where rows have several lanes.
pub const TYPE_D: OfType = OfType { rows: 1.0, tiles: 1.0, thin: 1.0 };
pub const TYPE_S: OfType = OfType { rows: 0.9, tiles: 0.9, thin: 1.07 };
pub const TYPE_C: OfType = OfType { rows: 1.16, tiles: 1.25, thin: 1.16 };
pub const TYPE_Z: OfType = OfType { rows: 1.5, tiles: 1.6, thin: 1.5 };
pub const TYPE_Z_LANES: OfType = OfType { rows: 1.5, tiles: 1.9, thin: 1.5 };

/// The wide engine: threads of a block, and the most blocks on a multiprocessor, with one right-hand side and with several, or of
/// type z. Mirrored in kernels/wide.cu.
pub const WIDE_BLOCK: u32 = 256;
pub const WIDE_BLOCKS: u32 = 3;
pub const WIDE_BLOCKS_MULTI: u32 = 2;
/// The most levels that it launches, some microseconds each.
pub const WIDE_MOST_LEVELS: u32 = 1000;
/// Its start and end, a level, and (in seconds) a row, an entry, and what an entry takes longer whose value lies scattered, the
/// second where the cache holds them all; and the same of the one-word engine where levels are as wide.
pub const WIDE_START: Duration = Duration::from_nanos(2000);
pub const WIDE_LEVEL: Duration = Duration::from_nanos(2400);
pub const WIDE_ROW_SECONDS: f64 = 1.2e-11;
pub const WIDE_ENTRY_SECONDS: f64 = 0.355e-11;
pub const WIDE_SCATTERED_SECONDS: f64 = 0.7e-11;
pub const WIDE_CACHED_SECONDS: f64 = 0.25e-11;
pub const STREAMED_START: Duration = Duration::from_nanos(6500);
pub const STREAMED_LEVEL: Duration = Duration::from_nanos(300);
pub const STREAMED_ROW_SECONDS: f64 = 1.9e-11;
pub const STREAMED_ENTRY_SECONDS: f64 = 0.49e-11;
pub const STREAMED_SCATTERED_SECONDS: f64 = 0.9e-11;
pub const STREAMED_CACHED_SECONDS: f64 = 0.18e-11;
/// AUTO takes it where it promises this part of what the other one does, or less; where rows are no more than so many times the average
/// length from it; and where no more than one in so many ranges of unknowns is of several levels, and of more than that part of all.
pub const WIDE_ADVANTAGE: f64 = 0.97;
pub const WIDE_DEVIATIONS: f64 = 2.0;
pub const WIDE_SPANS_APART: usize = 10;
pub const WIDE_SPAN_PART: u32 = 4;

/// The nodal engine: a level of nodes, where it has no more than so many on average, and where it has more; what each doubling of a
/// node's lanes adds to it, and (in seconds) an entry of a row.
pub const NODAL_NARROW: u32 = 2;
pub const NODAL_NARROW_LEVEL: Duration = Duration::from_nanos(380);
pub const NODAL_LEVEL: Duration = Duration::from_nanos(475);
pub const NODAL_SUM: Duration = Duration::from_nanos(17);
pub const NODAL_ENTRY_SECONDS: f64 = 0.2e-11;
/// Values that a lane of it holds at a time, so many of each row of its node.
pub const NODAL_VALUES_PER_LANE: u32 = 16;

/// The block engine: most threads of its blocks, threads of those that bring right-hand sides to rows and results back, and rows that a warp
/// knows before their turns (mirrored in kernels/block.cu); and warps run ahead by so many levels of average width.
pub const BLOCK_THREADS: u32 = 640;
pub const BLOCK_PACK_THREADS: u32 = 256;
pub const BLOCK_AHEAD: u32 = 3;
pub const BLOCK_LEVELS_AHEAD: u64 = 16;
/// Entries of a row that a warp of it asks for at once.
pub const BLOCK_ENTRIES: u64 = 32;
/// Half of its columns, which it has kernels for too.
pub const BLOCK_FEW_COLUMNS: u32 = 16;
/// Right-hand sides from which on AUTO leaves all of them to it.
pub const BLOCK_LEAST_COLUMNS: i64 = 16;

/// The panel engine: rows of a panel, warps of a block (mirrored in kernels/panel.cu), and the most blocks on a multiprocessor.
pub const PANEL_ROWS: u32 = 32;
pub const PANEL_WARPS: u32 = 4;
pub const PANEL_BLOCKS: u32 = 4;
/// Its start and end, a level of rows, a hop from panel to panel, and (in seconds) an entry, and a panel of which so many are
/// solved side by side.
pub const PANEL_START: Duration = Duration::from_nanos(10000);
pub const PANEL_LEVEL: Duration = Duration::from_nanos(25);
pub const PANEL_HOP: Duration = Duration::from_nanos(800);
pub const PANEL_ENTRY_SECONDS: f64 = 0.4e-11;
pub const PANEL_SECONDS: f64 = 1e-5;
pub const PANEL_BLOCKS_OF_GPU: f64 = 528.0;
/// AUTO takes it where it promises this part of what others do, and no more than this part of the entries wait for rows that they
/// would not wait for by themselves.
pub const PANEL_ADVANTAGE: f64 = 0.8;
pub const PANEL_WAITS: f64 = 0.01;
