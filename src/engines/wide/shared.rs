//! Measured numbers of WIDE that its kernels know too.
#![forbid(unsafe_code)]

/// Threads of a block, and the most blocks on a multiprocessor, with one right-hand side and with several, or of
/// type z.
pub const WIDE_BLOCK: u32 = 256;
pub const WIDE_BLOCKS: u32 = 3;
pub const WIDE_BLOCKS_MULTI: u32 = 2;
