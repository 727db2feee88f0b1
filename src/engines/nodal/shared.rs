//! What kernels of NODAL and of its part of the analysis know too.
#![forbid(unsafe_code)]

/// Unknowns of a node.
pub const SMALLEST_NODE: u32 = 2;
pub const LARGEST_NODE: u32 = 6;

/// Values that a lane holds at a time, so many of each row of its node; half as many in type z.
pub const NODAL_VALUES_PER_LANE: u32 = 16;
