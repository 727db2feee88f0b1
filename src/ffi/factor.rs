//! Factorisation
//!
//! Incomplete factorisations without fill-in, in place in the caller's values, by the info that solves with the factor afterwards.
//! sptrsvSetFactorization before the analysis of the lower triangle has it prepare them; then sptrsvIlu0 or sptrsvIc0 factorises as
//! often as the values change.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use super::analysis::sptrsvDataType_t;
use super::guard::{address, arrays, guard, raw, shared, with_handle, with_info, write};
use super::logging::log_step;
use super::nvtx;
use super::objects::{sptrsvConstInfo_t, sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use super::solve::report_pivot;
use crate::context::Context;
use crate::error::{sptrsvStatus_t, Error, Result};
use crate::info::Info;
use crate::problem::{switch, Arrays, Boost, DataType, Factorization, Op};

/// Chooses whether later analyses with this info prepare sptrsvIlu0 and sptrsvIc0. Such an analysis takes the lower triangle of a
/// matrix in CSR, with the operation NON_TRANSPOSE. Every row must have its columns in ascending order, each once, and an entry on
/// its diagonal; else the analysis gives INVALID_MATRIX. Call it before sptrsvBufferSize.
///
/// \param info     the info
/// \param enabled  1 to prepare factorisations, 0 (the default) for solves alone
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetFactorization(info: sptrsvInfo_t, enabled: c_int) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.purpose.factorizes = switch("enabled", enabled)?;
            Ok(())
        })
    })
}

/// Reads whether later analyses prepare factorisations.
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
pub unsafe extern "C" fn sptrsvGetFactorization(
    info: sptrsvConstInfo_t,
    enabled: *mut c_int,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(enabled, "enabled", i.purpose.factorizes.into())))
}

/// Has later calls of sptrsvIlu0 replace pivots whose absolute value is at most `tolerance` by re + i im. csrilu02 of cuSPARSE
/// replaces those that are less than its tolerance. sptrsvIc0 replaces none.
///
/// \param info       the info
/// \param tolerance  0 or more; negative (the default) to replace none
/// \param re, im     what takes their place: any numbers, also NaN, as csrilu02 takes them; im is not used for real types
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `tolerance` is NaN
///
/// Blocking: no. Graph capture: allowed; a captured factorisation keeps what was set when it was captured.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetPivotBoost(
    info: sptrsvInfo_t,
    tolerance: f64,
    re: f64,
    im: f64,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.boost = Boost::new(tolerance, re, im)?;
            Ok(())
        })
    })
}

/// Reads by what later calls of sptrsvIlu0 replace small pivots.
///
/// \param info       the info
/// \param tolerance  receives the tolerance; -1 where no pivots are replaced, and then `re` and `im` receive 0
/// \param re, im     receive what takes the place of small pivots
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info; `tolerance`, `re` and `im` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetPivotBoost(
    info: sptrsvConstInfo_t,
    tolerance: *mut f64,
    re: *mut f64,
    im: *mut f64,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            let boost = i.boost.unwrap_or(Boost { tolerance: -1.0, value: [0.0; 2] });
            for (part, name) in [(re, "re"), (im, "im")] {
                if part.is_null() {
                    return Err(Error::Null(name));
                }
            }
            write(tolerance, "tolerance", boost.tolerance)?;
            write(re, "re", boost.value[0])?;
            write(im, "im", boost.value[1])
        })
    })
}

/// Factorises A = L U without fill-in (ILU(0)), in place: afterwards `val` holds L below the diagonal, without its unit diagonal, and
/// U on and above it. For k < i with an entry (i, k), rows ascending: a_ik is divided by u_kk, and a_ik u_kj is subtracted from each
/// a_ij with j > k that has an entry. Rows are factorised in parallel, in the order of the levels of L; the sums of an entry are made
/// in the same order in every run, so results are the same to the bit. Where all updates go to the diagonal, as on 5-point and 7-point
/// grids, an info whose algorithm is TILED factorises by a solve: there a boost, or a tuning that keeps another algorithm, changes the
/// last bits, and in single precision a diagonal entry that is 1e38 times as small as another entry of its row counts as zero. Solves
/// with the info read the factors in `val`. After sptrsvSetCopyValues they may read a copy of earlier values, until
/// sptrsvUpdateValues.
///
/// \param handle  the handle
/// \param m, nnz, descr, valueType, rowPtr, colInd  as at the analysis of the lower triangle
/// \param val  nnz values: those of A before, those of the factors after
/// \param info  an info that was analysed after sptrsvSetFactorization(info, 1)
/// \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it meanwhile
/// \return SUCCESS (also where a pivot is zero: see sptrsvFactorZeroPivot); NOT_INITIALIZED; INVALID_VALUE (an array that is NULL or
///         not aligned); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED (the info was not prepared for factorisations); NOT_ANALYSED;
///         PATTERN_MISMATCH; TIMED_OUT (of an earlier factorisation or solve; nothing is done); EXECUTION_FAILED
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
///
/// # Safety
/// As sptrsvSolve. The pattern is that of the analysis.
#[no_mangle]
pub unsafe extern "C" fn sptrsvIlu0(
    handle: sptrsvHandle_t,
    m: i64,
    nnz: i64,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *mut c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    let arrays = arrays(val, rowPtr, colInd);
    with_handle(handle, |c| {
        factorize(c, Factorization::Ilu0, [m, nnz], descr, valueType, arrays, info, buffer)
    })
}

/// Factorises A = L L^H without fill-in (IC(0)), in place in the lower triangle: afterwards `val` holds L on and below the diagonal.
/// Values above it are neither read nor changed, and need not be stored. A pivot that is zero or negative counts as a zero one; its
/// root is zero or NaN. Solves read the factor as after sptrsvIlu0.
///
/// \param handle  the handle
/// \param m, nnz, descr, valueType, rowPtr, colInd  as at the analysis of the lower triangle
/// \param val  nnz values: those of A before, those of L after
/// \param info  an info that was analysed after sptrsvSetFactorization(info, 1)
/// \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it meanwhile
/// \return as sptrsvIlu0
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
///
/// # Safety
/// As sptrsvIlu0.
#[no_mangle]
pub unsafe extern "C" fn sptrsvIc0(
    handle: sptrsvHandle_t,
    m: i64,
    nnz: i64,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *mut c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    let arrays = arrays(val, rowPtr, colInd);
    with_handle(handle, |c| {
        factorize(c, Factorization::Ic0, [m, nnz], descr, valueType, arrays, info, buffer)
    })
}

#[allow(clippy::too_many_arguments)]
unsafe fn factorize(
    context: &Context,
    kind: Factorization,
    [m, nnz]: [i64; 2],
    descr: sptrsvConstMatDescr_t,
    dtype: MaybeUninit<sptrsvDataType_t>,
    arrays: Arrays,
    info: sptrsvInfo_t,
    buffer: *mut c_void,
) -> Result<()> {
    let d = shared(descr, "descr")?.0;
    with_info(info, |i| {
        let shape = i.shape(Op::NonTranspose, [m, nnz], d, DataType::from_raw(raw(dtype))?)?;
        let function = match kind {
            Factorization::Ilu0 => "sptrsvIlu0",
            Factorization::Ic0 => "sptrsvIc0",
        };
        let _range = nvtx::range(|| format!("{function} n={m}"));
        i.factorize(context, kind, shape, arrays, address(buffer))?;
        log_step(i, kind.name())
    })
}

/// Waits for the last factorisation with this info and reports the first row whose pivot is zero.
///
/// \param handle    the handle
/// \param info      an info with which sptrsvIlu0 or sptrsvIc0 was called
/// \param position  receives the smallest such row in the matrix's own index base, or -1; a host or device pointer by the pointer
///                  mode, on the host executor always a host pointer
/// \return SUCCESS and -1; ZERO_PIVOT and the row; NOT_INITIALIZED; INVALID_VALUE when `info` is NULL, or `position` is NULL or not
///         aligned; NOT_ANALYSED; NOT_SUPPORTED (the info was not prepared for factorisations); PATTERN_MISMATCH; TIMED_OUT;
///         EXECUTION_FAILED
///
/// Blocking: as sptrsvZeroPivot. Graph capture: not allowed.
///
/// # Safety
/// As sptrsvZeroPivot.
#[no_mangle]
pub unsafe extern "C" fn sptrsvFactorZeroPivot(
    handle: sptrsvHandle_t,
    info: sptrsvInfo_t,
    position: *mut i64,
) -> sptrsvStatus_t {
    with_handle(handle, |c| report_pivot(c, info, position, Info::factor_zero_pivot))
}
