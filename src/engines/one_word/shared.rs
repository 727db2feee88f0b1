//! Measured numbers of ONE_WORD that kernels know too.
#![forbid(unsafe_code)]

/// The most blocks on a multiprocessor where the cache holds the unknowns, and values are of 8 bytes at most.
pub const ONE_WORD_BLOCKS_CACHED: u32 = 5;

/// Right-hand sides of a lane, in solves for several.
pub const ONE_WORD_PER_LANE: u32 = 2;

/// One cluster solves the narrow end of a matrix: the warps of its blocks, and the bytes of shared memory of each that the circular buffer
/// takes.
pub const NARROW_WARPS: u32 = 8;
pub const NARROW_RING: u32 = 0x20000;

/// In nanoseconds: what each level of the narrow end gains and each work item loses, and what its launch costs if it is the only one of
/// a solve, and if it is the second one.
pub const NARROW_LEVEL: i64 = 200;
pub const NARROW_WORK_ITEM: i64 = 20;
pub const NARROW_LAUNCH: i64 = 4000;
pub const NARROW_SPLIT: i64 = 10_000;
