//! Measures one case: every solver, on each of the systems that it is to be solved as.

use super::args::Args;
use super::results::MatrixResult;
use crate::base::{memory, Result};
use crate::matrix::{right_hand_side, Csr};
use crate::measure::gather::gather_ms;
use crate::measure::limit::{limit, Size};
use crate::measure::relaunch::lost_gpu;
use crate::measure::timing::{measure_in_turns, Effort, Step, Timing};
use crate::solvers::library::Library;
use crate::solvers::peers::{Peers, Who};
use crate::suites::cases::{Case, Wanted};
use crate::system::check::{backward_error, Question};
use crate::system::{self, DeviceMatrix, Op, System, Type};

/// One run: all solvers, on the systems that each case is to be solved as.
pub struct Run<'r, 'e> {
    pub args: &'r Args,
    pub library: &'r Library<'e>,
    /// The host executor on one thread, where that is measured too.
    pub one_thread: Option<&'r Library<'e>>,
    /// For each value type.
    pub peers: &'r [Peers],
    pub algorithms: &'r [i32],
    pub types: Vec<Type>,
    pub ops: Vec<Op>,
}

impl Run<'_, '_> {
    /// The systems of each value type: an operation and a number of right-hand sides.
    pub fn systems(&self) -> impl Iterator<Item = (Op, usize)> + '_ {
        self.ops.iter().flat_map(|&op| self.args.rhs.iter().map(move |&rhs| (op, rhs)))
    }

    /// A result for each value type and each of its systems; one alone where the matrix cannot be had.
    pub fn case(&self, case: &Case) -> Vec<MatrixResult> {
        let head =
            MatrixResult { name: case.name(), stand_in: case.is_stand_in(), ..MatrixResult::default() };
        let mut results = Vec::new();
        for complex in [false, true] {
            let types: Vec<usize> =
                (0..self.types.len()).filter(|&k| self.types[k].is_complex() == complex).collect();
            if types.is_empty() {
                continue;
            }
            let wanted = Wanted {
                fill: self.args.fill(),
                ops: self.ops.clone(),
                types: types.iter().map(|&k| self.types[k]).collect(),
                complex,
                generated_values: self.args.selection.generated_values,
            };
            match case.triangle(&wanted) {
                Ok((a, values)) => {
                    let head = MatrixResult { values, ..head.clone() };
                    results.extend(types.iter().flat_map(|&k| self.type_of(k, &a, &head)));
                }
                Err(error) => results.push(MatrixResult { error: Some(error), ..head.clone() }),
            }
        }
        results
    }

    /// One value type, by its place in the list, and all its systems.
    fn type_of(&self, k: usize, a: &Csr, head: &MatrixResult) -> Vec<MatrixResult> {
        let (ty, fill) = (self.types[k], self.args.fill());
        let levels = a.levels(fill);
        let mut head = MatrixResult { value_type: ty.letter().into(), ..head.clone() };
        (head.n, head.nnz) = (a.n, a.nnz());
        (head.levels, head.widest) = (levels.count(), levels.widest());
        let executor = self.library.executor;
        let uploaded = DeviceMatrix::upload(executor, a, ty);
        let one = |(op, rhs): (Op, usize)| {
            let mut result = MatrixResult { op: op.letter().into(), rhs, ..head.clone() };
            match uploaded.as_ref().map_err(Clone::clone).and_then(|m| self.system(k, a, m, op, rhs)) {
                Ok(timings) => result.timings = timings,
                Err(error) => result.error = Some(error),
            }
            // A GPU that hangs would never give memory.
            if rhs > 1 && lost_gpu(executor, result.timings.iter()).is_none() {
                result.gather_ms = gather_ms(executor, a, fill, op, rhs * ty.bytes());
            }
            let size = Size { n: head.n, nnz: head.nnz, levels: head.levels };
            if let Some(limit) = limit(executor, size, ty, rhs, result.gather_ms) {
                (result.limit_ms, result.bound_by) = (Some(limit.ms), Some(limit.bound_by.into()));
            }
            result
        };
        self.systems().map(one).collect()
    }

    fn system(&self, k: usize, a: &Csr, m: &DeviceMatrix, op: Op, rhs: usize) -> Result<Vec<Timing>> {
        let (executor, fill, ty) = (self.library.executor, self.args.fill(), self.types[k]);
        // For right-hand sides, solutions, and the sums of the check.
        memory::must_have((a.n as u64).saturating_mul(32 * (rhs as u64 + 1)), "right-hand sides")?;
        let mut re = right_hand_side(a.n * rhs);
        let mut im: Vec<f64> = if ty.is_complex() { re.iter().rev().copied().collect() } else { Vec::new() };
        ty.round(&mut re);
        ty.round(&mut im);
        let f = system::upload(executor, ty, &re, &im)?;
        let x = executor.alloc(a.n * rhs * ty.bytes())?;
        let system = System { matrix: m, fill, unit: false, op, rhs, f: &f, x: &x };
        let effort = Effort {
            solves: self.args.reps,
            least_solves: 3,
            in_a_row: self.args.in_a_row,
            compares_each: self.args.compare_each,
            analyses: 6,
            budget_ms: self.args.effort * 1e3,
        };
        let check = || {
            let question = Question { matrix: a, fill, op, ty };
            let (x_re, x_im) = system::download(&x, ty, a.n * rhs)?;
            Ok(backward_error(&question, (&re, &im), (&x_re, &x_im)))
        };
        let (setup, copies) = (self.args.setup as i32, self.args.copy_values);
        let auto = self.args.tune.then_some(Who::Ours { algorithm: 0, setup, copies, tunes: true });
        let ours = self.algorithms.iter();
        let ours = ours.map(|&algorithm| Who::Ours { algorithm, setup, copies, tunes: false }).chain(auto);
        let on_host = self.peers[k].present_on_host(rhs);
        let peers = self.peers[k].present(rhs).into_iter().chain(on_host);
        let enter = |who: Who| {
            let library = self.one_thread.filter(|_| who == Who::OneThread).unwrap_or(self.library);
            let contender = who.enter(library, &self.peers[k], system);
            (who.name(), contender.map(|contender| vec![Step { contender, x: &x, check: Box::new(check) }]))
        };
        let solvers = peers.chain(ours).map(enter);
        // On a GPU one at a time, as memory is scarce.
        Ok(match executor.is_host() {
            true => measure_in_turns(executor, solvers.collect(), effort),
            false => solvers.flat_map(|one| measure_in_turns(executor, vec![one], effort)).collect(),
        })
    }
}
