//! ILU(0) and IC(0), in place of the values of the matrix, beside solves with L and beside csrilu02 and csric02.

use super::subject::{one, triangle, Subject};
use crate::base::Result;
use crate::matrix::{Csr, Fill};
use crate::measure::timing::Timing;
use crate::solvers::cusparse::factors::{name, FactorApi, PeerFactorisation};
use crate::solvers::factorisation::{Factorisation, Kind};
use crate::solvers::library::Purpose;
use crate::system::check::{backward_errors, Question};
use crate::system::executor::Buffer;
use crate::system::residuals::{of_ic, of_ilu};
use crate::system::{DeviceMatrix, Op};

pub const ILU0: &str = "ILU(0)";
pub const IC0: &str = "IC(0)";
pub const SOLVE: &str = "L solve";

pub fn timings(s: &Subject) -> Result<Vec<Timing>> {
    let matrix = s.upload()?;
    let original = s.upload_values()?;
    let right = s.numbers();
    let (f, x) = (s.upload_vector(&right)?, s.room()?);
    let (m, values) = (&matrix, &matrix.val);
    let mut timings = Vec::new();
    if let Some(peer) = s.peers.others::<FactorApi>(s.executor(), "csrilu02, as csric02,", s.ty) {
        for kind in [Kind::Ilu0, Kind::Ic0] {
            let contender = PeerFactorisation::new(&peer, kind, &matrix, &original);
            timings.push(s.time(name(kind), contender.map(|c| one(c, values, move || error(s, m, kind)))));
        }
    }
    let lower = triangle(&matrix, (Fill::Lower, true), &f, &x);
    // ILU(0) comes last: it leaves the factors that are solved with.
    for (kind, name) in [(Kind::Ic0, IC0), (Kind::Ilu0, ILU0)] {
        let solver = s.solver(lower, Purpose::Factorisations);
        let contender = solver.map(|solver| Factorisation::new(solver, kind, &original));
        timings.push(s.time(name, contender.map(|c| one(c, values, move || error(s, m, kind)))));
    }
    let check = || solution_error(s, &matrix, &right.parts(), &x);
    let solver = s.solver(lower, Purpose::Solves);
    timings.push(s.time(SOLVE, solver.map(|solver| one(solver, &x, check))));
    Ok(timings)
}

/// Of the factors that are in place of the values.
fn error(s: &Subject, matrix: &DeviceMatrix, kind: Kind) -> Result<f64> {
    let values = s.download(&matrix.val, matrix.nnz)?;
    let factors = s.with_values(values.parts());
    Ok(match kind {
        Kind::Ilu0 => of_ilu(&s.matrix(), &factors),
        Kind::Ic0 => of_ic(&s.matrix(), &factors),
    })
}

/// Of a solve with L.
fn solution_error(s: &Subject, matrix: &DeviceMatrix, f: &(&[f64], &[f64]), x: &Buffer) -> Result<f64> {
    let (values, x) = (s.download(&matrix.val, matrix.nnz)?, s.download(x, s.pattern.n)?);
    let (ptr, col) = (s.pattern.ptr.clone(), s.pattern.col.clone());
    let factors = Csr { n: s.pattern.n, ptr, col, val: values.re, im: values.im };
    let question = Question { matrix: &factors, fill: Fill::Lower, op: Op::N, ty: s.ty };
    Ok(backward_errors(&question, true, *f, x.parts())[0])
}
