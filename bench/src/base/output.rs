//! What the program prints while it works: lines on standard output, warnings on standard error.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

/// Prints a line on standard output. Where nobody reads it any more the program ends, as others do.
macro_rules! say {
    ($($words:tt)*) => { $crate::base::output::print_line(format_args!($($words)*)) };
}

/// Prints a warning on standard error, each sentence once: the benchmark can read a file twice.
pub fn warn(words: &str) {
    note(&format!("warning: {words}"));
}

/// Prints a sentence on standard error, once.
pub fn note(words: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(words.into()) {
        eprintln!("sptrsv: {words}");
    }
}

pub fn print_line(words: std::fmt::Arguments) {
    if let Err(e) = writeln!(std::io::stdout(), "{words}") {
        if e.kind() != ErrorKind::BrokenPipe {
            eprintln!("sptrsv: standard output: {e}");
        }
        std::process::exit(2);
    }
}
