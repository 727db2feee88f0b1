//! The schedule of a pattern's nodes, in place of that of its rows.

use std::time::Duration;

use super::super::engine::Choice;
use super::super::stored::diag_in_records;
use super::super::DeviceArray;
use super::args::*;
use super::known::{DeviceSchedule, Known, Wish};
use super::message::Message;
use super::places::{Room, Task};
use super::run::{checked, Run};
use super::{schedule, Pending, TransposedMatrix};
use crate::address::Address;
use crate::analysis::nodes;
use crate::analysis::Needs;
use crate::error::Result;
use crate::problem::{Arrays, DiagSource, Shape};

/// The pattern of the nodes, as it is made of the pattern of the rows.
struct OfNodes {
    pattern: DeviceArray,
    shape: Shape,
    arrays: Arrays,
    /// What kernels go by that walk over nodes.
    args: SetupArgs,
    /// The summary once it has been made: a schedule that knows the nodes alone cannot tell whether a wait for them was ended.
    made: Message,
}

impl Run<'_> {
    /// The schedule of the pattern's nodes, if it has any and tiles of rows are not faster.
    pub(super) fn by_nodes(
        &mut self,
        found: &Summary,
        wish: Wish,
        choice: &dyn Choice,
        let_go: &mut dyn FnMut(),
    ) -> Result<Option<(DeviceSchedule, Pending)>> {
        if found.scattered | found.extra != 0 {
            return Ok(None);
        }
        if wish.copies && self.has_own_diagonal() && found.missing != 0 {
            // The rows of a node would not be alike.
            return Ok(None);
        }
        let Some(size) = nodes::largest(self.shape.n, found.refuted) else { return Ok(None) };
        let OfNodes { pattern, mut shape, mut arrays, args, made } = self.pattern_of_nodes(found, size)?;
        let mut transposed = None;
        if wish.copies {
            let Some(by_rows) = self.transposed_nodes(&shape, arrays, wish.timeout)? else { return Ok(None) };
            (shape, arrays) = (by_rows.shape, by_rows.arrays);
            transposed = Some(by_rows);
        }
        let wish = Wish { needs: Needs { nodes: false, ..wish.needs }, node: size, ..wish };
        let Some((mut done, mut pending)) =
            schedule(self.launcher, &shape, arrays, wish, choice, &mut Known::Unwanted, let_go)?
        else {
            return Ok(None);
        };
        checked(&made.words()?)?;
        let rows = self.allocate(self.shape.n as usize * 8)?;
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
        match transposed {
            Some(transposed) => self.copied_rows(found, arrays, transposed, args, &mut done, &mut pending)?,
            None => self.cover("setup_node_rows", self.shape.n, &args)?,
        }
        if done.base.row_permuted != 0 {
            self.node_values(found, args, &mut done)?;
        }
        done.base.n = self.shape.n;
        done.base.diag_index = diag_in_records(self.shape, done.base.record);
        done.levels *= size;
        done.entries = found.entries;
        done.missing_diag = (self.has_own_diagonal() && found.missing != 0).then_some(!found.missing);
        pending.temporary.push(pattern);
        Ok(Some((done, pending)))
    }

    fn has_own_diagonal(&self) -> bool {
        self.shape.diag == DiagSource::Matrix
    }

    /// Some lanes for each node.
    fn walk_nodes(&self, name: &str, args: &SetupArgs) -> Result<()> {
        let blocks = (args.count as u64 * args.lanes as u64).div_ceil(TEAM_BLOCK as u64);
        self.launch(name, blocks, TEAM_BLOCK, args)
    }

    /// Makes the pattern of nodes of `size` unknowns.
    fn pattern_of_nodes(&mut self, found: &Summary, size: u32) -> Result<OfNodes> {
        let count = self.shape.n / size;
        let entries = nodes::entries(self.shape.n, found.entries, size);
        let lay_out = |begin| {
            let room = &mut Room::new(begin);
            let places = [count + 1, count + 1, entries].map(|words| room.words(words as usize));
            (places, room.bytes())
        };
        let bytes = lay_out(Address::NULL).1;
        let pattern = DeviceArray::temporary(self.launcher.gpu, bytes, self.launcher.stream)?;
        let [sums, ptr, ind] = lay_out(pattern.address()).0;
        let args = SetupArgs { count, node: size, bounds: ptr, out_ptr: sums, out_adj: ind, ..self.base };
        let bare = if self.base.low != 0 { 0 } else { size - 1 };
        self.scan(SetupArgs {
            // The third of four.
            scan_in: self.places.major.offset(16 * bare as usize + 8),
            stride: 4 * size,
            scan_out: sums,
            states: self.places.node_scan,
            ..args
        })?;
        let made = self.ask_for_summary()?;
        self.walk_nodes(&self.stored("setup_node_pattern"), &args)?;
        let shape = nodes::shape(self.shape, entries, size);
        Ok(OfNodes { pattern, shape, arrays: Arrays { val: Address::NULL, ptr, ind }, args, made })
    }

    /// The pattern of nodes, transposed. None if it is malformed.
    fn transposed_nodes(
        &self,
        shape: &Shape,
        arrays: Arrays,
        timeout: Duration,
    ) -> Result<Option<TransposedMatrix>> {
        let (run, temporary) =
            Run::new(self.launcher, shape, arrays, Task::only_transpose(shape), 1, timeout)?;
        run.survey()?;
        let mut by_rows = run.transposed(temporary, &mut || ())?;
        if let Some(by_rows) = &mut by_rows {
            by_rows.source.set_only_on(self.launcher.stream);
        }
        Ok(by_rows)
    }

    /// Where the values of each node's entries lie.
    fn node_values(&self, found: &Summary, args: SetupArgs, done: &mut DeviceSchedule) -> Result<()> {
        let entries = nodes::entries(self.shape.n, found.entries, args.node);
        let index = self.allocate(entries as usize * args.node as usize * 4)?;
        self.walk_nodes("setup_node_values", &SetupArgs { index: index.address(), ..args })?;
        done.base.row_val = index.address();
        done.owned.push(index);
        Ok(())
    }

    /// The rows of nodes whose values are copied, and where each value comes from.
    fn copied_rows(
        &self,
        found: &Summary,
        arrays: Arrays,
        transposed: TransposedMatrix,
        args: SetupArgs,
        done: &mut DeviceSchedule,
        pending: &mut Pending,
    ) -> Result<()> {
        let count = found.entries + if self.has_own_diagonal() { self.shape.n } else { 0 };
        let source = self.allocate(count as usize * 4)?;
        let args = SetupArgs {
            out_ptr: arrays.ptr,
            out_adj: arrays.ind,
            out_val: transposed.source.address(),
            index: source.address(),
            ..args
        };
        self.cover("setup_copied_rows", self.shape.n, &args)?;
        self.walk_nodes("setup_copied_source", &args)?;
        done.copied = Some((source, count));
        pending.temporary.extend(transposed.pattern);
        pending.temporary.push(transposed.source);
        Ok(())
    }
}
