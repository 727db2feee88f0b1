//! What the self-scheduled algorithms of the paper share: counters are reset, then one warp a row or
//! column starts in schedule order.
#![forbid(unsafe_code)]

use super::tuning::PAPER_BLOCK;
use crate::error::Result;
use crate::executor::cuda::args::MultiArgs;
use crate::executor::cuda::Launcher;

pub fn solve(launcher: &Launcher, args: &MultiArgs, name: &str, prologue: &str) -> Result<()> {
    let n = args.solve.n as u64;
    launcher.kernel(prologue)?.cover(n, PAPER_BLOCK, args)?;
    let columns = if args.columns > 1 { "_multi" } else { "" };
    launcher.kernel(format_args!("{name}{columns}"))?.cover(n * 32, PAPER_BLOCK, args)
}
