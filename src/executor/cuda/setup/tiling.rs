//! What the choice of tiles wants to know, and the batches of those that were chosen.

use std::mem::offset_of;

use super::super::memory;
use super::args::*;
use super::known::DeviceSchedule;
use super::message::Message;
use super::places::Places;
use super::run::{checked, Run};
use crate::address::Address;
use crate::analysis::lines::{self, Grid, Sizes};
use crate::analysis::ranges::{Ranges, Spread};
use crate::analysis::shared::ranges::LevelSpan;
use crate::analysis::wavefront_strips;
use crate::analysis::work_items::CODE_UNIT;
use crate::analysis::Tiles;
use crate::error::{Error, Result};
use crate::tuning::SMALLEST_RANGE;

/// The grid that the summary says the pattern is of.
pub(super) fn grid_of(n: u32, found: &Summary) -> Grid {
    let plane = if found.apart != 0 { !found.apart } else { 0 };
    Grid::new(n, lines::line(n, found.next_to_diagonal), plane)
}

impl Run<'_> {
    /// The summary and, where tiles may be wanted, the ranges of the natural order. Levels have asked for them.
    pub(super) fn findings(&self, asked: Option<Message>) -> Result<(Summary, Ranges)> {
        let none = || Ranges::of(Sizes::plain(0), Vec::new());
        let n = self.shape.n;
        let Some(asked) = asked else { return Ok((self.summary()?, none())) };
        let (mut found, mut words) = self.levels_of(asked)?;
        if found.bad != 0 {
            return Ok((found, none()));
        }
        if found.long_squares > 0 {
            (found, words) = self.levels_of(self.raise_long_rows()?)?;
        }
        if self.task.needs.tiles == Tiles::No {
            return Ok((found, none()));
        }
        let sizes = grid_of(n, &found).sizes(n, self.task.needs.remote_buffer);
        if sizes.span == SMALLEST_RANGE {
            return Ok((found, self.ranges(sizes, &words)));
        }
        let args = SetupArgs { span: sizes.span, spans: self.places.spans, ..self.base };
        let asked = self.ask_for_spans(sizes.span)?;
        self.launch("setup_spans", n.div_ceil(sizes.span) as u64, TEAM_BLOCK, &args)?;
        let words = self.spans(asked)?.1;
        Ok((found, self.ranges(sizes, &words)))
    }

    /// The summary and, where tiles may be wanted, the levels of every few unknowns.
    fn levels_of(&self, asked: Message) -> Result<(Summary, Vec<u32>)> {
        match self.task.needs.tiles {
            Tiles::No => Ok((checked(&asked.words()?)?, Vec::new())),
            _ => self.spans(asked),
        }
    }

    /// Asks for the summary, and the levels of every `span` unknowns.
    pub(super) fn ask_for_spans(&self, span: u32) -> Result<Message> {
        let words = LevelSpan::WORDS * self.shape.n.div_ceil(span) as usize;
        self.ask(self.places.summary, self.words_before_spans() + words)
    }
    /// Both.
    pub(super) fn spans(&self, asked: Message) -> Result<(Summary, Vec<u32>)> {
        let mut words = asked.words()?;
        let spans = words.split_off(self.words_before_spans());
        Ok((checked(&words)?, spans))
    }
    fn words_before_spans(&self) -> usize {
        (self.places.spans.get() - self.places.summary.get()) as usize / 4
    }

    pub(super) fn ranges(&self, sizes: Sizes, words: &[u32]) -> Ranges {
        let (n, size) = (self.shape.n, sizes.span);
        let spread = |(k, w)| Spread::of(LevelSpan::of_words(w), size.min(n - k as u32 * size));
        Ranges::of(sizes, words.chunks_exact(LevelSpan::WORDS).enumerate().map(spread).collect())
    }

    /// The ranges of the order by wavefront strips, if there is one; `position` has the positions in it then. `level_of` is by
    /// place in the order by level.
    pub(super) fn wavefront_strips(&mut self, levels: u32, level_of: Address) -> Result<Option<Ranges>> {
        let n = self.shape.n;
        if !wavefront_strips::fits(levels, n) {
            return Ok(None);
        }
        // Places for what comes by position are free as yet, as are those of the sort by level.
        let Places { by_level, level_ptr, values, order, row_ptr, by_first, by_diag, wavefront_sort, .. } =
            self.places;
        let [grows, shifts] = values;
        let args = SetupArgs {
            count: levels,
            level_of,
            level_ptr,
            value_in: by_level,
            spans: self.places.spans,
            // Two words for each row, and so the place behind it as well.
            ranks: by_first,
            ..self.base
        };
        self.cover("setup_wavefront_ranks", n, &args)?;
        // SAFETY: the place has a word for each row, and there are at least two rows for each level.
        unsafe { memory::fill(grows, 0, 2 * levels as usize * 4, self.launcher.stream)? };
        self.walk(&self.of_rows("setup_wavefront_shifts"), &SetupArgs { scan_out: grows, ..args })?;
        let states = self.places.wavefront_scan;
        self.scan(SetupArgs { count: 2 * levels, scan_in: grows, scan_out: shifts, states, ..args })?;
        let keys = SetupArgs { bounds: shifts, key_out: order, value_out: row_ptr, ..args };
        self.cover("setup_wavefront_keys", n, &keys)?;
        let found = self.summary()?;
        if wavefront_strips::bound(levels, found.widest).is_none() {
            return Ok(None);
        }
        let places = found.largest_place + 1;
        let (_, sorted) = self.sort(wavefront_sort, places, [order, by_first], [row_ptr, by_diag], None)?;
        let sizes = Grid::new(n, lines::length(n, places), 0).sizes(n, 0);
        let args = SetupArgs { value_in: sorted, span: sizes.span, ..args };
        let asked = self.ask_for_spans(sizes.span)?;
        self.launch("setup_wavefront_positions", n.div_ceil(sizes.span) as u64, TEAM_BLOCK, &args)?;
        let words = self.spans(asked)?.1;
        Ok(Some(self.ranges(sizes, &words)))
    }

    /// Copies to the device which tile each 3-D block is, and where each begins, in place of the spans.
    pub(super) fn place_blocks_3d(&mut self) -> Result<()> {
        let Some(blocks_3d) = &self.blocks_3d else { return Ok(()) };
        let (tile, stream) = (self.places.spans, self.launcher.stream);
        let begin = tile.offset(4 * blocks_3d.tile.len());
        // SAFETY: there are more than two words for every `lines::most_spans`; the words live as long as the run.
        unsafe {
            memory::write(tile, &blocks_3d.tile, stream)?;
            memory::write(begin, &blocks_3d.begin, stream)?;
        }
        (self.base.blocks_3d, self.base.skew) = (blocks_3d.across, blocks_3d.skew);
        (self.base.block_3d_lines, self.base.block_3d_planes) = (blocks_3d.lines, blocks_3d.planes);
        (self.base.block_3d_tile, self.base.block_3d_begin) = (tile, begin);
        Ok(())
    }

    /// The unknowns by tile, from those by level, and the tiles by position. A place for the levels by position.
    pub(super) fn sort_by_tile(&mut self, target: Address) -> Result<Address> {
        let Places { keys, values, tile_sort, by_level, .. } = self.places;
        self.cover_strided(
            "setup_tile_keys",
            &SetupArgs { value_in: by_level, key_out: keys[0], ..self.base },
        )?;
        let (sorted, _) = self.sort(tile_sort, self.tiles, keys, [by_level, values[0]], Some(target))?;
        self.base.tile_number = sorted;
        Ok(if sorted == keys[0] { keys[1] } else { keys[0] })
    }

    /// Cuts the tiles into batches, and writes their codes in place of the rows' lists.
    pub(super) fn batches(&mut self, args: SetupArgs, done: &mut DeviceSchedule) -> Result<()> {
        let places = &self.places;
        let args = SetupArgs {
            counters: places.by_level,
            run_begin: places.word,
            run_info: places.position,
            batch_ptr: places.first,
            tile_narrow: places.diag,
            count: self.tiles,
            ..args
        };
        let (batches, longest) = self.count_batches(&args)?;
        done.found.longest = longest;
        let array = self.allocate(batches as usize * 16)?;
        let args = SetupArgs { work_item: array.address(), ..args };
        self.cover_strided("setup_batches", &args)?;
        self.write_codes(SetupArgs { count: batches, ..args }, done)?;
        done.base.work_item = array.address();
        done.base.work_items = batches;
        done.base.tile_step = args.tile_step;
        done.base.tiles = self.tiles;
        done.owned.push(array);
        Ok(())
    }

    /// Finds out which rows make a batch. The number of batches, and the longest row.
    fn count_batches(&mut self, args: &SetupArgs) -> Result<(u32, u32)> {
        let n = self.shape.n;
        self.cover_strided("setup_run_begins", args)?;
        self.scan_chunks(args, u32::MAX)?;
        self.cover("setup_runs", n, args)?;
        self.cover_strided("setup_lanes", args)?;
        self.walk_strided("setup_close", args)?;
        self.cover_strided("setup_count_batches", args)?;
        // The longest row is behind the number of batches.
        let found = self.ask(args.batch_ptr.offset(4 * n as usize), 2)?;
        self.scan(SetupArgs {
            count: n,
            scan_in: args.counters,
            scan_out: args.batch_ptr,
            states: self.places.pack_scan,
            ..self.base
        })?;
        let found = found.words()?;
        Ok((found[0], found[1]))
    }

    /// The codes of `args.count` batches, the places of permuted values, and the records of rows.
    fn write_codes(&mut self, args: SetupArgs, done: &mut DeviceSchedule) -> Result<()> {
        let warps = (args.count as u64 * 32).div_ceil(TEAM_BLOCK as u64);
        self.launch("setup_depths", warps, TEAM_BLOCK, &args)?;
        let units = self.ask(self.places.summary.offset(offset_of!(Summary, units)), 2)?;
        self.scan(SetupArgs {
            count: args.count,
            scan_in: args.chunk,
            scan_out: args.work_item_ptr,
            states: self.places.batch_scan,
            ..self.base
        })?;
        let units = u64::of_words(&units.words()?);
        let permuted = done.base.row_permuted != 0;
        let words = units as usize * CODE_UNIT;
        let bytes = words * if permuted { 8 } else { 4 };
        if units > u32::MAX as u64 {
            return Err(Error::OutOfMemory { place: "device", bytes: bytes as u64 });
        }
        let codes = self.allocate(bytes)?;
        let (code, index) =
            (codes.address(), if permuted { codes.address().offset(words * 4) } else { Address::NULL });
        let of_codes = SetupArgs { code, index, out_val: done.base.row_val, ..args };
        self.launch("setup_codes", warps, TEAM_BLOCK, &of_codes)?;
        self.cover_strided("setup_records", &args)?;
        done.base.row_adj = code;
        if permuted {
            done.base.row_val = index;
        }
        done.owned.push(codes);
        Ok(())
    }
}
