//! Part of build scripts: the name that a library has for the loader.
//!
//! It changes with every release that may be incompatible, so that programs never start with a library of another interface:
//! `libsptrsv.so.0.2` before 1.0, `libsptrsv.so.1` from then on.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The part of the package's version that changes with its interface.
pub fn series() -> String {
    let part = |name: &str| env::var(format!("CARGO_PKG_VERSION_{name}")).expect("Cargo sets it");
    match part("MAJOR").as_str() {
        "0" => format!("0.{}", part("MINOR")),
        major => major.to_string(),
    }
}

/// The SONAME of a library that Cargo builds as `file`.
pub fn of(file: &str) -> String {
    format!("{file}.{}", series())
}

/// Makes the links by which programs find the library under its SONAME where Cargo puts it: in the profile's folder and `deps`.
pub fn link(file: &str) {
    // OUT_DIR is <target>/<profile>/build/<package>/out.
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    let profile = out.ancestors().nth(3).expect("OUT_DIR lies in Cargo's target folder");
    for folder in [profile, &profile.join("deps")] {
        replace(file, &folder.join(of(file)));
    }
}

fn replace(file: &str, link: &Path) {
    match fs::remove_file(link) {
        Err(e) if e.kind() != ErrorKind::NotFound => panic!("{}: {e}", link.display()),
        _ => symlink(file, link).unwrap_or_else(|e| panic!("{}: {e}", link.display())),
    }
}
