//! Infos
//!
//! An info is set up (optional), analysed, and then solved with. It belongs to no handle. The settings are those of later analyses:
//! an analysis that is there already stays as it is, except that sptrsvSetDiagonal holds for later solves too. A setter that is
//! refused changes nothing.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::mem::MaybeUninit;
use std::sync::LazyLock;

use super::guard::{address, guard, raw, with_info, write, write_enum};
use super::objects::{sptrsvConstInfo_t, sptrsvInfo, sptrsvInfo_t};
use super::stats::sptrsvStats_t;
use crate::engines;
use crate::error::{sptrsvStatus_t, Error};
use crate::executor::Owned;
use crate::info::Info;
use crate::problem::{right_hand_sides, switch, CopyValues, Setup};

/// How a system is solved. docs/c-interface.md says more about each algorithm. Deterministic ones give the same bits in every run.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvAlgorithm_t {
    /// The library chooses, among the deterministic ones.
    SPTRSV_ALG_AUTO = 0,
    /// Row-wise, level-scheduled (R. Li, algorithm 1). Deterministic.
    SPTRSV_ALG_LEVR = 1,
    /// Column-wise, level-scheduled (R. Li, algorithm 2). Atomic additions: not deterministic.
    SPTRSV_ALG_LEVC = 2,
    /// Row-wise, self-scheduled (R. Li, algorithm 3). Deterministic.
    SPTRSV_ALG_SLFR = 3,
    /// Column-wise, self-scheduled (R. Li, algorithm 4). Atomic additions: not deterministic.
    SPTRSV_ALG_SLFC = 4,
    /// Column-wise in natural order, synchronization-free (W. Liu et al., 2016): the baseline. Atomic additions: not deterministic.
    SPTRSV_ALG_GSF = 5,
    /// Row-wise in level order: for irregular patterns. Deterministic.
    SPTRSV_ALG_ONE_WORD = 16,
    /// Row-wise in tiles of consecutive rows: for grids, and wherever rows depend on near ones. Deterministic.
    SPTRSV_ALG_TILED = 17,
    /// Row-wise by nodes: 2 to 6 consecutive rows with the same dependencies, as finite elements have them. Rows must be sorted. A
    /// matrix without nodes is solved by ONE_WORD. Deterministic.
    SPTRSV_ALG_NODAL = 18,
    /// Row-wise, level by level: for a few wide levels, as orders by colours have them. A matrix of more than 1000 levels is solved by
    /// ONE_WORD. Deterministic.
    SPTRSV_ALG_WIDE = 19,
    /// Row-wise, 32 rows at a time: for narrow levels, as chains, bands and chains of dense blocks have them. A GPU without clusters of
    /// blocks takes ONE_WORD. Deterministic.
    SPTRSV_ALG_THIN = 20,
    /// Row-wise for many right-hand sides. The buffer is larger, so set this algorithm before sptrsvBufferSize. Deterministic.
    SPTRSV_ALG_BLOCK = 21,
    /// Row-wise, in runs of consecutive rows: for complete factors. Needs compute capability 8.0. Deterministic.
    SPTRSV_ALG_PANEL = 22,
}

/// Where and how an analysis is done. The host executor takes the CPU in any case.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvAnalysisMode_t {
    /// The library chooses: small systems on the CPU, others on the GPU.
    SPTRSV_ANALYSIS_MODE_AUTO = 0,
    /// On the CPU: the pattern is copied to the host, and the schedule back.
    SPTRSV_ANALYSIS_MODE_CPU = 1,
    /// On the GPU, without a launch for each level.
    SPTRSV_ANALYSIS_MODE_GPU = 2,
    /// On the GPU, levels by Kahn's algorithm with a launch and a wait for each level (LEV_GPU of R. Li's paper). For comparison.
    SPTRSV_ANALYSIS_MODE_GPU_KAHN = 3,
}

/// Which values solves read.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvCopyValues_t {
    /// The array that each solve is given, as it is at that time.
    SPTRSV_COPY_NONE = 0,
    /// A copy in the order in which solves read the values, where that is faster; else the array.
    SPTRSV_COPY_WHERE_FASTER = 1,
    /// A copy of all values, which the analysis makes.
    SPTRSV_COPY_ALL = 2,
}

/// Creates an empty info.
///
/// \param info  receives the info
/// \return SUCCESS; INVALID_VALUE when `info` is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
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

/// Destroys an info. NULL is allowed, and so is an info that was never analysed, whose handle or stream is gone, or whose solves
/// are still running.
///
/// \param info  the info
/// \return SUCCESS
///
/// Blocking: waits for work in flight with the info. Graph capture: not allowed; graphs that captured a solve or an update with
/// this info must not be launched afterwards.
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

/// Chooses the algorithm. AUTO is the default.
///
/// \param info       the info
/// \param algorithm  the algorithm
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or there is no such algorithm
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
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
            i.algorithm = engines::request(raw(algorithm))?;
            Ok(())
        })
    })
}

/// Reads the algorithm in use after an analysis; before it, the algorithm that was set. The host executor has the first four
/// algorithms and GSF. It uses SLFR for those from ONE_WORD on. For AUTO it says LEVR, which has the same bits.
///
/// \param info       the info
/// \param algorithm  receives the algorithm
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `algorithm` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetAlgorithm(
    info: sptrsvConstInfo_t,
    algorithm: *mut sptrsvAlgorithm_t,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write_enum(algorithm, "algorithm", i.algorithm_in_use())))
}

/// The name of an algorithm as it stands behind SPTRSV_ALG_, for example "TILED". Never NULL.
///
/// \param algorithm  a number
/// \return a string that lives as long as the library; "UNKNOWN" where there is no such algorithm
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
#[no_mangle]
pub extern "C" fn sptrsvGetAlgorithmName(algorithm: MaybeUninit<sptrsvAlgorithm_t>) -> *const c_char {
    // guard: no call below can fail
    algorithm_name(raw(algorithm)).as_ptr()
}

/// Of an algorithm's number.
pub(super) fn algorithm_name(number: i32) -> &'static CStr {
    static NAMES: LazyLock<Vec<(i32, CString)>> = LazyLock::new(|| {
        let c_name = |name: &str| CString::new(name.to_uppercase()).unwrap_or_default();
        let named = engines::ALL.iter().map(|a| (a.id(), c_name(a.name())));
        named.chain([(engines::AUTO, c_name("AUTO"))]).collect()
    });
    NAMES.iter().find(|(id, _)| *id == number).map_or(c"UNKNOWN", |(_, name)| name.as_c_str())
}

/// Says how many right-hand sides the solves are expected to have, which AUTO goes by. The buffer may be larger for more of them: call
/// this before sptrsvBufferSize, else the analysis may give INVALID_VALUE. Solves may have any other number of right-hand sides too,
/// but may take longer than after an analysis for that number.
///
/// \param info  the info
/// \param nrhs  the number of right-hand sides, at least 1, which is the default
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `nrhs` less than 1
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetExpectedRightHandSides(info: sptrsvInfo_t, nrhs: i64) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.right_hand_sides = right_hand_sides(nrhs)?;
            Ok(())
        })
    })
}

/// Reads how many right-hand sides the solves are expected to have.
///
/// \param info  the info
/// \param nrhs  receives the number
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `nrhs` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetExpectedRightHandSides(
    info: sptrsvConstInfo_t,
    nrhs: *mut i64,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(nrhs, "nrhs", i.right_hand_sides)))
}

/// Chooses where and how an analysis is done. AUTO is the default.
///
/// \param info  the info
/// \param mode  the mode
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `mode` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetAnalysisMode(
    info: sptrsvInfo_t,
    mode: MaybeUninit<sptrsvAnalysisMode_t>,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.setup = Setup::from_raw(raw(mode))?;
            Ok(())
        })
    })
}

/// Reads where and how later analyses are done. sptrsvGetStats says where the last one was done.
///
/// \param info  the info
/// \param mode  receives the mode
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `mode` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetAnalysisMode(
    info: sptrsvConstInfo_t,
    mode: *mut sptrsvAnalysisMode_t,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write_enum(mode, "mode", i.setup as i32)))
}

/// Chooses whether one analysis serves all operations. By default an info is analysed for one operation, and a solve with another
/// one is refused. Enabled, an analysis with any operation prepares the transposed one too: NON_TRANSPOSE, TRANSPOSE and
/// CONJUGATE_TRANSPOSE can then be solved in any order, so that one factor serves both of its solves.
///
/// It takes less time than two analyses, and as much memory as two. sptrsvGetStats counts time and bytes of both; all else there, and
/// sptrsvGetAlgorithm, is about the operation of the analysis. sptrsvZeroPivot reports on the solve that was called last.
///
/// \param info     the info
/// \param enabled  1 for all operations, 0 (the default) for the operation of the analysis
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetAnalysisForAllOperations(
    info: sptrsvInfo_t,
    enabled: c_int,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.any_operation = switch("enabled", enabled)?;
            Ok(())
        })
    })
}

/// Reads whether one analysis serves all operations.
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
pub unsafe extern "C" fn sptrsvGetAnalysisForAllOperations(
    info: sptrsvConstInfo_t,
    enabled: *mut c_int,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(enabled, "enabled", i.any_operation.into())))
}

/// Chooses which values solves read: the caller's array (NONE, the default), a copy where that is faster (WHERE_FASTER), or a copy
/// of all values (ALL). docs/analysis.md says where a copy is faster and what it costs.
///
/// WHERE_FASTER: call sptrsvUpdateValues after the analysis, and again whenever the values have changed.
///
/// ALL: the analysis copies the values, and the caller's array may be changed or freed afterwards. sptrsvUpdateValues and
/// sptrsvUpdateDiagonal replace values in the copy.
///
/// A copy of values in another order is NOT_SUPPORTED by the analysis of a matrix of 2^31 - 1 rows or entries and more.
///
/// \param info  the info
/// \param copy  which values to copy
/// \return SUCCESS; INVALID_VALUE when `info` is NULL or `copy` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
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

/// Reads which values solves after later analyses read.
///
/// \param info  the info
/// \param copy  receives the choice
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `copy` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetCopyValues(
    info: sptrsvConstInfo_t,
    copy: *mut sptrsvCopyValues_t,
) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write_enum(copy, "copy", i.copy_values as i32)))
}

/// Gives the diagonal separately. The matrix is then L + D or U + D with D = diag(d), and diagonal entries stored in the matrix are
/// ignored.
///
/// Set a vector before the analysis. Solves read it, so another vector of the same length may be set between solves; to go back to
/// the matrix's own diagonal takes another analysis. Calls with a descriptor that says UNIT give INVALID_VALUE.
///
/// \param info  the info
/// \param d     m values of the type of the matrix, in the executor's memory; NULL (the default) for the matrix's own diagonal
/// \return SUCCESS; INVALID_VALUE when `info` is NULL
///
/// Blocking: no. Graph capture: allowed; a captured solve keeps the pointer that was set when it was captured.
///
/// # Safety
/// `info` is NULL or a live info; `d` stays readable until the solves that use it are done.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetDiagonal(info: sptrsvInfo_t, d: *const c_void) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            i.diagonal = address(d);
            Ok(())
        })
    })
}

/// Reads the separate diagonal.
///
/// \param info  the info
/// \param d     receives the pointer that was set last, or NULL
/// \return SUCCESS; INVALID_VALUE when an argument is NULL
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info, `d` NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetDiagonal(info: sptrsvConstInfo_t, d: *mut *const c_void) -> sptrsvStatus_t {
    guard(|| with_info(info, |i| write(d, "d", i.diagonal.pointer::<c_void>().cast_const())))
}

/// Reads what the last analysis with this info found and cost.
///
/// \param info   the info
/// \param stats  receives the figures; its `struct_size` is set by the caller
/// \return SUCCESS; INVALID_VALUE when an argument is NULL or `struct_size` is too small to hold itself;
///         NOT_ANALYSED
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `info` is NULL or a live info; `stats` is NULL or writable for `stats->struct_size` bytes.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetStats(
    info: sptrsvConstInfo_t,
    stats: *mut sptrsvStats_t,
) -> sptrsvStatus_t {
    guard(|| {
        with_info(info, |i| {
            if stats.is_null() {
                return Err(Error::Null("stats"));
            }
            let size = (&raw const (*stats).struct_size).read();
            if size < std::mem::size_of::<usize>() {
                return Err(Error::Invalid("stats->struct_size is not set".into()));
            }
            let full = sptrsvStats_t { struct_size: size, ..i.stats()?.into() };
            let bytes = size.min(std::mem::size_of::<sptrsvStats_t>());
            std::ptr::copy_nonoverlapping((&raw const full).cast::<u8>(), stats.cast::<u8>(), bytes);
            Ok(())
        })
    })
}
