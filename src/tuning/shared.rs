//! Measured numbers that kernels of the analysis know too.
#![forbid(unsafe_code)]

/// Levels are not guessed by chains if more than one row in SETUP_CHAINS_BARE has no dependency: then there are few levels.
pub const SETUP_CHAINS_BARE: u32 = 64;

/// A work item whose rows have several lanes, or at least RUN_AHEAD_ENTRIES entries on average, has a run-ahead limit: an unknown
/// RUN_AHEAD_LEVELS levels before. Its warp polls this unknown before any other. The limit is RUN_AHEAD_NEAR_LEVELS levels before if the
/// rows between have at least RUN_AHEAD_NEAR_LANES lanes.
pub const RUN_AHEAD_LEVELS: u32 = 8;
pub const RUN_AHEAD_NEAR_LEVELS: u32 = 4;
pub const RUN_AHEAD_NEAR_LANES: u32 = 8192;
pub const RUN_AHEAD_ENTRIES: u32 = 4;

/// The groups of the locality order begin anew every LOCALITY_LEVELS levels.
pub const LOCALITY_LEVELS: u32 = 16;

/// The unit, in nanoseconds, of what is gained if one cluster solves the last levels. It is less than the gain of one level, and 32 bits
/// hold the gain of 2^31 levels.
pub const END_GAIN: i64 = 140;

/// Rows of the shortest grid line. Shorter ones count as none.
pub const SHORTEST_LINE: u32 = 8;

/// An off-band entry is farther from the diagonal than n / OFF_BAND_PART, but at least OFF_BAND_LEAST and at most OFF_BAND_MOST. Most
/// unknowns of other tiles that a tile waits for are of off-band entries. The model does not predict these waits.
pub const OFF_BAND_PART: u32 = 8;
pub const OFF_BAND_LEAST: u32 = 1024;
pub const OFF_BAND_MOST: u32 = 4096;

/// A near entry is at most so many rows from the diagonal. Engines that walk along the diagonal have dense columns for these.
pub const NEAR: u32 = 64;

/// A row is long if it has more than LONG_ROW entries, and more than LONG_ROW_TIMES times the average.
pub const LONG_ROW: u32 = 256;
pub const LONG_ROW_TIMES: u32 = 64;

/// The sample that tells an irregular pattern: IRREGULAR_PAIRS pairs of neighbouring rows, and at most IRREGULAR_ENTRIES entries of each
/// pair. An entry is irregular if it is farther than n / IRREGULAR_FAR_PART from the diagonal, and farther than IRREGULAR_BESIDE from the
/// same entry of the next row.
pub const IRREGULAR_PAIRS: u32 = 4096;
pub const IRREGULAR_ENTRIES: u32 = 8;
pub const IRREGULAR_FAR_PART: u32 = 16;
pub const IRREGULAR_BESIDE: u32 = 256;
