//! Locks that outlive panics and forks.

use std::mem::ManuallyDrop;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::error::{Error, Result};

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
