//! Measured numbers of BLOCK that its kernels know too.
#![forbid(unsafe_code)]

/// Most threads of its blocks, threads of those that bring right-hand sides to rows and results back, and rows that a warp
/// knows before their turns.
pub const BLOCK_THREADS: u32 = 640;
pub const BLOCK_PACK_THREADS: u32 = 256;
pub const BLOCK_AHEAD: u32 = 3;

/// Words from one queue of rows to the next: a line of the cache.
pub const BLOCK_QUEUE_WORDS: u32 = 32;
