//! Logging
//!
//! The environment variable SPTRSV_LOG asks for lines about the library's work: `error` for calls that fail, `info` for analyses and
//! tunings too, `trace` for solves too, `off` (the default) for none. They go to standard error, or are appended to the file that
//! SPTRSV_LOG_FILE names. A program can have them instead. Where no lines are wanted, a call reads one variable more.
//!
//! A profiler that takes NVTX ranges, as Nsight Systems does, has a range of its own for each analysis, tuning, solve, factorisation
//! and sweep, in the domain `sptrsv`.

use std::ffi::{c_char, c_void, CStr};
use std::mem::MaybeUninit;
use std::sync::Arc;

use super::guard::{guard, raw};
use super::info::algorithm_name;
use crate::error::{sptrsvStatus_t, Error, Result};
use crate::info::{Info, Tuning};
use crate::log::{self, Callback, Level};

/// Which lines are wanted: each level includes those before it.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvLogLevel_t {
    SPTRSV_LOG_OFF = 0,
    /// Calls that return an error.
    SPTRSV_LOG_ERROR = 1,
    /// Analyses: rows, entries, levels, algorithm, predicted time of a solve, memory. Tunings: what each algorithm took.
    SPTRSV_LOG_INFO = 2,
    /// Solves.
    SPTRSV_LOG_TRACE = 3,
}

/// Receives a line, without a newline at its end: the line's level, its text, which lives as long as the call, and the pointer given
/// to sptrsvSetLogCallback.
pub type sptrsvLogCallback_t =
    Option<unsafe extern "C" fn(level: sptrsvLogLevel_t, line: *const c_char, user: *mut c_void)>;

/// The caller's pointer, which the callback gets on whatever thread logs.
struct User(*mut c_void);
// SAFETY: the callback may be called on any thread, by the caller's promise.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

/// Has lines given to the program, in place of what SPTRSV_LOG says. This holds for the whole process. No call reads the setting back,
/// as a callback and its pointer are of use to nobody but the part of the program that has set them.
///
/// \param level     which lines
/// \param callback  receives each line on the thread whose call it is about; it must not call functions of this library. NULL: what
///        SPTRSV_LOG says is in force again, and level is not looked at
/// \param user      is given to the callback
/// \return SUCCESS; INVALID_VALUE when the level is out of range
///
/// Blocking: no. Another thread may still be inside of the callback before when this returns. Graph capture: allowed; the call does
/// no GPU work.
///
/// # Safety
/// `callback` is NULL, or may be called from any thread with `user` until another is set and no call of this library is under way.
#[no_mangle]
pub unsafe extern "C" fn sptrsvSetLogCallback(
    level: MaybeUninit<sptrsvLogLevel_t>,
    callback: sptrsvLogCallback_t,
    user: *mut c_void,
) -> sptrsvStatus_t {
    guard(|| {
        let Some(callback) = callback else {
            log::set(Level::Off, None);
            return Ok(());
        };
        let level = match raw(level) {
            0 => Level::Off,
            1 => Level::Error,
            2 => Level::Info,
            3 => Level::Trace,
            other => return Err(Error::Invalid(format!("{other} is not a sptrsvLogLevel_t"))),
        };
        let user = User(user);
        let call: Callback = Arc::new(move |level, line: &CStr| {
            let user = &user;
            let level = match level {
                Level::Off => sptrsvLogLevel_t::SPTRSV_LOG_OFF,
                Level::Error => sptrsvLogLevel_t::SPTRSV_LOG_ERROR,
                Level::Info => sptrsvLogLevel_t::SPTRSV_LOG_INFO,
                Level::Trace => sptrsvLogLevel_t::SPTRSV_LOG_TRACE,
            };
            // SAFETY: it may be called with these, by the caller's promise.
            unsafe { callback(level, line.as_ptr(), user.0) }
        });
        log::set(level, Some(call));
        Ok(())
    })
}

/// A line about an analysis that has succeeded.
pub(super) fn log_analysis(info: &Info) -> Result<()> {
    if !log::wants(Level::Info) {
        return Ok(());
    }
    let s = info.stats()?;
    let predicted = match 1e3 * s.predicted.as_secs_f64() {
        0.0 => String::new(),
        ms => format!(", {ms:.4} ms predicted for a solve"),
    };
    let known = if s.pattern_was_known { ", a known pattern" } else { "" };
    log::write(
        Level::Info,
        format_args!(
            "analysis of {} rows, {} entries in the triangle, {} levels: {}, {:.3} ms, {} bytes held{predicted}{known}",
            s.rows,
            s.entries_used,
            s.levels,
            algorithm_name(s.algorithm).to_string_lossy(),
            1e3 * s.time.as_secs_f64(),
            s.bytes_held
        ),
    );
    Ok(())
}

/// A line about a tuning that has succeeded: what the algorithms took, and which one stays.
pub(super) fn log_tuning(rows: i64, found: &Tuning) {
    if found.times.is_empty() || !log::wants(Level::Info) {
        return;
    }
    let name = |id| algorithm_name(id).to_string_lossy();
    let times =
        found.times.iter().map(|&(id, time)| format!("{} {:.4} ms", name(id), 1e3 * time.as_secs_f64()));
    let times = times.collect::<Vec<_>>().join(", ");
    log::write(Level::Info, format_args!("tuning of {rows} rows: {times}; {} stays", name(found.kept)));
}

/// A line about a solve that is enqueued, or done on the host executor.
pub(super) fn log_solve(info: &Info, right_hand_sides: i64) -> Result<()> {
    if !log::wants(Level::Trace) {
        return Ok(());
    }
    let s = info.stats()?;
    let name = algorithm_name(s.algorithm).to_string_lossy();
    log::write(
        Level::Trace,
        format_args!("solve of {} rows, {right_hand_sides} right-hand sides: {name}", s.rows),
    );
    Ok(())
}

/// The line of a factorisation or a sweep.
pub(super) fn log_step(info: &Info, what: &str) -> Result<()> {
    if log::wants(Level::Trace) {
        log::write(Level::Trace, format_args!("{what} of {} rows", info.stats()?.rows));
    }
    Ok(())
}
