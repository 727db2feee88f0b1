//! Names the library and the version of its functions, and has libsptrsv.so found in its folder at run time.

#[path = "../../packaging/soname.rs"]
mod soname;

use std::env;
use std::process::{Command, Stdio};

const LIBRARY: &str = "libsptrsv_spsv.so";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../packaging/soname.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{}", soname::of(LIBRARY));
    soname::link(LIBRARY);
    name_versions();
}

/// The functions get the version of cuSPARSE's, where the compiler that links has gcc's option for it. Else they have no version.
fn name_versions() {
    println!("cargo:rerun-if-changed=version-names");
    let compiler = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    let mut probe = Command::new(&compiler);
    probe.args(["-wrapper", "env", "-E", "-x", "c", "/dev/null"]).stdout(Stdio::null()).stderr(Stdio::null());
    if probe.status().is_ok_and(|status| status.success()) {
        let folder = env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it");
        println!("cargo:rustc-cdylib-link-arg=-wrapper");
        println!("cargo:rustc-cdylib-link-arg=sh,{folder}/version-names");
    } else {
        println!("cargo:warning={compiler} has no -wrapper: the functions of {LIBRARY} have no version");
    }
}
