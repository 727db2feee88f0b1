//! The folders where fronts are kept, so that one is written once.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::front::SONAME;
use super::preload;
use crate::base::Result;

/// The folders that may hold fronts, the preferred one first.
pub fn folders() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let for_user = format!("sptrsv-{}", user());
    let temporary = variable("TMPDIR").into_iter().chain([PathBuf::from("/tmp"), "/dev/shm".into()]);
    let cache = cache.map(|c| c.join("sptrsv"));
    cache.into_iter().chain(temporary.map(|t| t.join(&for_user))).filter(|f| preload::can_hold(f)).collect()
}

/// The file that holds this front, in a folder of its own below `folder`; it is written unless it is there.
pub fn put_into(folder: &Path, front: &[u8]) -> Result<PathBuf> {
    let in_words = |e: std::io::Error| format!("cannot write {}: {e}", folder.display());
    make_private(folder)?;
    let mut hasher = DefaultHasher::new();
    front.hash(&mut hasher);
    let folder = folder.join(format!("{:016x}", hasher.finish()));
    make_private(&folder)?;
    let file = folder.join(SONAME);
    // A file is complete under this name: it gets the name when it is written and closed.
    if !holds(&file, front) {
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_nanos());
        let partial = folder.join(format!("partial-{}-{now}", std::process::id()));
        let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial);
        let written = written.and_then(|mut f| f.write_all(front)).and_then(|()| fs::rename(&partial, &file));
        written.map_err(|e| {
            let _ = fs::remove_file(&partial);
            in_words(e)
        })?;
    }
    Ok(file)
}

fn holds(file: &Path, bytes: &[u8]) -> bool {
    let mut found = Vec::new();
    let read = File::open(file).and_then(|f| f.take(bytes.len() as u64 + 1).read_to_end(&mut found));
    read.is_ok() && found == bytes
}

/// Makes a folder, or checks the one that is there: nobody but the user may put libraries into it.
fn make_private(folder: &Path) -> Result<()> {
    let in_words = |e: std::io::Error| format!("cannot make {}: {e}", folder.display());
    let parents = folder.parent().map_or(Ok(()), |p| DirBuilder::new().recursive(true).mode(0o700).create(p));
    match parents.and_then(|()| DirBuilder::new().mode(0o700).create(folder)) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(in_words(e)),
        _ => {}
    }
    let found = fs::symlink_metadata(folder).map_err(in_words)?;
    if !found.is_dir() || found.uid() != user() || found.mode() & 0o022 != 0 {
        return Err(format!(
            "{} is not a folder that only its owner, this user, can write to",
            folder.display()
        ));
    }
    Ok(())
}

fn user() -> u32 {
    // SAFETY: the function has no preconditions and cannot fail.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
pub mod tests {
    use std::os::unix::fs::{symlink, PermissionsExt};

    use super::super::front::{filled, is_front};
    use super::*;
    use crate::run::elf::Elf;

    /// A folder for one test's files, with a name that LD_PRELOAD can hold, until the test ends.
    pub struct Scratch(PathBuf);

    impl std::ops::Deref for Scratch {
        type Target = Path;
        fn deref(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    pub fn scratch(name: &str) -> Scratch {
        let folder = PathBuf::from(format!("/tmp/sptrsv-test-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        make_private(&folder).unwrap();
        Scratch(folder)
    }

    #[test]
    fn the_front_needs_both_libraries_in_order() {
        let folder = scratch("front");
        let front = filled(Path::new("/opt/sptrsv lib/l.so"), Path::new("/usr/c.so.12")).unwrap();
        let file = put_into(&folder, &front).unwrap();
        let elf = Elf::read(&file).unwrap();
        assert_eq!(elf.needed, [Path::new("/opt/sptrsv lib/l.so"), Path::new("/usr/c.so.12")]);
        assert_eq!(elf.soname, SONAME.as_bytes());
        assert!(!elf.has_spsv && elf.interpreter.is_none());
        assert!(is_front(&file));
        assert!(!is_front(&std::env::current_exe().unwrap()) && !is_front(&folder));
        // What is there and right stays, what is damaged is replaced.
        let inode = fs::metadata(&file).unwrap().ino();
        assert_eq!(put_into(&folder, &front).unwrap(), file);
        assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
        fs::write(&file, b"damaged").unwrap();
        put_into(&folder, &front).unwrap();
        assert!(holds(&file, &front));
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let folder = scratch("private");
        let (open, link) = (folder.join("open"), folder.join("link"));
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        symlink(&*folder, &link).unwrap();
        for refused in [open, link] {
            assert!(put_into(&refused, b"front").unwrap_err().contains("only its owner"));
        }
        fs::write(folder.join("file"), "").unwrap();
        assert!(put_into(&folder.join("file/below"), b"front").unwrap_err().contains("cannot make"));
    }
}
