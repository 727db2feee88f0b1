//! What every exported function does before and after its one call: pointers are checked, panics become a status, and the words
//! of an error are kept for the thread.

use std::cell::RefCell;
use std::ffi::{c_char, c_void, CString};
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};

use super::objects::{sptrsvContext, sptrsvInfo};
use crate::address::Address;
use crate::context::Context;
use crate::error::{self, Error, Result, Status};
use crate::info::Info;
use crate::log::{self, Level};
use crate::problem::Arrays;

thread_local! {
    /// What was wrong with this thread's last call; None after a success.
    static LAST_ERROR: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Runs the body of an exported function.
pub fn guard(body: impl FnOnce() -> Result<()>) -> Status {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("panic");
        Err(Error::Panic(text.to_string()))
    });
    let (status, sentence) = match &result {
        Ok(()) => (Status::SPTRSV_STATUS_SUCCESS, None),
        Err(e) => (e.status(), Some(words(e))),
    };
    if let Err(e) = &result {
        if status != Status::SPTRSV_STATUS_ZERO_PIVOT && log::wants(Level::Error) {
            log::write(
                Level::Error,
                format_args!("{}: {e}", error::name(status as i32).trim_end_matches(char::from(0))),
            );
        }
    }
    // A thread that is ending has no place for it any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(sentence));
    status
}

/// The text of an error, for C.
fn words(e: &Error) -> CString {
    CString::new(e.to_string().replace('\0', " ")).unwrap_or_default()
}

/// The words kept for this thread; see sptrsvGetLastErrorString.
pub fn last_sentence() -> *const c_char {
    let kept = LAST_ERROR.try_with(|last| last.borrow().as_ref().map(|words| words.as_ptr()));
    kept.ok().flatten().unwrap_or(c"".as_ptr())
}

/// Runs the body of an exported function on a handle.
///
/// # Safety
/// `handle` is NULL or live.
pub unsafe fn with_handle(
    handle: *mut sptrsvContext,
    body: impl FnOnce(&mut Context) -> Result<()>,
) -> Status {
    guard(|| {
        // SAFETY: NULL or live, by the caller's promise.
        let handle = unsafe { handle.as_ref() }.ok_or(Error::NullHandle)?;
        let mut context = handle.0.lock("handle")?;
        body(&mut context)
    })
}

/// Runs `f` on an info.
///
/// # Safety
/// `info` is NULL or live.
pub unsafe fn with_info<T>(info: *const sptrsvInfo, f: impl FnOnce(&mut Info) -> Result<T>) -> Result<T> {
    // SAFETY: by the caller's promise.
    unsafe { with_named(info, "info", f) }
}

/// The same with the argument's name.
unsafe fn with_named<T>(
    info: *const sptrsvInfo,
    name: &'static str,
    f: impl FnOnce(&mut Info) -> Result<T>,
) -> Result<T> {
    // SAFETY: NULL or live, by the caller's promise.
    let info = unsafe { info.as_ref() }.ok_or(Error::Null(name))?;
    let mut info = info.0.lock(name)?;
    f(&mut info)
}

/// Runs `f` on two infos, which are locked in the order of their addresses, so that two threads never wait for each other. `names`
/// are those of the arguments.
///
/// # Safety
/// Both are NULL or live.
pub unsafe fn with_both<T>(
    [one, other]: [*const sptrsvInfo; 2],
    names: [&'static str; 2],
    f: impl FnOnce(&mut Info, &mut Info) -> Result<T>,
) -> Result<T> {
    if !one.is_null() && one == other {
        return Err(Error::Invalid(format!("{} and {} are the same info", names[0], names[1])));
    }
    if one < other {
        with_named(one, names[0], |one| with_named(other, names[1], |other| f(one, other)))
    } else {
        with_named(other, names[1], |other| with_named(one, names[0], |one| f(one, other)))
    }
}

/// # Safety
/// `p` is NULL or live.
pub unsafe fn shared<'a, T>(p: *const T, what: &'static str) -> Result<&'a T> {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { p.as_ref() }.ok_or(Error::Null(what))
}

/// # Safety
/// `p` is NULL or live, and nobody else uses it during the call.
pub unsafe fn exclusive<'a, T>(p: *mut T, what: &'static str) -> Result<&'a mut T> {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { p.as_mut() }.ok_or(Error::Null(what))
}

/// The place that a caller's pointer names.
///
/// # Safety
/// `p` is NULL, or points to what the documentation of the exported function asks for, for as long as that says.
pub unsafe fn address<T>(p: *const T) -> Address {
    // SAFETY: the caller's promise.
    unsafe { Address::new(p as u64) }
}

/// The places of a matrix's arrays.
///
/// # Safety
/// As for `address`.
pub unsafe fn arrays(val: *const c_void, ptr: *const c_void, ind: *const c_void) -> Arrays {
    // SAFETY: the caller's promise.
    unsafe { Arrays { val: address(val), ptr: address(ptr), ind: address(ind) } }
}

/// Writes a result through a caller's pointer.
///
/// # Safety
/// `p` is NULL or writable.
pub unsafe fn write<T>(p: *mut T, what: &'static str, value: T) -> Result<()> {
    if p.is_null() {
        return Err(Error::Null(what));
    }
    // SAFETY: not NULL, so writable by the caller's promise.
    unsafe { p.write(value) };
    Ok(())
}

/// Writes the number of a C enum through a caller's pointer.
///
/// # Safety
/// `p` is NULL or writable; `value` is a value of the enum.
pub unsafe fn write_enum<E>(p: *mut E, what: &'static str, value: i32) -> Result<()> {
    const { assert!(std::mem::size_of::<E>() == 4) };
    // SAFETY: a C enum is written as the int that it is.
    unsafe { write(p.cast::<i32>(), what, value) }
}

/// The number that a C caller passed for an enum, whatever it is.
pub fn raw<E>(value: MaybeUninit<E>) -> i32 {
    const { assert!(std::mem::size_of::<E>() == 4) };
    // SAFETY: a C caller passes an initialised int; any bit pattern is an i32.
    unsafe { std::mem::transmute_copy(&value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use Status::{SPTRSV_STATUS_INTERNAL_ERROR, SPTRSV_STATUS_INVALID_VALUE, SPTRSV_STATUS_SUCCESS};

    fn sentence() -> CString {
        // SAFETY: a string that no call on this thread has replaced yet.
        unsafe { CStr::from_ptr(last_sentence()) }.to_owned()
    }

    #[test]
    fn the_words_of_an_error_are_the_threads() {
        assert_eq!(guard(|| Err(Error::Null("descr"))), SPTRSV_STATUS_INVALID_VALUE);
        let other = std::thread::spawn(|| {
            assert_eq!(sentence().as_c_str(), c"");
            guard(|| Err(Error::Null("info")));
            sentence()
        });
        assert_eq!(other.join().unwrap().as_c_str(), c"info is NULL");
        assert_eq!(sentence().as_c_str(), c"descr is NULL");
        assert_eq!(guard(|| Ok(())), SPTRSV_STATUS_SUCCESS);
        assert_eq!(sentence().as_c_str(), c"");
    }

    /// The words are kept, and neither the handle nor an info in use is lost.
    #[test]
    fn a_panic_becomes_a_status_and_leaves_handle_and_info_usable() {
        let context = Context::new(crate::problem::ExecutorKind::Host).unwrap();
        let mut handle = sptrsvContext(crate::executor::Owned::new(context));
        let info = sptrsvInfo(crate::executor::Owned::new(Info::default()));
        // SAFETY: handle and info are live.
        let mut call = |f: fn(&mut Info)| unsafe {
            let status = with_handle(&mut handle, |_| {
                with_info(&info, |i| {
                    f(i);
                    Ok(())
                })
            });
            (status, sentence())
        };
        let panicked = (SPTRSV_STATUS_INTERNAL_ERROR, c"internal error: planted".into());
        assert_eq!(call(|_| panic!("planted")), panicked);
        assert_eq!(call(|i| i.algorithm = 1), (SPTRSV_STATUS_SUCCESS, c"".into()));
        assert_eq!(info.0.lock("info").unwrap().algorithm, 1);
    }
}
