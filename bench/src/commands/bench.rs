//! `sptrsv bench`: the benchmark of solves or of what is around them, or the paper's experiments.

use crate::base::numbers::duration;
use crate::base::Result;
use crate::bench::args::Args;
use crate::{bench, paper};

pub fn run(args: &Args) -> Result<()> {
    for (option, solves) in [("--reps", args.reps), ("--in-a-row", args.in_a_row)] {
        if solves == 0 {
            return Err(format!("{option} wants one solve or more"));
        }
    }
    duration("effort", args.effort)?;
    if let Some(folder) = &args.selection.folder {
        std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    if let Some(what) = args.selection.around() {
        return match args.unknown_around() {
            None => bench::around::run(args, what),
            Some(option) => Err(format!("the suites pair, sweep, ilu0 and pcg know no {option}")),
        };
    }
    if !args.selection.is_paper() {
        return bench::run::run(args);
    }
    match args.unknown_to_the_paper() {
        None => paper::run::run(args),
        Some(option) => Err(format!("the paper's suite knows no {option}")),
    }
}
