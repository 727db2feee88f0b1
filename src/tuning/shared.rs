//! Measured numbers that kernels of the analysis know too.
#![forbid(unsafe_code)]

/// Levels are not looked for by chains where more than one in so many rows keeps nothing: there are few levels then.
pub const SETUP_CHAINS_BARE: u32 = 64;

/// Levels from the run-ahead limit of a work item to the work item, where rows have several lanes or so many entries on average: a
/// warp polls for nothing else before it has passed. They are as many as the second number where so many lanes' rows are between.
pub const RUN_AHEAD_LEVELS: u32 = 8;
pub const RUN_AHEAD_NEAR_LEVELS: u32 = 4;
pub const RUN_AHEAD_NEAR_LANES: u32 = 8192;
pub const RUN_AHEAD_ENTRIES: u32 = 4;

/// Every so many levels the groups of the locality order begin anew.
pub const LOCALITY_LEVELS: u32 = 16;

/// Ends that one cluster solves are told apart by what they gain in so many ns: less than a level gains, and so that 32
/// bits count what 2^31 of them do.
pub const END_GAIN: i64 = 140;

/// Shorter lines are no lines.
pub const SHORTEST_LINE: u32 = 8;

/// What the model does not know is what a tile takes longer for unknowns of other tiles. Most of those are of off-band entries,
/// which are farther from the diagonal than that part of all unknowns, but between so many.
pub const OFF_BAND_PART: u32 = 8;
pub const OFF_BAND_LEAST: u32 = 1024;
pub const OFF_BAND_MOST: u32 = 4096;

/// Rows are long that have so many entries, and so many times the average.
pub const LONG_ROW: u32 = 256;
pub const LONG_ROW_TIMES: u32 = 64;

/// Rows are sampled for whether their pattern is irregular: so many pairs of neighbouring ones, and at most so many entries of each
/// pair. An entry counts that is farther from the diagonal than this part of all unknowns, and farther than so many from the
/// same entry of the next row.
pub const IRREGULAR_PAIRS: u32 = 4096;
pub const IRREGULAR_ENTRIES: u32 = 8;
pub const IRREGULAR_FAR_PART: u32 = 16;
pub const IRREGULAR_BESIDE: u32 = 256;
