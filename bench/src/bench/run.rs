//! A run of the benchmark of solves, from its options to its report.

use super::args::Args;
use super::session::Session;
use super::start::Start;
use super::systems::Run;
use super::table::{Shown, Table};
use crate::base::Result;
use crate::matrix::Fill;
use crate::solvers::library::algorithm_name;
use crate::solvers::peers::TUNED;
use crate::system::Type;

pub fn run(args: &Args) -> Result<()> {
    let types = args.value_types(&[Type::D])?;
    let algorithms = args.algorithms()?;
    if args.rhs.contains(&0) {
        return Err("--rhs wants one right-hand side or more".into());
    }
    let budget = args.budget()?;
    let executor = args.executor_that_analyses()?;
    let mut start = Start::new(args, &executor, &types, true)?;
    let mut results = start.results(args, words(args))?;
    let tuned = args.tune.then(|| TUNED.to_string());
    let solvers: Vec<String> = algorithms.iter().map(|&a| algorithm_name(a)).chain(tuned).collect();
    let only = start.cases.len() == 1;
    let ops = args.ops();
    let systems: Vec<(Type, &str, usize)> = types
        .iter()
        .flat_map(|&ty| {
            ops.iter().flat_map(move |op| args.rhs.iter().map(move |&rhs| (ty, op.letter(), rhs)))
        })
        .collect();
    let pending = start.pending(&results, &systems, &solvers);
    let Start { outputs, library, one_thread, peers, .. } = start;
    let shown = Shown {
        systems: types.len() * ops.len() > 1,
        updates: args.copy_values,
        limits: !executor.is_host(),
    };
    let run = Run {
        args,
        library: &library,
        one_thread: one_thread.as_ref(),
        peers: &peers,
        algorithms: &algorithms,
        types,
        ops,
    };
    let table = Table::new(&results, &solvers, &args.rhs, shown);
    let measure = |case: &_| run.case(case);
    let session = Session { executor: &executor, measure: &measure, report: &table, outputs, budget, only };
    session.run(pending, &mut results)
}

/// What is measured.
fn words(args: &Args) -> String {
    let triangle = if args.fill() == Fill::Lower { "Lower triangle" } else { "Upper triangle" };
    [triangle, args.setup.words(), args.copy_words(), &args.row_words(), args.compare_words()].concat()
}
