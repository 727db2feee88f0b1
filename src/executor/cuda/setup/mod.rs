//! Setup on the GPU: the normal form from the caller's arrays without a look at them on the host.
//!
//! Everything is enqueued on the caller's stream. The host waits for what the pattern holds (how many entries are
//! kept decides how much memory is needed), before that for whether it is one of nodes, then for the number of slices
//! where there may be many, or of batches and their codes, and for the end. A launch takes the host some 3 microseconds
//! and a wait 5, which is what the setup of a small system is made of.
//! The kernels are in `kernels/analysis/`; what they leave is what `analysis::cpu::schedule` would give.

mod args;
mod by_nodes;
mod clock;
mod known;
mod levels;
mod lists;
mod message;
mod panels;
mod places;
mod run;
mod shared;
mod tiling;

use super::{DeviceArray, Launcher};
use crate::analysis::irregular::Sample;
use crate::analysis::lines::Grid;
use crate::analysis::ranges::{Ranges, Span};
use crate::analysis::shared::schedule::CHUNK_SLICES;
use crate::analysis::slices::{self, Cut};
use crate::analysis::{families, lines, Findings, Form, Panels, Tiles};
use crate::engines::nodal::layout as nodes;
use crate::engines::panel::layout::SegmentCounts;
use crate::engines::tiled::boxes::Boxes;
use crate::error::Result;
use crate::problem::{Arrays, DiagSource, Shape};
use crate::select::choose::{self, Gathering, LazyFeatures, Order};
use crate::select::features::{Counts, LastLevels};
use crate::tuning::{SETUP_CHAINS_BARE, SETUP_SLICE_ROOM};
use args::*;
use clock::{Clock, Operation};
use lists::Kept;
use message::Message;
use panels::Segments;
use places::{passes, Places, Task};
use run::{checked, Run};
use tiling::grid_of;

pub use args::MAX_SIZE;
pub use known::{DeviceSchedule, Known, Levels, SetupTimes, Wish};

/// Builds the normal form, or enqueues what does. None if the pattern is malformed: nothing but the survey
/// has looked at it then; and for a pattern of nodes, if their rows are faster in tiles. `cut` says how an engine wants positions
/// cut. Takes from `known` what the setup for the transposed operation has found, or leaves it there. Calls `let_go`
/// once the pattern is known to be good, before it allocates what is kept.
pub fn schedule(
    launcher: &Launcher,
    shape: &Shape,
    arrays: Arrays,
    wish: Wish,
    cut: &dyn Fn(Form) -> Cut,
    known: &mut Known,
    let_go: &mut dyn FnMut(),
) -> Result<Option<(DeviceSchedule, Pending)>> {
    let Wish { needs, levels: how, timeout, node, .. } = wish;
    let task = Task::new(shape, needs, cut(Form::Rows) != Cut::None, how);
    let (mut run, temporary) = Run::new(launcher, shape, arrays, task, node, timeout)?;
    run.clock.begin(Operation::Transposition);
    let refuted = match known {
        Known::OnDevice(found) => run.recall(found)?,
        _ => run.survey().map(|()| 0)?,
    };
    let (mut may_have_lines, mut may_have_chains) = (true, true);
    if needs.nodes && nodes::largest(shape.n, refuted).is_some() {
        let found = run.node_sizes()?;
        if found.bad != 0 {
            return Ok(None);
        }
        if let Some((done, mut pending)) = run.by_nodes(&found, wish, cut, let_go)? {
            pending.temporary.push(temporary);
            return Ok(Some((done, pending)));
        }
        may_have_lines = lines::line(shape.n, found.next_to_diagonal) > 0;
        may_have_chains = found.bare <= shape.n / SETUP_CHAINS_BARE;
    }
    if run.task.transpose {
        run.base.list = run.transpose(&run.ind_type.to_string())?;
    }
    if run.task.levels {
        // The sweep goes by the guess; of the paper's loop it is no part.
        run.clock.begin(if how == Levels::Sweep { Operation::Levels } else { Operation::Other });
        let is_first = !matches!(known, Known::OnDevice(_));
        if is_first && may_have_lines {
            run.guess()?;
        }
        if is_first && node == 1 && needs.tiles != Tiles::No && Sample::is_wanted(shape.n) {
            run.sample_rows()?;
        }
    }
    run.clock.begin(Operation::Levels);
    let asked = match (&*known, how) {
        _ if !run.task.levels => None,
        (Known::OnDevice(found), _) => Some(run.turn_levels(found)?),
        (_, Levels::Sweep) => {
            if may_have_chains {
                run.chains()?;
            }
            Some(run.sweep()?)
        }
        (_, Levels::Kahn) => Some(run.kahn()?),
    };
    run.clock.begin(Operation::Other);
    let (found, ranges) = run.findings(asked)?;
    if found.bad != 0 {
        return Ok(None);
    }
    let_go();
    if matches!(known, Known::Nothing) {
        *known = Known::OnDevice(run.remember(&found)?);
    }
    let Some(done) = run.arrange(&found, ranges, cut)? else { return Ok(None) };
    let pending = Pending { temporary: vec![temporary], summary: run.places.summary, clock: run.clock };
    Ok(Some((done, pending)))
}

/// The triangle of a matrix, stored by rows where the caller has it by columns, and the other way round.
pub struct Turned {
    pub shape: Shape,
    /// No values as yet.
    pub arrays: Arrays,
    /// Where each value lies in the caller's array.
    pub source: DeviceArray,
    pattern: [DeviceArray; 2],
}

/// What has been made of a matrix whose values are to be copied.
pub enum Turn {
    Schedule(Box<DeviceSchedule>, Pending),
    Matrix(Turned),
}

/// Schedules the caller's matrix by nodes if they are what is best, for a copy of its values; else turns it. None if the pattern
/// is malformed. Calls `let_go` once it is known not to be, before it allocates what is kept.
pub fn turn(
    launcher: &Launcher,
    shape: &Shape,
    arrays: Arrays,
    wish: Wish,
    cut: &dyn Fn(Form) -> Cut,
    let_go: &mut dyn FnMut(),
) -> Result<Option<Turn>> {
    let (mut run, temporary) = Run::new(launcher, shape, arrays, Task::turn(shape), 1, wish.timeout)?;
    run.survey()?;
    if wish.needs.nodes && nodes::largest(shape.n, 0).is_some() {
        let found = run.node_sizes()?;
        if found.bad != 0 {
            return Ok(None);
        }
        if let Some((done, mut pending)) = run.by_nodes(&found, wish, cut, let_go)? {
            pending.temporary.push(temporary);
            return Ok(Some(Turn::Schedule(Box::new(done), pending)));
        }
    }
    Ok(run.turned(temporary, let_go)?.map(Turn::Matrix))
}

/// What solves work on, which have not begun: addresses of the info's state and work vectors, and what zero pivot it reports.
pub struct Unsolved {
    pub state: u64,
    pub work: u64,
    pub work_bytes: usize,
    pub pivot: u32,
}

/// What has been enqueued, until it is done.
pub struct Pending {
    temporary: Vec<DeviceArray>,
    summary: u64,
    clock: Clock,
}

/// What is known in the end.
pub struct Ending {
    pub times: SetupTimes,
    /// Unknowns of the widest level.
    pub widest: u32,
    /// Slices, where there are no batches, and the first one of the narrow end, if there is one.
    pub slices: u32,
    pub narrow: Option<u32>,
    /// The most of them that are parts of the same row.
    pub most_parts: u32,
    /// Whether the diagonal of each row of a node is in its place in the row.
    pub diag_in_rows: bool,
    /// Whether, if so, each row of a node begins where the one before it ends.
    pub rows_follow: bool,
}

impl Pending {
    /// Has the info's state written and its work vectors armed, and waits for that and all that has been enqueued before.
    pub fn finish(self, launcher: &Launcher, unsolved: Unsolved) -> Result<Ending> {
        // SAFETY: the places have that many words.
        let end = unsafe { Message::new(launcher, self.summary, Summary::WORDS + STATE)? };
        let Unsolved { state, work, work_bytes, pivot } = unsolved;
        let args = SetupArgs {
            summary: self.summary,
            stamp: self.clock.stamp(self.summary),
            solves: state,
            work,
            work_bytes: work_bytes as u64,
            pivot,
            ..Default::default()
        };
        let most = launcher.gpu.multiprocessors() as u64 * ARM_BLOCKS;
        let blocks = args.work_bytes.div_ceil(ARM_BYTES * TEAM_BLOCK as u64).clamp(1, most);
        let args = args.asked(end.question()?);
        launcher.setup_kernel("setup_arm")?.launch(blocks as u32, TEAM_BLOCK, 0, &args)?;
        let found = checked(&end.words()?)?;
        let narrow = (found.narrow >> 32 > 0).then_some(found.narrow as u32);
        let (diag_in_rows, rows_follow) = (found.displaced == 0, found.parted == 0);
        let (slices, most_parts) = (found.slices, found.most_parts);
        Ok(Ending {
            times: self.clock.times(&found),
            widest: found.widest,
            slices,
            narrow,
            most_parts,
            diag_in_rows,
            rows_follow,
        })
    }
}

impl<'a> Run<'a> {
    /// The matrix turned, after the survey. None if the pattern is malformed.
    fn turned(mut self, temporary: DeviceArray, let_go: &mut dyn FnMut()) -> Result<Option<Turned>> {
        let list = self.transpose(&format!("triangle_{}{}", self.ptr_type, self.ind_type))?;
        if self.summary()?.bad != 0 {
            return Ok(None);
        }
        let_go();
        let (shape, ptr) = (self.shape, self.places.list_ptr);
        let entries = self.read(ptr + 4 * shape.n as u64, 1)?[0];
        let bytes = entries as usize * 4;
        let source = self.allocate(bytes)?;
        let ind = DeviceArray::temporary(self.launcher.gpu, bytes, self.launcher.stream)?;
        let args =
            SetupArgs { value_in: list, out_adj: ind.address(), out_val: source.address(), ..self.base };
        self.cover("setup_split", entries, &args)?;
        let arrays = Arrays { val: 0, ptr: ptr as usize, ind: ind.address() as usize };
        Ok(Some(Turned { shape: shape.turned(entries), arrays, source, pattern: [temporary, ind] }))
    }

    /// Orders the unknowns and writes the arrays that the plan keeps. None for nodes whose rows are faster in tiles.
    fn arrange(
        &mut self,
        found: &Summary,
        ranges: Ranges,
        cut: &dyn Fn(Form) -> Cut,
    ) -> Result<Option<DeviceSchedule>> {
        let (n, entries, levels) = (self.shape.n, found.entries, found.levels);
        let needs = self.task.needs;
        let own_diag = self.shape.diag == DiagSource::Matrix;
        self.clock.begin(Operation::Levels);
        // The sort is on its way while the host thinks about tiles.
        let mut level_of = 0;
        if self.task.records {
            level_of = self.sort_by_level(levels, self.places.by_level)?;
        }
        let grid = grid_of(n, found);
        let has_lines = grid.line > 0;
        let mut boxes = None;
        let mut segments = None;
        let decision = match (needs.tiles, self.node) {
            (Tiles::No, 1) if needs.panels == Panels::Yes => {
                segments = Some(self.panel_segments()?);
                choose::Decision { form: Form::Panels, ..Default::default() }
            }
            (Tiles::No, 1) if !needs.nodes => choose::of_rows(needs, levels),
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
                    has_lines,
                    crosses,
                    distant: found.distant,
                    irregular: node == 1 && sample.is_irregular(),
                    node,
                    value_bytes: self.shape.dtype.bytes() as u32,
                    is_complex: self.shape.dtype.is_complex(),
                };
                let mut seen = Seen { run: self, found, grid, level_of, boxes: None, segments: None };
                let chosen = choose::choose(needs, ranges, counts, &mut seen)?;
                (boxes, segments) = (seen.boxes, seen.segments);
                chosen
            }
        };
        let choose::Decision { form, rows, order, is_wide, gathering, predicted } = decision;
        let is_tiled = matches!(form, Form::Tiles(_));
        if self.node > 1 && form.is_of_rows_only() {
            return Ok(None);
        }
        let by_panels = form == Form::Panels;
        if by_panels {
            self.task.records = false;
        } else {
            segments = None;
        }
        let may_go_by_families = needs.families && !by_panels && !is_tiled && form != Form::WideLevels;
        if may_go_by_families && families::are_worth_it(n, entries, levels, has_lines) {
            self.by_families(levels, level_of)?;
        }
        let tile = rows.min(n);
        let cut = cut(form);
        self.boxes = boxes.filter(|_| order == Order::Boxes);
        self.tiles = match &self.boxes {
            Some(boxes) => boxes.spans.len() as u32,
            None => n.div_ceil(tile.max(1)),
        };
        let gathered =
            (gathering != Gathering::No).then(|| self.allocate(entries as usize * 4)).transpose()?;
        let in_order = gathered.as_ref().filter(|_| gathering == Gathering::InOrder);
        let (kept, slab, lists) = self.keep(found, tile, in_order)?;
        self.base.order = kept.order;
        self.base.tile = tile;
        self.base.by_strips = (order == Order::Strips) as u32;
        self.place_boxes()?;
        if self.task.levels && !self.task.records && !by_panels {
            level_of = self.sort_by_level(levels, kept.order)?;
        }
        if tile > 0 {
            level_of = self.sort_by_tile(kept.order)?;
        }

        self.clock.begin(Operation::Dependencies);
        let place = SetupArgs {
            natural: (!self.task.levels || by_panels) as u32,
            by_diag: kept.diag,
            by_first: kept.rows.by_first().max(kept.columns.by_first()),
            by_count: kept.counts,
            count_ptr: if self.task.stored_rows { 0 } else { self.base.list_ptr },
            // Where tiles have sorted what was by level.
            level_of: if tile > 0 { level_of } else { 0 },
            ..self.base
        };
        self.cover_in_turns("setup_place", &place)?;
        self.clock.begin(Operation::Transposition);
        self.offsets(&kept.rows, self.places.row_scan)?;
        self.offsets(&kept.columns, self.places.col_scan)?;
        let args = self.engine_args(&kept, level_of);
        let slices = match cut {
            Cut::Levels { entries, .. } => {
                self.count_slices(&SetupArgs { per_lane: entries, ..args }, n > SETUP_SLICE_ROOM)?
            }
            _ => None,
        };
        self.fill(&kept.rows, cut)?;
        self.fill(&kept.columns, cut)?;
        if let Some(gathered) = gathered.as_ref().filter(|_| gathering == Gathering::ByPieces) {
            self.gather_by_pieces(&kept.rows, entries, gathered)?;
        }

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
            self.order_panels(segments, levels, &mut done)?;
        }
        match cut {
            Cut::Levels { entries, names_rows, end_by_rows, .. } => {
                // Each has a row, or is a part of one.
                let most = match slices {
                    Some(number) => number.words()?[0],
                    None => n + slices::most_parts(done.entries, entries),
                };
                let level_step = if names_rows { self.places.word } else { 0 };
                let thin = end_by_rows as u32;
                let array = self.allocate(most as usize * 8)?;
                done.base.slice = array.address();
                done.owned.push(array);
                let args = SetupArgs { per_lane: entries, level_step, thin, slice: done.base.slice, ..args };
                let steps =
                    (level_step != 0).then(|| self.ask(level_step, levels as usize + 1)).transpose()?;
                self.cover("setup_slices", n, &args)?;
                if let Some(steps) = steps {
                    done.found.level_ptr = steps.words()?;
                }
            }
            Cut::Tiles { entries, window, reach } => {
                self.batches(SetupArgs { per_lane: entries, window, reach, ..args }, &mut done)?
            }
            Cut::None => {}
        }
        if self.task.levels && !self.task.records && !by_panels {
            done.found.level_ptr = self.read(self.places.level_ptr, levels as usize + 1)?;
        }
        self.clock.begin(Operation::Other);
        Ok(Some(done))
    }

    /// The unknowns by level, rising inside. The place of the levels by position.
    fn sort_by_level(&mut self, levels: u32, target: u64) -> Result<u64> {
        let Places { keys, values, level_sort, level_ptr, .. } = self.places;
        let (sorted, _) = self.sort(level_sort, levels, keys, values, Some(target))?;
        // Few lanes for each where there are more levels than the GPU holds warps.
        let lanes = if levels < BOUNDS_BY_WARPS { 32 } else { 1 };
        let bounds = SetupArgs { count: levels, key_in: sorted, bounds: level_ptr, lanes, ..self.base };
        self.cover("setup_level_bounds", (levels + 1) * lanes, &bounds)?;
        Ok(sorted)
    }

    /// Puts the unknowns of each level in the order of families. `level_of` is by position.
    fn by_families(&mut self, levels: u32, level_of: u64) -> Result<()> {
        // Places for what comes by position are free as yet, as are those of the sort by level.
        let Places { by_level, level_ptr, values, order, row_ptr, by_first, by_diag, family_sort, .. } =
            self.places;
        let (n, shift) = (self.shape.n, families::place_bits(levels));
        let args = SetupArgs {
            shift,
            level_of,
            level_ptr,
            value_in: by_level,
            family: order,
            key_out: by_first,
            value_out: row_ptr,
            ..self.base
        };
        let bound = levels << shift;
        family_sort.clear(passes(bound), self.launcher.stream)?;
        self.cover("setup_family_heads", n, &args)?;
        self.walk(&self.of_rows("setup_family_parents"), &args)?;
        self.cover("setup_family_keys", n, &args)?;
        self.sort(family_sort, bound, [by_first, by_diag], [row_ptr, values[0]], Some(by_level))?;
        Ok(())
    }

    /// What the kernels that make records, and slices or batches, work on.
    fn engine_args(&self, kept: &Kept, level_of: u64) -> SetupArgs {
        let places = &self.places;
        SetupArgs {
            out_ptr: kept.rows.ptr,
            out_adj: kept.rows.adj,
            level_of,
            level_ptr: places.level_ptr,
            chunk: places.values[0],
            slice_ptr: places.values[1],
            record: kept.record,
            record_diag: kept.diag_index(self.shape),
            by_first: if kept.rows.is_gathered { kept.rows.ptr } else { kept.rows.by_first() },
            tile_step: kept.tile_step,
            ..self.base
        }
    }

    /// A running sum of what `chunk` holds, under a mask.
    fn scan_chunks(&mut self, args: &SetupArgs, mask: u32) -> Result<()> {
        let (count, states) = (self.shape.n, self.places.slice_scan);
        self.scan(SetupArgs {
            count,
            scan_in: args.chunk,
            scan_out: args.slice_ptr,
            mask,
            states,
            ..self.base
        })
    }

    /// Where the slices of each 32 rows of a level begin. Their number, if it is wanted, is known while the lists are filled.
    fn count_slices(&mut self, args: &SetupArgs, wants_number: bool) -> Result<Option<Message>> {
        self.cover("setup_chunks", self.shape.n, args)?;
        let number = args.slice_ptr + 4 * self.shape.n as u64;
        let asked = wants_number.then(|| self.ask(number, 1)).transpose()?;
        self.scan_chunks(args, CHUNK_SLICES)?;
        Ok(asked)
    }
}

/// The features that the choice asks for, and those that it has got.
struct Seen<'r, 'a> {
    run: &'r mut Run<'a>,
    found: &'r Summary,
    grid: Grid,
    level_of: u64,
    boxes: Option<Boxes>,
    segments: Option<Segments>,
}

impl LazyFeatures for Seen<'_, '_> {
    fn boxes(&mut self) -> Option<Vec<Span>> {
        let (n, found) = (self.run.shape.n, self.found);
        let steps = [found.line_step, found.plane_step];
        let is_even = found.uneven == 0;
        self.boxes = is_even.then(|| Boxes::new(n, found.entries, self.grid, steps, found.skew)).flatten();
        self.boxes.as_ref().map(|boxes| boxes.spans.clone())
    }

    fn strips(&mut self) -> Result<Option<Ranges>> {
        self.run.strips(self.found.levels, self.level_of)
    }

    /// By the rule as kernels have it.
    fn last_levels(
        &mut self,
        _: fn(&[u32], u32) -> Option<LastLevels>,
        _: u32,
    ) -> Result<Option<LastLevels>> {
        let run = &self.run;
        let level_ptr = run.places.level_ptr;
        let end = run.ask(run.places.summary + std::mem::offset_of!(Summary, thin) as u64, 2)?;
        run.cover("setup_thin_end", self.found.levels, &SetupArgs { level_ptr, ..run.base })?;
        let end = end.words()?;
        if end[1] == 0 {
            return Ok(None);
        }
        let begin = run.read(level_ptr + 4 * end[0] as u64, 1)?[0];
        Ok(Some(LastLevels { level: end[0], rows: run.shape.n - begin }))
    }

    fn segments(&mut self) -> Result<Option<SegmentCounts>> {
        let segments = self.segments.insert(self.run.panel_segments()?);
        Ok(Some(segments.counts))
    }
}
