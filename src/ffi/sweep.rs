//! Sweeps
//!
//! Gauss-Seidel and SOR sweeps on a square matrix A, as smoothers of algebraic multigrid apply them: with L the triangle of the
//! analysis without its diagonal (the lower one for a forward sweep, the upper one for a backward sweep), D the diagonal and w the
//! weight, x becomes x + (D / w + L)^-1 (b - A x). Every unknown is updated with the new values of those before it, as the loop over
//! the rows would do it. A symmetric sweep is a forward and a backward one, by two infos.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use super::analysis::sptrsvDataType_t;
use super::guard::{guard, raw, shared, with_handle, with_info, write_enum};
use super::info::algorithm_name;
use super::logging::log_step;
use super::nvtx;
use super::objects::{sptrsvConstInfo_t, sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use crate::error::{sptrsvStatus_t, Error};
use crate::info::Sweep;
use crate::problem::{switch, Arrays, DataType, Op, Sweeps};

/// The sweeps that an info is for.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvSweeps_t {
    /// None: it is for solves.
    SPTRSV_SWEEPS_NONE = 0,
    /// With any weight, by the matrix's diagonal or that of sptrsvSetDiagonal.
    SPTRSV_SWEEPS_ANY = 1,
    /// With weight 1 and by the matrix's own diagonal. They are faster, and solves with the info need no other diagonal either.
    SPTRSV_SWEEPS_GAUSS_SEIDEL = 2,
}

/// Chooses which sweeps later analyses with this info are for. The matrix is then whole, in CSR, and the operation NON_TRANSPOSE.
/// After ANY solves with the info need a diagonal of sptrsvSetDiagonal, as hybrid smoothers set the l1 diagonal. Call it before
/// sptrsvBufferSize.
///
/// \param info    the info
/// \param sweeps  NONE (the default), ANY, or GAUSS_SEIDEL
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `sweeps` is none of these
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetSweeps(
    info: sptrsvInfo_t,
    sweeps: MaybeUninit<sptrsvSweeps_t>,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.purpose.sweeps = Sweeps::from_raw(raw(sweeps))?;
            Ok(())
        })
    })
}

/// Reads which sweeps later analyses are for.
///
/// \param info    the info
/// \param sweeps  receives NONE, ANY, or GAUSS_SEIDEL
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `sweeps` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetSweeps(
    info: sptrsvConstInfo_t,
    sweeps: *mut sptrsvSweeps_t,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write_enum(sweeps, "sweeps", i.purpose.sweeps as i32)))
}

/// Makes one sweep, in place on x. A is read once: the triangle of the analysis by the solve, the rest by a product before it.
/// With a separate diagonal d, x_i becomes x_i + w (b - A x)_i / d_i with the new values of the unknowns before it.
///
/// \param handle  the handle
/// \param m, nnz, descr, valueType, rowPtr, colInd  as at the analysis
/// \param weight  w of SOR; 1 is Gauss-Seidel. Methods converge for weights between 0 and 2; others but 0 and NaN are taken too
/// \param zeroGuess  1 if x counts as zero and is not read, else 0: the sweep is then a solve
/// \param val  nnz values; after sptrsvSetCopyValues(info, SPTRSV_COPY_ALL) the solve takes those of the triangle from the copy
/// \param info  an info that was analysed for sweeps, see sptrsvSetSweeps
/// \param b  m values
/// \param x  m values, which are replaced; not b
/// \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it meanwhile
/// \return as sptrsvSolve; NOT_SUPPORTED also where the info was not analysed for sweeps; INVALID_VALUE also where the weight is not
///         1 after GAUSS_SEIDEL
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve; the weight is fixed in a captured graph.
///
/// # Safety
/// As sptrsvSolve. The pattern is that of the analysis.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSweep(
    handle: sptrsvHandle_t,
    m: i64,
    nnz: i64,
    weight: f64,
    zeroGuess: c_int,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    b: *const c_void,
    x: *mut c_void,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let d = shared(descr, "descr")?.0;
        if weight == 0.0 || weight.is_nan() {
            return Err(Error::Invalid(format!("weight is {weight}")));
        }
        let sweep = Sweep { weight, is_zero: switch("zeroGuess", zeroGuess)?, b: b as usize, x: x as usize };
        let arrays = Arrays { val: val as usize, ptr: rowPtr as usize, ind: colInd as usize };
        with_info(info, |i| {
            let shape = i.shape(Op::NonTranspose, [m, nnz], d, DataType::from_raw(raw(valueType))?)?;
            let name = || algorithm_name(i.algorithm_in_use()).to_string_lossy();
            let _range = nvtx::range(|| format!("sptrsvSweep {} n={m}", name()));
            i.sweep(c, shape, arrays, sweep, buffer as usize)?;
            log_step(i, "sweep")
        })
    })
}
