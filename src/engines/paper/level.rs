//! What the level-scheduled algorithms share: one launch a level, from a graph where that is faster.
#![forbid(unsafe_code)]

use super::tuning::{GRAPH_LEVELS, PAPER_BLOCK};
use crate::error::Result;
use crate::executor::cuda::args::{MultiArgs, SolveArgs};
use crate::executor::cuda::{CudaPlan, DeviceArray, Graph, Launcher, LevelGraph};

/// Arguments of the kernels in a graph: the address of the solve's arguments, and the level.
#[repr(C)]
#[derive(Clone, Copy)]
struct LevelArgs {
    args: u64,
    begin: u32,
    end: u32,
}

/// Calls `launch(begin, end, blocks)` for each level.
fn each_level(plan_levels: &[u32], mut launch: impl FnMut(u32, u32, u32) -> Result<()>) -> Result<()> {
    plan_levels.windows(2).try_for_each(|w| {
        let warps = (w[1] - w[0]) as u64;
        launch(w[0], w[1], (warps * 32).div_ceil(PAPER_BLOCK as u64) as u32)
    })
}

/// Builds the graph: where there are thousands of levels, this takes the host longer than all else takes the GPU.
pub fn build_graph(launcher: &Launcher, plan: &mut CudaPlan, name: &str) -> Result<()> {
    if plan.levels < 2 || plan.levels > GRAPH_LEVELS {
        return Ok(());
    }
    let args = DeviceArray::new(launcher.gpu, std::mem::size_of::<MultiArgs>())?;
    let graph = Graph::record(launcher, |recorder| {
        let kernel = recorder.kernel(format_args!("{name}_graph"))?;
        each_level(&plan.level_ptr, |begin, end, blocks| {
            kernel.launch(blocks, PAPER_BLOCK, 0, &LevelArgs { args: args.address(), begin, end })
        })
    })?;
    plan.graph = Some(LevelGraph { graph, args });
    Ok(())
}

/// Launches the prologue and the levels.
pub fn solve(
    launcher: &Launcher,
    plan: &CudaPlan,
    args: &MultiArgs,
    name: &str,
    prologue: &str,
) -> Result<()> {
    let prologue = launcher.kernel(prologue)?;
    match &plan.graph {
        // A graph cannot be launched into a capture with its arguments in one shared place.
        Some(graph) if !launcher.is_capturing()? => {
            let solve = SolveArgs { args_copy: graph.args.address(), ..args.solve };
            prologue.cover(solve.n as u64, PAPER_BLOCK, &MultiArgs { solve, ..*args })?;
            graph.graph.launch(launcher.stream)
        }
        _ => {
            prologue.cover(args.solve.n as u64, PAPER_BLOCK, args)?;
            let kernel = launcher.kernel(name)?;
            each_level(&plan.level_ptr, |begin, end, blocks| {
                let solve = SolveArgs { begin, end, ..args.solve };
                kernel.launch(blocks, PAPER_BLOCK, 0, &MultiArgs { solve, ..*args })
            })
        }
    }
}
