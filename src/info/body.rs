//! What solves for an info, on either executor.
#![forbid(unsafe_code)]

use crate::address::{Address, Stream};
use crate::engines::Algorithm;
use crate::error::{Error, Result};
use crate::executor::cuda::{Bound, CudaPlan};
use crate::executor::host::HostPlan;
use crate::executor::Executor;

pub enum Body {
    Host(Box<HostPlan>),
    Cuda(Box<CudaPlan>),
}

impl Body {
    /// Makes its GPU's context current, if it is on one, for as long as the result lives.
    pub fn bind(&self) -> Result<Option<Bound>> {
        match self {
            Body::Host(_) => Ok(None),
            Body::Cuda(plan) => plan.gpu().bind().map(Some),
        }
    }

    /// The algorithm that solves: on the host the one that is given, as all bodies there have the same.
    pub fn algorithm(&self, of_host: &'static dyn Algorithm) -> &'static dyn Algorithm {
        match self {
            Body::Host(_) => of_host,
            Body::Cuda(plan) => plan.algorithm(),
        }
    }

    /// Copies the caller's values, where solves read a copy.
    pub fn update_values(&mut self, stream: Stream, val: Address) -> Result<()> {
        match self {
            Body::Cuda(plan) => plan.update_values(stream, val),
            Body::Host(plan) => {
                plan.update_values(val);
                Ok(())
            }
        }
    }

    /// Whether the watchdog ended a solve since the last look.
    pub fn take_failure(&mut self, stream: Stream) -> Result<bool> {
        match self {
            Body::Host(plan) => Ok(plan.take_failure()),
            Body::Cuda(plan) => plan.take_failure(stream),
        }
    }

    /// The smallest row (zero-based) without a diagonal entry.
    pub fn missing_diag(&self) -> Option<u32> {
        match self {
            Body::Host(plan) => plan.missing_diag(),
            Body::Cuda(plan) => plan.missing_diag(),
        }
    }

    pub fn bytes_held(&self) -> usize {
        match self {
            Body::Host(plan) => plan.bytes_held(),
            Body::Cuda(plan) => plan.bytes_held(),
        }
    }

    /// Refuses an info that was analysed on another executor or GPU.
    pub fn must_belong_to(&self, executor: &Executor) -> Result<()> {
        let (analysed, given) = match (self, executor) {
            (Body::Host(_), Executor::Host(_)) => return Ok(()),
            (Body::Cuda(plan), Executor::Cuda(gpu)) if plan.gpu().same_context(gpu) => return Ok(()),
            (Body::Host(_), Executor::Cuda(gpu)) => ("the host executor".to_string(), gpu.describe()),
            (Body::Cuda(plan), Executor::Host(_)) => (plan.gpu().describe(), "the host executor".to_string()),
            (Body::Cuda(plan), Executor::Cuda(gpu)) => (plan.gpu().describe(), gpu.describe()),
        };
        Err(Error::Mismatch { what: "the handle's device", analysed, given })
    }
}
