//! An analysis: of a pattern that is new, or of one that the info knows already, which keeps the schedule.
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use super::{Analysed, Body, Info, Settings, Source};
use crate::address::Address;
use crate::context::Context;
use crate::engines::{self, Algorithm, Asked, MANY_COLUMNS};
use crate::error::{Error, Result};
use crate::executor::cuda::{stream_beside_captures, CudaPlan, CudaSweep, Gpu, How};
use crate::executor::host::{HostPlan, Pool};
use crate::executor::Executor;
use crate::factor::Factor;
use crate::kept::KeptPattern;
use crate::problem::{require, require_aligned, Arrays, CopyValues, Policy, Setup, Shape};

/// What is new of an analysis.
struct Made {
    algorithm: &'static dyn Algorithm,
    setup: Setup,
    /// For this operation, and for the transposed one where any is to be solved with.
    bodies: Vec<Body>,
    factor: Option<Factor>,
}

impl Info {
    pub fn analyse(
        &mut self,
        context: &Context,
        shape: Shape,
        arrays: Arrays,
        policy: Policy,
        buffer: Address,
    ) -> Result<()> {
        let asked = self.asked();
        if shape.n > 0 {
            self.must_have_all(context, asked, &shape, arrays, buffer)?;
        }
        if self.knows(context, &shape, arrays)? {
            return self.analyse_known(context, &shape, arrays, policy);
        }
        let start = Instant::now();
        let Made { algorithm, setup, bodies, factor } = match &context.executor {
            Executor::Host(pool) => self.make_on_host(context, pool, asked, &shape, arrays)?,
            Executor::Cuda(gpu) => self.make_on_gpu(context, gpu, asked, &shape, arrays)?,
        };
        let sweep = match &context.executor {
            Executor::Cuda(gpu) if self.purpose.sweeps() => {
                let stream = stream_beside_captures(gpu, context.stream)?;
                Some(gpu.with_all_memory(stream, || CudaSweep::new(gpu, &shape, arrays, stream))?)
            }
            _ => None,
        };
        let kept = match self.keeps_pattern && shape.n > 0 {
            true => KeptPattern::new(context, &shape, arrays)?,
            false => None,
        };
        let setup_time = start.elapsed();
        // The size that was asked for last may have been for an analysis before this one.
        let wanted = self.row_bytes_of_bodies(&context.executor, algorithm, &bodies, shape.dtype);
        let on_host = matches!(context.executor, Executor::Host(_));
        self.analysed = Some(Analysed {
            shape,
            policy,
            algorithm,
            setup,
            setup_time,
            bodies,
            last: 0,
            values: Source::new(self.copy_values),
            row_bytes: wanted.min(self.row_bytes[shape.dtype.place()]),
            purpose: self.purpose,
            // A tuning times solves for one right-hand side.
            is_open: asked.is_none() && (on_host || self.right_hand_sides < MANY_COLUMNS),
            tuned: [None; 2],
            factor,
            sweep,
            kept,
            settings: self.settings(),
            was_known: false,
            was_ended: false,
        });
        Ok(())
    }

    /// Refuses arrays that cannot be what an analysis reads, and a buffer whose size was asked for something less.
    fn must_have_all(
        &self,
        context: &Context,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
        buffer: Address,
    ) -> Result<()> {
        require_aligned(arrays.ptr, "rowPtr", shape.descr.offsets.bytes())?;
        require(buffer, "buffer")?;
        if shape.nnz > 0 {
            require_aligned(arrays.ind, "colInd", shape.descr.columns.bytes())?;
        }
        if self.least_row_bytes(&context.executor, asked, shape.dtype) > self.row_bytes[shape.dtype.place()] {
            return Err(Error::SmallBuffer);
        }
        if self.copy_values == CopyValues::All && shape.nnz > 0 {
            require_aligned(arrays.val, "val", shape.dtype.bytes())?;
        }
        match self.buffer_is_for.covers(self.purpose) {
            true => Ok(()),
            false => Err(Error::SmallBuffer),
        }
    }

    fn make_factor(&self, context: &Context, shape: &Shape, arrays: Arrays) -> Result<Option<Factor>> {
        self.purpose.factorizes.then(|| Factor::new(context, shape, arrays, self.setup)).transpose()
    }

    fn make_on_host(
        &self,
        context: &Context,
        pool: &Arc<Pool>,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
    ) -> Result<Made> {
        let method = asked.map(|a| a.host());
        let (plan, transposed) = HostPlan::new(pool, method, shape, arrays, self.any_operation)?;
        // Behind what has found the pattern well-formed.
        let factor = self.make_factor(context, shape, arrays)?;
        let mut plans: Vec<_> = std::iter::once(plan).chain(transposed).collect();
        if self.copy_values == CopyValues::All {
            plans.iter_mut().try_for_each(|plan| plan.copy_values(arrays.val))?;
        }
        let bodies = plans.into_iter().map(|plan| Body::Host(Box::new(plan))).collect();
        Ok(Made { algorithm: engines::choose_on_host(asked), setup: Setup::Cpu, bodies, factor })
    }

    fn make_on_gpu(
        &mut self,
        context: &Context,
        gpu: &Arc<Gpu>,
        asked: Option<&'static dyn Algorithm>,
        shape: &Shape,
        arrays: Arrays,
    ) -> Result<Made> {
        // Before the info's analysis is given up: a pattern that cannot be factorised leaves it.
        let factor = self.make_factor(context, shape, arrays)?;
        let (any_operation, copy_values) = (self.any_operation, self.copy_values);
        let stream = stream_beside_captures(gpu, context.stream)?;
        let how = How {
            setup: self.setup,
            stream,
            timeout: context.timeout,
            copy_values,
            right_hand_sides: self.right_hand_sides,
        };
        // Of a plan from before, until the analysis has waited for its solves.
        let mut deferred = Vec::new();
        // Given up as late as can be, so that a refused matrix leaves it, and early enough to be where the new one goes.
        let mut let_go = || {
            for body in self.analysed.iter_mut().flat_map(|a| &mut a.bodies) {
                match body {
                    Body::Cuda(old) if old.gpu().same_context(gpu) => deferred.push(old.retire_on(stream)),
                    _ => {}
                }
            }
            self.analysed = None;
        };
        let plans = gpu.with_all_memory(stream, || {
            Ok(if any_operation {
                Vec::from(CudaPlan::pair(gpu, &Asked(asked), shape, arrays, how, &mut let_go)?)
            } else {
                vec![CudaPlan::new(gpu, &Asked(asked), shape, arrays, how, &mut let_go)?]
            })
        })?;
        let (algorithm, setup) = (plans[0].algorithm(), plans[0].setup);
        let bodies = plans.into_iter().map(|plan| Body::Cuda(Box::new(plan))).collect();
        Ok(Made { algorithm, setup, bodies, factor })
    }

    fn settings(&self) -> Settings {
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
    fn knows(&self, context: &Context, shape: &Shape, arrays: Arrays) -> Result<bool> {
        let Some(analysed) = &self.analysed else { return Ok(false) };
        let Some(kept) = &analysed.kept else { return Ok(false) };
        let is_alike = analysed.shape == *shape
            && analysed.settings == self.settings()
            && analysed.bodies[0].must_belong_to(&context.executor).is_ok();
        Ok(is_alike && kept.equals(context, shape, arrays)?)
    }

    /// Makes the analysis that there is as it would be if it had just been made of these arrays.
    fn analyse_known(
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
        let wanted =
            self.row_bytes_of_bodies(&context.executor, analysed.algorithm, &analysed.bodies, shape.dtype);
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
        if !self.keeps_pattern {
            analysed.kept = None;
        }
        (analysed.was_known, analysed.was_ended, analysed.setup_time) = (true, false, start.elapsed());
        self.analysed = Some(analysed);
        Ok(())
    }
}
