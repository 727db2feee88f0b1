//! Finds the two libraries: libsptrsv_spsv.so, and the cuSPARSE that the program would use without it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::elf::Elf;
use super::front::SONAME;
use super::program::{look_up, Program};
use super::{helper, loader, preload, python};
use crate::base::dynamic;
use crate::base::Result;

const LIBRARY: &str = "libsptrsv_spsv.so";
/// Programs are looked for among this many words of a command such as `mpirun -n 4 python solve.py`.
const MOST_WORDS: usize = 32;

/// libsptrsv_spsv.so: what the user names, else the one that was built or installed with this program.
pub fn library(named: Option<&Path>) -> Result<Option<PathBuf>> {
    if let Some(path) = named {
        return match Elf::read(path)? {
            elf if elf.soname == SONAME.as_bytes() => Err(format!("{} is a cuSPARSE", path.display())),
            elf if elf.has_spsv => Ok(Some(absolute(path)?)),
            _ => Err(format!("{} does not export cusparseSpSV_solve", path.display())),
        };
    }
    let elsewhere = || in_loader_cache(&dynamic::soname(LIBRARY));
    let beside = dynamic::beside_program(LIBRARY)?;
    let mut files = if beside.is_empty() { elsewhere() } else { beside }.into_iter();
    Ok(files.find(|f| Elf::read(f).is_ok_and(|elf| elf.has_spsv)))
}

/// The real cuSPARSE: the first that is found where the program would look.
pub fn cusparse(program: Option<&Program>, words: &[OsString]) -> Option<PathBuf> {
    // Each source is asked only when those before it have nothing.
    let sources: [&dyn Fn() -> Vec<PathBuf>; 7] = [
        &|| program.map(of_program).unwrap_or_default(),
        &|| words.iter().skip(1).take(MOST_WORDS).flat_map(|word| of_word(word)).collect(),
        &toolkits,
        &|| in_search_path(std::env::var_os("LD_LIBRARY_PATH")),
        &|| in_loader_cache(SONAME),
        &|| ["python3", "python"].iter().flat_map(|name| of_word(OsStr::new(name))).collect(),
        &behind_fronts,
    ];
    sources.iter().flat_map(|source| source()).find_map(|path| must_be_cusparse(&path).ok())
}

/// Every real cuSPARSE that is installed where a toolkit, the loader or a Python has it, each once.
pub fn on_this_machine() -> Vec<PathBuf> {
    let places = [
        toolkits(),
        in_search_path(std::env::var_os("LD_LIBRARY_PATH")),
        in_loader_cache(SONAME),
        of_word(OsStr::new("python3")),
    ];
    let mut seen = BTreeSet::new();
    let files = places.concat().into_iter().filter_map(|path| must_be_cusparse(&path).ok());
    files.filter(|file| file.canonicalize().is_ok_and(|path| seen.insert(path))).collect()
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The absolute path of a real cuSPARSE. A front has the name but no SpSV, and libsptrsv_spsv.so has SpSV but not the
/// name.
pub fn must_be_cusparse(path: &Path) -> Result<PathBuf> {
    let elf = Elf::read(path)?;
    match elf.soname == SONAME.as_bytes() && elf.has_spsv {
        true => absolute(path),
        false => Err(format!("{} is not a {SONAME} with cusparseSpSV_solve", path.display())),
    }
}

/// What the loader gives to a linked program, else what a Python has.
fn of_program(program: &Program) -> Vec<PathBuf> {
    let linked = loader::cusparse_for(&program.binary);
    let modules = program.python.iter().flat_map(|p| python::candidates(p));
    linked.into_iter().chain(modules).collect()
}

/// The same for a word that may name a program.
fn of_word(word: &OsStr) -> Vec<PathBuf> {
    if word.as_bytes().starts_with(b"-") {
        return Vec::new();
    }
    look_up(word).map(|path| of_program(&Program::follow(path))).unwrap_or_default()
}

fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).filter(|v| !v.is_empty());
    let roots = named.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")]);
    let folders = ["lib64", "targets/x86_64-linux/lib", "lib"];
    roots.flat_map(|root| folders.map(|folder| root.join(folder).join(SONAME))).collect()
}

fn in_search_path(value: Option<OsString>) -> Vec<PathBuf> {
    let folders = value.map(|v| std::env::split_paths(&v).collect::<Vec<_>>()).unwrap_or_default();
    folders.into_iter().map(|folder| folder.join(SONAME)).collect()
}

/// What ldconfig has entered under a name.
fn in_loader_cache(soname: &str) -> Vec<PathBuf> {
    let limit = Duration::from_secs(10);
    let programs = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].map(Path::new);
    let mut answers = programs.into_iter().filter_map(|p| helper::ask(helper::command(p).arg("-p"), limit));
    answers.next().map(|answer| entries_of(&answer.out, soname)).unwrap_or_default()
}

fn entries_of(listing: &[u8], soname: &str) -> Vec<PathBuf> {
    let start = format!("{soname} (");
    let lines = listing.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_start);
    let entries = lines.filter(|line| line.starts_with(start.as_bytes())).filter_map(|line| {
        let at = line.windows(4).position(|w| w == b" => ")?;
        Some(OsStr::from_bytes(&line[at + 4..]).into())
    });
    entries.collect()
}

/// What the fronts of a launch around this one have found.
fn behind_fronts() -> Vec<PathBuf> {
    let fronts = preload::fronts(std::env::var_os("LD_PRELOAD"));
    fronts.iter().filter_map(|f| Elf::read(f).ok()?.needed.pop()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_of_the_loaders_cache() {
        let listing = b"2 libs found\n\tlibc.so.6 (libc6,x86-64) => /lib/libc.so.6\n\
            \tlibcusparse.so.12 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcusparse.so.12\n";
        assert_eq!(entries_of(listing, SONAME), [Path::new("/usr/lib/x86_64-linux-gnu/libcusparse.so.12")]);
    }

    #[test]
    fn what_is_named_and_wrong_is_refused() {
        let this = std::env::current_exe().unwrap();
        assert!(library(Some(&this)).unwrap_err().contains("does not export"));
        assert!(must_be_cusparse(&this).unwrap_err().contains("is not a libcusparse.so.12"));
        assert!(must_be_cusparse(Path::new("/nothing")).unwrap_err().contains("No such file"));
    }

    #[test]
    fn the_working_folder_of_a_search_path() {
        let files = in_search_path(Some("/a::b".into()));
        assert_eq!(
            files,
            ["/a/libcusparse.so.12", "libcusparse.so.12", "b/libcusparse.so.12"].map(Path::new)
        );
        assert!(in_search_path(None).is_empty());
    }
}
