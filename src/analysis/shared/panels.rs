//! What kernels know of panels and their segments too.
#![forbid(unsafe_code)]

/// Rows of a panel, and of a segment at most.
pub const PANEL_ROWS: u32 = 32;

/// Sizes of segments, rounded up to a power of two.
pub const PANEL_SIZES: u32 = 6;

/// What is known of the segments of a pattern.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    pub segments: u32,
    /// How many a path has at most, where that has been found out.
    pub levels: u32,
    /// The same, about, times PANEL_HOP_PARTS.
    pub hops: u64,
}

pub const PANEL_HOP_PARTS: u32 = 1024;
