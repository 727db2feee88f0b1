//! What the kernels of PANEL know too.
#![forbid(unsafe_code)]

/// Warps of a block where rows are short, and where they are long. As many warps are on a multiprocessor together.
pub const PANEL_FEW_WARPS: u32 = 4;
pub const PANEL_MANY_WARPS: u32 = 8;
pub const PANEL_WARPS_OF_SM: u32 = 16;
