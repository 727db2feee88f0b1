//! What the kernels of PANEL know too.
#![forbid(unsafe_code)]

/// Warps of a block.
pub const PANEL_WARPS: u32 = 4;
