//! Device memory that an info owns, and copies to and from it.

use std::sync::Arc;

use cust::sys;

use super::errors::check;
use super::Gpu;
use crate::address::{Address, Stream};
use crate::error::{Error, Result};

/// Bytes on the device. Given back in their own context, whichever is current then.
pub struct DeviceArray {
    gpu: Arc<Gpu>,
    address: Address,
    bytes: usize,
    pooled: bool,
    /// The one stream that works with it, if it is given back when that is done.
    only_on: Option<Stream>,
    /// Nothing uses it any more.
    idle: bool,
}

impl DeviceArray {
    /// Of an array without entries kernels may read the first one, which is of a node's six unknowns at most.
    pub const LEAST: usize = 32;

    /// `bytes` of undefined content, for any stream at once.
    pub fn new(gpu: &Arc<Gpu>, bytes: usize) -> Result<Self> {
        let bytes = bytes.max(Self::LEAST);
        let mut address = 0;
        // SAFETY: writes one address.
        let result = unsafe { sys::cuMemAlloc_v2(&mut address, bytes) };
        check(result, "cuMemAlloc").map_err(|error| match error {
            Error::OutOfMemory { place, .. } => Error::OutOfMemory { place, bytes: bytes as u64 },
            other => other,
        })?;
        // SAFETY: it was just allocated.
        let address = unsafe { Address::new(address) };
        Ok(DeviceArray { gpu: gpu.clone(), address, bytes, pooled: false, only_on: None, idle: false })
    }

    /// `bytes` of undefined content, from the pool where there is one. For work on `stream`, and on others
    /// once that has been waited for.
    pub fn on_stream(gpu: &Arc<Gpu>, bytes: usize, stream: Stream) -> Result<Self> {
        let bytes = bytes.max(Self::LEAST);
        if let Some(pool) = gpu.pool() {
            if let Some(address) = pool.allocate(bytes, stream)? {
                let gpu = gpu.clone();
                return Ok(DeviceArray { gpu, address, bytes, pooled: true, only_on: None, idle: false });
            }
        }
        Self::new(gpu, bytes)
    }

    /// `bytes` of undefined content for work on `stream` alone: dropped without a wait for it.
    pub fn temporary(gpu: &Arc<Gpu>, bytes: usize, stream: Stream) -> Result<Self> {
        let mut array = Self::on_stream(gpu, bytes, stream)?;
        array.only_on = Some(stream);
        Ok(array)
    }

    /// A copy of `data`, ordered on `stream`.
    pub fn copy_of<T: Copy>(gpu: &Arc<Gpu>, data: &[T], stream: Stream) -> Result<Self> {
        let array = Self::on_stream(gpu, std::mem::size_of_val(data), stream)?;
        array.write(data, stream)?;
        Ok(array)
    }

    /// Overwrites the beginning, ordered on `stream`.
    pub fn write<T: Copy>(&self, data: &[T], stream: Stream) -> Result<()> {
        assert!(std::mem::size_of_val(data) <= self.bytes());
        // SAFETY: the array holds that many bytes.
        unsafe { write(self.address(), data, stream) }
    }

    /// Its first elements, after what has been enqueued on the stream. Waits.
    pub fn read<T: Copy>(&self, count: usize, stream: Stream) -> Result<Vec<T>> {
        assert!(count * size_of::<T>() <= self.bytes(), "more than there is");
        // SAFETY: there are as many.
        unsafe { read(self.address(), count, stream) }
    }

    /// Sets every byte.
    pub fn fill(&self, byte: u8, stream: Stream) -> Result<()> {
        // SAFETY: the array holds that many bytes.
        unsafe { fill(self.address(), byte, self.bytes(), stream) }
    }

    /// Says that nothing uses it any more.
    pub fn set_idle(&mut self) {
        self.idle = true;
    }

    /// Says that nothing but work on `stream` uses it.
    pub fn set_only_on(&mut self, stream: Stream) {
        self.only_on = Some(stream);
    }

    pub fn address(&self) -> Address {
        self.address
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        // Where the context is gone (the program is ending), so is the memory.
        let Ok(_bound) = self.gpu.bind() else { return };
        let stream = match (self.gpu.pool().filter(|_| self.pooled), self.only_on) {
            (Some(_), Some(stream)) => stream.handle(),
            // A pool takes memory back at once, so kernels that still use it are waited for here. Where
            // that cannot be done the memory must stay.
            (Some(pool), None) if self.idle || wait_for_kernels() => pool.stream().handle(),
            (Some(_), None) => return,
            (None, _) => {
                // SAFETY: dropped once, here. Freeing waits for kernels that still use the memory.
                unsafe { sys::cuMemFree_v2(self.address.get()) };
                return;
            }
        };
        // SAFETY: dropped once, here; what uses the memory is done, or before this on the stream.
        unsafe { sys::cuMemFreeAsync(self.address.get(), stream) };
    }
}

/// Waits for all kernels of the context, without harm to a capture on another thread: freeing memory that is
/// not of a pool does that, where cuCtxSynchronize would invalidate the capture. False if that cannot be done.
pub fn wait_for_kernels() -> bool {
    use sys::cudaError_enum::*;
    let mut address = 0;
    // SAFETY: writes one address.
    match unsafe { sys::cuMemAlloc_v2(&mut address, 16) } {
        // SAFETY: it was just allocated.
        CUDA_SUCCESS => unsafe { sys::cuMemFree_v2(address) == CUDA_SUCCESS },
        // With no memory left what is waited for must be given back all the same, and a capture is worth less.
        CUDA_ERROR_OUT_OF_MEMORY => synchronize_all().is_ok(),
        _ => false,
    }
}

/// Sets `bytes` bytes, ordered on `stream`.
///
/// # Safety
/// `address` is a device address of that many bytes.
pub unsafe fn fill(address: Address, byte: u8, bytes: usize, stream: Stream) -> Result<()> {
    // SAFETY: the caller's promise.
    let result = unsafe { sys::cuMemsetD8Async(address.get(), byte, bytes, stream.handle()) };
    check(result, "cuMemsetD8Async")
}

/// Copies bytes from one place on the device to another, ordered on `stream`.
///
/// # Safety
/// Both are device addresses of that many bytes.
pub unsafe fn copy(to: Address, from: Address, bytes: usize, stream: Stream) -> Result<()> {
    // SAFETY: the caller's promise.
    let result = unsafe { sys::cuMemcpyDtoDAsync_v2(to.get(), from.get(), bytes, stream.handle()) };
    check(result, "cuMemcpyDtoDAsync")
}

/// Copies `data` to the device, ordered on `stream`.
///
/// # Safety
/// `address` is a device address of that many elements.
pub unsafe fn write<T: Copy>(address: Address, data: &[T], stream: Stream) -> Result<()> {
    let bytes = std::mem::size_of_val(data);
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let result =
        unsafe { sys::cuMemcpyHtoDAsync_v2(address.get(), data.as_ptr().cast(), bytes, stream.handle()) };
    check(result, "cuMemcpyHtoDAsync")?;
    // A few bytes go with the command. What is more a GPU that reads the host's memory itself may still be reading.
    if bytes > WITH_COMMAND {
        synchronize(stream)?;
    }
    Ok(())
}

/// Bytes that a driver takes along with the command to copy them.
const WITH_COMMAND: usize = 64 << 10;

/// Copies `count` elements from the caller's device array and waits for them; none where the array is NULL.
///
/// # Safety
/// `address` is null or a device address of that many elements; any bit pattern is a `T`.
pub unsafe fn read<T: Copy>(address: Address, count: usize, stream: Stream) -> Result<Vec<T>> {
    let count = if address.is_null() { 0 } else { count };
    let bytes = count * std::mem::size_of::<T>();
    let mut data = Vec::<T>::new();
    // This may be as long as the matrix, and must not end the program where there is no room.
    data.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { place: "host", bytes: bytes as u64 })?;
    if count > 0 {
        // SAFETY: the caller's promise, and there is room for that many bytes.
        let result = unsafe {
            sys::cuMemcpyDtoHAsync_v2(data.as_mut_ptr().cast(), address.get(), bytes, stream.handle())
        };
        check(result, "cuMemcpyDtoHAsync")?;
        synchronize(stream)?;
        // SAFETY: they have just been written.
        unsafe { data.set_len(count) };
    }
    Ok(data)
}

/// Copies one value to the caller's device memory and waits.
///
/// # Safety
/// `address` is a device address of a `T`.
pub unsafe fn write_one<T: Copy>(address: Address, value: T, stream: Stream) -> Result<()> {
    // SAFETY: the caller's promise.
    let result = unsafe {
        sys::cuMemcpyHtoDAsync_v2(
            address.get(),
            (&raw const value).cast(),
            std::mem::size_of::<T>(),
            stream.handle(),
        )
    };
    check(result, "cuMemcpyHtoDAsync")?;
    synchronize(stream)
}

pub fn synchronize(stream: Stream) -> Result<()> {
    // SAFETY: the caller's stream.
    check(unsafe { sys::cuStreamSynchronize(stream.handle()) }, "cuStreamSynchronize")
}

extern "C" {
    // Later than cust's bindings: drivers have them from CUDA 12.0 and 12.4 on.
    fn cuStreamGetId(stream: sys::CUstream, id: *mut u64) -> sys::CUresult;
    fn cuStreamGetGreenCtx(stream: sys::CUstream, context: *mut *mut std::ffi::c_void) -> sys::CUresult;
}

/// A stream: its handle, and the number that tells it from those that had the handle before it.
pub type StreamId = (Stream, u64);

/// None where the driver has no numbers. The context is current.
pub fn stream_id(stream: Stream) -> Option<StreamId> {
    let mut id = 0;
    // SAFETY: the caller's stream; writes one number.
    let result = unsafe { cuStreamGetId(stream.handle(), &mut id) };
    (result == sys::cudaError_enum::CUDA_SUCCESS).then_some((stream, id))
}

/// Whether the stream is one of a green context, which has some of the multiprocessors.
pub fn is_of_green_context(stream: Stream) -> bool {
    let mut context = std::ptr::null_mut();
    // SAFETY: the caller's stream; writes one pointer. Drivers without green contexts refuse.
    let result = unsafe { cuStreamGetGreenCtx(stream.handle(), &mut context) };
    result == sys::cudaError_enum::CUDA_SUCCESS && !context.is_null()
}

/// Waits for everything in the context.
pub fn synchronize_all() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { sys::cuCtxSynchronize() }, "cuCtxSynchronize")
}

/// Whether a wait would disturb a capture: the stream's own, or another one that the legacy stream would wait for.
pub fn is_capturing(stream: Stream) -> Result<bool> {
    let (result, captures) = capture_status(stream);
    // The legacy stream answers with an error while another stream is capturing.
    if result == sys::cudaError_enum::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT {
        return Ok(true);
    }
    check(result, "cuStreamIsCapturing")?;
    Ok(captures)
}

/// A stream for work that is waited for, in place of `stream`. The legacy stream may not be used while another stream captures that
/// waits for it; then all work of the context is waited for, which does no harm to the capture, and a stream apart takes its place.
pub fn stream_beside_captures(gpu: &Gpu, stream: Stream) -> Result<Stream> {
    let _bound = gpu.bind()?;
    let (result, captures) = capture_status(stream);
    match (result, gpu.pool()) {
        (sys::cudaError_enum::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, Some(pool)) if wait_for_kernels() => {
            Ok(pool.stream())
        }
        _ if captures => Err(Error::Capturing),
        _ => Ok(stream),
    }
}

/// Whether the stream is capturing itself.
pub fn is_in_capture(stream: Stream) -> bool {
    capture_status(stream).1
}

/// The driver's answer, and whether that is that the stream is capturing. Where it is an error the status may be anything.
fn capture_status(stream: Stream) -> (sys::CUresult, bool) {
    let mut status = 0u32;
    // SAFETY: writes one enum, which has the size of an int.
    let result = unsafe { sys::cuStreamIsCapturing(stream.handle(), (&raw mut status).cast()) };
    let none = sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE as u32;
    (result, result == sys::cudaError_enum::CUDA_SUCCESS && status != none)
}
