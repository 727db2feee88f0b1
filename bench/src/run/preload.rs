//! The variables of the loader that a front may stand in: LD_PRELOAD and LD_LIBRARY_PATH.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::front::{self, SONAME};

/// The loader ends a path in LD_PRELOAD at these, and takes `$` for the beginning of a word to replace.
const NOT_IN_A_PATH: &[u8] = b" :$";

/// Whether LD_PRELOAD can hold a path.
pub fn can_hold(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    path.is_absolute() && !bytes.iter().any(|b| NOT_IN_A_PATH.contains(b) || b.is_ascii_control())
}

fn entries(value: &OsStr) -> impl Iterator<Item = &OsStr> {
    value.as_bytes().split(|b| b" :".contains(b)).filter(|e| !e.is_empty()).map(OsStr::from_bytes)
}

/// The fronts that LD_PRELOAD holds.
pub fn fronts(value: Option<OsString>) -> Vec<PathBuf> {
    let value = value.unwrap_or_default();
    entries(&value).map(PathBuf::from).filter(|e| front::is_front(e)).collect()
}

/// LD_PRELOAD without fronts; nothing where nothing remains.
pub fn without_fronts(value: Option<OsString>) -> Option<OsString> {
    let value = value?;
    let others: Vec<&OsStr> = entries(&value).filter(|e| !front::is_front(Path::new(e))).collect();
    (!others.is_empty()).then(|| others.join(OsStr::new(":")))
}

/// LD_PRELOAD with a front as its first entry, and its only front.
pub fn with_front(value: Option<OsString>, front: &Path) -> OsString {
    let mut all = front.as_os_str().to_owned();
    if let Some(others) = without_fronts(value) {
        all.push(":");
        all.push(others);
    }
    all
}

/// LD_LIBRARY_PATH without the folders of fronts. An empty entry means the working folder and stays.
pub fn search_path_without_fronts(value: Option<OsString>) -> Option<OsString> {
    let value = value?;
    let folders = value.as_bytes().split(|b| b":;".contains(b));
    let others = folders.filter(|f| !front::is_front(&Path::new(OsStr::from_bytes(f)).join(SONAME)));
    Some(OsString::from_vec(others.collect::<Vec<_>>().join(&b':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(text: &str) -> Option<OsString> {
        Some(text.into())
    }

    #[test]
    fn the_front_is_first_and_there_once() {
        let folder = crate::run::store::tests::scratch("preload");
        let front = folder.join(SONAME);
        std::fs::write(&front, front::filled(Path::new("/a"), Path::new("/b")).unwrap()).unwrap();
        let front_text = front.to_str().unwrap();
        let before = format!("/lib/x.so {front_text}:y.so");
        assert_eq!(with_front(os(&before), &front), *format!("{front_text}:/lib/x.so:y.so"));
        assert_eq!(with_front(None, &front), front);
        assert_eq!(with_front(os(""), &front), front);
        assert_eq!(without_fronts(os(front_text)), None);
        assert_eq!(fronts(os(&before)), std::slice::from_ref(&front));
        let path = format!("/lib::{}:rel", folder.display());
        assert_eq!(search_path_without_fronts(os(&path)), os("/lib::rel"));
    }

    #[test]
    fn paths_that_the_loader_would_split_are_not_held() {
        assert!(can_hold(Path::new("/home/me/.cache/sptrsv")));
        for path in ["/a b", "/a:b", "/a$ORIGIN", "/a\n", "a"] {
            assert!(!can_hold(Path::new(path)), "{path}");
        }
    }
}
