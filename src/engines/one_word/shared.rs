//! Measured numbers of ONE_WORD that kernels know too.
#![forbid(unsafe_code)]

/// The most blocks on a multiprocessor where the cache holds the unknowns, and values are of 8 bytes at most.
pub const ONE_WORD_BLOCKS_CACHED: u32 = 5;

/// Right-hand sides that a lane takes, where a solve has several.
pub const ONE_WORD_PER_LANE: u32 = 2;

/// The narrow end of a matrix, which ONE_WORD leaves to one cluster: the warps of a block, and what it has of shared memory for
/// its ring, in bytes.
pub const NARROW_WARPS: u32 = 8;
pub const NARROW_RING: u32 = 0x20000;

/// What each of its levels gains and each work item loses, and what its launch costs in place of another and behind it, in
/// nanoseconds.
pub const NARROW_LEVEL: i64 = 200;
pub const NARROW_WORK_ITEM: i64 = 20;
pub const NARROW_LAUNCH: i64 = 4000;
pub const NARROW_SPLIT: i64 = 10_000;
