//! Clusters of blocks that keep unknowns in each other's shared memory.
#![forbid(unsafe_code)]

/// Blocks of a cluster that solves narrow levels by itself.
pub const CLUSTER_BLOCKS: u32 = 8;
