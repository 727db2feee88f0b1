//! What a setup is to do, and where its temporaries lie: all in one allocation.

use super::super::memory;
use super::args::*;
use super::known::Levels;
use crate::address::{Address, Stream};
use crate::analysis::lines;
use crate::analysis::shared::ranges::LevelSpan;
use crate::analysis::{Needs, Tiles};
use crate::error::Result;
use crate::problem::Shape;

/// Hands out places in one allocation, each at a multiple of 16 bytes; once from null to learn the size, and once from its address,
/// which is such a multiple.
pub(super) struct Room {
    begin: Address,
    bytes: usize,
}

impl Room {
    pub(super) fn new(begin: Address) -> Room {
        Room { begin, bytes: 0 }
    }
    pub(super) fn words(&mut self, count: usize) -> Address {
        self.take(count * 4)
    }
    pub(super) fn take(&mut self, bytes: usize) -> Address {
        let place = self.bytes.next_multiple_of(16);
        self.bytes = place + bytes;
        self.begin.offset(place)
    }
    /// Bytes up to the end of the last place.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Temporaries. The first `zero_bytes` are zero at the beginning.
#[derive(Default)]
pub(super) struct Places {
    /// And behind it the state, for the watchdog, and the spans.
    pub summary: Address,
    pub spans: Address,
    pub word: Address,
    pub list_count: Address,
    pub level_sort: Sort,
    pub tile_sort: Sort,
    pub wavefront_sort: Sort,
    pub wavefront_scan: Address,
    pub list_scan: Address,
    pub row_scan: Address,
    pub col_scan: Address,
    pub work_item_scan: Address,
    pub pack_scan: Address,
    pub batch_scan: Address,
    pub node_scan: Address,
    pub zero_bytes: usize,

    /// Pieces of long majors, and of long lists across them.
    pub piece: Address,
    pub totals: Address,

    /// Zero when it is used.
    pub locality_sort: Sort,
    /// Four words for each row, free after the lists are filled, as `position` is: in two places then.
    pub major: Address,
    pub first: Address,
    pub diag: Address,
    pub position: Address,
    /// The transposed pattern.
    pub list_ptr: Address,
    pub list: Address,
    /// Sorts of the unknowns; afterwards free for whatever has a word for each row and one more.
    pub keys: [Address; 2],
    pub values: [Address; 2],
    pub level_ptr: Address,
    pub by_level: Address,
    /// By position, where the plan keeps records in place of these.
    pub order: Address,
    pub row_ptr: Address,
    pub by_first: Address,
    pub by_diag: Address,
    pub by_kept: Address,
}

/// Zeroed memory of a sort.
#[derive(Clone, Copy, Default)]
pub(super) struct Sort {
    pub histogram: Address,
    pub states: Address,
    pub count: u32,
}

impl Sort {
    pub(super) fn pass_bytes(count: u32) -> usize {
        count.div_ceil(SORT_TILE) as usize * BINS as usize * 8
    }
    pub(super) fn lay_out(room: &mut Room, count: u32, passes: u32) -> Sort {
        let histogram = room.words((MOST_PASSES * BINS) as usize);
        let states = room.take(passes as usize * Self::pass_bytes(count));
        Sort { histogram, states, count }
    }
    /// Makes zero what so many passes use.
    pub(super) fn clear(&self, passes: u32, stream: Stream) -> Result<()> {
        let before_states = (self.states.get() - self.histogram.get()) as usize;
        let bytes = before_states + passes as usize * Self::pass_bytes(self.count);
        // SAFETY: the places were laid out one after the other, for as many passes at least.
        unsafe { memory::fill(self.histogram, 0, bytes, stream) }
    }
}

pub(super) const MOST_PASSES: u32 = 4;

/// Passes of 8 bits that sort keys below `bound`.
pub(super) fn passes(bound: u32) -> u32 {
    (u32::BITS - bound.saturating_sub(1).leading_zeros()).div_ceil(8).max(1)
}

/// Most pieces of rows that have more entries than one piece.
pub(super) fn piece_room(nnz: u32) -> u32 {
    2 * (nnz / PIECE) + 1
}

pub(super) fn lay_out(begin: Address, n: u32, nnz: u32, task: &Task) -> (Places, usize) {
    let room = &mut Room::new(begin);
    let rows = n as usize + 1;
    let sorted = if task.levels { n } else { 0 };
    let in_tiles = if task.needs.tiles == Tiles::No { 0 } else { n };
    let spans = lines::most_spans(n);
    let scan = |room: &mut Room| room.take(rows.div_ceil((SCAN_BLOCK * SCAN_FEW) as usize) * 8);
    let mut places = Places {
        summary: room.words(Summary::WORDS + STATE),
        spans: room.words(if task.levels { spans as usize * LevelSpan::WORDS } else { 0 }),
        word: room.words(if task.levels { rows } else { 0 }),
        list_count: room.words(if task.transpose { rows } else { 0 }),
        level_sort: Sort::lay_out(room, sorted, passes(n)),
        tile_sort: Sort::lay_out(room, in_tiles, passes(spans)),
        wavefront_sort: Sort::lay_out(room, in_tiles, passes(u32::MAX)),
        wavefront_scan: scan(room),
        list_scan: scan(room),
        row_scan: scan(room),
        col_scan: scan(room),
        work_item_scan: scan(room),
        pack_scan: scan(room),
        batch_scan: scan(room),
        node_scan: scan(room),
        ..Places::default()
    };
    places.zero_bytes = room.bytes();
    places.piece = room.take(2 * piece_room(nnz) as usize * size_of::<Piece>());
    places.totals = room.take(piece_room(nnz) as usize * size_of::<PieceTotals>());
    if task.needs.locality_order {
        places.locality_sort = Sort::lay_out(room, n, MOST_PASSES);
    }
    places.major = room.take(rows * 16);
    places.first = places.major;
    places.diag = places.major.offset(rows * 8);
    places.position = room.words(rows);
    places.by_kept = room.words(rows);
    if task.transpose {
        // Where lists end comes at a multiple of 16 bytes, as all that is scanned.
        places.list_ptr = room.words(rows + 4).offset(12);
        places.list = room.take(nnz as usize * 8);
    }
    if task.levels {
        places.keys = [room.words(rows), room.words(rows)];
        places.values = [room.words(rows), room.words(rows)];
        places.level_ptr = room.words(rows);
        places.by_level = room.words(rows);
    }
    if task.records {
        for place in [&mut places.order, &mut places.row_ptr, &mut places.by_first, &mut places.by_diag] {
            *place = room.words(rows);
        }
    }
    (places, room.bytes())
}

/// What is to be done, derived from what is asked for.
pub(super) struct Task {
    pub levels: bool,
    pub stored_rows: bool,
    pub transpose: bool,
    /// The plan keeps records, which say of each position what arrays would say otherwise.
    pub records: bool,
    pub needs: Needs,
}

impl Task {
    pub(super) fn new(shape: &Shape, needs: Needs, records: bool, how: Levels) -> Task {
        let levels = needs.levels || needs.tiles != Tiles::No;
        let stored_rows = shape.rows_are_stored();
        let transpose = if stored_rows {
            needs.columns || levels && how == Levels::Kahn
        } else {
            needs.rows || needs.counts || levels
        };
        Task { levels, stored_rows, transpose, records, needs }
    }

    /// To transpose the matrix, and no more.
    pub(super) fn only_transpose(shape: &Shape) -> Task {
        let needs = Needs::default();
        Task { levels: false, stored_rows: shape.rows_are_stored(), transpose: true, records: false, needs }
    }
}
