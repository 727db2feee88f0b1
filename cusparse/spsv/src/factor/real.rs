//! csrilu02 and csric02 of the real cuSPARSE.

use super::args::{Boost, Call, Factorise, Kind};
use crate::report;
use doors::cusparse::{self, Handle, MatDescr};
use doors::dl::Library;
use doors::status::{Status, NOT_INITIALIZED, NOT_SUPPORTED};
use libc::{c_int, c_void};
use std::ffi::CString;
use std::sync::OnceLock;

type Array = *const c_void;
type Size = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    MatDescr,
    *mut c_void,
    Array,
    Array,
    usize,
    *mut c_int,
) -> c_int;
type Step = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    MatDescr,
    *mut c_void,
    Array,
    Array,
    usize,
    c_int,
    *mut c_void,
) -> c_int;

/// The functions of one kind.
pub struct Functions {
    create: unsafe extern "C" fn(*mut usize) -> c_int,
    destroy: unsafe extern "C" fn(usize) -> c_int,
    zero_pivot: unsafe extern "C" fn(Handle, usize, *mut c_int) -> c_int,
    typed: [Typed; 4],
    /// Of ILU alone.
    boost: [Option<unsafe extern "C" fn(Handle, usize, c_int, *mut f64, *mut c_void) -> c_int>; 4],
    set_pointer_mode: unsafe extern "C" fn(Handle, c_int) -> c_int,
}

#[derive(Clone, Copy)]
struct Typed {
    buffer_size: Size,
    analysis: Step,
    factorise: Step,
}

const LETTERS: [char; 4] = ['S', 'D', 'C', 'Z'];

/// The functions of the real library, found at the first call that finds them.
pub fn functions(kind: Kind, function: &'static str) -> Result<&'static Functions, Status> {
    static FOUND: OnceLock<[Option<Functions>; 2]> = OnceLock::new();
    let find = || {
        let library = cusparse::of_cuda_12()?;
        let both = || [Kind::Ilu, Kind::Ic].map(|kind| Functions::find(library, kind));
        Some(FOUND.get_or_init(both))
    };
    let found = FOUND.get().or_else(find).ok_or_else(|| {
        let why = "no libcusparse.so.12 is loaded, and none can be";
        report::refused(kind, function, NOT_INITIALIZED, why)
    })?;
    found[kind as usize].as_ref().ok_or_else(|| {
        report::refused(kind, function, NOT_SUPPORTED, "this libcusparse does not have it any more")
    })
}

/// The function of that name.
///
/// # Safety
/// `F` is the type of a pointer to it.
unsafe fn function<F: Copy>(library: Library, name: String) -> Option<F> {
    let symbol = library.symbol(&CString::new(name).ok()?)?;
    // SAFETY: by the caller's promise.
    Some(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&symbol) })
}

impl Functions {
    fn find(library: Library, kind: Kind) -> Option<Functions> {
        let (name, object) = match kind {
            Kind::Ilu => ("csrilu02", "Csrilu02Info"),
            Kind::Ic => ("csric02", "Csric02Info"),
        };
        // SAFETY: the functions have these signatures in every version of the library.
        unsafe {
            let typed = LETTERS.map(|letter| {
                Some(Typed {
                    buffer_size: function(library, format!("cusparse{letter}{name}_bufferSize"))?,
                    analysis: function(library, format!("cusparse{letter}{name}_analysis"))?,
                    factorise: function(library, format!("cusparse{letter}{name}"))?,
                })
            });
            let boost =
                LETTERS.map(|letter| function(library, format!("cusparse{letter}{name}_numericBoost")));
            Some(Functions {
                create: function(library, format!("cusparseCreate{object}"))?,
                destroy: function(library, format!("cusparseDestroy{object}"))?,
                zero_pivot: function(library, format!("cusparseX{name}_zeroPivot"))?,
                typed: [typed[0]?, typed[1]?, typed[2]?, typed[3]?],
                boost,
                set_pointer_mode: function(library, "cusparseSetPointerMode".into())?,
            })
        }
    }

    /// # Safety
    /// As cuSPARSE's function; so are those below.
    pub unsafe fn create(&self, info: *mut usize) -> Result<(), Status> {
        Status::from_cusparse((self.create)(info))
    }

    pub unsafe fn destroy(&self, info: usize) -> Result<(), Status> {
        Status::from_cusparse((self.destroy)(info))
    }

    pub unsafe fn zero_pivot(&self, handle: Handle, info: usize, position: *mut c_int) -> Result<(), Status> {
        Status::from_cusparse((self.zero_pivot)(handle, info, position))
    }

    pub unsafe fn buffer_size(&self, call: &Call, info: usize, bytes: *mut c_int) -> Result<(), Status> {
        let Call { handle, m, nnz, descr, val, row_ptr, col_ind, data_type, .. } = *call;
        let size = self.typed[data_type.place()].buffer_size;
        Status::from_cusparse(size(handle, m, nnz, descr, val, row_ptr, col_ind, info, bytes))
    }

    pub unsafe fn analyse(&self, step: &Factorise, info: usize) -> Result<(), Status> {
        self.step(self.typed[step.call.data_type.place()].analysis, step, info)
    }

    pub unsafe fn factorise(&self, step: &Factorise, info: usize) -> Result<(), Status> {
        self.step(self.typed[step.call.data_type.place()].factorise, step, info)
    }

    unsafe fn step(&self, function: Step, step: &Factorise, info: usize) -> Result<(), Status> {
        let Factorise { call, policy, buffer } = *step;
        let Call { handle, m, nnz, descr, val, row_ptr, col_ind, .. } = call;
        Status::from_cusparse(function(handle, m, nnz, descr, val, row_ptr, col_ind, info, policy, buffer))
    }

    pub unsafe fn boost(&self, boost: &Boost, info: usize) -> Result<(), Status> {
        let Boost { data_type, handle, enable, tolerance, value } = *boost;
        let function = self.boost[data_type.place()].ok_or(NOT_SUPPORTED)?;
        Status::from_cusparse(function(handle, info, enable, tolerance, value))
    }

    pub unsafe fn set_pointer_mode(&self, handle: Handle, mode: c_int) -> Result<(), Status> {
        Status::from_cusparse((self.set_pointer_mode)(handle, mode))
    }
}

/// An info of the real library, destroyed with its owner.
pub struct RealInfo {
    functions: &'static Functions,
    pub info: usize,
}

impl RealInfo {
    pub fn new(functions: &'static Functions) -> Result<RealInfo, Status> {
        let mut info = 0;
        // SAFETY: writes one pointer.
        unsafe { functions.create(&mut info) }?;
        Ok(RealInfo { functions, info })
    }
}

impl Drop for RealInfo {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed once.
        let _ = unsafe { self.functions.destroy(self.info) };
    }
}
