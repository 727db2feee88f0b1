//! Where the work is done: an NVIDIA GPU or CPU threads.

pub mod cuda;
pub mod host;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Result;
use crate::problem::ExecutorKind;
use crate::workspace::Workspace;

#[derive(Clone)]
pub enum Executor {
    Cuda(Arc<cuda::Gpu>),
    Host(Arc<host::Pool>),
}

impl Executor {
    pub fn new(kind: ExecutorKind) -> Result<Self> {
        Ok(match kind {
            ExecutorKind::Cuda => Executor::Cuda(cuda::Gpu::open()?),
            ExecutorKind::Host => Executor::Host(Arc::new(host::Pool::new(host::default_threads()))),
        })
    }
}

/// Locks what a panic in another thread leaves whole, so that it does not matter whether there was one.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One solve, as addresses on the executor's side.
#[derive(Clone, Copy)]
pub struct SolveCall {
    pub val: usize,
    /// The separate diagonal, or 0.
    pub diagonal: usize,
    pub f: usize,
    pub x: usize,
    /// alpha in device memory, or 0: then its bytes are in `alpha_host`.
    pub alpha_device: usize,
    pub alpha_host: [u8; 16],
    /// Whether matrix values are to be conjugated.
    pub conjugate: bool,
    pub workspace: Workspace,
    pub timeout: Duration,
}
