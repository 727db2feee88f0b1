//! The row of a zero pivot, reported as cuSPARSE does.

use crate::cusparse;
use crate::driver;
use crate::pooled::{Executor, Pooled};
use crate::sptrsv;
use crate::status::{Status, INVALID_VALUE, NOT_INITIALIZED, ZERO_PIVOT};
use libc::c_int;

/// `sptrsvZeroPivot` or `sptrsvFactorZeroPivot`.
pub type Find = unsafe extern "C" fn(sptrsv::Handle, sptrsv::Info, *mut i64) -> c_int;

/// Finds none.
///
/// # Safety
/// `position` is writable.
pub unsafe extern "C" fn none(_handle: sptrsv::Handle, _info: sptrsv::Info, position: *mut i64) -> c_int {
    position.write(-1);
    0
}

/// Writes the smallest row with a zero pivot, or -1, as an int where the pointer mode says.
///
/// # Safety
/// `handle` and `info` are NULL or live; `position` is NULL or writable.
pub unsafe fn report(
    handle: cusparse::Handle,
    info: sptrsv::Info,
    position: *mut c_int,
    find: Find,
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
    let found = Status::from_sptrsv(find(pooled.handle, info, &mut row));
    if !matches!(found, Ok(()) | Err(ZERO_PIVOT)) {
        return found;
    }
    // Rows of these functions are ints from the start.
    let row = row as c_int;
    if pooled.executor() == Executor::Host || pooled.pointer_mode == sptrsv::POINTER_MODE_HOST {
        position.write(row);
    } else {
        driver::copy(position.cast(), (&raw const row).cast(), size_of::<c_int>(), pooled.stream)?;
    }
    found
}
