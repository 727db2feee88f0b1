//! Links to libsptrsv.so, which Cargo has just built.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // OUT_DIR is <target>/<profile>/build/<package>/out.
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let profile = out.ancestors().nth(3).expect("OUT_DIR lies in Cargo's target folder");
    println!("cargo:rustc-link-search=native={}", profile.join("deps").display());
    println!("cargo:rustc-link-lib=dylib=sptrsv");
    println!("cargo:rustc-link-lib=dylib=dl");
}
