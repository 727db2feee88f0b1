//! A buffer of our own for the real library, where the caller's has the size that libsptrsv asked for.

use doors::driver::DeviceMemory;
use doors::pooled::Executor;
use doors::status::{Status, ALLOC_FAILED};
use libc::c_void;

pub enum PassedBuffer {
    Device(DeviceMemory),
    Host(Vec<u128>),
}

impl PassedBuffer {
    pub fn new(bytes: usize) -> Result<PassedBuffer, Status> {
        match Executor::chosen()? {
            Executor::Cuda => DeviceMemory::new(bytes).map(PassedBuffer::Device),
            Executor::Host => {
                let mut words = Vec::new();
                words.try_reserve_exact(bytes / size_of::<u128>() + 1).map_err(|_| ALLOC_FAILED)?;
                Ok(PassedBuffer::Host(words))
            }
        }
    }

    pub fn address(&mut self) -> *mut c_void {
        match self {
            PassedBuffer::Device(memory) => memory.address(),
            PassedBuffer::Host(words) => words.as_mut_ptr().cast(),
        }
    }
}
