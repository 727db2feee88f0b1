//! Builds libsptrsv_cusparse.so and libsptrsv_spsv.so, checks what they export and depend on and what the header of the first
//! declares, and runs their C tests: on the GPU where there is one, else on the host executor with a stand-in for cuSPARSE.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

const TYPES: [char; 4] = ['S', 'D', 'C', 'Z'];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn text(command: &mut Command) -> String {
    String::from_utf8(succeed(command).stdout).expect("text")
}

/// Has Cargo build the drop-ins for this test's profile, and returns the folder with all libraries.
fn libraries() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let deps = test.parent().expect("tests lie in a folder");
    let folder = deps.parent().expect("deps lies in the profile's folder");
    let profile = match folder.file_name().and_then(|n| n.to_str()).expect("profiles have names") {
        "debug" => "dev",
        other => other,
    };
    succeed(
        Command::new(env!("CARGO"))
            .current_dir(root())
            .args(["build", "--quiet", "--workspace", "--lib", "--profile", profile])
            .arg("--target-dir")
            .arg(folder.parent().expect("profiles lie in the target folder")),
    );
    assert!(deps.join("libsptrsv.so").is_file(), "Cargo built no libsptrsv.so for the drop-in");
    deps.to_path_buf()
}

/// csrsv2 as CUDA 11 had it, with the bufferSizeExt that it declared, and csrsm2.
fn contract() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for family in ["Csrsv2", "Csrsm2"] {
        let lower = family.to_lowercase();
        names.insert(format!("cusparseCreate{family}Info"));
        names.insert(format!("cusparseDestroy{family}Info"));
        names.insert(format!("cusparseX{lower}_zeroPivot"));
        for letter in TYPES {
            for call in ["bufferSizeExt", "analysis", "solve"] {
                names.insert(format!("cusparse{letter}{lower}_{call}"));
            }
        }
    }
    names.extend(TYPES.map(|letter| format!("cusparse{letter}csrsv2_bufferSize")));
    names
}

/// SpSV and SpSM, csrilu02 and csric02 as CUDA 12 and 13 have them.
fn contract_of_spsv() -> BTreeSet<String> {
    let calls = ["createDescr", "destroyDescr", "bufferSize", "analysis", "solve", "updateMatrix"];
    let mut names: BTreeSet<String> = ["SpSV", "SpSM"]
        .iter()
        .flat_map(|family| calls.map(|call| format!("cusparse{family}_{call}")))
        .collect();
    for family in ["Csrilu02", "Csric02"] {
        let lower = family.to_lowercase();
        names.insert(format!("cusparseCreate{family}Info"));
        names.insert(format!("cusparseDestroy{family}Info"));
        names.insert(format!("cusparseX{lower}_zeroPivot"));
        for letter in TYPES {
            names.extend(
                ["", "_bufferSize", "_analysis"].map(|call| format!("cusparse{letter}{lower}{call}")),
            );
        }
    }
    names.extend(TYPES.map(|letter| format!("cusparse{letter}csrilu02_numericBoost")));
    names
}

#[test]
fn the_drop_ins_export_the_contract_and_nothing_else() {
    let libraries = libraries();
    let exported = |library: &str| -> BTreeSet<String> {
        let symbols = text(Command::new("nm").args(["-D", "--defined-only"]).arg(libraries.join(library)));
        let names =
            symbols.lines().map(|l| l.split_whitespace().last().expect("a symbol has a name").to_string());
        // GNU ld also enters the version itself.
        names.filter(|name| name != "libcusparse.so.12").collect()
    };
    assert_eq!((contract().len(), contract_of_spsv().len()), (34, 46));
    assert_eq!(exported("libsptrsv_cusparse.so"), contract());
    let versioned = contract_of_spsv().iter().map(|name| format!("{name}@@libcusparse.so.12")).collect();
    assert_eq!(exported("libsptrsv_spsv.so"), versioned);
}

#[test]
fn the_drop_ins_depend_on_libsptrsv_and_the_system_alone() {
    let libraries = libraries();
    let system =
        ["libsptrsv.so", "libc.so", "libgcc_s.so", "libm.so", "libdl.so", "libpthread.so", "ld-linux"];
    for library in ["libsptrsv_cusparse.so", "libsptrsv_spsv.so"] {
        let dynamic = text(Command::new("readelf").arg("-dW").arg(libraries.join(library)));
        let needed: Vec<&str> = dynamic
            .lines()
            .filter(|l| l.contains("(NEEDED)"))
            .map(|l| l.split(['[', ']']).nth(1).expect("a name in brackets"))
            .collect();
        assert!(
            needed.iter().any(|n| n.starts_with("libsptrsv.so")),
            "not linked to libsptrsv.so: {needed:?}"
        );
        for name in needed {
            assert!(system.iter().any(|s| name.starts_with(s)), "{library} depends on {name}");
        }
    }
}

#[test]
fn the_header_declares_the_contract() {
    let header =
        fs::read_to_string(root().join("include/sptrsv_cusparse.h")).expect("the header is readable");
    let declared: BTreeSet<String> = header
        .lines()
        .filter_map(|l| l.strip_prefix("cusparseStatus_t "))
        .map(|l| l.split('(').next().expect("a name before the arguments").to_string())
        .collect();
    assert_eq!(declared, contract());
}

fn compile(compiler: &str, language: &str, standard: &str, cusparse: &Path, source: &Path) {
    succeed(
        Command::new(compiler)
            .args(["-x", language, &format!("-std={standard}"), "-fsyntax-only"])
            .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-include", "sptrsv_cusparse.h", "-I"])
            .args([&root().join("include"), Path::new("-I"), cusparse, source]),
    );
}

#[test]
fn the_header_compiles_as_c99_and_as_cpp() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cusparse_header");
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let source = folder.join("program.c");
    fs::write(&source, "#include \"sptrsv_cusparse.h\"\nextern csrsv2Info_t a;\nextern csrsm2Info_t b;\n")
        .unwrap();
    let standin = root().join("c_tests/cusparse/standin");
    for (compiler, language, standard) in
        [("gcc", "c", "c99"), ("g++", "c++", "c++11"), ("g++", "c++", "c++17")]
    {
        compile(compiler, language, standard, &standin, &source);
    }
}

/// Under CUDA 11 the header must leave everything to cuSPARSE's own.
#[test]
fn the_header_declares_nothing_under_cuda_11() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cusparse_header_11");
    fs::create_dir_all(&folder).expect("the target folder is writable");
    fs::write(folder.join("cusparse.h"), "#define CUSPARSE_VERSION 11705\n").unwrap();
    let source = folder.join("program.c");
    let names = contract().into_iter().chain(["csrsv2Info_t".into(), "csrsm2Info_t".into()]);
    let variables: String = names.map(|n| format!("extern int {n};\n")).collect();
    fs::write(&source, variables).unwrap();
    compile("gcc", "c", "c99", &folder, &source);
}

/// The C tests' output goes straight to the terminal, past the test harness.
#[test]
fn c_programs() {
    let libraries = libraries();
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_tests_cusparse");
    let folder = root().join("c_tests/cusparse");
    succeed(Command::new("sh").arg(folder.join("build-tests")).args([&libraries, &programs]));
    let status = Command::new("sh").arg(folder.join("run-tests")).arg(&programs).status().expect("sh runs");
    assert!(status.success(), "c_tests/cusparse/run-tests failed");
}
