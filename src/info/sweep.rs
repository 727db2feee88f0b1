//! Gauss-Seidel and SOR sweeps by an info that was analysed for them: what is left of b for the triangle, and a solve for it.
#![forbid(unsafe_code)]

use super::{Analysed, Body, Info, Request, Rhs};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::SweepCall;
use crate::problem::{require, require_aligned, Alpha, Arrays, Dense, Order, Policy, Shape, Sweeps};
use crate::scalar::{dispatch, Scalar};
use crate::workspace;

/// What a sweep is called with.
#[derive(Clone, Copy)]
pub struct Sweep {
    pub weight: f64,
    /// Whether x counts as zero.
    pub is_zero: bool,
    pub b: usize,
    pub x: usize,
}

impl Info {
    pub fn sweep(
        &mut self,
        context: &Context,
        shape: Shape,
        arrays: Arrays,
        sweep: Sweep,
        buffer: usize,
    ) -> Result<()> {
        let diagonal = self.diagonal;
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let which = analysed.body_for(&shape)?;
        if !analysed.purpose.sweeps() {
            let text = "a sweep with an info that was not analysed after sptrsvSetSweeps";
            return Err(Error::Unsupported(text.into()));
        }
        if !shape.rows_are_stored() {
            return Err(Error::Unsupported("a sweep where the rows of op(A) are not stored".into()));
        }
        let by_own = analysed.purpose.sweeps == Sweeps::GaussSeidel;
        if by_own && sweep.weight != 1.0 {
            let text =
                format!("weight is {}, but the info was analysed for Gauss-Seidel sweeps", sweep.weight);
            return Err(Error::Invalid(text));
        }
        analysed.bodies[which].must_belong_to(&context.executor)?;
        if shape.n == 0 {
            return Ok(());
        }
        let values = shape.dtype.bytes();
        require_aligned(arrays.ptr, "rowPtr", shape.descr.offsets.bytes())?;
        if shape.nnz > 0 {
            require_aligned(arrays.ind, "colInd", shape.descr.columns.bytes())?;
            require_aligned(arrays.val, "val", values)?;
        }
        require_aligned(sweep.b, "b", values)?;
        require_aligned(sweep.x, "x", values)?;
        require(buffer, "buffer")?;
        if diagonal != 0 {
            require_aligned(diagonal, "the diagonal", values)?;
        }
        let side = |address| Dense { address, ld: i64::from(shape.n), order: Order::Columns };
        let rhs = Rhs { count: 1, names: ["b", "x"], f: side(sweep.b), x: side(sweep.x) };
        let alpha = Alpha::Host(dispatch!(shape.dtype, T => T::ONE.bytes()));
        let policy = Policy::NoLevel;
        let request = Request { shape, arrays, policy, alpha, rhs, buffer, diagonal: None };
        if by_own && sweep.is_zero {
            return self.solve(context, &request);
        }
        let ([rest, scaled], _) = workspace::sweep_places(&shape, analysed.row_bytes, buffer);
        let call = SweepCall {
            arrays,
            b: sweep.b,
            x: sweep.x,
            diagonal,
            rest,
            scaled: if by_own { 0 } else { scaled },
            factor: 1.0 / sweep.weight,
            is_zero: sweep.is_zero,
        };
        analysed.begin_sweep(context, which, &call)?;
        let rhs = Rhs { f: side(rest), ..rhs };
        let diagonal = (!by_own).then_some(scaled);
        self.solve(context, &Request { rhs, diagonal, ..request })
    }
}

impl Analysed {
    /// Enqueues, or does, what comes before the sweep's solve.
    fn begin_sweep(&mut self, context: &Context, which: usize, call: &SweepCall) -> Result<()> {
        let _bound = self.bodies[which].bind()?;
        match &mut self.bodies[which] {
            Body::Host(plan) => plan.begin_sweep(call),
            Body::Cuda(plan) => {
                let sweep = self.sweep.as_ref().expect("made by the analysis on the GPU");
                sweep.begin(plan, context.stream, call)?;
            }
        }
        Ok(())
    }
}
