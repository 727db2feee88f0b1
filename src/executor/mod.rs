//! Where the work is done: an NVIDIA GPU or CPU threads.

pub mod cuda;
pub mod host;

use std::sync::Arc;

use crate::problem::ExecutorKind;
use crate::status::Result;

#[derive(Clone)]
pub enum Executor {
    Cuda(Arc<cuda::Gpu>),
    Host(Arc<host::Pool>),
}

impl Executor {
    pub fn new(kind: ExecutorKind) -> Result<Self> {
        Ok(match kind {
            ExecutorKind::Cuda => Executor::Cuda(Arc::new(cuda::Gpu::open()?)),
            ExecutorKind::Host => Executor::Host(Arc::new(host::Pool::new(host::default_threads()))),
        })
    }
}
