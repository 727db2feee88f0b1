//! Finds the newest cuSPARSE of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::base::{dynamic, Result};
use crate::run::find::on_this_machine;

/// The hidden command of this program that prints a cuSPARSE's version, or which one is the newest.
pub const VERSION_COMMAND: &str = "cusparse-version";

/// Major, minor and patch.
type Version = [u32; 3];

/// The newest cuSPARSE among those of the CUDA toolkit, LD_LIBRARY_PATH, the loader's cache and Python's packages.
pub fn newest_cusparse() -> Result<PathBuf> {
    newest(on_this_machine(), version_by_child).ok_or_else(|| {
        "no cuSPARSE with SpSV was found: --cusparse names one, and pip install nvidia-cusparse brings one".into()
    })
}

/// The first of the newest files; files without a version are left out.
fn newest(files: Vec<PathBuf>, version: impl Fn(&Path) -> Option<Version>) -> Option<PathBuf> {
    let mut best: Option<(Version, PathBuf)> = None;
    for file in files {
        let Some(version) = version(&file) else { continue };
        if best.as_ref().is_none_or(|(newest, _)| version > *newest) {
            best = Some((version, file));
        }
    }
    best.map(|(_, file)| file)
}

/// A cuSPARSE's version, from another process: two of them do not fit into one, as the libnvJitLink of the first would
/// serve the second too.
fn version_by_child(file: &Path) -> Option<Version> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    let out =
        command.arg(VERSION_COMMAND).arg(file).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let parts: Vec<u32> =
        text.trim().split('.').map(str::parse).collect::<std::result::Result<_, _>>().ok()?;
    parts.try_into().ok()
}

/// Prints the version of a cuSPARSE, or the path of the newest one.
pub fn print(file: Option<&Path>) -> Result<()> {
    match file {
        Some(file) => {
            let [major, minor, patch] = version_of(file)?;
            say!("{major}.{minor}.{patch}");
        }
        None => say!("{}", newest_cusparse()?.display()),
    }
    Ok(())
}

fn version_of(file: &Path) -> Result<[i32; 3]> {
    let (library, _) = dynamic::open(&[file.to_path_buf()])?;
    let get: unsafe extern "C" fn(i32, *mut i32) -> i32 = dynamic::symbol(&library, "cusparseGetProperty")?;
    let mut parts = [0; 3];
    for (property, part) in (0..).zip(&mut parts) {
        // SAFETY: cusparseGetProperty takes the number of a property and a pointer to an int.
        let status = unsafe { get(property, part) };
        if status != 0 {
            return Err(format!("{}: cusparseGetProperty failed with status {status}", file.display()));
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_taken_and_of_equals_the_first() {
        let files = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let version = |file: &Path| match file.to_str() {
            Some("a") => Some([12, 6, 3]),
            Some("b" | "c") => Some([12, 10, 0]),
            _ => None,
        };
        assert_eq!(newest(files(&["x", "a", "b", "c"]), version), Some("b".into()));
        assert_eq!(newest(files(&["c", "b", "a"]), version), Some("c".into()));
        assert_eq!(newest(files(&["x"]), version), None);
    }
}
