//! Every exported function and public C type: null checks, conversion, one call.
//!
//! `include/sptrsv.h` is generated from this file. An enum that a caller passes arrives as
//! `MaybeUninit`, because a C program may pass any number; `problem` turns it into a meaning.
#![allow(non_camel_case_types, non_snake_case)]

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::time::Duration;

use crate::context::Context;
use crate::executor::Owned;
use crate::guard::{
    borrow, borrow_mut, guard, guard_creation, raw, with_handle, with_info, write, write_enum,
};
use crate::info::{Info, Rhs};
use crate::problem::{
    right_hand_sides, switch, Arrays, Base, CopyValues, DataType, Dense, Diag, ExecutorKind, Fill, Format,
    Index, MatDescr, MatType, Op, Order, PointerMode, Policy, Setup,
};
use crate::status::{self, sptrsvStatus_t, Error, Result};

/// The version of this header: 1000 * major + 100 * minor + patch.
pub const SPTRSV_VERSION: c_int = 100;

/// What a handle points to.
pub struct sptrsvContext(pub(crate) Owned<Context>);
/// What a matrix descriptor points to.
pub struct sptrsvMatDescr(pub(crate) MatDescr);
/// What an info points to.
pub struct sptrsvInfo(pub(crate) Owned<Info>);
/// What a CUDA stream points to (defined by CUDA).
pub struct CUstream_st {
    _opaque: [u8; 0],
}

/// A context of the library: executor, stream, pointer mode, watchdog, last error message.
/// Handles are independent of one another; one handle is used by one thread at a time.
/// In a child of fork, handles and infos of the host executor can be used, on the calling thread alone; what another thread was using
/// at the fork gives INVALID_VALUE. Those of a GPU give EXECUTION_FAILED, as CUDA does not serve such a child. All can be destroyed.
pub type sptrsvHandle_t = *mut sptrsvContext;
/// How the arrays of a matrix are to be read.
pub type sptrsvMatDescr_t = *mut sptrsvMatDescr;
/// What the analysis of one triangular matrix found; it may outlive the handle. It holds the work space of its solves: solves
/// and updates with one info must not run at the same time (on two streams, or in a graph and on a stream). Order them by
/// events, or use an info for each; otherwise results are undefined.
pub type sptrsvInfo_t = *mut sptrsvInfo;

/// Where the work is done.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvExecutor_t {
    /// An NVIDIA GPU; all arrays are in device memory.
    SPTRSV_EXECUTOR_CUDA = 0,
    /// CPU threads; all arrays are in host memory. Their number is that of the processors that this process may use, or
    /// SPTRSV_NUM_THREADS (1 to 1024) of the environment.
    SPTRSV_EXECUTOR_HOST = 1,
}

/// Which values solves read.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvCopyValues_t {
    /// The array that each solve is given, whatever it holds at the time.
    SPTRSV_COPY_NONE = 0,
    /// A copy in the order in which solves read them, where that is faster; else the array.
    SPTRSV_COPY_WHERE_FASTER = 1,
    /// A copy of all values, which the analysis makes.
    SPTRSV_COPY_ALL = 2,
}

/// How the values of a dense matrix are stored; cusparseOrder_t's numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvOrder_t {
    /// Column by column (column-major).
    SPTRSV_ORDER_COLUMN = 1,
    /// Row by row (row-major).
    SPTRSV_ORDER_ROW = 2,
}

/// op(A) in op(A) x = alpha f.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvOperation_t {
    SPTRSV_OPERATION_NON_TRANSPOSE = 0,
    SPTRSV_OPERATION_TRANSPOSE = 1,
    /// The same as TRANSPOSE for real types.
    SPTRSV_OPERATION_CONJUGATE_TRANSPOSE = 2,
}

/// Which triangle of A is the matrix. The other one is ignored, also where it holds NaN.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvFillMode_t {
    SPTRSV_FILL_MODE_LOWER = 0,
    SPTRSV_FILL_MODE_UPPER = 1,
}

/// Whether the diagonal is all ones (stored entries are then unused and may be missing).
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvDiagType_t {
    SPTRSV_DIAG_TYPE_NON_UNIT = 0,
    SPTRSV_DIAG_TYPE_UNIT = 1,
}

/// The number of the first row and column, and of the first offset.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvIndexBase_t {
    SPTRSV_INDEX_BASE_ZERO = 0,
    SPTRSV_INDEX_BASE_ONE = 1,
}

/// Type of the matrix; triangular solves take GENERAL only.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvMatrixType_t {
    SPTRSV_MATRIX_TYPE_GENERAL = 0,
    SPTRSV_MATRIX_TYPE_SYMMETRIC = 1,
    SPTRSV_MATRIX_TYPE_HERMITIAN = 2,
    SPTRSV_MATRIX_TYPE_TRIANGULAR = 3,
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

/// Type of matrix values, right-hand side, solution and alpha; cudaDataType's numbers. Arrays of values lie at multiples of the
/// type's size (on the host executor, of its components' size), index arrays at multiples of theirs, and the buffer anywhere.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvDataType_t {
    SPTRSV_R_32F = 0,
    SPTRSV_R_64F = 1,
    SPTRSV_C_32F = 4,
    SPTRSV_C_64F = 5,
}

/// Whether level information may be used; kept for csrsv2's sake. An info analysed with USE_LEVEL
/// solves with both.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvSolvePolicy_t {
    SPTRSV_SOLVE_POLICY_NO_LEVEL = 0,
    SPTRSV_SOLVE_POLICY_USE_LEVEL = 1,
}

/// Whether alpha and the zero-pivot position are in host or device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvPointerMode_t {
    SPTRSV_POINTER_MODE_HOST = 0,
    SPTRSV_POINTER_MODE_DEVICE = 1,
}

/// How a system is solved.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvAlgorithm_t {
    /// The library chooses, among the deterministic ones.
    SPTRSV_ALG_AUTO = 0,
    /// Row-wise, level-scheduled (R. Li, algorithm 1). Deterministic.
    SPTRSV_ALG_LEVR = 1,
    /// Column-wise, level-scheduled (R. Li, algorithm 2). Atomics: the last bits may differ from run to run.
    SPTRSV_ALG_LEVC = 2,
    /// Row-wise, self-scheduled (R. Li, algorithm 3). Deterministic.
    SPTRSV_ALG_SLFR = 3,
    /// Column-wise, self-scheduled (R. Li, algorithm 4). Atomics: the last bits may differ from run to run.
    SPTRSV_ALG_SLFC = 4,
    /// The synchronization-free baseline of W. Liu et al. (2016): columns in natural order. Atomics: the
    /// last bits may differ from run to run.
    SPTRSV_ALG_GSF = 5,
    /// Row-wise in level order; each unknown is published in one word that is value and flag together. Where the last levels
    /// are narrow, the blocks of one cluster solve them in a second kernel, on GPUs that have clusters and but for
    /// C_64F. Deterministic.
    SPTRSV_ALG_ONE_WORD = 16,
    /// Row-wise in two tiers: inside a tile of consecutive rows unknowns are handed over in shared memory,
    /// between tiles in one word. Deterministic.
    SPTRSV_ALG_TILED = 17,
    /// ONE_WORD by nodes: 2 to 6 consecutive unknowns that depend on the same others, as finite elements with
    /// several unknowns a point have them. Rows must be sorted and each node's own block be dense. Deterministic.
    /// A matrix without such nodes is solved by ONE_WORD, which sptrsvGetAlgorithm then says.
    SPTRSV_ALG_NODAL = 18,
    /// Row-wise, a launch for each level; inside of a level nothing waits, and all is streamed. For few levels of
    /// 100,000 rows and more, as orders by colours have them; narrower levels cost some microseconds each. Deterministic.
    /// A matrix of more than 1000 levels is solved by ONE_WORD, which sptrsvGetAlgorithm then says.
    SPTRSV_ALG_WIDE = 19,
    /// Row-wise, 32 positions of the level order at a time by a warp, in one cluster: for levels so narrow that a row mostly
    /// depends on the one before it, as in bands and chains of dense blocks. What comes before such levels goes by ONE_WORD;
    /// where no end of the levels is so narrow, all levels are solved so, which is slow. Where there are no clusters this is
    /// ONE_WORD. Deterministic.
    SPTRSV_ALG_THIN = 20,
    /// For many right-hand sides: row-wise in level order, a warp for a row and a lane of it for each of 32 columns, or two for each of
    /// 16, so that sptrsvSolveMulti reads the matrix once for as many: mostly worth it from 16 on, where AUTO takes it if
    /// sptrsvSetRightHandSides says so. The buffer is larger: ask for this before sptrsvBufferSize, or the analysis gives
    /// INVALID_VALUE. Deterministic.
    SPTRSV_ALG_BLOCK = 21,
}

/// Where the analysis is done. The host executor does it on the CPU whatever is asked for.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvSetup_t {
    /// The library chooses: small systems on the CPU, others on the GPU.
    SPTRSV_SETUP_AUTO = 0,
    /// On the CPU: the pattern is copied to the host and the schedule back.
    SPTRSV_SETUP_CPU = 1,
    /// On the GPU: levels by a guess that every row confirms (grids, chains), else by a self-scheduled sweep; no launch or wait
    /// for each level.
    SPTRSV_SETUP_GPU = 2,
    /// On the GPU, levels by Kahn's algorithm with a launch and a wait per level, as in R. Li's paper
    /// (LEV_GPU). The schedule is the same; meant for comparison.
    SPTRSV_SETUP_GPU_KAHN = 3,
}

/// What the analysis found and what it cost. Set `struct_size` to `sizeof(sptrsvStats_t)` before the
/// call: only that many bytes are written, so that the structure can grow.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct sptrsvStats_t {
    /// Bytes of this structure as the caller knows it.
    pub struct_size: usize,
    /// Number of levels of the dependency graph; 0 where the algorithm needs none and none were computed.
    pub levels: i64,
    /// Rows in the widest level.
    pub widest_level: i64,
    /// Rows of the matrix.
    pub rows: i64,
    /// Entries of the triangle beside its diagonal, and one more for each row.
    pub entries_used: i64,
    /// The algorithm in use (a value of sptrsvAlgorithm_t).
    pub algorithm: c_int,
    /// Where the analysis was done (a value of sptrsvSetup_t, never AUTO).
    pub setup: c_int,
    /// Wall-clock time of the whole analysis, in milliseconds: for both operations after sptrsvSetAnyOperation.
    pub setup_ms: f64,
    /// Bytes of device (or, on the host executor, host) memory that the info holds, for both operations too.
    pub bytes_held: i64,
    /// Predicted time of one solve in milliseconds, by the model that chose the algorithm; 0 where none did: on the host
    /// executor, for BLOCK, and for algorithms asked for by name other than TILED and NODAL.
    pub predicted_ms: f64,
    /// Copying the pattern to the host (the paper's MAT_D2H), in milliseconds.
    pub mat_d2h_ms: f64,
    /// Validating and transposing the pattern (TRANS), in milliseconds.
    pub trans_ms: f64,
    /// Counting dependencies (DEP), in milliseconds.
    pub dep_ms: f64,
    /// Computing levels (LEV), in milliseconds.
    pub lev_ms: f64,
    /// Copying the schedule to the device (LEV_H2D), in milliseconds.
    pub lev_h2d_ms: f64,
    /// The smallest row without an entry on its diagonal, in the matrix's own index base; -1 where there is none, and for a diagonal
    /// that is UNIT or separate.
    pub missing_diagonal: i64,
}

// ---------------------------------------------------------------------------------------------------
// Handle
// ---------------------------------------------------------------------------------------------------

unsafe fn create(handle: *mut sptrsvHandle_t, kind: ExecutorKind) -> status::Result<()> {
    if handle.is_null() {
        return Err(Error::Null("handle"));
    }
    let context = Box::new(sptrsvContext(Owned::new(Context::new(kind)?)));
    handle.write(Box::into_raw(context));
    Ok(())
}

/// Creates a handle on the CUDA executor: the calling thread's current context, else the primary
/// context of device 0. Handles and infos on one context share the kernels and a pool of memory, which keeps up to
/// 1/32 of the device's memory for further analyses. Both are given back with the last of them. After
/// cudaDeviceReset calls give EXECUTION_FAILED and touch nothing, and handles and infos are good for being destroyed only (with a
/// driver from before CUDA 12, destroy them first, as before cuCtxDestroy).
///
/// \param handle  receives the handle
/// \return SUCCESS; INVALID_VALUE when `handle` is NULL; NO_DRIVER where there is no NVIDIA driver or
///         GPU; ARCH_MISMATCH when the library holds no code for the GPU; ALLOC_FAILED; EXECUTION_FAILED
///
/// Blocking: the first one on a context loads the kernels and has memory made ready for analyses, and may initialise the driver.
/// Graph capture: not allowed.
///
/// # Safety
/// `handle` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvCreate(handle: *mut sptrsvHandle_t) -> sptrsvStatus_t {
    guard_creation(|| create(handle, ExecutorKind::Cuda))
}

/// Creates a handle on the executor named.
///
/// \param handle    receives the handle
/// \param executor  where the work is to be done
/// \return as sptrsvCreate; INVALID_VALUE also when `executor` is out of range
///
/// Blocking: as sptrsvCreate. Graph capture: not allowed.
///
/// # Safety
/// `handle` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvCreateWithExecutor(
    handle: *mut sptrsvHandle_t,
    executor: MaybeUninit<sptrsvExecutor_t>,
) -> sptrsvStatus_t {
    guard_creation(|| create(handle, ExecutorKind::from_raw(raw(executor))?))
}

/// Destroys a handle. Infos made with it stay valid, and work in flight is not disturbed.
///
/// \param handle  the handle
/// \return SUCCESS; NOT_INITIALIZED when `handle` is NULL
///
/// Blocking: host only; but where the last handle or info of a context goes its kernels are unloaded and its memory is given
/// back, for which the driver may wait for the GPU. Graph capture: not allowed.
///
/// # Safety
/// `handle` is NULL or a live handle, which is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn sptrsvDestroy(handle: sptrsvHandle_t) -> sptrsvStatus_t {
    guard(|| {
        if handle.is_null() {
            return Err(Error::NullHandle);
        }
        drop(Box::from_raw(handle));
        Ok(())
    })
}

/// The version of the library that is loaded, as SPTRSV_VERSION says that of the header.
///
/// \param handle   the handle
/// \param version  receives the version
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `version` is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `version` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetVersion(handle: sptrsvHandle_t, version: *mut c_int) -> sptrsvStatus_t {
    with_handle(handle, |_| write(version, "version", SPTRSV_VERSION))
}

/// Sets the stream on which later calls work (NULL is the default stream).
///
/// \param handle  the handle
/// \param stream  a stream of the handle's context
/// \return SUCCESS; NOT_INITIALIZED
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle; `stream` is live for as long as calls use it.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetStream(handle: sptrsvHandle_t, stream: *mut CUstream_st) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        c.stream = stream as usize;
        Ok(())
    })
}

/// Reads the stream of the handle.
///
/// \param handle  the handle
/// \param stream  receives the stream
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `stream` is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `stream` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetStream(
    handle: sptrsvHandle_t,
    stream: *mut *mut CUstream_st,
) -> sptrsvStatus_t {
    with_handle(handle, |c| write(stream, "stream", c.stream as *mut CUstream_st))
}

/// Sets whether alpha and the zero-pivot position are host (the default) or device pointers.
///
/// \param handle  the handle
/// \param mode    the pointer mode
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `mode` is out of range
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetPointerMode(
    handle: sptrsvHandle_t,
    mode: MaybeUninit<sptrsvPointerMode_t>,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        c.pointer_mode = PointerMode::from_raw(raw(mode))?;
        Ok(())
    })
}

/// Reads the pointer mode.
///
/// \param handle  the handle
/// \param mode    receives the mode
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `mode` is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle, `mode` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetPointerMode(
    handle: sptrsvHandle_t,
    mode: *mut sptrsvPointerMode_t,
) -> sptrsvStatus_t {
    with_handle(handle, |c| write_enum(mode, "mode", c.pointer_mode as i32))
}

/// Sets the watchdog of later calls: a wait inside a solve or an analysis that sees no progress for this long is ended. The
/// output of a solve is invalid then, NaN where it waited and in what depends on that, and the next sptrsvZeroPivot or solve
/// with that info that has something to do returns TIMED_OUT once, unless the info is analysed anew before; an analysis returns
/// TIMED_OUT itself. A captured solve keeps the time that was set when it was captured. The default is 10 seconds. Not every step
/// counts as progress: with large matrices a time far below a second may end a solve or an analysis that works as it should.
///
/// \param handle   the handle
/// \param seconds  the time in seconds; 0 turns the watchdog off. Less than a nanosecond is one, and what is too long for a
///                 clock, INFINITY too, is as long as can be
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `seconds` is negative or not a number
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetTimeout(handle: sptrsvHandle_t, seconds: f64) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        if seconds.is_nan() || seconds < 0.0 {
            return Err(Error::Invalid(format!("the timeout of {seconds} seconds is not a time")));
        }
        let shortest = if seconds > 0.0 { Duration::from_nanos(1) } else { Duration::ZERO };
        c.timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).max(shortest);
        Ok(())
    })
}

/// The symbolic name of a status, for example "SPTRSV_STATUS_SUCCESS". Never NULL.
///
/// \param status  a status
/// \return a string that lives as long as the library
///
/// Blocking: host only. Graph capture: no GPU work.
#[no_mangle]
pub extern "C" fn sptrsvGetErrorName(status: MaybeUninit<sptrsvStatus_t>) -> *const c_char {
    // guard: no call below can fail
    status::name(raw(status)).as_ptr().cast()
}

/// A few words about a status. Never NULL.
///
/// \param status  a status
/// \return a string that lives as long as the library
///
/// Blocking: host only. Graph capture: no GPU work.
#[no_mangle]
pub extern "C" fn sptrsvGetErrorString(status: MaybeUninit<sptrsvStatus_t>) -> *const c_char {
    // guard: no call below can fail
    status::description(raw(status)).as_ptr().cast()
}

/// What exactly was wrong with the last call on this handle: which argument, which row. Empty after a
/// success. Never NULL. Calls that take no handle (those on descriptors, sptrsvCreateInfo, what sets and gets something of an
/// info, sptrsvGetStats) leave the message of an earlier call as it was; sptrsvGetErrorString is all there is for them.
///
/// \param handle  the handle; NULL gives the reason why the calling thread's last handle could not be created, or a
///                sentence that says that the handle is NULL
/// \return a string that lives until the next call on the handle; for NULL, until this thread creates another one
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `handle` is NULL or a live handle.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetLastErrorMessage(handle: sptrsvHandle_t) -> *const c_char {
    // guard: no call below can fail
    crate::guard::last_message(handle)
}

// ---------------------------------------------------------------------------------------------------
// Matrix descriptor
// ---------------------------------------------------------------------------------------------------

/// Creates a descriptor with cuSPARSE's defaults: GENERAL, LOWER, NON_UNIT, base ZERO; CSR, 32-bit.
///
/// \param descr  receives the descriptor
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
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
/// Blocking: host only. Graph capture: no GPU work.
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

/// Sets the descriptor's matrix type (a solve takes GENERAL only).
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatType(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvMatrixType_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow_mut(descr, "descr")?;
        d.0.mat_type = MatType::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the descriptor's matrix type (a solve takes GENERAL only).
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatType(
    descr: sptrsvMatDescr_t,
    value: *mut sptrsvMatrixType_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow(descr, "descr")?;
        write_enum(value, "value", d.0.mat_type as i32)
    })
}

/// Sets the descriptor's fill mode: which triangle of A is the matrix.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatFillMode(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvFillMode_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow_mut(descr, "descr")?;
        d.0.fill = Fill::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the descriptor's fill mode: which triangle of A is the matrix.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatFillMode(
    descr: sptrsvMatDescr_t,
    value: *mut sptrsvFillMode_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow(descr, "descr")?;
        write_enum(value, "value", d.0.fill as i32)
    })
}

/// Sets the descriptor's diagonal type.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatDiagType(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvDiagType_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow_mut(descr, "descr")?;
        d.0.diag = Diag::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the descriptor's diagonal type.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatDiagType(
    descr: sptrsvMatDescr_t,
    value: *mut sptrsvDiagType_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow(descr, "descr")?;
        write_enum(value, "value", d.0.diag as i32)
    })
}

/// Sets the descriptor's index base.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatIndexBase(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvIndexBase_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow_mut(descr, "descr")?;
        d.0.base = Base::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the descriptor's index base.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatIndexBase(
    descr: sptrsvMatDescr_t,
    value: *mut sptrsvIndexBase_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow(descr, "descr")?;
        write_enum(value, "value", d.0.base as i32)
    })
}

/// Sets the descriptor's storage format.
///
/// \param descr  the descriptor
/// \param value  the new value
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetMatFormat(
    descr: sptrsvMatDescr_t,
    value: MaybeUninit<sptrsvFormat_t>,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow_mut(descr, "descr")?;
        d.0.format = Format::from_raw(raw(value))?;
        Ok(())
    })
}

/// Reads the descriptor's storage format.
///
/// \param descr  the descriptor
/// \param value  receives the value
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor, `value` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatFormat(
    descr: sptrsvMatDescr_t,
    value: *mut sptrsvFormat_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow(descr, "descr")?;
        write_enum(value, "value", d.0.format as i32)
    })
}

/// Sets the integer types of the offsets (rowPtr) and of the column indices (colInd). 64-bit offsets with
/// 32-bit columns are allowed, the reverse is not supported by solves.
///
/// \param descr    the descriptor
/// \param offsets  type of the offsets
/// \param columns  type of the column indices
/// \return SUCCESS; INVALID_VALUE when `descr` is NULL or a type is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
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
        let d = borrow_mut(descr, "descr")?;
        let (o, c) = (Index::from_raw(raw(offsets))?, Index::from_raw(raw(columns))?);
        (d.0.offsets, d.0.columns) = (o, c);
        Ok(())
    })
}

/// Reads the integer types of the descriptor.
///
/// \param descr    the descriptor
/// \param offsets  receives the type of the offsets
/// \param columns  receives the type of the column indices
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `descr` is NULL or a live descriptor; the others are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetMatIndexTypes(
    descr: sptrsvMatDescr_t,
    offsets: *mut sptrsvIndexType_t,
    columns: *mut sptrsvIndexType_t,
) -> sptrsvStatus_t {
    guard(|| {
        let d = borrow(descr, "descr")?;
        if columns.is_null() {
            return Err(Error::Null("columns"));
        }
        write_enum(offsets, "offsets", d.0.offsets as i32)?;
        write_enum(columns, "columns", d.0.columns as i32)
    })
}

// ---------------------------------------------------------------------------------------------------
// Info
// ---------------------------------------------------------------------------------------------------

/// Creates an empty info. It belongs to no handle.
///
/// \param info  receives the info
/// \return SUCCESS; INVALID_VALUE when `info` is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvCreateInfo(info: *mut sptrsvInfo_t) -> sptrsvStatus_t {
    guard(|| {
        if info.is_null() {
            return Err(Error::Null("info"));
        }
        info.write(Box::into_raw(Box::new(sptrsvInfo(Owned::new(Info::default())))));
        Ok(())
    })
}

/// Destroys an info. NULL is allowed, and so are an info that was never analysed, one whose handle and
/// stream are gone, and one whose solves are still running: the call waits for them.
///
/// \param info  the info
/// \return SUCCESS
///
/// Blocking: waits for work in flight on the GPU. Graph capture: not allowed; graphs that captured a
/// solve with this info must not be launched afterwards.
///
/// # Safety
/// `info` is NULL or a live info, which is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn sptrsvDestroyInfo(info: sptrsvInfo_t) -> sptrsvStatus_t {
    guard(|| {
        if !info.is_null() {
            drop(Box::from_raw(info));
        }
        Ok(())
    })
}

/// Chooses the algorithm for later analyses with this info. What was analysed before stays as it is.
///
/// \param info       the info
/// \param algorithm  the algorithm; AUTO is the default
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or there is no such algorithm
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetAlgorithm(
    info: sptrsvInfo_t,
    algorithm: MaybeUninit<sptrsvAlgorithm_t>,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.algorithm = crate::algorithms::request(raw(algorithm))?;
            Ok(())
        })
    })
}

/// The algorithm in use after analysis; before it, the one that was asked for. On the host executor it is one of the
/// paper's: SLFR for ONE_WORD, TILED, NODAL, WIDE, THIN and BLOCK, and LEVR for AUTO, which solves serially where that is faster.
///
/// \param info       the info
/// \param algorithm  receives the algorithm
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `algorithm` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetAlgorithm(
    info: sptrsvInfo_t,
    algorithm: *mut sptrsvAlgorithm_t,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write_enum(algorithm, "algorithm", i.algorithm_in_use())))
}

/// Says how many right-hand sides solves with this info will have at once, which AUTO goes by: on a GPU it takes BLOCK from 16 on,
/// which reads the matrix once for as many as 32, and wants a larger buffer. So call this before sptrsvBufferSize; later, the
/// analysis may give INVALID_VALUE. Solves may have any other number, but a single one by BLOCK takes longer than by the others.
/// An algorithm that is asked for by name is taken for any number.
///
/// \param info  the info
/// \param nrhs  how many, at least 1, which is the default
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `nrhs` less than 1 (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetRightHandSides(info: sptrsvInfo_t, nrhs: i64) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.right_hand_sides = right_hand_sides(nrhs)?;
            Ok(())
        })
    })
}

/// How many right-hand sides later analyses with this info go by.
///
/// \param info  the info
/// \param nrhs  receives the number
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `nrhs` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetRightHandSides(info: sptrsvInfo_t, nrhs: *mut i64) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(nrhs, "nrhs", i.right_hand_sides)))
}

/// Chooses where later analyses with this info are done. The host executor always uses the CPU.
///
/// \param info   the info
/// \param setup  AUTO (the default), CPU, GPU or GPU_KAHN
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `setup` is out of range
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetSetup(
    info: sptrsvInfo_t,
    setup: MaybeUninit<sptrsvSetup_t>,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.setup = Setup::from_raw(raw(setup))?;
            Ok(())
        })
    })
}

/// Chooses whether later analyses with this info serve every operation. By default an info is analysed for one, and
/// a solve with another is refused. Enabled, one analysis (with any operation) prepares the transposed one too, so
/// that op N, T and H can be solved in any order: one factor serves both of its solves. It costs less time than two
/// analyses, as the pattern is validated once and, but for NODAL and copied values, its levels are found once, and as
/// much memory as two. T and H share what is kept.
///
/// sptrsvGetStats then counts time and bytes of both; all else there, and sptrsvGetAlgorithm, is about the operation
/// that the analysis was called with. sptrsvZeroPivot reports on the solve that was called last.
///
/// \param info     the info
/// \param enabled  1 to serve every operation, 0 (the default) for the one of the analysis
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1 (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetAnyOperation(info: sptrsvInfo_t, enabled: c_int) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.any_operation = switch("enabled", enabled)?;
            Ok(())
        })
    })
}

/// Whether later analyses with this info serve every operation.
///
/// \param info     the info
/// \param enabled  receives 1 or 0
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `enabled` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetAnyOperation(info: sptrsvInfo_t, enabled: *mut c_int) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(enabled, "enabled", i.any_operation.into())))
}

/// Chooses which values solves after later analyses with this info read: the caller's array (NONE, the default), a copy where that
/// is faster (WHERE_FASTER), or a copy of all values (ALL).
///
/// A copy is faster where the stored rows are not the rows of op(A) (op T or H of CSR, op N of CSC): a row's values are scattered
/// in the caller's array then, and large matrices are solved up to three times as fast from a copy in the order of the solve.
/// LEVC, SLFC, GSF and the host executor read values in storage order. (Apart from this, AUTO may begin a solve with a copy of its
/// own; that needs no call.)
///
/// WHERE_FASTER: call sptrsvUpdateValues after the analysis, and again whenever the values have changed. Where values are copied,
/// the copy takes one value and four bytes for each entry of the triangle. ALL: the analysis copies the values itself, and the
/// caller's array may be changed or freed afterwards; sptrsvUpdateValues and sptrsvUpdateDiagonal replace values. The copy takes
/// as much as WHERE_FASTER where that copies, else one value for each entry of A. sptrsvGetStats counts the bytes. Matrices of
/// 2^31 - 1 rows or entries and more whose values would be put into another order are NOT_SUPPORTED by the analysis.
///
/// \param info  the info
/// \param copy  which values to copy
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `copy` is out of range (nothing changes)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetCopyValues(
    info: sptrsvInfo_t,
    copy: MaybeUninit<sptrsvCopyValues_t>,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.copy_values = CopyValues::from_raw(raw(copy))?;
            Ok(())
        })
    })
}

/// Which values solves after later analyses with this info read.
///
/// \param info  the info
/// \param copy  receives the choice
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `copy` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetCopyValues(
    info: sptrsvInfo_t,
    copy: *mut sptrsvCopyValues_t,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write_enum(copy, "copy", i.copy_values as i32)))
}

/// Gives the diagonal separately, as the paper does: the matrix is then L + D or U + D with D = diag(d),
/// and diagonal entries stored in the matrix are ignored. Call it before the analysis; `d` itself is read
/// at each solve, so another vector of the same length may be set between solves. To go back to the matrix's own diagonal needs
/// another analysis, too. With a descriptor that says UNIT calls with this info are refused: INVALID_VALUE.
///
/// \param info  the info
/// \param d     m values in the executor's memory, of the type used at solve; NULL goes back to the
///              matrix's own diagonal
/// \return SUCCESS; INVALID_VALUE when `info` is NULL
///
/// Blocking: host only. Graph capture: the pointer in force is captured with a solve.
///
/// # Safety
/// `info` is NULL or a live info; `d` stays readable until the solves that use it are done.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetDiagonal(info: sptrsvInfo_t, d: *const c_void) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.diagonal = d as usize;
            Ok(())
        })
    })
}

/// What the last analysis with this info found and cost.
///
/// \param info   the info
/// \param stats  receives the figures; its `struct_size` is set by the caller
/// \return SUCCESS; INVALID_VALUE when an argument is NULL or `struct_size` is too small to hold itself;
///         NOT_ANALYSED
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// `info` is NULL or a live info; `stats` is NULL or writable for `stats->struct_size` bytes.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetStats(info: sptrsvInfo_t, stats: *mut sptrsvStats_t) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            if stats.is_null() {
                return Err(Error::Null("stats"));
            }
            let size = (&raw const (*stats).struct_size).read();
            if size < std::mem::size_of::<usize>() {
                return Err(Error::Invalid("stats->struct_size is not set".into()));
            }
            let mut full = sptrsvStats_t::default();
            i.fill_stats(&mut full)?;
            full.struct_size = size;
            let bytes = size.min(std::mem::size_of::<sptrsvStats_t>());
            std::ptr::copy_nonoverlapping((&raw const full).cast::<u8>(), stats.cast::<u8>(), bytes);
            Ok(())
        })
    })
}

// ---------------------------------------------------------------------------------------------------
// Solve
// ---------------------------------------------------------------------------------------------------

/// Bytes of the scratch buffer that analysis and solve need; at least 8 for m >= 1. It depends on the right-hand sides that
/// sptrsvSetRightHandSides has announced: about 36 m + nnz / 4 bytes for one, 68 m + nnz / 4 bytes for more, and for BLOCK, which AUTO
/// takes on a GPU from 16 on, 64 m + nnz / 4 values. For an info that is analysed already it also suffices for solves with
/// that analysis. BLOCK is to be chosen before the size is asked for. The arrays are not read and may be NULL.
///
/// \param handle  the handle
/// \param op  op(A)
/// \param m  rows and columns of A; where it is 0, arrays and buffer may be NULL
/// \param nnz  entries of A, both triangles counted
/// \param descr  how the arrays are to be read
/// \param valueType  type of the values
/// \param val, rowPtr, colInd  not read
/// \param info  the info that the analysis will use
/// \param bytes  receives the size
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE (a NULL, a negative size, an enum out of range, UNIT with a separate diagonal);
///         MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES (2^32 - 4096 rows or entries and more)
///
/// Blocking: host only. Graph capture: no GPU work.
///
/// # Safety
/// Handles and descriptors are NULL or live; `bytes` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvBufferSize(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    descr: sptrsvMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    bytes: *mut usize,
) -> sptrsvStatus_t {
    let _ = (val, rowPtr, colInd);
    with_handle(handle, |c| {
        let d = borrow(descr, "descr")?.0;
        with_info(info, |i| {
            let shape = i.shape(Op::from_raw(raw(op))?, m, nnz, d, DataType::from_raw(raw(valueType))?)?;
            let row_bytes = i.row_bytes_wanted(&c.executor, shape.dtype);
            write(bytes, "bytes", crate::workspace::buffer_bytes(&shape, row_bytes))?;
            i.row_bytes[shape.dtype.place()] = row_bytes;
            Ok(())
        })
    })
}

/// Analyses the sparsity pattern: levels, dependencies, and the schedule that solves follow. Values are not read, but copied after
/// sptrsvSetCopyValues(info, SPTRSV_COPY_ALL); the pattern may be freed or changed afterwards. An info can be analysed again, for the same or another matrix: the new analysis takes over
/// its memory, so CUDA graphs that captured a solve or an update with this info must not be launched any more. A call that is
/// refused leaves the info as it was; one that fails later (ALLOC_FAILED, TIMED_OUT, EXECUTION_FAILED, NOT_SUPPORTED or
/// INSUFFICIENT_RESOURCES for a schedule of too many pieces) may leave it not analysed.
///
/// \param handle  the handle
/// \param op  op(A)
/// \param m  rows and columns of A; where it is 0, arrays and buffer may be NULL
/// \param nnz  entries of A, both triangles counted
/// \param descr  how the arrays are to be read
/// \param valueType  type of the values
/// \param val  nnz values if all are to be copied; else not read and may be NULL
/// \param rowPtr  m + 1 offsets (of columns, for CSC)
/// \param colInd  nnz indices (of rows, for CSC); they need not be sorted, duplicates add up
/// \param info  receives the analysis
/// \param policy  kept with the info: see sptrsvSolvePolicy_t
/// \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it
/// \return SUCCESS (also where a diagonal entry is missing: see sptrsvZeroPivot); NOT_INITIALIZED;
///         INVALID_VALUE (as sptrsvBufferSize; a NULL array or buffer; a misaligned array; a stream that is capturing);
///         MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED (also where the algorithm or setup asked for does not
///         fit the GPU or the size); INSUFFICIENT_RESOURCES; INVALID_MATRIX (offsets that fall or do not end
///         at nnz, an index out of range); ALLOC_FAILED; TIMED_OUT; EXECUTION_FAILED
///
/// Blocking: waits for the handle's stream; where the info was used on another stream, on the per-thread stream or in a capture,
/// for all work of the CUDA context. Graph capture: not allowed; other streams may be capturing meanwhile.
///
/// # Safety
/// Handles and descriptors are NULL or live; the arrays have the sizes given, in the executor's memory.
#[no_mangle]
pub unsafe extern "C" fn sptrsvAnalysis(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    descr: sptrsvMatDescr_t,
    valueType: MaybeUninit<sptrsvDataType_t>,
    val: *const c_void,
    rowPtr: *const c_void,
    colInd: *const c_void,
    info: sptrsvInfo_t,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| {
        let d = borrow(descr, "descr")?.0;
        with_info(info, |i| {
            let shape = i.shape(Op::from_raw(raw(op))?, m, nnz, d, DataType::from_raw(raw(valueType))?)?;
            let policy = Policy::from_raw(raw(policy))?;
            let arrays = Arrays { val: val as usize, ptr: rowPtr as usize, ind: colInd as usize };
            i.analyse(c, shape, arrays, policy, buffer as usize)
        })
    })
}

/// Copies matrix values into an info that was analysed after sptrsvSetCopyValues.
///
/// WHERE_FASTER: call it after the analysis and after each change of the values; solves before that read the old values where they
/// are copied and the new ones where they are not. The array stays the caller's and must stay readable: each solve is given the
/// same pointer, and refuses another one. ALL: call it to replace the values; the array may be changed or freed when the copy is done.
///
/// \param handle  the handle
/// \param info    an info analysed after sptrsvSetCopyValues
/// \param val     nnz values of the type that was analysed, as at sptrsvSolve; may be NULL if there are none
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `info` or `val` is NULL or the analysis was not asked to prepare for a
///         copy; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device). On any of these solves read what they read
///         before. EXECUTION_FAILED: the copy may hold a part of the new values
///
/// Blocking: no; the copy is enqueued on the handle's stream, and solves on other streams must wait for it. Graph capture: yes; the
/// graph then copies what the array holds at each launch. A captured update counts as made: before the first launch, solves outside
/// of the graph read what the copy held before, which is undefined after an analysis.
///
/// # Safety
/// Handle and info are NULL or live; `val` is NULL or nnz values in the executor's memory.
#[no_mangle]
pub unsafe extern "C" fn sptrsvUpdateValues(
    handle: sptrsvHandle_t,
    info: sptrsvInfo_t,
    val: *const c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| with_info(info, |i| i.update_values(c, val as usize)))
}

/// Replaces the diagonal in the copy of all values (sptrsvSetCopyValues, ALL). Rows without a diagonal entry in the matrix get none.
///
/// \param handle  the handle
/// \param info    an info analysed after sptrsvSetCopyValues(info, SPTRSV_COPY_ALL)
/// \param diag    m values of the type that was analysed; may be NULL if there are none. It may be changed or freed when the copy
///                is done
/// \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `info` or `diag` is NULL, the analysis was not asked to copy all values, or
///         the diagonal is UNIT or separate; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device); NOT_SUPPORTED
///         where a row has two diagonal entries. On any of these solves read what they read before. EXECUTION_FAILED: the copy may
///         hold a part of the new diagonal
///
/// Blocking: no; the copy is enqueued on the handle's stream, and solves on other streams must wait for it. Graph capture: yes; the
/// graph then copies what the array holds at each launch.
///
/// # Safety
/// Handle and info are NULL or live; `diag` is NULL or m values in the executor's memory.
#[no_mangle]
pub unsafe extern "C" fn sptrsvUpdateDiagonal(
    handle: sptrsvHandle_t,
    info: sptrsvInfo_t,
    diag: *const c_void,
) -> sptrsvStatus_t {
    with_handle(handle, |c| with_info(info, |i| i.update_diagonal(c, diag as usize)))
}

/// Solves op(A) x = alpha f for one right-hand side, with the values that the arrays hold now (after
/// sptrsvSetCopyValues: that they held at the last sptrsvUpdateValues).
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType  as at analysis; op may be another one after sptrsvSetAnyOperation
/// \param rowPtr, colInd  not read, but not NULL (colInd may be where nnz is 0), unless all values are copied
/// \param alpha  one value of valueType. Pointer mode HOST: read before the call returns, and fixed in a captured graph. DEVICE:
///        read when the solve runs, and at each launch of a graph. The host executor takes a host pointer in either mode
/// \param val  nnz values; after sptrsvSetCopyValues(info, SPTRSV_COPY_WHERE_FASTER) the array that was last given to
///        sptrsvUpdateValues; not read, and may be NULL, where all values are copied
/// \param info  an analysed info
/// \param f  m values
/// \param x  receives m values; may be f itself
/// \param policy  NO_LEVEL, or USE_LEVEL if analysed with it
/// \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it until the solve is done
/// \return SUCCESS (also where a pivot is zero: x then holds Inf or NaN from there on, see
///         sptrsvZeroPivot); NOT_INITIALIZED; INVALID_VALUE (a NULL, a misaligned array, USE_LEVEL after an analysis with NO_LEVEL,
///         values that sptrsvUpdateValues was to be given); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED;
///         INSUFFICIENT_RESOURCES; NOT_ANALYSED; PATTERN_MISMATCH (another matrix or device than was
///         analysed); TIMED_OUT (of an earlier solve; nothing is done); EXECUTION_FAILED. On any error but
///         the last x is untouched.
///
/// Unknowns agree with those of other algorithms within rounding. Near the ends of a type's range one may overflow where
/// another does not: NODAL, and TILED in chains, divide parts of a sum by the diagonal before they add them.
///
/// Blocking: asynchronous on the CUDA executor, no host synchronisation, no allocation (kernels are loaded with the handle, but by
/// drivers for CUDA 12.2 and 12.3 at their first use); the host executor returns when x is there. Only the first call after a solve
/// that the watchdog ended, or that the driver refused half way, waits for work in flight with the info. Graph capture: yes, but
/// for that call, which gives INVALID_VALUE.
///
/// From compute capability 9.0 on ONE_WORD, TILED, NODAL, WIDE and THIN, the copy of sptrsvUpdateValues and analyses on the
/// GPU are launched with programmatic dependent launch (programmatic stream serialization), but not while capturing. Their
/// blocks may start while the kernel before them on the stream is ending, and wait until it has ended and its results are
/// visible, so stream order holds. One exception: if that kernel was itself launched so and ends without having waited for
/// its own predecessor, the solve does not wait for that predecessor either. A kernel launched so behind a WIDE solve may
/// start when its last level has begun, and must wait (cudaGridDependencySynchronize) before it reads x.
///
/// # Safety
/// Handles and descriptors are NULL or live; the arrays have the sizes given, in the executor's memory; val, f, x, the buffer, an
/// alpha on the device and the diagonal of sptrsvSetDiagonal stay until the solve is done.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSolve(
    handle: sptrsvHandle_t,
    op: MaybeUninit<sptrsvOperation_t>,
    m: i64,
    nnz: i64,
    alpha: *const c_void,
    descr: sptrsvMatDescr_t,
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
        let column = |address: usize| Dense { address, ld: m, order: Order::Columns };
        let rhs = Rhs { count: 1, names: ["f", "x"], f: column(f as usize), x: column(x as usize) };
        let arrays = Arrays { val: val as usize, ptr: rowPtr as usize, ind: colInd as usize };
        solve(c, op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// Solves op(A) X = alpha F for nrhs right-hand sides, stored by columns: column j of F begins at
/// F + j * ldf. On the GPU the matrix is read once for several of them: for up to four by TILED (two of complex types), by ONE_WORD,
/// WIDE, LEVR, LEVC, SLFR, SLFC and GSF (two of C_64F), for two by NODAL, and for 32 (or 16) by BLOCK; THIN solves one by one. So
/// where there are 16 and more, tell AUTO by sptrsvSetRightHandSides. Where the algorithm is deterministic, every column has the
/// bits of a single solve.
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
/// \param nrhs  number of right-hand sides, 0 or more
/// \param alpha  one value, in host or device memory by the pointer mode
/// \param F  right-hand sides
/// \param ldf  values from one column of F to the next, at least m
/// \param X  receives the solutions; may be F itself if ldx equals ldf
/// \param ldx  values from one column of X to the next, at least m
/// \return as sptrsvSolve; INVALID_VALUE also when a leading dimension is too small
///
/// Blocking: as sptrsvSolve. Graph capture: yes.
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
    descr: sptrsvMatDescr_t,
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
        let arrays = Arrays { val: val as usize, ptr: rowPtr as usize, ind: colInd as usize };
        solve(c, op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// Solves op(A) X = alpha F for nrhs right-hand sides, stored by rows (row-major): row i of F begins at F + i * ldf. On the GPU BLOCK
/// reads and writes them as they lie; the other algorithms solve copies in the buffer, a few at a time where
/// sptrsvSetRightHandSides has announced more than one, else one by one. With the bits of sptrsvSolveMulti.
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
/// Blocking: as sptrsvSolve. Graph capture: yes.
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
    descr: sptrsvMatDescr_t,
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
        let arrays = Arrays { val: val as usize, ptr: rowPtr as usize, ind: colInd as usize };
        solve(c, op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// Solves op(A) X = alpha F for dense matrices F and X of nrhs columns, each stored by columns or by rows. Where both are stored
/// alike this is sptrsvSolveMulti or sptrsvSolveMultiRowMajor; else F is copied to X in X's order first, or to the buffer.
///
/// \param handle  the handle
/// \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
/// \param nrhs  number of right-hand sides, 0 or more
/// \param alpha  one value, in host or device memory by the pointer mode
/// \param F  right-hand sides
/// \param ldf  values from one column of F to the next (at least m), or from one row to the next (at least nrhs)
/// \param orderF  how F is stored
/// \param X  receives the solutions; may be F itself if it is stored alike, else they must not overlap
/// \param ldx  the same as ldf for X
/// \param orderX  how X is stored
/// \return as sptrsvSolveMulti; INVALID_VALUE also when X is F but stored otherwise
///
/// Blocking: as sptrsvSolve. Graph capture: yes.
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
    descr: sptrsvMatDescr_t,
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
        let arrays = Arrays { val: val as usize, ptr: rowPtr as usize, ind: colInd as usize };
        solve(c, op, [m, nnz], alpha, descr, valueType, arrays, info, rhs, policy, buffer)
    })
}

/// F and X.
fn rhs(count: i64, [f, x]: [*mut c_void; 2], [ldf, ldx]: [i64; 2], [of_f, of_x]: [Order; 2]) -> Rhs {
    let dense = |address: *mut c_void, ld, order| Dense { address: address as usize, ld, order };
    Rhs { count, names: ["F", "X"], f: dense(f, ldf, of_f), x: dense(x, ldx, of_x) }
}

/// What all solves have in common.
///
/// # Safety
/// As sptrsvSolve.
#[allow(clippy::too_many_arguments)]
unsafe fn solve(
    context: &Context,
    op: MaybeUninit<sptrsvOperation_t>,
    [m, nnz]: [i64; 2],
    alpha: *const c_void,
    descr: sptrsvMatDescr_t,
    value_type: MaybeUninit<sptrsvDataType_t>,
    arrays: Arrays,
    info: sptrsvInfo_t,
    rhs: Rhs,
    policy: MaybeUninit<sptrsvSolvePolicy_t>,
    buffer: *mut c_void,
) -> Result<()> {
    let d = borrow(descr, "descr")?.0;
    with_info(info, |i| {
        let shape = i.shape(Op::from_raw(raw(op))?, m, nnz, d, DataType::from_raw(raw(value_type))?)?;
        let policy = Policy::from_raw(raw(policy))?;
        i.solve(context, shape, arrays, policy, alpha as usize, rhs, buffer as usize)
    })
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
/// \return SUCCESS and -1; ZERO_PIVOT and the row; NOT_INITIALIZED; INVALID_VALUE when `info` or
///         `position` is NULL; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device);
///         TIMED_OUT; EXECUTION_FAILED. On any other status than SUCCESS and ZERO_PIVOT the position is untouched.
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
    with_handle(handle, |c| with_info(info, |i| i.zero_pivot(c, position as usize)))
}
