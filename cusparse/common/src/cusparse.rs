//! The getters of the libcusparse whose handles and descriptors the program passes in. They are found at run
//! time, so that this library depends on no version of cuSPARSE.

use crate::dl::Library;
use crate::functions;
use crate::status::{Status, INVALID_VALUE, NOT_INITIALIZED};
use libc::{c_int, c_void};
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

/// The getters: from the global scope, else from a libcusparse that is loaded in a scope of its own (as
/// Python and Julia load it), else from one that can be loaded.
fn getters() -> Result<&'static Getters, Status> {
    static FOUND: OnceLock<Getters> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let names = [c"libcusparse.so.13", c"libcusparse.so.12", c"libcusparse.so.11", c"libcusparse.so"];
    let found = Getters::find(Library::GLOBAL)
        .or_else(|| names.iter().find_map(|n| Getters::find(Library::already_loaded(n)?)))
        .or_else(|| names.iter().find_map(|n| Getters::find(Library::load(n)?)))
        .ok_or(NOT_INITIALIZED)?;
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
