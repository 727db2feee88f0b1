//! Factorisations by an info that was analysed for them.
#![forbid(unsafe_code)]

use super::{Body, Info};
use crate::address::Address;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::FactorCall;
use crate::problem::{require, require_aligned, Arrays, Factorization, Shape};
use crate::stats::Pivot;
use crate::workspace;

impl Info {
    /// Factorises the caller's values in place.
    pub fn factorize(
        &mut self,
        context: &Context,
        kind: Factorization,
        shape: Shape,
        arrays: Arrays,
        buffer: Address,
    ) -> Result<()> {
        let boost = self.boost;
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        analysed.body_for(&shape)?;
        let workspace = analysed.places(&shape, 0, buffer);
        analysed.factor.as_ref().ok_or_else(not_prepared)?;
        analysed.bodies[0].must_belong_to(&context.executor)?;
        if shape.n == 0 {
            return Ok(());
        }
        require_aligned(arrays.val, "val", shape.dtype.bytes())?;
        require_aligned(arrays.ptr, "rowPtr", shape.descr.offsets.bytes())?;
        require_aligned(arrays.ind, "colInd", shape.descr.columns.bytes())?;
        require(buffer, "buffer")?;
        let call = FactorCall {
            arrays,
            work: workspace::behind_a_solve(&shape, analysed.row_bytes, buffer),
            workspace,
            boost,
            timeout: context.timeout,
            sm_count_target: context.sm_count_target,
        };
        let _bound = analysed.bodies[0].bind()?;
        if analysed.take_failure(context.stream)? {
            return Err(Error::TimedOut);
        }
        let plan = match &mut analysed.bodies[0] {
            Body::Cuda(plan) => Some(plan.as_mut()),
            Body::Host(_) => None,
        };
        let factor = analysed.factor.as_mut().ok_or_else(not_prepared)?;
        factor.factorize(context.stream, plan, kind, &call)
    }

    /// Waits for the last factorisation and tells its pivot; writes the position to device memory, if it is to go there.
    pub fn factor_zero_pivot(
        &mut self,
        context: &Context,
        in_device_memory: Option<Address>,
    ) -> Result<Pivot> {
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let factor = analysed.factor.as_ref().ok_or_else(not_prepared)?;
        analysed.bodies[0].must_belong_to(&context.executor)?;
        let _bound = analysed.bodies[0].bind()?;
        let row = factor.zero_pivot(context.stream)?;
        if analysed.take_failure(context.stream)? {
            return Err(Error::TimedOut);
        }
        let position = row.map_or(-1, |r| i64::from(r) + analysed.shape.base());
        if let (Body::Cuda(plan), Some(address)) = (&analysed.bodies[0], in_device_memory) {
            plan.write_position(address, position, context.stream)?;
        }
        Ok(Pivot { position, is_structural: false })
    }
}

fn not_prepared() -> Error {
    Error::Unsupported(
        "a factorisation with an info that was not analysed after sptrsvSetFactorization".into(),
    )
}
