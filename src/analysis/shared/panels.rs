//! What kernels know of panels and their segments too.
#![forbid(unsafe_code)]

/// Rows of a panel, and of a segment at most.
pub const PANEL_ROWS: u32 = 32;

/// Sizes of segments, rounded up to a power of two.
pub const PANEL_SIZES: u32 = 6;

/// What is known of the segments of a pattern. Of the entries that depend on another segment, `[by last, by first]` row: those by
/// which segments are not in order, and those that wait for rows that they would not wait for by themselves.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    pub unordered: [u32; 2],
    pub wait: [u32; 2],
    pub segments: u32,
    /// From segment to segment on the longest path, about, times PANEL_HOP_PARTS.
    pub hops: u64,
}

pub const PANEL_HOP_PARTS: u32 = 1024;
