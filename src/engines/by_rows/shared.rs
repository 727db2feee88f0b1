//! Measured numbers of engines by rows that kernels know too.
#![forbid(unsafe_code)]

/// Threads in a block, and the most blocks on a multiprocessor.
pub const ROWS_BLOCK: u32 = 128;
pub const ROWS_BLOCKS: u32 = 4;
