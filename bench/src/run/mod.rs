//! `sptrsv run`: starts a program that uses cuSPARSE's SpSV and SpSM, csrilu02 and csric02 on this library, without compiling it
//! again.
//!
//! It finds libsptrsv_spsv.so and the program's own cuSPARSE, writes a front for them, and replaces itself by the program
//! with the front in LD_PRELOAD. Where something is missing the program runs as it would without this launcher.

mod elf;
pub mod find;
mod front;
mod helper;
mod loader;
mod preload;
mod program;
mod python;
mod store;

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use loader::Trouble;
use program::Program;

/// The exit codes that env, nohup and timeout have for the same causes.
pub const OWN_FAILURE: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

const EXIT_CODES: &str =
    "Exit code: the program's own; 125 where sptrsv itself fails, 126 where PROGRAM cannot be run, \
    127 where it is not found.";

#[derive(clap::Args)]
#[command(after_help = EXIT_CODES, override_usage = "sptrsv run [OPTIONS] -- PROGRAM [ARGUMENTS]...")]
pub struct Args {
    /// Say on standard error, when the program ends, which calls were taken over
    #[arg(long)]
    report: bool,
    /// What the library logs on standard error
    #[arg(long, value_name = "LEVEL", value_parser = ["off", "error", "info", "trace"])]
    log: Option<String>,
    /// Let cuSPARSE's own functions answer, for comparison
    #[arg(long)]
    off: bool,
    /// Take over csrilu02 and csric02 too
    #[arg(long)]
    factorisations: bool,
    /// The program's cuSPARSE, a libcusparse.so.12 (default: the one that the program would load)
    #[arg(long, value_name = "FILE")]
    cusparse: Option<PathBuf>,
    /// The libsptrsv_spsv.so to use (default: the one that was installed with this program)
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Print the environment as commands for a shell, instead of running PROGRAM
    #[arg(long)]
    print: bool,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required_unless_present = "print", trailing_var_arg = true)]
    command: Vec<OsString>,
}

/// Why nothing was started.
struct Failure {
    code: u8,
    words: String,
}

/// Why no front is preloaded.
enum Stop {
    /// An option is wrong: the program is not started.
    Wrong(String),
    /// The program runs without.
    Without(String),
}

pub fn run(args: &Args) -> ExitCode {
    match launch(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code, words }) => {
            eprintln!("sptrsv: {words}");
            ExitCode::from(code)
        }
    }
}

/// Returns after printing, or with the reason why the program could not be started.
fn launch(args: &Args) -> Result<(), Failure> {
    let program = args.command.first().map(|name| find_program(name)).transpose()?;
    let mut environment = Vec::new();
    match preloaded(args, program.as_ref()) {
        Ok(value) => environment.push(("LD_PRELOAD", value)),
        Err(Stop::Wrong(words)) => return Err(Failure { code: OWN_FAILURE, words }),
        Err(Stop::Without(words)) if args.report || args.print => {
            eprintln!("sptrsv: nothing is taken over: {words}");
        }
        Err(Stop::Without(_)) => {}
    }
    if args.report {
        // The number of this process is that of the program. The shell that reads what is printed has another one.
        let id = std::process::id().to_string();
        environment.push(("SPTRSV_SPSV_REPORT", if args.print { "all".into() } else { id.into() }));
    }
    environment.extend(args.log.as_ref().map(|level| ("SPTRSV_LOG", level.into())));
    environment.extend(args.off.then(|| ("SPTRSV_SPSV", "off".into())));
    environment.extend(args.factorisations.then(|| ("SPTRSV_SPSV_FACTORISATIONS", "on".into())));
    match program {
        Some(program) if !args.print => Err(start(&program, &args.command, environment)),
        _ => print(&environment),
    }
}

fn find_program(name: &OsStr) -> Result<Program, Failure> {
    if let Some(path) = program::look_up(name) {
        return Ok(Program::follow(path));
    }
    let shown = Path::new(name).display();
    match program::exists(name) {
        true => {
            Err(Failure { code: NOT_EXECUTABLE, words: format!("{shown} is not a program that may be run") })
        }
        false => Err(Failure { code: NOT_FOUND, words: format!("no program {shown} was found") }),
    }
}

/// The value of LD_PRELOAD with a front for this program.
fn preloaded(args: &Args, program: Option<&Program>) -> Result<OsString, Stop> {
    let library = find::library(args.library.as_deref()).map_err(Stop::Wrong)?;
    let cusparse = match &args.cusparse {
        Some(path) => Some(find::must_be_cusparse(path).map_err(Stop::Wrong)?),
        None => None,
    };
    if let Some(program) = program {
        loader::takes_preloads(program).map_err(Stop::Without)?;
    }
    let library = library.ok_or_else(|| {
        Stop::Without("there is no libsptrsv_spsv.so beside this program; --library names one".into())
    })?;
    let cusparse = cusparse.or_else(|| find::cusparse(program, &args.command)).ok_or_else(|| {
        Stop::Without("no libcusparse.so.12 was found for the program; --cusparse names one".into())
    })?;
    let front = front::filled(&library, &cusparse).map_err(Stop::Without)?;
    // Without a program this one stands for all.
    let this = std::env::current_exe().map_err(|e| Stop::Without(e.to_string()))?;
    let binary = program.map_or(&this, |program| &program.binary);
    let mut last = String::from("there is no folder for the file to preload");
    for folder in store::folders() {
        let file = match store::put_into(&folder, &front) {
            Ok(file) => file,
            Err(words) => {
                last = words;
                continue;
            }
        };
        let value = preload::with_front(std::env::var_os("LD_PRELOAD"), &file);
        match loader::try_front(binary, &file, &value) {
            Ok(()) => return Ok(value),
            // Libraries cannot be loaded from every file system.
            Err(Trouble::Front) => last = format!("{} cannot be preloaded", file.display()),
            Err(Trouble::Needed(words)) => return Err(Stop::Without(words)),
        }
    }
    Err(Stop::Without(last))
}

/// Replaces this process by the program; returns only where that fails.
fn start(program: &Program, command: &[OsString], environment: Vec<(&str, OsString)>) -> Failure {
    let mut process = Command::new(&program.path);
    let e = process.arg0(&command[0]).args(&command[1..]).envs(environment).exec();
    let code = if e.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    Failure { code, words: format!("{}: {e}", program.path.display()) }
}

/// Prints the environment for `eval "$(sptrsv run --print)"`.
fn print(environment: &[(&str, OsString)]) -> Result<(), Failure> {
    let mut text = Vec::new();
    for (name, value) in environment {
        text.extend_from_slice(format!("export {name}=").as_bytes());
        text.extend(quoted(value.as_bytes()));
        text.push(b'\n');
    }
    std::io::stdout()
        .write_all(&text)
        .map_err(|e| Failure { code: OWN_FAILURE, words: format!("standard output: {e}") })
}

/// One word of a shell.
fn quoted(word: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = word.split(|&b| b == b'\'').collect();
    [b"'", &parts.join(&br"'\''"[..])[..], b"'"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_word() {
        for word in ["/tmp/a/libcusparse.so.12", "it's", "'", "", "a b:$HOME`x`\"\\"] {
            let mut script = b"printf %s ".to_vec();
            script.extend(quoted(word.as_bytes()));
            let out = Command::new("/bin/sh").arg("-c").arg(OsStr::from_bytes(&script)).output().unwrap();
            assert_eq!(out.stdout, word.as_bytes());
        }
    }
}
