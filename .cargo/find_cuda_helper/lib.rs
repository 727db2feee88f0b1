//! See Cargo.toml beside this file.
#![forbid(unsafe_code)]

/// What a build script calls to link to CUDA: nothing is to be linked.
pub fn include_cuda() {
    println!("cargo:rerun-if-changed=build.rs");
}
