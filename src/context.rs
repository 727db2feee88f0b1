//! What a handle holds.
#![forbid(unsafe_code)]

use std::time::Duration;

use crate::address::Stream;
use crate::error::Result;
use crate::executor::Executor;
use crate::problem::{ExecutorKind, PointerMode};

pub struct Context {
    pub executor: Executor,
    /// The caller's stream.
    pub stream: Stream,
    pub pointer_mode: PointerMode,
    /// The watchdog; zero is off.
    pub timeout: Duration,
    /// How many multiprocessors launches are sized for; 0 stands for all.
    pub sm_count_target: u32,
}

impl Context {
    pub fn new(kind: ExecutorKind) -> Result<Self> {
        Ok(Context {
            executor: Executor::new(kind)?,
            stream: Stream::DEFAULT,
            pointer_mode: PointerMode::Host,
            timeout: crate::tuning::DEFAULT_TIMEOUT,
            sm_count_target: 0,
        })
    }

    /// Whether alpha and the zero-pivot position are in device memory.
    pub fn takes_device_pointers(&self) -> bool {
        self.pointer_mode == PointerMode::Device && matches!(self.executor, Executor::Cuda(_))
    }
}
