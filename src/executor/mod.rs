//! Where the work is done: an NVIDIA GPU or CPU threads.

pub mod cuda;
pub mod host;

use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::problem::{DataType, ExecutorKind};
use crate::status::{Error, Result};
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

impl Executor {
    /// What addresses of values are multiples of: on a GPU a value is read at once, on the CPU by its components.
    pub fn alignment(&self, dtype: DataType) -> usize {
        match self {
            Executor::Host(_) if dtype.is_complex() => dtype.bytes() / 2,
            _ => dtype.bytes(),
        }
    }
}

/// Locks what a panic in another thread leaves whole, so that it does not matter whether there was one.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a handle or an info points to: used by one thread at a time, in the process that has made it. In a child of that process it
/// serves as long as no other thread was using it at the fork; else it is in a state that nobody knows, and nobody will unlock it.
pub struct Owned<T> {
    value: ManuallyDrop<Mutex<T>>,
    process: u32,
}

impl<T> Owned<T> {
    pub fn new(value: T) -> Owned<T> {
        Owned { value: ManuallyDrop::new(Mutex::new(value)), process: std::process::id() }
    }

    /// Waits for other threads of this process; refuses what a thread of the parent's was using. `what` is its name.
    pub fn lock(&self, what: &'static str) -> Result<MutexGuard<'_, T>> {
        // The process is asked for only where somebody has it, as it takes a system call.
        match self.value.try_lock() {
            Ok(value) => Ok(value),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if std::process::id() != self.process => {
                Err(Error::InUseAtFork(what))
            }
            Err(TryLockError::WouldBlock) => Ok(lock(&self.value)),
        }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        let is_lost = matches!(self.value.try_lock(), Err(TryLockError::WouldBlock));
        if !is_lost || std::process::id() == self.process {
            // SAFETY: dropped once, here.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        }
    }
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

/// The bytes of one value of the caller's in host memory, at an address that is not 0.
pub fn read_host_value(address: usize, dtype: DataType) -> [u8; 16] {
    let mut bytes = [0; 16];
    // SAFETY: the C interface demands a readable value of the type; no type is longer than 16 bytes.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), dtype.bytes()) };
    bytes
}

/// Writes a zero-pivot position to the caller's host memory, at an address that is not 0.
pub fn write_host_position(address: usize, position: i64) {
    // SAFETY: the C interface demands a writable int64_t.
    unsafe { (address as *mut i64).write(position) };
}
