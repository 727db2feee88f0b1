//! From what is known of a pattern to the arrays of an engine: the choice, the order of unknowns, lists and work items.

use super::super::engine::Choice;
use super::args::*;
use super::clock::Operation;
use super::known::DeviceSchedule;
use super::lists::Kept;
use super::message::Message;
use super::panels::Segments;
use super::run::Run;
use super::tiling::grid_of;
use crate::address::Address;
use crate::analysis::blocks_3d::Blocks3d;
use crate::analysis::irregular::Sample;
use crate::analysis::lines::Grid;
use crate::analysis::panels::SegmentCounts;
use crate::analysis::ranges::{Ranges, Span};
use crate::analysis::work_items::{self, Cut};
use crate::analysis::{locality, Findings, Form, Panels, Tiles};
use crate::error::Result;
use crate::problem::DiagSource;
use crate::select::decision::{Decision, Gathering, Order};
use crate::select::features::{Counts, Features, LastLevels, LazyFeatures};
use crate::tuning::SETUP_WORK_ITEM_ROOM;

/// What is to solve, and the 3-D blocks or segments that it goes by.
struct Chosen {
    decision: Decision,
    blocks_3d: Option<Blocks3d>,
    segments: Option<Segments>,
}

impl Run<'_> {
    /// Orders the unknowns and writes the arrays that the plan keeps. None for nodes whose rows are faster in tiles.
    pub(super) fn arrange(
        &mut self,
        found: &Summary,
        ranges: Ranges,
        choice: &dyn Choice,
    ) -> Result<Option<DeviceSchedule>> {
        self.clock.begin(Operation::Levels);
        // The sort is on its way while the host thinks about tiles.
        let by_level = match self.task.records {
            true => self.sort_by_level(found.levels, self.places.by_level)?,
            false => Address::NULL,
        };
        let chosen = self.choose(found, ranges, grid_of(self.shape.n, found), by_level, choice)?;
        let form = chosen.decision.form;
        if self.node > 1 && form.is_of_rows_only() {
            return Ok(None);
        }
        if form == Form::Panels {
            self.task.records = false;
        }
        if self.goes_by_locality(found, form) {
            self.by_locality(found.levels, by_level)?;
        }
        let done =
            self.write_arrays(found, chosen, choice.algorithm(form).cut(self.shape.dtype, form), by_level)?;
        self.clock.begin(Operation::Other);
        Ok(Some(done))
    }

    /// Writes the arrays for what was chosen. `by_level` is the place of the levels by position.
    fn write_arrays(
        &mut self,
        found: &Summary,
        chosen: Chosen,
        cut: Cut,
        by_level: Address,
    ) -> Result<DeviceSchedule> {
        let (n, entries, levels) = (self.shape.n, found.entries, found.levels);
        let Chosen { decision, blocks_3d, segments } = chosen;
        let Decision { form, rows, order, is_wide, gathering, predicted } = decision;
        let tile = rows.min(n);
        self.tiles = match &blocks_3d {
            Some(blocks_3d) => blocks_3d.spans.len() as u32,
            None => n.div_ceil(tile.max(1)),
        };
        self.blocks_3d = blocks_3d;
        let gathered =
            (gathering != Gathering::No).then(|| self.allocate(entries as usize * 4)).transpose()?;
        let in_order = gathered.as_ref().filter(|_| gathering == Gathering::InOrder);
        let (kept, slab, lists) = self.keep(found, tile, in_order)?;
        self.base.by_wavefronts = (order == Order::WavefrontStrips) as u32;
        let level_of = self.put_in_order(&kept, tile, levels, form, by_level)?;
        let work_items = self.make_lists(&kept, tile, level_of, form, cut)?;
        if let Some(gathered) = gathered.as_ref().filter(|_| gathering == Gathering::ByPieces) {
            self.gather_by_pieces(&kept.rows, entries, gathered)?;
        }

        let own_diag = self.shape.diag == DiagSource::Matrix;
        let mut done = DeviceSchedule {
            base: kept.arguments(self.shape),
            owned: vec![slab],
            _lists: lists,
            levels: if self.task.levels { levels } else { 0 },
            entries,
            missing_diag: (own_diag && found.missing != 0).then_some(!found.missing),
            found: Findings { form, tile, wide_tiles: is_wide, ..Findings::default() },
            copied: None,
            gathered,
            predicted,
        };
        if own_diag && found.extra > 0 {
            self.extra_diagonals(found.extra, &mut done)?;
        }
        if let Some(segments) = segments {
            self.order_panels(segments, &mut done)?;
        }
        self.cut_up(cut, work_items, levels, self.engine_args(&kept, level_of), &mut done)?;
        if self.launches_levels(form) {
            done.found.level_ptr = self.read(self.places.level_ptr, levels as usize + 1)?;
        }
        Ok(done)
    }

    /// Whether rows of a level are to go in locality order.
    fn goes_by_locality(&self, found: &Summary, form: Form) -> bool {
        let has_lines = grid_of(self.shape.n, found).line > 0;
        matches!(form, Form::Rows | Form::Nodes(_) | Form::NarrowLevels)
            && self.task.needs.locality_order
            && locality::are_worth_it(self.shape.n, found.entries, found.levels, has_lines)
    }

    /// Whether a kernel is launched for each level, as the paper's algorithms by levels do.
    fn launches_levels(&self, form: Form) -> bool {
        self.task.levels && !self.task.records && form != Form::Panels
    }

    /// Puts the unknowns in the order of the form. Returns the array of their levels, if there is one.
    fn put_in_order(
        &mut self,
        kept: &Kept,
        tile: u32,
        levels: u32,
        form: Form,
        by_level: Address,
    ) -> Result<Address> {
        (self.base.order, self.base.tile) = (kept.order, tile);
        self.place_blocks_3d()?;
        if tile > 0 {
            return self.sort_by_tile(kept.order);
        }
        match self.launches_levels(form) {
            true => self.sort_by_level(levels, kept.order),
            false => Ok(by_level),
        }
    }

    /// Where each row goes, and its lists. If the number of work items is asked for, that is on its way.
    fn make_lists(
        &mut self,
        kept: &Kept,
        tile: u32,
        level_of: Address,
        form: Form,
        cut: Cut,
    ) -> Result<Option<Message>> {
        self.clock.begin(Operation::Dependencies);
        self.place_rows(kept, tile, level_of, form == Form::Panels)?;
        self.clock.begin(Operation::Transposition);
        self.offsets(&kept.rows, self.places.row_scan)?;
        self.offsets(&kept.columns, self.places.col_scan)?;
        let args = self.engine_args(kept, level_of);
        let work_items = match cut {
            Cut::Levels { entries, .. } => self.count_work_items(
                &SetupArgs { per_lane: entries, ..args },
                self.shape.n > SETUP_WORK_ITEM_ROOM,
            )?,
            _ => None,
        };
        self.fill(&kept.rows, cut)?;
        self.fill(&kept.columns, cut)?;
        Ok(work_items)
    }

    /// Cuts the rows into work items or batches. `work_items` is the number of these, where it was asked for.
    fn cut_up(
        &mut self,
        cut: Cut,
        work_items: Option<Message>,
        levels: u32,
        args: SetupArgs,
        done: &mut DeviceSchedule,
    ) -> Result<()> {
        match cut {
            Cut::Levels { entries, names_rows, end_by_rows, .. } => {
                // Each has a row, or is a segment of one.
                let most = match work_items {
                    Some(number) => number.words()?[0],
                    None => self.shape.n + work_items::most_row_segments(done.entries, entries),
                };
                let level_step = if names_rows { self.places.word } else { Address::NULL };
                let thin = end_by_rows as u32;
                self.work_items(most, levels, SetupArgs { per_lane: entries, level_step, thin, ..args }, done)
            }
            Cut::Tiles { entries, window, reach } => {
                self.batches(SetupArgs { per_lane: entries, window, reach, ..args }, done)
            }
            Cut::None => Ok(()),
        }
    }

    /// The engine.
    fn choose(
        &mut self,
        found: &Summary,
        ranges: Ranges,
        grid: Grid,
        level_of: Address,
        choice: &dyn Choice,
    ) -> Result<Chosen> {
        let (n, entries, levels) = (self.shape.n, found.entries, found.levels);
        let needs = self.task.needs;
        let mut blocks_3d = None;
        let mut segments = None;
        let decision = match (needs.tiles, self.node) {
            (Tiles::No, 1) if needs.panels == Panels::Yes => {
                let mut found = self.panel_segments()?;
                self.segment_levels(&mut found)?;
                segments = Some(found);
                Decision { form: Form::Panels, ..Decision::default() }
            }
            (Tiles::No, 1) if !needs.nodes => {
                Decision { form: Form::of_rows(needs, levels), ..Decision::default() }
            }
            (_, node) => {
                let scattered = !self.task.stored_rows;
                let crosses = grid.plane > 0 && found.skew > 0;
                let squares = (found.squares, found.long_squares);
                let sample = Sample { entries: found.sampled, irregular: found.irregular };
                let counts = Counts {
                    n,
                    entries,
                    squares,
                    levels,
                    scattered,
                    has_lines: grid.line > 0,
                    crosses,
                    near: found.near,
                    off_band: found.off_band,
                    irregular: node == 1 && sample.is_irregular(),
                    node,
                    value_bytes: self.shape.dtype.bytes() as u32,
                    is_complex: self.shape.dtype.is_complex(),
                    speed: needs.speed,
                };
                let mut seen = Seen { run: self, found, grid, level_of, blocks_3d: None, segments: None };
                let chosen = choice.decide(&Features::new(needs, counts, ranges, &mut seen))?;
                (blocks_3d, segments) = (seen.blocks_3d, seen.segments);
                chosen
            }
        };
        Ok(Chosen {
            blocks_3d: blocks_3d.filter(|_| decision.order == Order::Blocks3d),
            segments: segments.filter(|_| decision.form == Form::Panels),
            decision,
        })
    }

    /// Where each unknown goes, and how many dependencies each has.
    fn place_rows(&mut self, kept: &Kept, tile: u32, level_of: Address, by_panels: bool) -> Result<()> {
        let place = SetupArgs {
            natural: (!self.task.levels || by_panels) as u32,
            by_diag: kept.diag,
            by_first: kept.rows.by_first().or(kept.columns.by_first()),
            by_count: kept.counts,
            count_ptr: if self.task.stored_rows { Address::NULL } else { self.base.list_ptr },
            // Where tiles have sorted what was by level.
            level_of: if tile > 0 { level_of } else { Address::NULL },
            ..self.base
        };
        self.cover_strided("setup_place", &place)
    }

    /// Work items for warps, no more than `most`.
    fn work_items(
        &mut self,
        most: u32,
        levels: u32,
        args: SetupArgs,
        done: &mut DeviceSchedule,
    ) -> Result<()> {
        let array = self.allocate(most as usize * 8)?;
        done.base.work_item = array.address();
        done.owned.push(array);
        let args = SetupArgs { work_item: done.base.work_item, ..args };
        let level_step = args.level_step;
        let steps = (!level_step.is_null()).then(|| self.ask(level_step, levels as usize + 1)).transpose()?;
        self.cover("setup_work_items", self.shape.n, &args)?;
        if let Some(steps) = steps {
            done.found.level_ptr = steps.words()?;
        }
        Ok(())
    }
}

/// The features that the choice asks for, and those that it has got.
struct Seen<'r, 'a> {
    run: &'r mut Run<'a>,
    found: &'r Summary,
    grid: Grid,
    level_of: Address,
    blocks_3d: Option<Blocks3d>,
    segments: Option<Segments>,
}

impl LazyFeatures for Seen<'_, '_> {
    fn blocks_3d(&mut self) -> Option<Vec<Span>> {
        let (n, found) = (self.run.shape.n, self.found);
        let steps = [found.line_step, found.plane_step];
        let is_even = found.uneven == 0;
        self.blocks_3d =
            is_even.then(|| Blocks3d::new(n, found.entries, self.grid, steps, found.skew)).flatten();
        self.blocks_3d.as_ref().map(|blocks_3d| blocks_3d.spans.clone())
    }

    fn wavefront_strips(&mut self) -> Result<Option<Ranges>> {
        self.run.wavefront_strips(self.found.levels, self.level_of)
    }

    /// By the rule as kernels have it.
    fn last_levels(
        &mut self,
        _: fn(&[u32], u32) -> Option<LastLevels>,
        _: u32,
    ) -> Result<Option<LastLevels>> {
        let run = &self.run;
        let level_ptr = run.places.level_ptr;
        let end = run.ask(run.places.summary.offset(std::mem::offset_of!(Summary, thin)), 2)?;
        run.cover("setup_thin_end", self.found.levels, &SetupArgs { level_ptr, ..run.base })?;
        let end = end.words()?;
        if end[1] == 0 {
            return Ok(None);
        }
        let begin = run.read(level_ptr.offset(4 * end[0] as usize), 1)?[0];
        Ok(Some(LastLevels { level: end[0], rows: run.shape.n - begin }))
    }

    fn segments(&mut self) -> Result<Option<SegmentCounts>> {
        let segments = self.segments.insert(self.run.panel_segments()?);
        Ok(Some(segments.counts))
    }

    fn segment_levels(&mut self) -> Result<Option<u32>> {
        self.segments.as_mut().map(|segments| self.run.segment_levels(segments)).transpose()
    }
}
