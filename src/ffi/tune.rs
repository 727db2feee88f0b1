//! Tuning
//!
//! AUTO chooses an algorithm by a model of the GPU. It makes no solve for that. sptrsvTune measures instead: it is for matrices that are
//! solved with many times, and for GPUs that the model does not know well.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::analysis::{sptrsvDataType_t, sptrsvOperation_t, sptrsvSolvePolicy_t};
use super::guard::{address, arrays, raw, shared, with_handle, with_info};
use super::logging::log_tuning;
use super::nvtx;
use super::objects::{sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use super::solve::read_alpha;
use crate::error::sptrsvStatus_t;
use crate::info::{Request, Rhs};
use crate::problem::{DataType, Dense, Op, Order, Policy};

/// Times solves by the algorithm that AUTO has chosen and by up to two others, keeps the fastest in the info, and solves by it.
///
/// The others are deterministic algorithms that AUTO may choose, those with the least predicted time. Each is analysed first. Solves are
/// timed on the handle's stream, for one right-hand side, into memory of the library's own. AUTO's choice stays unless another algorithm
/// is faster. An algorithm is left out if there is no memory for its analysis.
///
/// Solves with the info give the same bits every time, as before. Which algorithm is the fastest may differ from run to run, and then the
/// last bits differ too. A program that wants the same bits in every run reads the algorithm once by sptrsvGetAlgorithm, and asks for
/// it by sptrsvSetAlgorithm in place of a tuning.
///
/// The call is a solve that waits if there is nothing to choose: an algorithm was asked for, or on a GPU 16 and more right-hand sides
/// are expected. An info for all operations is tuned for the operation that is given, and by another call for another one. After
/// sptrsvSetCopyValues(info, SPTRSV_COPY_ALL) the values are copied anew, as by sptrsvUpdateValues. An analysis that knows the pattern
/// again (sptrsvSetKeepPattern) keeps what a tuning has kept; any other analysis leaves the choice to AUTO.
///
/// During the call there are two analyses, the one held and the one on trial, and m values more. If another algorithm is kept, its
/// analysis takes the place of the one before. CUDA graphs that captured a solve or an update with this info must not be launched then.
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType  as at analysis; any op after sptrsvSetAnalysisForAllOperations
/// \param alpha  one value of valueType, as in sptrsvSolve
/// \param val  nnz values, as in sptrsvSolve; needed also where all values are copied
/// \param rowPtr, colInd  the pattern that was analysed
/// \param info  an analysed info
/// \param f  m values
/// \param x  receives the solution, m values; may be f itself
/// \param policy  as in sptrsvSolve
/// \param buffer  scratch, as in sptrsvSolve
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE (as sptrsvSolve; an array of the pattern that is NULL or not aligned; a stream that
///         is capturing); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES; NOT_ANALYSED; PATTERN_MISMATCH; ALLOC_FAILED
///         (no memory for m values); TIMED_OUT; EXECUTION_FAILED. On any error but the last two x is untouched
///
/// Blocking: waits for the handle's stream, and may wait for all work of the CUDA context. Graph capture: not allowed; INVALID_VALUE
/// while the handle's stream is capturing. Other streams may be capturing meanwhile.
///
/// # Safety
/// As sptrsvSolve. The pattern is that of the analysis.
#[no_mangle]
pub unsafe extern "C" fn sptrsvTune(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    alpha: *const c_void,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    f: *const c_void,
    x: *mut c_void,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let d = shared(descr, "descr")?.0;
        with_info(info, |i| {
            let shape = i.shape(Op::from_raw(raw(op))?, [m, nnz], d, DataType::from_raw(raw(valueType))?)?;
            let policy = Policy::from_raw(raw(policy))?;
            let alpha = read_alpha(c, alpha, shape.dtype)?;
            let column = |address| Dense { address, ld: m, order: Order::Columns };
            let rhs = Rhs { count: 1, names: ["f", "x"], f: column(address(f)), x: column(address(x)) };
            let arrays = arrays(val, rowPtr, colInd);
            let _range = nvtx::range(|| format!("sptrsvTune n={m}"));
            let buffer = address(buffer);
            let found = i.tune(c, &Request { shape, arrays, policy, alpha, rhs, buffer, diagonal: None })?;
            log_tuning(m, &found);
            Ok(())
        })
    })
}
