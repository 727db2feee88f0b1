//! Lines on standard error, as far as SPTRSV_LOG, which is read once, asks for them.

use std::fmt;
use std::io::{stderr, Write};
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Off,
    Error,
    Info,
    Trace,
}

static ASKED: LazyLock<Level> = LazyLock::new(|| match std::env::var("SPTRSV_LOG").as_deref() {
    Ok("error") => Level::Error,
    Ok("info") => Level::Info,
    Ok("trace") => Level::Trace,
    _ => Level::Off,
});

pub fn is_on(level: Level) -> bool {
    level <= *ASKED
}

pub fn line(level: Level, words: fmt::Arguments) {
    if is_on(level) {
        // A call does not fail where nobody can be told of it.
        let _ = writeln!(stderr(), "sptrsv: {words}");
    }
}
