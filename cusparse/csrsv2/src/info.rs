//! What `csrsv2Info_t` and `csrsm2Info_t` point to: an info of libsptrsv. It belongs to no handle, so that it
//! may outlive the one it was used with.

use doors::cusparse;
use doors::driver;
use doors::pooled::{Executor, Pooled};
use doors::sptrsv;
use doors::status::{Status, INVALID_VALUE, NOT_INITIALIZED, ZERO_PIVOT};
use libc::{c_int, c_void};

/// # Safety
/// `info` is NULL or writable.
pub unsafe fn create(info: *mut sptrsv::Info) -> Result<(), Status> {
    Status::from_sptrsv(sptrsv::sptrsvCreateInfo(info))
}

/// # Safety
/// `info` is NULL or live, and not used afterwards.
pub unsafe fn destroy(info: sptrsv::Info) -> Result<(), Status> {
    Status::from_sptrsv(sptrsv::sptrsvDestroyInfo(info))
}

/// Writes the smallest row with a zero on its diagonal, or -1, as an int where the pointer mode says.
///
/// # Safety
/// `handle` and `info` are NULL or live; `position` is NULL or writable.
pub unsafe fn zero_pivot(
    handle: cusparse::Handle,
    info: sptrsv::Info,
    position: *mut c_int,
) -> Result<(), Status> {
    if handle.is_null() {
        return Err(NOT_INITIALIZED);
    }
    if info.is_null() || position.is_null() {
        return Err(INVALID_VALUE);
    }
    let pooled = Pooled::open(handle)?;
    pooled.set_pointer_mode(sptrsv::POINTER_MODE_HOST)?;
    let mut row = -1i64;
    let found = Status::from_sptrsv(sptrsv::sptrsvZeroPivot(pooled.handle, info, &mut row));
    if !matches!(found, Ok(()) | Err(ZERO_PIVOT)) {
        return found;
    }
    // Rows of these functions are ints from the start.
    let row = row as c_int;
    if pooled.executor() == Executor::Host || pooled.pointer_mode == sptrsv::POINTER_MODE_HOST {
        position.write(row);
    } else {
        let bytes = std::mem::size_of::<c_int>();
        driver::write(position.cast::<c_void>(), (&raw const row).cast(), bytes, pooled.stream)?;
    }
    found
}
