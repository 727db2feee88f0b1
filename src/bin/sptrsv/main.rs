//! The command line: measure solvers (`bench`), solve a Matrix Market file (`solve`), describe one (`info`).
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
mod solve;
mod structures;
mod suite;
mod system;
mod values;

use std::io::{ErrorKind, Write};
use std::path::Path;
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
}

/// Writes a file whole or not at all: under a neighbouring name first. What is no plain file (a device, a pipe, a
/// link) is written to as it is.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let in_words = |e: std::io::Error| format!("{}: {e}", path.display());
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return std::fs::write(path, bytes).map_err(in_words);
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|e| {
        let _ = std::fs::remove_file(&partial);
        in_words(e)
    })
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
    let done = match Cli::parse().command {
        Command::Bench(args) => bench::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Info(args) => info::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("sptrsv: {message}");
            ExitCode::from(2)
        }
    }
}
