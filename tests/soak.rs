//! Runs some seconds of the soak (`c_tests/soak.c`) against the library that cargo has just built: on the GPU where there is one,
//! else on the host executor. Its output goes past the test harness; its last line sums up. The program that measures,
//! `c_tests/watchdog_cost.c`, runs too.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const MINUTES: &str = "0.15";

/// Where cargo put `libsptrsv.so` for this profile: beside this test, or one folder up.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let mut folders = test.ancestors().skip(1).take(2);
    folders
        .find(|d| d.join("libsptrsv.so").is_file())
        .expect("cargo builds libsptrsv.so before its tests")
        .to_path_buf()
}

fn soak() -> Command {
    program("soak")
}

/// One of the programs, which are built once.
fn program(name: &str) -> Command {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_tests");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/build-tests");
        let status = Command::new("sh").arg(script).arg(library_folder()).arg(&folder).status();
        assert!(status.expect("sh runs").success(), "the soak was not built");
        folder
    });
    Command::new(folder.join(name))
}

#[test]
fn some_seconds_of_two_processes() {
    let status = soak().args([MINUTES, "--threads", "2"]).status().expect("the soak runs");
    assert!(status.success(), "the soak has found something");
}

#[test]
fn the_cost_of_the_watchdog_is_measured() {
    let output = program("watchdog_cost").arg("1").output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let lines = said.lines().filter(|line| line.contains(" ms without, ")).count();
    assert!(output.status.success() && lines > 30, "it said:\n{said}");
}

#[test]
fn a_planted_defect_is_found() {
    let options = ["0.05", "--executor", "host", "--threads", "2", "--plant", "solution"];
    let output = soak().args(options).output().expect("the soak runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        !output.status.success() && said.contains("FAILED in thread"),
        "with a planted defect it said:\n{said}"
    );
}
