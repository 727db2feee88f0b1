//! What the launcher wants to know of an ELF file: a program or a library for x86-64.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, Sym};
use object::read::{ReadCache, ReadRef};
use object::Endianness;

use crate::base::Result;

/// One function of those that are taken over. A library without it is no cuSPARSE with SpSV.
const SOLVE: &[u8] = b"cusparseSpSV_solve";

type Header = FileHeader64<Endianness>;

#[derive(Debug, Default)]
pub struct Elf {
    /// The program's loader. A library and a statically linked program have none.
    pub interpreter: Option<PathBuf>,
    pub soname: Vec<u8>,
    /// The names of the libraries that it needs, in order.
    pub needed: Vec<PathBuf>,
    /// The folders of RPATH and RUNPATH, with `$ORIGIN` replaced by the folder of the path that was given.
    pub run_path: Vec<PathBuf>,
    pub has_spsv: bool,
}

impl Elf {
    /// Reads little more than the headers, since cuSPARSE has hundreds of megabytes.
    pub fn read(path: &Path) -> Result<Elf> {
        let found = File::open(path).and_then(|file| Ok((file.metadata()?.is_file(), file)));
        let (true, file) = found.map_err(|e| format!("{}: {e}", path.display()))? else {
            return Err(format!("{} is not a file", path.display()));
        };
        let data = ReadCache::new(file);
        parse(&data, path).ok_or_else(|| format!("{} is not an ELF file for x86-64", path.display()))
    }
}

/// Nothing for a file of another machine, and for a damaged one.
fn parse<'d>(data: impl ReadRef<'d>, path: &Path) -> Option<Elf> {
    let header = Header::parse(data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_machine(endian) != elf::EM_X86_64 {
        return None;
    }
    let mut elf = Elf::default();
    for segment in header.program_headers(endian, data).ok()? {
        if let Some(name) = segment.interpreter(endian, data).ok()? {
            elf.interpreter = Some(OsStr::from_bytes(name).into());
        }
    }
    let sections = header.sections(endian, data).ok()?;
    if let Some((entries, strings)) = sections.dynamic(endian, data).ok()? {
        let strings = sections.strings(endian, data, strings).ok()?;
        for entry in entries {
            let Some((tag, at)) = entry.tag32(endian).zip(entry.val32(endian)) else { continue };
            let text = || strings.get(at).ok();
            match tag {
                elf::DT_SONAME => elf.soname = text()?.to_vec(),
                elf::DT_NEEDED => elf.needed.push(OsStr::from_bytes(text()?).into()),
                elf::DT_RPATH | elf::DT_RUNPATH => {
                    let folders = text()?.split(|&b| b == b':').filter(|f| !f.is_empty());
                    elf.run_path.extend(folders.map(|folder| expand(folder, path)));
                }
                _ => {}
            }
        }
    }
    let symbols = sections.symbols(endian, data, elf::SHT_DYNSYM).ok()?;
    for symbol in symbols.iter() {
        let is_here = !symbol.is_undefined(endian);
        elf.has_spsv |= is_here && symbol.name(endian, symbols.strings()).ok()? == SOLVE;
    }
    Some(elf)
}

/// Replaces `$ORIGIN` as the loader does.
fn expand(folder: &[u8], file: &Path) -> PathBuf {
    let origin = file.parent().unwrap_or(Path::new("."));
    for word in [&b"$ORIGIN"[..], b"${ORIGIN}"] {
        if let Some(rest) = folder.strip_prefix(word) {
            let rest = OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest));
            return origin.join(rest);
        }
    }
    OsStr::from_bytes(folder).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_loader_and_no_spsv() {
        let elf = Elf::read(&std::env::current_exe().unwrap()).unwrap();
        assert!(elf.interpreter.unwrap().file_name().unwrap().to_str().unwrap().starts_with("ld-linux"));
        assert!(elf.needed.iter().any(|n| n == Path::new("libc.so.6")));
        assert!(!elf.has_spsv);
    }

    #[test]
    fn what_is_no_elf_file_gets_a_sentence() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (path, words) in [
            (here.join("Cargo.toml"), "is not an ELF file for x86-64"),
            (here.join("nothing-here"), "No such file"),
            (here.to_path_buf(), "is not a file"),
        ] {
            assert!(Elf::read(&path).unwrap_err().contains(words), "{}", path.display());
        }
    }

    #[test]
    fn origin_is_the_folder_of_the_file() {
        let file = Path::new("/site/torch/lib/libtorch_cuda.so");
        for (folder, expanded) in [
            ("$ORIGIN", "/site/torch/lib/"),
            ("${ORIGIN}/../x", "/site/torch/lib/../x"),
            ("/opt/lib", "/opt/lib"),
        ] {
            assert_eq!(expand(folder.as_bytes(), file), Path::new(expanded));
        }
    }
}
