//! TILED: two tiers. Dependencies inside a tile go through shared memory, those between tiles in one word.
#![forbid(unsafe_code)]

use super::Algorithm;
use crate::analysis::{slices, Needs, Schedule};
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;
use crate::problem::DataType;
use crate::status::Result;

/// Warps in a block: one consumer, the others producers. Mirrors kernels/tiled.cu.
const WARPS: u32 = 8;
/// Marks an entry whose unknown is in the window. Mirrors kernels/tiled.cu.
const LOCAL: u32 = 1 << 31;

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
        DataType::F32 => Limits { local: 8, window: 4096, shared_bytes: 80 << 10 },
        DataType::F64 | DataType::C32 => Limits { local: 8, window: 4096, shared_bytes: 136 << 10 },
        DataType::C64 => Limits { local: 4, window: 2048, shared_bytes: 144 << 10 },
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
        Needs { levels: true, rows: true, columns: false, column_values: false, counts: false, tiles: true }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn prepare(&self, launcher: &Launcher, plan: &mut CudaPlan, schedule: &Schedule) -> Result<()> {
        let limits = limits(launcher.dtype);
        let steps = Steps::new(schedule, &limits);
        plan.set_slices(launcher, &steps.step)?;
        plan.set_tiles(launcher, &steps.tile_step, &steps.code)?;
        plan.set_records(launcher, schedule)?;
        plan.add_work_vectors(launcher)?;
        launcher.kernel(self.name())?.allow_shared(limits.shared_bytes)
    }
    fn solve(&self, launcher: &Launcher, _plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        let blocks = args.tiles.min(launcher.gpu.multiprocessors());
        let shared = limits(launcher.dtype).shared_bytes;
        launcher.kernel(self.name())?.launch(blocks, WARPS * 32, shared, args)
    }
}

/// The steps of every tile and what their entries are.
struct Steps {
    /// `[first position, rows | lanes of a row << 6]`, and one more at the end.
    step: Vec<[u32; 2]>,
    tile_step: Vec<u32>,
    /// By entry: the position it depends on, or LOCAL and the cell of the window.
    code: Vec<u32>,
}

impl Steps {
    fn new(schedule: &Schedule, limits: &Limits) -> Self {
        let rows = schedule.rows.as_ref().expect("asked for");
        let mut steps = Steps { step: Vec::new(), tile_step: vec![0], code: rows.adj.clone() };
        for tile in schedule.tile_ptr.windows(2) {
            // Whether an entry of the row at `p` may be local.
            let near = |p: u32, q: u32| q >= tile[0] && p - q <= limits.window - slices::LANES;
            // Lanes so that each takes few local entries, and not too many in all.
            let lanes = |p: u32| {
                let entries = &rows.adj[rows.ptr[p as usize] as usize..rows.ptr[p as usize + 1] as usize];
                let local = entries.iter().filter(|&&q| near(p, q)).count() as u32;
                local.div_ceil(limits.local).max((entries.len() as u32).div_ceil(2 * limits.local))
            };
            let before = steps.step.len();
            let mut first = tile[0];
            while first < tile[1] {
                let level = schedule.level[first as usize];
                let end = (first..tile[1]).find(|&p| schedule.level[p as usize] != level).unwrap_or(tile[1]);
                slices::cut(first, end, lanes, &mut steps.step);
                first = end;
            }
            for &[first, packed] in &steps.step[before..] {
                let (count, lanes) = (packed & 63, packed >> 6);
                for p in first..first + count {
                    let begin = rows.ptr[p as usize] as usize;
                    let mut taken = [0; slices::LANES as usize];
                    for e in begin..rows.ptr[p as usize + 1] as usize {
                        let lane = (e - begin) % lanes as usize;
                        let q = rows.adj[e];
                        if near(p, q) && taken[lane] < limits.local {
                            taken[lane] += 1;
                            steps.code[e] = LOCAL | q % limits.window;
                        }
                    }
                }
            }
            steps.tile_step.push(steps.step.len() as u32);
        }
        steps.step.push([schedule.n, 1 << 6]);
        steps
    }
}
