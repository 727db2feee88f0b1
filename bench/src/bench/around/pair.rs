//! Solves with both factors of ILU(0), L with a unit diagonal and U, which are in one array: in one call, with and without a
//! permutation, in two calls, and in two calls of SpSV.

use super::subject::{one, triangle, Subject, Vector};
use crate::base::Result;
use crate::matrix::permute::{order, Order};
use crate::matrix::Fill;
use crate::measure::timing::{Step, Timing};
use crate::solvers::contender::Contender;
use crate::solvers::factorisation::{Factorisation, Kind};
use crate::solvers::library::Purpose;
use crate::solvers::pair::{Pair, Permuted};
use crate::system::check::TOLERANCE;
use crate::system::executor::Buffer;
use crate::system::residuals::{of_ilu, of_pair};
use crate::system::{DeviceMatrix, System};

pub const PAIR: &str = "pair";
pub const PERMUTED: &str = "permuted pair";
pub const TWO: &str = "two solves";

/// The factors, the vectors and what they are on the host.
struct Arrays<'e> {
    factors: DeviceMatrix<'e>,
    values: Vector,
    right: Vector,
    f: Buffer<'e>,
    middle: Buffer<'e>,
    x: Buffer<'e>,
    /// A random order of rows and columns, on the host and in the executor's memory.
    order: Vec<u32>,
    permutation: Buffer<'e>,
}

pub fn timings(s: &Subject) -> Result<Vec<Timing>> {
    let arrays = arrays(s)?;
    let a = &arrays;
    let (lower, upper) = a.systems();
    let plain = || error(s, a, None);
    let permuted = || error(s, a, Some(&a.order));
    let mut timings = Vec::new();
    for who in s.peers.present(1) {
        let enter = |system| s.enter(who, system);
        timings.push(s.time(&who.name(), two(enter, lower, upper, &plain)));
    }
    let enter = |system| s.enter(s.us(), system);
    timings.push(s.time(TWO, two(enter, lower, upper, &plain)));
    timings.push(s.time(PAIR, in_one_call(s, a, false, &plain)));
    timings.push(s.time(PERMUTED, in_one_call(s, a, true, &permuted)));
    Ok(timings)
}

impl<'e> Arrays<'e> {
    /// Those of L, from f to the middle, and of U, from the middle to x.
    fn systems(&self) -> (System<'_, 'e>, System<'_, 'e>) {
        (
            triangle(&self.factors, (Fill::Lower, true), &self.f, &self.middle),
            triangle(&self.factors, (Fill::Upper, false), &self.middle, &self.x),
        )
    }
}

/// Factorises the matrix, and makes vectors.
fn arrays<'e>(s: &Subject<'_, 'e>) -> Result<Arrays<'e>> {
    let factors = s.upload()?;
    let original = s.upload_values()?;
    let (right, middle, x) = (s.numbers(), s.room()?, s.room()?);
    let f = s.upload_vector(&right)?;
    let system = triangle(&factors, (Fill::Lower, true), &f, &x);
    let solver = s.solver(system, Purpose::Factorisations)?;
    let mut factorisation = Factorisation::new(solver, Kind::Ilu0, &original);
    factorisation.analyse()?;
    factorisation.solve()?;
    s.executor().synchronize()?;
    let values = s.download(&factors.val, factors.nnz)?;
    let error = of_ilu(&s.matrix(), &s.with_values(values.parts()));
    if error > TOLERANCE {
        return Err(format!("the factors are wrong: their error is {error:.3e} row x eps"));
    }
    drop(factorisation);
    let order = order(s.pattern, Order::Random);
    let permutation = s.executor().upload(&order)?;
    Ok(Arrays { factors, values, right, f, middle, x, order, permutation })
}

/// Of the solution in x, whose rows and columns may be in another order than those of the factors.
fn error(s: &Subject, a: &Arrays, order: Option<&[u32]>) -> Result<f64> {
    let factors = s.with_values(a.values.parts());
    let x = s.download(&a.x, s.pattern.n)?;
    let Some(order) = order else { return Ok(of_pair(&factors, a.right.parts(), x.parts())) };
    let place = |i: usize| order[i] as usize;
    Ok(of_pair(&factors, a.right.permuted(place).parts(), x.permuted(place).parts()))
}

/// Two calls. The second one's result tells of both.
fn two<'m, 'e>(
    enter: impl Fn(System<'m, 'e>) -> Result<Box<dyn Contender + 'm>>,
    lower: System<'m, 'e>,
    upper: System<'m, 'e>,
    check: &'m dyn Fn() -> Result<f64>,
) -> Result<Vec<Step<'m>>> {
    Ok(vec![
        Step { contender: enter(lower)?, x: lower.x, check: Box::new(|| Ok(0.0)) },
        Step { contender: enter(upper)?, x: upper.x, check: Box::new(check) },
    ])
}

fn in_one_call<'m, 'e>(
    s: &'m Subject<'m, 'e>,
    a: &'m Arrays<'e>,
    is_permuted: bool,
    check: &'m dyn Fn() -> Result<f64>,
) -> Result<Vec<Step<'m>>> {
    let (lower, upper) = a.systems();
    let permuted = is_permuted.then_some(Permuted { order: &a.permutation, work: &a.middle });
    let solver = |system| s.solver(system, Purpose::Solves);
    let pair = Pair::new(solver(lower)?, solver(upper)?, permuted);
    Ok(one(pair, &a.x, check))
}
