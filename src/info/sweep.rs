//! Gauss-Seidel and SOR sweeps by infos that were analysed for them: what is left of b for the triangle, a solve for it, and what
//! is taken from that.
#![forbid(unsafe_code)]

use super::{Analysed, Body, Info, Ready, Request, Rhs};
use crate::address::Address;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::{Marked, SweepCall};
use crate::problem::{require, require_aligned, Alpha, Arrays, Dense, Order, Policy, Shape, Sweeps};
use crate::scalar::{dispatch, Scalar};
use crate::workspace;

/// What a sweep is called with.
#[derive(Clone, Copy)]
pub struct Sweep {
    pub weight: f64,
    /// Whether x counts as zero.
    pub is_zero: bool,
    /// The rows that are relaxed, if not all.
    pub marked: Option<Marked>,
    pub arrays: Arrays,
    pub b: Address,
    pub x: Address,
    pub buffer: Address,
}

/// A sweep by one info that can be enqueued.
struct Step {
    ready: Ready,
    /// A solve for b; a sweep puts what it solves for in its place.
    request: Request,
    call: SweepCall,
}

impl Sweep {
    /// Makes so many sweeps, each by all infos one behind the other. Where one of them is refused nothing is touched.
    pub fn run<const N: usize>(
        &self,
        context: &Context,
        count: i32,
        mut by: [(Shape, &mut Info); N],
    ) -> Result<()> {
        let mut steps = [const { None }; N];
        for (step, (shape, info)) in steps.iter_mut().zip(&mut by) {
            *step = info.ready_to_sweep(context, *shape, self)?;
        }
        if let [(one, _), (other, _)] = &by[..] {
            must_be_both_triangles(one, other)?;
        }
        let mut is_zero = self.is_zero;
        for _ in 0..count {
            for ((_, info), step) in by.iter_mut().zip(&steps) {
                let Some(step) = step else { return Ok(()) };
                info.enqueue_sweep(context, step, is_zero)?;
                is_zero = false;
            }
        }
        match (by.first_mut(), is_zero) {
            (Some((shape, info)), true) if shape.n > 0 => info.clear(context, self.x),
            _ => Ok(()),
        }
    }
}

/// Refuses two infos that do not sweep over one matrix in both directions.
fn must_be_both_triangles(one: &Shape, other: &Shape) -> Result<()> {
    let ways = [one, other].map(|s| (s.descr.base, s.descr.offsets, s.descr.columns));
    let text = if one.forward() == other.forward() {
        format!("descr and otherDescr are both for the {} triangle", one.descr.fill.word())
    } else if ways[0] != ways[1] {
        "descr and otherDescr differ in the index base or in the index types".into()
    } else {
        return Ok(());
    };
    Err(Error::Invalid(text))
}

impl Info {
    /// Whether the info can sweep, and how; None where there is nothing to do. Touches nothing.
    fn ready_to_sweep(&mut self, context: &Context, shape: Shape, sweep: &Sweep) -> Result<Option<Step>> {
        let &Sweep { weight, is_zero, marked, arrays, b, x, buffer } = sweep;
        let diagonal = self.diagonal;
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let which = analysed.body_for(&shape)?;
        let by_own = analysed.may_sweep(&shape, sweep)?;
        analysed.bodies[which].must_belong_to(&context.executor)?;
        if shape.n == 0 {
            return Ok(None);
        }
        let values = shape.dtype.bytes();
        require_aligned(arrays.ptr, "rowPtr", shape.descr.offsets.bytes())?;
        if shape.nnz > 0 {
            require_aligned(arrays.ind, "colInd", shape.descr.columns.bytes())?;
            require_aligned(arrays.val, "val", values)?;
        }
        if let Some(marked) = marked {
            require_aligned(marked.marker, "marker", size_of::<i32>())?;
        }
        require_aligned(b, "b", values)?;
        require_aligned(x, "x", values)?;
        require(buffer, "buffer")?;
        if !diagonal.is_null() {
            require_aligned(diagonal, "the diagonal", values)?;
        }
        let [rest, scaled] = workspace::sweep_places(&shape, analysed.row_bytes, buffer);
        let scaled = if by_own { Address::NULL } else { scaled };
        let call = SweepCall { arrays, b, x, diagonal, rest, scaled, factor: 1.0 / weight, is_zero, marked };
        let side = |address| Dense { address, ld: i64::from(shape.n), order: Order::Columns };
        let rhs = Rhs { count: 1, names: ["b", "x"], f: side(b), x: side(x) };
        let alpha = Alpha::Host(dispatch!(shape.dtype, T => T::ONE.bytes()));
        let policy = Policy::NoLevel;
        let diagonal = (!by_own).then_some(scaled);
        let request = Request { shape, arrays, policy, alpha, rhs, buffer, diagonal };
        let ready = self.ready(context, &request)?;
        Ok(ready.map(|ready| Step { ready, request, call }))
    }

    /// Enqueues, or does, the sweep.
    fn enqueue_sweep(&mut self, context: &Context, step: &Step, is_zero: bool) -> Result<()> {
        let (mut request, call) = (step.request, SweepCall { is_zero, ..step.call });
        let by_own = call.scaled.is_null();
        if by_own && is_zero {
            return self.enqueue(context, &request, step.ready);
        }
        request.rhs.f.address = call.rest;
        if call.marked.is_some() {
            request.rhs.x.address = call.rest;
        }
        self.beside_solve(context, step, &call, false)?;
        self.enqueue(context, &request, step.ready)?;
        match call.marked {
            Some(_) => self.beside_solve(context, step, &call, true),
            None => Ok(()),
        }
    }

    /// Enqueues, or does, what comes before the sweep's solve, or what comes after it.
    fn beside_solve(&mut self, context: &Context, step: &Step, call: &SweepCall, after: bool) -> Result<()> {
        let Analysed { bodies, sweep, .. } = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let body = &mut bodies[step.ready.which];
        let _bound = body.bind()?;
        match (body, sweep, after) {
            (Body::Host(plan), _, false) => plan.begin_sweep(call),
            (Body::Host(plan), _, true) => plan.end_sweep(call),
            (Body::Cuda(plan), Some(sweep), false) => sweep.begin(plan, context.stream, call)?,
            (Body::Cuda(plan), Some(sweep), true) => sweep.end(plan, context.stream, call)?,
            (Body::Cuda(_), None, _) => unreachable!("the analysis on the GPU has prepared sweeps"),
        }
        Ok(())
    }

    /// Sets x to zero.
    fn clear(&mut self, context: &Context, x: Address) -> Result<()> {
        let Analysed { bodies, last, .. } = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let body = &mut bodies[*last];
        let _bound = body.bind()?;
        match body {
            Body::Host(plan) => plan.clear(x),
            Body::Cuda(plan) => plan.clear(context.stream, x)?,
        }
        Ok(())
    }
}

impl Analysed {
    /// Refuses a sweep that the analysis was not for. Whether the matrix's own diagonal is what the solve finds itself.
    fn may_sweep(&self, shape: &Shape, sweep: &Sweep) -> Result<bool> {
        if !self.purpose.sweeps() {
            let text = "a sweep with an info that was not analysed after sptrsvSetSweeps";
            return Err(Error::Unsupported(text.into()));
        }
        if !shape.rows_are_stored() {
            return Err(Error::Unsupported("a sweep where the rows of op(A) are not stored".into()));
        }
        let by_own = self.purpose.sweeps == Sweeps::GaussSeidel;
        if by_own && sweep.weight != 1.0 {
            let text =
                format!("weight is {}, but the info was analysed for Gauss-Seidel sweeps", sweep.weight);
            return Err(Error::Invalid(text));
        }
        if by_own && sweep.marked.is_some() {
            let text =
                "a marker with an info that was analysed for Gauss-Seidel sweeps: it needs SPTRSV_SWEEPS_ANY";
            return Err(Error::Unsupported(text.into()));
        }
        Ok(by_own)
    }
}
