//! Measured numbers of the paper's algorithms.
#![forbid(unsafe_code)]

/// Threads in a block of the paper's kernels: one warp a row or column.
pub const PAPER_BLOCK: u32 = 128;

/// Level-scheduled solves launch from a graph up to this many levels: a node costs about 0.5 µs where a
/// launch costs 3.5 to 4.7, but instantiating a graph grows with its nodes.
pub const GRAPH_LEVELS: usize = 1 << 16;
