//! Where a Python has its cuSPARSE: beside its PyTorch, in NVIDIA's wheels, in its conda environment.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::elf::Elf;
use super::front::SONAME;
use super::helper;

const LIMIT: Duration = Duration::from_secs(20);

/// Text that a Python prints when it starts stands before the mark.
const MARK: &[u8] = b"\0sptrsv\0";
const SCRIPT: &str = r#"import os, sys
sys.stdout.buffer.write(b"\0sptrsv\0" + b"\0".join(os.fsencode(p) for p in [sys.prefix] + sys.path))"#;

/// The files that may be its cuSPARSE, the likeliest first.
pub fn candidates(python: &Path) -> Vec<PathBuf> {
    let answer = helper::ask(helper::command(python).args(["-c", SCRIPT]), LIMIT);
    let out = answer.filter(|a| a.success).map(|a| a.out).unwrap_or_default();
    in_folders(&folders(&out))
}

/// The prefix of the Python, then the folders where it looks for modules.
fn folders(out: &[u8]) -> Vec<PathBuf> {
    let Some(at) = out.windows(MARK.len()).rposition(|w| w == MARK) else { return Vec::new() };
    let paths = out[at + MARK.len()..].split(|&b| b == 0);
    paths.filter(|p| p.starts_with(b"/")).map(|p| OsStr::from_bytes(p).into()).collect()
}

fn in_folders(folders: &[PathBuf]) -> Vec<PathBuf> {
    let Some((prefix, modules)) = folders.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    // PyTorch finds its own by its run path, whatever other wheels there are.
    for folder in modules {
        let torch = Elf::read(&folder.join("torch/lib/libtorch_cuda.so"));
        found.extend(torch.into_iter().flat_map(|elf| elf.run_path));
    }
    for folder in modules {
        let wheels = fs::read_dir(folder.join("nvidia")).into_iter().flatten().flatten();
        let mut wheels: Vec<PathBuf> = wheels.map(|w| w.path().join("lib")).collect();
        wheels.sort();
        found.extend(wheels);
    }
    found.extend([prefix.join("lib"), prefix.join("targets/x86_64-linux/lib")]);
    found.into_iter().map(|folder| folder.join(SONAME)).filter(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::scratch;

    #[test]
    fn what_a_python_says() {
        let out = b"hello\n\0sptrsv\0/usr\0\0relative\0/usr/lib/python 3";
        assert_eq!(folders(out), [Path::new("/usr"), Path::new("/usr/lib/python 3")]);
        assert!(folders(b"hello").is_empty());
    }

    #[test]
    fn wheels_come_before_the_prefix() {
        let site = scratch("python");
        let files = ["nvidia/cusparse/lib", "nvidia/cu13/lib", "lib"].map(|f| site.join(f).join(SONAME));
        for file in &files {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let [cu12, cu13, conda] = files;
        assert_eq!(in_folders(&[site.to_path_buf(), site.to_path_buf()]), [cu13, cu12, conda]);
        assert!(in_folders(&[]).is_empty());
    }
}
