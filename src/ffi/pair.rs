//! Pairs
//!
//! A preconditioner by an incomplete factorisation A = L U applies both factors, one behind the other. One call does it, and
//! takes care of the order in which they come. Rows and columns may have been permuted before the factorisation: then right-hand
//! sides and solutions stay in the order of A.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::analysis::{sptrsvDataType_t, sptrsvOperation_t, sptrsvSolvePolicy_t};
use super::guard::{address, arrays, raw, shared, with_both, with_handle};
use super::info::algorithm_name;
use super::logging::log_solve;
use super::nvtx;
use super::objects::{sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use super::solve::{read_alpha, rhs};
use crate::error::{sptrsvStatus_t, Result};
use crate::info::{Info, Pair, Permutations, Request};
use crate::problem::{DataType, Op, Order, Policy};

/// Solves op(L U) X = alpha F by both factors: by L and then by U, or for TRANSPOSE and CONJUGATE_TRANSPOSE by op(U) and then by
/// op(L). For a matrix P A Q = L U whose rows and columns were permuted before the factorisation, as hypre and PETSc do it, it
/// solves op(A) X = alpha F: `rowPermutation[i]` is the row of A that is row i of L U, and `columnPermutation[j]` the column of A
/// that is its column j. The results have the bits of two calls of sptrsvSolveMulti, and zero pivots are reported for each info.
///
/// \param handle  the handle
/// \param op  as at both analyses
/// \param m  rows of both factors
/// \param nrhs  number of right-hand sides, 0 or more
/// \param alpha  one value, in host or device memory by the pointer mode
/// \param valueType  as at both analyses
/// \param descrL, nnzL, valL, rowPtrL, colIndL, infoL  the factor L, as in sptrsvSolve. One array may hold both factors: the
///        descriptors then say which triangle and which diagonal is meant
/// \param descrU, nnzU, valU, rowPtrU, colIndU, infoU  the factor U; its info is another one
/// \param rowPermutation, columnPermutation  m indices each, of the type of the columns in descrL and in its index base, or NULL for
///        the order that the factors have
/// \param F  right-hand sides, by columns
/// \param ldf  values from one column of F to the next, at least m
/// \param X  receives the solutions; may be F itself if ldx equals ldf
/// \param ldx  values from one column of X to the next, at least m
/// \param work  m * nrhs values, which overlap neither F nor X; not used, and may be NULL, where both permutations are NULL
/// \param policy  as in sptrsvSolve
/// \param buffer  scratch of the larger one of both infos' sizes by sptrsvBufferSize
/// \return as sptrsvSolveMulti; INVALID_VALUE also when both infos are the same
///
/// The call enqueues two solves, which take as long as in two calls of sptrsvSolveMulti. The caller needs no vector between them, as
/// X or `work` holds it, and no kernels that permute. Permuted right-hand sides and solutions are copied once more. An index that is
/// none gives NaN in F, and nothing in X.
///
/// A row without an entry on its diagonal is not refused where the diagonal is NON_UNIT: X has Inf or NaN in this row of the factor
/// and in those that depend on it, and sptrsvZeroPivot reports the row for the factor's info.
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
///
/// # Safety
/// As sptrsvSolve, for both factors; the permutations, in the executor's memory, stay until the solve is done.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSolvePair(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nrhs: i64,
    alpha: *const c_void,
    valueType: MaybeUninit<sptrsvDataType_t>,
    descrL: sptrsvConstMatDescr_t,
    nnzL: i64,
    valL: *const c_void,
    rowPtrL: *const c_void,
    colIndL: *const c_void,
    infoL: sptrsvInfo_t,
    descrU: sptrsvConstMatDescr_t,
    nnzU: i64,
    valU: *const c_void,
    rowPtrU: *const c_void,
    colIndU: *const c_void,
    infoU: sptrsvInfo_t,
    rowPermutation: *const c_void,
    columnPermutation: *const c_void,
    F: *const c_void,
    ldf: i64,
    X: *mut c_void,
    ldx: i64,
    work: *mut c_void,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let (l, u) = (shared(descrL, "descrL")?.0, shared(descrU, "descrU")?.0);
        let (op, dtype) = (Op::from_raw(raw(op))?, DataType::from_raw(raw(valueType))?);
        let (alpha, policy) = (read_alpha(c, alpha, dtype)?, Policy::from_raw(raw(policy))?);
        let rhs = rhs(nrhs, [F.cast_mut(), X], [ldf, ldx], [Order::Columns; 2]);
        let (of_l, of_u) = (arrays(valL, rowPtrL, colIndL), arrays(valU, rowPtrU, colIndU));
        let [row, column] = [rowPermutation, columnPermutation].map(|index| address(index));
        let is_plain = op == Op::NonTranspose;
        let (read, written) = if is_plain { (row, column) } else { (column, row) };
        let permutations = Permutations { read, written, index: l.columns, base: l.base as i64 };
        let pair = Pair { rhs, permutations, work: address(work) };
        let request = |info: &Info, descr, nnz, arrays| -> Result<Request> {
            let shape = info.shape(op, [m, nnz], descr, dtype)?;
            Ok(Request { shape, arrays, policy, alpha, rhs, buffer: address(buffer), diagonal: None })
        };
        with_both([infoL, infoU], ["infoL", "infoU"], |by_l, by_u| {
            let name = |info: &Info| algorithm_name(info.algorithm_in_use()).to_string_lossy();
            let _range =
                nvtx::range(|| format!("sptrsvSolvePair {} {} n={m} nrhs={nrhs}", name(by_l), name(by_u)));
            let (of_l, of_u) = (request(by_l, l, nnzL, of_l)?, request(by_u, u, nnzU, of_u)?);
            match is_plain {
                true => pair.solve(c, [&mut *by_l, &mut *by_u], [of_l, of_u])?,
                false => pair.solve(c, [&mut *by_u, &mut *by_l], [of_u, of_l])?,
            }
            log_solve(by_l, nrhs)?;
            log_solve(by_u, nrhs)
        })
    })
}
