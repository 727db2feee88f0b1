//! Device memory that an info owns, and copies to and from it.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cust::memory::DeviceBuffer;
use cust::sys;

use super::{check, Gpu};
use crate::status::{Error, Result};

/// Bytes on the device. Freed in their own context, whichever is current then.
pub struct DeviceArray {
    gpu: Arc<Gpu>,
    buffer: ManuallyDrop<DeviceBuffer<u8>>,
}

impl DeviceArray {
    /// `bytes` of undefined content.
    pub fn new(gpu: &Arc<Gpu>, bytes: usize) -> Result<Self> {
        // SAFETY: the content is written before a kernel reads it.
        let buffer = unsafe { DeviceBuffer::<u8>::uninitialized(bytes.max(16)) }
            .map_err(|_| Error::OutOfMemory { place: "device", bytes: bytes as u64 })?;
        Ok(DeviceArray { gpu: gpu.clone(), buffer: ManuallyDrop::new(buffer) })
    }

    /// A copy of `data`, ordered on `stream`; `data` must live until the stream has been waited for.
    pub fn copy_of<T: Copy>(gpu: &Arc<Gpu>, data: &[T], stream: usize) -> Result<Self> {
        let array = Self::new(gpu, std::mem::size_of_val(data))?;
        array.write(data, stream)?;
        Ok(array)
    }

    /// Overwrites the beginning; the same rules as `copy_of`.
    pub fn write<T: Copy>(&self, data: &[T], stream: usize) -> Result<()> {
        assert!(std::mem::size_of_val(data) <= self.bytes());
        // SAFETY: the array holds that many bytes.
        unsafe { write(self.address(), data, stream) }
    }

    /// Sets every byte.
    pub fn fill(&self, byte: u8, stream: usize) -> Result<()> {
        // SAFETY: the array holds that many bytes.
        unsafe { fill(self.address(), byte, self.bytes(), stream) }
    }

    pub fn address(&self) -> u64 {
        self.buffer.as_device_ptr().as_raw()
    }

    pub fn bytes(&self) -> usize {
        self.buffer.len()
    }
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        // Where the context is gone (the program is ending), so is the memory.
        if let Ok(_bound) = self.gpu.bind() {
            // SAFETY: dropped once, here. Freeing waits for kernels that still use the memory.
            unsafe { ManuallyDrop::drop(&mut self.buffer) };
        }
    }
}

/// Sets `bytes` bytes, ordered on `stream`.
///
/// # Safety
/// `address` is a device address of that many bytes.
pub unsafe fn fill(address: u64, byte: u8, bytes: usize, stream: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    let result = unsafe { sys::cuMemsetD8Async(address, byte, bytes, stream as sys::CUstream) };
    check(result, "cuMemsetD8Async")
}

/// Device memory for the length of a call: from the stream-ordered allocator where the driver has one.
pub struct Temporary {
    gpu: Arc<Gpu>,
    address: u64,
    stream: usize,
    ordered: bool,
}

impl Temporary {
    /// `bytes` of undefined content, for work on `stream`.
    pub fn new(gpu: &Arc<Gpu>, bytes: usize, stream: usize) -> Result<Self> {
        let bytes = bytes.max(16);
        let mut address = 0;
        // SAFETY: writes one address.
        let result = unsafe { sys::cuMemAllocAsync(&mut address, bytes, stream as sys::CUstream) };
        let ordered = result == sys::cudaError_enum::CUDA_SUCCESS;
        if !ordered {
            // An old driver, a GPU without memory pools, or too little memory in the pool.
            // SAFETY: writes one address.
            let result = unsafe { sys::cuMemAlloc_v2(&mut address, bytes) };
            if result != sys::cudaError_enum::CUDA_SUCCESS {
                return Err(Error::OutOfMemory { place: "device", bytes: bytes as u64 });
            }
        }
        Ok(Temporary { gpu: gpu.clone(), address, stream, ordered })
    }

    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Ok(_bound) = self.gpu.bind() {
            // SAFETY: allocated by `new`; the work that uses it is on the same stream, or freeing waits.
            unsafe {
                if self.ordered {
                    sys::cuMemFreeAsync(self.address, self.stream as sys::CUstream);
                } else {
                    sys::cuMemFree_v2(self.address);
                }
            }
        }
    }
}

/// Copies `data` to the device, ordered on `stream`; `data` must live until the stream has been waited for.
///
/// # Safety
/// `address` is a device address of that many elements.
pub unsafe fn write<T: Copy>(address: u64, data: &[T], stream: usize) -> Result<()> {
    let bytes = std::mem::size_of_val(data);
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let result =
        unsafe { sys::cuMemcpyHtoDAsync_v2(address, data.as_ptr().cast(), bytes, stream as sys::CUstream) };
    check(result, "cuMemcpyHtoDAsync")
}

/// Copies `count` elements from the caller's device array and waits for them.
///
/// # Safety
/// `address` is a device address of that many elements; any bit pattern is a `T`.
pub unsafe fn read<T: Copy + Default>(address: usize, count: usize, stream: usize) -> Result<Vec<T>> {
    let mut data = vec![T::default(); count];
    if count > 0 {
        let bytes = std::mem::size_of_val(data.as_slice());
        // SAFETY: the caller's promise, and `data` holds that many bytes.
        let result = unsafe {
            sys::cuMemcpyDtoHAsync_v2(
                data.as_mut_ptr().cast(),
                address as u64,
                bytes,
                stream as sys::CUstream,
            )
        };
        check(result, "cuMemcpyDtoHAsync")?;
        synchronize(stream)?;
    }
    Ok(data)
}

/// Copies one value to the caller's device memory and waits.
///
/// # Safety
/// `address` is a device address of a `T`.
pub unsafe fn write_one<T: Copy>(address: usize, value: T, stream: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    let result = unsafe {
        sys::cuMemcpyHtoDAsync_v2(
            address as u64,
            (&raw const value).cast(),
            std::mem::size_of::<T>(),
            stream as sys::CUstream,
        )
    };
    check(result, "cuMemcpyHtoDAsync")?;
    synchronize(stream)
}

pub fn synchronize(stream: usize) -> Result<()> {
    // SAFETY: the caller's stream.
    check(unsafe { sys::cuStreamSynchronize(stream as sys::CUstream) }, "cuStreamSynchronize")
}

/// Waits for everything in the context.
pub fn synchronize_all() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { sys::cuCtxSynchronize() }, "cuCtxSynchronize")
}

pub fn is_capturing(stream: usize) -> Result<bool> {
    let mut status = sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: writes one enum.
    let result = unsafe { sys::cuStreamIsCapturing(stream as sys::CUstream, &mut status) };
    // The legacy stream answers with an error while another stream is capturing.
    if result == sys::cudaError_enum::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT {
        return Ok(true);
    }
    check(result, "cuStreamIsCapturing")?;
    Ok(status != sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE)
}
