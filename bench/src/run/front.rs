//! The front: a small library that stands before the real cuSPARSE in a program.
//!
//! It has cuSPARSE's SONAME, exports no function, and needs two libraries: libsptrsv_spsv.so, then the real cuSPARSE.
//! Preloaded, it is what the loader finds wherever the program asks for libcusparse.so.12 by this name. A search in it
//! goes through the libraries that it needs, in order: the functions of SpSV and SpSM, csrilu02 and csric02 are found in
//! libsptrsv_spsv.so and all others in the real one.
//!
//! It needs both by absolute paths. Then `$ORIGIN` keeps its meaning in both, also where the real one loads
//! libnvJitLink.so in the middle of a run, and there are no links to keep up to date.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::Result;

mod built {
    include!(concat!(env!("OUT_DIR"), "/front.rs"));
}
pub use built::SONAME;
use built::{CUSPARSE_AT, FRONT, LIBRARY_AT, LONGEST_PATH, MARK};

/// The front that needs these two libraries.
pub fn filled(library: &Path, cusparse: &Path) -> Result<Vec<u8>> {
    let mut front = FRONT.to_vec();
    for (at, path) in [(LIBRARY_AT, library), (CUSPARSE_AT, cusparse)] {
        let bytes = path.as_os_str().as_bytes();
        // The loader replaces words that begin with `$`.
        if !path.is_absolute() || bytes.contains(&b'$') || bytes.len() > LONGEST_PATH {
            return Err(format!("the loader takes no library of the path {}", path.display()));
        }
        front[at..at + LONGEST_PATH].fill(0);
        front[at..at + bytes.len()].copy_from_slice(bytes);
    }
    Ok(front)
}

/// Whether a file is a front, also one that another version of this program has written.
pub fn is_front(path: &Path) -> bool {
    let Ok(found) = fs::metadata(path) else { return false };
    if !found.is_file() || found.len() > 4 * FRONT.len() as u64 {
        return false;
    }
    fs::read(path).is_ok_and(|bytes| bytes.windows(MARK.len()).any(|w| w == MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_the_loader_would_change_are_refused() {
        let good = Path::new("/l.so");
        for bad in [Path::new("l.so"), Path::new("/$LIB/l.so"), Path::new(&format!("/{:a<5000}", ""))] {
            assert!(filled(bad, good).is_err() && filled(good, bad).is_err());
        }
    }
}
