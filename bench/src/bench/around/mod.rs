//! What is around a solve, measured beside what it is made of today: solves with both factors, sweeps, factorisations.

mod factors;
mod pair;
mod pcg;
mod pcg_table;
mod subject;
mod sweep;
mod table;

use super::args::Args;
use super::layout::Report;
use super::results::MatrixResult;
use super::session::Session;
use super::start::Start;
use crate::base::{memory, Result};
use crate::matrix::{Csr, Fill};
use crate::measure::timing::{Effort, Timing};
use crate::solvers::peers::Peers;
use crate::suites::cases::Case;
use crate::suites::lists::{Around, Task};
use crate::system::{Op, Type};
use pcg_table::PhaseTable;
use subject::{Ours, Subject};
use table::Table;

pub fn run(args: &Args, what: Task) -> Result<()> {
    let types = args.value_types(&[Type::D])?;
    let algorithm = args.algorithms()?[0];
    let budget = args.budget()?;
    let executor = args.executor_that_analyses()?;
    let mut start = Start::new(args, &executor, &types, false)?;
    let title = match what {
        Task::Call(what) => table::title(what),
        Task::Iteration => pcg_table::TITLE,
    };
    let words = [title, args.setup.words(), args.compare_words()].concat();
    if what == Task::Iteration {
        pcg::must_be_possible(&types, &executor, &start.peers)?;
    }
    let mut results = start.results(args, words)?;
    let only = start.cases.len() == 1;
    let (own, report): (_, Box<dyn Report>) = match what {
        Task::Iteration => (vec![pcg::OURS.to_string()], Box::new(PhaseTable::new(&results))),
        Task::Call(what) => {
            let table = Table::new(what, types.len() > 1, &results);
            (table.own(), Box::new(table))
        }
    };
    let systems: Vec<(Type, &str, usize)> = types.iter().map(|&ty| (ty, Op::N.letter(), 1)).collect();
    let pending = start.pending(&results, &systems, &own);
    let Start { outputs, library, peers, .. } = start;
    let effort = Effort {
        solves: args.reps,
        least_solves: 3,
        in_a_row: 1,
        compares_each: args.compare_each,
        analyses: 6,
        budget_ms: args.effort * 1e3,
    };
    let ours = Ours { library: &library, algorithm, setup: args.setup as i32 };
    let run = Run { what, ours, effort, peers: &peers, types };
    let measure = |case: &_| run.case(case);
    let session =
        Session { executor: &executor, measure: &measure, report: report.as_ref(), outputs, budget, only };
    session.run(pending, &mut results)
}

struct Run<'r, 'e> {
    what: Task,
    ours: Ours<'r, 'e>,
    effort: Effort,
    /// For each value type.
    peers: &'r [Peers],
    types: Vec<Type>,
}

/// Bytes per row and per entry that the arrays of one system and their checks take at most.
const ROW: u64 = 400;
const ENTRY: u64 = 80;

impl Run<'_, '_> {
    /// A result for each value type; one alone where the matrix cannot be had.
    fn case(&self, case: &Case) -> Vec<MatrixResult> {
        let head = MatrixResult {
            name: case.name(),
            stand_in: case.is_stand_in(),
            rhs: 1,
            ..MatrixResult::default()
        };
        let mut results = Vec::new();
        for complex in [false, true] {
            let types: Vec<usize> =
                (0..self.types.len()).filter(|&k| self.types[k].is_complex() == complex).collect();
            if types.is_empty() {
                continue;
            }
            let matrix = match self.what {
                Task::Iteration if !complex => case.definite(),
                _ => case.whole(complex),
            };
            match matrix {
                Ok(a) => results.extend(types.iter().map(|&k| self.type_of(k, &a, &head))),
                Err(error) => results.push(MatrixResult { error: Some(error), ..head.clone() }),
            }
        }
        results
    }

    /// One value type, by its place in the list.
    fn type_of(&self, k: usize, a: &Csr, head: &MatrixResult) -> MatrixResult {
        let levels = a.levels(Fill::Lower);
        let (value_type, op) = (self.types[k].letter().into(), Op::N.letter().into());
        let (n, nnz, levels, widest) = (a.n, a.nnz(), levels.count(), levels.widest());
        let result = MatrixResult { value_type, op, n, nnz, levels, widest, ..head.clone() };
        match self.timings(k, a) {
            Ok(timings) => MatrixResult { timings, ..result },
            Err(error) => MatrixResult { error: Some(error), ..result },
        }
    }

    fn timings(&self, k: usize, a: &Csr) -> Result<Vec<Timing>> {
        memory::must_have(ROW * a.n as u64 + ENTRY * a.nnz() as u64, "the arrays of a system")?;
        let ty = self.types[k];
        let (mut re, mut im) = (a.val.clone(), a.im.clone());
        ty.round(&mut re);
        ty.round(&mut im);
        let subject = Subject {
            ours: self.ours,
            peers: &self.peers[k],
            effort: self.effort,
            pattern: a,
            values: (&re, &im),
            ty,
        };
        match self.what {
            Task::Call(Around::Pair) => pair::timings(&subject),
            Task::Call(Around::Sweep) => sweep::timings(&subject),
            Task::Call(Around::Factorisation) => factors::timings(&subject),
            Task::Iteration => pcg::timings(&subject),
        }
    }
}
