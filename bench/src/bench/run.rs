//! A run of the benchmark, from its options to its report.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::args::{Args, Setup};
use super::outputs::Outputs;
use super::results::{earlier, Results};
use super::systems::Run;
use super::table::{Shown, Table};
use crate::base::date::today;
use crate::base::numbers::counted;
use crate::base::progress::Progress;
use crate::base::Result;
use crate::matrix::Fill;
use crate::measure::relaunch;
use crate::solvers::library::{algorithm_name, algorithm_number, Library};
use crate::solvers::peers::Peers;
use crate::suites::cases::{cases, Case};
use crate::system::Type;

pub fn run(args: &Args) -> Result<()> {
    let types = args.value_types(&[Type::D])?;
    let algorithms = algorithms(args)?;
    if args.rhs.contains(&0) {
        return Err("--rhs wants one right-hand side or more".into());
    }
    let budget = args.budget()?;
    let executor = args.executor()?;
    if executor.is_host() && !matches!(args.setup, Setup::Auto | Setup::Cpu) {
        return Err("the host executor analyses on the CPU, whatever --setup says".into());
    }
    let cases = cases(&args.selection, &types, executor.is_host())?;
    let outputs = Outputs::of(args);
    outputs.must_not_be(cases.iter().filter_map(Case::file))?;
    let library = Library::open(&executor)?;
    if let Some(seconds) = args.timeout {
        library.set_timeout(seconds)?;
    }
    // Before MKL has threads.
    let one_thread = executor.is_host().then(|| Library::open_on_one_thread(&executor)).transpose()?;
    let load = |ty: &Type| Peers::load(&executor, &args.peers, *ty);
    let peers = types.iter().map(load).collect::<Result<Vec<_>>>()?;
    let mut results = nothing_yet(args, &library, &peers[0])?;
    // Not for every value type.
    if let Some(peers) = peers.iter().find(|peers| !peers.host_names().is_empty()) {
        results.host_peers = peers.host_names();
        results.mkl = peers.mkl.as_ref().map(|mkl| mkl.version.clone());
    }
    if args.resume {
        results.matrices = earlier(outputs.json.as_deref(), &results, args.keep_failures)?;
    }
    let run = Run {
        args,
        library: &library,
        one_thread: one_thread.as_ref(),
        peers: &peers,
        algorithms: &algorithms,
        types,
        ops: args.ops(),
    };
    let solvers: Vec<String> = algorithms.iter().map(|&a| algorithm_name(a)).collect();
    let only = cases.len() == 1;
    let pending: Vec<Case> =
        cases.into_iter().filter(|case| !is_done(case, &run, &solvers, &results)).collect();
    let shown = Shown {
        systems: run.types.len() * run.ops.len() > 1,
        updates: args.copy_values,
        limits: !executor.is_host(),
    };
    let table = Table::new(&results, &solvers, &args.rhs, shown);
    let made = outputs.prepare()?;
    let session = Session { run, outputs, table, budget, begin: Instant::now(), only, made };
    let left_out = session.measure(pending, &mut results)?;
    session.finish(&results, &left_out)
}

/// The library's algorithms, by their numbers.
fn algorithms(args: &Args) -> Result<Vec<i32>> {
    match args.algorithm.is_empty() {
        true => Ok(vec![algorithm_number("AUTO")?]),
        false => args.algorithm.iter().map(|name| algorithm_number(name)).collect(),
    }
}

/// The head of the results.
fn nothing_yet(args: &Args, library: &Library, peers: &Peers) -> Result<Results> {
    let triangle = if args.fill() == Fill::Lower { "Lower triangle" } else { "Upper triangle" };
    let words = [args.setup.words(), args.copy_words(), &args.row_words(), args.compare_words()].concat();
    Ok(Results {
        machine: library.executor.description(),
        library: library.version()?,
        spsv: peers.spsv.as_ref().map(|p| p.version.clone()),
        csrsv2: peers.csrsv2.as_ref().map(|p| p.version.clone()),
        host_peers: Vec::new(),
        mkl: None,
        date: today(),
        system: format!("{triangle}{words}"),
        matrices: Vec::new(),
    })
}

/// Whether there are results of all solvers on all systems of a case, or one that there was nothing to be had of it.
fn is_done(case: &Case, run: &Run, solvers: &[String], results: &Results) -> bool {
    let has = |ty: Type, op: &str, rhs: usize| {
        results.matrices.iter().any(|m| {
            let of_all = || solvers.iter().all(|s| m.timings.iter().any(|t| t.solver == *s));
            let is_same = || m.value_type == ty.letter() && m.op == op && m.rhs == rhs && of_all();
            m.name == case.name() && (m.error.is_some() || is_same())
        })
    };
    run.types.iter().all(|&ty| run.systems().all(|(op, rhs)| has(ty, op.letter(), rhs)))
}

/// A run with its files, its table and its clock.
struct Session<'r, 'e> {
    run: Run<'r, 'e>,
    outputs: Outputs,
    table: Table,
    budget: Duration,
    begin: Instant,
    /// Whether there is a single case.
    only: bool,
    /// The folders that were made for the files.
    made: Vec<PathBuf>,
}

impl Session<'_, '_> {
    /// Measures the cases that are pending, and returns the names of those that the time did not suffice for.
    fn measure(&self, pending: Vec<Case>, results: &mut Results) -> Result<Vec<String>> {
        let mut progress = Progress::new(pending.iter().map(Case::weight));
        let mut heading = Some(self.table.heading());
        let mut left_out = Vec::new();
        for case in pending {
            let name = case.name();
            if self.begin.elapsed() > self.budget {
                left_out.push(name);
                continue;
            }
            progress.start(&name);
            let measured = self.run.case(&case);
            // A single file that cannot be read is bad input, and nothing was measured that could be kept.
            if let (true, Some(error)) = (self.only, measured[0].error.as_ref()) {
                progress.end();
                self.made.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
                return Err(error.clone());
            }
            results.matrices.retain(|old| !measured.iter().any(|new| new.replaces(old)));
            for result in &measured {
                heading.take().iter().for_each(|line| progress.say(line));
                progress.say(&self.table.line(result, &measured));
            }
            results.matrices.extend(measured);
            progress.finish_case(&name, case.weight());
            self.outputs.write_results(results)?;
            let last = results.matrices.last().into_iter().flat_map(|m| &m.timings);
            if let Some(why) = relaunch::lost_gpu(self.run.library.executor, last) {
                progress.end();
                return Err(self.go_on(&why));
            }
        }
        progress.end();
        heading.iter().for_each(|line| say!("{line}"));
        Ok(left_out)
    }

    /// Has a new process measure what is left, as this one has lost the GPU; returns where there is none.
    fn go_on(&self, why: &str) -> String {
        let Some(path) = &self.outputs.json else { return format!("the run was ended early: {why}") };
        relaunch::resume(why, path, self.begin, self.budget)
    }

    /// Prints the means and writes the report; an error if anything failed.
    fn finish(&self, results: &Results, left_out: &[String]) -> Result<()> {
        say!("{}", self.table.summary(results));
        self.outputs.write_report(|| self.table.markdown(results))?;
        if !left_out.is_empty() {
            say!("not measured: {}", left_out.join(", "));
        }
        match results.matrices.iter().filter(|m| !m.is_whole()).count() {
            0 => Ok(()),
            count => {
                let all = counted(results.matrices.len(), "measurement", "measurements");
                Err(format!("{count} of {all} had failures"))
            }
        }
    }
}
