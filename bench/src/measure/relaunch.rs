//! Going on after the GPU is lost: a kernel that hung or read outside of its memory takes the process's GPU context
//! with it, so a new process does what is left. What failed is in the results file and is not tried again.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::timing::Timing;
use crate::system::executor::{Executor, HUNG};

/// Whether the GPU can no longer be used: after a hang, or an error that stays.
pub fn lost_gpu<'t>(executor: &Executor, timings: impl Iterator<Item = &'t Timing>) -> Option<String> {
    let hung = timings.filter_map(|t| t.error.as_ref()).find(|e| e.starts_with(HUNG));
    hung.cloned().or_else(|| executor.synchronize().err())
}

/// Has a new process measure what is not in the file of results yet, in this process's place, within the time budget that
/// began then; returns only when that fails, with the reason.
pub fn resume(why: &str, file: &Path, begin: Instant, budget: Duration) -> String {
    eprintln!("sptrsv: {why}; {} is kept, a new process goes on", file.display());
    let is_limited = budget != Duration::MAX;
    go_on(is_limited.then(|| budget.saturating_sub(begin.elapsed())))
}

/// Runs this program's command again in this process's place; returns only when that fails, with the reason.
fn go_on(time_left: Option<Duration>) -> String {
    let arguments = arguments(std::env::args_os().skip(1), time_left);
    match std::env::current_exe() {
        Ok(program) => Command::new(program).args(arguments).exec().to_string(),
        Err(e) => e.to_string(),
    }
}

fn arguments(given: impl Iterator<Item = OsString>, time_left: Option<Duration>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = given.collect();
    for flag in ["--resume", "--keep-failures"] {
        if !arguments.iter().any(|a| a == flag) {
            arguments.push(flag.into());
        }
    }
    // The last one counts.
    arguments.extend(time_left.map(|t| format!("--time-budget={:.3}", t.as_secs_f64()).into()));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_goes_on_with_what_is_left() {
        let given = ["bench", "--resume", "--out", "r"].map(OsString::from);
        let got = arguments(given.into_iter(), Some(Duration::from_secs(5)));
        assert_eq!(got, ["bench", "--resume", "--out", "r", "--keep-failures", "--time-budget=5.000"]);
    }
}
