//! Measured numbers of THIN that kernels know too.
#![forbid(unsafe_code)]

/// Warps of a block, half of them in type z, and the bytes of its shared memory that the circular buffer takes.
pub const THIN_WARPS: u32 = 8;
pub const THIN_RING: u32 = 0x10000;

/// In nanoseconds: what a level gains compared with rows by level, what a row takes, and what a second launch costs.
pub const THIN_LEVEL: i64 = 280;
pub const THIN_ROW: i64 = 27;
pub const THIN_SPLIT: i64 = 4000;
