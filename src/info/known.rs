//! An analysis of a pattern that the info knows already: it keeps the schedule.
#![forbid(unsafe_code)]

use std::time::Instant;

use super::{Body, Info, Settings, Source};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::cuda::stream_beside_captures;
use crate::factor::Factor;
use crate::problem::{Arrays, CopyValues, Policy, Shape};

impl Info {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            algorithm: self.algorithm,
            right_hand_sides: self.right_hand_sides,
            setup: self.setup,
            any_operation: self.any_operation,
            copy_values: self.copy_values,
            purpose: self.purpose,
        }
    }

    /// Whether there is an analysis of an equal pattern with the same settings, on the same executor.
    pub(super) fn knows(&self, context: &Context, shape: &Shape, arrays: Arrays) -> Result<bool> {
        let Some(analysed) = &self.analysed else { return Ok(false) };
        let Some(kept) = &analysed.kept else { return Ok(false) };
        let is_alike = analysed.shape == *shape
            && analysed.settings == self.settings()
            && analysed.bodies[0].must_belong_to(&context.executor).is_ok();
        Ok(is_alike && kept.equals(context, shape, arrays)?)
    }

    /// Makes the analysis that there is as it would be if it had just been made of these arrays.
    pub(super) fn analyse_known(
        &mut self,
        context: &Context,
        shape: &Shape,
        arrays: Arrays,
        policy: Policy,
    ) -> Result<()> {
        let start = Instant::now();
        let row_bytes = self.row_bytes[shape.dtype.place()];
        // What fails on the way leaves nothing.
        let mut analysed = self.analysed.take().ok_or(Error::NotAnalysed)?;
        let wanted = self.row_bytes_of_analysis(Some(analysed.algorithm), shape.dtype);
        let values = (self.copy_values == CopyValues::All).then_some(arrays.val);
        let _bound = analysed.bodies[0].bind()?;
        for body in &mut analysed.bodies {
            match body {
                Body::Host(plan) => plan.renew(values),
                Body::Cuda(plan) => {
                    plan.renew(stream_beside_captures(plan.gpu(), context.stream)?, values)?
                }
            }
        }
        if analysed.factor.is_some() {
            analysed.factor = Some(Factor::new(context, shape, arrays, self.setup)?);
        }
        (analysed.policy, analysed.last) = (policy, 0);
        analysed.values = Source::new(self.copy_values);
        analysed.row_bytes = wanted.min(row_bytes);
        (analysed.was_known, analysed.setup_time) = (true, start.elapsed());
        self.analysed = Some(analysed);
        Ok(())
    }
}
