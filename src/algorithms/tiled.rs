//! TILED: two tiers. Dependencies inside a tile go through shared memory, those between tiles in one word.
#![forbid(unsafe_code)]

use super::Algorithm;
use crate::analysis::slices::{Cut, Slice, LANES};
use crate::analysis::{records, Needs, Schedule, Tiles};
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Gpu, Launcher};
use crate::executor::host::Method;
use crate::problem::{DataType, Shape};
use crate::status::{Error, Result};

/// Warps in a block: one consumer, the others producers. Mirrors kernels/tiled.cu.
const WARPS: u32 = 12;
/// Marks an entry whose unknown is in the window, and a row that begins a level. Mirrors kernels/tiled.cu.
const HIGH_BIT: u32 = 1 << 31;

pub struct Tiled;

/// What the kernel's shared memory holds, by value type. Mirrors kernels/tiled.cu.
struct Limits {
    /// Local entries of one lane.
    local: u32,
    /// Unknowns in the window.
    window: u32,
    shared_bytes: u32,
}

fn limits(dtype: DataType) -> Limits {
    match dtype {
        DataType::F32 => Limits { local: 8, window: 4096, shared_bytes: 96 << 10 },
        DataType::F64 | DataType::C32 => Limits { local: 8, window: 4096, shared_bytes: 152 << 10 },
        DataType::C64 => Limits { local: 4, window: 2048, shared_bytes: 160 << 10 },
    }
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
        Needs {
            levels: true,
            rows: true,
            columns: false,
            column_values: false,
            counts: false,
            tiles: Tiles::Yes,
        }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn check(&self, gpu: &Gpu, shape: &Shape) -> Result<()> {
        if is_available(gpu, shape) {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "the tiled engine with {} rows on {}; it needs {} KiB of shared memory a block and fewer than 2^31 rows",
            shape.n,
            gpu.describe(),
            limits(shape.dtype).shared_bytes >> 10
        )))
    }
    fn cut(&self, dtype: DataType) -> Cut {
        let Limits { local, window, .. } = limits(dtype);
        Cut::Tiles { local, window }
    }
    fn prepare(&self, launcher: &Launcher, plan: &mut CudaPlan, schedule: Option<&Schedule>) -> Result<()> {
        let limits = limits(launcher.dtype);
        if let Some(schedule) = schedule {
            let batches = Batches::new(schedule, &limits);
            let mut record = records(schedule, plan.diag_source());
            mark_levels(schedule, &mut record);
            plan.set_slices(launcher, &batches.batch)?;
            plan.set_tiles(launcher, &batches.tile_batch, &batches.code)?;
            plan.set_records(launcher, &record)?;
        }
        plan.add_work_vectors(launcher)?;
        launcher.kernel(kernel_name(plan.is_permuted()))?.allow_shared(limits.shared_bytes)
    }
    fn solve(&self, launcher: &Launcher, _plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        let blocks = args.tiles.min(launcher.gpu.multiprocessors());
        let shared = limits(launcher.dtype).shared_bytes;
        launcher.kernel(kernel_name(args.row_permuted != 0))?.launch(blocks, WARPS * 32, shared, args)
    }
}

/// Whether the GPU has the shared memory, and the bits of a position suffice.
pub fn is_available(gpu: &Gpu, shape: &Shape) -> bool {
    gpu.shared_bytes_per_block() >= limits(shape.dtype).shared_bytes && shape.n < HIGH_BIT
}

fn kernel_name(permuted: bool) -> &'static str {
    if permuted {
        "tiled_permuted"
    } else {
        "tiled"
    }
}

/// The batches of every tile and what their entries are.
struct Batches {
    /// `[first position, rows | log2(lanes of a row) << 6]`, and one more at the end.
    batch: Vec<Slice>,
    /// First batch of each tile.
    tile_batch: Vec<u32>,
    /// By entry: the position it depends on, or HIGH_BIT and the cell of the window.
    code: Vec<u32>,
}

impl Batches {
    fn new(schedule: &Schedule, limits: &Limits) -> Self {
        let rows = schedule.rows.as_ref().expect("asked for");
        let entries = |p: u32| rows.ptr[p as usize] as usize..rows.ptr[p as usize + 1] as usize;
        let mut batches = Batches { batch: Vec::new(), tile_batch: vec![0], code: rows.adj.clone() };
        for tile in schedule.tile_ptr.windows(2) {
            // Whether an entry of the row at `p` may be local.
            let near = |p: u32, q: u32| q >= tile[0] && p - q <= limits.window - LANES;
            // Lanes so that each takes few local entries, and not too many in all.
            let lanes = |p: u32| {
                let local = rows.adj[entries(p)].iter().filter(|&&q| near(p, q)).count() as u32;
                local.div_ceil(limits.local).max((entries(p).len() as u32).div_ceil(2 * limits.local))
            };
            let before = batches.batch.len();
            let mut packer = Packer { batch: &mut batches.batch, open: None };
            let mut first = tile[0];
            while first < tile[1] {
                let level = schedule.level[first as usize];
                let end = (first..tile[1]).find(|&p| schedule.level[p as usize] != level).unwrap_or(tile[1]);
                let widest = (first..end).map(lanes).max().unwrap_or(1);
                let shift = widest.clamp(1, LANES).next_power_of_two().ilog2();
                // An entry that is local but finds no room is waited for by the producer: its unknown must
                // belong to an earlier batch.
                let full = |p| {
                    let mut taken = [0; LANES as usize];
                    (0..).zip(&rows.adj[entries(p)]).any(|(k, &q): (usize, _)| {
                        let lane = &mut taken[k & ((1 << shift) - 1)];
                        *lane += near(p, q) as u32;
                        *lane > limits.local
                    })
                };
                if (first..end).any(full) {
                    packer.open = None;
                }
                packer.add(first, end, shift);
                first = end;
            }
            for &[first, packed] in &batches.batch[before..] {
                let (count, shift) = (packed & 63, packed >> 6);
                for p in first..first + count {
                    let mut taken = [0; LANES as usize];
                    for (k, e) in entries(p).enumerate() {
                        let lane = k & ((1 << shift) - 1);
                        let q = rows.adj[e];
                        if near(p, q) && taken[lane] < limits.local {
                            taken[lane] += 1;
                            batches.code[e] = HIGH_BIT | (q % limits.window);
                        }
                    }
                }
            }
            batches.tile_batch.push(batches.batch.len() as u32);
        }
        batches.batch.push([schedule.n, 0]);
        batches
    }
}

/// Packs the levels of a tile into batches, in order. A level joins the open batch where it fits as a whole
/// with the same lanes; else it begins a new one.
struct Packer<'a> {
    batch: &'a mut Vec<Slice>,
    /// Shift of the last batch, where it may still grow.
    open: Option<u32>,
}

impl Packer<'_> {
    fn add(&mut self, mut first: u32, end: u32, shift: u32) {
        let most = LANES >> shift;
        if self.open == Some(shift) {
            let last = self.batch.last_mut().expect("one is open");
            if (last[1] & 63) + (end - first) <= most {
                last[1] += end - first;
                return;
            }
        }
        while first < end {
            let rows = most.min(end - first);
            self.batch.push([first, rows | shift << 6]);
            first += rows;
        }
        self.open = Some(shift);
    }
}

/// Marks the records of rows that begin a level.
fn mark_levels(schedule: &Schedule, record: &mut [[u32; 4]]) {
    for (p, row) in record.iter_mut().enumerate().take(schedule.n as usize) {
        if p == 0 || schedule.level[p] != schedule.level[p - 1] {
            row[0] |= HIGH_BIT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_whole_levels_where_they_fit() {
        let mut batch = Vec::new();
        let mut packer = Packer { batch: &mut batch, open: None };
        let mut first = 0;
        for (rows, shift) in [(16, 0), (16, 0), (20, 0), (20, 0), (70, 0), (3, 1), (13, 1), (1, 1)] {
            packer.add(first, first + rows, shift);
            first += rows;
        }
        let rows: Vec<(u32, u32)> = batch.iter().map(|b| (b[1] & 63, b[1] >> 6)).collect();
        let expected = [(32, 0), (20, 0), (20, 0), (32, 0), (32, 0), (6, 0), (16, 1), (1, 1)];
        assert_eq!(rows, expected);
        assert!(batch.windows(2).all(|w| w[1][0] == w[0][0] + (w[0][1] & 63)));
    }
}
