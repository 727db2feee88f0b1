//! The program to be started: where it is, and what will run in the end.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Linux follows `#!` lines this often at most.
const MOST_SCRIPTS: usize = 5;

/// What a file leads to through `#!` lines.
pub struct Program {
    /// The file itself.
    pub path: PathBuf,
    /// The program that runs in the end, as a rule an ELF file.
    pub binary: PathBuf,
    /// The first Python that was met.
    pub python: Option<PathBuf>,
}

/// Looks a name up as shells do.
pub fn look_up(name: &OsStr) -> Option<PathBuf> {
    places(name).into_iter().find(|p| is_executable(p))
}

/// Whether there is anything of the name, which may not be run.
pub fn exists(name: &OsStr) -> bool {
    let may_be =
        |p: &PathBuf| fs::metadata(p).map_or_else(|e| e.kind() == ErrorKind::PermissionDenied, |_| true);
    places(name).iter().any(may_be)
}

/// The paths that a name may mean.
fn places(name: &OsStr) -> Vec<PathBuf> {
    if name.is_empty() {
        return Vec::new();
    }
    if name.as_bytes().contains(&b'/') {
        return vec![name.into()];
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    // An empty entry means the working folder.
    let folders = std::env::split_paths(&path).map(|f| if f.as_os_str().is_empty() { ".".into() } else { f });
    folders.map(|folder| folder.join(name)).collect()
}

fn is_executable(path: &Path) -> bool {
    let Ok(found) = fs::metadata(path) else { return false };
    let Ok(name) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the name ends with a NUL and outlives the call.
    found.is_file() && unsafe { libc::access(name.as_ptr(), libc::X_OK) } == 0
}

impl Program {
    pub fn follow(path: PathBuf) -> Program {
        let (mut binary, mut python) = (path.clone(), None);
        for _ in 0..MOST_SCRIPTS {
            python = python.or_else(|| python_of(&binary));
            let Some(interpreter) = interpreter(&binary) else { break };
            binary = interpreter;
        }
        // What is no program of its own is a script for the shell.
        if head(&binary, 4).is_none_or(|h| h != b"\x7fELF") {
            binary = "/bin/sh".into();
        }
        Program { path, binary, python }
    }

    /// Whether the loader leaves LD_PRELOAD aside since the program has the rights of another user or group.
    pub fn is_setuid(&self) -> bool {
        fs::metadata(&self.binary).is_ok_and(|found| found.permissions().mode() & 0o6000 != 0)
    }
}

/// The Python that a path stands for: itself by its name, or the one beside a shim. A folder of shims, as pyenv and asdf
/// have it, holds scripts that all lead to the same Python.
fn python_of(path: &Path) -> Option<PathBuf> {
    if path.file_name().is_some_and(is_python) {
        return Some(path.into());
    }
    let folder = path.parent().filter(|f| f.file_name() == Some(OsStr::new("shims")))?;
    ["python", "python3"].map(|n| folder.join(n)).into_iter().find(|p| is_executable(p))
}

/// python, python3, python3.12, python3.13t, pypy3 and such.
fn is_python(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let rest = name.strip_prefix(b"python").or_else(|| name.strip_prefix(b"pypy"));
    rest.is_some_and(|rest| rest.iter().all(|b| b.is_ascii_digit() || b".dt".contains(b)))
}

/// The first bytes of a file.
fn head(file: &Path, length: u64) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(length).read_to_end(&mut head).ok()?;
    Some(head)
}

/// The interpreter that the `#!` line of a script names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let head = head(script, 4096)?;
    let mut lines = head.strip_prefix(b"#!")?.split(|&b| b == b'\n');
    let first = words(lines.next()?);
    let interpreter = PathBuf::from(first.first()?);
    match interpreter.file_name()?.as_bytes() {
        b"env" => Some(through_env(&first[1..]).unwrap_or(interpreter)),
        b"sh" => Some(through_exec(lines.next().unwrap_or_default()).unwrap_or(interpreter)),
        _ => Some(interpreter),
    }
}

fn words(line: &[u8]) -> Vec<OsString> {
    let words = line.split(|b| b" \t\r".contains(b)).filter(|w| !w.is_empty());
    words.map(|w| OsStr::from_bytes(w).into()).collect()
}

/// The program that env runs, behind options and variables.
fn through_env(words: &[OsString]) -> Option<PathBuf> {
    look_up(words.iter().find(|w| !w.as_bytes().starts_with(b"-") && !w.as_bytes().contains(&b'='))?)
}

/// pip writes `'''exec' "/path of/python" "$0" "$@"` below `#!/bin/sh` where a path is too long for a `#!` line or holds
/// a space.
fn through_exec(line: &[u8]) -> Option<PathBuf> {
    let rest = line.strip_prefix(b"'''exec' ")?;
    let path = match rest.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|&b| b == b'"').next()?,
        None => rest.split(|&b| b == b' ').next()?,
    };
    look_up(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::scratch;

    fn write(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn names_of_pythons() {
        for name in ["python", "python3", "python3.12", "python3.13t", "pypy3.10"] {
            assert!(is_python(OsStr::new(name)), "{name}");
        }
        for name in ["python3-config", "pythonic", "bash", "ipython"] {
            assert!(!is_python(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn scripts_lead_to_their_python() {
        let folder = scratch("program");
        let venv = folder.join("a venv");
        fs::create_dir(&venv).unwrap();
        let python = venv.join("python3.12");
        write(&python, "echo");
        let long = format!("#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n", python.display());
        for (text, expected) in [
            (long, Some(python.clone())),
            ("#!/usr/bin/python3 -u\n".into(), Some("/usr/bin/python3".into())),
            ("#! /bin/sh\necho\n".into(), None),
            ("#!/usr/bin/env -S A=b sh -c\n".into(), None),
        ] {
            let script = folder.join("script");
            write(&script, &text);
            let program = Program::follow(script.clone());
            assert_eq!(program.python, expected, "{text}");
            assert_eq!(program.path, script);
            assert!(head(&program.binary, 4).unwrap() == b"\x7fELF");
        }
    }

    #[test]
    fn a_shim_leads_to_the_python_beside_it() {
        let folder = scratch("shim");
        let shims = folder.join("shims");
        fs::create_dir(&shims).unwrap();
        for name in ["python", "torchrun"] {
            write(&shims.join(name), "#!/usr/bin/env sh\n");
        }
        assert_eq!(Program::follow(shims.join("torchrun")).python, Some(shims.join("python")));
    }

    #[test]
    fn only_what_can_be_run_is_found() {
        assert!(look_up(OsStr::new("sh")).is_some());
        for name in ["", "/etc/passwd", "/", "nothing-of-this-name"] {
            assert_eq!(look_up(OsStr::new(name)), None, "{name}");
        }
        let folder = scratch("setuid");
        let setuid = folder.join("program");
        write(&setuid, "\x7fELF");
        assert!(!Program::follow(setuid.clone()).is_setuid());
        fs::set_permissions(&setuid, fs::Permissions::from_mode(0o4755)).unwrap();
        assert!(Program::follow(setuid).is_setuid());
    }
}
