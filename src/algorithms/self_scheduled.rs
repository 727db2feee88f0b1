//! What the self-scheduled algorithms of the paper share: counters are reset, then one warp a row or
//! column starts in schedule order.
#![forbid(unsafe_code)]

use crate::executor::cuda::args::SolveArgs;
use crate::executor::cuda::Launcher;
use crate::status::Result;
use crate::tuning::PAPER_BLOCK;

pub fn solve(launcher: &Launcher, args: &SolveArgs, name: &str, prologue: &str) -> Result<()> {
    launcher.kernel(prologue)?.cover(args.n as u64, PAPER_BLOCK, args)?;
    launcher.kernel(name)?.cover(args.n as u64 * 32, PAPER_BLOCK, args)
}
