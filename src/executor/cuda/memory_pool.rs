//! The pool that device memory comes from.

use cust::sys;

use super::errors::check;
use crate::address::{Address, Stream};
use crate::error::{Error, Result};

/// Where setups get their memory: a pool of the library's own, where the driver has pools. It keeps what is
/// given back to it up to a limit, so that one analysis takes what an earlier one has left without a wait.
pub struct MemoryPool {
    pool: sys::CUmemoryPool,
    /// Memory is given back on a stream of its own, where nothing of the caller's is in the way.
    stream: Stream,
}

// SAFETY: the driver's pools and streams may be used from any thread.
unsafe impl Send for MemoryPool {}
unsafe impl Sync for MemoryPool {}

impl MemoryPool {
    /// The part of the device's memory that a pool keeps while nobody uses it.
    const KEPT: usize = 32;
    const NON_BLOCKING: u32 = 1;

    /// A pool on the device, whose context is current; None where the driver or the device has none.
    pub fn new(device: sys::CUdevice) -> Option<MemoryPool> {
        let fine = |result| (result == sys::cudaError_enum::CUDA_SUCCESS).then_some(());
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: device,
            },
            win32SecurityAttributes: std::ptr::null_mut(),
            reserved: [0; 64],
        };
        let (mut bytes, mut pool, mut stream) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: plain driver calls on live variables.
        unsafe {
            fine(sys::cuDeviceTotalMem_v2(&mut bytes, device))?;
            fine(sys::cuMemPoolCreate(&mut pool, &properties))?;
            if fine(sys::cuStreamCreate(&mut stream, Self::NON_BLOCKING)).is_none() {
                sys::cuMemPoolDestroy(pool);
                return None;
            }
            let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            let mut kept = (bytes / Self::KEPT) as u64;
            // Without it the pool is only slower.
            sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut kept).cast());
        }
        // SAFETY: it was just made, and is destroyed with the pool.
        let made = MemoryPool { pool, stream: unsafe { Stream::new(stream as usize) } };
        // What a driver does at the first allocation takes milliseconds, which are no part of an analysis.
        if let Ok(Some(address)) = made.allocate(1, made.stream) {
            // SAFETY: it was just allocated.
            unsafe { sys::cuMemFreeAsync(address.get(), stream) };
        }
        Some(made)
    }

    /// `bytes` for work on `stream`, which must not be capturing. None where the pool has no room for them.
    pub fn allocate(&self, bytes: usize, stream: Stream) -> Result<Option<Address>> {
        let once = || {
            let mut address = 0;
            // SAFETY: writes one address.
            let result =
                unsafe { sys::cuMemAllocFromPoolAsync(&mut address, bytes, self.pool, stream.handle()) };
            match check(result, "cuMemAllocFromPoolAsync") {
                // SAFETY: it was just allocated.
                Ok(()) => Ok(Some(unsafe { Address::new(address) })),
                Err(Error::OutOfMemory { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        };
        if let Some(address) = once()? {
            return Ok(Some(address));
        }
        // What the pool keeps may be in pieces that are too small.
        self.give_back(stream);
        once()
    }

    /// Gives the driver all that nobody uses, also what is only given back on `stream` as yet.
    pub fn give_back(&self, stream: Stream) {
        // SAFETY: the pool and its stream are alive, and the other one is the caller's, which is not capturing. What fails here
        // is told by the calls that follow.
        unsafe {
            sys::cuStreamSynchronize(stream.handle());
            sys::cuStreamSynchronize(self.stream.handle());
            sys::cuMemPoolTrimTo(self.pool, 0);
        }
    }

    /// The stream on which memory is given back: it waits for no other one.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Destroys it; the context is current and nothing of it is in use.
    pub fn destroy(&self) {
        // SAFETY: called once, by the owner.
        unsafe {
            sys::cuStreamDestroy_v2(self.stream.handle());
            sys::cuMemPoolDestroy(self.pool);
        }
    }
}
