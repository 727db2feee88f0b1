//! What kernels of NODAL know too.
#![forbid(unsafe_code)]

/// Values that a lane holds at a time, so many of each row of its node; half as many in type z.
pub const NODAL_VALUES_PER_LANE: u32 = 16;
