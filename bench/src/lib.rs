//! The command line: measure solvers (`bench`), solve a Matrix Market file (`solve`), describe one (`info`), start a
//! program of others on this library (`run`).
//!
//! It reaches the library through the public C functions alone, and the GPU through libraries found at run
//! time, so that one program runs on machines with and without a GPU.
//!
//! The rooms, each of which uses only those above it:
//!
//! * [`base`]: printing, files, memory, numbers, libraries that are loaded at run time;
//! * [`run`]: the launcher, and where cuSPARSE is found;
//! * [`matrix`], [`mtx`], [`generate`]: matrices in memory, read from files, made by rule;
//! * [`system`]: a triangular system on an executor, and whether a solution is right;
//! * [`solvers`], [`measure`]: the library and its peers, and their times;
//! * [`suites`]: which matrices are measured;
//! * [`bench`], [`paper`]: the benchmark and the paper's experiments;
//! * [`commands`]: the commands.

#[macro_use]
pub mod base;
pub mod bench;
mod commands;
pub mod generate;
pub mod matrix;
mod measure;
pub mod mtx;
mod paper;
mod run;
mod solvers;
pub mod suites;
pub mod system;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use base::threads;
use commands::{info, man, solve};
use solvers::find::{self, VERSION_COMMAND};

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
    Bench(Box<bench::args::Args>),
    /// Solve a triangular system from a Matrix Market file
    Solve(solve::Args),
    /// Describe the triangles of a Matrix Market file: levels, widths, what AUTO chooses
    Info(info::Args),
    /// Run a program with this library in place of cuSPARSE's SpSV and SpSM
    Run(run::Args),
    /// Print the version of a cuSPARSE, or the path of the newest one that is found
    #[command(name = VERSION_COMMAND, hide = true)]
    CusparseVersion { file: Option<PathBuf> },
    /// Write the man pages of this program
    #[command(hide = true)]
    Man(man::Args),
}

/// The program.
pub fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|e| {
        let _ = e.print();
        let is_run = std::env::args_os().nth(1).is_some_and(|command| command == "run");
        let code = if is_run && e.use_stderr() { run::OWN_FAILURE.into() } else { e.exit_code() };
        std::process::exit(code)
    });
    let done = match cli.command {
        Command::Bench(args) => threads::start().and_then(|()| commands::bench::run(&args)),
        Command::Solve(args) => threads::start().and_then(|()| solve::run(&args)),
        Command::Info(args) => threads::start().and_then(|()| info::run(&args)),
        Command::CusparseVersion { file } => find::print(file.as_deref()),
        Command::Man(args) => man::run(&args, Cli::command()),
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
