//! Sweeps
//!
//! Gauss-Seidel and SOR sweeps on a square matrix A, as smoothers of algebraic multigrid apply them: with L the triangle of the
//! analysis without its diagonal (the lower one for a forward sweep, the upper one for a backward sweep), D the diagonal and w the
//! weight, x becomes x + (D / w + L)^-1 (b - A x). Every unknown is updated with the new values of those before it, as the loop over
//! the rows would do it. A symmetric sweep is a forward and a backward one, by two infos. One call makes one sweep, or several.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use super::analysis::sptrsvDataType_t;
use super::guard::{address, arrays, guard, raw, shared, with_both, with_handle, with_info, write_enum};
use super::info::algorithm_name;
use super::logging::log_step;
use super::nvtx;
use super::objects::{sptrsvConstInfo_t, sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use crate::error::{sptrsvStatus_t, Error, Result};
use crate::executor::Marked;
use crate::info::{Info, Sweep};
use crate::problem::{switch, DataType, Op, Sweeps};

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
/// A row without an entry on its diagonal is taken as one with a zero there. Sweeps divide by it and return SUCCESS, unless
/// sptrsvSetDiagonal has set another diagonal: x has Inf or NaN in this row and in those that depend on it, and sptrsvZeroPivot
/// reports the row after the sweep. For GAUSS_SEIDEL sptrsvZeroPivot and sptrsvGetStats report it after the analysis already.
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

/// Makes one sweep, in place on x: a solve with the triangle of the analysis, after a product with the rest of A. On a GPU A is
/// read once, if the columns of each row ascend and each row has an entry on its diagonal. Otherwise, and on the host executor, the
/// product reads the entries of the triangle too. With a separate diagonal d, x_i becomes x_i + w (b - A x)_i / d_i with the new
/// values of the unknowns before it.
///
/// A may be the square part of rows of a larger matrix, as a process of an MPI program owns them. Then subtract from b, before the
/// sweep, the product of the other columns with their unknowns.
///
/// A row without an entry on its diagonal is not refused. Unless sptrsvSetDiagonal has set another diagonal, x has Inf or NaN in this
/// row, and sptrsvZeroPivot reports it; see sptrsvSetSweeps.
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
/// \return as sptrsvSolve; NOT_SUPPORTED also where the info was not analysed for sweeps; INVALID_VALUE also when x is b, and where
///         the weight is not 1 after GAUSS_SEIDEL
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
        must_differ(m, b, x)?;
        let sweep = Sweep {
            weight: usable(weight)?,
            is_zero: switch("zeroGuess", zeroGuess)?,
            marked: None,
            arrays: arrays(val, rowPtr, colInd),
            b: address(b),
            x: address(x),
            buffer: address(buffer),
        };
        with_info(info, |i| {
            let shape = i.shape(Op::NonTranspose, [m, nnz], d, DataType::from_raw(raw(valueType))?)?;
            let name = || algorithm_name(i.algorithm_in_use()).to_string_lossy();
            let _range = nvtx::range(|| format!("sptrsvSweep {} n={m}", name()));
            sweep.run(c, 1, [(shape, &mut *i)])?;
            log_step(i, "sweep")
        })
    })
}

/// Refuses a right-hand side that the sweep would replace.
fn must_differ(m: i64, b: *const c_void, x: *const c_void) -> Result<()> {
    match m > 0 && !b.is_null() && b == x {
        true => Err(Error::Invalid("x is b itself".into())),
        false => Ok(()),
    }
}

/// Refuses weights by which nothing can be divided.
fn usable(weight: f64) -> Result<f64> {
    match weight == 0.0 || weight.is_nan() {
        true => Err(Error::Invalid(format!("weight is {weight}"))),
        false => Ok(weight),
    }
}

/// Makes several sweeps in one call, in place on x, on all rows or on some. With a second info each sweep is symmetric: one by
/// `info`, and one by `otherInfo` for the other triangle. Where all rows are relaxed, the results have the bits of calls of
/// sptrsvSweep, one for each sweep and info.
///
/// A marker says which rows are relaxed, as AMG relaxes coarse and then fine points. The other rows keep their values in x to the
/// bit, and relaxed rows use these values. The result is that of the serial loop over the relaxed rows, with one exception: a NaN, an
/// infinity or an overflow may reach later rows through a row that is not relaxed. With a marker each sweep reads the entries of the
/// triangle twice, and copies the unknowns once more.
///
/// \param handle  the handle
/// \param m, nnz  as at the analysis
/// \param sweeps  number of sweeps, 0 or more
/// \param weight  as in sptrsvSweep
/// \param zeroGuess  1 if x counts as zero before the first sweep, else 0. With 1, x is not read. Rows that are not relaxed become zero;
///        without any sweep all rows do
/// \param valueType, val, rowPtr, colInd  as in sptrsvSweep
/// \param descr, info  as in sptrsvSweep
/// \param otherDescr, otherInfo  the same for the other triangle of the same arrays, in any order; or NULL for sweeps in one direction
/// \param marker  m numbers, in the executor's memory, which are read when the sweeps run, and at each launch of a graph; or NULL for
///        all rows. The infos must have been analysed for SPTRSV_SWEEPS_ANY
/// \param points  the number that the marker has for rows that are relaxed
/// \param b  m values
/// \param x  m values, which are replaced; not b
/// \param buffer  scratch of the larger one of both infos' sizes by sptrsvBufferSize
/// \return as sptrsvSweep; NOT_SUPPORTED also for a marker after GAUSS_SEIDEL; INVALID_VALUE also when `sweeps` is negative, when x is
///         b, when both infos are the same or are for the same triangle, or when both descriptors differ in the index base or types
///
/// sptrsvZeroPivot reports for each info the last one of its sweeps. A row that is not relaxed has no zero pivot. A row without an
/// entry on its diagonal is not refused, as in sptrsvSweep.
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve; numbers of sweeps and weights are fixed in a captured graph.
///
/// # Safety
/// As sptrsvSweep, for both infos; the marker, in the executor's memory, stays until the sweeps are done.
#[no_mangle]
pub unsafe extern "C" fn sptrsvRelax(
    handle: sptrsvHandle_t,
    m: i64,
    nnz: i64,
    sweeps: c_int,
    weight: f64,
    zeroGuess: c_int,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    descr: sptrsvConstMatDescr_t,
    info: sptrsvInfo_t,
    otherDescr: sptrsvConstMatDescr_t,
    otherInfo: sptrsvInfo_t,
    marker: *const i32,
    points: i32,
    b: *const c_void,
    x: *mut c_void,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let (d, dtype) = (shared(descr, "descr")?.0, DataType::from_raw(raw(valueType))?);
        if sweeps < 0 {
            return Err(Error::Negative { what: "sweeps", value: sweeps.into() });
        }
        must_differ(m, b, x)?;
        let sweep = Sweep {
            weight: usable(weight)?,
            is_zero: switch("zeroGuess", zeroGuess)?,
            marked: (!marker.is_null()).then_some(Marked { marker: address(marker), points }),
            arrays: arrays(val, rowPtr, colInd),
            b: address(b),
            x: address(x),
            buffer: address(buffer),
        };
        let shape = |info: &Info, d| info.shape(Op::NonTranspose, [m, nnz], d, dtype);
        let name = |info: &Info| algorithm_name(info.algorithm_in_use()).to_string_lossy();
        if otherInfo.is_null() {
            return with_info(info, |i| {
                let _range = nvtx::range(|| format!("sptrsvRelax {} n={m} sweeps={sweeps}", name(i)));
                let by = (shape(i, d)?, &mut *i);
                sweep.run(c, sweeps, [by])?;
                log_step(i, "sweeps")
            });
        }
        let other_d = shared(otherDescr, "otherDescr")?.0;
        with_both([info, otherInfo], ["info", "otherInfo"], |i, other| {
            let _range =
                nvtx::range(|| format!("sptrsvRelax {} {} n={m} sweeps={sweeps}", name(i), name(other)));
            let by = [(shape(i, d)?, &mut *i), (shape(other, other_d)?, &mut *other)];
            sweep.run(c, sweeps, by)?;
            log_step(i, "symmetric sweeps")
        })
    })
}
