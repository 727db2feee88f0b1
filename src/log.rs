//! What the library says of its work, if it is asked to: lines on standard error, in a file, or to the program.
#![forbid(unsafe_code)]

use std::ffi::{CStr, CString};
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    Off = 0,
    /// Calls that fail.
    Error = 1,
    /// And analyses.
    Info = 2,
    /// And solves.
    Trace = 3,
}

/// Gets each line, without its end.
pub type Callback = Arc<dyn Fn(Level, &CStr) + Send + Sync>;

/// What `SPTRSV_LOG` and `SPTRSV_LOG_FILE` say; None stands for standard error.
struct Environment {
    level: Level,
    file: Option<File>,
}

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    let level = std::env::var("SPTRSV_LOG").map_or(Level::Off, |word| level_of(&word));
    let path = std::env::var_os("SPTRSV_LOG_FILE").filter(|path| level > Level::Off && !path.is_empty());
    let file = path.and_then(|path| match File::options().create(true).append(true).open(&path) {
        Ok(file) => Some(file),
        Err(e) => {
            let _ =
                writeln!(io::stderr(), "sptrsv: cannot write the log to {}: {e}", Path::new(&path).display());
            None
        }
    });
    Environment { level, file }
});

fn level_of(word: &str) -> Level {
    match word {
        "error" => Level::Error,
        "info" => Level::Info,
        "trace" => Level::Trace,
        _ => Level::Off,
    }
}

const UNREAD: u8 = u8::MAX;
/// The level in force, or UNREAD until the environment is read.
static LEVEL: AtomicU8 = AtomicU8::new(UNREAD);
static CALLBACK: RwLock<Option<Callback>> = RwLock::new(None);

/// Whether lines of this level are wanted. Where they are not, this is one relaxed load.
#[inline]
pub fn wants(level: Level) -> bool {
    match LEVEL.load(Ordering::Relaxed) {
        UNREAD => wants_by_environment(level),
        now => level as u8 <= now,
    }
}

#[cold]
fn wants_by_environment(level: Level) -> bool {
    let now = ENVIRONMENT.level as u8;
    // Not where a callback has been set meanwhile.
    let _ = LEVEL.compare_exchange(UNREAD, now, Ordering::Relaxed, Ordering::Relaxed);
    level as u8 <= LEVEL.load(Ordering::Relaxed)
}

/// Lines up to `level` go to the callback; without one, the environment is in force again.
pub fn set(level: Level, callback: Option<Callback>) {
    let mut kept = CALLBACK.write().unwrap_or_else(PoisonError::into_inner);
    let level = if callback.is_some() { level } else { ENVIRONMENT.level };
    *kept = callback;
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Writes a line, if it is wanted.
pub fn write(level: Level, words: fmt::Arguments) {
    if !wants(level) {
        return;
    }
    let callback = CALLBACK.read().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(callback) = callback {
        callback(level, &CString::new(words.to_string().replace('\0', " ")).unwrap_or_default());
        return;
    }
    // In one piece: several processes may append to one file.
    let line = format!("sptrsv: {words}\n");
    let _ = match &ENVIRONMENT.file {
        Some(file) => (&mut &*file).write_all(line.as_bytes()),
        None => io::stderr().write_all(line.as_bytes()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn words_are_levels() {
        let levels = ["off", "error", "info", "trace", "", "loud"].map(level_of);
        assert_eq!(levels, [Level::Off, Level::Error, Level::Info, Level::Trace, Level::Off, Level::Off]);
    }

    #[test]
    fn a_callback_gets_what_it_asks_for() {
        let lines: Arc<Mutex<Vec<(Level, CString)>>> = Arc::default();
        let kept = lines.clone();
        set(Level::Info, Some(Arc::new(move |level, line| kept.lock().unwrap().push((level, line.into())))));
        write(Level::Trace, format_args!("too much of {}", "this test"));
        write(Level::Info, format_args!("just right for {}", "this test"));
        set(Level::Off, None);
        write(Level::Error, format_args!("too late for {}", "this test"));
        let lines = lines.lock().unwrap();
        // Other tests of this process may log meanwhile.
        let of_this_test: Vec<_> =
            lines.iter().filter(|(_, l)| l.to_string_lossy().contains("this test")).collect();
        assert_eq!(of_this_test, [&(Level::Info, c"just right for this test".into())]);
    }
}
