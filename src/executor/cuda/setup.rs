//! Setup on the GPU: the normal form from the caller's arrays without a look at them on the host.
//!
//! Everything is enqueued on the caller's stream. The host waits for what the pattern holds (how many entries are
//! kept decides how much memory is needed), before that for whether it is one of nodes, then for the number of slices
//! where there may be many, or of batches and their codes, and for the end. A launch takes the host some 4 microseconds
//! and a wait 10, which is what the setup of a small system is made of.
//! The kernels are in `kernels/setup*.cuh`; what they leave is what `analysis::cpu::schedule` would give.

use std::sync::Arc;
use std::time::Duration;

use cust::sys;

use super::args::{SolveArgs, State};
use super::locked::{Flag, Page, WORDS};
use super::plan::{Known, SetupTimes};
use super::{check, memory, DeviceArray, Gpu, Launcher};
use crate::analysis::boxes::Boxes;
use crate::analysis::lines::{self, Grid, Sizes};
use crate::analysis::slices::{self, Cut, CODE_UNIT};
use crate::analysis::tiles::{Order, Spread};
use crate::analysis::{families, nodes, strips, tiles, Engine, Needs, Tiles};
use crate::problem::{Arrays, DiagSource, Index, Shape};
use crate::status::{Error, Result};
use crate::tuning::{
    SETUP_CHAINS_BARE, SETUP_LIST_BLOCKS, SETUP_LONGEST_LIST, SETUP_SLICE_ROOM, SETUP_SURVEY_BLOCKS,
    TILED_SHORTEST_LINE, TILED_SMALLEST,
};

/// Words of the kernels' summary. Mirrors kernels/setup.cuh, as everything down to `SetupArgs` does.
const SUMMARY: usize = 62;
/// Words of the `State` behind it.
const STATE: usize = std::mem::size_of::<State>() / 4;
/// The watchdog has ended a wait.
const FAILED: usize = SUMMARY + std::mem::offset_of!(State, failed) / 4;
const BAD: usize = 0;
const SCATTERED: usize = 1;
const ENTRIES: usize = 2;
const EXTRA: usize = 3;
const MISSING: usize = 4;
const LEVELS: usize = 5;
const WIDEST: usize = 8;
const REFUTED: usize = 9;
const LARGEST_PLACE: usize = 10;
const NEXT_TO_DIAGONAL: usize = 12;
const APART: usize = 13;
const LINE_STEP: usize = 14;
const PLANE_STEP: usize = 15;
const UNEVEN: usize = 16;
const SKEW: usize = 17;
const DISPLACED: usize = 18;
const SLICES: usize = 19;
const NARROW: usize = 20;
const SQUARES: usize = 22;
const LONG_SQUARES: usize = 24;
const BARE: usize = 27;
const HAS_PARTS: usize = 29;
const QUEUED: usize = 30;

const SWEEP_BLOCK: u32 = 1024;
const SCAN_BLOCK: u32 = 512;
const SCAN_TILE: u32 = SCAN_BLOCK * 16;
const SORT_TILE: u32 = 4096;
const BINS: u32 = 256;
const ORDER_BLOCK: u32 = 512;
/// Entries of a long row that a warp walks, the bytes of what is known of such a piece, and of what the pieces of a row add up to.
const PIECE: u32 = 256;
const PIECE_BYTES: usize = 16;
const TOTALS_BYTES: usize = 32;
/// Threads of the blocks of all other kernels.
const BLOCK: u32 = 256;

/// Rows and entries must fit into 31 bits here.
pub const MAX_SIZE: u32 = i32::MAX as u32;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct SetupArgs {
    n: u32,
    nnz: u32,
    base: u32,
    low: u32,
    forward: u32,
    own_diag: u32,
    lanes: u32,
    ticket: u32,
    count: u32,
    shift: u32,
    level: u32,
    begin: u32,
    end: u32,
    span: u32,
    tile: u32,
    per_lane: u32,
    window: u32,
    mask: u32,
    natural: u32,
    reach: u32,
    stride: u32,
    node: u32,
    by_strips: u32,
    boxes: u32,
    skew: u32,
    box_lines: u32,
    box_planes: u32,
    piece_room: u32,

    ptr: u64,
    ind: u64,
    summary: u64,
    major: u64,
    word: u64,
    chain: u64,
    list_ptr: u64,
    list: u64,
    piece: u64,
    totals: u64,

    scan_in: u64,
    scan_order: u64,
    scan_out: u64,
    scan_lengths: u64,
    states: u64,
    key_in: u64,
    value_in: u64,
    key_out: u64,
    value_out: u64,
    histogram: u64,
    bounds: u64,

    spans: u64,
    ranks: u64,
    family: u64,
    order: u64,
    position: u64,
    names: u64,
    out_ptr: u64,
    out_adj: u64,
    out_val: u64,
    by_diag: u64,
    by_first: u64,
    by_kept: u64,
    by_count: u64,
    count_ptr: u64,
    level_of: u64,
    tile_number: u64,
    level_ptr: u64,
    counters: u64,
    chunk: u64,
    slice_ptr: u64,
    slice: u64,
    record: u64,
    tile_step: u64,
    level_step: u64,
    record_diag: u64,
    extra: u64,
    run_begin: u64,
    run_info: u64,
    batch_ptr: u64,
    tile_narrow: u64,
    code: u64,
    index: u64,
    node_row: u64,
    box_tile: u64,
    box_begin: u64,

    state: u64,
    timeout_ns: u64,
}

const _: () = assert!(std::mem::size_of::<SetupArgs>() == 28 * 4 + 58 * 8);

/// A schedule whose arrays are on the device; `base` has their addresses.
pub struct DeviceSchedule {
    pub base: SolveArgs,
    pub owned: Vec<DeviceArray>,
    pub levels: u32,
    /// Where a kernel is launched for each level: as the plan has it.
    pub level_ptr: Vec<u32>,
    pub entries: u32,
    /// Entries of the longest row beside its diagonal, where there are tiles, and rows of the largest tile.
    pub longest: u32,
    pub tile: u32,
    pub missing_diag: Option<u32>,
    pub engine: Engine,
    /// Whether a level of a tile fills half of a batch.
    pub wide_tiles: bool,
    /// Time of a solve by the model that chose the engine, or zero.
    pub predicted: Duration,
    /// Where the values of a copy come from, and how many, if solves read one.
    pub copied: Option<(DeviceArray, u32)>,
    /// Where those of the rows' entries come from, if each solve begins by copying them.
    pub staged: Option<DeviceArray>,
    /// The rows' lists, where batches have taken what they need from them.
    _lists: Option<DeviceArray>,
}

/// How levels are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// In one launch, without global synchronisation.
    Sweep,
    /// With a launch and a synchronisation per level, as in the paper.
    Kahn,
}

/// A word that is on its way from the device while more is enqueued.
struct Count {
    word: Flag,
    arrived: Clock,
}

impl Count {
    fn new(launcher: &Launcher, address: u64) -> Result<Count> {
        let word = Flag::new(launcher.gpu)?;
        // SAFETY: the caller names a word on the device; the flag is one that the device can write to.
        unsafe { memory::copy(word.device_address()?, address, 4, launcher.stream)? };
        let mut arrived = Clock::new(launcher);
        arrived.begin(Operation::Other)?;
        Ok(Count { word, arrived })
    }

    fn get(self) -> Result<u32> {
        self.arrived.wait()?;
        Ok(self.word.value())
    }
}

/// What is to be set up, and how.
#[derive(Clone, Copy)]
pub struct Wish {
    pub needs: Needs,
    pub levels: Levels,
    /// Of the watchdog; zero is off.
    pub timeout: Duration,
    /// Unknowns of a node, where the pattern is one of nodes.
    pub node: u32,
    /// Whether solves are to read a copy of the values, which would lie scattered.
    pub copies: bool,
}

/// What a setup has found that the one for the transposed operation need not find again.
pub struct Found {
    /// Four words for each row by the survey; and behind them, where levels were computed, a word for each turn.
    words: DeviceArray,
    /// As the survey left it, with the number of levels and the sizes of nodes that there are not.
    summary: Vec<u32>,
}

/// Hands out places in one allocation; run once from 0 to learn the size, and once from its address.
struct Room(u64);

impl Room {
    fn words(&mut self, count: usize) -> u64 {
        self.take(count * 4)
    }
    fn take(&mut self, bytes: usize) -> u64 {
        let place = self.0.next_multiple_of(16);
        self.0 = place + bytes as u64;
        place
    }
}

/// Temporaries. Everything up to `zero_end` is zero at the beginning.
struct Places {
    /// And behind it the state, for the watchdog, and the spans.
    summary: u64,
    spans: u64,
    word: u64,
    list_count: u64,
    level_sort: Sort,
    tile_sort: Sort,
    strip_sort: Sort,
    strip_scan: u64,
    list_scan: u64,
    row_scan: u64,
    col_scan: u64,
    slice_scan: u64,
    pack_scan: u64,
    batch_scan: u64,
    node_scan: u64,
    zero_end: u64,

    /// Pieces of long majors, and of long lists across them.
    piece: u64,
    totals: u64,

    /// Zero when it is used.
    family_sort: Sort,
    /// Four words for each row, free after the lists are filled, as `position` is: in two places then.
    major: u64,
    first: u64,
    diag: u64,
    position: u64,
    /// The transposed pattern.
    list_ptr: u64,
    list: u64,
    /// Sorts of the unknowns; afterwards free for whatever has a word for each row and one more.
    keys: [u64; 2],
    values: [u64; 2],
    level_ptr: u64,
    by_level: u64,
    /// By position, where the plan keeps records in place of these.
    order: u64,
    row_ptr: u64,
    by_first: u64,
    by_diag: u64,
    by_kept: u64,
}

/// Zeroed memory of a sort.
#[derive(Clone, Copy, Default)]
struct Sort {
    histogram: u64,
    states: u64,
    count: u32,
}

impl Sort {
    fn pass_bytes(count: u32) -> usize {
        count.div_ceil(SORT_TILE) as usize * BINS as usize * 8
    }
    fn lay_out(room: &mut Room, count: u32, passes: u32) -> Sort {
        let histogram = room.words((MOST_PASSES * BINS) as usize);
        let states = room.take(passes as usize * Self::pass_bytes(count));
        Sort { histogram, states, count }
    }
    /// Makes zero what so many passes use.
    fn clear(&self, passes: u32, stream: usize) -> Result<()> {
        let end = self.states + passes as u64 * Self::pass_bytes(self.count) as u64;
        // SAFETY: the places were laid out one after the other, for as many passes at least.
        unsafe { memory::fill(self.histogram, 0, (end - self.histogram) as usize, stream) }
    }
}

const MOST_PASSES: u32 = 4;

/// Whether positions are cut for the wide engine.
fn is_for_wide(cut: Cut) -> bool {
    matches!(cut, Cut::Levels { wide: true, .. })
}

/// Passes of 8 bits that sort keys below `bound`.
fn passes(bound: u32) -> u32 {
    (u32::BITS - bound.saturating_sub(1).leading_zeros()).div_ceil(8).max(1)
}

/// Most pieces of rows that have more entries than one piece.
fn piece_room(nnz: u32) -> u32 {
    2 * (nnz / PIECE) + 1
}

fn lay_out(start: u64, n: u32, nnz: u32, task: &Task) -> (Places, u64) {
    let room = &mut Room(start);
    let rows = n as usize + 1;
    let sorted = if task.levels { n } else { 0 };
    let tiled = if task.needs.tiles == Tiles::No { 0 } else { n };
    let spans = lines::most_spans(n);
    let scan = |room: &mut Room| room.take(rows.div_ceil(SCAN_TILE as usize) * 8);
    let mut places = Places {
        summary: room.words(SUMMARY + STATE),
        spans: room.words(if task.levels { spans as usize * Spread::WORDS } else { 0 }),
        word: room.words(if task.levels { rows } else { 0 }),
        list_count: room.words(if task.transpose { rows } else { 0 }),
        level_sort: Sort::lay_out(room, sorted, passes(n)),
        tile_sort: Sort::lay_out(room, tiled, passes(spans)),
        strip_sort: Sort::lay_out(room, tiled, passes(u32::MAX)),
        strip_scan: scan(room),
        list_scan: scan(room),
        row_scan: scan(room),
        col_scan: scan(room),
        slice_scan: scan(room),
        pack_scan: scan(room),
        batch_scan: scan(room),
        node_scan: scan(room),
        zero_end: 0,
        piece: 0,
        totals: 0,
        family_sort: Sort::default(),
        major: 0,
        first: 0,
        diag: 0,
        position: 0,
        list_ptr: 0,
        list: 0,
        keys: [0; 2],
        values: [0; 2],
        level_ptr: 0,
        by_level: 0,
        order: 0,
        row_ptr: 0,
        by_first: 0,
        by_diag: 0,
        by_kept: 0,
    };
    places.zero_end = room.0;
    places.piece = room.take(2 * piece_room(nnz) as usize * PIECE_BYTES);
    places.totals = room.take(piece_room(nnz) as usize * TOTALS_BYTES);
    if task.needs.families {
        places.family_sort = Sort::lay_out(room, n, MOST_PASSES);
    }
    places.major = room.take(rows * 16);
    places.first = places.major;
    places.diag = places.major + rows as u64 * 8;
    places.position = room.words(rows);
    places.by_kept = room.words(rows);
    if task.transpose {
        // Where lists end comes at a multiple of 16 bytes, as all that is scanned.
        places.list_ptr = room.words(rows + 4) + 12;
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
    (places, room.0)
}

/// What is to be done, derived from what is asked for.
struct Task {
    levels: bool,
    stored_rows: bool,
    transpose: bool,
    /// The plan keeps records, which say of each position what arrays would say otherwise.
    records: bool,
    needs: Needs,
}

impl Task {
    fn new(shape: &Shape, needs: Needs, records: bool, how: Levels) -> Task {
        let levels = needs.levels || needs.tiles != Tiles::No;
        let stored_rows = shape.rows_are_stored();
        let transpose = if stored_rows {
            needs.columns || levels && how == Levels::Kahn
        } else {
            needs.rows || needs.counts || levels
        };
        Task { levels, stored_rows, transpose, records, needs }
    }

    /// To turn the matrix, and no more.
    fn turn(shape: &Shape) -> Task {
        let needs = Needs::default();
        Task { levels: false, stored_rows: shape.rows_are_stored(), transpose: true, records: false, needs }
    }
}

/// Marks on the stream, and the operation of the paper that each stretch between two of them is.
pub struct Clock {
    gpu: Arc<Gpu>,
    stream: usize,
    marks: Vec<(sys::CUevent, Operation)>,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Clock {}

#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Transposition,
    Dependencies,
    Levels,
    Other,
}

impl Clock {
    fn new(launcher: &Launcher) -> Self {
        Clock { gpu: launcher.gpu.clone(), stream: launcher.stream, marks: Vec::new() }
    }

    /// What is enqueued from here on belongs to `operation`.
    fn begin(&mut self, operation: Operation) -> Result<()> {
        let event = self.gpu.take_event()?;
        self.marks.push((event, operation));
        // SAFETY: nobody else has the event.
        check(unsafe { sys::cuEventRecord(event, self.stream as sys::CUstream) }, "cuEventRecord")
    }

    /// Waits for what was enqueued before the last mark.
    fn wait(&self) -> Result<()> {
        let Some((event, _)) = self.marks.last() else { return Ok(()) };
        // SAFETY: made by `begin`.
        check(unsafe { sys::cuEventSynchronize(*event) }, "cuEventSynchronize")
    }

    /// The times, after the stream has been waited for. To ask for them takes longer than a launch.
    pub fn times(&self) -> Result<SetupTimes> {
        let mut times = SetupTimes::default();
        for pair in self.marks.windows(2) {
            let mut ms = 0f32;
            // SAFETY: both events have been recorded and have happened.
            let result = unsafe { sys::cuEventElapsedTime(&mut ms, pair[0].0, pair[1].0) };
            check(result, "cuEventElapsedTime")?;
            let time = Duration::from_secs_f64(f64::from(ms).max(0.0) * 1e-3);
            match pair[0].1 {
                Operation::Transposition => times.trans += time,
                Operation::Dependencies => times.dep += time,
                Operation::Levels => times.lev += time,
                Operation::Other => {}
            }
        }
        Ok(times)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.gpu.put_events(self.marks.iter().map(|&(event, _)| event));
    }
}

/// One setup on its way.
struct Run<'a> {
    launcher: &'a Launcher<'a>,
    shape: &'a Shape,
    task: Task,
    places: Places,
    base: SetupArgs,
    tickets: u32,
    /// Unknowns of a node, where the pattern is one of nodes.
    node: u32,
    /// How many tiles there are, and where they are boxes.
    tiles: u32,
    boxes: Option<Boxes>,
    /// Endings of kernel names by the widths of the caller's offsets and indices.
    ptr_type: char,
    ind_type: char,
}

/// Builds the normal form, or enqueues what does. None if the pattern is malformed: nothing was launched on it
/// then; and for a pattern of nodes, if their rows are faster in tiles. `cut` says how an engine wants positions
/// cut. Takes from `known` what the setup for the transposed operation has found, or leaves it there. Calls `let_go`
/// once the pattern is known to be good, before it allocates what is kept.
pub fn schedule(
    launcher: &Launcher,
    shape: &Shape,
    arrays: Arrays,
    wish: Wish,
    cut: &dyn Fn(Engine) -> Cut,
    known: &mut Known,
    let_go: &mut dyn FnMut(),
) -> Result<Option<(DeviceSchedule, Pending)>> {
    let Wish { needs, levels: how, timeout, node, .. } = wish;
    let task = Task::new(shape, needs, cut(Engine::Rows) != Cut::None, how);
    let (mut run, temporary) = Run::new(launcher, shape, arrays, task, node, timeout)?;
    let mut clock = Clock::new(launcher);
    clock.begin(Operation::Transposition)?;
    let refuted = match known {
        Known::OnDevice(found) => run.recall(found)?,
        _ => run.survey().map(|()| 0)?,
    };
    let (mut may_have_lines, mut may_have_chains) = (true, true);
    if needs.nodes && nodes::largest(shape.n, refuted).is_some() {
        let found = run.node_sizes()?;
        if found[BAD] != 0 {
            return Ok(None);
        }
        if let Some((done, mut pending)) = run.by_nodes(&found, wish, cut, let_go)? {
            pending.temporary.push(temporary);
            return Ok(Some((done, pending)));
        }
        may_have_lines = lines::line(shape.n, found[NEXT_TO_DIAGONAL]) > 0;
        may_have_chains = found[BARE] <= shape.n / SETUP_CHAINS_BARE;
    }
    if run.task.transpose {
        run.base.list = run.transpose(&run.ind_type.to_string())?;
    }
    if run.task.levels {
        // The sweep goes by the guess; of the paper's loop it is no part.
        clock.begin(if how == Levels::Sweep { Operation::Levels } else { Operation::Other })?;
        if may_have_lines && !matches!(known, Known::OnDevice(_)) {
            run.guess()?;
        }
    }
    clock.begin(Operation::Levels)?;
    if run.task.levels {
        match (&*known, how) {
            (Known::OnDevice(found), _) => run.turn_levels(found)?,
            (_, Levels::Sweep) => {
                if may_have_chains {
                    run.chains()?;
                }
                run.sweep()?
            }
            (_, Levels::Kahn) => run.kahn()?,
        }
    }
    clock.begin(Operation::Other)?;
    let (found, ranges) = run.findings()?;
    if found[BAD] != 0 {
        return Ok(None);
    }
    let_go();
    if matches!(known, Known::Nothing) {
        *known = Known::OnDevice(run.remember(&found)?);
    }
    let Some(done) = run.arrange(&found, ranges, cut, &mut clock)? else { return Ok(None) };
    let (summary, stream) = (run.places.summary, launcher.stream);
    let pending = Pending { temporary: vec![temporary], summary, clock, stream };
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
    cut: &dyn Fn(Engine) -> Cut,
    let_go: &mut dyn FnMut(),
) -> Result<Option<Turn>> {
    let (mut run, temporary) = Run::new(launcher, shape, arrays, Task::turn(shape), 1, wish.timeout)?;
    run.survey()?;
    if wish.needs.nodes && nodes::largest(shape.n, 0).is_some() {
        let found = run.node_sizes()?;
        if found[BAD] != 0 {
            return Ok(None);
        }
        if let Some((done, mut pending)) = run.by_nodes(&found, wish, cut, let_go)? {
            pending.temporary.push(temporary);
            return Ok(Some(Turn::Schedule(Box::new(done), pending)));
        }
    }
    Ok(run.turned(temporary, let_go)?.map(Turn::Matrix))
}

/// A power of two of lanes for each row, so that one has no more than so many entries on average.
fn lanes(shape: &Shape, entries: u32) -> u32 {
    (shape.nnz / shape.n.max(1)).div_ceil(entries).clamp(1, 32).next_power_of_two()
}

/// The grid that the summary says the pattern is of.
fn grid_of(n: u32, found: &[u32]) -> Grid {
    let plane = if found[APART] != 0 { !found[APART] } else { 0 };
    Grid::new(n, lines::line(n, found[NEXT_TO_DIAGONAL]), plane)
}

/// A summary, unless the watchdog has ended a wait.
fn checked(found: Vec<u32>) -> Result<Vec<u32>> {
    match found[FAILED] {
        0 => Ok(found),
        _ => Err(Error::SetupTimedOut),
    }
}

/// Reads words from the device: a few by way of page-locked memory, which takes two microseconds less.
///
/// # Safety
/// `address` is a device address of that many words.
unsafe fn read_words(gpu: &Arc<Gpu>, address: u64, count: usize, stream: usize) -> Result<Vec<u32>> {
    if count > WORDS {
        // SAFETY: the caller's promise, and any pattern of bits is a word.
        return unsafe { memory::read(address as usize, count, stream) };
    }
    let page = Page::new(gpu)?;
    // SAFETY: the caller's promise, and a page has that many words.
    unsafe { memory::fetch(page.address(), address, count * 4, stream)? };
    Ok(page.words(count))
}

/// What has been enqueued, until it is done.
pub struct Pending {
    temporary: Vec<DeviceArray>,
    summary: u64,
    clock: Clock,
    stream: usize,
}

/// What is known in the end.
pub struct Ending {
    /// Knows the times.
    pub clock: Clock,
    /// Unknowns of the widest level.
    pub widest: u32,
    /// Slices, where there are no batches, and the first one of the narrow end, if there is one.
    pub slices: u32,
    pub narrow: Option<u32>,
    /// Whether some of them are parts of rows.
    pub has_parts: bool,
    /// Whether the diagonal of each row of a node is in its place in the row.
    pub diag_in_rows: bool,
}

impl Pending {
    /// Waits for the end.
    pub fn finish(self) -> Result<Ending> {
        // SAFETY: the place has that many words.
        let found = unsafe { read_words(&self.clock.gpu, self.summary, SUMMARY + STATE, self.stream)? };
        let found = checked(found)?;
        let narrow = (found[NARROW + 1] > 0).then_some(found[NARROW]);
        let diag_in_rows = found[DISPLACED] == 0;
        let (slices, has_parts) = (found[SLICES], found[HAS_PARTS] != 0);
        Ok(Ending { clock: self.clock, widest: found[WIDEST], slices, narrow, has_parts, diag_in_rows })
    }
}

impl<'a> Run<'a> {
    /// One on its way, and its temporaries.
    fn new(
        launcher: &'a Launcher<'a>,
        shape: &'a Shape,
        arrays: Arrays,
        task: Task,
        node: u32,
        timeout: Duration,
    ) -> Result<(Run<'a>, DeviceArray)> {
        let bytes = lay_out(0, shape.n, shape.nnz, &task).1;
        let temporary = DeviceArray::temporary(launcher.gpu, bytes as usize + 256, launcher.stream)?;
        let start = temporary.address().next_multiple_of(256);
        let places = lay_out(start, shape.n, shape.nnz, &task).0;
        // SAFETY: the zeroed places are the first of the allocation.
        unsafe { memory::fill(start, 0, (places.zero_end - start) as usize, launcher.stream)? };

        let letter = |index: Index| if index == Index::I32 { 'i' } else { 'l' };
        let base = SetupArgs {
            n: shape.n,
            nnz: shape.nnz,
            base: shape.base() as u32,
            low: shape.keeps_low() as u32,
            forward: shape.forward() as u32,
            own_diag: (shape.diag == DiagSource::Matrix) as u32,
            lanes: lanes(shape, 16),
            mask: u32::MAX,
            ptr: arrays.ptr as u64,
            ind: arrays.ind as u64,
            summary: places.summary,
            major: places.major,
            word: places.word,
            // Two words for each row, and so the place behind it as well.
            chain: places.keys[0],
            list_ptr: places.list_ptr,
            piece: places.piece,
            piece_room: piece_room(shape.nnz),
            totals: places.totals,
            position: places.position,
            by_kept: places.by_kept,
            stride: 1,
            node,
            state: places.summary + 4 * SUMMARY as u64,
            timeout_ns: timeout.as_nanos().min(u64::MAX as u128) as u64,
            ..Default::default()
        };
        let run = Run {
            launcher,
            shape,
            task,
            places,
            base,
            tickets: 0,
            node,
            tiles: 0,
            boxes: None,
            ptr_type: letter(shape.descr.offsets),
            ind_type: letter(shape.descr.columns),
        };
        Ok((run, temporary))
    }

    /// Launches `blocks` blocks of `threads` threads.
    fn launch(&self, name: &str, blocks: u64, threads: u32, args: &SetupArgs) -> Result<()> {
        self.launcher.setup_kernel(name)?.launch(blocks as u32, threads, 0, args)
    }
    /// One thread for each of `count`.
    fn cover(&self, name: &str, count: u32, args: &SetupArgs) -> Result<()> {
        self.launch(name, (count as u64).div_ceil(BLOCK as u64), BLOCK, args)
    }
    /// A team of `lanes` lanes for each row.
    fn walk(&self, name: &str, args: &SetupArgs) -> Result<()> {
        self.launch(name, (args.n as u64 * args.lanes as u64).div_ceil(BLOCK as u64), BLOCK, args)
    }
    /// So many lanes for each row, by no more blocks than so many on each multiprocessor, which take rows in turns.
    fn in_turns(&self, name: &str, lanes: u32, most: u64, args: &SetupArgs) -> Result<()> {
        let most = self.launcher.gpu.multiprocessors() as u64 * most;
        let blocks = (args.n as u64 * lanes as u64).div_ceil(BLOCK as u64).min(most);
        self.launch(name, blocks, BLOCK, args)
    }
    /// One thread for each row, by no more blocks than the GPU holds.
    fn cover_in_turns(&self, name: &str, args: &SetupArgs) -> Result<()> {
        self.in_turns(name, 1, 8, args)
    }
    /// A team for each row, by no more blocks than the GPU holds some times over.
    fn walk_in_turns(&self, name: &str, args: &SetupArgs) -> Result<()> {
        self.in_turns(name, args.lanes, 32, args)
    }
    /// The next of the summary's tickets, or the first of some.
    fn ticket(&mut self) -> u32 {
        self.tickets(1)
    }
    fn tickets(&mut self, count: u32) -> u32 {
        let first = self.tickets;
        self.tickets += count;
        first
    }
    fn stored(&self, name: &str) -> String {
        format!("{name}_{}", self.ind_type)
    }
    /// The kernel that looks at the rows of op(A).
    fn of_rows(&self, name: &str) -> String {
        match self.task.stored_rows {
            true => self.stored(name),
            false => format!("{name}_transposed"),
        }
    }
    /// Reads words from the device.
    fn read(&self, address: u64, count: usize) -> Result<Vec<u32>> {
        // SAFETY: the caller names a place of that many words.
        unsafe { read_words(self.launcher.gpu, address, count, self.launcher.stream) }
    }
    /// Memory that the plan will keep.
    fn allocate(&self, bytes: usize) -> Result<DeviceArray> {
        DeviceArray::on_stream(self.launcher.gpu, bytes, self.launcher.stream)
    }
    /// The summary, and the state behind it.
    fn summary(&self) -> Result<Vec<u32>> {
        checked(self.read(self.places.summary, SUMMARY + STATE)?)
    }

    /// Validates the offsets, and finds out which majors are long.
    fn offsets_of_majors(&self) -> Result<()> {
        self.cover(&format!("setup_offsets_{}", self.ptr_type), self.shape.n + 1, &self.base)
    }

    /// Validates the pattern and finds out what each major holds.
    fn survey(&self) -> Result<()> {
        self.offsets_of_majors()?;
        let (name, most) = (format!("setup_survey_{}{}", self.ptr_type, self.ind_type), SETUP_SURVEY_BLOCKS);
        self.in_turns(&name, self.base.lanes, most, &self.base)
    }

    /// Finds out where planes begin, if the pattern is that of a grid, and whether its levels are what they mostly are then.
    fn guess(&self) -> Result<()> {
        let most = self.launcher.gpu.multiprocessors() as u64;
        let blocks = (self.shape.n as u64).div_ceil(TILED_SHORTEST_LINE as u64 * BLOCK as u64).min(most);
        self.launch(&self.stored("setup_planes"), blocks, BLOCK, &self.base)?;
        self.launch(&self.of_rows("setup_steps"), 1, 32, &self.base)?;
        self.walk_in_turns(&self.of_rows("setup_guess"), &self.base)
    }

    /// Finds out whether levels are one above those of the last unknown that each depends on, unless they are a grid's.
    fn chains(&self) -> Result<()> {
        self.cover_in_turns(&self.of_rows("setup_link_chains"), &self.base)?;
        self.cover_in_turns("setup_follow_chains", &self.base)?;
        self.walk_in_turns(&self.of_rows("setup_check_chains"), &self.base)
    }

    /// A copy of what the survey and the levels are, before it is written over.
    fn remember(&self, found: &[u32]) -> Result<Found> {
        let (gpu, stream) = (self.launcher.gpu, self.launcher.stream);
        let rows = self.shape.n as usize;
        let words = DeviceArray::temporary(gpu, rows * 20, stream)?;
        // SAFETY: both places have four words for each row, and one for each turn.
        unsafe {
            memory::copy(words.address(), self.places.major, rows * 16, stream)?;
            if self.task.levels {
                memory::copy(words.address() + rows as u64 * 16, self.places.word, rows * 4, stream)?;
            }
        }
        let mut summary = vec![0; SUMMARY];
        let kept = [SCATTERED, ENTRIES, EXTRA, MISSING, LEVELS, REFUTED];
        for k in kept.into_iter().chain(NEXT_TO_DIAGONAL..=SKEW) {
            summary[k] = found[k];
        }
        Ok(Found { words, summary })
    }

    /// In place of a survey: no operation makes a difference to it. The sizes of nodes that the pattern does not have.
    fn recall(&self, found: &Found) -> Result<u32> {
        let stream = self.launcher.stream;
        // SAFETY: as in `remember`; the summary lives until the findings have been waited for.
        unsafe {
            memory::write(self.places.summary, &found.summary, stream)?;
            memory::copy(self.places.major, found.words.address(), self.shape.n as usize * 16, stream)?;
        }
        self.offsets_of_majors()?;
        Ok(found.summary[REFUTED])
    }

    /// The levels for the transposed operation from the last to the first.
    fn turn_levels(&self, found: &Found) -> Result<()> {
        let words = found.words.address() + self.shape.n as u64 * 16;
        self.cover("setup_turn_levels", self.shape.n, &SetupArgs { value_in: words, ..self.base })?;
        self.levels()
    }

    /// Finds out of what sizes the pattern has no nodes.
    fn node_sizes(&self) -> Result<Vec<u32>> {
        self.walk_in_turns(&self.stored("setup_node_sizes"), &self.base)?;
        self.summary()
    }

    /// The matrix turned, after the survey. None if the pattern is malformed.
    fn turned(mut self, temporary: DeviceArray, let_go: &mut dyn FnMut()) -> Result<Option<Turned>> {
        let list = self.transpose(&format!("triangle_{}{}", self.ptr_type, self.ind_type))?;
        if self.summary()?[BAD] != 0 {
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

    /// The schedule of the pattern's nodes, if it has any and tiles of rows are not faster.
    fn by_nodes(
        &mut self,
        found: &[u32],
        wish: Wish,
        cut: &dyn Fn(Engine) -> Cut,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<(DeviceSchedule, Pending)>> {
        let n = self.shape.n;
        let own_diag = self.shape.diag == DiagSource::Matrix;
        if found[SCATTERED] | found[EXTRA] != 0 {
            return Ok(None);
        }
        if wish.copies && own_diag && found[MISSING] != 0 {
            // The rows of a node would not be alike.
            return Ok(None);
        }
        let Some(size) = nodes::largest(n, found[REFUTED]) else { return Ok(None) };
        let count = n / size;
        let entries = nodes::entries(n, found[ENTRIES], size);
        let lay_out = |start| {
            let room = &mut Room(start);
            let places = [count + 1, count + 1, entries].map(|words| room.words(words as usize));
            (places, room.0)
        };
        let bytes = lay_out(0).1 as usize;
        let pattern = DeviceArray::temporary(self.launcher.gpu, bytes, self.launcher.stream)?;
        let [sums, ptr, ind] = lay_out(pattern.address()).0;
        let args = SetupArgs { count, node: size, bounds: ptr, out_ptr: sums, out_adj: ind, ..self.base };
        let bare = if self.base.low != 0 { 0 } else { size - 1 };
        self.scan(SetupArgs {
            // The third of four.
            scan_in: self.places.major + 16 * bare as u64 + 8,
            stride: 4 * size,
            scan_out: sums,
            states: self.places.node_scan,
            ..args
        })?;
        let walk = |name: &str, args: &SetupArgs| {
            self.launch(name, (count as u64 * args.lanes as u64).div_ceil(BLOCK as u64), BLOCK, args)
        };
        walk(&self.stored("setup_node_pattern"), &args)?;

        let mut shape = nodes::shape(self.shape, entries, size);
        let mut arrays = Arrays { val: 0, ptr: ptr as usize, ind: ind as usize };
        let mut turned = None;
        if wish.copies {
            let task = Task::turn(&shape);
            let (run, temporary) = Run::new(self.launcher, &shape, arrays, task, 1, wish.timeout)?;
            run.survey()?;
            let Some(mut by_rows) = run.turned(temporary, &mut || ())? else { return Ok(None) };
            by_rows.source.set_only_on(self.launcher.stream);
            (shape, arrays) = (by_rows.shape, by_rows.arrays);
            turned = Some(by_rows);
        }
        let wish = Wish { needs: Needs { nodes: false, ..wish.needs }, node: size, ..wish };
        let Some((mut done, mut pending)) =
            schedule(self.launcher, &shape, arrays, wish, cut, &mut Known::Unwanted, let_go)?
        else {
            return Ok(None);
        };
        let rows = self.allocate(n as usize * 8)?;
        done.base.node_row = rows.address();
        done.owned.push(rows);
        let args = SetupArgs {
            record: done.base.record,
            out_adj: done.base.row_adj,
            out_val: done.base.row_val,
            node_row: done.base.node_row,
            // What is read in the end.
            summary: pending.summary,
            ..args
        };
        match turned {
            Some(turned) => {
                let count = found[ENTRIES] + if own_diag { n } else { 0 };
                let source = self.allocate(count as usize * 4)?;
                let args = SetupArgs {
                    out_ptr: arrays.ptr as u64,
                    out_adj: arrays.ind as u64,
                    out_val: turned.source.address(),
                    index: source.address(),
                    ..args
                };
                self.cover("setup_copied_rows", n, &args)?;
                walk("setup_copied_source", &args)?;
                done.copied = Some((source, count));
                pending.temporary.extend(turned.pattern);
                pending.temporary.push(turned.source);
            }
            None => self.cover("setup_node_rows", n, &args)?,
        }
        if done.base.row_permuted != 0 {
            let index = self.allocate(entries as usize * size as usize * 4)?;
            walk("setup_node_values", &SetupArgs { index: index.address(), ..args })?;
            done.base.row_val = index.address();
            done.owned.push(index);
        }
        done.base.n = n;
        done.base.diag_index = diag_in_records(self.shape, done.base.record);
        done.levels *= size;
        done.entries = found[ENTRIES];
        done.missing_diag = (own_diag && found[MISSING] != 0).then_some(!found[MISSING]);
        pending.temporary.push(pattern);
        Ok(Some((done, pending)))
    }

    /// Exclusive sums over `args.count` elements.
    fn scan(&mut self, args: SetupArgs) -> Result<()> {
        let ticket = self.ticket();
        // The total comes after the last element.
        let blocks = (args.count as u64 + 1).div_ceil(SCAN_TILE as u64);
        self.launch("setup_scan", blocks, SCAN_BLOCK, &SetupArgs { ticket, ..args })
    }

    /// Sorts by keys below `bound`, stably. Keys and values are in the first of the two places each, and the
    /// result in those that are returned; the values' may be given.
    fn sort(
        &mut self,
        sort: Sort,
        bound: u32,
        keys: [u64; 2],
        values: [u64; 2],
        target: Option<u64>,
    ) -> Result<(u64, u64)> {
        let passes = passes(bound);
        let base = SetupArgs { count: sort.count, histogram: sort.histogram, ..self.base };
        let blocks =
            (sort.count.div_ceil(SORT_TILE) as u64).min(self.launcher.gpu.multiprocessors() as u64 * 8);
        self.launch("setup_histogram", blocks, BLOCK, &SetupArgs { key_in: keys[0], shift: passes, ..base })?;
        let mut value_in = values[0];
        for pass in 0..passes {
            let value_out = match target {
                Some(target) if pass + 1 == passes => target,
                _ => values[(pass as usize + 1) % 2],
            };
            let args = SetupArgs {
                ticket: self.ticket(),
                shift: 8 * pass,
                histogram: sort.histogram + pass as u64 * BINS as u64 * 4,
                states: sort.states + pass as u64 * Sort::pass_bytes(sort.count) as u64,
                key_in: keys[pass as usize % 2],
                key_out: keys[(pass as usize + 1) % 2],
                value_in,
                value_out,
                ..base
            };
            self.launch("setup_sort", sort.count.div_ceil(SORT_TILE) as u64, BLOCK, &args)?;
            value_in = value_out;
        }
        Ok((keys[passes as usize % 2], value_in))
    }

    /// The lists across the majors, in natural numbers, of what the kernels with that ending take; where they lie.
    fn transpose(&mut self, of: &str) -> Result<u64> {
        let Places { list_count, list_ptr, list, list_scan, .. } = self.places;
        let n = self.shape.n;
        let ends = list_ptr + 4;
        let args = SetupArgs { value_out: list, ..self.base };
        self.walk(&format!("setup_count_{of}"), &SetupArgs { bounds: list_count, ..args })?;
        // Each list ends where it begins as yet.
        self.scan(SetupArgs { count: n, scan_in: list_count, scan_out: ends, states: list_scan, ..args })?;
        // Where entries are scattered or gathered, more lanes have more of them on their way.
        let put = SetupArgs { bounds: ends, lanes: lanes(self.shape, 4), ..args };
        self.walk(&format!("setup_put_{of}"), &put)?;
        // Most lists have no more entries than lanes.
        let lanes = lanes(self.shape, 1).max(4);
        let blocks = (n as u64 * lanes as u64).div_ceil(ORDER_BLOCK as u64);
        // Four words are for lists that are left to the second kernel. A list has more entries than there are rows only where rows have
        // some of them twice.
        let ticket = self.tickets(4);
        let count = if n > SETUP_LONGEST_LIST { SETUP_LONGEST_LIST } else { u32::MAX };
        let order = SetupArgs { bounds: list_count, ticket, count, ..args };
        self.launch(&format!("setup_order_{lanes}"), blocks, ORDER_BLOCK, &order)?;
        if n > SETUP_LONGEST_LIST {
            let blocks = self.launcher.gpu.multiprocessors() as u64 * SETUP_LIST_BLOCKS;
            self.launch("setup_order_left", blocks, ORDER_BLOCK, &order)?;
        }
        Ok(list)
    }

    fn sweep(&self) -> Result<()> {
        let blocks = self.shape.n.div_ceil(SWEEP_BLOCK) as u64;
        self.launch(&self.of_rows("setup_sweep"), blocks, SWEEP_BLOCK, &self.base)?;
        self.levels()
    }

    /// The paper's loop: the host learns after each level how many unknowns are left.
    fn kahn(&mut self) -> Result<()> {
        let columns_are_stored = !self.task.stored_rows;
        let name = if columns_are_stored {
            self.stored("setup_find_level")
        } else {
            "setup_find_level_transposed".into()
        };
        let args = SetupArgs {
            counters: self.places.values[0],
            bounds: self.places.values[1],
            count_ptr: if columns_are_stored { self.base.list_ptr } else { 0 },
            ..self.base
        };
        self.cover("setup_find_level0", self.shape.n, &args)?;
        let (mut begin, mut level) = (0, 0);
        loop {
            let found = self.summary()?;
            let end = found[QUEUED];
            if found[BAD] != 0 || end == self.shape.n {
                break;
            }
            if end == begin {
                return Err(Error::Panic("a level without unknowns".into()));
            }
            let blocks = ((end - begin) as u64 * 32).div_ceil(BLOCK as u64);
            self.launch(&name, blocks, BLOCK, &SetupArgs { begin, end, level, ..args })?;
            (begin, level) = (end, level + 1);
        }
        self.levels()
    }

    /// From the words of all unknowns to keys for the sort, and to the levels that spans of them cover.
    fn levels(&self) -> Result<()> {
        let args = SetupArgs {
            span: TILED_SMALLEST,
            spans: self.places.spans,
            count_ptr: if self.task.stored_rows { 0 } else { self.base.list_ptr },
            key_out: self.places.keys[0],
            value_out: self.places.values[0],
            ..self.base
        };
        self.launch("setup_levels", self.shape.n.div_ceil(TILED_SMALLEST) as u64, BLOCK, &args)
    }

    /// The summary and, where tiles may be wanted, the ranges of the natural order.
    fn findings(&self) -> Result<(Vec<u32>, tiles::Ranges)> {
        let none = || tiles::Ranges { sizes: Sizes::plain(0), spreads: Vec::new() };
        if self.task.needs.tiles == Tiles::No {
            return Ok((self.summary()?, none()));
        }
        let n = self.shape.n;
        let (found, words) = self.read_spans(TILED_SMALLEST)?;
        if found[BAD] != 0 {
            return Ok((found, none()));
        }
        let sizes = grid_of(n, &found).sizes(n, self.task.needs.mirror);
        if sizes.span == TILED_SMALLEST {
            return Ok((found, self.ranges(sizes, &words)));
        }
        let args = SetupArgs { span: sizes.span, spans: self.places.spans, ..self.base };
        self.launch("setup_spans", n.div_ceil(sizes.span) as u64, BLOCK, &args)?;
        let words = self.read_spans(sizes.span)?.1;
        Ok((found, self.ranges(sizes, &words)))
    }

    /// The summary, and the levels of every `span` unknowns.
    fn read_spans(&self, span: u32) -> Result<(Vec<u32>, Vec<u32>)> {
        let begin = (self.places.spans - self.places.summary) as usize / 4;
        let words = Spread::WORDS * self.shape.n.div_ceil(span) as usize;
        let mut found = checked(self.read(self.places.summary, begin + words)?)?;
        let spans = found.split_off(begin);
        Ok((found, spans))
    }

    fn ranges(&self, sizes: Sizes, words: &[u32]) -> tiles::Ranges {
        let (n, size) = (self.shape.n, sizes.span);
        let spread = |(k, w)| Spread::of_words(w, size.min(n - k as u32 * size));
        tiles::Ranges { sizes, spreads: words.chunks_exact(Spread::WORDS).enumerate().map(spread).collect() }
    }

    /// The ranges of the order by strips, if there is one; the turns are in `position` then. `level_of` is by place in the
    /// order by level.
    fn strips(&mut self, levels: u32, level_of: u64) -> Result<Option<tiles::Ranges>> {
        let n = self.shape.n;
        if !strips::fits(levels, n) {
            return Ok(None);
        }
        // Places for what comes by position are free as yet, as are those of the sort by level.
        let Places { by_level, level_ptr, values, order, row_ptr, by_first, by_diag, strip_sort, .. } =
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
        self.cover("setup_strip_ranks", n, &args)?;
        // SAFETY: the place has a word for each row, and there are at least two rows for each level.
        unsafe { memory::fill(grows, 0, 2 * levels as usize * 4, self.launcher.stream)? };
        self.walk(&self.of_rows("setup_strip_shifts"), &SetupArgs { scan_out: grows, ..args })?;
        let states = self.places.strip_scan;
        self.scan(SetupArgs { count: 2 * levels, scan_in: grows, scan_out: shifts, states, ..args })?;
        let keys = SetupArgs { bounds: shifts, key_out: order, value_out: row_ptr, ..args };
        self.cover("setup_strip_keys", n, &keys)?;
        let found = self.summary()?;
        if strips::bound(levels, found[WIDEST]).is_none() {
            return Ok(None);
        }
        let places = found[LARGEST_PLACE] + 1;
        let (_, sorted) = self.sort(strip_sort, places, [order, by_first], [row_ptr, by_diag], None)?;
        let sizes = Grid::new(n, lines::length(n, places), 0).sizes(n, 0);
        let args = SetupArgs { value_in: sorted, span: sizes.span, ..args };
        self.launch("setup_strip_turns", n.div_ceil(sizes.span) as u64, BLOCK, &args)?;
        let words = self.read_spans(sizes.span)?.1;
        Ok(Some(self.ranges(sizes, &words)))
    }

    /// Orders the unknowns and writes the arrays that the plan keeps. None for nodes whose rows are faster in tiles.
    fn arrange(
        &mut self,
        found: &[u32],
        ranges: tiles::Ranges,
        cut: &dyn Fn(Engine) -> Cut,
        clock: &mut Clock,
    ) -> Result<Option<DeviceSchedule>> {
        let (n, entries, levels) = (self.shape.n, found[ENTRIES], found[LEVELS]);
        let needs = self.task.needs;
        let own_diag = self.shape.diag == DiagSource::Matrix;
        clock.begin(Operation::Levels)?;
        // The sort is on its way while the host thinks about tiles.
        let mut level_of = 0;
        if self.task.records {
            level_of = self.sort_by_level(levels, self.places.by_level)?;
        }
        let grid = grid_of(n, found);
        let has_lines = grid.line > 0;
        let mut boxes = None;
        let decision = match (needs.tiles, self.node) {
            (Tiles::No, 1) if !needs.nodes => tiles::of_rows(needs, levels),
            (wish, node) => {
                let scattered = !self.task.stored_rows;
                let crosses = grid.plane > 0 && found[SKEW] > 0;
                let long = |at: usize| found[at] as u64 | (found[at + 1] as u64) << 32;
                let squares = (long(SQUARES), long(LONG_SQUARES));
                let counts =
                    tiles::Counts { n, entries, squares, levels, scattered, has_lines, crosses, node };
                let mut strips = || self.strips(levels, level_of);
                let steps = [found[LINE_STEP], found[PLANE_STEP]];
                let mut boxed = || {
                    let is_even = found[UNEVEN] == 0;
                    boxes = is_even.then(|| Boxes::new(n, entries, grid, steps, found[SKEW])).flatten();
                    boxes.as_ref().map(|boxes| boxes.spans.clone())
                };
                tiles::decide(wish, needs.mirror, ranges, counts, &mut boxed, &mut strips)?
            }
        };
        let tiles::Decision { engine, rows, order, is_wide, stages, predicted } = decision;
        let is_tiled = matches!(engine, Engine::Tiles(_));
        if self.node > 1 && is_tiled {
            return Ok(None);
        }
        let may_go_by_families = needs.families && !is_tiled && engine != Engine::Wide;
        if may_go_by_families && families::are_worth_it(n, entries, levels, has_lines) {
            self.by_families(levels, level_of)?;
        }
        let tile = rows.min(n);
        let cut = cut(engine);
        self.boxes = boxes.filter(|_| order == Order::Boxes);
        self.tiles = match &self.boxes {
            Some(boxes) => boxes.spans.len() as u32,
            None => n.div_ceil(tile.max(1)),
        };
        let staged = stages.then(|| self.allocate(entries as usize * 4)).transpose()?;
        let (kept, slab, lists) = self.keep(found, tile, staged.as_ref())?;
        self.base.order = kept.order;
        self.base.tile = tile;
        self.base.by_strips = (order == Order::Strips) as u32;
        self.place_boxes()?;
        if self.task.levels && !self.task.records {
            level_of = self.sort_by_level(levels, kept.order)?;
        }
        if tile > 0 {
            level_of = self.sort_by_tile(kept.order)?;
        }

        clock.begin(Operation::Dependencies)?;
        let place = SetupArgs {
            natural: !self.task.levels as u32,
            by_diag: kept.diag,
            by_first: kept.rows.by_first().max(kept.columns.by_first()),
            by_count: kept.counts,
            count_ptr: if self.task.stored_rows { 0 } else { self.base.list_ptr },
            // Where tiles have sorted what was by level.
            level_of: if tile > 0 { level_of } else { 0 },
            ..self.base
        };
        self.cover_in_turns("setup_place", &place)?;
        clock.begin(Operation::Transposition)?;
        self.offsets(&kept.rows, self.places.row_scan)?;
        self.offsets(&kept.columns, self.places.col_scan)?;
        let args = self.engine_args(&kept, level_of);
        let slices = match cut {
            Cut::Levels { entries, .. } => {
                self.count_slices(&SetupArgs { per_lane: entries, ..args })?;
                // Known while the lists are filled.
                let is_large = n > SETUP_SLICE_ROOM;
                is_large.then(|| Count::new(self.launcher, args.slice_ptr + 4 * n as u64)).transpose()?
            }
            _ => None,
        };
        self.fill(&kept.rows, cut)?;
        self.fill(&kept.columns, cut)?;

        let mut done = DeviceSchedule {
            base: kept.arguments(self.shape),
            owned: vec![slab],
            _lists: lists,
            longest: 0,
            tile,
            levels: if self.task.levels { levels } else { 0 },
            level_ptr: Vec::new(),
            entries,
            missing_diag: (own_diag && found[MISSING] != 0).then_some(!found[MISSING]),
            engine,
            wide_tiles: is_wide,
            copied: None,
            staged,
            predicted,
        };
        if own_diag && found[EXTRA] > 0 {
            self.extra_diagonals(found[EXTRA], &mut done)?;
        }
        match cut {
            Cut::Levels { entries, .. } => {
                // Each has a row, or is a part of one.
                let most = slices.map_or(Ok(n + slices::most_parts(done.entries, entries)), Count::get)?;
                let level_step = if is_for_wide(cut) { self.places.word } else { 0 };
                self.slices(SetupArgs { per_lane: entries, level_step, ..args }, most, &mut done)?;
                if level_step != 0 {
                    done.level_ptr = self.read(level_step, levels as usize + 1)?;
                }
            }
            Cut::Tiles { entries, window, reach } => {
                self.batches(SetupArgs { per_lane: entries, window, reach, ..args }, &mut done)?
            }
            Cut::None => {}
        }
        if self.task.levels && !self.task.records {
            done.level_ptr = self.read(self.places.level_ptr, levels as usize + 1)?;
        }
        clock.begin(Operation::Other)?;
        Ok(Some(done))
    }

    /// Allocates what the plan keeps, and the rows' lists where batches take their place. Where values are staged, the place for
    /// where they come from is there.
    fn keep(
        &self,
        found: &[u32],
        tile: u32,
        staged: Option<&DeviceArray>,
    ) -> Result<(Kept, DeviceArray, Option<DeviceArray>)> {
        let Task { records, stored_rows, needs, .. } = self.task;
        let (n, entries, contiguous) = (self.shape.n, found[ENTRIES], found[SCATTERED] == 0);
        let places = &self.places;
        let rows = n as usize + 1;
        let lay_out = |start: u64, lists: u64| {
            let (room, lists) = (&mut Room(start), &mut Room(lists));
            let list = |room: &mut Room, wanted: bool, is_stored: bool, with_values: bool| {
                let permuted = with_values && !(is_stored && contiguous);
                List {
                    ptr: match (wanted, records) {
                        (false, _) => 0,
                        (true, true) => places.row_ptr,
                        (true, false) => room.words(rows),
                    },
                    adj: if wanted { room.words(entries as usize) } else { 0 },
                    val: match (wanted && with_values, permuted) {
                        (false, _) => 0,
                        (true, false) if records => places.by_first,
                        (true, false) => room.words(rows),
                        (true, true) => room.words(entries as usize),
                    },
                    permuted: wanted && permuted,
                    is_stored,
                    is_staged: false,
                }
            };
            let rows_list = |room: &mut Room| match staged {
                None => list(room, needs.rows, stored_rows, true),
                Some(source) => {
                    let pattern = list(room, needs.rows, stored_rows, false);
                    List { val: source.address(), permuted: true, is_staged: true, ..pattern }
                }
            };
            let kept = Kept {
                records,
                order: match (records, tile) {
                    (false, _) => room.words(rows),
                    (true, 0) => places.by_level,
                    (true, _) => places.order,
                },
                rows: match tile {
                    0 => rows_list(room),
                    _ => rows_list(lists),
                },
                columns: list(room, needs.columns, !stored_rows, needs.column_values),
                counts: if needs.counts { room.words(rows) } else { 0 },
                diag: match (self.shape.diag, records) {
                    (DiagSource::Matrix, true) => places.by_diag,
                    (DiagSource::Matrix, false) => room.words(rows),
                    _ => 0,
                },
                record: if records { room.take(rows * 16) } else { 0 },
                tile_step: if tile > 0 { room.words(self.tiles as usize + 1) } else { 0 },
            };
            (kept, room.0 as usize, lists.0 as usize)
        };
        let (_, bytes, list_bytes) = lay_out(0, 0);
        let slab = self.allocate(bytes)?;
        let lists = match list_bytes {
            0 => None,
            _ => Some(DeviceArray::temporary(self.launcher.gpu, list_bytes, self.launcher.stream)?),
        };
        let kept = lay_out(slab.address(), lists.as_ref().map_or(0, DeviceArray::address)).0;
        Ok((kept, slab, lists))
    }

    /// Copies to the device which tile each box is, and where each begins, in place of the spans.
    fn place_boxes(&mut self) -> Result<()> {
        let Some(boxes) = &self.boxes else { return Ok(()) };
        let (tile, stream) = (self.places.spans, self.launcher.stream);
        let begin = tile + 4 * boxes.tile.len() as u64;
        // SAFETY: there are more than two words for every `lines::most_spans`; the words live as long as the run.
        unsafe {
            memory::write(tile, &boxes.tile, stream)?;
            memory::write(begin, &boxes.begin, stream)?;
        }
        (self.base.boxes, self.base.skew) = (boxes.across, boxes.skew);
        (self.base.box_lines, self.base.box_planes) = (boxes.lines, boxes.planes);
        (self.base.box_tile, self.base.box_begin) = (tile, begin);
        Ok(())
    }

    /// The unknowns by level, rising inside. The place of the levels by position.
    fn sort_by_level(&mut self, levels: u32, target: u64) -> Result<u64> {
        let Places { keys, values, level_sort, level_ptr, .. } = self.places;
        let (sorted, _) = self.sort(level_sort, levels, keys, values, Some(target))?;
        let bounds = SetupArgs { count: levels, key_in: sorted, bounds: level_ptr, ..self.base };
        self.cover("setup_level_bounds", levels + 1, &bounds)?;
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

    /// The unknowns by tile, from those by level, and the tiles by position. A place for the levels by position.
    fn sort_by_tile(&mut self, target: u64) -> Result<u64> {
        let Places { keys, values, tile_sort, by_level, .. } = self.places;
        self.cover_in_turns(
            "setup_tile_keys",
            &SetupArgs { value_in: by_level, key_out: keys[0], ..self.base },
        )?;
        let (sorted, _) = self.sort(tile_sort, self.tiles, keys, [by_level, values[0]], Some(target))?;
        self.base.tile_number = sorted;
        Ok(if sorted == keys[0] { keys[1] } else { keys[0] })
    }

    /// Where the rows of one of the two lists begin.
    fn offsets(&mut self, list: &List, states: u64) -> Result<()> {
        if list.ptr == 0 {
            return Ok(());
        }
        self.scan(SetupArgs {
            count: self.shape.n,
            scan_in: self.places.by_kept,
            scan_lengths: if list.is_stored { 0 } else { self.base.list_ptr },
            scan_order: if list.is_stored { 0 } else { self.base.order },
            scan_out: list.ptr,
            states,
            ..self.base
        })
    }

    /// The entries of one of the two lists.
    fn fill(&self, list: &List, cut: Cut) -> Result<()> {
        if list.ptr == 0 {
            return Ok(());
        }
        let name = if list.is_stored { self.stored("setup_fill") } else { "setup_fill_transposed".into() };
        let args = SetupArgs {
            out_ptr: list.ptr,
            out_adj: list.adj,
            out_val: if list.permuted { list.val } else { 0 },
            by_first: list.by_first(),
            names: if is_for_wide(cut) { 0 } else { self.base.position },
            lanes: lanes(self.shape, 4),
            ..self.base
        };
        self.walk(&name, &args)
    }

    /// Sorted on the host: there are hardly ever any.
    fn extra_diagonals(&self, count: u32, done: &mut DeviceSchedule) -> Result<()> {
        let array = self.allocate(count as usize * 8)?;
        let name = format!("setup_extra_{}{}", self.ptr_type, self.ind_type);
        self.cover(&name, self.shape.n, &SetupArgs { extra: array.address(), ..self.base })?;
        // SAFETY: the array was made for that many pairs.
        let mut pairs: Vec<[u32; 2]> =
            unsafe { memory::read(array.address() as usize, count as usize, self.launcher.stream)? };
        pairs.sort_unstable();
        array.write(&pairs, self.launcher.stream)?;
        memory::synchronize(self.launcher.stream)?;
        done.base.extra_diag = array.address();
        done.base.extra_count = count;
        done.owned.push(array);
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
            by_first: if kept.rows.is_staged { kept.rows.ptr } else { kept.rows.by_first() },
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

    fn count_slices(&mut self, args: &SetupArgs) -> Result<()> {
        self.cover("setup_chunks", self.shape.n, args)?;
        self.scan_chunks(args, slices::CHUNK_SLICES)
    }

    /// The slices, `most` at most, and records.
    fn slices(&mut self, args: SetupArgs, most: u32, done: &mut DeviceSchedule) -> Result<()> {
        let array = self.allocate(most as usize * 8)?;
        self.cover("setup_slices", self.shape.n, &SetupArgs { slice: array.address(), ..args })?;
        done.base.slice = array.address();
        done.owned.push(array);
        Ok(())
    }

    fn batches(&mut self, args: SetupArgs, done: &mut DeviceSchedule) -> Result<()> {
        let (n, tiles) = (self.shape.n, self.tiles);
        let places = &self.places;
        let args = SetupArgs {
            counters: places.by_level,
            run_begin: places.word,
            run_info: places.position,
            batch_ptr: places.first,
            tile_narrow: places.diag,
            count: tiles,
            ..args
        };
        self.cover_in_turns("setup_run_begins", &args)?;
        self.scan_chunks(&args, u32::MAX)?;
        self.cover("setup_runs", n, &args)?;
        self.cover_in_turns("setup_lanes", &args)?;
        self.walk_in_turns("setup_close", &args)?;
        self.cover_in_turns("setup_count_batches", &args)?;
        self.scan(SetupArgs {
            count: n,
            scan_in: args.counters,
            scan_out: args.batch_ptr,
            states: self.places.pack_scan,
            ..self.base
        })?;
        // Their number, and behind it the longest row.
        let found = self.read(args.batch_ptr + 4 * n as u64, 2)?;
        let batches = found[0];
        done.longest = found[1];
        let array = self.allocate(batches as usize * 16)?;
        let args = SetupArgs { slice: array.address(), ..args };
        self.cover_in_turns("setup_batches", &args)?;
        let args = SetupArgs { count: batches, ..args };
        let warps = (batches as u64 * 32).div_ceil(BLOCK as u64);
        self.launch("setup_depths", warps, BLOCK, &args)?;
        self.scan(SetupArgs {
            count: batches,
            scan_in: args.chunk,
            scan_out: args.slice_ptr,
            states: self.places.batch_scan,
            ..self.base
        })?;
        let words = self.read(args.slice_ptr + 4 * batches as u64, 1)?[0] as usize * CODE_UNIT;
        let permuted = done.base.row_permuted != 0;
        let codes = self.allocate(words * if permuted { 8 } else { 4 })?;
        let (code, index) = (codes.address(), if permuted { codes.address() + words as u64 * 4 } else { 0 });
        self.launch(
            "setup_codes",
            warps,
            BLOCK,
            &SetupArgs { code, index, out_val: done.base.row_val, ..args },
        )?;
        self.cover_in_turns("setup_records", &args)?;
        done.base.row_adj = code;
        if permuted {
            done.base.row_val = index;
        }
        done.owned.push(codes);
        done.base.slice = array.address();
        done.base.slices = batches;
        done.base.tile_step = args.tile_step;
        done.base.tiles = tiles;
        done.owned.push(array);
        Ok(())
    }
}

/// Addresses of one list; 0 for what is not wanted.
#[derive(Clone, Copy, Default)]
struct List {
    ptr: u64,
    adj: u64,
    val: u64,
    permuted: bool,
    is_stored: bool,
    /// Solves begin by copying the values into the list's order.
    is_staged: bool,
}

/// Addresses of what the plan keeps, all in one allocation. With records the arrays that they replace are
/// temporary.
#[derive(Clone, Copy, Default)]
struct Kept {
    records: bool,
    order: u64,
    rows: List,
    columns: List,
    counts: u64,
    diag: u64,
    record: u64,
    tile_step: u64,
}

impl List {
    /// Where each row's entries begin in storage, where that is all that is to be known of them.
    fn by_first(&self) -> u64 {
        if self.is_stored && !self.permuted {
            self.val
        } else {
            0
        }
    }
}

impl Kept {
    /// The index of each position's diagonal value in the array that it is in.
    fn diag_index(&self, shape: &Shape) -> u64 {
        match shape.diag {
            DiagSource::Unit => 0,
            // The diagonal of unknown i is d[i], and the order lists the unknowns.
            DiagSource::Separate => self.order,
            DiagSource::Matrix => self.diag,
        }
    }

    fn arguments(&self, shape: &Shape) -> SolveArgs {
        let row_permuted = self.rows.permuted && !self.rows.is_staged;
        let base = SolveArgs {
            n: shape.n,
            row_adj: self.rows.adj,
            row_permuted: row_permuted as u32,
            col_permuted: self.columns.permuted as u32,
            ..Default::default()
        };
        if self.records {
            return SolveArgs {
                row_val: if row_permuted { self.rows.val } else { 0 },
                record: self.record,
                diag_index: diag_in_records(shape, self.record),
                ..base
            };
        }
        SolveArgs {
            order: self.order,
            row_ptr: self.rows.ptr,
            row_val: self.rows.val,
            col_ptr: self.columns.ptr,
            col_adj: self.columns.adj,
            col_val: self.columns.val,
            counts: self.counts,
            diag_index: self.diag_index(shape),
            ..base
        }
    }
}

/// What stands for the array of diagonal indices where the records have them: kernels look only at whether
/// there is one.
pub fn diag_in_records(shape: &Shape, record: u64) -> u64 {
    match shape.diag {
        DiagSource::Unit => 0,
        DiagSource::Separate | DiagSource::Matrix => record,
    }
}
