//! A run of the experiments, from the options to the report.

use std::path::Path;
use std::time::Instant;

use super::experiment::Run;
use super::report;
use super::results::{earlier, failures, Experiment, Results};
use super::tasks::{our_solvers, tasks, Task};
use crate::base::date::today;
use crate::base::files::{make_folder_of, must_be_writable, write_json};
use crate::base::numbers::counted;
use crate::base::progress::Progress;
use crate::base::Result;
use crate::bench::args::{Args, Setup};
use crate::measure::relaunch;
use crate::solvers::library::Library;
use crate::solvers::peers::Peers;
use crate::system::Type;

pub fn run(args: &Args) -> Result<()> {
    if args.setup != Setup::Auto {
        return Err("the paper's experiments set up on the CPU and on the GPU: leave --setup out".into());
    }
    let tasks = tasks(args)?;
    let ours = our_solvers(args)?;
    args.budget()?;
    let executor = args.executor()?;
    let library = Library::open(&executor)?;
    let out = args.out.as_deref().unwrap_or(Path::new("results"));
    let file = out.join("results.json");
    make_folder_of(&file)?;
    must_be_writable(&file)?;
    let mut results = if args.resume { earlier(&file, args.keep_failures)? } else { Results::default() };
    let is_pending = |task: &&Task| {
        let is_same = |e: &Experiment| e.name == task.entry.name && e.value_type == task.ty.letter();
        !results.experiments.iter().any(is_same)
    };
    let pending: Vec<&Task> = tasks.iter().filter(is_pending).collect();
    // A run that has nothing to measure only writes the report again, wherever that is.
    if !pending.is_empty() {
        begin(&mut results, &library, &file)?;
    }
    let left_out = measure(args, &library, &ours, pending, &file, &mut results)?;
    report::write(out, &results)?;
    say!("{}: results.json, report.md and plots", out.display());
    if left_out > 0 {
        let left = counted(left_out, "experiment is", "experiments are");
        return Err(format!("{left} left for --resume: the time budget is used up"));
    }
    match results.experiments.iter().filter(|e| !e.is_whole()).count() {
        0 => Ok(()),
        failed => {
            let all = counted(results.experiments.len(), "experiment", "experiments");
            Err(format!("{failed} of {all} had failures"))
        }
    }
}

/// Writes the head of the results, which must be of this machine as far as there are any.
fn begin(results: &mut Results, library: &Library, file: &Path) -> Result<()> {
    let (now, then) = (library.executor.description(), &results.machine);
    if !results.experiments.is_empty() && *then != now {
        let file = file.display();
        return Err(format!("{file} is of another run ({then}), not to be resumed by this one ({now})"));
    }
    results.machine = now;
    results.on_gpu = !library.executor.is_host();
    results.library = library.version()?;
    results.date = today();
    Ok(())
}

/// Measures what is pending; how many experiments the time did not suffice for.
fn measure(
    args: &Args,
    library: &Library,
    ours: &[i32],
    pending: Vec<&Task>,
    file: &Path,
    results: &mut Results,
) -> Result<usize> {
    let (budget, executor, begin) = (args.budget()?, library.executor, Instant::now());
    let mut progress = Progress::new(pending.iter().map(|t| t.weight()));
    let mut left_out = 0;
    let mut peers: Option<(Type, Peers)> = None;
    for task in pending {
        if begin.elapsed() > budget {
            left_out += 1;
            continue;
        }
        progress.start(&task.name());
        let peers = match &mut peers {
            Some((ty, peers)) if *ty == task.ty => peers,
            other => &mut other.insert((task.ty, Peers::load(executor, &args.peers, task.ty)?)).1,
        };
        results.spsv = peers.spsv.as_ref().map(|p| p.version.clone());
        results.csrsv2 = peers.csrsv2.as_ref().map(|p| p.version.clone());
        let experiment = Run { args, library, peers, ours }.experiment(task);
        for failure in failures(&experiment) {
            progress.say(&failure);
        }
        let lost = relaunch::lost_gpu(executor, experiment.timings.iter());
        results.experiments.push(experiment);
        write_json(file, results)?;
        progress.finish_case(&task.name(), task.weight());
        if let Some(why) = lost {
            progress.end();
            return Err(relaunch::resume(&why, file, begin, budget));
        }
    }
    progress.end();
    Ok(left_out)
}
