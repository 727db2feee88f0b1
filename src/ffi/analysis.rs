//! Analysis
//!
//! sptrsvBufferSize says how large a scratch buffer an analysis and its solves need. sptrsvAnalysis reads the sparsity pattern
//! once; values may change between solves without another analysis. sptrsvUpdateValues and sptrsvUpdateDiagonal serve infos that
//! hold a copy of the values.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use super::guard::{address, arrays, guard, raw, shared, with_handle, with_info, write};
use super::logging::log_analysis;
use super::nvtx;
use super::objects::{sptrsvConstInfo_t, sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use crate::error::sptrsvStatus_t;
use crate::problem::{switch, DataType, Op, Policy};
use crate::workspace;

/// op(A) in op(A) x = alpha f.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvOperation_t {
    SPTRSV_OPERATION_NON_TRANSPOSE = 0,
    SPTRSV_OPERATION_TRANSPOSE = 1,
    /// The same as TRANSPOSE for real types.
    SPTRSV_OPERATION_CONJUGATE_TRANSPOSE = 2,
}

/// Type of matrix values, right-hand sides, solutions and alpha; cudaDataType's numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvDataType_t {
    SPTRSV_R_32F = 0,
    SPTRSV_R_64F = 1,
    SPTRSV_C_32F = 4,
    SPTRSV_C_64F = 5,
}

/// Whether solves may use level information; kept for programs that were written for csrsv2. An info that was analysed with
/// USE_LEVEL solves with both policies.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvSolvePolicy_t {
    SPTRSV_SOLVE_POLICY_NO_LEVEL = 0,
    SPTRSV_SOLVE_POLICY_USE_LEVEL = 1,
}

/// Computes the size of the scratch buffer that an analysis and its solves need: at least 8 bytes for m >= 1. It goes by m, nnz, the
/// type and what the info is set for, as docs/c-interface.md says. So set the algorithm, the expected right-hand sides,
/// sptrsvSetFactorization and sptrsvSetSweeps before.
///
/// The call writes into the info what the size is for, and an analysis that needs a larger buffer gives INVALID_VALUE. For an info
/// that is analysed already, the size also suffices for what that analysis is for.
///
/// \param handle  the handle
/// \param op  op(A)
/// \param m  rows and columns of A; where it is 0, arrays and buffer may be NULL
/// \param nnz  entries of A, both triangles counted
/// \param descr  how the arrays are to be read
/// \param valueType  type of the values
/// \param val, rowPtr, colInd  not read, and may be NULL
/// \param info  the info that the analysis will use
/// \param bytes  receives the size
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE (a NULL, a negative size, an enum out of range, UNIT with a separate diagonal);
///         MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES (2^32 - 4096 rows or entries and more)
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// Handle, descriptor and info are NULL or live; `bytes` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvBufferSize(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    bytes: *mut usize,
) -> sptrsvStatus_t {
    let _ = (val, rowPtr, colInd);
    with_handle(handle, |c| {
        let d = shared(descr, "descr")?.0;
        with_info(info, |i| {
            let shape =
                i.shape_to_analyse(Op::from_raw(raw(op))?, [m, nnz], d, DataType::from_raw(raw(valueType))?)?;
            let row_bytes = i.row_bytes_wanted(&c.executor, shape.dtype);
            let purpose = i.purpose_of_buffer();
            let for_factor = if purpose.factorizes { workspace::factor_bytes(&shape, row_bytes) } else { 0 };
            let for_sweeps = if purpose.sweeps() { workspace::sweep_bytes(&shape, row_bytes) } else { 0 };
            let for_solves = workspace::buffer_bytes(&shape, row_bytes);
            write(bytes, "bytes", for_solves.max(for_factor).max(for_sweeps))?;
            i.row_bytes[shape.dtype.place()] = row_bytes;
            i.buffer_is_for = purpose;
            Ok(())
        })
    })
}

/// Chooses whether an analysis keeps a copy of the pattern, by which the next one knows it again. An analysis of an equal pattern, with
/// the same settings and on the same device, then keeps the schedule: it compares the two patterns, and copies the values where all
/// are copied. That is for programs that analyse the same pattern again and again, as bindings without a place for an info do.
///
/// The copy takes as much memory as rowPtr and colInd. Where there is not enough, none is kept.
///
/// \param info     the info
/// \param enabled  1 to keep a copy, 0 (the default) to keep none
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetKeepPattern(info: sptrsvInfo_t, enabled: c_int) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.keeps_pattern = switch("enabled", enabled)?;
            Ok(())
        })
    })
}

/// Reads whether an analysis keeps a copy of the pattern.
///
/// \param info     the info
/// \param enabled  receives 1 or 0
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `enabled` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetKeepPattern(
    info: sptrsvConstInfo_t,
    enabled: *mut c_int,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(enabled, "enabled", i.keeps_pattern.into())))
}

/// Analyses the sparsity pattern: levels, dependencies, and the schedule that solves follow. Values are not read, but copied after
/// sptrsvSetCopyValues(info, SPTRSV_COPY_ALL). The pattern may be changed or freed afterwards.
///
/// An info can be analysed again, for the same or another matrix. The new analysis takes over its memory, so CUDA graphs that
/// captured a solve or an update with this info must not be launched any more. A call that is refused leaves the info as it was. A
/// call that fails later may leave it not analysed: ALLOC_FAILED, TIMED_OUT, EXECUTION_FAILED, NOT_SUPPORTED, or
/// INSUFFICIENT_RESOURCES for a schedule of too many pieces.
///
/// \param handle  the handle
/// \param op  op(A)
/// \param m  rows and columns of A; where it is 0, arrays and buffer may be NULL
/// \param nnz  entries of A, both triangles counted
/// \param descr  how the arrays are to be read
/// \param valueType  type of the values
/// \param val  nnz values if all are to be copied; else not read, and may be NULL
/// \param rowPtr  m + 1 offsets (of columns, for CSC)
/// \param colInd  nnz indices (of rows, for CSC); they need not be sorted, and duplicates add up
/// \param info  receives the analysis
/// \param policy  kept with the info: see sptrsvSolvePolicy_t
/// \param buffer  scratch of sptrsvBufferSize's size, at any address; nothing survives in it
/// \return SUCCESS (also where a diagonal entry is missing: see sptrsvZeroPivot); NOT_INITIALIZED;
///         INVALID_VALUE (as sptrsvBufferSize; an array that is NULL or not aligned; a stream that is capturing);
///         MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED (also where the algorithm or analysis mode does not fit the
///         GPU or the size); INSUFFICIENT_RESOURCES; INVALID_MATRIX (offsets that fall or do not end at nnz, an
///         index out of range); ALLOC_FAILED; TIMED_OUT; EXECUTION_FAILED
///
/// Blocking: waits for the handle's stream; where the info was used on another stream, on the per-thread stream or in a capture,
/// for all work of the CUDA context. Graph capture: not allowed; other streams may be capturing meanwhile.
///
/// # Safety
/// Handle, descriptor and info are NULL or live; the arrays have the sizes given, in the executor's memory.
#[no_mangle]
pub unsafe extern "C" fn sptrsvAnalysis(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let d = shared(descr, "descr")?.0;
        with_info(info, |i| {
            let shape =
                i.shape_to_analyse(Op::from_raw(raw(op))?, [m, nnz], d, DataType::from_raw(raw(valueType))?)?;
            let policy = Policy::from_raw(raw(policy))?;
            let arrays = arrays(val, rowPtr, colInd);
            let _range = nvtx::range(|| format!("sptrsvAnalysis n={m} nnz={nnz}"));
            i.analyse(c, shape, arrays, policy, address(buffer))?;
            log_analysis(i)
        })
    })
}

/// Copies matrix values into an info that was analysed after sptrsvSetCopyValues.
///
/// WHERE_FASTER: call it after the analysis and after each change of the values. Solves before that read the old values where they
/// are copied, and the new values where they are not. The array stays the caller's and must stay readable: each solve is given the
/// same pointer, and refuses another one.
///
/// ALL: call it to replace the values. The array may be changed or freed when the copy is done.
///
/// \param handle  the handle
/// \param info    an info analysed after sptrsvSetCopyValues
/// \param val     nnz values of the type that was analysed, as at sptrsvSolve; may be NULL if there are none
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `info` or `val` is NULL, `val` is not aligned, or the analysis was not asked
///         to prepare for a copy; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device). After any of these,
///         solves read what they read before. EXECUTION_FAILED: the copy may hold a part of the new values
///
/// Blocking: no. The copy is enqueued on the handle's stream, and solves on other streams must wait for it. Graph capture: allowed.
/// The graph then copies what the array holds at each launch. A captured update counts as made: before the first launch, solves
/// outside of the graph read what the copy held before, which is undefined after an analysis.
///
/// # Safety
/// Handle and info are NULL or live; `val` is NULL or nnz values in the executor's memory.
#[no_mangle]
pub unsafe extern "C" fn sptrsvUpdateValues(
    handle: sptrsvHandle_t,
    info: sptrsvInfo_t,
    val: *const c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| with_info(info, |i| i.update_values(c, address(val))))
}

/// Replaces the diagonal in the copy of all values (sptrsvSetCopyValues, ALL). Rows without a diagonal entry in the matrix get none.
///
/// \param handle  the handle
/// \param info    an info analysed after sptrsvSetCopyValues(info, SPTRSV_COPY_ALL)
/// \param diag    m values of the type that was analysed; may be NULL if there are none. It may be changed or freed when the copy
///                is done
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `info` or `diag` is NULL, `diag` is not aligned, the analysis was not asked
///         to copy all values, or the diagonal is UNIT or separate; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another
///         device); NOT_SUPPORTED where a row has two diagonal entries. After any of these, solves read what they read before.
///         EXECUTION_FAILED: the copy may hold a part of the new diagonal
///
/// Blocking: no. The copy is enqueued on the handle's stream, and solves on other streams must wait for it. Graph capture: allowed.
/// The graph then copies what the array holds at each launch.
///
/// # Safety
/// Handle and info are NULL or live; `diag` is NULL or m values in the executor's memory.
#[no_mangle]
pub unsafe extern "C" fn sptrsvUpdateDiagonal(
    handle: sptrsvHandle_t,
    info: sptrsvInfo_t,
    diag: *const c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| with_info(info, |i| i.update_diagonal(c, address(diag))))
}
