//! What `csrsv2Info_t` and `csrsm2Info_t` point to: an info of libsptrsv. It belongs to no handle, so that it
//! may outlive the one it was used with.

use doors::cusparse;
use doors::pivot;
use doors::sptrsv;
use doors::status::Status;
use libc::c_int;

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
    pivot::report(handle, info, position, sptrsv::sptrsvZeroPivot)
}
