//! The Fortran binding: that the module has the whole C interface, and that a Fortran program solves systems
//! with it, on the GPU where there is one, else on the host executor.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("cannot read {path}: {e}"))
}

/// The C header without its comments and its names of earlier versions.
fn header() -> String {
    let text = read("include/sptrsv.h");
    let parts = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
    let code: String = parts.collect();
    let is_earlier = |line: &str| {
        line.starts_with("#define sptrsv")
            || line.strip_prefix("#define SPTRSV_").is_some_and(|l| l.contains(" SPTRSV_ANALYSIS"))
    };
    code.lines().filter(|line| !is_earlier(line)).map(|line| line.to_string() + "\n").collect()
}

/// A word of ours that ends right before `at`.
fn name_before(code: &str, at: usize) -> Option<&str> {
    let before = code[..at].trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
    let name = &before[start..];
    name.to_lowercase().starts_with("sptrsv").then_some(name)
}

/// The arguments between a parenthesis and its end, counted.
fn count_arguments(text: &str) -> usize {
    let inside = text.split(')').next().expect("an argument list").trim();
    if inside.is_empty() || inside == "void" {
        0
    } else {
        inside.split(',').count()
    }
}

#[test]
fn the_module_has_every_function_with_its_arguments() {
    let module = read("fortran/sptrsv.f90");
    let code: String =
        header().lines().filter(|line| !line.starts_with('#')).map(|line| line.to_string() + "\n").collect();
    let mut seen = 0;
    for (at, _) in code.match_indices('(') {
        let Some(name) = name_before(&code, at) else { continue };
        let declaration = format!("function {name}(");
        let start = module.find(&declaration).unwrap_or_else(|| panic!("the module lacks {name}"));
        let interface = &module[start + declaration.len()..];
        let interface = &interface[..interface.find("end function").expect("interfaces end")];
        assert!(interface.contains(&format!("bind(C, name='{name}')")), "{name} is bound to another symbol");
        assert_eq!(count_arguments(interface), count_arguments(&code[at + 1..]), "arguments of {name}");
        seen += 1;
    }
    assert!(seen >= 50, "the header was not understood: {seen} functions");
}

/// As the guide says.
#[test]
fn the_program_calls_every_function() {
    let (module, program) = (read("fortran/sptrsv.f90"), read("fortran/test_sptrsv.f90"));
    let names = module.split("bind(C, name='").skip(1).filter_map(|rest| rest.split('\'').next());
    let ours = names.filter(|name| name.starts_with("sptrsv"));
    let uncalled: Vec<&str> = ours.filter(|name| !program.contains(&format!("{name}("))).collect();
    assert!(uncalled.is_empty(), "test_sptrsv.f90 does not call {uncalled:?}");
}

#[test]
fn the_module_has_every_number() {
    let (code, module) = (header(), read("fortran/sptrsv.f90").replace("&\n    ", ""));
    let mut seen = 0;
    for line in code.lines() {
        let line = line.trim();
        let of_enum = line.trim_end_matches(',').split_once(" = ");
        let defined = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' '));
        let Some((name, value)) = of_enum.or(defined) else { continue };
        let parameter = format!("integer(c_int), parameter :: {name} = {value}\n");
        assert!(module.contains(&parameter), "the module lacks {name} = {value}");
        seen += 1;
    }
    assert_eq!(
        seen,
        module.matches(", parameter :: SPTRSV_").count(),
        "parameters that the header does not have"
    );
    assert!(seen >= 50, "the header was not understood: {seen} values");
}

/// Field by field and in order, since it is shared with C.
#[test]
fn the_module_has_the_stats_as_they_are() {
    let (code, module) = (header(), read("fortran/sptrsv.f90"));
    let body = |text: &str, from: &str, to: &str| -> String {
        let start = text.find(from).unwrap_or_else(|| panic!("no '{from}'")) + from.len();
        text[start..][..text[start..].find(to).expect("it ends")].to_string()
    };
    let c: Vec<(String, String)> = body(&code, "typedef struct {", "}")
        .split(';')
        .filter_map(|field| field.trim().rsplit_once(' '))
        .map(|(kind, name)| (kind.trim().to_string(), name.to_string()))
        .collect();
    let fortran: Vec<(String, String)> = body(&module, "type, bind(C) :: sptrsvStats_t", "end type")
        .lines()
        .filter_map(|line| line.split_once(" :: "))
        .map(|(kind, name)| {
            let kind = match kind.trim() {
                "integer(c_size_t)" => "size_t",
                "integer(c_int64_t)" => "int64_t",
                "integer(c_int)" => "int",
                "real(c_double)" => "double",
                other => other,
            };
            (kind.to_string(), name.split(' ').next().expect("a name").to_string())
        })
        .collect();
    assert!(c.len() >= 10, "the header was not understood: {c:?}");
    assert_eq!(fortran, c);
}

/// Where cargo put `libsptrsv.so` for this test: beside it, or one folder up.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let mut folders = test.ancestors().skip(1).take(2);
    folders
        .find(|d| d.join("libsptrsv.so").is_file())
        .expect("cargo builds libsptrsv.so before its tests")
        .to_path_buf()
}

fn run(script: &str, arguments: &[&Path]) {
    let path = root().join("fortran").join(script);
    let status = Command::new("sh").arg(path).args(arguments).status().expect("sh runs");
    assert!(status.success(), "fortran/{script} failed");
}

/// The program's output goes straight to the terminal, past the test harness; its last line counts. Without
/// gfortran it is counted as skipped.
#[test]
fn fortran_program() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fortran");
    run("build-tests", &[&library_folder(), &folder]);
    run("run-tests", &[&folder]);
}

/// The Fortran programs of a page, each with what it is to print, if the page says that.
fn programs_of(page: &str) -> Vec<(String, Option<String>)> {
    let text = read(page);
    let programs = text.split("```fortran\n").skip(1).map(|part| {
        let (code, behind) = part.split_once("```").expect("a block ends");
        let printed = behind.trim_start().strip_prefix("```text\n").and_then(|t| t.split_once("```"));
        (code.to_string(), printed.map(|(text, _)| text.to_string()))
    });
    programs.collect()
}

/// Compiled, run, and compared with what stands below them.
#[test]
fn the_programs_of_the_guide_work() {
    if Command::new("gfortran").arg("--version").output().is_err() {
        println!("SKIPPED the Fortran programs of the guide: there is no gfortran");
        println!("fortran_guide: 0 passed, 0 failed, 1 skipped");
        return;
    }
    let programs = programs_of("docs/guide.md");
    assert!(programs.iter().any(|(_, printed)| printed.is_some()), "the guide was not understood");
    let (folder, library) = (Path::new(env!("CARGO_TARGET_TMPDIR")).join("fortran_guide"), library_folder());
    fs::create_dir_all(&folder).expect("the target folder is writable");
    for (number, (code, printed)) in programs.iter().enumerate() {
        let program = folder.join(format!("program_{number}"));
        let source = program.with_extension("f90");
        fs::write(&source, code).expect("the target folder is writable");
        let mut gfortran = Command::new("gfortran");
        gfortran
            .current_dir(&folder)
            .args(["-std=f2008", "-Wall"])
            .arg(root().join("fortran/sptrsv.f90"))
            .arg(&source);
        gfortran.arg("-o").arg(&program).arg("-L").arg(&library).arg("-lsptrsv");
        gfortran.arg(format!("-Wl,-rpath,{}", library.display()));
        assert!(gfortran.status().expect("gfortran runs").success(), "it does not compile:\n{code}");
        let output = Command::new(&program).output().expect("what was compiled runs");
        assert!(output.status.success(), "it fails:\n{code}");
        if let Some(printed) = printed {
            assert_eq!(&String::from_utf8_lossy(&output.stdout), printed);
        }
    }
}
