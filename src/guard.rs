//! What every exported function does before and after its one call: pointers are checked, panics become
//! a status, and the words of an error are kept with the handle.

use std::cell::RefCell;
use std::ffi::{c_char, CString};
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::context::Context;
use crate::ffi::{sptrsvContext, sptrsvInfo};
use crate::info::Info;
use crate::status::{Error, Result, Status};

fn caught(f: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("panic");
        Err(Error::Panic(text.to_string()))
    })
}

/// Runs the body of an exported function that has no handle.
pub fn guard(f: impl FnOnce() -> Result<()>) -> Status {
    match caught(f) {
        Ok(()) => Status::SPTRSV_STATUS_SUCCESS,
        Err(e) => e.status(),
    }
}

thread_local! {
    /// Why the last handle that this thread asked for was not created; empty if it was.
    static NOT_CREATED: RefCell<CString> = RefCell::default();
}

/// The text of an error, for C.
fn words(e: &Error) -> CString {
    CString::new(e.to_string().replace('\0', " ")).unwrap_or_default()
}

/// Runs the body of an exported function that creates a handle. There is none to keep the words of an error, so the thread
/// keeps them.
pub fn guard_creation(f: impl FnOnce() -> Result<()>) -> Status {
    let result = caught(f);
    let (words, status) = match &result {
        Ok(()) => (CString::default(), Status::SPTRSV_STATUS_SUCCESS),
        Err(e) => (words(e), e.status()),
    };
    // A thread that is ending has no place for them any more.
    let _ = NOT_CREATED.try_with(|kept| kept.replace(words));
    status
}

/// Runs the body of an exported function on a handle and keeps the words of its error.
///
/// # Safety
/// `handle` is NULL or live.
pub unsafe fn with_handle(handle: *mut sptrsvContext, f: impl FnOnce(&mut Context) -> Result<()>) -> Status {
    // SAFETY: NULL or live, by the caller's promise.
    let Some(handle) = (unsafe { handle.as_ref() }) else {
        return Error::NullHandle.status();
    };
    let mut context = match handle.0.lock("handle") {
        Ok(context) => context,
        // Its words cannot be kept with it; `last_message` finds the same.
        Err(e) => return e.status(),
    };
    let result = caught(|| f(&mut context));
    match result {
        Ok(()) => {
            // Only where there is something to forget: the empty text is an allocation too.
            if !context.last_message.is_empty() {
                context.last_message = CString::default();
            }
            Status::SPTRSV_STATUS_SUCCESS
        }
        Err(e) => {
            context.last_message = words(&e);
            e.status()
        }
    }
}

/// Runs `f` on an info.
///
/// # Safety
/// `info` is NULL or live.
pub unsafe fn with_info<T>(info: *mut sptrsvInfo, f: impl FnOnce(&mut Info) -> Result<T>) -> Result<T> {
    // SAFETY: NULL or live, by the caller's promise.
    let info = unsafe { info.as_ref() }.ok_or(Error::Null("info"))?;
    let mut info = info.0.lock("info")?;
    f(&mut info)
}

/// The words kept with a handle; see sptrsvGetLastErrorMessage.
///
/// # Safety
/// `handle` is NULL or live.
pub unsafe fn last_message(handle: *mut sptrsvContext) -> *const c_char {
    // SAFETY: NULL or live, by the caller's promise.
    match unsafe { handle.as_ref() } {
        None => {
            let null = c"the handle is NULL".as_ptr();
            let kept = NOT_CREATED.try_with(|kept| match kept.borrow() {
                words if words.is_empty() => null,
                words => words.as_ptr(),
            });
            kept.unwrap_or(null)
        }
        Some(handle) => match handle.0.lock("handle") {
            Ok(context) => context.last_message.as_ptr(),
            Err(_) => c"another thread was using the handle when this process was forked; create another one"
                .as_ptr(),
        },
    }
}

/// # Safety
/// `p` is NULL or live.
pub unsafe fn borrow<'a, T>(p: *mut T, what: &'static str) -> Result<&'a T> {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { p.as_ref() }.ok_or(Error::Null(what))
}

/// # Safety
/// `p` is NULL or live, and nobody else uses it during the call.
pub unsafe fn borrow_mut<'a, T>(p: *mut T, what: &'static str) -> Result<&'a mut T> {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { p.as_mut() }.ok_or(Error::Null(what))
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
    /// Every exported function must go through a guard (or say why it needs none).
    #[test]
    fn every_exported_function_is_guarded() {
        let source = include_str!("ffi.rs");
        let mut functions = 0;
        for body in source.split("extern \"C\" fn ").skip(1) {
            let name = body.split('(').next().unwrap();
            let body = body.split("\n}\n").next().unwrap();
            assert!(
                body.contains("guard(||")
                    || body.contains("guard_creation(||")
                    || body.contains("with_handle(")
                    || body.contains("// guard:"),
                "{name} has no guard"
            );
            functions += 1;
        }
        assert!(functions > 30, "only {functions} functions were found");
    }

    #[test]
    fn a_panic_becomes_a_status() {
        let status = super::guard(|| panic!("planted"));
        assert_eq!(status, crate::status::Status::SPTRSV_STATUS_INTERNAL_ERROR);
    }

    /// On a handle the words are kept, and neither it nor an info in use is lost.
    #[test]
    fn a_panic_leaves_handle_and_info_usable() {
        use crate::executor::Owned;
        use crate::status::Status::{SPTRSV_STATUS_INTERNAL_ERROR, SPTRSV_STATUS_SUCCESS};
        let context = crate::context::Context::new(crate::problem::ExecutorKind::Host).unwrap();
        let mut handle = super::sptrsvContext(Owned::new(context));
        let mut info = super::sptrsvInfo(Owned::new(super::Info::default()));
        // SAFETY: handle and info are live.
        let mut call = |f: fn(&mut super::Info)| unsafe {
            let status = super::with_handle(&mut handle, |_| {
                super::with_info(&mut info, |i| {
                    f(i);
                    Ok(())
                })
            });
            (status, std::ffi::CStr::from_ptr(super::last_message(&mut handle)).to_owned())
        };
        assert_eq!(
            call(|_| panic!("planted")),
            (SPTRSV_STATUS_INTERNAL_ERROR, c"internal error: planted".into())
        );
        assert_eq!(call(|i| i.algorithm = 1), (SPTRSV_STATUS_SUCCESS, c"".into()));
        assert_eq!(info.0.lock("info").unwrap().algorithm, 1);
    }
}
