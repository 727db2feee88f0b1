//! Forward Gauss-Seidel sweeps, in place: sptrsvSweep.

use super::contender::{Contender, Facts};
use super::library::{call, Solver};
use crate::base::Result;
use crate::system::executor::Buffer;

/// A solver that was made for sweeps: f of its system is b, x the vector that is swept.
pub struct Sweep<'s, 'e> {
    solver: Solver<'s, 'e>,
    /// What x is before the first sweep.
    guess: &'s Buffer<'e>,
}

impl<'s, 'e> Sweep<'s, 'e> {
    pub fn new(solver: Solver<'s, 'e>, guess: &'s Buffer<'e>) -> Sweep<'s, 'e> {
        Sweep { solver, guess }
    }
}

impl Contender for Sweep<'_, '_> {
    fn analyse(&mut self) -> Result<()> {
        self.solver.analyse()
    }

    fn solve(&mut self) -> Result<()> {
        let (s, system, a) = (&self.solver, &self.solver.system, self.solver.system.matrix);
        let (weight, zero_guess) = (1.0, 0);
        call!(
            s.library.abi,
            sptrsvSweep(
                s.library.handle,
                a.n as i64,
                a.nnz as i64,
                weight,
                zero_guess,
                s.descr,
                a.ty.number(),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                s.info,
                system.f.ptr(),
                system.x.ptr(),
                s.scratch(),
            )
        )
    }

    fn restore(&mut self) -> Result<()> {
        self.solver.system.x.copy_from(self.guess)
    }

    fn facts(&self) -> Result<Facts> {
        Ok(Facts { predicted_ms: None, ..self.solver.facts()? })
    }
}
