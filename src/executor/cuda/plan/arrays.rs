//! Copies of what a plan holds on the device, for comparison.

use super::super::memory;
use super::CudaPlan;
use crate::address::{Address, Stream};
use crate::analysis::nodes;
use crate::analysis::work_items;
use crate::error::Result;

/// What a plan holds on the device, as words; empty where there is nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PlanArrays {
    pub order: Vec<u32>,
    pub row_ptr: Vec<u32>,
    pub row_adj: Vec<u32>,
    pub row_val: Vec<u32>,
    pub col_ptr: Vec<u32>,
    pub col_adj: Vec<u32>,
    pub col_val: Vec<u32>,
    pub counts: Vec<u32>,
    pub diag_index: Vec<u32>,
    pub extra_diag: Vec<u32>,
    pub work_item: Vec<u32>,
    pub record: Vec<u32>,
    pub tile_step: Vec<u32>,
    /// Where each value that is gathered comes from.
    pub gathered: Vec<u32>,
    pub node_row: Vec<u32>,
    /// Numbers of entries, work items and so on, and those of the algorithm.
    pub numbers: Vec<u32>,
}

impl CudaPlan {
    /// A copy of the arrays that solves read, for comparison.
    pub fn arrays(&self, stream: Stream) -> Result<PlanArrays> {
        let base = &self.stored.base;
        let node = self.stored.node() as usize;
        let (rows, n) = (base.n as usize, base.n as usize / node);
        let entries = match node {
            1 => self.stored.entries as usize,
            _ => nodes::entries(base.n, self.stored.entries, self.stored.node()) as usize,
        };
        // SAFETY: the plan's arrays have these lengths, or are not there.
        let read = |address: Address, words: usize| unsafe { memory::read::<u32>(address, words, stream) };
        let values = |permuted: u32| if permuted != 0 { entries * node } else { n };
        let has_tiles = base.tiles > 0;
        let work_item = read(base.work_item, self.engine().words_of_work_item() * base.work_items as usize)?;
        // With tiles the codes of all batches take the places of the rows' entries.
        let codes = work_item.rchunks_exact(4).next().map_or(0, work_items::codes_end);
        let (row_adj, row_val) =
            if has_tiles { (codes, codes) } else { (entries, values(base.row_permuted)) };
        Ok(PlanArrays {
            order: read(base.order, n)?,
            row_ptr: read(base.row_ptr, n + 1)?,
            row_adj: read(base.row_adj, row_adj)?,
            row_val: read(base.row_val, if has_tiles && base.row_permuted == 0 { n } else { row_val })?,
            col_ptr: read(base.col_ptr, n + 1)?,
            col_adj: read(base.col_adj, entries)?,
            col_val: read(base.col_val, values(base.col_permuted))?,
            counts: read(base.counts, n)?,
            // With records it is they.
            diag_index: if base.record.is_null() { read(base.diag_index, n)? } else { Vec::new() },
            extra_diag: read(base.extra_diag, 2 * base.extra_count as usize)?,
            work_item,
            record: read(base.record, 4 * n)?,
            tile_step: read(base.tile_step, base.tiles as usize + 1)?,
            gathered: self.gathered.map_or(Ok(Vec::new()), |s| read(s.source(), s.count() as usize))?,
            node_row: read(base.node_row, 2 * rows)?,
            numbers: [
                self.stored.entries,
                self.missing_diag,
                self.stored.widest,
                base.row_permuted,
                base.col_permuted,
                base.extra_count,
                base.work_items,
                base.tiles,
                self.stored.node(),
                base.diag_in_rows,
            ]
            .into_iter()
            .chain(self.engine().numbers())
            .collect(),
        })
    }
}
