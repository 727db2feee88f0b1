//! Forward Gauss-Seidel sweeps: in one call, beside a solve with the triangle alone, and beside what they are made of without it,
//! SpMV for the residual, a solve by this library or by SpSV, and the update.

use super::subject::{one, triangle, Subject, Vector};
use crate::base::Result;
use crate::matrix::Fill;
use crate::measure::timing::{Step, Timing};
use crate::solvers::cusparse::product::{ComposedSweep, ProductApi, Vectors};
use crate::solvers::cusparse::Cusparse;
use crate::solvers::library::Purpose;
use crate::solvers::peers::Who;
use crate::solvers::sweep::Sweep;
use crate::system::check::{backward_error, Question};
use crate::system::executor::Buffer;
use crate::system::residuals::of_sweep;
use crate::system::{DeviceMatrix, Op};

pub const SWEEP: &str = "sweep";
pub const SOLVE: &str = "solve";
pub const COMPOSED: &str = "SpMV + solve";

/// The matrix, the vectors and what they are on the host.
struct Arrays<'e> {
    matrix: DeviceMatrix<'e>,
    right: Vector,
    first: Vector,
    b: Buffer<'e>,
    x: Buffer<'e>,
    guess: Buffer<'e>,
    residual: Buffer<'e>,
    update: Buffer<'e>,
    rows: Buffer<'e>,
}

pub fn timings(s: &Subject) -> Result<Vec<Timing>> {
    let arrays = arrays(s)?;
    let a = &arrays;
    let check = || {
        let x = s.download(&a.x, s.pattern.n)?;
        Ok(of_sweep(&s.matrix(), a.right.parts(), a.first.parts(), x.parts()))
    };
    let mut timings = Vec::new();
    if let Some(product) = s.peers.others::<ProductApi>(s.executor(), "SpMV", s.ty) {
        let names = s.peers.present(1).into_iter().map(|who| (who, who.name()));
        for (who, name) in names.chain([(s.us(), COMPOSED.to_string())]) {
            timings.push(s.time(&name, composed(s, a, &product, who).map(|c| one(c, &a.x, check))));
        }
    }
    timings.push(s.time(SOLVE, solve(s, a)));
    let system = triangle(&a.matrix, (Fill::Lower, false), &a.b, &a.x);
    let sweep = s.solver(system, Purpose::Sweeps).map(|solver| Sweep::new(solver, &a.guess));
    timings.push(s.time(SWEEP, sweep.map(|sweep| one(sweep, &a.x, check))));
    Ok(timings)
}

fn arrays<'e>(s: &Subject<'_, 'e>) -> Result<Arrays<'e>> {
    let right = s.numbers();
    let first = right.permuted(|i| s.pattern.n - 1 - i);
    let rows: Vec<i32> = (0..s.pattern.n as i32).collect();
    Ok(Arrays {
        matrix: s.upload()?,
        b: s.upload_vector(&right)?,
        x: s.room()?,
        guess: s.upload_vector(&first)?,
        residual: s.room()?,
        update: s.room()?,
        rows: s.executor().upload(&rows)?,
        right,
        first,
    })
}

/// The residual, a solve by `who`, and the update.
fn composed<'m, 'e>(
    s: &'m Subject<'m, 'e>,
    a: &'m Arrays<'e>,
    product: &'m Cusparse<ProductApi>,
    who: Who,
) -> Result<ComposedSweep<'m, 'e>> {
    let system = triangle(&a.matrix, (Fill::Lower, false), &a.residual, &a.update);
    let solver = s.enter(who, system)?;
    let Arrays { b, x, guess, residual, update, rows, .. } = a;
    let vectors = Vectors { b, x, guess, residual, update, rows };
    ComposedSweep::new(product, &a.matrix, solver, vectors)
}

/// A solve with the triangle.
fn solve<'m, 'e>(s: &'m Subject<'m, 'e>, a: &'m Arrays<'e>) -> Result<Vec<Step<'m>>> {
    let solver = s.solver(triangle(&a.matrix, (Fill::Lower, false), &a.b, &a.update), Purpose::Solves)?;
    let check = || {
        let x = s.download(&a.update, s.pattern.n)?;
        let question = Question { matrix: s.pattern, fill: Fill::Lower, op: Op::N, ty: s.ty };
        Ok(backward_error(&question, a.right.parts(), x.parts()))
    };
    Ok(one(solver, &a.update, check))
}
