//! Names the library, and has libsptrsv.so found in its folder at run time.

#[path = "../../packaging/soname.rs"]
mod soname;

const LIBRARY: &str = "libsptrsv_cusparse.so";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../packaging/soname.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{}", soname::of(LIBRARY));
    soname::link(LIBRARY);
}
