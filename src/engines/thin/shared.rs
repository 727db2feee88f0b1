//! Measured numbers of THIN that kernels know too.
#![forbid(unsafe_code)]

/// Warps of a block, half as many in type z, and what it has of shared memory for its ring, in bytes.
pub const THIN_WARPS: u32 = 8;
pub const THIN_RING: u32 = 0x10000;

/// What a level gains against rows by level, what each row takes, and what a launch costs behind another, in nanoseconds.
pub const THIN_LEVEL: i64 = 280;
pub const THIN_ROW: i64 = 27;
pub const THIN_SPLIT: i64 = 4000;
