//! The getters of the libcusparse whose handles and descriptors the program passes in. They are found at run
//! time, so that this library depends on no version of cuSPARSE.

use crate::dl::Library;
use crate::functions;
use crate::log::{self, Level};
use crate::status::{Status, INVALID_VALUE, NOT_INITIALIZED};
use libc::{c_int, c_void};
use std::ffi::CStr;
use std::sync::OnceLock;

/// `cusparseHandle_t`.
pub type Handle = *mut c_void;
/// `cusparseMatDescr_t`.
pub type MatDescr = *mut c_void;

functions!(
    Getters {
        stream = c"cusparseGetStream": unsafe extern "C" fn(Handle, *mut *mut c_void) -> c_int,
        pointer_mode = c"cusparseGetPointerMode": unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
        mat_type = c"cusparseGetMatType": unsafe extern "C" fn(MatDescr) -> c_int,
        fill_mode = c"cusparseGetMatFillMode": unsafe extern "C" fn(MatDescr) -> c_int,
        diag_type = c"cusparseGetMatDiagType": unsafe extern "C" fn(MatDescr) -> c_int,
        index_base = c"cusparseGetMatIndexBase": unsafe extern "C" fn(MatDescr) -> c_int,
    }
);

/// A function that every cuSPARSE has and no library of ours, so that none finds itself, or another copy of itself.
const PROBE: &CStr = c"cusparseGetStream";
/// The version of the functions of CUDA 12 and 13, and that of CUDA 11, which may be in the same process.
const VERSION: &CStr = c"libcusparse.so.12";
const ELEVEN: &CStr = c"libcusparse.so.11";
const NAMES: [&CStr; 2] = [VERSION, c"libcusparse.so"];

/// The cuSPARSE of CUDA 12 or 13 that the program has loaded, else one that can be loaded. None where the program has it inside of
/// itself: a search for its functions may lead to a library of ours.
pub fn of_cuda_12() -> Option<Library> {
    let loads = || NAMES.into_iter().filter_map(Library::load).find_map(behind);
    if is_inside_the_program() {
        None
    } else {
        loaded().or_else(loads)
    }
}

/// It is found behind this library in the program's scope, else in the whole of it, else in a scope of its own (as Python and Julia
/// load it).
fn loaded() -> Option<Library> {
    let scopes = [Library::NEXT, Library::GLOBAL].into_iter();
    let named = scopes.chain(NAMES.into_iter().filter_map(Library::already_loaded)).find_map(behind);
    named.or_else(|| Library::loaded_as("libcusparse.so").into_iter().find_map(behind))
}

/// The cuSPARSE that a search there leads to.
fn behind(library: Library) -> Option<Library> {
    Library::of_address(probe(library)?)
}

/// The address of a function of cuSPARSE. A library that stands in for it may have no versions.
fn probe(library: Library) -> Option<usize> {
    let unversioned =
        || library.symbol(PROBE).filter(|&found| library.versioned_symbol(PROBE, ELEVEN) != Some(found));
    library.versioned_symbol(PROBE, VERSION).or_else(unversioned).map(|address| address as usize)
}

/// Whether the program was linked to the static cuSPARSE, and exports its functions.
fn is_inside_the_program() -> bool {
    probe(Library::GLOBAL).is_some_and(|address| Library::of_address(address).is_none())
}

/// The getters, first of what the program has or has loaded.
fn getters() -> Result<&'static Getters, Status> {
    static FOUND: OnceLock<Getters> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let loaded = || if is_inside_the_program() { None } else { loaded() };
    let found = loaded()
        .and_then(Getters::find)
        .or_else(|| Getters::find(Library::GLOBAL))
        .or_else(|| Getters::find(Library::already_loaded(ELEVEN)?))
        .or_else(|| Getters::find(of_cuda_12()?))
        .or_else(|| Getters::find(Library::load(ELEVEN)?))
        .ok_or_else(|| {
            log::line(
                Level::Error,
                format_args!("no libcusparse that can read the handle is loaded, and none can be"),
            );
            NOT_INITIALIZED
        })?;
    Ok(FOUND.get_or_init(|| found))
}

/// What a cuSPARSE handle says.
pub struct HandleState {
    pub stream: *mut c_void,
    pub pointer_mode: c_int,
}

impl HandleState {
    /// # Safety
    /// `handle` is NULL or a live cuSPARSE handle.
    pub unsafe fn read(handle: Handle) -> Result<Self, Status> {
        if handle.is_null() {
            return Err(NOT_INITIALIZED);
        }
        let getters = getters()?;
        let mut state = HandleState { stream: std::ptr::null_mut(), pointer_mode: 0 };
        for status in [
            (getters.stream)(handle, &mut state.stream),
            (getters.pointer_mode)(handle, &mut state.pointer_mode),
        ] {
            Status::from_cusparse(status)?;
        }
        Ok(state)
    }
}

/// What a cuSPARSE matrix descriptor says, in cuSPARSE's numbers (libsptrsv's are the same).
pub struct DescrState {
    pub mat_type: c_int,
    pub fill_mode: c_int,
    pub diag_type: c_int,
    pub index_base: c_int,
}

impl DescrState {
    /// # Safety
    /// `descr` is NULL or a live cuSPARSE matrix descriptor.
    pub unsafe fn read(descr: MatDescr) -> Result<Self, Status> {
        if descr.is_null() {
            return Err(INVALID_VALUE);
        }
        let getters = getters()?;
        Ok(DescrState {
            mat_type: (getters.mat_type)(descr),
            fill_mode: (getters.fill_mode)(descr),
            diag_type: (getters.diag_type)(descr),
            index_base: (getters.index_base)(descr),
        })
    }
}
