//! Incomplete factorisations: what an info holds for them, and the checks of a call.
#![forbid(unsafe_code)]

use crate::address::Stream;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::cuda::{stream_beside_captures, CudaFactor, CudaPlan, How};
use crate::executor::host::HostFactor;
use crate::executor::{Executor, FactorCall, Unfit};
use crate::problem::{Arrays, CopyValues, Factorization, Fill, Format, Op, Setup, Shape};

pub enum Factor {
    Host(HostFactor),
    Cuda(Box<CudaFactor>),
}

impl Factor {
    /// Prepares factorisations of the pattern whose lower triangle is to be analysed. Waits.
    pub fn new(context: &Context, shape: &Shape, arrays: Arrays, setup: Setup) -> Result<Factor> {
        let (op, descr) = (shape.op, shape.descr);
        if (op, descr.fill, descr.format) != (Op::NonTranspose, Fill::Lower, Format::Csr) {
            let text = "a factorisation by an info of an upper triangle, of an operation other than NON_TRANSPOSE, or of CSC";
            return Err(Error::Unsupported(text.into()));
        }
        let made = match &context.executor {
            Executor::Host(_) => HostFactor::new(shape, arrays)?.map(Factor::Host),
            Executor::Cuda(gpu) => {
                let stream = stream_beside_captures(gpu, context.stream)?;
                let how = How {
                    setup,
                    stream,
                    timeout: context.timeout,
                    copy_values: CopyValues::No,
                    right_hand_sides: 1,
                };
                gpu.with_all_memory(stream, || CudaFactor::new(gpu, shape, arrays, how))?
                    .map(|factor| Factor::Cuda(Box::new(factor)))
            }
        };
        made.map_err(|unfit| {
            let (row, why) = match unfit {
                Unfit::Unsorted(row) => (row, "its columns do not ascend, as a factorisation needs them to"),
                Unfit::NoDiagonal(row) => {
                    (row, "it has no entry on its diagonal, which a factorisation needs")
                }
            };
            Error::Malformed { major: "row", row: i64::from(row) + shape.base(), why: why.into() }
        })
    }

    /// Factorises the matrix that `solver` solves with, if that is on the GPU.
    pub fn factorize(
        &mut self,
        stream: Stream,
        solver: Option<&mut CudaPlan>,
        kind: Factorization,
        call: &FactorCall,
    ) -> Result<()> {
        match (self, solver) {
            (Factor::Host(factor), _) => factor.factorize(kind, call),
            (Factor::Cuda(factor), Some(solver)) => factor.factorize(solver, stream, kind, call)?,
            (Factor::Cuda(_), None) => unreachable!("an info is of one executor"),
        }
        Ok(())
    }

    /// Waits for the last factorisation; the smallest row (zero-based) with a zero pivot.
    pub fn zero_pivot(&self, stream: Stream) -> Result<Option<u32>> {
        match self {
            Factor::Host(factor) => Ok(factor.pivot),
            Factor::Cuda(factor) => factor.zero_pivot(stream),
        }
    }

    /// Whether the watchdog ended a factorisation since the last look. If so, makes the next one possible.
    pub fn take_failure(&mut self, stream: Stream) -> Result<bool> {
        match self {
            Factor::Host(_) => Ok(false),
            Factor::Cuda(factor) => factor.take_failure(stream),
        }
    }

    pub fn bytes_held(&self) -> usize {
        match self {
            Factor::Host(factor) => factor.bytes_held(),
            Factor::Cuda(factor) => factor.bytes_held(),
        }
    }
}
