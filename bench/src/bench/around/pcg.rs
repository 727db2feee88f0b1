//! Conjugate gradients with ILU(0) to a fixed residual, from the analysis to the solution: by this library, and by csrilu02 with
//! SpSV. Both multiply and add by the same functions.

use std::time::Instant;

use super::subject::{triangle, Subject, Vector as HostVector};
use crate::base::Result;
use crate::matrix::Fill;
use crate::measure::timing::{Phases, Timing};
use crate::solvers::contender::{Contender, Facts};
use crate::solvers::cusparse::algebra::{CusparseAlgebra, DotApi};
use crate::solvers::cusparse::factors::{FactorApi, PeerFactorisation};
use crate::solvers::cusparse::product::ProductApi;
use crate::solvers::cusparse::Cusparse;
use crate::solvers::factorisation::Kind;
use crate::solvers::krylov::{conjugate_gradients, row_times, Algebra, HostAlgebra, Vector, VECTORS};
use crate::solvers::library::Purpose;
use crate::solvers::pair::Pair;
use crate::solvers::peers::{Peers, Who};
use crate::system::executor::{Buffer, Executor};
use crate::system::{DeviceMatrix, System, Type};

/// Whether a run can be had: in double precision, and on a GPU with a cuSPARSE, which multiplies and adds there.
pub fn must_be_possible(types: &[Type], executor: &Executor, peers: &[Peers]) -> Result<()> {
    if types != [Type::D] {
        return Err("the suite pcg knows double precision alone".into());
    }
    match executor.is_host() || peers.iter().all(|peers| peers.file.is_some()) {
        true => Ok(()),
        false => {
            Err("the suite pcg multiplies by cuSPARSE on a GPU, and there is none: --cusparse names one"
                .into())
        }
    }
}

pub const OURS: &str = "libsptrsv";
/// The residual to be reached, relative to the right-hand side.
pub const TOLERANCE: f64 = 1e-8;
const MOST_ITERATIONS: usize = 10_000;

/// The matrix and its factors, the vectors, and what they begin with.
struct Arrays<'e> {
    matrix: DeviceMatrix<'e>,
    factors: DeviceMatrix<'e>,
    right: HostVector,
    b: Buffer<'e>,
    zero: Buffer<'e>,
    middle: Buffer<'e>,
    vectors: [Buffer<'e>; VECTORS],
    rows: Buffer<'e>,
}

pub fn timings(s: &Subject) -> Result<Vec<Timing>> {
    let arrays = arrays(s)?;
    let a = &arrays;
    if s.peers.file.is_none() {
        let mut algebra = HostAlgebra { a: s.pattern, vectors: &a.vectors };
        return Ok(vec![measure(s, a, &mut algebra, OURS, &|| ours(s, a))]);
    }
    let others = |what| format!("conjugate gradients multiply by cuSPARSE, and there is no {what}");
    let product = s.peers.others::<ProductApi>(s.executor(), "SpMV", s.ty).ok_or_else(|| others("SpMV"))?;
    let dot = s.peers.others::<DotApi>(s.executor(), "SpVV", s.ty).ok_or_else(|| others("SpVV"))?;
    let mut algebra = CusparseAlgebra::new(&product, &dot, &a.matrix, &a.rows, &a.vectors)?;
    let mut timings = Vec::new();
    if let Some(factors) = s.peers.others::<FactorApi>(s.executor(), "csrilu02", s.ty) {
        for who in s.peers.present(1).into_iter().filter(|who| matches!(who, Who::Spsv(_))) {
            let program = || peer(s, a, &factors, who);
            timings.push(measure(s, a, &mut algebra, &who.name(), &program));
        }
    }
    timings.push(measure(s, a, &mut algebra, OURS, &|| ours(s, a)));
    Ok(timings)
}

fn arrays<'e>(s: &Subject<'_, 'e>) -> Result<Arrays<'e>> {
    let right = s.numbers();
    let rows: Vec<i32> = (0..s.pattern.n as i32).collect();
    let zeros = vec![0.0; s.pattern.n];
    let mut vectors = Vec::new();
    for _ in 0..VECTORS {
        vectors.push(s.room()?);
    }
    Ok(Arrays {
        matrix: s.upload()?,
        factors: s.upload()?,
        b: s.upload_vector(&right)?,
        zero: s.upload_vector(&HostVector { re: zeros, im: Vec::new() })?,
        middle: s.room()?,
        vectors: vectors.try_into().unwrap_or_else(|_| unreachable!("there are so many")),
        rows: s.executor().upload(&rows)?,
        right,
    })
}

impl<'e> Arrays<'e> {
    fn vector(&self, vector: Vector) -> &Buffer<'e> {
        &self.vectors[vector as usize]
    }

    /// The factors' systems: L from the residual to the middle, U from there.
    fn systems(&self) -> [System<'_, 'e>; 2] {
        let (r, z) = (self.vector(Vector::R), self.vector(Vector::Z));
        [
            triangle(&self.factors, (Fill::Lower, true), r, &self.middle),
            triangle(&self.factors, (Fill::Upper, false), &self.middle, z),
        ]
    }
}

/// What is done beside products and sums.
trait Program {
    /// What must be done before an analysis but is not part of it.
    fn prepare(&mut self) -> Result<()>;
    fn analyse(&mut self) -> Result<()>;
    fn factorise(&mut self) -> Result<()>;
    /// An analysis that reads the factors' values.
    fn analyse_factors(&mut self) -> Result<()>;
    /// z from r.
    fn precondition(&mut self) -> Result<()>;
    fn facts(&self) -> Result<Facts>;
}

/// The lower triangle's analysis prepares the factorisation, and one call solves with both factors.
struct Ours<'m, 'e>(Pair<'m, 'e>);

fn ours<'m, 'e>(s: &'m Subject<'m, 'e>, a: &'m Arrays<'e>) -> Result<Box<dyn Program + 'm>> {
    let [lower, upper] = a.systems();
    let lower = s.solver(lower, Purpose::Factorisations)?;
    Ok(Box::new(Ours(Pair::new(lower, s.solver(upper, Purpose::Solves)?, None))))
}

impl Program for Ours<'_, '_> {
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }
    fn analyse(&mut self) -> Result<()> {
        self.0.analyse()
    }
    fn factorise(&mut self) -> Result<()> {
        self.0.factorise()
    }
    fn analyse_factors(&mut self) -> Result<()> {
        Ok(())
    }
    fn precondition(&mut self) -> Result<()> {
        self.0.solve()
    }
    fn facts(&self) -> Result<Facts> {
        self.0.facts()
    }
}

/// csrilu02, and two calls of SpSV.
struct Peer<'m, 'e> {
    factorisation: PeerFactorisation<'m, 'e>,
    solves: [Box<dyn Contender + 'm>; 2],
}

fn peer<'m, 'e>(
    s: &'m Subject<'m, 'e>,
    a: &'m Arrays<'e>,
    factors: &'m Cusparse<FactorApi>,
    who: Who,
) -> Result<Box<dyn Program + 'm>> {
    let [lower, upper] = a.systems();
    let factorisation = PeerFactorisation::new(factors, Kind::Ilu0, &a.factors, &a.matrix.val)?;
    Ok(Box::new(Peer { factorisation, solves: [s.enter(who, lower)?, s.enter(who, upper)?] }))
}

impl Program for Peer<'_, '_> {
    fn prepare(&mut self) -> Result<()> {
        self.factorisation.prepare()?;
        self.solves.iter_mut().try_for_each(|solve| solve.prepare())
    }
    fn analyse(&mut self) -> Result<()> {
        self.factorisation.analyse()
    }
    fn factorise(&mut self) -> Result<()> {
        self.factorisation.solve()
    }
    fn analyse_factors(&mut self) -> Result<()> {
        self.solves.iter_mut().try_for_each(|solve| solve.analyse())
    }
    fn precondition(&mut self) -> Result<()> {
        self.solves.iter_mut().try_for_each(|solve| solve.solve())
    }
    fn facts(&self) -> Result<Facts> {
        Ok(Facts::default())
    }
}

/// The median of some runs by their total, after one that loads what is loaded once.
fn measure<'m>(
    s: &Subject,
    a: &Arrays,
    algebra: &mut dyn Algebra,
    name: &str,
    program: &dyn Fn() -> Result<Box<dyn Program + 'm>>,
) -> Timing {
    let effort = s.effort;
    let mut all = || {
        let mut program = program()?;
        let first = run(s, a, algebra, program.as_mut())?;
        let affordable = (effort.budget_ms / first.total().max(1e-3)) as usize;
        let count = affordable.max(effort.least_solves).min(effort.solves.max(1));
        let mut runs = Vec::new();
        for _ in 0..count {
            runs.push(run(s, a, algebra, program.as_mut())?);
        }
        runs.sort_by(|x, y| x.total().total_cmp(&y.total()));
        let totals: Vec<f64> = runs.iter().map(Run::total).collect();
        let Run { analysis_ms, phases } = runs.swap_remove((count - 1) / 2);
        Ok(Timing {
            solver: name.into(),
            facts: program.facts()?,
            analysis_first_ms: first.analysis_ms,
            analysis_ms,
            solve_median_ms: totals[(count - 1) / 2],
            solve_mean_ms: totals.iter().sum::<f64>() / count as f64,
            solve_least_ms: totals[0],
            solves: count,
            same_bits: true,
            phases: Some(phases),
            ..Timing::default()
        })
    };
    all().unwrap_or_else(|e: String| Timing::failed(name, e))
}

struct Run {
    analysis_ms: f64,
    phases: Phases,
}

impl Run {
    fn total(&self) -> f64 {
        self.analysis_ms + self.phases.factorisation_ms + self.phases.iterations_ms
    }
}

/// Solves once, and checks the solution.
fn run(s: &Subject, a: &Arrays, algebra: &mut dyn Algebra, program: &mut dyn Program) -> Result<Run> {
    program.prepare()?;
    a.factors.val.copy_from(&a.matrix.val)?;
    // Products of NaN and zero are NaN.
    a.vectors.iter().try_for_each(|vector| vector.copy_from(&a.zero))?;
    a.vector(Vector::R).copy_from(&a.b)?;
    let analysis_ms = timed(s, || program.analyse())?;
    let factorisation_ms = timed(s, || program.factorise())?;
    let analysis_ms = analysis_ms + timed(s, || program.analyse_factors())?;
    let mut iterations = 0;
    let iterations_ms = timed(s, || {
        let mut precondition = || program.precondition();
        iterations = conjugate_gradients(algebra, &mut precondition, TOLERANCE, MOST_ITERATIONS)?;
        Ok(())
    })?;
    let residual = residual(s, a)?;
    // The method knows a residual that it updates.
    if residual > 10.0 * TOLERANCE || residual.is_nan() {
        return Err(format!("after {iterations} iterations the residual is {residual:.1e}"));
    }
    Ok(Run { analysis_ms, phases: Phases { factorisation_ms, iterations, iterations_ms, residual } })
}

/// Milliseconds of some work, to its end on the executor.
fn timed(s: &Subject, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    s.executor().synchronize()?;
    let begin = Instant::now();
    work()?;
    s.executor().synchronize()?;
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

/// |b - A x| / |b|, computed on the host.
fn residual(s: &Subject, a: &Arrays) -> Result<f64> {
    let x = s.download(a.vector(Vector::X), s.pattern.n)?;
    let b = &a.right.re;
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
    let rest = square(&mut (0..s.pattern.n).map(|i| b[i] - row_times(s.pattern, i, &x.re)));
    Ok((rest / square(&mut b.iter().copied())).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::subject::Ours as OurLibrary;
    use super::*;
    use crate::generate::grids::{Grid, Stencil};
    use crate::generate::model;
    use crate::measure::timing::Effort;
    use crate::solvers::library::Library;
    use crate::solvers::standin::StandIn;

    /// On the host executor, with the stand-in for cuSPARSE.
    fn measured(grid: Grid, change: impl Fn(&mut Vec<f64>)) -> Vec<Timing> {
        let stand_in = StandIn::new(&format!("pcg-{}", grid.unknowns()));
        let executor = Executor::Host;
        let library = Library::open(&executor).expect("the workspace is built");
        let peers = Peers::of_stand_in(&stand_in.file);
        let mut a = grid.pattern(false).unwrap();
        assert!(model::set_values(&mut a, &grid));
        change(&mut a.val);
        let (solves, least_solves, in_a_row, compares_each, analyses) = (3, 1, 1, false, 1);
        let effort = Effort { solves, least_solves, in_a_row, compares_each, analyses, budget_ms: 1.0 };
        let ours = OurLibrary { library: &library, algorithm: 0, setup: 0 };
        let s = Subject { ours, peers: &peers, effort, pattern: &a, values: (&a.val, &[]), ty: Type::D };
        timings(&s).unwrap()
    }

    #[test]
    fn both_programs_take_as_many_iterations() {
        let solid = |stencil, size, dof| Grid { stencil, size: [size; 3], dof };
        for (grid, least) in [(solid(Stencil::Axes, 9, 1), 8), (solid(Stencil::Box, 4, 3), 4)] {
            let timings = measured(grid, |_| {});
            assert!(
                timings.iter().all(Timing::is_good),
                "{:?}",
                timings.iter().map(|t| &t.error).collect::<Vec<_>>()
            );
            let names: Vec<&str> = timings.iter().map(|t| t.solver.as_str()).collect();
            assert_eq!(names, ["SpSV", OURS]);
            let [peer, own] = [0, 1].map(|k| timings[k].phases.as_ref().expect("it was measured"));
            assert_eq!(peer.iterations, own.iterations);
            assert!(own.iterations >= least && own.residual < 2.0 * TOLERANCE);
            let sum = timings[1].analysis_ms + own.factorisation_ms + own.iterations_ms;
            assert!((timings[1].solve_median_ms - sum).abs() < 1e-9);
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_told() {
        let grid = Grid { stencil: Stencil::Axes, size: [4, 4, 3], dof: 1 };
        for timing in measured(grid, |values| values.iter_mut().for_each(|v| *v = -*v)) {
            assert!(timing.error.unwrap().contains("not positive definite"));
        }
    }
}
