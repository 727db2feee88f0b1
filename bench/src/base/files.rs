//! Writes files: whole or not at all, and never over an input.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::base::Result;

/// Writes a file whole or not at all: under a neighbouring name first. What is no plain file (a device, a pipe, a
/// link) is written to as it is.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole_by(path, |out| out.write_all(bytes))
}

/// Like `write_whole`, for contents that `make` writes piece by piece.
pub fn write_whole_by(path: &Path, make: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let write_to = |path: &Path| {
        let mut out = BufWriter::new(File::create(path)?);
        make(&mut out)?;
        out.flush()
    };
    let in_words = |e| cannot_write(path, e);
    if is_special(path) {
        return write_to(path).map_err(in_words);
    }
    let partial = partial(path);
    let written = write_to(&partial).and_then(|()| fs::rename(&partial, path));
    written.map_err(|e| {
        let _ = fs::remove_file(&partial);
        in_words(e)
    })
}

/// Fails where `write_whole` would, before there is anything to write. Leaves what there is.
pub fn must_be_writable(path: &Path) -> Result<()> {
    let in_words = |e| cannot_write(path, e);
    // To open a pipe would be to wait for its reader.
    if fs::metadata(path).is_ok_and(|found| found.is_file() || found.is_dir()) {
        OpenOptions::new().append(true).open(path).map_err(in_words)?;
    }
    if is_special(path) {
        return Ok(());
    }
    let partial = partial(path);
    File::create(&partial).and_then(|_| fs::remove_file(&partial)).map_err(in_words)
}

/// Fails if writing `path` would overwrite one of the inputs `read`, also where a link or another path leads to it.
pub fn must_not_be_read<'a>(path: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    // A terminal can be input and output at once.
    let one = |path: &Path| fs::metadata(path).ok().filter(|found| !found.file_type().is_char_device());
    let is_same = |one: &Metadata, other: &Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    let written: Vec<Metadata> = [path, &partial(path)].into_iter().filter_map(one).collect();
    let mut read = read.into_iter();
    let is_overwritten =
        |input: &&Path| one(input).is_some_and(|input| written.iter().any(|output| is_same(output, &input)));
    match read.find(is_overwritten) {
        None => Ok(()),
        Some(input) => Err(format!(
            "cannot write {}: it would overwrite {}, which is read",
            path.display(),
            input.display()
        )),
    }
}

pub fn cannot_write(path: &Path, e: io::Error) -> String {
    format!("cannot write {}: {e}", path.display())
}

/// Makes the folder that a file goes into, where it is not there; which folders were made, the innermost first.
pub fn make_folder_of(file: &Path) -> Result<Vec<PathBuf>> {
    let above = file.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let missing: Vec<PathBuf> = above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    if let Some(folder) = missing.first() {
        std::fs::create_dir_all(folder).map_err(|e| cannot_write(file, e))?;
    }
    Ok(missing)
}

/// Writes a value as JSON, whole or not at all.
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| format!("{}: {e}", path.display()))?;
    write_whole(path, text.as_bytes())
}

/// Whether there is something that is no plain file.
fn is_special(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| !found.is_file())
}

/// The neighbouring name.
fn partial(path: &Path) -> PathBuf {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    partial.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_read_is_not_written_by_any_name() {
        let folder = std::env::temp_dir().join(format!("sptrsv-files-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        fs::write(at("input"), "input").unwrap();
        fs::write(at("x.partial"), "input").unwrap();
        fs::write(at("other"), "").unwrap();
        fs::hard_link(at("input"), at("hard")).unwrap();
        symlink("input", at("soft")).unwrap();
        symlink("soft", at("softer")).unwrap();
        symlink("nowhere", at("broken")).unwrap();
        let (input, next) = (at("input"), at("x.partial"));
        let check = |name: &str| must_not_be_read(&at(name), [Path::new("/dev/null"), &next, &input]);
        for name in ["input", "hard", "soft", "softer", "./input", "x", "x.partial"] {
            let message = check(name).unwrap_err();
            assert!(
                message.starts_with("cannot write ") && message.ends_with(", which is read"),
                "{message}"
            );
        }
        for name in ["other", "new", "broken", "nowhere/new"] {
            assert_eq!(check(name), Ok(()));
        }
        assert_eq!(must_not_be_read(Path::new("/dev/null"), [Path::new("/dev/null")]), Ok(()));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_write_that_fails_leaves_what_there_was() {
        let path = std::env::temp_dir().join(format!("sptrsv-whole-{}", std::process::id()));
        write_whole(&path, b"old").unwrap();
        let failed = write_whole_by(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed, Err(format!("cannot write {}: no more", path.display())));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert!(!partial(&path).exists());
        fs::remove_file(path).unwrap();
    }
}
