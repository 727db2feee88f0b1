//! The arrays that a plan keeps, and the lists of its rows and columns.

use super::super::args::SolveArgs;
use super::super::stored::diag_in_records;
use super::super::{memory, DeviceArray};
use super::args::*;
use super::known::DeviceSchedule;
use super::places::{passes, Room, Sort, Task};
use super::run::{lanes, Run};
use crate::address::Address;
use crate::analysis::irregular;
use crate::analysis::work_items::Cut;
use crate::error::Result;
use crate::problem::{DiagSource, Shape};

/// Places of one list; null for what is not wanted.
#[derive(Clone, Copy, Default)]
pub(super) struct List {
    pub ptr: Address,
    pub adj: Address,
    pub val: Address,
    pub permuted: bool,
    pub is_stored: bool,
    /// Solves begin by copying the values into the list's order.
    pub is_gathered: bool,
}

/// Places of what the plan keeps, all in one allocation. With records the arrays that they replace are
/// temporary.
#[derive(Clone, Copy, Default)]
pub(super) struct Kept {
    pub records: bool,
    pub order: Address,
    pub rows: List,
    pub columns: List,
    pub counts: Address,
    pub diag: Address,
    pub record: Address,
    pub tile_step: Address,
}

impl List {
    /// Where each row's entries begin in storage, where that is all that is to be known of them.
    pub(super) fn by_first(&self) -> Address {
        if self.is_stored && !self.permuted {
            self.val
        } else {
            Address::NULL
        }
    }
}

impl Kept {
    /// The index of each position's diagonal value in the array that it is in.
    pub(super) fn diag_index(&self, shape: &Shape) -> Address {
        match shape.diag {
            DiagSource::Unit => Address::NULL,
            // The diagonal of unknown i is d[i], and the order lists the unknowns.
            DiagSource::Separate => self.order,
            DiagSource::Matrix => self.diag,
        }
    }

    pub(super) fn arguments(&self, shape: &Shape) -> SolveArgs {
        let row_permuted = self.rows.permuted && !self.rows.is_gathered;
        let base = SolveArgs {
            n: shape.n,
            row_adj: self.rows.adj,
            row_permuted: row_permuted as u32,
            col_permuted: self.columns.permuted as u32,
            ..Default::default()
        };
        if self.records {
            return SolveArgs {
                row_val: if row_permuted { self.rows.val } else { Address::NULL },
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

impl Run<'_> {
    /// Allocates what the plan keeps, and the rows' lists where batches take their place. Where values are gathered, the place for
    /// where they come from is there.
    pub(super) fn keep(
        &self,
        found: &Summary,
        tile: u32,
        gathered: Option<&DeviceArray>,
    ) -> Result<(Kept, DeviceArray, Option<DeviceArray>)> {
        let source = gathered.map(DeviceArray::address);
        let lay_out = |begin, lists| {
            let (room, lists) = (&mut Room::new(begin), &mut Room::new(lists));
            let kept = self.lay_out_kept(found, tile, source, room, lists);
            (kept, room.bytes(), lists.bytes())
        };
        let (_, bytes, list_bytes) = lay_out(Address::NULL, Address::NULL);
        let slab = self.allocate(bytes)?;
        let lists = match list_bytes {
            0 => None,
            _ => Some(DeviceArray::temporary(self.launcher.gpu, list_bytes, self.launcher.stream)?),
        };
        let kept = lay_out(slab.address(), lists.as_ref().map_or(Address::NULL, DeviceArray::address)).0;
        Ok((kept, slab, lists))
    }

    /// Places of what the plan keeps; those of the rows' lists are in `lists` where there are tiles. `gathered` is the place for where
    /// gathered values come from.
    fn lay_out_kept(
        &self,
        found: &Summary,
        tile: u32,
        gathered: Option<Address>,
        room: &mut Room,
        lists: &mut Room,
    ) -> Kept {
        let Task { records, stored_rows, needs, .. } = self.task;
        let places = &self.places;
        let rows = self.shape.n as usize + 1;
        let rows_list = |room: &mut Room| {
            let list = self.lay_out_list(found, needs.rows, stored_rows, gathered.is_none(), room);
            match gathered {
                None => list,
                Some(val) => List { val, permuted: true, is_gathered: true, ..list },
            }
        };
        Kept {
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
            columns: self.lay_out_list(found, needs.columns, !stored_rows, needs.column_values, room),
            counts: if needs.counts { room.words(rows) } else { Address::NULL },
            diag: match (self.shape.diag, records) {
                (DiagSource::Matrix, true) => places.by_diag,
                (DiagSource::Matrix, false) => room.words(rows),
                _ => Address::NULL,
            },
            record: if records { room.take(rows * 16) } else { Address::NULL },
            tile_step: if tile > 0 { room.words(self.tiles as usize + 1) } else { Address::NULL },
        }
    }

    /// Places of one list, if it is wanted.
    fn lay_out_list(
        &self,
        found: &Summary,
        wanted: bool,
        is_stored: bool,
        with_values: bool,
        room: &mut Room,
    ) -> List {
        if !wanted {
            return List { is_stored, ..List::default() };
        }
        let (rows, entries) = (self.shape.n as usize + 1, found.entries as usize);
        let (records, contiguous) = (self.task.records, found.scattered == 0);
        let permuted = with_values && !(is_stored && contiguous);
        List {
            ptr: if records { self.places.row_ptr } else { room.words(rows) },
            adj: room.words(entries),
            val: match (with_values, permuted) {
                (false, _) => Address::NULL,
                (true, false) if records => self.places.by_first,
                (true, false) => room.words(rows),
                (true, true) => room.words(entries),
            },
            permuted,
            is_stored,
            is_gathered: false,
        }
    }

    /// Where the rows of one of the two lists begin.
    pub(super) fn offsets(&mut self, list: &List, states: Address) -> Result<()> {
        if list.ptr.is_null() {
            return Ok(());
        }
        self.scan(SetupArgs {
            count: self.shape.n,
            scan_in: self.places.by_kept,
            scan_lengths: if list.is_stored { Address::NULL } else { self.base.list_ptr },
            scan_order: if list.is_stored { Address::NULL } else { self.base.order },
            scan_out: list.ptr,
            states,
            ..self.base
        })
    }

    /// The entries of one of the two lists.
    pub(super) fn fill(&self, list: &List, cut: Cut) -> Result<()> {
        if list.ptr.is_null() {
            return Ok(());
        }
        let name = if list.is_stored { self.stored("setup_fill") } else { "setup_fill_transposed".into() };
        let args = SetupArgs {
            out_ptr: list.ptr,
            out_adj: list.adj,
            out_val: if list.permuted { list.val } else { Address::NULL },
            by_first: list.by_first(),
            names: match cut {
                Cut::Levels { names_rows: true, .. } => Address::NULL,
                _ => self.base.position,
            },
            lanes: lanes(self.shape, 4),
            ..self.base
        };
        self.walk(&name, &args)
    }

    /// Where values come from that are gathered piece by piece, and where those of the list's entries are then.
    pub(super) fn gather_by_pieces(
        &mut self,
        list: &List,
        entries: u32,
        gathered: &DeviceArray,
    ) -> Result<()> {
        let span = irregular::piece(self.shape.nnz, self.shape.dtype.bytes() as u32);
        let pieces = self.shape.nnz.div_ceil(span);
        let lay_out = |begin| {
            let room = &mut Room::new(begin);
            let sort = Sort::lay_out(room, entries, passes(pieces));
            let [keys, values] = [0; 2].map(|_| [0; 2].map(|_| room.words(entries as usize)));
            (sort, keys, values, room.bytes())
        };
        let (gpu, stream) = (self.launcher.gpu, self.launcher.stream);
        let temporary = DeviceArray::temporary(gpu, lay_out(Address::NULL).3, stream)?;
        let (sort, keys, values, _) = lay_out(temporary.address());
        sort.clear(passes(pieces), stream)?;
        let args = SetupArgs { count: entries, span, out_val: list.val, ..self.base };
        let by_piece = SetupArgs { key_out: keys[0], value_out: values[0], ..args };
        self.cover("setup_piece_keys", entries, &by_piece)?;
        let (_, sorted) = self.sort(sort, pieces, keys, values, None)?;
        let of_each = SetupArgs { value_in: sorted, value_out: gathered.address(), ..args };
        self.cover("setup_pieces", entries, &of_each)
    }

    /// Sorted on the host: there are hardly ever any.
    pub(super) fn extra_diagonals(&self, count: u32, done: &mut DeviceSchedule) -> Result<()> {
        let array = self.allocate(count as usize * 8)?;
        let name = format!("setup_extra_{}{}", self.ptr_type, self.ind_type);
        self.cover(&name, self.shape.n, &SetupArgs { extra: array.address(), ..self.base })?;
        let mut pairs = array.read::<[u32; 2]>(count as usize, self.launcher.stream)?;
        pairs.sort_unstable();
        array.write(&pairs, self.launcher.stream)?;
        memory::synchronize(self.launcher.stream)?;
        done.base.extra_diag = array.address();
        done.base.extra_count = count;
        done.owned.push(array);
        Ok(())
    }
}
