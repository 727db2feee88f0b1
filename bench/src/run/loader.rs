//! What the loader of a program would load. `ld.so --list` says it without running the program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::elf::Elf;
use super::front::SONAME;
use super::helper;
use super::program::Program;
use crate::base::Result;

const LIMIT: Duration = Duration::from_secs(20);

/// The loader of a program, which is glibc's for x86-64; else a sentence why nothing can be preloaded.
pub fn of(binary: &Path) -> Result<PathBuf> {
    let name = binary.display();
    let loader = Elf::read(binary)?.interpreter.ok_or_else(|| format!("{name} is statically linked"))?;
    match loader.file_name().is_some_and(|n| n.as_bytes().starts_with(b"ld-linux")) {
        true => Ok(loader),
        false => Err(format!("{name} has the loader {}, which is not glibc's", loader.display())),
    }
}

/// Why the loader would preload nothing into a program, if so.
pub fn takes_preloads(program: &Program) -> Result<()> {
    let binary = &program.binary;
    of(binary)?;
    match program.is_setuid() {
        true => {
            Err(format!("{} has the setuid or setgid bit: its loader preloads nothing", binary.display()))
        }
        false => Ok(()),
    }
}

/// The cuSPARSE that the loader would give to a program.
pub fn cusparse_for(binary: &Path) -> Option<PathBuf> {
    let answer = list(&of(binary).ok()?, binary, None)?;
    found_in(&answer.lines)
}

fn found_in(lines: &[Vec<u8>]) -> Option<PathBuf> {
    let start = format!("\t{SONAME} => /");
    let path = lines.iter().find_map(|line| line.strip_prefix(start.as_bytes()))?;
    let end = path.windows(2).rposition(|w| w == b" (")?;
    Some(Path::new("/").join(OsStr::from_bytes(&path[..end])))
}

/// What keeps a program from being started with a front.
#[derive(Debug, PartialEq)]
pub enum Trouble {
    /// The front itself cannot be loaded from where it is.
    Front,
    /// The front is loaded, but not what it needs.
    Needed(String),
}

/// Whether the loader would load a front and all that it needs: a program with a front that needs a library that is
/// missing would not start at all.
pub fn try_front(binary: &Path, front: &Path, preload: &OsString) -> std::result::Result<(), Trouble> {
    let failed = |words: String| Err(Trouble::Needed(words));
    let loader = match of(binary) {
        Ok(loader) => loader,
        Err(words) => return failed(words),
    };
    let Some(with) = list(&loader, binary, Some(preload)) else {
        return failed(format!("{} does not answer", loader.display()));
    };
    let is_complaint = |line: &&Vec<u8>| line.windows(9).any(|w| w == b"not found");
    let complaints: Vec<&Vec<u8>> = with.lines.iter().filter(is_complaint).collect();
    let mut start = b"\t".to_vec();
    start.extend_from_slice(front.as_os_str().as_bytes());
    start.extend_from_slice(b" (");
    let is_loaded = with.lines.iter().any(|line| line.starts_with(&start));
    if with.success && complaints.is_empty() && is_loaded {
        return Ok(());
    }
    // A program may lack libraries of its own.
    let Some(without) = list(&loader, binary, None) else {
        return failed(format!("{} does not answer", loader.display()));
    };
    if let Some(line) = complaints.into_iter().find(|line| !without.lines.contains(line)) {
        return failed(String::from_utf8_lossy(line).trim().replace(" => ", ": "));
    }
    match (with.success || !without.success, is_loaded || !without.success) {
        (false, _) => failed(last_words(&with.lines)),
        (true, false) => Err(Trouble::Front),
        (true, true) => Ok(()),
    }
}

/// What a loader that fails says at the end.
fn last_words(lines: &[Vec<u8>]) -> String {
    let last = lines.iter().rfind(|line| !line.is_empty());
    let last = last.map_or("the loader fails".into(), |line| String::from_utf8_lossy(line));
    last.rsplit("error while loading shared libraries: ").next().unwrap_or_default().trim().into()
}

struct List {
    lines: Vec<Vec<u8>>,
    success: bool,
}

fn list(loader: &Path, binary: &Path, preload: Option<&OsString>) -> Option<List> {
    let mut command = helper::command(loader);
    command.arg("--list").arg(std::path::absolute(binary).ok()?);
    command.envs(preload.map(|p| ("LD_PRELOAD", p)));
    let answer = helper::ask(&mut command, LIMIT)?;
    let lines = [answer.out, answer.err].concat().split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    Some(List { lines, success: answer.success })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::scratch;
    use crate::run::{front, store};

    #[test]
    fn the_lines_of_a_list() {
        let list = |text: &str| -> Vec<Vec<u8>> { text.split('\n').map(Into::into).collect() };
        let lines = list(
            "\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibcusparse.so.12 => /a (b)/libcusparse.so.12 (0x2)",
        );
        assert_eq!(found_in(&lines), Some("/a (b)/libcusparse.so.12".into()));
        assert_eq!(found_in(&list("\tlibcusparse.so.12 => not found")), None);
    }

    #[test]
    fn a_front_without_its_libraries_is_refused() {
        let folder = scratch("loader");
        let this = std::env::current_exe().unwrap();
        let missing = Path::new("/nothing/here.so");
        let libc = list(&of(&this).unwrap(), &this, None).unwrap();
        let libc = libc.lines.iter().find_map(|l| l.strip_prefix(b"\tlibc.so.6 => ")).unwrap();
        let libc = Path::new(std::str::from_utf8(libc).unwrap().split(' ').next().unwrap()).to_path_buf();
        let put = |library: &Path| store::put_into(&folder, &front::filled(library, &libc).unwrap()).unwrap();
        let front = put(&libc);
        assert_eq!(try_front(&this, &front, &front.clone().into()), Ok(()));
        assert_eq!(try_front(&this, &front, &"/nothing/front".into()), Err(Trouble::Front));
        let front = put(missing);
        let trouble = try_front(&this, &front, &front.clone().into());
        let words = "/nothing/here.so: cannot open shared object file: No such file or directory";
        assert_eq!(trouble, Err(Trouble::Needed(words.into())));
        let front = put(&folder.join("text"));
        std::fs::write(folder.join("text"), "no library").unwrap();
        let Err(Trouble::Needed(words)) = try_front(&this, &front, &front.clone().into()) else { panic!() };
        assert!(words.contains("text"), "{words}");
    }
}
