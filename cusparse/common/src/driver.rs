//! The few calls to the CUDA driver that the contract needs beside libsptrsv: which context is current, and
//! copies. Found at run time: the host executor works where there is no driver.

use crate::dl::Library;
use crate::functions;
use crate::status::{Status, ALLOC_FAILED, EXECUTION_FAILED, NOT_INITIALIZED};
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

functions!(
    /// Memory of the caller's context.
    Memory {
        allocate = c"cuMemAlloc_v2": unsafe extern "C" fn(*mut u64, usize) -> c_int,
        free = c"cuMemFree_v2": unsafe extern "C" fn(u64) -> c_int,
    }
);

functions!(
    /// How much memory a GPU has.
    Size {
        device_get = c"cuDeviceGet": unsafe extern "C" fn(*mut c_int, c_int) -> c_int,
        total = c"cuDeviceTotalMem_v2": unsafe extern "C" fn(*mut usize, c_int) -> c_int,
    }
);

functions!(
    /// What tells whether there is a GPU.
    Start {
        init = c"cuInit": unsafe extern "C" fn(c_uint) -> c_int,
    }
);

functions!(
    /// What measures time on a stream.
    Events {
        create = c"cuEventCreate": unsafe extern "C" fn(*mut *mut c_void, c_uint) -> c_int,
        record = c"cuEventRecord": unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        query = c"cuEventQuery": unsafe extern "C" fn(*mut c_void) -> c_int,
        elapsed = c"cuEventElapsedTime": unsafe extern "C" fn(*mut f32, *mut c_void, *mut c_void) -> c_int,
        is_capturing = c"cuStreamIsCapturing": unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
    }
);

/// CUDA_ERROR_NO_DEVICE.
const NO_DEVICE: c_int = 100;
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
    let driver = driver()?;
    let mut context: *mut c_void = ptr::null_mut();
    // SAFETY: context is writable. Before cuInit the call fails, and no context is current then.
    if unsafe { (driver.ctx_get_current)(&mut context) } != 0 || context.is_null() {
        return Ok((0, 0));
    }
    let mut id = 0;
    if let Some(context_id) = context_id() {
        // SAFETY: context is the current one, id is writable.
        check(unsafe { (context_id.get)(context, &mut id) })?;
    }
    Ok((context as usize, id))
}

fn context_id() -> Option<&'static ContextId> {
    static FOUND: OnceLock<Option<ContextId>> = OnceLock::new();
    FOUND.get_or_init(|| ContextId::find(library()?)).as_ref()
}

/// Whether the context of that address and number is there. A driver that does not number contexts cannot tell, so they all are.
pub fn is_alive(context: usize, id: u64) -> bool {
    let (Some(context_id), Ok(primary), true) = (context_id(), primary(), id != 0) else { return true };
    let (mut found, mut popped) = (0, ptr::null_mut());
    // SAFETY: the driver refuses a context that is gone; one that it makes current is asked for its number and popped again.
    unsafe {
        if (primary.push)(context as *mut c_void) != 0 {
            return false;
        }
        let is_same = (context_id.get)(ptr::null_mut(), &mut found) == 0 && found == id;
        (primary.pop)(&mut popped);
        is_same
    }
}

/// The current context, or, where none is current, that of the first GPU's primary context, where libsptrsv works then. (0, 0) where that
/// cannot be had either: libsptrsv says why.
pub fn place() -> Result<(usize, u64), Status> {
    match current_context()? {
        (0, _) => {
            let _bound = Bound::new().ok();
            current_context()
        }
        current => Ok(current),
    }
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

/// Bytes of memory of the first GPU; 0 where that cannot be had.
pub fn total_memory() -> usize {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    let ask = || {
        let size = Size::find(library()?)?;
        let (mut device, mut bytes) = (0, 0);
        // SAFETY: both are writable.
        let told = unsafe { (size.device_get)(&mut device, 0) == 0 && (size.total)(&mut bytes, device) == 0 };
        told.then_some(bytes)
    };
    FOUND.get_or_init(ask).unwrap_or(0)
}

/// Why CUDA cannot work here: there is no driver, or no GPU for it. Starts the driver.
pub fn nothing_to_work_on() -> Option<&'static str> {
    let Some(start) = library().and_then(Start::find) else { return Some("no NVIDIA driver was found") };
    // SAFETY: may be called at any time.
    (unsafe { (start.init)(0) } == NO_DEVICE).then_some("the NVIDIA driver finds no GPU")
}

fn primary() -> Result<&'static Primary, Status> {
    static FOUND: OnceLock<Option<Primary>> = OnceLock::new();
    FOUND.get_or_init(|| Primary::find(library()?)).as_ref().ok_or(NOT_INITIALIZED)
}

/// Copies between host memory and device, managed or pinned memory, and waits for it.
///
/// # Safety
/// `dst` is writable for `bytes`, `src` readable, and the stream is not being captured.
pub unsafe fn copy(
    dst: *mut c_void,
    src: *const c_void,
    bytes: usize,
    stream: *mut c_void,
) -> Result<(), Status> {
    let (driver, _bound) = (driver()?, Bound::new()?);
    relaxed(|| {
        check((driver.memcpy_async)(dst, src, bytes, stream))?;
        check((driver.stream_synchronize)(stream))
    })
}

/// Keeps what `body` does out of the captures of other streams: in CUDA's strictest mode they would forbid waits and allocations,
/// and be lost by them.
fn relaxed<T>(body: impl FnOnce() -> T) -> T {
    static CAPTURE_MODE: OnceLock<Option<CaptureMode>> = OnceLock::new();
    let capture_mode = CAPTURE_MODE.get_or_init(|| CaptureMode::find(library()?)).as_ref();
    let mut mode = RELAXED;
    // SAFETY: reads one mode and writes another.
    let exchanged = capture_mode.filter(|m| unsafe { (m.exchange)(&mut mode) } == 0);
    let result = body();
    if let Some(m) = exchanged {
        // SAFETY: as above.
        unsafe { (m.exchange)(&mut mode) };
    }
    result
}

fn memory() -> Result<&'static Memory, Status> {
    static FOUND: OnceLock<Option<Memory>> = OnceLock::new();
    FOUND.get_or_init(|| Memory::find(library()?)).as_ref().ok_or(NOT_INITIALIZED)
}

/// Device memory of the current context, given back when dropped.
pub struct DeviceMemory(u64);

impl DeviceMemory {
    pub fn new(bytes: usize) -> Result<DeviceMemory, Status> {
        let (memory, _bound) = (memory()?, Bound::new()?);
        let mut address = 0;
        // SAFETY: writes one address.
        match relaxed(|| unsafe { (memory.allocate)(&mut address, bytes.max(1)) }) {
            0 => Ok(DeviceMemory(address)),
            _ => Err(ALLOC_FAILED),
        }
    }

    pub fn address(&self) -> *mut c_void {
        self.0 as *mut c_void
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if let Ok(memory) = memory() {
            let _bound = Bound::new().ok();
            // SAFETY: freed once; the driver waits for what uses it.
            relaxed(|| unsafe { (memory.free)(self.0) });
        }
    }
}

fn events() -> Option<&'static Events> {
    static FOUND: OnceLock<Option<Events>> = OnceLock::new();
    FOUND.get_or_init(|| Events::find(library()?)).as_ref()
}

/// Whether the stream is being captured into a graph.
///
/// # Safety
/// The stream is NULL or live.
pub unsafe fn is_capturing(stream: *mut c_void) -> bool {
    let mut status = 0;
    // SAFETY: the caller's live stream; writes one int. Where the call fails nothing is known to be captured.
    events().is_some_and(|e| unsafe { (e.is_capturing)(stream, &mut status) } == 0 && status != 0)
}

/// The time from one point of a stream to another.
pub struct Stopwatch {
    begin: *mut c_void,
    end: *mut c_void,
}
// SAFETY: the driver's events may be used from any thread.
unsafe impl Send for Stopwatch {}

impl Stopwatch {
    pub fn new() -> Option<Stopwatch> {
        let events = events()?;
        let mut made = Stopwatch { begin: ptr::null_mut(), end: ptr::null_mut() };
        // SAFETY: writes two events.
        let fine =
            unsafe { (events.create)(&mut made.begin, 0) == 0 && (events.create)(&mut made.end, 0) == 0 };
        fine.then_some(made)
    }

    /// # Safety
    /// The stream is NULL or live; so it is for `stop`.
    pub unsafe fn start(&self, stream: *mut c_void) {
        // SAFETY: a live event and the caller's live stream. A failure shows in `milliseconds`.
        let _ = events().map(|e| unsafe { (e.record)(self.begin, stream) });
    }

    pub unsafe fn stop(&self, stream: *mut c_void) {
        // SAFETY: as above.
        let _ = events().map(|e| unsafe { (e.record)(self.end, stream) });
    }

    /// None while the work is on its way.
    pub fn milliseconds(&self) -> Option<f64> {
        let events = events()?;
        let mut time = 0.0;
        // SAFETY: live events; writes one number.
        let done = relaxed(|| unsafe {
            (events.query)(self.end) == 0 && (events.elapsed)(&mut time, self.begin, self.end) == 0
        });
        done.then_some(f64::from(time))
    }
}
