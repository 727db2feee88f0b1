//! Part of build.rs: builds the front, the small library that `sptrsv run` preloads. `src/run/front.rs` says what it is for.
//!
//! The front needs two libraries whose paths are known only when a program is started. It is linked against two empty
//! libraries with names as long as a path can be, and the command line writes the paths over these names.

use std::fs;
use std::path::Path;
use std::process::Command;

const SONAME: &str = "libcusparse.so.12";
/// The bytes by which the command line knows a front, also one that another version of it has written.
const MARK: &str = "front of libsptrsv_spsv.so, written by sptrsv run";
/// The longest path that Linux takes, in bytes, without the NUL at its end.
const LONGEST_PATH: usize = 4095;

/// Writes `OUT_DIR/front.so`, and `OUT_DIR/front.rs`, which embeds it.
pub fn build(out: &Path) {
    println!("cargo:rerun-if-changed=front.rs");
    let write = |name: &str, text: String| fs::write(out.join(name), text).expect("OUT_DIR is writable");
    write("front_stub.c", "extern const int sptrsv_stub;\n".into());
    write("front.c", format!("static const char mark[] __attribute__((used)) = \"{MARK}\";\n"));
    // Programs that were linked against cuSPARSE look for this version in whatever bears its name.
    write("front.map", format!("{SONAME} {{ }};\n"));
    // Neither name is the end of the other one, so the linker stores both whole.
    let names = ["library", "cusparse"].map(|name| format!("{:x<LONGEST_PATH$}", format!("/{name}/")));
    let stubs = ["front_library.so", "front_cusparse.so"];
    for (stub, name) in stubs.iter().zip(&names) {
        link(out, &["front_stub.c", &format!("-Wl,-soname,{name}"), "-o", stub]);
    }
    let (soname, script) = (format!("-Wl,-soname,{SONAME}"), "-Wl,--version-script,front.map");
    let needed = ["-Wl,--no-as-needed", stubs[0], stubs[1]];
    link(out, &[&["front.c", &soname, script][..], &needed, &["-o", "front.so"]].concat());

    let front = fs::read(out.join("front.so")).expect("the compiler has just written it");
    let [library_at, cusparse_at] = names.map(|name| place(&front, &name));
    let file = out.join("front.so").display().to_string();
    write(
        "front.rs",
        format!(
            "pub static FRONT: &[u8] = include_bytes!({file:?});\n\
             pub const SONAME: &str = {SONAME:?};\n\
             pub const MARK: &[u8] = b{MARK:?};\n\
             pub const LONGEST_PATH: usize = {LONGEST_PATH};\n\
             pub const LIBRARY_AT: usize = {library_at};\n\
             pub const CUSPARSE_AT: usize = {cusparse_at};\n"
        ),
    );
}

/// Links a library of no other one, the C runtime's included.
fn link(out: &Path, arguments: &[&str]) {
    let compiler = cc::Build::new().get_compiler();
    let mut command = Command::new(compiler.path());
    command.current_dir(out).args(["-shared", "-fPIC", "-nostdlib"]).args(arguments);
    let status = command.status().unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"));
    assert!(status.success(), "{command:?} failed");
}

/// Where the only copy of a name begins.
fn place(front: &[u8], name: &str) -> usize {
    let name = format!("{name}\0");
    let places: Vec<usize> = (0..front.len()).filter(|&i| front[i..].starts_with(name.as_bytes())).collect();
    assert_eq!(places.len(), 1, "the linker has written the name of a needed library {} times", places.len());
    places[0]
}
