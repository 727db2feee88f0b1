//! The house rules that a compiler does not check: what the library exports and depends on, what the header
//! promises to compilers, how the C interface is written, and whose licenses are named.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()))
}

/// The folder where cargo put `libsptrsv.so` for this test: beside it, or one up.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let mut folders = test.ancestors().skip(1).take(2);
    folders
        .find(|d| d.join("libsptrsv.so").is_file())
        .expect("cargo builds libsptrsv.so before its tests")
        .to_path_buf()
}

/// A new folder for one test's files.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// Runs a command, which must succeed.
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

fn stdout(command: &mut Command) -> String {
    String::from_utf8(succeed(command).stdout).expect("text")
}

/// A C source without its comments and preprocessor lines.
fn code_of(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(start) = rest.find("/*") {
        code += &rest[..start];
        let length = rest[start..].find("*/").expect("comments end") + 2;
        rest = &rest[start + length..];
    }
    code += rest;
    code.lines().filter(|line| !line.starts_with('#')).map(|line| line.to_string() + "\n").collect()
}

/// The functions that the header declares: names of ours before a parenthesis.
fn declared() -> BTreeSet<String> {
    let code = code_of(&read("include/sptrsv.h"));
    code.match_indices('(')
        .filter_map(|(at, _)| {
            let before = &code[..at];
            let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
            before[start..].starts_with("sptrsv").then(|| before[start..].to_string())
        })
        .collect()
}

#[test]
fn the_library_exports_the_headers_functions_and_nothing_else() {
    let symbols =
        stdout(Command::new("nm").arg("-D").arg("--defined-only").arg(library_folder().join("libsptrsv.so")));
    let exported: BTreeSet<String> = symbols
        .lines()
        .map(|l| l.split_whitespace().last().expect("a symbol has a name").to_string())
        .collect();
    let declared = declared();
    assert!(declared.contains("sptrsvSolve"), "the header was not understood: {declared:?}");
    assert_eq!(exported, declared);
}

/// What a program sets it can read again.
#[test]
fn every_setter_has_a_getter() {
    let declared = declared();
    let setters: BTreeSet<&str> = declared.iter().filter_map(|name| name.strip_prefix("sptrsvSet")).collect();
    assert!(setters.len() > 15, "the header was not understood: {setters:?}");
    let without = setters.into_iter().filter(|what| !declared.contains(&format!("sptrsvGet{what}")));
    // A library beside the program may have set the callback, which holds for the whole process: nobody else has use for it.
    assert_eq!(without.collect::<Vec<_>>(), ["LogCallback"]);
}

const LIBRARIES: [&str; 3] = ["libsptrsv.so", "libsptrsv_cusparse.so", "libsptrsv_spsv.so"];

/// The name for the loader changes with every release that may be incompatible, and the link of that name leads to the file.
#[test]
fn the_libraries_know_their_names() {
    let series = match env!("CARGO_PKG_VERSION_MAJOR") {
        "0" => concat!("0.", env!("CARGO_PKG_VERSION_MINOR")),
        major => major,
    };
    for library in LIBRARIES {
        let dynamic = stdout(Command::new("readelf").arg("-dW").arg(library_folder().join(library)));
        let names: Vec<&str> = dynamic.lines().filter(|l| l.contains("(SONAME)")).collect();
        let name = format!("{library}.{series}");
        assert!(
            names.len() == 1 && names[0].contains(&format!("[{name}]")),
            "{library} has the names {names:?}, not {name}"
        );
        let link = library_folder().join(&name);
        let leads = fs::read_link(&link).unwrap_or_else(|e| panic!("{}: {e}", link.display()));
        assert_eq!(leads, Path::new(library));
    }
}

/// Neither the driver nor anything else of CUDA: the library loads on a machine without a GPU.
#[test]
fn the_library_needs_no_library_of_cuda() {
    let dynamic = stdout(Command::new("readelf").arg("-dW").arg(library_folder().join("libsptrsv.so")));
    let needed: Vec<&str> = dynamic
        .lines()
        .filter(|l| l.contains("(NEEDED)"))
        .map(|l| l.split(['[', ']']).nth(1).expect("a name in brackets"))
        .collect();
    assert!(needed.contains(&"libc.so.6"), "readelf was not understood: {dynamic}");
    let system =
        ["libc.so", "libgcc_s.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux-x86-64.so"];
    for name in needed {
        assert!(system.iter().any(|s| name.starts_with(s)), "libsptrsv.so depends on {name}");
    }
}

#[test]
fn the_header_compiles_alone_as_c_and_as_cpp() {
    let source = scratch("header").join("alone.c");
    let text = "#include \"sptrsv.h\"\n#include \"sptrsv.h\"\nextern sptrsvStats_t stats;\n";
    fs::write(&source, text).expect("the target folder is writable");
    for (compiler, language, standard) in
        [("gcc", "c", "c90"), ("gcc", "c", "c99"), ("g++", "c++", "c++98"), ("g++", "c++", "c++17")]
    {
        let include = root().join("include");
        succeed(
            Command::new(compiler)
                .args(["-x", language, &format!("-std={standard}"), "-fsyntax-only"])
                .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
                .args([&include, &source]),
        );
    }
}

/// What a reader of the header sees: names of types without their tags, and preconditions in place of a heading of Rust.
#[test]
fn the_header_speaks_the_language_of_c() {
    let header = read("include/sptrsv.h");
    assert!(!header.contains("# Safety"), "a heading of Rust's documentation");
    for tag in ["enum sptrsv", "struct sptrsvStats_t"] {
        assert!(!header.contains(tag), "a tag in place of the name of a type: {tag}");
    }
    let functions = declared().len();
    // Those that take no pointer have none.
    let with_none =
        ["sptrsvGetErrorName", "sptrsvGetErrorString", "sptrsvGetLastErrorString", "sptrsvGetAlgorithmName"];
    assert_eq!(header.matches("\n * Preconditions:\n").count(), functions - with_none.len());
    assert_eq!(header.matches("Blocking:").count(), functions);
    for section in header.split("\\defgroup ").skip(1) {
        let title = section.lines().next().expect("a title");
        let introduction = section.split("\\{").next().expect("an introduction");
        assert!(introduction.lines().filter(|line| line.len() > 3).count() > 2, "no introduction: {title}");
    }
}

/// Names of earlier versions stand for those of today, in C and in C++.
#[test]
fn programs_with_the_earlier_names_compile() {
    let source = scratch("earlier").join("names.c");
    let text = r#"
#include "sptrsv.h"
int main(void) {
  sptrsvHandle_t h = 0;
  sptrsvInfo_t i = 0;
  sptrsvSetup_t setups[4] = {SPTRSV_SETUP_AUTO, SPTRSV_SETUP_CPU, SPTRSV_SETUP_GPU, SPTRSV_SETUP_GPU_KAHN};
  int enabled = sptrsvSetSetup(i, setups[1]) == SPTRSV_STATUS_SUCCESS;
  int64_t nrhs = 0;
  sptrsvSetAnyOperation(i, 1);
  sptrsvGetAnyOperation(i, &enabled);
  sptrsvSetRightHandSides(i, 1);
  sptrsvGetRightHandSides(i, &nrhs);
  return sptrsvGetLastErrorMessage(h)[0] == 0;
}
"#;
    fs::write(&source, text).expect("the target folder is writable");
    for (compiler, language) in [("gcc", "c"), ("g++", "c++")] {
        let binary = source.with_extension(format!("{language}.out"));
        let include = root().join("include");
        let library = library_folder();
        succeed(
            Command::new(compiler)
                .args(["-x", language, "-Wall", "-Wextra", "-Werror", "-I"])
                .args([&include, &source])
                .arg("-o")
                .arg(&binary)
                .arg("-L")
                .arg(&library)
                .arg("-lsptrsv"),
        );
        succeed(Command::new(&binary).env("LD_LIBRARY_PATH", &library));
    }
}

/// Every exported function says what a caller must know, and no panic leaves it: it goes through a guard, or
/// has a comment `// guard:` that says why it needs none.
#[test]
fn exported_functions_are_documented_and_guarded() {
    let sources: String = files(&root().join("src/ffi"))
        .iter()
        .filter(|name| name.ends_with(".rs"))
        .map(|name| read(Path::new("src/ffi").join(name)))
        .collect();
    let lines: Vec<&str> = sources.lines().collect();
    let mut seen = 0;
    for (at, line) in lines.iter().enumerate() {
        // Others are given to a profiler by their address.
        let Some(start) = line.find("extern \"C\" fn ").filter(|_| line.starts_with("pub ")) else {
            continue;
        };
        let name = line[start + 14..].split('(').next().expect("a function has a name").trim();
        let above = lines[..at].iter().rev().take_while(|l| l.starts_with("///") || l.starts_with("#["));
        let above = above.copied().collect::<Vec<_>>().join("\n");
        let body = lines[at..].iter().take_while(|l| **l != "}").copied().collect::<Vec<_>>().join("\n");
        for part in ["\\return", "Blocking:", "Graph capture:", "#[no_mangle]"] {
            assert!(above.contains(part), "{name}: its documentation lacks '{part}'");
        }
        assert!(
            !line.contains("unsafe") || above.contains("# Safety"),
            "{name}: its documentation lacks '# Safety'"
        );
        let guards = ["guard(", "with_handle(", "// guard:"];
        assert!(guards.iter().any(|g| body.contains(g)), "{name} is not guarded");
        seen += 1;
    }
    assert_eq!(seen, declared().len(), "functions found in src/ffi/ against those in the header");
}

/// Unsafe code is in the rooms that are for it; every other file of the library forbids it.
#[test]
fn unsafe_code_stays_in_its_rooms() {
    fn check(folder: &Path, seen: &mut usize) {
        for entry in fs::read_dir(folder).expect("src is readable") {
            let path = entry.expect("src is readable").path();
            let name =
                path.strip_prefix(root()).expect("below the root").to_str().expect("ASCII").to_string();
            if path.is_dir() {
                check(&path, seen);
            } else if name.ends_with(".rs") {
                let allowed = ["src/executor/", "src/ffi/", "src/lib.rs", "src/address.rs"]
                    .iter()
                    .any(|room| name.starts_with(room));
                let forbids = read(&name).contains("#![forbid(unsafe_code)]");
                assert!(allowed || forbids, "{name} does not forbid unsafe code");
                *seen += 1;
            }
        }
    }
    let mut seen = 0;
    check(&root().join("src"), &mut seen);
    assert!(seen > 10, "only {seen} files were found");
}

/// Addresses are of the type `Address` and streams of the type `Stream`, which say who vouches for them, and no plain numbers.
#[test]
fn addresses_are_no_numbers() {
    let names = "address addresses buffer diagonal f from marker place ptr stream target to val values x";
    let names: Vec<&str> = names.split(' ').collect();
    let mut seen = 0;
    for file in files(&root().join("src")).iter().filter(|file| file.ends_with(".rs")) {
        for (line, text) in read(Path::new("src").join(file)).lines().enumerate() {
            // Parameters and fields, as `pub to: u64` or `addresses: &[u64]`.
            for (name, of_type) in text.split([',', '(', '{']).filter_map(|part| part.split_once(": ")) {
                let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
                let of_type = of_type.trim_start_matches(['&', '[']).trim_start_matches("Option<");
                let of_type = of_type.split(|c| !is_letter(c)).next().expect("a text has a first part");
                if names.contains(&name.split_whitespace().last().unwrap_or("")) {
                    let is_number = ["u64", "usize"].contains(&of_type);
                    assert!(!is_number, "src/{file}, line {}: an address that is a number: {text}", line + 1);
                    seen += usize::from(["Address", "Stream"].contains(&of_type));
                }
            }
        }
    }
    assert!(seen > 30, "only {seen} addresses were found");
}

/// The crates that speak to the CUDA driver are built from any folder, without a CUDA toolkit, and ask the linker for nothing.
#[test]
fn the_bindings_to_cuda_are_built_from_elsewhere() {
    let target = scratch("elsewhere");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir("/").env("CARGO_TARGET_DIR", &target);
    for name in ["CUDA_LIBRARY_PATH", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"] {
        cargo.env_remove(name);
    }
    cargo.args(["build", "--quiet", "--locked", "--package", "cust_raw", "--manifest-path"]);
    succeed(cargo.arg(root().join("Cargo.toml")));
    let said: Vec<String> = files(&target)
        .iter()
        .filter(|name| name.starts_with("debug/build/cust_raw-") && name.ends_with("/output"))
        .map(|name| read(target.join(name)))
        .collect();
    assert!(!said.is_empty(), "the build script of cust_raw has not run");
    assert!(!said.concat().contains("rustc-link"), "the linker is asked for something: {said:?}");
}

/// The files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        let name = path.file_name().and_then(|n| n.to_str()).expect("ASCII");
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            found.insert(name.to_string());
        }
    }
    found
}

#[test]
fn the_citation_and_the_changelog_have_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(read("CITATION.cff").lines().any(|line| line == format!("version: {version}")), "CITATION.cff");
    assert!(read("CHANGELOG.md").lines().any(|line| line == format!("## {version}")), "CHANGELOG.md");
}

/// The notices of others have every crate that is linked into a library or the command line.
#[test]
fn the_notices_name_every_crate_that_is_linked() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["tree", "--locked", "--workspace", "--prefix=none", "--format={p}"]);
    let linked = stdout(cargo.arg("--edges=normal,no-proc-macro"));
    let notices = read("packaging/THIRD-PARTY-NOTICES.txt");
    let named: BTreeSet<&str> = notices.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let mut seen = 0;
    // Lines such as `libc v0.2.180`; of a crate of ours with the folder behind it.
    for line in linked.lines().filter(|line| !line.is_empty() && !line.contains(" (/")) {
        let name = line.split(" (").next().expect("lines have words").replacen(" v", " ", 1);
        assert!(named.contains(name.as_str()), "{name} is not in the notices: run `make notices`");
        seen += 1;
    }
    assert!(seen > 50, "only {seen} crates were found in:\n{linked}");
}
