//! The command line: measure solvers (`bench`), solve a Matrix Market file (`solve`), describe one (`info`), start a
//! program of others on this library (`run`).
//!
//! It reaches the library through the public C functions alone, and the GPU through libraries found at run
//! time, so that one program runs on machines with and without a GPU.

/// Prints a line on standard output. Where nobody reads it any more the program ends, as others do.
macro_rules! say {
    ($($words:tt)*) => { $crate::print_line(format_args!($($words)*)) };
}

mod bench;
mod cases;
mod check;
mod contenders;
mod dynamic;
mod generate;
mod gpu;
mod info;
mod lattice;
mod library;
mod matrix;
mod measure;
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

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

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

/// Writes a file whole or not at all: under a neighbouring name first. What is no plain file (a device, a pipe, a
/// link) is written to as it is.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let in_words = |e| cannot_write(path, e);
    if is_special(path) {
        return std::fs::write(path, bytes).map_err(in_words);
    }
    let partial = partial(path);
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|e| {
        let _ = std::fs::remove_file(&partial);
        in_words(e)
    })
}

/// Fails where `write_whole` would, before there is anything to write. Leaves what there is.
fn must_be_writable(path: &Path) -> Result<()> {
    let in_words = |e| cannot_write(path, e);
    // To open a pipe would be to wait for its reader.
    if std::fs::metadata(path).is_ok_and(|found| found.is_file() || found.is_dir()) {
        std::fs::OpenOptions::new().append(true).open(path).map_err(in_words)?;
    }
    if is_special(path) {
        return Ok(());
    }
    let partial = partial(path);
    std::fs::File::create(&partial).and_then(|_| std::fs::remove_file(&partial)).map_err(in_words)
}

fn cannot_write(path: &Path, e: std::io::Error) -> String {
    format!("cannot write {}: {e}", path.display())
}

/// Whether there is something that is no plain file.
fn is_special(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file())
}

/// The neighbouring name.
fn partial(path: &Path) -> PathBuf {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    partial.into()
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
