//! What a program's call is told.

use crate::matrix::{Storage, Why};
use crate::report::Name;
use doors::cusparse::{DescrState, Handle, MatDescr};
use doors::sptrsv::DataType;
use libc::{c_int, c_void};

pub const NOT_GENERAL: Why = "the matrix is not of the type GENERAL";

/// Which factorisation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ilu,
    Ic,
}

impl From<Kind> for Name {
    fn from(kind: Kind) -> Name {
        match kind {
            Kind::Ilu => Name::Csrilu02,
            Kind::Ic => Name::Csric02,
        }
    }
}

/// What bufferSize, analysis and the factorisation are told.
#[derive(Clone, Copy)]
pub struct Call {
    pub kind: Kind,
    pub data_type: DataType,
    pub handle: Handle,
    pub m: c_int,
    pub nnz: c_int,
    pub descr: MatDescr,
    pub val: *mut c_void,
    pub row_ptr: *const c_void,
    pub col_ind: *const c_void,
    pub info: usize,
}

/// What the analysis and the factorisation are told.
#[derive(Clone, Copy)]
pub struct Factorise {
    pub call: Call,
    pub policy: c_int,
    pub buffer: *mut c_void,
}

/// What numericBoost is told.
pub struct Boost {
    pub data_type: DataType,
    pub handle: Handle,
    pub enable: c_int,
    pub tolerance: *mut f64,
    pub value: *mut c_void,
}

impl Call {
    /// How the matrix is stored, if it is one that libsptrsv factorises.
    ///
    /// # Safety
    /// As cuSPARSE's functions.
    pub unsafe fn storage(&self) -> Result<Storage, Why> {
        let arrays = [self.handle, self.descr, self.val, self.row_ptr.cast_mut(), self.col_ind.cast_mut()];
        if arrays.iter().any(|pointer| pointer.is_null()) {
            return Err("an argument is NULL");
        }
        let descr = DescrState::read(self.descr).map_err(|_| "a descriptor cannot be read")?;
        if descr.mat_type != 0 {
            return Err(NOT_GENERAL);
        }
        if self.m <= 0 || self.nnz <= 0 {
            return Err("the matrix has no rows or no entries");
        }
        // Fill mode and diagonal type are ignored.
        Ok(Storage {
            m: self.m.into(),
            nnz: self.nnz.into(),
            data_type: self.data_type,
            format: 0,
            is_coo: false,
            base: descr.index_base,
            index: 0,
            fill: 0,
            diag: 0,
        })
    }
}
