//! The pattern of an analysis, kept so that an analysis of an equal one need not be made again.
#![forbid(unsafe_code)]

use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::cuda::{self, stream_beside_captures, Launcher};
use crate::executor::{host, Executor};
use crate::problem::{Arrays, Shape};

/// The pattern of the analysis that an info holds, where its memory is.
pub enum KeptPattern {
    Host(host::KeptPattern),
    Cuda(cuda::KeptPattern),
}

impl KeptPattern {
    /// A copy of a pattern that is known to be well-formed; none where there is no memory for it.
    pub fn new(context: &Context, shape: &Shape, arrays: Arrays) -> Result<Option<KeptPattern>> {
        let made = match &context.executor {
            Executor::Host(_) => return Ok(host::KeptPattern::new(shape, arrays).map(KeptPattern::Host)),
            Executor::Cuda(gpu) => {
                let stream = stream_beside_captures(gpu, context.stream)?;
                cuda::KeptPattern::new(gpu, shape, arrays, stream)
            }
        };
        match made {
            Ok(kept) => Ok(Some(KeptPattern::Cuda(kept))),
            Err(Error::OutOfMemory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the caller's pattern, of the same shape, is equal.
    pub fn equals(&self, context: &Context, shape: &Shape, arrays: Arrays) -> Result<bool> {
        match (self, &context.executor) {
            (KeptPattern::Host(kept), Executor::Host(_)) => Ok(kept.equals(shape, arrays)),
            (KeptPattern::Cuda(kept), Executor::Cuda(gpu)) => {
                let stream = stream_beside_captures(gpu, context.stream)?;
                kept.equals(&Launcher::new(gpu, stream, shape.dtype), shape, arrays)
            }
            _ => Ok(false),
        }
    }

    pub fn bytes_held(&self) -> usize {
        match self {
            KeptPattern::Host(kept) => kept.bytes_held(),
            KeptPattern::Cuda(kept) => kept.bytes_held(),
        }
    }
}
