//! NVTX ranges round the library's work, for profilers.
//!
//! A profiler sets NVTX_INJECTION64_PATH to a library of its own. By the protocol of NVTX 3 that library's
//! InitializeInjectionNvtx2 asks for tables of slots, one a module of NVTX, and puts its functions there. Without a profiler a range
//! is one branch, and its name is not made.

use std::ffi::{c_char, c_int, c_uint, c_void, CString};
use std::mem::{size_of, transmute};
use std::os::unix::ffi::OsStringExt;
use std::ptr::{dangling_mut, null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

/// One more than the last slot of each module, by its number.
const SIZES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
/// The module of ranges in domains, and its slots that are used.
const CORE2: usize = 5;
const RANGE_PUSH: usize = 4;
const RANGE_POP: usize = 5;
const CREATE: usize = 12;

static SLOTS: [[AtomicPtr<c_void>; 16]; 7] = [const { [const { AtomicPtr::new(null_mut()) }; 16] }; 7];
/// For each module the addresses of its slots, as the injection gets them; 0 where there is none.
static TABLES: OnceLock<[[usize; 17]; 7]> = OnceLock::new();

/// NvtxExportTableCallbacks and NvtxExportTableVersionInfo.
#[repr(C)]
struct Callbacks(usize, unsafe extern "C" fn(c_uint, *mut *const usize, *mut c_uint) -> c_int);
#[repr(C)]
struct VersionInfo(usize, u32, u32, extern "C" fn(u32));
static CALLBACKS: Callbacks = Callbacks(size_of::<Callbacks>(), slots_of_module);
static VERSION_INFO: VersionInfo = VersionInfo(size_of::<VersionInfo>(), 3, 0, ignore_version);

unsafe extern "C" fn slots_of_module(module: c_uint, table: *mut *const usize, size: *mut c_uint) -> c_int {
    let module = module as usize;
    if !(1..SIZES.len()).contains(&module) {
        return 0;
    }
    let place =
        |m: usize, s: usize| if (1..SIZES[m]).contains(&s) { &raw const SLOTS[m][s] as usize } else { 0 };
    let tables = TABLES.get_or_init(|| std::array::from_fn(|m| std::array::from_fn(|s| place(m, s))));
    // SAFETY: each is NULL or writable, by the protocol.
    unsafe {
        if !table.is_null() {
            table.write(tables[module].as_ptr());
        }
        if !size.is_null() {
            size.write(SIZES[module] as c_uint);
        }
    }
    1
}

extern "C" fn ignore_version(_: u32) {}

extern "C" fn export_table(id: u32) -> *const c_void {
    match id {
        1 => (&raw const CALLBACKS).cast(),
        3 => (&raw const VERSION_INFO).cast(),
        _ => null(),
    }
}

/// nvtxEventAttributes_t with a message in bytes.
#[repr(C)]
struct Attributes {
    version: u16,
    size: u16,
    unused: [u32; 5],
    payload: u64,
    message_type: i32,
    message: *const c_char,
}

/// What a profiler gave.
struct Tool {
    push: unsafe extern "C" fn(usize, *const Attributes) -> c_int,
    pop: unsafe extern "C" fn(usize) -> c_int,
    domain: usize,
}

/// NULL where there is none, UNREAD until the environment is read.
static TOOL: AtomicPtr<Tool> = AtomicPtr::new(UNREAD);
const UNREAD: *mut Tool = dangling_mut();

#[cold]
fn find() -> Option<&'static Tool> {
    static FOUND: OnceLock<Option<Tool>> = OnceLock::new();
    // SAFETY: the library that the environment names is loaded for that.
    let tool = FOUND.get_or_init(|| unsafe { load() }).as_ref();
    TOOL.store(tool.map_or(null_mut(), |tool| (&raw const *tool).cast_mut()), Ordering::Release);
    tool
}

unsafe fn load() -> Option<Tool> {
    let path = CString::new(std::env::var_os("NVTX_INJECTION64_PATH")?.into_vec()).ok()?;
    // SAFETY: zero-terminated names; a symbol of that name has that type, and slots hold NULL or functions of their types.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY);
        if library.is_null() {
            return None;
        }
        type Initialize = unsafe extern "C" fn(extern "C" fn(u32) -> *const c_void) -> c_int;
        let symbol = libc::dlsym(library, c"InitializeInjectionNvtx2".as_ptr());
        let initialize = transmute::<*mut c_void, Option<Initialize>>(symbol);
        if initialize.is_none_or(|initialize| initialize(export_table) == 0) {
            libc::dlclose(library);
            return None;
        }
        let slot = |number: usize| SLOTS[CORE2][number].load(Ordering::Acquire);
        type Create = unsafe extern "C" fn(*const c_char) -> usize;
        let create = transmute::<*mut c_void, Option<Create>>(slot(CREATE));
        Some(Tool {
            push: transmute::<*mut c_void, Option<_>>(slot(RANGE_PUSH))?,
            pop: transmute::<*mut c_void, Option<_>>(slot(RANGE_POP))?,
            domain: create.map_or(0, |create| create(c"sptrsv".as_ptr())),
        })
    }
}

/// Ends its range when dropped.
pub struct Range(&'static Tool);

/// Begins a range on this thread, if there is a profiler.
#[inline]
pub fn range(name: impl FnOnce() -> String) -> Option<Range> {
    let tool = TOOL.load(Ordering::Acquire);
    if tool.is_null() {
        return None;
    }
    begin(tool, name)
}

#[cold]
fn begin(tool: *mut Tool, name: impl FnOnce() -> String) -> Option<Range> {
    // SAFETY: all but UNREAD are found ones, which stay.
    let tool = if tool == UNREAD { find()? } else { unsafe { &*tool } };
    let name = CString::new(name()).ok()?;
    let size = size_of::<Attributes>() as u16;
    let (payload, message) = (0, name.as_ptr());
    let attributes = Attributes { version: 3, size, unused: [0; 5], payload, message_type: 1, message };
    // SAFETY: the profiler's function, which reads the attributes during the call.
    unsafe { (tool.push)(tool.domain, &attributes) };
    Some(Range(tool))
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: the profiler's function.
        unsafe { (self.0.pop)(self.0.domain) };
    }
}
