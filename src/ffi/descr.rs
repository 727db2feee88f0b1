//! Matrix descriptors
//!
//! A descriptor says which triangle of the matrix is meant and how the arrays are stored. It holds no pointer and no size. A
//! setter that is refused changes nothing.

use std::mem::MaybeUninit;

use super::guard::{exclusive, guard, raw, shared, write_enum};
use super::objects::{sptrsvConstMatDescr_t, sptrsvMatDescr, sptrsvMatDescr_t};
use crate::error::{sptrsvStatus_t, Error};
use crate::problem::{Base, Diag, Fill, Format, Index, MatDescr, MatType};

/// Type of the matrix. Triangular solves take GENERAL only.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvMatrixType_t {
    SPTRSV_MATRIX_TYPE_GENERAL = 0,
    SPTRSV_MATRIX_TYPE_SYMMETRIC = 1,
    SPTRSV_MATRIX_TYPE_HERMITIAN = 2,
    SPTRSV_MATRIX_TYPE_TRIANGULAR = 3,
}

/// Which triangle of A is the matrix. The other triangle is ignored, also where it holds NaN.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvFillMode_t {
    SPTRSV_FILL_MODE_LOWER = 0,
    SPTRSV_FILL_MODE_UPPER = 1,
}

/// Whether all diagonal entries are one. Stored diagonal entries of a UNIT matrix are ignored and may be missing.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvDiagType_t {
    SPTRSV_DIAG_TYPE_NON_UNIT = 0,
    SPTRSV_DIAG_TYPE_UNIT = 1,
}

/// The number of the first row and column, and the value of the first offset.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvIndexBase_t {
    SPTRSV_INDEX_BASE_ZERO = 0,
    SPTRSV_INDEX_BASE_ONE = 1,
}

/// Storage format: compressed by rows (rowPtr, colInd) or by columns (then rowPtr holds the column
/// pointers and colInd the row indices).
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvFormat_t {
    SPTRSV_FORMAT_CSR = 0,
    SPTRSV_FORMAT_CSC = 1,
}

/// Integer type of offsets or of column indices.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvIndexType_t {
    SPTRSV_INDEX_32I = 0,
    SPTRSV_INDEX_64I = 1,
}

/// Creates a descriptor with cuSPARSE's defaults: GENERAL, LOWER, NON_UNIT, base ZERO; CSR, 32-bit.
///
/// \param descr  receives the descriptor
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvCreateMatDescr(descr: *mut sptrsvMatDescr_t) -> sptrsvStatus_t {
    guard(|| {
        if descr.is_null() {
            return Err(Error::Null("descr"));
        }
        descr.write(Box::into_raw(Box::new(sptrsvMatDescr(MatDescr::default()))));
        Ok(())
    })
}

/// Destroys a descriptor. NULL is allowed.
///
/// \param descr  the descriptor
/// \return SUCCESS
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, which is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn sptrsvDestroyMatDescr(descr: sptrsvMatDescr_t) -> sptrsvStatus_t {
    guard(|| {
        if !descr.is_null() {
            drop(Box::from_raw(descr));
        }
        Ok(())
    })
}

/// Sets the matrix type. Triangular solves take GENERAL only, which is the default.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatType(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvMatrixType_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = exclusive(descr, "descr")?;
        d.0.mat_type = MatType::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the matrix type.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatType(
    descr: sptrsvConstMatDescr_t,
    value: *mut sptrsvMatrixType_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = shared(descr, "descr")?;
        write_enum(value, "value", d.0.mat_type as i32)
    })
}

/// Sets the fill mode: which triangle of A is the matrix. LOWER is the default.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatFillMode(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvFillMode_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = exclusive(descr, "descr")?;
        d.0.fill = Fill::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the fill mode.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatFillMode(
    descr: sptrsvConstMatDescr_t,
    value: *mut sptrsvFillMode_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = shared(descr, "descr")?;
        write_enum(value, "value", d.0.fill as i32)
    })
}

/// Sets the diagonal type. NON_UNIT is the default.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatDiagType(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvDiagType_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = exclusive(descr, "descr")?;
        d.0.diag = Diag::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the diagonal type.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatDiagType(
    descr: sptrsvConstMatDescr_t,
    value: *mut sptrsvDiagType_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = shared(descr, "descr")?;
        write_enum(value, "value", d.0.diag as i32)
    })
}

/// Sets the index base. ZERO is the default.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatIndexBase(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvIndexBase_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = exclusive(descr, "descr")?;
        d.0.base = Base::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the index base.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatIndexBase(
    descr: sptrsvConstMatDescr_t,
    value: *mut sptrsvIndexBase_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = shared(descr, "descr")?;
        write_enum(value, "value", d.0.base as i32)
    })
}

/// Sets the storage format. CSR is the default.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatFormat(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvFormat_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = exclusive(descr, "descr")?;
        d.0.format = Format::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the storage format.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatFormat(
    descr: sptrsvConstMatDescr_t,
    value: *mut sptrsvFormat_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = shared(descr, "descr")?;
        write_enum(value, "value", d.0.format as i32)
    })
}

/// Sets the integer types of the offsets (rowPtr) and of the column indices (colInd). 32 bits are the default for both. 64-bit
/// offsets may stand with 32-bit columns; solves do not support 32-bit offsets with 64-bit columns.
///
/// \param descr    the descriptor
/// \param offsets  type of the offsets
/// \param columns  type of the column indices
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or a type is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatIndexTypes(
    descr: sptrsvMatDescr_t,
    offsets: MaybeUninit<sptrsvIndexType_t>,
    columns: MaybeUninit<sptrsvIndexType_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = exclusive(descr, "descr")?;
        let (o, c) = (Index::from_raw(raw(offsets))?, Index::from_raw(raw(columns))?);
        (d.0.offsets, d.0.columns) = (o, c);
        Ok(())
    })
}

/// Reads the integer types of the offsets and of the column indices.
///
/// \param descr    the descriptor
/// \param offsets  receives the type of the offsets
/// \param columns  receives the type of the column indices
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor; the others are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatIndexTypes(
    descr: sptrsvConstMatDescr_t,
    offsets: *mut sptrsvIndexType_t,
    columns: *mut sptrsvIndexType_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = shared(descr, "descr")?;
        if columns.is_null() {
            return Err(Error::Null("columns"));
        }
        write_enum(offsets, "offsets", d.0.offsets as i32)?;
        write_enum(columns, "columns", d.0.columns as i32)
    })
}
