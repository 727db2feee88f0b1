//! What the kernels of a setup get, what they leave, and the sizes of their blocks.
//!
//! A stored row or column is called a major. Its dependencies are its off-diagonal entries inside of the triangle. A natural
//! position is an unknown's place in natural solving order: the unknown itself for a forward solve, counted from the last one for
//! a backward solve.
#![forbid(unsafe_code)]

use super::super::shared::{ConstPtr, MutPtr};

/// Threads of a block: of the sweep, of a scan, of a sort, of what puts lists in order, and of all other kernels.
pub const SWEEP_BLOCK: u32 = 1024;
pub const SCAN_BLOCK: u32 = 512;
pub const SORT_BLOCK: u32 = 256;
pub const ORDER_BLOCK: u32 = 512;
pub const TEAM_BLOCK: u32 = 256;

/// Elements of a thread of a sort, and values of a digit.
pub const SORT_ITEMS: u32 = 16;
pub const BINS: u32 = 256;

/// Entries of a long row that a warp walks.
pub const PIECE: u32 = 256;

/// The most words of a message to the host, which learns of it by the word behind them.
pub const LONGEST_MESSAGE: u32 = 32767;

/// What the kernels find out, and the tickets they take; all zero at the beginning.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Summary {
    /// The pattern is malformed: every kernel after the survey does nothing.
    pub bad: u32,
    /// Some major's dependencies are not consecutive.
    pub scattered: u32,
    /// Dependencies of all majors.
    pub entries: u32,
    /// Second and further entries on a diagonal.
    pub extra: u32,
    /// ~ the smallest major without a diagonal entry, or 0.
    pub missing: u32,
    pub levels: u32,
    /// Of long majors, and of long lists of the transposed pattern; where every warp looks anyway.
    pub pieces: [u32; 2],
    /// Unknowns in the widest level.
    pub widest: u32,
    /// Sizes of nodes that the pattern does not have, a bit each.
    pub refuted: u32,
    /// The largest place in the order by wavefront strips.
    pub largest_place: u32,
    /// Entries of the longest row, where there are tiles.
    pub longest: u32,
    /// Dependencies next to the diagonal.
    pub next_to_diagonal: u32,
    /// ~ where the first line after the first begins that does not depend on the one before, or 0.
    pub apart: u32,
    /// From the first level of a line, and of a plane, to that of the next, if all are alike.
    pub line_step: u32,
    pub plane_step: u32,
    /// Whether some are not.
    pub uneven: u32,
    /// Of 3-D blocks, so that no unknown depends on a later one; 2 where one line for each plane is too few.
    pub skew: u32,
    /// Some diagonal of a row of a node is not in its place in the row.
    pub displaced: u32,
    pub work_items: u32,
    /// What the best narrow end gains, by END_GAIN, in its upper half, and its first work item.
    pub narrow: u64,
    /// Of the numbers of entries of the rows of op(A), their sum.
    pub squares: u64,
    /// The same of those that are far longer than the others.
    pub long_squares: u64,
    pub bad_offsets: u32,
    /// Majors without dependencies.
    pub bare: u32,
    /// Some unknown's level is not one above that of the last one that it depends on.
    pub overtaken: u32,
    /// The most segments of a row.
    pub most_row_segments: u32,
    /// Unknowns in the queue of Kahn's algorithm.
    pub queued: u32,
    /// Extra diagonal entries in the list.
    pub listed: u32,
    /// Some list of the transposed pattern is very long.
    pub crowded: u32,
    pub ticket: [u32; 31],
    /// `CODE_UNIT`s of the codes of all batches.
    pub units: u64,
    /// When the stretches of the setup that the host tells apart have begun, or 0.
    pub begun: [u64; 8],
    /// What the best end for the thin engine gains, in its upper half, and its first level.
    pub thin: u64,
    /// Entries of some rows, and those that are irregular: see setup_irregular.cuh.
    pub sampled: u32,
    pub irregular: u32,
    /// Blocks that have ended of a kernel that sends a message at its end.
    pub ended: u32,
    /// Near entries, and off-band ones.
    pub near: u32,
    pub off_band: u32,
    /// Some row of a node does not begin where the one before it ends, if diagonals are in their places.
    pub parted: u32,
}

/// A part of a long row or list.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Piece {
    /// Of which row, and with which of its entries it begins.
    pub row: u32,
    pub from: u32,
    /// The number of the row's first piece.
    pub first: u32,
    pub unused: u32,
}

/// What pieces of a row add up to, and how many have.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct PieceTotals {
    pub sum: [u32; 7],
    pub done: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct SetupArgs {
    pub n: u32,
    pub nnz: u32,
    pub base: u32,
    /// Dependencies have a smaller index than their major (else a larger one).
    pub low: u32,
    pub forward: u32,
    /// The diagonal is the matrix's own.
    pub own_diag: u32,
    /// Lanes of a team that walks a major.
    pub lanes: u32,
    /// Which ticket a launch takes.
    pub ticket: u32,
    /// Elements to scan or to sort, or bounds to find.
    pub count: u32,
    /// The shift of the digit that a pass sorts by; passes, for the histograms; bits of a place, for the locality order.
    pub shift: u32,
    /// The level of the unknowns begin..end in Kahn's queue; how many levels of segments there are.
    pub level: u32,
    pub begin: u32,
    pub end: u32,
    /// Positions whose levels are noted together; values of a piece that is gathered; entries of a piece of a
    /// panel's row.
    pub span: u32,
    /// Rows of a tile, or 0.
    pub tile: u32,
    /// Entries of a row before another lane joins in.
    pub per_lane: u32,
    pub window: u32,
    /// Bits of what is scanned.
    pub mask: u32,
    /// `order` is to be written rather than read.
    pub natural: u32,
    /// Positions that a row looks back in the window.
    pub reach: u32,
    /// From one element that is scanned to the next.
    pub stride: u32,
    /// Unknowns of a node, where the pattern is one of nodes or is made one.
    pub node: u32,
    /// Tiles are ranges of the order by wavefront strips.
    pub by_wavefronts: u32,
    /// 3-D blocks beside each other, where tiles are 3-D blocks.
    pub blocks_3d: u32,
    /// Of 3-D blocks: lines for each plane.
    pub skew: u32,
    /// Lines and planes of a 3-D block.
    pub block_3d_lines: u32,
    pub block_3d_planes: u32,
    pub piece_room: u32,
    /// The thin engine's end is wanted, not ONE_WORD's narrow one.
    pub thin: u32,
    /// Words of the message to the host.
    pub message_words: u32,
    /// The zero pivot of an info that has not solved.
    pub pivot: u32,

    /// The caller's arrays.
    pub ptr: ConstPtr, // <void>
    pub ind: ConstPtr,   // <void>
    pub summary: MutPtr, // <Summary>
    /// First dependency and past the last, their number, the diagonal.
    pub major: MutPtr, // <uint4>
    /// By natural position: level + 1, or 0 while it is not known.
    pub word: MutPtr, // <u32>
    /// By natural position: a `Link`.
    pub chain: MutPtr, // <u64>
    /// The transposed pattern: where each list begins, and the lists.
    pub list_ptr: MutPtr, // <u32>
    /// (value index, major), by rising value index.
    pub list: MutPtr, // <uint2>
    /// `piece_room` of long majors, as many of long lists of the transposed pattern.
    pub piece: MutPtr, // <Piece>
    /// By number of a row's first piece; zero while nobody adds to it.
    pub totals: MutPtr, // <PieceTotals>

    /// What is scanned: `scan_in[stride * scan_order[k]]`, or without an order `scan_in[stride * k]`;
    pub scan_in: ConstPtr, // <u32>
    pub scan_order: ConstPtr, // <u32>
    pub scan_out: MutPtr,     // <u32>
    /// or `scan_lengths[i + 1] - scan_lengths[i]`.
    pub scan_lengths: ConstPtr, // <u32>
    /// States of the tiles of a scan or sort; zero at the beginning.
    pub states: MutPtr, // <u64>
    pub key_in: ConstPtr,     // <u32>
    pub value_in: ConstPtr,   // <void>
    pub key_out: MutPtr,      // <u32>
    pub value_out: MutPtr,    // <void>
    /// 4 digits of 256; zero at the beginning.
    pub histogram: MutPtr, // <u32>
    pub bounds: MutPtr,       // <u32>

    pub spans: MutPtr, // <LevelSpan>
    pub ranks: MutPtr, // <uint2>
    /// By natural position: see setup_locality.cuh.
    pub locality_group: MutPtr, // <u32>
    pub order: MutPtr, // <u32>
    pub position: MutPtr, // <u32>
    /// Names of unknowns, where a dependency is not called by its row.
    pub names: ConstPtr, // <u32>
    pub out_ptr: MutPtr, // <u32>
    pub out_adj: MutPtr, // <u32>
    pub out_val: MutPtr, // <u32>
    pub by_diag: MutPtr, // <u32>
    pub by_first: MutPtr, // <u32>
    pub by_kept: MutPtr, // <u32>
    pub by_count: MutPtr, // <u32>
    pub count_ptr: MutPtr, // <u32>
    /// By position; or the level of each segment.
    pub level_of: MutPtr, // <u32>
    pub tile_number: MutPtr, // <u32>
    pub level_ptr: MutPtr, // <u32>
    /// What Kahn's unknowns wait for; batches that begin at each position.
    pub counters: MutPtr, // <u32>
    pub chunk: MutPtr, // <u32>
    pub work_item_ptr: MutPtr, // <u32>
    pub work_item: MutPtr, // <uint2>
    pub record: MutPtr, // <uint4>
    pub tile_step: MutPtr, // <u32>
    pub level_step: MutPtr, // <u32>
    pub record_diag: ConstPtr, // <u32>
    pub extra: MutPtr, // <uint2>
    pub run_begin: MutPtr, // <u32>
    pub run_info: MutPtr, // <u32>
    pub batch_ptr: MutPtr, // <u32>
    /// Of each tile: narrow runs, and the lanes that they want.
    pub tile_narrow: MutPtr, // <uint2>
    /// Codes of TILED; and places of values, of NODAL too.
    pub code: MutPtr, // <u32>
    pub index: MutPtr, // <u32>
    pub node_row: MutPtr, // <uint2>
    /// The tile of each 3-D block, and where each tile begins.
    pub block_3d_tile: ConstPtr, // <u32>
    pub block_3d_begin: ConstPtr, // <u32>

    /// The state whose tickets and progress the watchdog polls.
    pub state: MutPtr, // <State>
    /// The watchdog; 0 is off.
    pub timeout_ns: u64,
    /// Where a kernel that begins a stretch of the setup leaves the time; else null.
    pub stamp: MutPtr, // <u64>
    /// The message to the host, and the page-locked memory that it is sent to.
    pub message_from: ConstPtr, // <u32>
    pub message_to: MutPtr, // <u32>

    /// The state of the info.
    pub solves: MutPtr, // <State>
    /// Its work vectors.
    pub work: MutPtr, // <u64>
    /// A multiple of 8.
    pub work_bytes: u64,
}
