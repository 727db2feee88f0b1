//! What a sweep solves its triangle for, and what it takes from the solve, on the GPU.
#![forbid(unsafe_code)]

use std::sync::Arc;

use super::pattern::{Diagonal, Pattern};
use super::shared::sweep::{SweepArgs, SWEEP_THREADS};
use super::{CudaPlan, Gpu, KernelName, Launcher};
use crate::address::{Address, Stream};
use crate::error::Result;
use crate::executor::SweepCall;
use crate::problem::{Arrays, Shape};

/// Before the solve, where all rows are relaxed or only some; and after it in the second case.
const REST: KernelName<SweepArgs> = KernelName::new("sweep_rest");
const REST_MARKED: KernelName<SweepArgs> = KernelName::new("sweep_rest_marked");
const TAKE: KernelName<SweepArgs> = KernelName::new("sweep_take");

/// What an info holds for sweeps besides its plan.
pub struct CudaSweep {
    /// None where rows do not ascend, or have no diagonal entry.
    diagonal: Option<Diagonal>,
}

impl CudaSweep {
    /// Prepares sweeps with a pattern that is known to be well-formed. Waits for the stream.
    pub fn new(gpu: &Arc<Gpu>, shape: &Shape, arrays: Arrays, stream: Stream) -> Result<CudaSweep> {
        let _bound = gpu.bind()?;
        let launcher = Launcher::new(gpu, stream, shape.dtype);
        // Loaded now, as the first sweep may be captured into a graph.
        for name in [REST, REST_MARKED, TAKE] {
            launcher.kernel(name, "")?;
        }
        let diagonal = match shape.n {
            0 => None,
            _ => Diagonal::find(&launcher, shape, arrays)?.ok(),
        };
        Ok(CudaSweep { diagonal })
    }

    /// Enqueues what comes before the sweep's solve.
    pub fn begin(&self, plan: &mut CudaPlan, stream: Stream, call: &SweepCall) -> Result<()> {
        plan.note_use(stream)?;
        let args = self.args(plan, call);
        let name = if call.marked.is_some() { REST_MARKED } else { REST };
        let threads = u64::from(plan.stored.n()) * u64::from(args.lanes);
        plan.launcher(stream).kernel_overlapped(name, "")?.cover(threads, SWEEP_THREADS, &args)
    }

    /// Enqueues what comes after it where only some rows are relaxed.
    pub fn end(&self, plan: &CudaPlan, stream: Stream, call: &SweepCall) -> Result<()> {
        let args = self.args(plan, call);
        plan.launcher(stream).kernel_overlapped(TAKE, "")?.cover(plan.stored.n().into(), SWEEP_THREADS, &args)
    }

    fn args(&self, plan: &CudaPlan, call: &SweepCall) -> SweepArgs {
        let shape = plan.stored.shape();
        let place = self.diagonal.as_ref().map_or(Address::NULL, |diagonal| diagonal.place.address());
        // Five entries and more for each lane; of a row whose diagonal is known half are read, if all rows are relaxed.
        let half = !place.is_null() && call.marked.is_none();
        let entries = shape.nnz / shape.n / if half { 2 } else { 1 };
        let lanes = (entries / 5).max(1).next_power_of_two().min(32);
        let (marker, points) =
            call.marked.map_or((Address::NULL, 0), |marked| (marked.marker, marked.points));
        SweepArgs {
            pattern: Pattern::new(shape, call.arrays),
            val: call.arrays.val,
            b: call.b,
            x: call.x,
            diagonal: call.diagonal,
            place,
            rest: call.rest,
            scaled: call.scaled,
            marker,
            factor: call.factor,
            lanes,
            backward: !shape.forward() as u32,
            is_zero: call.is_zero as u32,
            points,
        }
    }

    pub fn bytes_held(&self) -> usize {
        self.diagonal.as_ref().map_or(0, |diagonal| diagonal.place.bytes())
    }
}
