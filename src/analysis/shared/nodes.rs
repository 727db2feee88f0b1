//! What kernels know of nodes too.
#![forbid(unsafe_code)]

/// Unknowns of a node.
pub const SMALLEST_NODE: u32 = 2;
pub const LARGEST_NODE: u32 = 6;
