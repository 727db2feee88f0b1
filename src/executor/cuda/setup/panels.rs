//! The panels of the panel engine: what the choice wants to know of them, and the order of those that were chosen.

use super::super::{memory, DeviceArray};
use super::args::*;
use super::known::DeviceSchedule;
use super::places::{Room, Sort, MOST_PASSES};
use super::run::Run;
use crate::address::Address;
use crate::analysis::panels::{piece, SegmentCounts};
use crate::analysis::shared::panels::{PANEL_ITEM_WORDS, PANEL_ROWS, PANEL_SIZES};
use crate::error::{Error, Result};

// SAFETY: numbers, and arrays of them.
unsafe impl OfWords for SegmentCounts {}

/// The segments of a pattern, on the device.
pub(super) struct Segments {
    pub counts: SegmentCounts,
    places: Places,
    /// What the places lie in.
    _temporary: DeviceArray,
}

/// Places for the work on segments, in one allocation that is zero at the beginning. Each has a word for every row and one more.
#[derive(Clone, Copy, Default)]
struct Places {
    counts: Address,
    scans: [Address; 5],
    sort: Sort,
    begins: Address,
    sums: Address,
    first: Address,
    heads: Address,
    head_sums: Address,
    segment_of: Address,
    run_begin: Address,
    looked_at: Address,
    highest: Address,
    segment_levels: Address,
    keys: [Address; 2],
    values: [Address; 2],
    rooms: Address,
    levels: Address,
    pieces: Address,
    work_items: Address,
    bytes: usize,
}

impl Places {
    fn lay_out(begin: Address, n: u32) -> Places {
        let room = &mut Room::new(begin);
        let rows = n as usize + 1;
        let scan = |room: &mut Room| room.take(rows.div_ceil((SCAN_BLOCK * SCAN_FEW) as usize) * 8);
        Places {
            counts: room.words(SegmentCounts::WORDS),
            scans: [(); 5].map(|()| scan(room)),
            sort: Sort::lay_out(room, n, MOST_PASSES),
            begins: room.words(rows),
            sums: room.words(rows),
            first: room.words(rows),
            heads: room.words(rows),
            head_sums: room.words(rows),
            segment_of: room.words(rows),
            run_begin: room.words(rows),
            looked_at: room.words(rows),
            highest: room.words(rows),
            segment_levels: room.words(rows),
            keys: [(); 2].map(|()| room.words(rows)),
            values: [(); 2].map(|()| room.words(rows)),
            rooms: room.words(rows),
            levels: room.words(rows),
            pieces: room.words(rows),
            work_items: room.words(rows),
            bytes: room.bytes(),
        }
    }
}

impl Run<'_> {
    /// Cuts the chains of unknowns into segments, and estimates how many a path has.
    pub(super) fn panel_segments(&mut self) -> Result<Segments> {
        let n = self.shape.n;
        let bytes = Places::lay_out(Address::NULL, n).bytes;
        let temporary = DeviceArray::temporary(self.launcher.gpu, bytes + 16, self.launcher.stream)?;
        let places = Places::lay_out(temporary.address().aligned(16), n);
        // SAFETY: the places lie in the allocation.
        unsafe { memory::fill(places.counts, 0, places.bytes, self.launcher.stream)? };
        let args = SetupArgs {
            chunk: places.begins,
            work_item_ptr: places.sums,
            bounds: places.first,
            counters: places.heads,
            locality_group: places.head_sums,
            tile_number: places.segment_of,
            run_begin: places.run_begin,
            level_of: places.keys[0],
            key_out: places.keys[1],
            run_info: places.rooms,
            level_ptr: self.places.level_ptr,
            level_step: places.counts,
            ..self.base
        };
        let scan = |scan_in, scan_out, states| SetupArgs { count: n, scan_in, scan_out, states, ..args };
        self.walk_strided(&self.of_rows("setup_panel_chains"), &args)?;
        self.scan(scan(places.begins, places.sums, places.scans[0]))?;
        self.cover_strided("setup_panel_begins", &args)?;
        self.cover_strided("setup_panel_heads", &args)?;
        self.scan(scan(places.heads, places.head_sums, places.scans[1]))?;
        self.cover_strided("setup_panel_segments", &args)?;
        self.cover_strided("setup_panel_starts", &args)?;
        self.walk_strided(&self.of_rows("setup_panel_latest"), &args)?;
        self.cover_strided("setup_panel_steps", &args)?;
        let found = self.ask(places.counts, SegmentCounts::WORDS)?;
        // Where levels begin is not known where nobody asks for a prediction.
        let count = if self.task.records { n } else { 0 };
        self.cover_strided("setup_panel_hops", &SetupArgs { count, ..args })?;
        let counts = SegmentCounts::of_words(&found.words()?);
        Ok(Segments { counts, places, _temporary: temporary })
    }

    /// Finds the level of each segment; how many levels there are.
    pub(super) fn segment_levels(&mut self, segments: &mut Segments) -> Result<u32> {
        let places = segments.places;
        let args = SetupArgs {
            tile_number: places.segment_of,
            run_begin: places.run_begin,
            counters: places.looked_at,
            key_out: places.highest,
            level_of: places.segment_levels,
            level_step: places.counts,
            ticket: self.ticket(),
            ..self.base
        };
        let found = self.ask(places.counts, SegmentCounts::WORDS)?;
        let blocks = u64::from(self.shape.n).div_ceil(u64::from(TEAM_BLOCK) / 32);
        self.launch(&self.of_rows("setup_panel_segment_levels"), blocks, TEAM_BLOCK, &args)?;
        segments.counts = SegmentCounts::of_words(&found.words()?);
        self.summary()?;
        Ok(segments.counts.levels)
    }

    /// Scans, and waits for the total.
    fn total(&mut self, args: SetupArgs) -> Result<u32> {
        let found = self.ask(args.scan_out.offset(4 * args.count as usize), 1)?;
        self.scan(args)?;
        Ok(found.words()?[0])
    }

    /// Writes the work items: which rows each panel has, and the pieces of long ones before it. Where there are more panels than words can
    /// count the rows of, they stay in natural order.
    pub(super) fn order_panels(&mut self, segments: Segments, done: &mut DeviceSchedule) -> Result<()> {
        let Segments { counts, places, .. } = segments;
        let levels = counts.levels;
        let Some(bound) = PANEL_SIZES.checked_mul(levels) else { return Ok(()) };
        let count = counts.segments;
        let args = SetupArgs {
            count,
            level: levels,
            level_of: places.segment_levels,
            chunk: places.begins,
            work_item_ptr: places.sums,
            bounds: places.first,
            counters: places.heads,
            tile_number: places.segment_of,
            run_begin: places.run_begin,
            run_info: places.rooms,
            level_ptr: places.levels,
            ..self.base
        };
        let keys = SetupArgs { key_out: places.keys[0], value_out: places.values[0], ..args };
        self.cover_strided("setup_panel_keys", &keys)?;
        let sort = Sort { count, ..places.sort };
        let (key_in, value_in) = self.sort(sort, bound, places.keys, places.values, None)?;
        let args = SetupArgs { key_in, value_in, ..args };
        self.cover_strided("setup_panel_rooms", &args)?;
        let panels = self.total(SetupArgs {
            count: levels,
            scan_in: places.levels,
            scan_out: places.heads,
            states: places.scans[2],
            ..args
        })?;
        if panels > u32::MAX / PANEL_ROWS {
            return Ok(());
        }
        self.scan(SetupArgs {
            scan_in: places.begins,
            scan_out: places.sums,
            states: places.scans[3],
            ..args
        })?;
        self.cover_strided("setup_panel_levels", &args)?;
        self.cover_strided("setup_panel_places", &args)?;
        let args = SetupArgs {
            counters: places.pieces,
            work_item_ptr: places.work_items,
            out_ptr: done.base.row_ptr,
            span: piece(done.entries, self.shape.n),
            ..args
        };
        self.cover_strided("setup_panel_pieces", &args)?;
        let count = self.total(SetupArgs {
            count: panels,
            scan_in: places.pieces,
            scan_out: places.work_items,
            states: places.scans[4],
            ..args
        })?;
        // Each panel is one, unless the watchdog has ended a scan.
        let sums = count.checked_sub(panels).ok_or(Error::SetupTimedOut)?;
        let bytes = count as usize * PANEL_ITEM_WORDS as usize * 4;
        let work_items = self.allocate(bytes)?;
        // SAFETY: the array has that many bytes.
        unsafe { memory::fill(work_items.address(), 0xff, bytes, self.launcher.stream)? };
        self.cover_strided("setup_panel_rows", &SetupArgs { work_item: work_items.address(), ..args })?;
        (done.base.work_item, done.base.work_items) = (work_items.address(), count);
        done.found.panel_sums = sums;
        done.owned.push(work_items);
        Ok(())
    }
}
