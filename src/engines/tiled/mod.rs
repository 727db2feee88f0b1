//! TILED: two tiers. Dependencies inside a tile go through shared memory, those between tiles in one word.
#![forbid(unsafe_code)]

pub mod batches;
pub mod choose;
pub mod cost;
mod multi;
pub mod shared;
mod sizes;
pub mod tuning;

use std::time::Duration;

use crate::analysis::work_items::Cut;
use crate::analysis::{Findings, Form, Forwarding, Needs, Schedule, Tiles};
use crate::error::{Error, Result};
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{columns_bytes, Algorithm, EnginePlan, Multi};
use crate::executor::cuda::{Gpu, KernelName, Launcher, Stored};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::select::decision::Decision;
use crate::select::features::{Counts, Features};
use batches::{records, Batches, REACH};
use shared::*;
use tuning::{TILED_LARGEST_FORWARDED, TILED_NARROW_ENTRIES, TILED_NARROW_WIDTH, TILED_SHORT_WIDTH};

/// Cells that a code can name.
const CELLS: u32 = 1 << 16;

pub struct Tiled;

/// The kernels, and those for several right-hand sides, by their number.
const TILED: KernelName<SolveArgs> = KernelName::new("tiled");
const MULTI: KernelName<MultiArgs> = KernelName::new("tiled_multi");

/// Entries that a lane holds at a time; half of them may depend on the same batch.
fn entries_per_lane(dtype: DataType) -> u32 {
    match dtype {
        DataType::C64 => TILED_ENTRIES / 2,
        _ => TILED_ENTRIES,
    }
}

/// The window of so many right-hand sides, what is known of the next batches, the progress of the warps, a ticket and
/// what is known of forwarding.
pub fn shared_bytes(dtype: DataType, columns: u32) -> u32 {
    ((TILED_WINDOW + 1) * columns * dtype.bytes() as u32 + TILED_HEAD).next_multiple_of(16)
}

/// Blocks of a launch: one on each multiprocessor, as the tiles last.
pub fn blocks(launcher: &Launcher, tiles: u32) -> u32 {
    tiles.min(launcher.multiprocessors)
}

/// The same where blocks come in clusters, of which there is one at least.
fn blocks_in_clusters(launcher: &Launcher, tiles: u32) -> u32 {
    let cluster = TILED_CLUSTER;
    tiles.next_multiple_of(cluster).min((launcher.multiprocessors / cluster * cluster).max(cluster))
}

impl Algorithm for Tiled {
    fn id(&self) -> i32 {
        17
    }
    fn name(&self) -> &'static str {
        "tiled"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, rows: true, tiles: Tiles::Yes, ..Needs::default() }
    }
    fn add_needs(&self, gpu: &Gpu, shape: &Shape, needs: &mut Needs) {
        if is_available(gpu, shape) {
            needs.tiles = Tiles::IfFaster;
            needs.tile_columns = multi::most_of_group(shape.dtype, gpu.shared_bytes_per_block());
        }
    }
    /// Unknowns of another tile that a block has room for beside its window; 0 where blocks come in no clusters, or where the
    /// number of an unknown could be taken for a code.
    fn remote_buffer(&self, gpu: &Gpu, shape: &Shape) -> u32 {
        let dtype = shape.dtype;
        if !gpu.has_clusters() || gpu.multiprocessors() < TILED_CLUSTER || shape.n >= HIGH_BIT - CELLS {
            return 0;
        }
        let room = gpu.shared_bytes_per_block().saturating_sub(shared_bytes(dtype, 1));
        (room / dtype.bytes() as u32).min(TILED_LARGEST_FORWARDED)
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn row_bytes(&self, dtype: DataType, right_hand_sides: i64) -> usize {
        columns_bytes(dtype, right_hand_sides)
    }
    fn is_for_columns(&self, _right_hand_sides: i64) -> bool {
        true
    }
    fn cost_of_columns(&self, features: &Features, best: Decision, columns: i64) -> Option<Duration> {
        cost::of_columns(features, best.predicted, columns)
    }
    fn check(&self, gpu: &Gpu, shape: &Shape) -> Result<()> {
        if is_available(gpu, shape) {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "the tiled engine with {} rows on {}; it needs {} KiB of shared memory a block and fewer than 2^31 rows",
            shape.n,
            gpu.describe(),
            shared_bytes(shape.dtype, 1) >> 10
        )))
    }
    fn cut(&self, dtype: DataType, _form: Form) -> Cut {
        Cut::Tiles { entries: entries_per_lane(dtype), window: TILED_WINDOW, reach: REACH }
    }
    fn is_for(&self, form: Form) -> bool {
        matches!(form, Form::Tiles(_))
    }
    fn cost(&self, features: &Features, best: Option<Decision>) -> Result<Option<Decision>> {
        best.map_or(Ok(None), |best| choose::cost(features, best))
    }
    fn promise(&self, gpu: &Gpu, shape: &Shape, rows: Counts) -> Option<Duration> {
        is_available(gpu, shape).then(|| rows.time(cost::ideal(rows, cost::Rows::new(rows)), 0.0))
    }
    fn prepare(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        schedule: Option<&Schedule>,
        found: &mut Findings,
    ) -> Result<()> {
        if let Some(schedule) = schedule {
            let forward = stored.is_forward();
            let ptr = &schedule.rows.as_ref().expect("asked for").ptr;
            found.longest = ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
            let batches = Batches::new(schedule, forward, entries_per_lane(launcher.dtype))?;
            let record = records(schedule, stored.diag_source(), forward);
            set_batches(launcher, stored, &batches)?;
            stored.set_records(launcher, &record)?;
        }
        stored.add_work_vectors(launcher, 0)?;
        let plain = Launch::plain(launcher, stored, found);
        launcher.kernel(TILED, plain.variant)?.allow_shared(plain.shared)?;
        if let Some(forwarded) = Launch::forwarded(launcher, stored, found) {
            // Plans of the same kernel may have tiles of different sizes, and so room for different tiles of other blocks.
            launcher.kernel(TILED, forwarded.variant)?.allow_shared(launcher.gpu.shared_bytes_per_block())?;
        }
        Ok(())
    }
    fn complete(
        &self,
        launcher: &Launcher,
        stored: &mut Stored,
        found: Findings,
    ) -> Result<Box<dyn EnginePlan>> {
        Ok(Box::new(TiledPlan {
            plain: Launch::plain(launcher, stored, &found),
            forwarded: Launch::forwarded(launcher, stored, &found),
            of_group: multi::of_group(launcher, stored),
            numbers: [found.longest, found.tile, found.wide_tiles as u32],
        }))
    }
}

/// Puts the batches on the device. Codes take the place of the entries' positions, and indices, where there are any, that of the places
/// of their values.
fn set_batches(launcher: &Launcher, stored: &mut Stored, batches: &Batches) -> Result<()> {
    let Batches { batch, tile_batch, code, index } = batches;
    stored.base.tile_step = stored.keep(launcher, tile_batch)?;
    stored.base.tiles = tile_batch.len() as u32 - 1;
    stored.release(&[stored.base.row_adj, stored.base.row_val]);
    stored.base.work_item = stored.keep(launcher, batch)?;
    stored.base.work_items = batch.len() as u32;
    stored.base.row_adj = stored.keep(launcher, code)?;
    if stored.is_permuted() {
        stored.base.row_val = stored.keep(launcher, index)?;
    }
    Ok(())
}

/// What TILED keeps of a matrix.
struct TiledPlan {
    plain: Launch,
    /// Where the plan is one for blocks in clusters.
    forwarded: Option<Launch>,
    /// Right-hand sides that a pass takes at most.
    of_group: u32,
    /// Entries of the longest row beside its diagonal, rows of the largest tile, and whether a level of a tile fills half of a batch.
    numbers: [u32; 3],
}

impl EnginePlan for TiledPlan {
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &SolveArgs) -> Result<()> {
        // On a part of a GPU there may be no room for a cluster. Without forwarding the same plan gives the same bits.
        match self.forwarded.as_ref().map(|forwarded| forwarded.run(launcher, args)) {
            Some(Ok(())) => Ok(()),
            _ => self.plain.run(launcher, args),
        }
    }
    fn inverts(&self) -> bool {
        true
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
    fn words_of_work_item(&self) -> usize {
        4
    }
    fn numbers(&self) -> Vec<u32> {
        self.numbers.to_vec()
    }
}

/// Whether the GPU has the shared memory, and the bits of a position suffice.
fn is_available(gpu: &Gpu, shape: &Shape) -> bool {
    gpu.shared_bytes_per_block() >= shared_bytes(shape.dtype, 1) && shape.n < HIGH_BIT
}

/// Whether lanes that hold fewer entries will do, and more of them are of use. There are such kernels for real types: in
/// type z a lane holds no more anyway, and in type c they would take minutes to compile.
fn has_short_rows(launcher: &Launcher, stored: &Stored, found: &Findings) -> bool {
    let is_wide = match stored.is_permuted() {
        true => stored.n() as usize >= stored.levels * TILED_SHORT_WIDTH,
        false => found.wide_tiles,
    };
    is_wide && found.longest <= TILED_SHORT && !launcher.dtype.is_complex()
}

/// Whether levels are so narrow, and rows so short, that fewer warps are faster: each finds out sooner what it waits for. There are
/// such kernels for real types.
fn has_narrow_levels(launcher: &Launcher, stored: &Stored) -> bool {
    let (n, levels, entries) = (stored.n() as u64, stored.levels as u64, stored.entries as u64);
    n <= TILED_NARROW_WIDTH * levels && entries <= TILED_NARROW_ENTRIES * n && !launcher.dtype.is_complex()
}

/// What a solve launches for one right-hand side.
struct Launch {
    /// How the kernel's name goes on.
    variant: &'static str,
    /// Blocks for so many tiles.
    blocks: fn(&Launcher, u32) -> u32,
    threads: u32,
    shared: u32,
}

impl Launch {
    fn plain(launcher: &Launcher, stored: &Stored, found: &Findings) -> Launch {
        let (variant, warps) = match (has_short_rows(launcher, stored, found), stored.is_permuted()) {
            (false, false) if has_narrow_levels(launcher, stored) => ("_few", TILED_FEW_WARPS),
            (false, false) => ("", TILED_WARPS),
            (false, true) => ("_permuted", TILED_FEW_WARPS),
            (true, false) => ("_short", TILED_MANY_WARPS),
            (true, true) => ("_short_permuted", TILED_MANY_WARPS),
        };
        Launch { variant, blocks, threads: warps * 32, shared: shared_bytes(launcher.dtype, 1) }
    }

    /// Where the plan is one for blocks in clusters.
    fn forwarded(launcher: &Launcher, stored: &Stored, found: &Findings) -> Option<Launch> {
        let (variant, warps) = match (found.form, stored.is_permuted()) {
            (Form::Tiles(Forwarding::Narrow), false) => ("_forward", TILED_FEW_WARPS),
            (Form::Tiles(Forwarding::Narrow), true) => ("_forward_permuted", TILED_FEW_WARPS),
            (Form::Tiles(Forwarding::Wide), false) if has_short_rows(launcher, stored, found) => {
                ("_forward_short", TILED_MANY_WARPS)
            }
            (Form::Tiles(Forwarding::Wide), false) => ("_forward_wide", TILED_WARPS),
            _ => return None,
        };
        let shared = shared_bytes(launcher.dtype, 1) + found.tile * launcher.dtype.bytes() as u32;
        Some(Launch { variant, blocks: blocks_in_clusters, threads: warps * 32, shared })
    }

    fn run(&self, launcher: &Launcher, args: &SolveArgs) -> Result<()> {
        let blocks = (self.blocks)(launcher, args.tiles);
        launcher.kernel_overlapped(TILED, self.variant)?.launch(blocks, self.threads, self.shared, args)
    }
}
