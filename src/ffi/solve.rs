//! Solve
//!
//! Solves are given the same matrix as the analysis; another one is refused. On the CUDA executor they are asynchronous, allocate
//! nothing, and can be captured into a CUDA graph. docs/c-interface.md says how they order with other work on the stream, and what
//! several right-hand sides cost.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::analysis::{sptrsvDataType_t, sptrsvOperation_t, sptrsvSolvePolicy_t};
use super::guard::{address, arrays, raw, shared, with_handle, with_info};
use super::info::algorithm_name;
use super::logging::log_solve;
use super::nvtx;
use super::objects::{sptrsvConstMatDescr_t, sptrsvHandle_t, sptrsvInfo_t};
use crate::address::Address;
use crate::context::Context;
use crate::error::{sptrsvStatus_t, Result};
use crate::info::{Info, Request, Rhs};
use crate::problem::{require_aligned, Alpha, Arrays, DataType, Dense, Op, Order, PointerMode, Policy};
use crate::stats::Pivot;

/// How a dense matrix is stored; cusparseOrder_t's numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvOrder_t {
    /// Column by column (column-major).
    SPTRSV_ORDER_COLUMN = 1,
    /// Row by row (row-major).
    SPTRSV_ORDER_ROW = 2,
}

/// Solves op(A) x = alpha f for one right-hand side, with the values that the arrays hold now (after
/// sptrsvSetCopyValues: that they held at the last sptrsvUpdateValues).
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType  as at analysis; any op after sptrsvSetAnalysisForAllOperations
/// \param alpha  one value of valueType. Pointer mode HOST: read before the call returns, and fixed in a captured graph. DEVICE:
///        read when the solve runs, and at each launch of a graph. The host executor takes a host pointer in either mode
/// \param val  nnz values; after sptrsvSetCopyValues(info, SPTRSV_COPY_WHERE_FASTER) the array that was last given to
///        sptrsvUpdateValues; not read, and may be NULL, where all values are copied
/// \param rowPtr, colInd  not read, but not NULL (colInd may be where nnz is 0), unless all values are copied
/// \param info  an analysed info
/// \param f  m values
/// \param x  receives m values; may be f itself
/// \param policy  NO_LEVEL, or USE_LEVEL if analysed with it
/// \param buffer  scratch of sptrsvBufferSize's size, at any address; nothing survives in it, and nothing else may use it until the
///        solve is done
/// \return SUCCESS (also where a pivot is zero: x then holds Inf or NaN from there on, see sptrsvZeroPivot); NOT_INITIALIZED;
///         INVALID_VALUE (an array that is NULL or not aligned, USE_LEVEL after an analysis with NO_LEVEL, values that
///         sptrsvUpdateValues was to be given); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES; NOT_ANALYSED;
///         PATTERN_MISMATCH (another matrix or device than was analysed); TIMED_OUT (of an earlier solve or factorisation; nothing is
///         done); EXECUTION_FAILED. On any error but the last x is untouched
///
/// Results of different algorithms agree within rounding. Near the ends of a type's range one algorithm may overflow where another
/// does not. On a GPU the atomic additions of LEVC, SLFC and GSF take subnormal numbers of single precision for zero; all other
/// algorithms compute with them.
///
/// Blocking: asynchronous on the CUDA executor, without host synchronisation or allocation; the host executor returns when x is
/// there. Two exceptions: drivers for CUDA 12.2 and 12.3 load a kernel at its first use, and the first call after a solve that the
/// watchdog ended, or that the driver refused half way, waits for work in flight with the info. Graph capture: allowed, except for
/// that first call, which gives INVALID_VALUE.
///
/// # Safety
/// Handle, descriptor and info are NULL or live; the arrays have the sizes given, in the executor's memory; val, f, x, the buffer, an
/// alpha on the device and the diagonal of sptrsvSetDiagonal stay until the solve is done.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSolve(
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
        let column = |address| Dense { address, ld: m, order: Order::Columns };
        let rhs = Rhs { count: 1, names: ["f", "x"], f: column(address(f)), x: column(address(x)) };
        let arrays = arrays(val, rowPtr, colInd);
        solve(c, "sptrsvSolve", op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// Solves op(A) X = alpha F for nrhs right-hand sides, stored by columns: column j of F begins at F + j * ldf. Where the algorithm
/// is deterministic, every column has the bits of a single solve. For 16 and more, call sptrsvSetExpectedRightHandSides before the
/// analysis.
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
/// \param nrhs  number of right-hand sides, 0 or more
/// \param alpha  one value, in host or device memory by the pointer mode
/// \param F  right-hand sides
/// \param ldf  values from one column of F to the next, at least m
/// \param X  receives the solutions; may be F itself if ldx equals ldf
/// \param ldx  values from one column of X to the next, at least m
/// \return as sptrsvSolve; INVALID_VALUE also when a leading dimension is too small, or so large that F or X would not fit into
///         the address space
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
///
/// # Safety
/// As sptrsvSolve.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSolveMulti(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    nrhs: i64,
    alpha: *const c_void,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    F: *const c_void,
    ldf: i64,
    X: *mut c_void,
    ldx: i64,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let rhs = rhs(nrhs, [F.cast_mut(), X], [ldf, ldx], [Order::Columns; 2]);
        let arrays = arrays(val, rowPtr, colInd);
        solve(c, "sptrsvSolveMulti", op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// Solves op(A) X = alpha F for nrhs right-hand sides, stored by rows: row i of F begins at F + i * ldf. The results have the bits
/// of sptrsvSolveMulti.
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
/// \param nrhs  number of right-hand sides, 0 or more
/// \param alpha  one value, in host or device memory by the pointer mode
/// \param F  right-hand sides
/// \param ldf  values from one row of F to the next, at least nrhs
/// \param X  receives the solutions; may be F itself if ldx equals ldf
/// \param ldx  values from one row of X to the next, at least nrhs
/// \return as sptrsvSolveMulti
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
///
/// # Safety
/// As sptrsvSolve.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSolveMultiRowMajor(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    nrhs: i64,
    alpha: *const c_void,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    F: *const c_void,
    ldf: i64,
    X: *mut c_void,
    ldx: i64,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let rhs = rhs(nrhs, [F.cast_mut(), X], [ldf, ldx], [Order::Rows; 2]);
        let arrays = arrays(val, rowPtr, colInd);
        solve(
            c,
            "sptrsvSolveMultiRowMajor",
            op,
            [m, nnz],
            alpha,
            descr,
            valueType,
            arrays,
            info,
            rhs,
            policy,
            buffer,
        )
    })
}

/// Solves op(A) X = alpha F for dense matrices F and X of nrhs columns, each stored by columns or by rows. Where both are stored
/// in the same way, this is sptrsvSolveMulti or sptrsvSolveMultiRowMajor; else F is copied first.
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
/// \param nrhs  number of right-hand sides, 0 or more
/// \param alpha  one value, in host or device memory by the pointer mode
/// \param F  right-hand sides
/// \param ldf  values from one column of F to the next (at least m), or from one row to the next (at least nrhs)
/// \param orderF  how F is stored
/// \param X  receives the solutions; may be F itself if both are stored in the same way, else they must not overlap
/// \param ldx  the same as ldf for X
/// \param orderX  how X is stored
/// \return as sptrsvSolveMulti; INVALID_VALUE also when X is F but stored in another way
///
/// Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
///
/// # Safety
/// As sptrsvSolve.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSolveDense(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    nrhs: i64,
    alpha: *const c_void,
    descr: sptrsvConstMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    F: *const c_void,
    ldf: i64,
    orderF: MaybeUninit<sptrsvOrder_t>,
    X: *mut c_void,
    ldx: i64,
    orderX: MaybeUninit<sptrsvOrder_t>,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let orders = [Order::from_raw(raw(orderF))?, Order::from_raw(raw(orderX))?];
        let rhs = rhs(nrhs, [F.cast_mut(), X], [ldf, ldx], orders);
        let arrays = arrays(val, rowPtr, colInd);
        solve(c, "sptrsvSolveDense", op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// F and X.
///
/// # Safety
/// As for `address`.
pub(super) unsafe fn rhs(
    count: i64,
    [f, x]: [*mut c_void; 2],
    [ldf, ldx]: [i64; 2],
    [of_f, of_x]: [Order; 2],
) -> Rhs {
    let dense = |values: *mut c_void, ld, order| Dense { address: address(values), ld, order };
    Rhs { count, names: ["F", "X"], f: dense(f, ldf, of_f), x: dense(x, ldx, of_x) }
}

/// What all solves have in common.
///
/// # Safety
/// As sptrsvSolve.
#[allow(clippy::too_many_arguments)]
unsafe fn solve(
    context: &Context,
    function: &str,
    op: MaybeUninit<sptrsvOperation_t>,
    [m, nnz]: [i64; 2],
    alpha: *const c_void,
    descr: sptrsvConstMatDescr_t,
    value_type: MaybeUninit<sptrsvDataType_t>,
    arrays: Arrays,
    info: sptrsvInfo_t,
    rhs: Rhs,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> Result<()> {
    let d = shared(descr, "descr")?.0;
    with_info(info, |i| {
        let shape = i.shape(Op::from_raw(raw(op))?, [m, nnz], d, DataType::from_raw(raw(value_type))?)?;
        let policy = Policy::from_raw(raw(policy))?;
        let alpha = read_alpha(context, alpha, shape.dtype)?;
        let count = rhs.count;
        let _range = nvtx::range(|| {
            let columns = if count == 1 { String::new() } else { format!(" nrhs={count}") };
            format!("{function} {} n={m}{columns}", algorithm_name(i.algorithm_in_use()).to_string_lossy())
        });
        let buffer = address(buffer);
        i.solve(context, &Request { shape, arrays, policy, alpha, rhs, buffer, diagonal: None })?;
        log_solve(i, count)
    })
}

/// alpha as the pointer mode says. In pointer mode HOST it may lie at any address.
///
/// # Safety
/// `alpha` is NULL, or one value of the type in the memory that the pointer mode and the executor say.
pub(super) unsafe fn read_alpha(context: &Context, alpha: *const c_void, dtype: DataType) -> Result<Alpha> {
    if alpha.is_null() {
        return Ok(Alpha::Device(Address::NULL));
    }
    // On the host executor too, so that a program that works there works on a GPU.
    if context.pointer_mode == PointerMode::Device {
        require_aligned(address(alpha), "alpha", dtype.bytes())?;
    }
    if context.takes_device_pointers() {
        return Ok(Alpha::Device(address(alpha)));
    }
    let mut bytes = [0; 16];
    // SAFETY: a readable value by the caller's promise; no type is longer than 16 bytes.
    unsafe { std::ptr::copy_nonoverlapping(alpha.cast::<u8>(), bytes.as_mut_ptr(), dtype.bytes()) };
    Ok(Alpha::Host(bytes))
}

/// Waits for the last solve with this info and reports the first row with a zero on its diagonal.
///
/// After an analysis it reports a structural zero (no entry on the diagonal); after a solve, structural
/// and numerical zeros of that solve. The next solve starts afresh. A unit diagonal has no zeros.
///
/// \param handle    the handle
/// \param info      an analysed info
/// \param position  receives the smallest such row in the matrix's own index base, or -1; a host or
///                  device pointer by the pointer mode, on the host executor always a host pointer
/// \return SUCCESS and -1; ZERO_PIVOT and the row; NOT_INITIALIZED; INVALID_VALUE when `info` is NULL, or
///         `position` is NULL or not aligned; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device);
///         TIMED_OUT; EXECUTION_FAILED. On any other status than SUCCESS and ZERO_PIVOT the position is untouched
///
/// Blocking: waits for the handle's stream; where another stream, a captured graph or the per-thread stream has solved with
/// this info, for all work of the CUDA context. Graph capture: not allowed; INVALID_VALUE while the handle's stream is capturing.
/// Another stream's capture may be lost where all work of the context is waited for, as CUDA forbids that.
///
/// # Safety
/// Handle and info are NULL or live; `position` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvZeroPivot(
    handle: sptrsvHandle_t,
    info: sptrsvInfo_t,
    position: *mut i64,
) -> sptrsvStatus_t {
    with_handle(handle, |c| report_pivot(c, info, position, Info::zero_pivot))
}

/// Reports what `find` says of an info: writes the position where the pointer mode says that it is to go.
///
/// # Safety
/// The info is NULL or live; `position` is NULL or writable.
pub(super) unsafe fn report_pivot(
    context: &Context,
    info: sptrsvInfo_t,
    position: *mut i64,
    find: impl FnOnce(&mut Info, &Context, Option<Address>) -> Result<Pivot>,
) -> Result<()> {
    with_info(info, |i| {
        require_aligned(address(position), "position", std::mem::align_of::<i64>())?;
        let in_device_memory = context.takes_device_pointers();
        let pivot = find(i, context, in_device_memory.then_some(address(position)))?;
        if !in_device_memory {
            // SAFETY: not NULL, so writable by the caller's promise.
            unsafe { position.write(pivot.position) };
        }
        pivot.result()
    })
}
