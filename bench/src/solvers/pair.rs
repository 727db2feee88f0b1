//! L and then U in one call, sptrsvSolvePair.

use std::ptr::{null, null_mut};

use super::abi;
use super::contender::{Contender, Facts};
use super::factorisation::{factorise, Kind};
use super::library::{call, Alpha, Solver};
use crate::base::Result;
use crate::system::executor::Buffer;

/// Two solvers, of L and of U, that one call uses. It reads the right-hand side of the lower one and writes the solution of the upper
/// one.
pub struct Pair<'s, 'e> {
    lower: Solver<'s, 'e>,
    upper: Solver<'s, 'e>,
    permuted: Option<Permuted<'s, 'e>>,
}

/// Rows and columns in another order than those of the matrix.
pub struct Permuted<'s, 'e> {
    /// The row of the matrix that is each row of the factors, 32-bit, base 0; columns alike.
    pub order: &'s Buffer<'e>,
    /// Room for a vector.
    pub work: &'s Buffer<'e>,
}

impl<'s, 'e> Pair<'s, 'e> {
    pub fn new(
        lower: Solver<'s, 'e>,
        upper: Solver<'s, 'e>,
        permuted: Option<Permuted<'s, 'e>>,
    ) -> Pair<'s, 'e> {
        Pair { lower, upper, permuted }
    }

    /// Factorises the matrix of both by ILU(0): the lower solver was made for that.
    pub fn factorise(&self) -> Result<()> {
        factorise(&self.lower, Kind::Ilu0)
    }
}

impl Contender for Pair<'_, '_> {
    fn analyse(&mut self) -> Result<()> {
        self.lower.analyse()?;
        self.upper.analyse()
    }

    fn solve(&mut self) -> Result<()> {
        let (l, u) = (&self.lower, &self.upper);
        let (system, a) = (&l.system, l.system.matrix);
        let (n, nnz) = (a.n as i64, a.nnz as i64);
        let alpha = Alpha::one(a.ty.is_double());
        let order = self.permuted.as_ref().map_or(null(), |p| p.order.ptr().cast_const());
        let work = self.permuted.as_ref().map_or(null_mut(), |p| p.work.ptr());
        let scratch = if l.scratch_bytes() < u.scratch_bytes() { u.scratch() } else { l.scratch() };
        call!(
            l.library.abi,
            sptrsvSolvePair(
                l.library.handle,
                system.operation_number(),
                n,
                1,
                alpha.ptr(),
                a.ty.number(),
                l.descr,
                nnz,
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                l.info,
                u.descr,
                nnz,
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                u.info,
                order,
                order,
                system.f.ptr(),
                n,
                u.system.x.ptr(),
                n,
                work,
                abi::USE_LEVEL,
                scratch,
            )
        )
    }

    /// Those of L, with the memory of both.
    fn facts(&self) -> Result<Facts> {
        let (lower, upper) = (self.lower.facts()?, self.upper.facts()?);
        let bytes_held = lower.bytes_held.zip(upper.bytes_held).map(|(l, u)| l + u);
        Ok(Facts { bytes_held, predicted_ms: None, ..lower })
    }
}
