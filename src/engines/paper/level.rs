//! What the level-scheduled algorithms share: one launch a level, from a graph where that is faster.
#![forbid(unsafe_code)]

use super::tuning::{GRAPH_LEVELS, PAPER_BLOCK};
use crate::error::Result;
use crate::executor::cuda::args::{LevelArgs, MultiArgs, SolveArgs};
use crate::executor::cuda::engine::{EnginePlan, Multi};
use crate::executor::cuda::{DeviceArray, Graph, KernelName, Launcher, Stored};

/// Calls `launch(begin, end, blocks)` for each level.
fn each_level(plan_levels: &[u32], mut launch: impl FnMut(u32, u32, u32) -> Result<()>) -> Result<()> {
    plan_levels.windows(2).try_for_each(|w| {
        let warps = (w[1] - w[0]) as u64;
        launch(w[0], w[1], (warps * 32).div_ceil(PAPER_BLOCK as u64) as u32)
    })
}

/// What LEVR or LEVC keeps of a matrix.
pub struct LevelPlan {
    kernel: KernelName<MultiArgs>,
    prologue: KernelName<MultiArgs>,
    /// Where levels begin.
    level_ptr: Vec<u32>,
    graph: Option<LevelGraph>,
}

/// A graph whose kernels read their arguments from device memory, where each solve puts them.
struct LevelGraph {
    graph: Graph,
    args: DeviceArray,
}

impl LevelPlan {
    /// Builds the graph too: where there are thousands of levels, this takes the host longer than all else takes the GPU.
    pub fn new(
        launcher: &Launcher,
        stored: &Stored,
        level_ptr: Vec<u32>,
        [kernel, prologue]: [KernelName<MultiArgs>; 2],
        in_graph: KernelName<LevelArgs>,
    ) -> Result<LevelPlan> {
        let mut made = LevelPlan { kernel, prologue, level_ptr, graph: None };
        if (2..=GRAPH_LEVELS).contains(&stored.levels) {
            let args = DeviceArray::new(launcher.gpu, std::mem::size_of::<MultiArgs>())?;
            let kernel = launcher.kernel(in_graph, "")?;
            let graph = Graph::of(launcher.gpu, |chain| {
                each_level(&made.level_ptr, |begin, end, blocks| {
                    chain.add(&kernel, blocks, PAPER_BLOCK, &LevelArgs { args: args.address(), begin, end })
                })
            })?;
            made.graph = Some(LevelGraph { graph, args });
        }
        Ok(made)
    }
}

impl EnginePlan for LevelPlan {
    fn solve(&self, launcher: &Launcher, stored: &Stored, args: &SolveArgs) -> Result<()> {
        Multi::solve(self, launcher, stored, &MultiArgs::one_column(args))
    }
    fn multi(&self) -> Option<&dyn Multi> {
        Some(self)
    }
    fn bytes_held(&self) -> usize {
        self.graph.as_ref().map_or(0, |graph| graph.args.bytes())
    }
    fn numbers(&self) -> Vec<u32> {
        self.level_ptr.clone()
    }
}

impl Multi for LevelPlan {
    /// Launches the prologue and the levels.
    fn solve(&self, launcher: &Launcher, _stored: &Stored, args: &MultiArgs) -> Result<()> {
        let prologue = launcher.kernel(self.prologue, "")?;
        match &self.graph {
            Some(graph) if launcher.takes_graphs()? => {
                let solve = SolveArgs { args_copy: graph.args.address(), ..args.solve };
                prologue.cover(solve.n as u64, PAPER_BLOCK, &MultiArgs { solve, ..*args })?;
                graph.graph.launch(launcher.stream)
            }
            _ => {
                prologue.cover(args.solve.n as u64, PAPER_BLOCK, args)?;
                let kernel = launcher.kernel(self.kernel, "")?;
                each_level(&self.level_ptr, |begin, end, blocks| {
                    let solve = SolveArgs { begin, end, ..args.solve };
                    kernel.launch(blocks, PAPER_BLOCK, 0, &MultiArgs { solve, ..*args })
                })
            }
        }
    }
}
