//! One setup on its way: launches of its kernels, and what they all have in common.

use std::cell::Cell;
use std::time::Duration;

use super::super::{memory, DeviceArray, Launcher};
use super::args::*;
use super::clock::Clock;
use super::message::Message;
use super::places::{lay_out, passes, piece_room, Places, Sort, Task};
use crate::address::Address;
use crate::analysis::blocks_3d::Blocks3d;
use crate::error::{Error, Result};
use crate::problem::{Arrays, DiagSource, Index, Shape};

/// One setup on its way.
pub(super) struct Run<'a> {
    pub launcher: &'a Launcher<'a>,
    pub shape: &'a Shape,
    pub task: Task,
    pub places: Places,
    pub base: SetupArgs,
    pub tickets: u32,
    pub clock: Clock,
    /// Unknowns of a node, where the pattern is one of nodes.
    pub node: u32,
    /// How many tiles there are, and where they are 3-D blocks.
    pub tiles: u32,
    pub blocks_3d: Option<Blocks3d>,
    /// Of the kernel that is launched next.
    question: Cell<Question>,
    /// Endings of kernel names by the widths of the caller's offsets and indices.
    pub ptr_type: char,
    pub ind_type: char,
}

/// A power of two of lanes for each row, so that one has no more than so many entries on average.
pub(super) fn lanes(shape: &Shape, entries: u32) -> u32 {
    (shape.nnz / shape.n.max(1)).div_ceil(entries).clamp(1, 32).next_power_of_two()
}

/// A summary, unless the watchdog has ended a wait.
pub(super) fn checked(words: &[u32]) -> Result<Summary> {
    match words[FAILED] {
        0 => Ok(Summary::of_words(words)),
        _ => Err(Error::SetupTimedOut),
    }
}

/// What the arguments of all kernels have in common.
fn base(shape: &Shape, arrays: Arrays, places: &Places, node: u32, timeout: Duration) -> SetupArgs {
    SetupArgs {
        n: shape.n,
        nnz: shape.nnz,
        base: shape.base() as u32,
        low: shape.keeps_low() as u32,
        forward: shape.forward() as u32,
        own_diag: (shape.diag == DiagSource::Matrix) as u32,
        lanes: lanes(shape, 16),
        mask: u32::MAX,
        ptr: arrays.ptr,
        ind: arrays.ind,
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
        state: places.summary.offset(4 * Summary::WORDS),
        timeout_ns: timeout.as_nanos().min(u64::MAX as u128) as u64,
        ..Default::default()
    }
}

impl<'a> Run<'a> {
    /// One on its way, and its temporaries.
    pub(super) fn new(
        launcher: &'a Launcher<'a>,
        shape: &'a Shape,
        arrays: Arrays,
        task: Task,
        node: u32,
        timeout: Duration,
    ) -> Result<(Run<'a>, DeviceArray)> {
        let bytes = lay_out(Address::NULL, shape.n, shape.nnz, &task).1;
        let temporary = DeviceArray::temporary(launcher.gpu, bytes + 256, launcher.stream)?;
        let start = temporary.address().aligned(256);
        let places = lay_out(start, shape.n, shape.nnz, &task).0;
        // SAFETY: the zeroed places are the first of the allocation.
        unsafe { memory::fill(start, 0, places.zero_bytes, launcher.stream)? };

        let letter = |index: Index| if index == Index::I32 { 'i' } else { 'l' };
        let run = Run {
            launcher,
            shape,
            task,
            base: base(shape, arrays, &places, node, timeout),
            places,
            tickets: 0,
            clock: Clock::default(),
            node,
            tiles: 0,
            blocks_3d: None,
            question: Cell::default(),
            ptr_type: letter(shape.descr.offsets),
            ind_type: letter(shape.descr.columns),
        };
        Ok((run, temporary))
    }

    /// Launches `blocks` blocks of `threads` threads.
    pub(super) fn launch(&self, name: &str, blocks: u64, threads: u32, args: &SetupArgs) -> Result<()> {
        let stamp = self.clock.stamp(self.places.summary);
        let args = SetupArgs { stamp, ..*args }.asked(self.question.take());
        self.launcher.setup_kernel(SETUP, name)?.launch(blocks as u32, threads, 0, &args)
    }

    /// One thread for each of `count`.
    pub(super) fn cover(&self, name: &str, count: u32, args: &SetupArgs) -> Result<()> {
        self.launch(name, (count as u64).div_ceil(TEAM_BLOCK as u64), TEAM_BLOCK, args)
    }

    /// A team of `lanes` lanes for each row.
    pub(super) fn walk(&self, name: &str, args: &SetupArgs) -> Result<()> {
        self.launch(name, (args.n as u64 * args.lanes as u64).div_ceil(TEAM_BLOCK as u64), TEAM_BLOCK, args)
    }

    /// So many lanes for each row, by no more blocks than so many on each multiprocessor, which take rows by strides.
    pub(super) fn strided(&self, name: &str, lanes: u32, most: u64, args: &SetupArgs) -> Result<()> {
        let most = self.launcher.gpu.multiprocessors() as u64 * most;
        let blocks = (args.n as u64 * lanes as u64).div_ceil(TEAM_BLOCK as u64).min(most);
        self.launch(name, blocks, TEAM_BLOCK, args)
    }

    /// One thread for each row, by no more blocks than the GPU holds.
    pub(super) fn cover_strided(&self, name: &str, args: &SetupArgs) -> Result<()> {
        self.strided(name, 1, 8, args)
    }

    /// A team for each row, by no more blocks than the GPU holds some times over.
    pub(super) fn walk_strided(&self, name: &str, args: &SetupArgs) -> Result<()> {
        self.strided(name, args.lanes, 32, args)
    }

    /// The next of the summary's tickets, or the first of some.
    pub(super) fn ticket(&mut self) -> u32 {
        self.tickets(1)
    }

    pub(super) fn tickets(&mut self, count: u32) -> u32 {
        let first = self.tickets;
        self.tickets += count;
        first
    }

    pub(super) fn stored(&self, name: &str) -> String {
        format!("{name}_{}", self.ind_type)
    }

    /// The kernel that looks at the rows of op(A).
    pub(super) fn of_rows(&self, name: &str) -> String {
        match self.task.stored_rows {
            true => self.stored(name),
            false => format!("{name}_transposed"),
        }
    }

    /// Reads words from the device.
    pub(super) fn read(&self, address: Address, count: usize) -> Result<Vec<u32>> {
        // SAFETY: the caller names a place of that many words.
        unsafe { Message::send(self.launcher, address, count)?.words() }
    }

    /// Has the kernel that is launched next send the host some words, as they are when it has ended. All kernels can but those that
    /// look at a pattern first.
    pub(super) fn ask(&self, address: Address, count: usize) -> Result<Message> {
        // SAFETY: the caller names a place of that many words.
        let message = unsafe { Message::new(self.launcher, address, count)? };
        self.question.set(message.question()?);
        Ok(message)
    }

    /// The same of the summary, and the state behind it.
    pub(super) fn ask_for_summary(&self) -> Result<Message> {
        self.ask(self.places.summary, Summary::WORDS + STATE)
    }

    /// Memory that the plan will keep.
    pub(super) fn allocate(&self, bytes: usize) -> Result<DeviceArray> {
        DeviceArray::on_stream(self.launcher.gpu, bytes, self.launcher.stream)
    }

    /// The summary, and the state behind it.
    pub(super) fn summary(&self) -> Result<Summary> {
        checked(&self.read(self.places.summary, Summary::WORDS + STATE)?)
    }

    /// Exclusive sums over `args.count` elements.
    pub(super) fn scan(&mut self, args: SetupArgs) -> Result<()> {
        let ticket = self.ticket();
        // The total comes after the last element.
        let blocks = |items: u32| (args.count as u64 + 1).div_ceil((SCAN_BLOCK * items) as u64);
        let fit = self.launcher.gpu.multiprocessors() as u64 * SCANS_AT_ONCE;
        let items = if blocks(SCAN_FEW) <= fit { SCAN_FEW } else { SCAN_MANY };
        let name = format!("setup_scan_{items}");
        self.launch(&name, blocks(items), SCAN_BLOCK, &SetupArgs { ticket, ..args })
    }

    /// Sorts by keys below `bound`, stably. Keys and values are in the first of the two places each, and the
    /// result in those that are returned; the values' may be given.
    pub(super) fn sort(
        &mut self,
        sort: Sort,
        bound: u32,
        keys: [Address; 2],
        values: [Address; 2],
        target: Option<Address>,
    ) -> Result<(Address, Address)> {
        let passes = passes(bound);
        let base = SetupArgs { count: sort.count, histogram: sort.histogram, ..self.base };
        let blocks =
            (sort.count.div_ceil(4 * TEAM_BLOCK) as u64).min(self.launcher.gpu.multiprocessors() as u64 * 8);
        self.launch(
            "setup_histogram",
            blocks,
            TEAM_BLOCK,
            &SetupArgs { key_in: keys[0], shift: passes, ..base },
        )?;
        let mut value_in = values[0];
        for pass in 0..passes {
            let value_out = match target {
                Some(target) if pass + 1 == passes => target,
                _ => values[(pass as usize + 1) % 2],
            };
            let args = SetupArgs {
                ticket: self.ticket(),
                shift: 8 * pass,
                histogram: sort.histogram.offset(pass as usize * BINS as usize * 4),
                states: sort.states.offset(pass as usize * Sort::pass_bytes(sort.count)),
                key_in: keys[pass as usize % 2],
                key_out: keys[(pass as usize + 1) % 2],
                value_in,
                value_out,
                ..base
            };
            self.launch("setup_sort", sort.count.div_ceil(SORT_TILE) as u64, TEAM_BLOCK, &args)?;
            value_in = value_out;
        }
        Ok((keys[passes as usize % 2], value_in))
    }
}
