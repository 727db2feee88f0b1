//! ILU(0) and IC(0) in place, sptrsvIlu0 and sptrsvIc0.

use super::contender::{Contender, Facts};
use super::library::{call, Solver};
use crate::base::Result;
use crate::system::executor::Buffer;

/// Which factorisation it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Ilu0,
    Ic0,
}

/// A solver that was made for factorisations: they replace the values of its matrix.
pub struct Factorisation<'s, 'e> {
    solver: Solver<'s, 'e>,
    kind: Kind,
    /// The values of the matrix.
    original: &'s Buffer<'e>,
}

impl<'s, 'e> Factorisation<'s, 'e> {
    pub fn new(solver: Solver<'s, 'e>, kind: Kind, original: &'s Buffer<'e>) -> Factorisation<'s, 'e> {
        Factorisation { solver, kind, original }
    }
}

/// Puts the factors in the place of the values of the solver's matrix.
pub fn factorise(s: &Solver, kind: Kind) -> Result<()> {
    let a = s.system.matrix;
    let (abi, h, n, nnz, ty) = (s.library.abi, s.library.handle, a.n as i64, a.nnz as i64, a.ty.number());
    let (val, ptr, col) = (a.val.ptr(), a.ptr.ptr(), a.col.ptr());
    match kind {
        Kind::Ilu0 => call!(abi, sptrsvIlu0(h, n, nnz, s.descr, ty, val, ptr, col, s.info, s.scratch())),
        Kind::Ic0 => call!(abi, sptrsvIc0(h, n, nnz, s.descr, ty, val, ptr, col, s.info, s.scratch())),
    }
}

impl Contender for Factorisation<'_, '_> {
    fn analyse(&mut self) -> Result<()> {
        self.solver.analyse()
    }

    /// Factorises.
    fn solve(&mut self) -> Result<()> {
        factorise(&self.solver, self.kind)
    }

    fn restore(&mut self) -> Result<()> {
        self.solver.system.matrix.val.copy_from(self.original)
    }

    fn restores_each(&self) -> bool {
        true
    }

    fn facts(&self) -> Result<Facts> {
        Ok(Facts { predicted_ms: None, ..self.solver.facts()? })
    }
}
