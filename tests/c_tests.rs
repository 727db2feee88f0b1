//! Builds the C test programs of `c_tests/` against the library that cargo has just built, and runs them:
//! on the GPU and on the host executor where there is a GPU, else on the host executor alone.
//!
//! Their output goes straight to the terminal, past the test harness; its last line sums up.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cargo put `libsptrsv.so` for this profile: beside this test, or one folder up.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    test.ancestors()
        .skip(1)
        .take(2)
        .find(|d| d.join("libsptrsv.so").is_file())
        .expect("cargo builds libsptrsv.so before its tests")
        .to_path_buf()
}

fn run(script: &str, arguments: &[&Path]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests").join(script);
    let status = Command::new("sh").arg(&path).args(arguments).status().expect("sh runs");
    assert!(status.success(), "c_tests/{script} failed");
}

#[test]
fn c_programs() {
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_tests");
    run("build-tests", &[&library_folder(), &programs]);
    run("run-tests", &[&programs]);
}
