//! From the caller's pattern to levels: what its majors hold, the lists across them, and the level of each unknown.

use std::slice;

use super::super::{memory, DeviceArray};
use super::args::*;
use super::clock::Operation;
use super::known::{Found, Known, Levels};
use super::message::Message;
use super::places::Places;
use super::run::{checked, lanes, Run};
use crate::address::Address;
use crate::analysis::irregular::Sample;
use crate::analysis::Tiles;
use crate::error::{Error, Result};
use crate::tuning::{
    IRREGULAR_PAIRS, SETUP_LIST_BLOCKS, SETUP_LONGEST_LIST, SETUP_SURVEY_BLOCKS, SHORTEST_LINE,
    SMALLEST_RANGE,
};

impl Run<'_> {
    /// Validates the offsets, and finds out which majors are long.
    pub(super) fn offsets_of_majors(&self) -> Result<()> {
        self.cover(&format!("setup_offsets_{}", self.ptr_type), self.shape.n + 1, &self.base)
    }

    /// Validates the pattern and finds out what each major holds.
    pub(super) fn survey(&self) -> Result<()> {
        self.offsets_of_majors()?;
        let (name, most) = (format!("setup_survey_{}{}", self.ptr_type, self.ind_type), SETUP_SURVEY_BLOCKS);
        self.strided(&name, self.base.lanes, most, &self.base)
    }

    /// The level of each unknown: by what is known of them, or else found, with guesses that may be right. Asks for the findings.
    pub(super) fn find_levels(
        &mut self,
        how: Levels,
        known: &Known,
        may_have_lines: bool,
        may_have_chains: bool,
    ) -> Result<Message> {
        if let Known::OnDevice(found) = known {
            self.clock.begin(Operation::Levels);
            return self.transposed_levels(found);
        }
        // The sweep goes by the guess; of the paper's loop it is no part.
        self.clock.begin(if how == Levels::Sweep { Operation::Levels } else { Operation::Other });
        if may_have_lines {
            self.guess()?;
        }
        if self.node == 1 && self.task.needs.tiles != Tiles::No && Sample::is_wanted(self.shape.n) {
            self.sample_rows()?;
        }
        self.clock.begin(Operation::Levels);
        if how == Levels::Kahn {
            return self.kahn();
        }
        if may_have_chains {
            self.chains()?;
        }
        self.sweep()
    }

    /// Finds out where planes begin, if the pattern is that of a grid, and whether its levels are what they mostly are then.
    pub(super) fn guess(&self) -> Result<()> {
        let most = self.launcher.gpu.multiprocessors() as u64;
        let blocks = (self.shape.n as u64).div_ceil(SHORTEST_LINE as u64 * TEAM_BLOCK as u64).min(most);
        self.launch(&self.stored("setup_planes"), blocks, TEAM_BLOCK, &self.base)?;
        self.launch(&self.of_rows("setup_steps"), 1, 32, &self.base)?;
        self.walk_strided(&self.of_rows("setup_guess"), &self.base)
    }

    /// Finds out whether what rows depend on lies anywhere.
    pub(super) fn sample_rows(&self) -> Result<()> {
        self.cover(&self.stored("setup_irregular"), IRREGULAR_PAIRS, &self.base)
    }

    /// Finds out whether levels are one above those of the last unknown that each depends on, unless they are a grid's.
    pub(super) fn chains(&self) -> Result<()> {
        self.cover_strided(&self.of_rows("setup_link_chains"), &self.base)?;
        self.cover_strided("setup_follow_chains", &self.base)?;
        self.walk_strided(&self.of_rows("setup_check_chains"), &self.base)
    }

    /// A copy of what the survey and the levels are, before it is written over.
    pub(super) fn remember(&self, found: &Summary) -> Result<Found> {
        let (gpu, stream) = (self.launcher.gpu, self.launcher.stream);
        let rows = self.shape.n as usize;
        let words = DeviceArray::temporary(gpu, rows * 20, stream)?;
        // SAFETY: both places have four words for each row, and one for each position.
        unsafe {
            memory::copy(words.address(), self.places.major, rows * 16, stream)?;
            if self.task.levels {
                memory::copy(words.address().offset(rows * 16), self.places.word, rows * 4, stream)?;
            }
        }
        let Summary { scattered, entries, extra, missing, levels, refuted, next_to_diagonal, apart, .. } =
            *found;
        let Summary { line_step, plane_step, uneven, skew, sampled, irregular, near, off_band, .. } = *found;
        let summary = Summary {
            scattered,
            entries,
            extra,
            missing,
            levels,
            refuted,
            next_to_diagonal,
            apart,
            line_step,
            plane_step,
            uneven,
            skew,
            sampled,
            irregular,
            near,
            off_band,
            ..Summary::default()
        };
        Ok(Found { words, summary: Box::new(summary) })
    }

    /// In place of a survey: no operation makes a difference to it. The sizes of nodes that the pattern does not have.
    pub(super) fn recall(&self, found: &Found) -> Result<u32> {
        let stream = self.launcher.stream;
        // SAFETY: as in `remember`; the summary lives until the findings have been waited for.
        unsafe {
            memory::write(self.places.summary, slice::from_ref(&*found.summary), stream)?;
            memory::copy(self.places.major, found.words.address(), self.shape.n as usize * 16, stream)?;
        }
        self.offsets_of_majors()?;
        Ok(found.summary.refuted)
    }

    /// The levels for the transposed operation from the last to the first.
    pub(super) fn transposed_levels(&self, found: &Found) -> Result<Message> {
        let words = found.words.address().offset(self.shape.n as usize * 16);
        self.cover("setup_transposed_levels", self.shape.n, &SetupArgs { value_in: words, ..self.base })?;
        self.levels()
    }

    /// Finds out of what sizes the pattern has no nodes.
    pub(super) fn node_sizes(&self) -> Result<Summary> {
        let found = self.ask_for_summary()?;
        self.walk_strided(&self.stored("setup_node_sizes"), &self.base)?;
        checked(&found.words()?)
    }

    /// The lists across the majors, in natural numbers, of what the kernels with that ending take; where they lie.
    pub(super) fn transpose(&mut self, of: &str) -> Result<Address> {
        let Places { list_count, list_ptr, list, list_scan, .. } = self.places;
        let n = self.shape.n;
        let ends = list_ptr.offset(4);
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

    pub(super) fn sweep(&self) -> Result<Message> {
        let blocks = self.shape.n.div_ceil(SWEEP_BLOCK) as u64;
        self.launch(&self.of_rows("setup_sweep"), blocks, SWEEP_BLOCK, &self.base)?;
        self.levels()
    }

    /// The paper's loop: the host learns after each level how many unknowns are left.
    pub(super) fn kahn(&mut self) -> Result<Message> {
        let columns_are_stored = !self.task.stored_rows;
        let name = if columns_are_stored {
            self.stored("setup_find_level")
        } else {
            "setup_find_level_transposed".into()
        };
        let args = SetupArgs {
            counters: self.places.values[0],
            bounds: self.places.values[1],
            count_ptr: if columns_are_stored { self.base.list_ptr } else { Address::NULL },
            ..self.base
        };
        self.cover("setup_find_level0", self.shape.n, &args)?;
        let (mut begin, mut level) = (0, 0);
        loop {
            let found = self.summary()?;
            let end = found.queued;
            if found.bad != 0 || end == self.shape.n {
                break;
            }
            if end == begin {
                return Err(Error::Panic("a level without unknowns".into()));
            }
            let blocks = ((end - begin) as u64 * 32).div_ceil(TEAM_BLOCK as u64);
            self.launch(&name, blocks, TEAM_BLOCK, &SetupArgs { begin, end, level, ..args })?;
            (begin, level) = (end, level + 1);
        }
        self.levels()
    }

    /// From the words of all unknowns to keys for the sort, and to the levels that spans of them cover. Asks for the findings.
    fn levels(&self) -> Result<Message> {
        self.ask_for_levels("setup_levels", &SetupArgs { value_out: self.places.values[0], ..self.base })
    }

    /// Raises long rows that no row depends on to the last level. Asks for the findings again.
    pub(super) fn raise_long_rows(&self) -> Result<Message> {
        let args = SetupArgs { counters: self.places.values[1], count_ptr: self.count_ptr(), ..self.base };
        self.cover_strided("setup_long_rows", &args)?;
        self.walk_strided(&self.of_rows("setup_needed"), &args)?;
        self.ask_for_levels("setup_raise", &args)
    }

    /// Where each row of op(A) begins, where these are not stored.
    fn count_ptr(&self) -> Address {
        if self.task.stored_rows {
            Address::NULL
        } else {
            self.base.list_ptr
        }
    }

    fn ask_for_levels(&self, name: &str, args: &SetupArgs) -> Result<Message> {
        let args = SetupArgs {
            span: SMALLEST_RANGE,
            spans: self.places.spans,
            count_ptr: self.count_ptr(),
            key_out: self.places.keys[0],
            ..*args
        };
        let findings = match self.task.needs.tiles {
            Tiles::No => self.ask_for_summary()?,
            _ => self.ask_for_spans(SMALLEST_RANGE)?,
        };
        self.launch(name, self.shape.n.div_ceil(SMALLEST_RANGE) as u64, TEAM_BLOCK, &args)?;
        Ok(findings)
    }
}
