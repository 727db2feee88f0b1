//! From cuSPARSE's descriptors to what libsptrsv solves, or the reason why it does not.

use crate::args::{Call, Family};
use crate::real::{Getters, Real};
use doors::sptrsv::{self, DataType};
use libc::{c_int, c_void};
use std::ptr;

/// cusparseFormat_t.
const CSR: c_int = 1;
const CSC: c_int = 2;
const COO: c_int = 3;
/// cusparseIndexType_t.
const INDEX_32I: c_int = 2;
const INDEX_64I: c_int = 3;
/// cusparseSpMatAttribute_t.
const FILL_MODE: c_int = 0;
const DIAG_TYPE: c_int = 1;
/// cusparseDiagType_t.
const UNIT: c_int = 1;
/// cusparseOperation_t.
const CONJUGATE: c_int = 2;

/// Why a problem is one for the real library.
pub type Why = &'static str;
const UNREAD: Why = "a descriptor cannot be read";
pub const NOT_SQUARE: Why = "the matrix is not square";

/// How a matrix is stored, in libsptrsv's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    pub m: i64,
    pub nnz: i64,
    pub data_type: DataType,
    /// 1 for CSC.
    pub format: c_int,
    /// Rows given one by one, from which offsets are made first.
    pub is_coo: bool,
    pub base: c_int,
    /// 1 for 64-bit indices.
    pub index: c_int,
    pub fill: c_int,
    pub diag: c_int,
}

/// A square sparse matrix.
#[derive(Clone, Copy)]
pub struct Matrix {
    pub storage: Storage,
    /// How many right-hand sides a call to bufferSize or analysis of SpSM names, else 1.
    pub columns_of_b: i64,
    /// Offsets, or for COO the rows of the entries.
    pub rows: *const c_void,
    pub columns: *const c_void,
    pub values: *const c_void,
}

/// The four types by cudaDataType's numbers.
pub fn data_type(number: c_int) -> Option<DataType> {
    [sptrsv::R_32F, sptrsv::R_64F, sptrsv::C_32F, sptrsv::C_64F].into_iter().find(|t| t.number == number)
}

/// The matrix of a call to bufferSize or analysis, if libsptrsv solves with it.
///
/// # Safety
/// The descriptors of the call are NULL or live objects of the real library.
pub unsafe fn of_call(real: &Real, call: &Call) -> Result<Matrix, Why> {
    let getters = real.getters.as_ref().ok_or("this libcusparse lacks a getter")?;
    if call.handle.is_null() || call.a.is_null() {
        return Err("an argument is NULL");
    }
    if !real.has_algorithm(call.family, call.alg) {
        return Err("this libcusparse does not know the algorithm");
    }
    let mut matrix = read(real, getters, call.a)?;
    let attribute = |which| attribute(getters, call.a, which).ok_or(UNREAD);
    // Any other number counts as cuSPARSE counts it.
    matrix.storage.fill = (attribute(FILL_MODE)? != 0).into();
    matrix.storage.diag = (attribute(DIAG_TYPE)? == UNIT).into();
    let data_type = matrix.storage.data_type;
    if call.compute != data_type.number {
        return Err("the compute type is not the type of the matrix");
    }
    if !(0..=CONJUGATE).contains(&call.op) || (call.op == CONJUGATE && !data_type.complex) {
        return Err("cuSPARSE refuses the operation");
    }
    // SpSV looks at its vectors at the solve only.
    if call.family == Family::SpSM {
        let b = right_hand_sides(getters, call)?;
        if b.value_type != data_type.number || b.rows != matrix.storage.m {
            return Err("B does not fit the matrix");
        }
        matrix.columns_of_b = b.columns;
    }
    Ok(matrix)
}

/// op(B) of SpSM.
///
/// # Safety
/// The descriptors of the call are NULL or live objects of the real library.
unsafe fn right_hand_sides(getters: &Getters, call: &Call) -> Result<Dense, Why> {
    if call.b.is_null() {
        return Err("an argument is NULL");
    }
    let b = Dense::read(getters, call.family, call.b).ok_or(UNREAD)?;
    match call.op_b {
        0 => Ok(b),
        1 => Ok(b.transposed()),
        _ => Err("cuSPARSE refuses the operation on B"),
    }
}

/// What the getters tell of a sparse matrix, in cuSPARSE's numbers.
struct Fields {
    m: i64,
    columns_of_a: i64,
    nnz: i64,
    rows: *const c_void,
    columns: *const c_void,
    values: *const c_void,
    offset_type: c_int,
    column_type: c_int,
    base: c_int,
    value_type: c_int,
}

impl Fields {
    /// # Safety
    /// `a` is a live object of the real library.
    unsafe fn read(real: &Real, getters: &Getters, a: *const c_void, format: c_int) -> Result<Fields, Why> {
        let mut f = Fields {
            m: 0,
            columns_of_a: 0,
            nnz: 0,
            rows: ptr::null(),
            columns: ptr::null(),
            values: ptr::null(),
            offset_type: 0,
            column_type: 0,
            base: 0,
            value_type: 0,
        };
        let compressed = match format {
            CSR => Some(getters.csr),
            CSC if real.has_csc() => Some(getters.csc),
            COO => None,
            _ => return Err("the format"),
        };
        let status = match compressed {
            Some(get) => get(
                a,
                &mut f.m,
                &mut f.columns_of_a,
                &mut f.nnz,
                &mut f.rows,
                &mut f.columns,
                &mut f.values,
                &mut f.offset_type,
                &mut f.column_type,
                &mut f.base,
                &mut f.value_type,
            ),
            None => (getters.coo)(
                a,
                &mut f.m,
                &mut f.columns_of_a,
                &mut f.nnz,
                &mut f.rows,
                &mut f.columns,
                &mut f.values,
                &mut f.offset_type,
                &mut f.base,
                &mut f.value_type,
            ),
        };
        if compressed.is_none() {
            f.column_type = f.offset_type;
        }
        if status == 0 {
            Ok(f)
        } else {
            Err(UNREAD)
        }
    }
}

/// The matrix behind a descriptor, without its fill mode and diagonal type, which a solve does not look at.
///
/// # Safety
/// `a` is a live object of the real library.
pub unsafe fn read(real: &Real, getters: &Getters, a: *const c_void) -> Result<Matrix, Why> {
    let mut format = 0;
    if (getters.format)(a, &mut format) != 0 {
        return Err(UNREAD);
    }
    let f = Fields::read(real, getters, a, format)?;
    // cuSPARSE counts rows with 32-bit numbers only.
    if format == COO && (f.offset_type != INDEX_32I || f.m.max(f.nnz) > i64::from(c_int::MAX)) {
        return Err("COO with 64-bit indices");
    }
    if f.m != f.columns_of_a {
        return Err(NOT_SQUARE);
    }
    if f.offset_type != f.column_type || ![INDEX_32I, INDEX_64I].contains(&f.offset_type) {
        return Err("the index types");
    }
    let storage = Storage {
        m: f.m,
        nnz: f.nnz,
        data_type: data_type(f.value_type).ok_or("the type of the values")?,
        format: (format == CSC).into(),
        is_coo: format == COO,
        base: f.base,
        index: (f.offset_type == INDEX_64I).into(),
        fill: 0,
        diag: 0,
    };
    Ok(Matrix { storage, columns_of_b: 1, rows: f.rows, columns: f.columns, values: f.values })
}

/// None where the descriptor has no such attribute.
unsafe fn attribute(getters: &Getters, a: *const c_void, which: c_int) -> Option<c_int> {
    let mut value: c_int = 0;
    let status = (getters.attribute)(a, which, (&raw mut value).cast(), size_of::<c_int>());
    (status == 0).then_some(value)
}

/// A dense vector or matrix.
#[derive(Clone, Copy)]
pub struct Dense {
    pub rows: i64,
    pub columns: i64,
    pub ld: i64,
    pub values: *mut c_void,
    pub value_type: c_int,
    /// cusparseOrder_t, which is libsptrsv's order too.
    pub order: c_int,
}

impl Dense {
    /// The vector or matrix behind a descriptor. None where it cannot be read.
    ///
    /// # Safety
    /// `descr` is a live object of the real library, of that family.
    pub unsafe fn read(getters: &Getters, family: Family, descr: *const c_void) -> Option<Dense> {
        let mut dense = Dense {
            rows: 0,
            columns: 1,
            ld: 0,
            values: ptr::null_mut(),
            value_type: 0,
            order: sptrsv::ORDER_COLUMN,
        };
        let mut values = ptr::null();
        let status = match family {
            Family::SpSV => (getters.vector)(descr, &mut dense.rows, &mut values, &mut dense.value_type),
            Family::SpSM => (getters.dense)(
                descr,
                &mut dense.rows,
                &mut dense.columns,
                &mut dense.ld,
                &mut values,
                &mut dense.value_type,
                &mut dense.order,
            ),
        };
        dense.values = values.cast_mut();
        if family == Family::SpSV {
            dense.ld = dense.rows;
        }
        (status == 0).then_some(dense)
    }

    /// The transpose, which lies where it lay.
    pub fn transposed(self) -> Dense {
        let order = match self.order {
            sptrsv::ORDER_COLUMN => sptrsv::ORDER_ROW,
            _ => sptrsv::ORDER_COLUMN,
        };
        Dense { rows: self.columns, columns: self.rows, order, ..self }
    }
}
