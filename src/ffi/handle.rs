//! Handles
//!
//! A handle belongs to one executor: an NVIDIA GPU or the CPU threads of the host. On a GPU it belongs to one CUDA context, and
//! work goes to the stream that was set last.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::time::Duration;

use super::guard::{guard, raw, with_handle, write, write_enum};
use super::objects::{sptrsvContext, sptrsvHandle_t, sptrsvStream_t, CUstream_st};
use super::version::SPTRSV_VERSION;
use crate::address::Stream;
use crate::context::Context;
use crate::error::{sptrsvStatus_t, Error, Result};
use crate::executor::{Executor, Owned};
use crate::problem::{ExecutorKind, PointerMode};

/// Where the work is done.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvExecutor_t {
    /// An NVIDIA GPU. All arrays are in device memory.
    SPTRSV_EXECUTOR_CUDA = 0,
    /// CPU threads. All arrays are in host memory. There are as many threads as this process may use processors, or as the
    /// environment variable SPTRSV_NUM_THREADS (1 to 1024) says.
    SPTRSV_EXECUTOR_HOST = 1,
}

/// Whether alpha and the zero-pivot position are in host or device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvPointerMode_t {
    SPTRSV_POINTER_MODE_HOST = 0,
    SPTRSV_POINTER_MODE_DEVICE = 1,
}

unsafe fn create(handle: *mut sptrsvHandle_t, kind: ExecutorKind) -> Result<()> {
    if handle.is_null() {
        return Err(Error::Null("handle"));
    }
    let context = Box::new(sptrsvContext(Owned::new(Context::new(kind)?)));
    handle.write(Box::into_raw(context));
    Ok(())
}

/// Creates a handle on the CUDA executor. It belongs to the calling thread's current CUDA context; where there is none, to the
/// primary context of device 0.
///
/// Handles and infos of one context share the kernels and a pool of memory, which keeps up to 1/32 of the device's memory for
/// further analyses. Both are given back with the last of them. After cudaDeviceReset or cuCtxDestroy, calls give EXECUTION_FAILED
/// and touch nothing, and handles and infos can only be destroyed. With a driver older than CUDA 12, destroy them before the
/// context.
///
/// \param handle  receives the handle
/// \return SUCCESS; INVALID_VALUE when `handle` is NULL; NO_DRIVER where there is no NVIDIA driver or
///         GPU; ARCH_MISMATCH when the library holds no code for the GPU; ALLOC_FAILED; EXECUTION_FAILED
///
/// Blocking: yes. The first call of a context loads the kernels and prepares memory for analyses; the first call of a process may
/// initialise the driver. Graph capture: not allowed.
///
/// # Safety
/// `handle` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvCreate(handle: *mut sptrsvHandle_t) -> sptrsvStatus_t {
    guard(|| create(handle, ExecutorKind::Cuda))
}

/// Creates a handle on the given executor.
///
/// \param handle    receives the handle
/// \param executor  where the work is to be done
/// \return as sptrsvCreate; INVALID_VALUE also when `executor` is out of range
///
/// Blocking: as sptrsvCreate. Graph capture: not allowed.
///
/// # Safety
/// `handle` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvCreateWithExecutor(
    handle: *mut sptrsvHandle_t,
    executor: MaybeUninit<sptrsvExecutor_t>,
) -> sptrsvStatus_t {
    guard(|| create(handle, ExecutorKind::from_raw(raw(executor))?))
}

/// Destroys a handle. Infos analysed with it stay valid, and work in flight goes on.
///
/// \param handle  the handle
/// \return SUCCESS; NOT_INITIALIZED when `handle` is NULL
///
/// Blocking: no; but the last handle or info of a context unloads the kernels and frees the pool of memory, for which the driver
/// may wait for the GPU. Graph capture: not allowed.
///
/// # Safety
/// `handle` is NULL or a live handle, which is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn sptrsvDestroy(handle: sptrsvHandle_t) -> sptrsvStatus_t {
    guard(|| {
        if handle.is_null() {
            return Err(Error::NullHandle);
        }
        drop(Box::from_raw(handle));
        Ok(())
    })
}

/// Reads the version of the library that is loaded, in one number as SPTRSV_VERSION.
///
/// \param handle   the handle
/// \param version  receives the version
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `version` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `version` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetVersion(handle: sptrsvHandle_t, version: *mut c_int) -> sptrsvStatus_t {
    with_handle(handle, |_| write(version, "version", SPTRSV_VERSION))
}

/// Reads the executor of a handle.
///
/// \param handle    the handle
/// \param executor  receives the executor
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `executor` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `executor` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetExecutor(
    handle: sptrsvHandle_t,
    executor: *mut sptrsvExecutor_t,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let kind = match c.executor {
            Executor::Cuda(_) => ExecutorKind::Cuda,
            Executor::Host(_) => ExecutorKind::Host,
        };
        write_enum(executor, "executor", kind as i32)
    })
}

/// Sets the stream on which later calls work. NULL, the default stream, is the default. The stream may be one of a green context.
///
/// \param handle  the handle
/// \param stream  a stream of the handle's context
/// \return SUCCESS; NOT_INITIALIZED
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle; `stream` is live for as long as calls use it.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetStream(handle: sptrsvHandle_t, stream: sptrsvStream_t) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        // SAFETY: the caller's stream lives for as long as calls use it.
        c.stream = unsafe { Stream::new(stream as usize) };
        Ok(())
    })
}

/// Reads the stream of the handle.
///
/// \param handle  the handle
/// \param stream  receives the stream
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `stream` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `stream` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetStream(
    handle: sptrsvHandle_t,
    stream: *mut sptrsvStream_t,
) -> sptrsvStatus_t {
    with_handle(handle, |c| write(stream, "stream", c.stream.handle::<CUstream_st>()))
}

/// Sets whether alpha and the zero-pivot position are host (the default) or device pointers. The host executor takes host pointers
/// in either mode.
///
/// \param handle  the handle
/// \param mode    the pointer mode
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `mode` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetPointerMode(
    handle: sptrsvHandle_t,
    mode: MaybeUninit<sptrsvPointerMode_t>,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        c.pointer_mode = PointerMode::from_raw(raw(mode))?;
        Ok(())
    })
}

/// Reads the pointer mode.
///
/// \param handle  the handle
/// \param mode    receives the mode
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `mode` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `mode` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetPointerMode(
    handle: sptrsvHandle_t,
    mode: *mut sptrsvPointerMode_t,
) -> sptrsvStatus_t {
    with_handle(handle, |c| write_enum(mode, "mode", c.pointer_mode as i32))
}

/// Sets the watchdog of later calls. It ends a wait inside a solve or an analysis that sees no progress for this long. The default
/// is 10 seconds.
///
/// An analysis that was ended returns TIMED_OUT. A solve that was ended leaves an invalid x: NaN where it waited, and in all
/// unknowns that depend on those. A factorisation that was ended leaves invalid factors. The next call with that info that solves,
/// factorises or reports a zero pivot then returns TIMED_OUT once, unless the info is analysed anew before.
///
/// A captured solve keeps the time that was set when it was captured. Not every step counts as progress: with a large matrix, a
/// time far below one second may end a solve or an analysis that works as it should.
///
/// \param handle   the handle
/// \param seconds  the time in seconds, at least a nanosecond; 0 turns the watchdog off, INFINITY is the longest time there is
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `seconds` is negative or not a number
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetTimeout(handle: sptrsvHandle_t, seconds: f64) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        if seconds.is_nan() || seconds < 0.0 {
            return Err(Error::Invalid(format!("the timeout of {seconds} seconds is not a time")));
        }
        let shortest = if seconds > 0.0 { Duration::from_nanos(1) } else { Duration::ZERO };
        c.timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).max(shortest);
        Ok(())
    })
}

/// Reads the time of the watchdog.
///
/// \param handle   the handle
/// \param seconds  receives the time in seconds; 0 where the watchdog is off, INFINITY where the time is the longest there is
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `seconds` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `seconds` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetTimeout(handle: sptrsvHandle_t, seconds: *mut f64) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let time = if c.timeout == Duration::MAX { f64::INFINITY } else { c.timeout.as_secs_f64() };
        write(seconds, "seconds", time)
    })
}

/// Sets how many multiprocessors later solves, factorisations and sweeps size their launches for, so that some are left to kernels
/// of other streams. Results keep the bits that they have without it, where the algorithm is deterministic.
///
/// The number of blocks of a launch is what the setting bounds: the GPU decides where they run. It does not bound
/// - analyses, and copies of values and of right-hand sides;
/// - the product with the rest of the matrix at the beginning of a sweep, and the copy of some unknowns at its end;
/// - LEVR, LEVC, SLFR, SLFC and GSF;
/// - eight blocks, which some algorithms launch at least: see docs/c-interface.md.
///
/// The host executor keeps the number, which has no effect there.
///
/// \param handle         the handle
/// \param smCountTarget  how many multiprocessors, at most those of the GPU; 0 (the default) stands for all
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `smCountTarget` is negative or more than the GPU has
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work. A captured solve keeps the number that was set when it was
/// captured.
///
/// # Safety
/// `handle` is NULL or a live handle.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetSmCountTarget(
    handle: sptrsvHandle_t,
    smCountTarget: c_int,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let negative = |_| Error::Negative { what: "smCountTarget", value: smCountTarget.into() };
        let target = u32::try_from(smCountTarget).map_err(negative)?;
        if let Executor::Cuda(gpu) = &c.executor {
            let all = gpu.multiprocessors();
            if target > all {
                return Err(Error::Invalid(format!(
                    "smCountTarget is {target}, but the GPU has {all} multiprocessors"
                )));
            }
        }
        c.sm_count_target = target;
        Ok(())
    })
}

/// Reads how many multiprocessors launches are sized for.
///
/// \param handle         the handle
/// \param smCountTarget  receives the number that was set; 0 stands for all
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `smCountTarget` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `smCountTarget` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetSmCountTarget(
    handle: sptrsvHandle_t,
    smCountTarget: *mut c_int,
) -> sptrsvStatus_t {
    with_handle(handle, |c| write(smCountTarget, "smCountTarget", c.sm_count_target as c_int))
}
