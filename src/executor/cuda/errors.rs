//! The errors of the driver, and of cust, as ours.

use cust::sys;

use crate::error::{Error, Result};

/// Turns a driver result into an error that names the call.
pub(super) fn check(result: sys::CUresult, call: &'static str) -> Result<()> {
    use sys::cudaError_enum::*;
    match result {
        CUDA_SUCCESS => Ok(()),
        CUDA_ERROR_OUT_OF_MEMORY => Err(Error::OutOfMemory { place: "device", bytes: 0 }),
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED | CUDA_ERROR_STREAM_CAPTURE_INVALIDATED => {
            Err(Error::Capturing)
        }
        CUDA_ERROR_NOT_INITIALIZED => Err(Error::Driver {
            call,
            error: format!("{result:?}, as in a child of a process that has used CUDA"),
        }),
        other => Err(Error::Driver { call, error: format!("{other:?}") }),
    }
}

/// The same for what cust returns.
pub(super) fn from_cust<T>(result: cust::error::CudaResult<T>, call: &'static str) -> Result<T> {
    use cust::error::CudaError;
    result.map_err(|e| match e {
        CudaError::OutOfMemory => Error::OutOfMemory { place: "device", bytes: 0 },
        other => Error::Driver { call, error: format!("{other:?}") },
    })
}
