//! What the kernels of a setup get, and where they leave what they find out. The mirror of kernels/analysis/setup.cuh.

use super::super::args::State;

/// Words of the kernels' summary.
pub(super) const SUMMARY: usize = 88;
/// Words of the `State` behind it.
pub(super) const STATE: usize = std::mem::size_of::<State>() / 4;
/// The watchdog has ended a wait.
pub(super) const FAILED: usize = SUMMARY + std::mem::offset_of!(State, failed) / 4;
pub(super) const BAD: usize = 0;
pub(super) const SCATTERED: usize = 1;
pub(super) const ENTRIES: usize = 2;
pub(super) const EXTRA: usize = 3;
pub(super) const MISSING: usize = 4;
pub(super) const LEVELS: usize = 5;
pub(super) const WIDEST: usize = 8;
pub(super) const REFUTED: usize = 9;
pub(super) const LARGEST_PLACE: usize = 10;
pub(super) const NEXT_TO_DIAGONAL: usize = 12;
pub(super) const APART: usize = 13;
pub(super) const LINE_STEP: usize = 14;
pub(super) const PLANE_STEP: usize = 15;
pub(super) const UNEVEN: usize = 16;
pub(super) const SKEW: usize = 17;
pub(super) const DISPLACED: usize = 18;
pub(super) const SLICES: usize = 19;
pub(super) const NARROW: usize = 20;
pub(super) const SQUARES: usize = 22;
pub(super) const LONG_SQUARES: usize = 24;
pub(super) const BARE: usize = 27;
pub(super) const MOST_PARTS: usize = 29;
pub(super) const QUEUED: usize = 30;
pub(super) const UNITS: usize = 62;
pub(super) const BEGUN: usize = 64;
pub(super) const LAST_LEVELS: usize = 80;
pub(super) const SAMPLED: usize = 82;
pub(super) const STREWN: usize = 83;
pub(super) const DISTANT: usize = 85;
pub(super) const PARTED: usize = 86;
/// Stretches of a setup that have a place there.
pub(super) const MOST_STRETCHES: usize = 8;

/// A number of two words.
pub(super) fn long(found: &[u32], at: usize) -> u64 {
    found[at] as u64 | (found[at + 1] as u64) << 32
}

pub(super) const SWEEP_BLOCK: u32 = 1024;
pub(super) const SCAN_BLOCK: u32 = 512;
/// Elements of a thread of a scan: few where the GPU has room for all blocks then.
pub(super) const SCAN_FEW: u32 = 4;
pub(super) const SCAN_MANY: u32 = 16;
/// Blocks of a scan on a multiprocessor.
pub(super) const SCANS_AT_ONCE: u64 = 4;
pub(super) const SORT_TILE: u32 = 4096;
pub(super) const BINS: u32 = 256;
/// Fewer levels than these are looked for by a warp each.
pub(super) const BOUNDS_BY_WARPS: u32 = 8192;
pub(super) const ORDER_BLOCK: u32 = 512;
/// Entries of a long row that a warp walks, the bytes of what is known of such a piece, and of what the pieces of a row add up to.
pub(super) const PIECE: u32 = 256;
pub(super) const PIECE_BYTES: usize = 16;
pub(super) const TOTALS_BYTES: usize = 32;
/// Threads of the blocks of all other kernels.
pub(super) const BLOCK: u32 = 256;

/// Bytes that a thread arms, and the most blocks on a multiprocessor, which take turns.
pub(super) const ARM_BYTES: u64 = 32;
pub(super) const ARM_BLOCKS: u64 = 8;

/// Rows and entries must fit into 31 bits here.
pub const MAX_SIZE: u32 = i32::MAX as u32;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct SetupArgs {
    pub n: u32,
    pub nnz: u32,
    pub base: u32,
    pub low: u32,
    pub forward: u32,
    pub own_diag: u32,
    pub lanes: u32,
    pub ticket: u32,
    pub count: u32,
    pub shift: u32,
    pub level: u32,
    pub begin: u32,
    pub end: u32,
    pub span: u32,
    pub tile: u32,
    pub per_lane: u32,
    pub window: u32,
    pub mask: u32,
    pub natural: u32,
    pub reach: u32,
    pub stride: u32,
    pub node: u32,
    pub by_strips: u32,
    pub boxes: u32,
    pub skew: u32,
    pub box_lines: u32,
    pub box_planes: u32,
    pub piece_room: u32,
    pub thin: u32,
    pub tells: u32,
    pub pivot: u32,
    pub unused: u32,

    pub ptr: u64,
    pub ind: u64,
    pub summary: u64,
    pub major: u64,
    pub word: u64,
    pub chain: u64,
    pub list_ptr: u64,
    pub list: u64,
    pub piece: u64,
    pub totals: u64,

    pub scan_in: u64,
    pub scan_order: u64,
    pub scan_out: u64,
    pub scan_lengths: u64,
    pub states: u64,
    pub key_in: u64,
    pub value_in: u64,
    pub key_out: u64,
    pub value_out: u64,
    pub histogram: u64,
    pub bounds: u64,

    pub spans: u64,
    pub ranks: u64,
    pub family: u64,
    pub order: u64,
    pub position: u64,
    pub names: u64,
    pub out_ptr: u64,
    pub out_adj: u64,
    pub out_val: u64,
    pub by_diag: u64,
    pub by_first: u64,
    pub by_kept: u64,
    pub by_count: u64,
    pub count_ptr: u64,
    pub level_of: u64,
    pub tile_number: u64,
    pub level_ptr: u64,
    pub counters: u64,
    pub chunk: u64,
    pub slice_ptr: u64,
    pub slice: u64,
    pub record: u64,
    pub tile_step: u64,
    pub level_step: u64,
    pub record_diag: u64,
    pub extra: u64,
    pub run_begin: u64,
    pub run_info: u64,
    pub batch_ptr: u64,
    pub tile_narrow: u64,
    pub code: u64,
    pub index: u64,
    pub node_row: u64,
    pub box_tile: u64,
    pub box_begin: u64,

    pub state: u64,
    pub timeout_ns: u64,
    pub stamp: u64,
    pub tell_from: u64,
    pub tell_to: u64,

    pub solves: u64,
    pub work: u64,
    pub work_bytes: u64,
}

/// What a kernel is to tell the host in the end: nothing, or so many words.
#[derive(Clone, Copy, Default)]
pub(super) struct Question {
    pub words: u32,
    pub from: u64,
    pub to: u64,
}

impl SetupArgs {
    pub(super) fn asked(self, question: Question) -> SetupArgs {
        let Question { words, from, to } = question;
        SetupArgs { tells: words, tell_from: from, tell_to: to, ..self }
    }
}

const _: () = assert!(std::mem::size_of::<SetupArgs>() == 32 * 4 + 64 * 8);
