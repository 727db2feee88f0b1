//! What is said of the work: log lines, and a report at the end of the process.

use doors::driver::{self, Stopwatch};
use doors::log::{self, Level};
use doors::pooled::{Executor, Pooled};
use doors::sptrsv::Stats;
use doors::status::Status;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

struct Settings {
    is_off: bool,
    factorises: bool,
    /// Whether there is a report, and whether also of nothing.
    reports: bool,
    always: bool,
}

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let value = |name| std::env::var(name).unwrap_or_default();
    let report = value("SPTRSV_SPSV_REPORT");
    let always = report == "all" || report == std::process::id().to_string();
    Settings {
        is_off: value("SPTRSV_SPSV") == "off",
        factorises: value("SPTRSV_SPSV_FACTORISATIONS") == "on",
        reports: !report.is_empty(),
        always,
    }
});

/// Whether everything is for the real library.
pub fn is_off() -> bool {
    SETTINGS.is_off
}

/// Whether csrilu02 and csric02 are served.
pub fn factorises() -> bool {
    SETTINGS.factorises
}

/// A family of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    SpSV,
    SpSM,
    Csrilu02,
    Csric02,
}

impl Name {
    fn factorises(self) -> bool {
        matches!(self, Name::Csrilu02 | Name::Csric02)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Name::SpSV => "SpSV",
            Name::SpSM => "SpSM",
            Name::Csrilu02 => "csrilu02",
            Name::Csric02 => "csric02",
        })
    }
}

/// A function of a family, which may have the family's own name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Function(Name, &'static str);

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            "" => write!(f, "{}", self.0),
            call => write!(f, "{}_{call}", self.0),
        }
    }
}

impl Function {
    /// What the log has before it. A factorisation's own name has the letter of a type in the middle.
    fn prefix(self) -> &'static str {
        match self.0.factorises() {
            true => "",
            false => "cusparse",
        }
    }
}

/// Says why a call is refused.
pub fn refused(family: impl Into<Name>, function: &'static str, status: Status, why: &str) -> Status {
    let function = Function(family.into(), function);
    log::line(Level::Error, format_args!("{}{function} gives status {}: {why}", function.prefix(), status.0));
    status
}

/// Says and counts why a call goes to the real library.
pub fn passed_on(family: impl Into<Name>, function: &'static str, why: &str) {
    let function = Function(family.into(), function);
    log::line(Level::Info, format_args!("{}{function} goes to cuSPARSE: {why}", function.prefix()));
    if SETTINGS.reports {
        *counts().passed_on.entry((function, why.to_string())).or_default() += 1;
    }
}

/// What counts as the same work.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    family: Name,
    m: i64,
    nnz: i64,
    words: Arc<str>,
}

impl Key {
    /// Of a matrix of `m` rows and `nnz` entries; `kind` and `more` say what stands before and behind these numbers.
    pub fn new(family: impl Into<Name>, kind: &str, [m, nnz]: [i64; 2], more: &str) -> Key {
        let family = family.into();
        Key { family, m, nnz, words: format!("{family} {kind}, {m} rows, {nnz} entries{more}").into() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

#[derive(Default)]
struct Work {
    analyses: u64,
    /// Those of a pattern that was known.
    known: u64,
    analysis_ms: f64,
    /// Or factorisations.
    solves: u64,
    columns: i64,
    /// Solves whose time is known, and their time.
    timed: u64,
    solve_ms: f64,
}

#[derive(Default)]
struct Counts {
    work: BTreeMap<Key, Work>,
    passed_on: BTreeMap<(Function, String), u64>,
    /// Solves on their way, and stopwatches to use again.
    running: Vec<(Key, Stopwatch)>,
    idle: Vec<Stopwatch>,
}

static COUNTS: LazyLock<Mutex<Counts>> = LazyLock::new(Mutex::default);

fn counts() -> MutexGuard<'static, Counts> {
    // Counts are whole whatever a panicking thread did with them.
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures a call or, on a GPU, its work on the stream; nothing where nobody asks for it.
pub enum Timer {
    Nobody,
    Call(Instant),
    Stream(Stopwatch),
}

/// Solves on their way that are looked at before the next one.
const MOST_RUNNING: usize = 64;

impl Timer {
    pub fn of_call() -> Timer {
        match SETTINGS.reports || log::is_on(Level::Info) {
            true => Timer::Call(Instant::now()),
            false => Timer::Nobody,
        }
    }

    pub fn of_stream(pooled: &Pooled) -> Timer {
        match pooled.executor() {
            _ if !SETTINGS.reports => Timer::Nobody,
            Executor::Host => Timer::Call(Instant::now()),
            Executor::Cuda if pooled.is_capturing() => Timer::Nobody,
            Executor::Cuda => {
                let mut counts = counts();
                if counts.running.len() >= MOST_RUNNING {
                    counts.collect();
                }
                // Where the GPU is far behind some solves are not timed.
                let is_behind = counts.running.len() >= 2 * MOST_RUNNING;
                let watch = counts.idle.pop().or_else(|| if is_behind { None } else { Stopwatch::new() });
                watch.map_or(Timer::Nobody, |watch| {
                    // SAFETY: as above.
                    unsafe { watch.start(pooled.stream) };
                    Timer::Stream(watch)
                })
            }
        }
    }
}

impl Counts {
    fn of(&mut self, key: &Key) -> &mut Work {
        self.work.entry(key.clone()).or_default()
    }

    /// Takes the times of the solves that are done.
    fn collect(&mut self) {
        for (key, watch) in std::mem::take(&mut self.running) {
            match watch.milliseconds() {
                None => self.running.push((key, watch)),
                Some(time) => {
                    let work = self.of(&key);
                    work.timed += 1;
                    work.solve_ms += time;
                    self.idle.push(watch);
                }
            }
        }
    }
}

/// Counts an analysis by libsptrsv.
pub fn analysed(key: &Key, stats: &Stats, timer: Timer) {
    let Timer::Call(begin) = timer else { return };
    // The analysis has waited for what was before it on the stream.
    counts().collect();
    let ms = begin.elapsed().as_secs_f64() * 1e3;
    let (levels, bytes) = (stats.levels, stats.bytes_held);
    let known = if stats.pattern_was_known != 0 { ", a known pattern" } else { "" };
    log::line(
        Level::Info,
        format_args!("analysis: {key}, {levels} levels, {ms:.3} ms, {bytes} bytes held{known}"),
    );
    if SETTINGS.reports {
        let mut counts = counts();
        let work = counts.of(key);
        work.analyses += 1;
        work.known += stats.pattern_was_known as u64;
        work.analysis_ms += ms;
    }
}

/// Counts a factorisation by libsptrsv.
pub fn factorised(key: &Key, timer: Timer, pooled: &Pooled) {
    log::line(Level::Trace, format_args!("factorisation: {key}"));
    count(key, 0, timer, pooled);
}

/// Counts a solve by libsptrsv.
pub fn solved(key: &Key, columns: i64, timer: Timer, pooled: &Pooled) {
    log::line(Level::Trace, format_args!("solve: {key}, {columns} right-hand sides"));
    count(key, columns, timer, pooled);
}

fn count(key: &Key, columns: i64, timer: Timer, pooled: &Pooled) {
    if !SETTINGS.reports {
        return;
    }
    let mut counts = counts();
    let work = counts.of(key);
    work.solves += 1;
    work.columns += columns;
    match timer {
        Timer::Nobody => {}
        Timer::Call(begin) => {
            work.timed += 1;
            work.solve_ms += begin.elapsed().as_secs_f64() * 1e3;
        }
        Timer::Stream(watch) => {
            // SAFETY: the stream is that of a live handle of the program's.
            unsafe { watch.stop(pooled.stream) };
            counts.running.push((key.clone(), watch));
        }
    }
}

/// Asks for the report at the end of the process, when the library is loaded.
#[used]
#[link_section = ".init_array"]
static AT_START: extern "C" fn() = {
    extern "C" fn at_start() {
        extern "C" fn at_end() {
            // A report that fails is no reason for a program to.
            let _ = std::panic::catch_unwind(print);
        }
        if std::env::var_os("SPTRSV_SPSV_REPORT").is_some_and(|pid| !pid.is_empty()) {
            // SAFETY: the function lives as long as the library, whose end runs it too.
            unsafe { libc::atexit(at_end) };
        }
    }
    at_start
};

fn print() {
    let mut counts = counts();
    counts.collect();
    let is_empty = counts.work.is_empty() && counts.passed_on.is_empty();
    if is_empty && !SETTINGS.always {
        return;
    }
    let mut text = format!("sptrsv: report of process {}\n", std::process::id());
    if is_empty {
        text += match SETTINGS.factorises {
            true => "sptrsv:   no call of SpSV, SpSM, csrilu02 or csric02 was made\n",
            false => "sptrsv:   no call of SpSV or SpSM was made\n",
        };
        // Without a GPU a program gets no handle from cuSPARSE, and makes no further calls.
        if let (Ok(Executor::Cuda), Some(why)) = (Executor::chosen(), driver::nothing_to_work_on()) {
            let _ = writeln!(text, "sptrsv:   {why}");
        }
    }
    for (key, work) in &counts.work {
        let _ = writeln!(
            text,
            "sptrsv:   {key}: {} analyses{} in {:.3} ms, {} {}, {}",
            work.analyses,
            match work.known {
                0 => String::new(),
                known => format!(" ({known} of a known pattern)"),
            },
            work.analysis_ms,
            work.solves,
            match key.family.factorises() {
                true => "factorisations".to_string(),
                false => format!("solves of {} right-hand sides", work.columns),
            },
            match work.timed {
                0 => "not timed".to_string(),
                timed => format!("{:.4} ms each (mean of {timed})", work.solve_ms / timed as f64),
            }
        );
    }
    for ((function, why), times) in &counts.passed_on {
        let _ = writeln!(text, "sptrsv:   {function} passed on to cuSPARSE {times} times: {why}");
    }
    eprint!("{text}");
}
