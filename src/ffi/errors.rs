//! Errors
//!
//! Every function that can fail returns a status. A call that fails also leaves a sentence for the calling thread, which says what
//! was wrong: sptrsvGetLastErrorString.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use super::guard::{last_sentence, raw};
use crate::error::{self, sptrsvStatus_t};

/// The symbolic name of a status, for example "SPTRSV_STATUS_SUCCESS". Never NULL.
///
/// \param status  a status
/// \return a string that lives as long as the library; "SPTRSV_STATUS_UNKNOWN" where there is no such status
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
#[no_mangle]
pub extern "C" fn sptrsvGetErrorName(status: MaybeUninit<sptrsvStatus_t>) -> *const c_char {
    // guard: no call below can fail
    error::name(raw(status)).as_ptr().cast()
}

/// A few words about a status, for example "an argument is invalid". Never NULL.
///
/// \param status  a status
/// \return a string that lives as long as the library
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
#[no_mangle]
pub extern "C" fn sptrsvGetErrorString(status: MaybeUninit<sptrsvStatus_t>) -> *const c_char {
    // guard: no call below can fail
    error::description(raw(status)).as_ptr().cast()
}

/// What exactly was wrong with the calling thread's last call of a function of this library that returns a status: which
/// argument, which row. Empty after a success. Never NULL.
///
/// \return a string that lives until this thread's next call of a function that returns a status
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
#[no_mangle]
pub extern "C" fn sptrsvGetLastErrorString() -> *const c_char {
    // guard: no call below can fail
    last_sentence()
}
