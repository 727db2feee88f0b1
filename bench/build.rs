//! Builds the front of `sptrsv run`, the serial loop in C, and the table of the library's algorithms from its header. Says which
//! libraries are of this version.

#[path = "front.rs"]
mod front;
#[allow(dead_code)] // This package is no library.
#[path = "../packaging/soname.rs"]
mod soname;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const HEADER: &str = "../include/sptrsv.h";
/// The serial loop that the host executor is compared with.
const LOOP: &str = "src/solvers/loop.c";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../packaging/soname.rs");
    println!("cargo:rustc-env=SPTRSV_SERIES={}", soname::series());
    front::build(&out);
    write_algorithms(&out);
    println!("cargo:rerun-if-changed={LOOP}");
    // As a program of others would be compiled, in whatever profile this one is.
    cc::Build::new().file(LOOP).opt_level(2).compile("loop");
}

/// Writes `OUT_DIR/algorithms.rs`: the names and numbers of `sptrsvAlgorithm_t`.
fn write_algorithms(out: &Path) {
    println!("cargo:rerun-if-changed={HEADER}");
    let header = fs::read_to_string(HEADER).unwrap_or_else(|e| panic!("{HEADER}: {e}"));
    let (list, _) = header.split_once("} sptrsvAlgorithm_t;").expect("the header lists the algorithms");
    let (_, list) = list.rsplit_once("typedef enum {").expect("lists begin");
    let mut text = String::from("pub const ALGORITHMS: &[(&str, i32)] = &[\n");
    for line in list.lines() {
        let Some((name, number)) = line
            .trim()
            .strip_prefix("SPTRSV_ALG_")
            .and_then(|entry| entry.trim_end_matches(',').split_once(" = "))
        else {
            continue;
        };
        text += &format!("    ({name:?}, {number}),\n");
    }
    text += "];\n";
    fs::write(out.join("algorithms.rs"), text).expect("OUT_DIR is writable");
}
