//! The command line: measure solvers (`bench`), solve a Matrix Market file (`solve`), describe one (`info`), start a
//! program of others on this library (`run`).
//!
//! It reaches the library through the public C functions alone, and the GPU through libraries found at run
//! time, so that one program runs on machines with and without a GPU.

/// Prints a line on standard output. Where nobody reads it any more the program ends, as others do.
macro_rules! say {
    ($($words:tt)*) => { $crate::print_line(format_args!($($words)*)) };
}

mod abi;
mod bench;
mod cases;
mod check;
mod contenders;
mod dynamic;
mod files;
mod generate;
mod gpu;
mod info;
mod lattice;
mod library;
mod matrix;
mod measure;
mod memory;
mod mtx;
mod numbers;
mod paper;
mod paper_checks;
mod paper_data;
mod paper_report;
mod peers;
mod permute;
mod plots;
mod progress;
mod relaunch;
mod report;
mod run;
mod solve;
mod structures;
mod suite;
mod system;
mod values;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::{Parser, Subcommand};

use files::{cannot_write, must_be_writable, must_not_be_read, write_whole, write_whole_by};

/// An error is one sentence for the user.
type Result<T> = std::result::Result<T, String>;

/// Sparse triangular solves on GPUs and CPUs: solve, inspect and measure.
#[derive(Parser)]
#[command(name = "sptrsv", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the solvers on generated matrices or files, beside cuSPARSE where it is installed
    Bench(Box<bench::Args>),
    /// Solve a triangular system from a Matrix Market file
    Solve(solve::Args),
    /// Describe the triangles of a Matrix Market file: levels, widths, what AUTO chooses
    Info(info::Args),
    /// Run a program with this library in place of cuSPARSE's SpSV and SpSM
    Run(run::Args),
}

/// Prints a warning on standard error, each sentence once: the benchmark can read a file twice.
fn warn(words: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(words.into()) {
        eprintln!("sptrsv: warning: {words}");
    }
}

fn print_line(words: std::fmt::Arguments) {
    if let Err(e) = writeln!(std::io::stdout(), "{words}") {
        if e.kind() != ErrorKind::BrokenPipe {
            eprintln!("sptrsv: standard output: {e}");
        }
        std::process::exit(2);
    }
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|e| {
        let _ = e.print();
        let is_run = std::env::args_os().nth(1).is_some_and(|command| command == "run");
        let code = if is_run && e.use_stderr() { run::OWN_FAILURE.into() } else { e.exit_code() };
        std::process::exit(code)
    });
    let done = match cli.command {
        Command::Bench(args) => bench::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Run(args) => return run::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("sptrsv: {message}");
            ExitCode::from(2)
        }
    }
}
