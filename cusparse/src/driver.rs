//! The few calls to the CUDA driver that the contract needs beside libsptrsv: which context is current, and
//! copies. Found at run time: the host executor works where there is no driver.

use crate::dl::{functions, Library};
use crate::status::{Status, EXECUTION_FAILED, NOT_INITIALIZED};
use libc::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

functions!(
    Driver {
        ctx_get_current = c"cuCtxGetCurrent": unsafe extern "C" fn(*mut *mut c_void) -> c_int,
        memcpy_async = c"cuMemcpyAsync":
            unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut c_void) -> c_int,
        stream_synchronize = c"cuStreamSynchronize": unsafe extern "C" fn(*mut c_void) -> c_int,
    }
);

functions!(
    /// What makes the first GPU's primary context current.
    Primary {
        init = c"cuInit": unsafe extern "C" fn(c_uint) -> c_int,
        device_get = c"cuDeviceGet": unsafe extern "C" fn(*mut c_int, c_int) -> c_int,
        retain = c"cuDevicePrimaryCtxRetain": unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int,
        release = c"cuDevicePrimaryCtxRelease_v2": unsafe extern "C" fn(c_int) -> c_int,
        push = c"cuCtxPushCurrent_v2": unsafe extern "C" fn(*mut c_void) -> c_int,
        pop = c"cuCtxPopCurrent_v2": unsafe extern "C" fn(*mut *mut c_void) -> c_int,
    }
);

functions!(
    /// Drivers of CUDA 12 and later number their contexts.
    ContextId {
        get = c"cuCtxGetId": unsafe extern "C" fn(*mut c_void, *mut u64) -> c_int,
    }
);

functions!(
    /// What keeps waits of a thread out of the captures of other streams.
    CaptureMode {
        exchange = c"cuThreadExchangeStreamCaptureMode": unsafe extern "C" fn(*mut c_int) -> c_int,
    }
);

/// CU_STREAM_CAPTURE_MODE_RELAXED.
const RELAXED: c_int = 2;

fn library() -> Option<Library> {
    Library::already_loaded(c"libcuda.so.1").or_else(|| Library::load(c"libcuda.so.1"))
}

fn driver() -> Result<&'static Driver, Status> {
    static FOUND: OnceLock<Option<Driver>> = OnceLock::new();
    FOUND.get_or_init(|| Driver::find(library()?)).as_ref().ok_or(NOT_INITIALIZED)
}

fn check(result: c_int) -> Result<(), Status> {
    if result == 0 {
        Ok(())
    } else {
        Err(EXECUTION_FAILED)
    }
}

/// The calling thread's current context: its address, and its number where the driver has one, since the
/// address of a destroyed context may be used again. (0, 0) where no context is current yet.
fn current_context() -> Result<(usize, u64), Status> {
    static CONTEXT_ID: OnceLock<Option<ContextId>> = OnceLock::new();
    let driver = driver()?;
    let mut context: *mut c_void = ptr::null_mut();
    // SAFETY: context is writable. Before cuInit the call fails, and no context is current then.
    if unsafe { (driver.ctx_get_current)(&mut context) } != 0 || context.is_null() {
        return Ok((0, 0));
    }
    let mut id = 0;
    if let Some(context_id) = CONTEXT_ID.get_or_init(|| ContextId::find(library()?)) {
        // SAFETY: context is the current one, id is writable.
        check(unsafe { (context_id.get)(context, &mut id) })?;
    }
    Ok((context as usize, id))
}

/// The same, or, where none is current, that of the first GPU's primary context, where libsptrsv works then. (0, 0) where that
/// cannot be had either: libsptrsv says why.
pub fn place() -> Result<(usize, u64), Status> {
    let _bound = Bound::new().ok();
    current_context()
}

/// The primary context of the first GPU, where the calling thread has none yet: that is where libsptrsv works then. Current for as
/// long as this lives.
struct Bound(Option<c_int>);

impl Bound {
    fn new() -> Result<Bound, Status> {
        if current_context()?.0 != 0 {
            return Ok(Bound(None));
        }
        let primary = primary()?;
        let (mut device, mut context) = (0, ptr::null_mut());
        // SAFETY: device and context are writable, and the context is retained until it is popped.
        unsafe {
            check((primary.init)(0))?;
            check((primary.device_get)(&mut device, 0))?;
            check((primary.retain)(&mut context, device))?;
            if let Err(status) = check((primary.push)(context)) {
                (primary.release)(device);
                return Err(status);
            }
        }
        Ok(Bound(Some(device)))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if let (Some(device), Ok(primary)) = (self.0, primary()) {
            let mut context = ptr::null_mut();
            // SAFETY: undoes what `new` has done on this thread.
            unsafe {
                (primary.pop)(&mut context);
                (primary.release)(device);
            }
        }
    }
}

fn primary() -> Result<&'static Primary, Status> {
    static FOUND: OnceLock<Option<Primary>> = OnceLock::new();
    FOUND.get_or_init(|| Primary::find(library()?)).as_ref().ok_or(NOT_INITIALIZED)
}

/// Copies from host memory and waits for it.
///
/// # Safety
/// `dst` is writable for `bytes` in device, managed or pinned memory, `src` readable in host memory.
pub unsafe fn write(
    dst: *mut c_void,
    src: *const c_void,
    bytes: usize,
    stream: *mut c_void,
) -> Result<(), Status> {
    static CAPTURE_MODE: OnceLock<Option<CaptureMode>> = OnceLock::new();
    let (driver, _bound) = (driver()?, Bound::new()?);
    // In CUDA's strictest mode captures of other streams would forbid the wait, and be lost by it.
    let capture_mode = CAPTURE_MODE.get_or_init(|| CaptureMode::find(library()?)).as_ref();
    let mut mode = RELAXED;
    let exchanged = capture_mode.filter(|m| (m.exchange)(&mut mode) == 0);
    let copied = check((driver.memcpy_async)(dst, src, bytes, stream));
    let written = copied.and_then(|()| check((driver.stream_synchronize)(stream)));
    if let Some(m) = exchanged {
        (m.exchange)(&mut mode);
    }
    written
}
