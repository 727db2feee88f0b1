//! Measured numbers of BLOCK that its kernels know too.
#![forbid(unsafe_code)]

/// Most threads of its blocks. The second number is for kernels whose lanes have two columns.
pub const BLOCK_THREADS: u32 = 640;
pub const BLOCK_WIDE_THREADS: u32 = 512;

/// Threads of the blocks that bring right-hand sides to rows and results back.
pub const BLOCK_PACK_THREADS: u32 = 256;

/// Rows that a warp knows before their rounds.
pub const BLOCK_AHEAD: u32 = 3;

/// What a warp has room for beside entries and right-hand sides: bytes of where a row is, and of its diagonal, which begins at
/// a multiple of them; and how many commit groups of further entries of a long row.
pub const BLOCK_ROW_BYTES: u32 = 32;
pub const BLOCK_DIAGONAL_BYTES: u32 = 16;
pub const BLOCK_MORE: u32 = 2;

/// Words from one queue of rows to the next: a line of the cache.
pub const BLOCK_QUEUE_WORDS: u32 = 32;
