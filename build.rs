//! Builds what is not Rust: the run-time binding to the CUDA driver, the kernels, and the C header.
//!
//! Environment:
//! * `CUDA_PATH`, `CUDA_HOME`: where the CUDA compiler is; else `PATH`, `/usr/local/cuda`, `./.cuda`.
//! * `SPTRSV_CUDA_ARCHS`: comma-separated compute capabilities to compile for, e.g. `75,80,90`. The last
//!   one is embedded as PTX too, for GPUs that come later. Default `80,90`.
//! * `SPTRSV_LINEINFO`: if set, the kernels carry their source lines, for profilers; the library is then more than
//!   twice as large.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cbindgen.toml");
    println!("cargo:rerun-if-changed=src/ffi.rs");
    println!("cargo:rerun-if-changed=src/status.rs");
    println!("cargo:rerun-if-changed=src/executor/cuda/driver.c");
    for name in ["CUDA_PATH", "CUDA_HOME", "SPTRSV_CUDA_ARCHS", "SPTRSV_LINEINFO"] {
        println!("cargo:rerun-if-env-changed={name}");
    }

    cc::Build::new().file("src/executor/cuda/driver.c").warnings(true).compile("sptrsv_driver");
    println!("cargo:rustc-link-lib=dl");

    compile_kernels(&root, &out);
    write_header(&root);
}

/// Compiles every `kernels/*.cu` to a fatbin and writes the table `OUT_DIR/kernels.rs` that embeds them.
fn compile_kernels(root: &Path, out: &Path) {
    println!("cargo:rerun-if-changed=kernels");
    let nvcc = find_nvcc(root).unwrap_or_else(|| {
        panic!(
            "no CUDA compiler found: install the CUDA toolkit or set CUDA_PATH, or run `make`, which installs \
             nvcc from PyPI into ./.cuda"
        )
    });
    let archs = env::var("SPTRSV_CUDA_ARCHS").unwrap_or_else(|_| "80,90".into());
    let archs: Vec<&str> = archs.split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
    let newest = *archs.last().expect("SPTRSV_CUDA_ARCHS names no compute capability");

    let mut sources: Vec<PathBuf> = fs::read_dir(root.join("kernels"))
        .expect("kernels/ is readable")
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "cu"))
        .collect();
    sources.sort();

    let jobs = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1usize).max(1);
    let mut table = String::from("pub static FATBINS: &[(&str, &[u8])] = &[\n");
    let mut running = Vec::new();
    for source in &sources {
        let stem = source.file_stem().unwrap().to_str().unwrap();
        let fatbin = out.join(format!("{stem}.fatbin"));
        let mut cmd = Command::new(&nvcc);
        cmd.args(["-fatbin", "-O3", "-std=c++17", "-Wno-deprecated-gpu-targets"]);
        if env::var_os("SPTRSV_LINEINFO").is_some() {
            cmd.arg("-lineinfo");
        }
        for arch in &archs {
            cmd.arg(format!("-gencode=arch=compute_{arch},code=sm_{arch}"));
        }
        cmd.arg(format!("-gencode=arch=compute_{newest},code=compute_{newest}"));
        cmd.arg("-o").arg(&fatbin).arg(source);
        if running.len() >= jobs {
            wait(running.remove(0));
        }
        let child = cmd.spawn().unwrap_or_else(|e| panic!("cannot run {}: {e}", nvcc.display()));
        running.push((source.clone(), child));
        table += &format!("    ({stem:?}, include_bytes!({:?})),\n", fatbin.display().to_string());
    }
    running.into_iter().for_each(wait);
    table += "];\n";
    fs::write(out.join("kernels.rs"), table).unwrap();
}

fn wait((source, mut child): (PathBuf, std::process::Child)) {
    let status = child.wait().expect("nvcc can be waited for");
    assert!(status.success(), "nvcc failed on {}", source.display());
}

fn find_nvcc(root: &Path) -> Option<PathBuf> {
    let from_env = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let on_path: Vec<PathBuf> = env::var_os("PATH")
        .map(|p| env::split_paths(&p).map(|d| d.join("nvcc")).collect())
        .unwrap_or_default();
    from_env
        .map(|d| d.join("bin/nvcc"))
        .chain(on_path)
        .chain([PathBuf::from("/usr/local/cuda/bin/nvcc"), root.join(".cuda/nvidia/cu13/bin/nvcc")])
        .find(|p| p.is_file())
}

/// Generates `include/sptrsv.h`, touching the file only when its text changes.
fn write_header(root: &Path) {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/status.rs"))
        .with_src(root.join("src/ffi.rs"))
        .generate()
        .expect("src/ffi.rs describes a C interface");
    bindings.write_to_file(root.join("include/sptrsv.h"));
}
