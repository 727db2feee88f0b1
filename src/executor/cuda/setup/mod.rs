//! Setup on the GPU: the normal form from the caller's arrays without a look at them on the host.
//!
//! Everything is enqueued on the caller's stream. The host waits for what the pattern holds (how many entries are
//! kept decides how much memory is needed), before that for whether it is one of nodes, then for the number of work items
//! where there may be many, or of batches and their codes, and for the end. A launch takes the host some 3 microseconds
//! and a wait 5, which is what the setup of a small system is made of.
//! The kernels are in `kernels/analysis/`. For small systems they leave what `executor::host::setup::schedule` would give.

mod args;
mod arrange;
mod by_nodes;
mod clock;
mod known;
mod levels;
mod lists;
mod message;
mod panels;
mod places;
mod run;
pub(super) mod shared;
mod tiling;

use super::engine::Choice;
use super::{DeviceArray, Launcher};
use crate::address::Address;
use crate::analysis::nodes;
use crate::analysis::shared::schedule::CHUNK_WORK_ITEMS;
use crate::analysis::work_items::Cut;
use crate::analysis::{lines, locality, Form};
use crate::error::Result;
use crate::problem::{Arrays, Shape};
use crate::tuning::SETUP_CHAINS_BARE;
use args::*;
use clock::{Clock, Operation};
use lists::Kept;
use message::Message;
use places::{passes, Places, Task};
use run::{checked, Run};

pub use args::MAX_SIZE;
pub use known::{DeviceSchedule, Known, Levels, SetupTimes, Wish};

/// Builds the normal form, or enqueues what does. None if the pattern is malformed: nothing but the survey
/// has looked at it then; and for a pattern of nodes, if their rows are faster in tiles. `choice` says what is best, and how an
/// engine wants positions cut. Takes from `known` what the setup for the transposed operation has found, or leaves it there. Calls `let_go`
/// once the pattern is known to be good, before it allocates what is kept.
pub fn schedule(
    launcher: &Launcher,
    shape: &Shape,
    arrays: Arrays,
    wish: Wish,
    choice: &dyn Choice,
    known: &mut Known,
    let_go: &mut dyn FnMut(),
) -> Result<Option<(DeviceSchedule, Pending)>> {
    let Wish { needs, levels: how, timeout, node, .. } = wish;
    let task =
        Task::new(shape, needs, choice.algorithm(Form::Rows).cut(shape.dtype, Form::Rows) != Cut::None, how);
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
        if let Some((done, mut pending)) = run.by_nodes(&found, wish, choice, let_go)? {
            pending.temporary.push(temporary);
            return Ok(Some((done, pending)));
        }
        may_have_lines = lines::line(shape.n, found.next_to_diagonal) > 0;
        may_have_chains = found.bare <= shape.n / SETUP_CHAINS_BARE;
    }
    if run.task.transpose {
        run.base.list = run.transpose(&run.ind_type.to_string())?;
    }
    let asked =
        run.task.levels.then(|| run.find_levels(how, known, may_have_lines, may_have_chains)).transpose()?;
    run.clock.begin(Operation::Other);
    let (found, ranges) = run.findings(asked)?;
    if found.bad != 0 {
        return Ok(None);
    }
    let_go();
    if matches!(known, Known::Nothing) {
        *known = Known::OnDevice(run.remember(&found)?);
    }
    let Some(done) = run.arrange(&found, ranges, choice)? else { return Ok(None) };
    let pending = Pending { temporary: vec![temporary], summary: run.places.summary, clock: run.clock };
    Ok(Some((done, pending)))
}

/// The triangle of a matrix, stored by rows where the caller has it by columns, and the other way round.
pub struct TransposedMatrix {
    pub shape: Shape,
    /// No values as yet.
    pub arrays: Arrays,
    /// Where each value lies in the caller's array.
    pub source: DeviceArray,
    pattern: [DeviceArray; 2],
}

/// What has been made of a matrix whose values are to be copied.
pub enum Transposition {
    Schedule(Box<DeviceSchedule>, Pending),
    Matrix(TransposedMatrix),
}

/// Schedules the caller's matrix by nodes if they are what is best, for a copy of its values; else transposes it. None if the
/// pattern is malformed. Calls `let_go` once it is known not to be, before it allocates what is kept.
pub fn transpose(
    launcher: &Launcher,
    shape: &Shape,
    arrays: Arrays,
    wish: Wish,
    choice: &dyn Choice,
    let_go: &mut dyn FnMut(),
) -> Result<Option<Transposition>> {
    let (mut run, temporary) =
        Run::new(launcher, shape, arrays, Task::only_transpose(shape), 1, wish.timeout)?;
    run.survey()?;
    if wish.needs.nodes && nodes::largest(shape.n, 0).is_some() {
        let found = run.node_sizes()?;
        if found.bad != 0 {
            return Ok(None);
        }
        if let Some((done, mut pending)) = run.by_nodes(&found, wish, choice, let_go)? {
            pending.temporary.push(temporary);
            return Ok(Some(Transposition::Schedule(Box::new(done), pending)));
        }
    }
    Ok(run.transposed(temporary, let_go)?.map(Transposition::Matrix))
}

/// What solves work on, which have not begun: places of the info's state and work vectors, and what zero pivot it reports.
pub struct Unsolved {
    pub state: Address,
    pub work: Address,
    pub work_bytes: usize,
    pub pivot: u32,
}

/// What has been enqueued, until it is done.
pub struct Pending {
    temporary: Vec<DeviceArray>,
    summary: Address,
    clock: Clock,
}

/// What is known in the end.
pub struct Ending {
    pub times: SetupTimes,
    /// Unknowns of the widest level.
    pub widest: u32,
    /// Work items, where there are no batches, and the first one of the narrow end, if there is one.
    pub work_items: u32,
    pub narrow: Option<u32>,
    /// The most of them that are segments of the same row.
    pub most_row_segments: u32,
    /// Whether the diagonal of each row of a node is in its place in the row.
    pub diag_in_rows: bool,
    /// Whether, if so, each row of a node begins where the one before it ends.
    pub rows_follow: bool,
}

impl Pending {
    /// Has the info's state written and its work vectors reset to the sentinel, and waits for that and all that has been enqueued
    /// before.
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
        let most = launcher.gpu.multiprocessors() as u64 * RESET_BLOCKS;
        let blocks = args.work_bytes.div_ceil(RESET_BYTES * TEAM_BLOCK as u64).clamp(1, most);
        let args = args.asked(end.question()?);
        launcher.setup_kernel(SETUP, "setup_reset")?.launch(blocks as u32, TEAM_BLOCK, 0, &args)?;
        let found = checked(&end.words()?)?;
        let narrow = (found.narrow >> 32 > 0).then_some(found.narrow as u32);
        let (diag_in_rows, rows_follow) = (found.displaced == 0, found.parted == 0);
        let (work_items, most_row_segments) = (found.work_items, found.most_row_segments);
        Ok(Ending {
            times: self.clock.times(&found),
            widest: found.widest,
            work_items,
            narrow,
            most_row_segments,
            diag_in_rows,
            rows_follow,
        })
    }
}

impl<'a> Run<'a> {
    /// The matrix transposed, after the survey. None if the pattern is malformed.
    fn transposed(
        mut self,
        temporary: DeviceArray,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<TransposedMatrix>> {
        let list = self.transpose(&format!("triangle_{}{}", self.ptr_type, self.ind_type))?;
        if self.summary()?.bad != 0 {
            return Ok(None);
        }
        let_go();
        let (shape, ptr) = (self.shape, self.places.list_ptr);
        let entries = self.read(ptr.offset(4 * shape.n as usize), 1)?[0];
        let bytes = entries as usize * 4;
        let source = self.allocate(bytes)?;
        let ind = DeviceArray::temporary(self.launcher.gpu, bytes, self.launcher.stream)?;
        let args =
            SetupArgs { value_in: list, out_adj: ind.address(), out_val: source.address(), ..self.base };
        self.cover("setup_split", entries, &args)?;
        let arrays = Arrays { val: Address::NULL, ptr, ind: ind.address() };
        Ok(Some(TransposedMatrix {
            shape: shape.with_transposed_storage(entries),
            arrays,
            source,
            pattern: [temporary, ind],
        }))
    }

    /// The unknowns by level, rising inside. The place of the levels by position.
    fn sort_by_level(&mut self, levels: u32, target: Address) -> Result<Address> {
        let Places { keys, values, level_sort, level_ptr, .. } = self.places;
        let (sorted, _) = self.sort(level_sort, levels, keys, values, Some(target))?;
        // Few lanes for each where there are more levels than the GPU holds warps.
        let lanes = if levels < BOUNDS_BY_WARPS { 32 } else { 1 };
        let bounds = SetupArgs { count: levels, key_in: sorted, bounds: level_ptr, lanes, ..self.base };
        self.cover("setup_level_bounds", (levels + 1) * lanes, &bounds)?;
        Ok(sorted)
    }

    /// Puts the unknowns of each level in locality order. `level_of` is by position.
    fn by_locality(&mut self, levels: u32, level_of: Address) -> Result<()> {
        // Places for what comes by position are free as yet, as are those of the sort by level.
        let Places { by_level, level_ptr, values, order, row_ptr, by_first, by_diag, locality_sort, .. } =
            self.places;
        let (n, shift) = (self.shape.n, locality::place_bits(levels));
        let args = SetupArgs {
            shift,
            level_of,
            level_ptr,
            value_in: by_level,
            locality_group: order,
            key_out: by_first,
            value_out: row_ptr,
            ..self.base
        };
        let bound = levels << shift;
        locality_sort.clear(passes(bound), self.launcher.stream)?;
        self.cover("setup_locality_heads", n, &args)?;
        self.walk(&self.of_rows("setup_locality_parents"), &args)?;
        self.cover("setup_locality_keys", n, &args)?;
        self.sort(locality_sort, bound, [by_first, by_diag], [row_ptr, values[0]], Some(by_level))?;
        Ok(())
    }

    /// What the kernels that make records, and work items or batches, work on.
    fn engine_args(&self, kept: &Kept, level_of: Address) -> SetupArgs {
        let places = &self.places;
        SetupArgs {
            out_ptr: kept.rows.ptr,
            out_adj: kept.rows.adj,
            level_of,
            level_ptr: places.level_ptr,
            chunk: places.values[0],
            work_item_ptr: places.values[1],
            record: kept.record,
            record_diag: kept.diag_index(self.shape),
            by_first: if kept.rows.is_gathered { kept.rows.ptr } else { kept.rows.by_first() },
            tile_step: kept.tile_step,
            ..self.base
        }
    }

    /// A running sum of what `chunk` holds, under a mask.
    fn scan_chunks(&mut self, args: &SetupArgs, mask: u32) -> Result<()> {
        let (count, states) = (self.shape.n, self.places.work_item_scan);
        self.scan(SetupArgs {
            count,
            scan_in: args.chunk,
            scan_out: args.work_item_ptr,
            mask,
            states,
            ..self.base
        })
    }

    /// Where the work items of each 32 rows of a level begin. Their number, if it is wanted, is known while the lists are filled.
    fn count_work_items(&mut self, args: &SetupArgs, wants_number: bool) -> Result<Option<Message>> {
        self.cover("setup_chunks", self.shape.n, args)?;
        let number = args.work_item_ptr.offset(4 * self.shape.n as usize);
        let asked = wants_number.then(|| self.ask(number, 1)).transpose()?;
        self.scan_chunks(args, CHUNK_WORK_ITEMS)?;
        Ok(asked)
    }
}
