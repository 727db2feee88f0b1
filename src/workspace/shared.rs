//! What kernels know too of the caller's scratch buffer.
#![forbid(unsafe_code)]

/// Room for a row's unknowns. A sector of the L2 cache: what one access moves anyway.
pub const ROW_BYTES: usize = 32;

/// Right-hand sides in a pass of the paper's algorithms: as many as have room there, but no more than this.
pub const SEVERAL_MOST: usize = 4;
