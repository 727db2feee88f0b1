//! ONE_WORD: row-wise in level order, each unknown handed over in one word that is value and flag.
#![forbid(unsafe_code)]

use super::Algorithm;
use crate::analysis::{Needs, Schedule};
use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::{CudaPlan, Launcher};
use crate::executor::host::Method;
use crate::status::Result;
use crate::tuning::{ONE_WORD_BLOCK, ONE_WORD_BLOCKS, ONE_WORD_ENTRIES_PER_LANE};

pub struct OneWord;

impl Algorithm for OneWord {
    fn id(&self) -> i32 {
        16
    }
    fn name(&self) -> &'static str {
        "one_word"
    }
    fn deterministic(&self) -> bool {
        true
    }
    fn needs(&self) -> Needs {
        Needs { levels: true, rows: true, columns: false, column_values: false, counts: false }
    }
    fn host(&self) -> Method {
        Method::Slfr
    }
    fn prepare(&self, launcher: &Launcher, plan: &mut CudaPlan, schedule: &Schedule) -> Result<()> {
        let rows = schedule.rows.as_ref().expect("asked for");
        plan.set_slices(launcher, &slices(&schedule.level_ptr, &rows.ptr))?;
        plan.add_work_vectors(launcher)
    }
    fn solve(&self, launcher: &Launcher, _plan: &CudaPlan, args: &SolveArgs) -> Result<()> {
        let warps = ONE_WORD_BLOCK / 32;
        let most = launcher.gpu.multiprocessors() * ONE_WORD_BLOCKS;
        let blocks = args.slices.div_ceil(warps).min(most);
        launcher.kernel(self.name())?.launch(blocks, ONE_WORD_BLOCK, 0, args)
    }
}

/// Cuts each level into slices of rows for one warp: `[first position, rows | lanes per row << 6]`. The
/// lanes of a row grow with its length, so that a row of thousands of entries gets the whole warp.
fn slices(level_ptr: &[u32], row_ptr: &[u32]) -> Vec<[u32; 2]> {
    let mut slices = Vec::new();
    for level in level_ptr.windows(2) {
        let mut first = level[0];
        while first < level[1] {
            let mut lanes = 1;
            let rows = loop {
                let rows = (32 / lanes).min(level[1] - first);
                let longest = (first..first + rows)
                    .map(|p| row_ptr[p as usize + 1] - row_ptr[p as usize])
                    .max()
                    .unwrap_or(0);
                if lanes == 32 || longest <= lanes * ONE_WORD_ENTRIES_PER_LANE {
                    break rows;
                }
                lanes *= 2;
            };
            slices.push([first, rows | lanes << 6]);
            first += rows;
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_every_position_once_and_stay_in_a_level() {
        let lengths: Vec<u32> = (0..500).map(|p| if p % 97 == 0 { 300 } else { p % 13 }).collect();
        let mut row_ptr = vec![0];
        lengths.iter().for_each(|l| row_ptr.push(row_ptr.last().unwrap() + l));
        let level_ptr = [0, 1, 40, 41, 300, 500];
        let mut next = 0;
        for [first, packed] in slices(&level_ptr, &row_ptr) {
            let (rows, lanes) = (packed & 63, packed >> 6);
            assert_eq!(first, next);
            assert!(rows >= 1 && rows * lanes <= 32 && lanes.is_power_of_two());
            let level = level_ptr.iter().rposition(|&l| l <= first).unwrap();
            assert!(first + rows <= level_ptr[level + 1]);
            next += rows;
        }
        assert_eq!(next, 500);
    }
}
