//! What kernels know of panels and their segments too.
#![forbid(unsafe_code)]

/// Rows of a panel, and of a segment at most.
pub const PANEL_ROWS: u32 = 32;

/// Entries of a piece of a row. Where a panel has longer rows, each further piece of them is a work item of its own.
pub const PANEL_PIECE: u32 = 256;

/// Words of a work item: the positions of its rows, where the sums of its piece lie, or those of the panel's first one, and how many
/// further pieces the panel has, or by PANEL_PIECE_BIT which of them this is, from 1 on.
pub const PANEL_ITEM_WORDS: u32 = PANEL_ROWS + 2;
pub const PANEL_PIECE_BIT: u32 = 0x8000_0000;

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
