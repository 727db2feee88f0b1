//! Runs the fuzzer of the C interface (`c_tests/fuzz/`) against the library that cargo has just built, and sees that it finds
//! defects that are planted. Its output goes past the test harness; its last line sums up.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Calls, and the seed. In the profile in which overflow is a panic there are fewer, and others.
const CALLS: [&str; 2] = if cfg!(debug_assertions) { ["300000", "2"] } else { ["1000000", "1"] };

/// Cases under valgrind, which takes a hundred times as long.
const CASES_OF_VALGRIND: &str = "40";

/// What valgrind ends with where it has found something.
const FOUND: &str = "99";

/// Where cargo put `libsptrsv.so` for this profile: beside this test, or one folder up.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let mut folders = test.ancestors().skip(1).take(2);
    folders
        .find(|d| d.join("libsptrsv.so").is_file())
        .expect("cargo builds libsptrsv.so before its tests")
        .to_path_buf()
}

/// The fuzzer, built once.
fn fuzzer() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/fuzz/build");
        let status = Command::new("sh").arg(script).arg(library_folder()).arg(&folder).status();
        assert!(status.expect("sh runs").success(), "the fuzzer was not built");
        folder.join("fuzz")
    })
}

fn output(command: &mut Command) -> (Output, String) {
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

#[test]
fn many_calls() {
    let [calls, seed] = CALLS;
    let status =
        Command::new(fuzzer()).args(["--calls", calls, "--seed", seed]).status().expect("the fuzzer runs");
    assert!(status.success(), "the fuzzer has found something");
}

/// Each kind of defect, planted into what the library gives, is found in a few cases, and named by its case.
#[test]
fn planted_defects_are_found() {
    let plants = [
        ("solution", "20", "x is wrong in row"),
        ("gap", "20", "something was written between the solutions"),
        ("bits", "20", "a column has other bits than it has alone"),
        ("pivot", "20", "another row has a zero pivot"),
        ("factor", "100", "ILU(0) is wrong in row"),
        ("factor", "100", "IC(0) is wrong in row"),
        ("sweep", "100", "a sweep is wrong in row"),
        ("pair", "100", "a pair has other bits than two solves"),
        ("crash", "1", "case 0: ended with signal 11"),
        ("hang", "1", "case 0: it hangs"),
    ];
    for (plant, cases, words) in plants {
        let (output, said) = output(Command::new(fuzzer()).args(["--cases", cases, "--plant", plant]));
        assert!(!output.status.success() && said.contains(words), "with {plant} planted it said:\n{said}");
    }
}

/// A sample under valgrind, which sees reads of memory that was never written, and what is not given back. It is skipped where there
/// is no valgrind, unless SPTRSV_REQUIRE_VALGRIND=1 says that there is one.
#[test]
fn a_sample_under_valgrind() {
    let is_required = env::var("SPTRSV_REQUIRE_VALGRIND").is_ok_and(|value| value == "1");
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(!is_required, "SPTRSV_REQUIRE_VALGRIND=1, and there is no valgrind");
        println!("SKIPPED a sample under valgrind: there is no valgrind");
        println!("fuzz_valgrind: 0 passed, 0 failed, 1 skipped");
        return;
    }
    let found = format!("--error-exitcode={FOUND}");
    let options = ["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", &found];
    let mut command = Command::new("valgrind");
    let (output, said) = output(command.args(options).arg(fuzzer()).args(["--cases", CASES_OF_VALGRIND]));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "valgrind has found something:\n{said}\n{errors}");
    println!("fuzz_valgrind: {CASES_OF_VALGRIND} passed, 0 failed, 0 skipped");
}
