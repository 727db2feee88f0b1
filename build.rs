//! Builds what is not Rust: the run-time binding to the CUDA driver, the kernels, and the C header.
//!
//! Environment:
//! * `CUDA_PATH`, `CUDA_HOME`: where the CUDA compiler is; else `PATH`, `/usr/local/cuda`, `./.cuda`.
//! * `SPTRSV_CUDA_ARCHS`: comma-separated compute capabilities to compile for, e.g. `75,80,90`. The last
//!   one is embedded as PTX too, for GPUs that come later. Default `80,90`. `none`: the host executor alone, without a
//!   CUDA compiler.
//! * `SPTRSV_LINEINFO`: if set, the kernels carry their source lines, for profilers; the library is then more than
//!   twice as large.
//! * `SPTRSV_RACECHECK`: if set, words in shared memory that are looked at while another warp may store them go by
//!   atomic operations, which tools that look for races know. Slower, and for Hopper (`SPTRSV_CUDA_ARCHS=90`).

#[path = "packaging/soname.rs"]
mod soname;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

const LIBRARY: &str = "libsptrsv.so";

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=packaging/soname.rs");
    println!("cargo:rerun-if-changed=cbindgen.toml");
    println!("cargo:rerun-if-changed=src/ffi");
    println!("cargo:rerun-if-changed=src/error.rs");
    println!("cargo:rerun-if-changed=src/executor/cuda/driver.c");
    for name in ["CUDA_PATH", "CUDA_HOME", "SPTRSV_CUDA_ARCHS", "SPTRSV_LINEINFO", "SPTRSV_RACECHECK"] {
        println!("cargo:rerun-if-env-changed={name}");
    }

    cc::Build::new().file("src/executor/cuda/driver.c").warnings(true).compile("sptrsv_driver");
    println!("cargo:rustc-link-lib=dl");
    // An argument for cdylibs only would be handed on to those that depend on this one, behind their own. Tests would be
    // found under the library's name where they load it, and so get one of their own.
    println!("cargo:rustc-link-arg=-Wl,-soname,{}", soname::of(LIBRARY));
    println!("cargo:rustc-link-arg-tests=-Wl,-soname,sptrsv-tests");

    soname::link(LIBRARY);

    let shared = write_shared_headers(&root, &out);
    compile_kernels(&root, &shared, &out);
    write_header(&root);
}

/// Writes what kernels and the library share as headers of C++: each file of a folder `shared/` and each `shared.rs` of `src/`
/// becomes `shared/<name>.h`, where a `shared.rs` has the name of its folder. Returns the folder to include them from, which all
/// builds of a profile and the kernels of tests share. `OUT_DIR/fields.rs` has the fields of all structs, for the test of their layouts.
fn write_shared_headers(root: &Path, out: &Path) -> PathBuf {
    let mut sources = Vec::new();
    find_sources(&root.join("src"), "rs", &mut sources);
    sources.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_string();
    let folder = kernel_folder(out).join("include");
    fs::create_dir_all(folder.join("shared")).unwrap();
    let (mut written, mut fields) = (Vec::new(), String::new());
    for source in sources {
        let parent = name(source.parent().unwrap());
        let header = match (name(&source), parent.as_str()) {
            (own, "shared") if own != "mod" => own,
            (own, _) if own == "shared" => parent,
            _ => continue,
        };
        println!("cargo:rerun-if-changed={}", source.display());
        assert!(!written.contains(&header), "two files of the name {header}");
        write_if_new(&folder.join(format!("shared/{header}.h")), &shared_header(&source, out));
        fields += &fields_of_structs(source.strip_prefix(root).unwrap(), &read(&source), &header);
        written.push(header);
    }
    fs::write(out.join("fields.rs"), format!("layouts! {{\n{fields}}}\n")).unwrap();
    folder
}

/// A line for each struct of a source, as `"pattern" "PatternArgs" crate::executor::cuda::shared::pattern::PatternArgs { n, base, }`: its
/// header, its names in C++ and in Rust, its fields.
fn fields_of_structs(source: &Path, text: &str, header: &str) -> String {
    let module =
        source.with_extension("").to_str().expect("ASCII").replace('/', "::").replacen("src", "crate", 1);
    let line = |item: &str| {
        let (head, body) = item.split_once('\n').expect("a struct has fields");
        let (name, of) =
            (head.split(' ').next().unwrap(), if head.contains("<T>") { "<double>" } else { "" });
        let fields =
            body.lines().take_while(|line| *line != "}").filter_map(|line| line.strip_prefix("    pub "));
        let fields: String = fields.map(|field| format!("{}, ", field.split(':').next().unwrap())).collect();
        format!("{header:?} \"{name}{of}\" {module}::{name} {{ {fields}}}\n")
    };
    text.split("\npub struct ").skip(1).map(line).collect()
}

/// The constants and the structs of a source. kernels/device/pointers.cuh has the types of pointers that these name. Comments say
/// what is for C++ alone: `// <u32>` behind a field what it is a pointer to, and `/*<T>*/` that a struct is a template.
fn shared_header(source: &Path, folder: &Path) -> String {
    let generic = |line: &str| match line.split_once("// <") {
        Some((field, of)) => format!("{}<{of},\n", field.trim_end().trim_end_matches(',')),
        None => line.replace(" /*<T>*/", "<T>") + "\n",
    };
    let text: String = read(source).lines().map(generic).collect();
    let structs = text.lines().filter_map(|line| line.strip_prefix("pub struct "));
    let names = structs.map(|rest| rest.split(['<', ' ', '(', ';']).next().unwrap().to_string());
    let mut config = cbindgen::Config {
        language: cbindgen::Language::Cxx,
        pragma_once: true,
        no_includes: true,
        includes: vec!["device/pointers.cuh".into()],
        documentation_style: cbindgen::DocumentationStyle::C99,
        ..cbindgen::Config::default()
    };
    (config.constant.allow_constexpr, config.constant.allow_static_const) = (true, false);
    config.layout.aligned_n = Some("alignas".into());
    config.export.include = names.collect();
    let (parsed, mut header) = (folder.join("shared.rs"), Vec::new());
    fs::write(&parsed, &text).expect("OUT_DIR is writable");
    let bindings = cbindgen::Builder::new().with_config(config).with_src(parsed).generate();
    bindings.unwrap_or_else(|e| panic!("{}: {e}", source.display())).write(&mut header);
    String::from_utf8(header).expect("cbindgen writes UTF-8")
}

/// Where all builds of a profile share kernels.
fn kernel_folder(out: &Path) -> PathBuf {
    // OUT_DIR is target/<profile>/build/<package>/out.
    out.ancestors().nth(3).expect("Cargo's layout").join("kernels")
}

/// Compiles every `.cu` file below `kernels/` to a fatbin and writes the table `OUT_DIR/kernels.rs` that embeds them. That takes
/// minutes, so all builds of a profile that would come to the same fatbins, as those of other features would, share them.
fn compile_kernels(root: &Path, headers: &Path, out: &Path) {
    println!("cargo:rerun-if-changed=kernels");
    let archs = env::var("SPTRSV_CUDA_ARCHS").unwrap_or_else(|_| "80,90".into());
    let archs: Vec<&str> = archs.split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
    if archs == ["none"] {
        // The host executor alone, which needs no CUDA compiler.
        fs::write(out.join("kernels.rs"), kernel_table("", &[], 0)).unwrap();
        return;
    }
    let newest = *archs.last().expect("SPTRSV_CUDA_ARCHS names no compute capability");
    let nvcc = find_nvcc(root).unwrap_or_else(|| {
        panic!(
            "no CUDA compiler found: install the CUDA toolkit or set CUDA_PATH, or run `make`, which installs \
             nvcc from PyPI into ./.cuda"
        )
    });

    let kernels = root.join("kernels");
    let mut sources = Vec::new();
    find_sources(&kernels, "cu", &mut sources);
    sources.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));

    let mut flags: Vec<String> =
        ["-fatbin", "-O3", "-std=c++17", "-Wno-deprecated-gpu-targets"].map(String::from).into();
    if env::var_os("SPTRSV_LINEINFO").is_some() {
        flags.push("-lineinfo".into());
    }
    if env::var_os("SPTRSV_RACECHECK").is_some() {
        flags.push("-DSPTRSV_RACECHECK".into());
    }
    let version = Command::new(&nvcc).arg("--version").output().map(|o| o.stdout).unwrap_or_default();
    if release(&version).is_some_and(|release| release >= COMPRESSES_WELL) {
        flags.push("-compress-mode=size".into());
    }
    flags.extend(archs.iter().map(|arch| format!("-gencode=arch=compute_{arch},code=sm_{arch}")));
    flags.push(format!("-gencode=arch=compute_{newest},code=compute_{newest}"));

    let shared = kernel_folder(out);
    let (mut made, mut missing) = (Vec::new(), Vec::new());
    let mut table = String::new();
    for source in &sources {
        let mut texts = BTreeMap::new();
        read_with_includes([&kernels, headers], source, &mut texts);
        // By name, so that a checkout elsewhere finds them again.
        let mut named: Vec<_> = texts.iter().map(|(path, text)| (path.file_name(), text)).collect();
        named.sort();
        let mut hasher = DefaultHasher::new();
        (&version, &flags, named).hash(&mut hasher);
        let stem = source.file_stem().unwrap().to_str().unwrap();
        let fatbin = shared.join(format!("{stem}-{:016x}.fatbin", hasher.finish()));
        if !fatbin.is_file() {
            let length: usize = texts.values().map(String::len).sum();
            missing.push((length, source.clone(), fatbin.clone()));
        }
        let own = out.join(format!("{stem}.fatbin"));
        table += &format!("    include_bytes!({:?}),\n", own.display().to_string());
        made.push((fatbin, own));
    }
    missing.sort_by_key(|&(length, ..)| Reverse(length));
    // What is compiled does not change with the folders, and so the name of a fatbin does not.
    flags.extend([&kernels, headers].map(|folder| format!("-I{}", folder.display())));
    compile(&nvcc, &flags, missing, &shared.join("progress"));
    for (fatbin, own) in made {
        fs::copy(fatbin, own).unwrap();
    }
    fs::write(out.join("kernels.rs"), kernel_table(&table, &archs, release(&version).unwrap_or(0))).unwrap();
}

/// The Rust source of the table of these fatbins, of the compute capabilities that they are compiled for, and of the compiler's
/// release.
fn kernel_table(fatbins: &str, archs: &[&str], compiler: u32) -> String {
    let number = |arch: &&str| {
        let digits: String = arch.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u32>().expect("compute capabilities are numbers")
    };
    let numbers = || archs.iter().map(number);
    format!(
        "pub static FATBINS: &[&[u8]] = &[\n{fatbins}];\n\
         /// The compute capabilities that they are compiled for, times ten: as they were named, the least, and the last one, which \
         is there as PTX too; 0 for none.\n\
         const COMPILED: &str = {:?};\n\
         static OLDEST: u32 = {};\n\
         static NEWEST: u32 = {};\n\
         /// The CUDA of the compiler, as drivers number theirs.\n\
         static COMPILER: u32 = {compiler};\n",
        archs.join(","),
        numbers().min().unwrap_or(0),
        numbers().next_back().unwrap_or(0),
    )
}

/// The first release of nvcc whose code wants a driver that knows the better compression anyway: with it the kernels are a
/// fifth of the size.
const COMPRESSES_WELL: u32 = 13000;

/// The release that `nvcc --version` tells of, as drivers number theirs: 13000 for 13.0.
fn release(version: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(version);
    let mut numbers = text.split("release ").nth(1)?.split(['.', ',']);
    let mut number = || numbers.next()?.trim().parse::<u32>().ok();
    Some(1000 * number()? + 10 * number()?)
}

/// Adds the files of a kind in a folder and in those below it.
fn find_sources(folder: &Path, kind: &str, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_sources(&path, kind, sources);
        } else if path.extension().is_some_and(|extension| extension == kind) {
            sources.push(path);
        }
    }
}

/// Adds what a source is made of: itself, and what it includes, directly or not. An included file is named by its path from the
/// source's own folder or, as for the compiler, from one of `folders`.
fn read_with_includes(folders: [&Path; 2], source: &Path, texts: &mut BTreeMap<PathBuf, String>) {
    if texts.contains_key(source) {
        return;
    }
    let text = fs::read_to_string(source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
    texts.insert(source.into(), text.clone());
    for name in text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
        let places = [source.with_file_name(name), folders[0].join(name), folders[1].join(name)];
        let included = places.iter().find(|path| path.is_file());
        let included = included.unwrap_or_else(|| panic!("{}: no file {name}", source.display()));
        read_with_includes(folders, included, texts);
    }
}

/// Compiles each source to its fatbin, which is there as a whole or not at all. The longest, which take minutes, come first. Says
/// so in a file that `make` shows.
fn compile(nvcc: &Path, flags: &[String], missing: Vec<(usize, PathBuf, PathBuf)>, progress: &Path) {
    let mut progress = File::options().create(true).append(true).open(progress).expect("target/ is writable");
    let all = missing.len();
    let jobs = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1usize).max(1);
    let mut running = Vec::new();
    for (number, (_, source, fatbin)) in (1..).zip(missing) {
        if running.len() >= jobs {
            wait(running.remove(0));
        }
        let name = source.file_stem().unwrap().to_str().unwrap();
        writeln!(progress, "kernel {number} of {all}: {name}").expect("the disk has room");
        let child = Command::new(nvcc)
            .args(flags)
            .arg("-o")
            .arg(fatbin.with_extension("part"))
            .arg(&source)
            .spawn()
            .unwrap_or_else(|e| panic!("cannot run {}: {e}", nvcc.display()));
        running.push((source, fatbin, child));
    }
    running.into_iter().for_each(wait);
}

fn wait((source, fatbin, mut child): (PathBuf, PathBuf, Child)) {
    let status = child.wait().expect("nvcc can be waited for");
    assert!(status.success(), "nvcc failed on {}", source.display());
    fs::rename(fatbin.with_extension("part"), fatbin).unwrap();
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

/// The sections of the header, in their order: files of `src/`, the documentation of whose last one introduces the section.
const SECTIONS: [&[&str]; 13] = [
    &["error.rs", "ffi/errors.rs"],
    &["ffi/version.rs"],
    &["ffi/objects.rs"],
    &["ffi/handle.rs"],
    &["ffi/descr.rs"],
    &["ffi/stats.rs", "ffi/info.rs"],
    &["ffi/analysis.rs"],
    &["ffi/solve.rs"],
    &["ffi/tune.rs"],
    &["ffi/pair.rs"],
    &["ffi/factor.rs"],
    &["ffi/sweep.rs"],
    &["ffi/logging.rs"],
];

/// Generates `include/sptrsv.h` from `src/ffi/sptrsv.h.in`, touching the file only when its text changes.
fn write_header(root: &Path) {
    let template = read(&root.join("src/ffi/sptrsv.h.in"));
    let sections: String = SECTIONS.map(|files| section(root, files)).concat();
    write_if_new(&root.join("include/sptrsv.h"), &template.replace("@SECTIONS@\n", &sections));
}

/// Writes a file, unless it has this text.
fn write_if_new(file: &Path, text: &str) {
    if fs::read_to_string(file).ok().as_deref() != Some(text) {
        fs::write(file, text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}

/// The items of some files, as a group with a title and an introduction. cbindgen ends lists of enumerators with a comma, and
/// writes comments of C++, which older standards of C and C++ do not know; and it takes a heading of Rust as it is.
fn section(root: &Path, files: &[&str]) -> String {
    let files: Vec<PathBuf> = files.iter().map(|name| root.join("src").join(name)).collect();
    let mut builder = cbindgen::Builder::new().with_config(
        cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is valid"),
    );
    for file in &files {
        builder = builder.with_src(file);
    }
    let mut items = Vec::new();
    builder.generate().unwrap_or_else(|e| panic!("{files:?}: {e}")).write(&mut items);
    let items = String::from_utf8(items).expect("cbindgen writes UTF-8");
    let items = items.replace(",\n}", "\n}").replace(" * # Safety\n", " * Preconditions:\n");
    let plain = |line: &str| match line.split_once(" // ") {
        Some((code, comment)) => format!("{code} /* {comment} */\n"),
        None => format!("{line}\n"),
    };
    let items: String = short_comments(items.trim()).iter().map(|line| plain(line)).collect();

    let last = read(files.last().expect("a section has files"));
    let mut about = last.lines().map_while(|line| line.strip_prefix("//!"));
    let title = about.next().expect("a section has a title").trim();
    let id = title.to_lowercase().replace(' ', "_");
    let introduction: String = about.map(|line| format!(" *{line}\n")).collect();
    format!(
        "/**\n * \\defgroup sptrsv_{id} {title}\n{introduction} *\n * \\{{\n */\n\n{items}\n/** \\}} */\n\n"
    )
}

/// The lines of a C source, each comment of one line of text on one line.
fn short_comments(source: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in source.lines() {
        let ends = line.trim() == "*/";
        if let (true, [.., begin, text]) = (ends, lines.as_slice()) {
            if begin.trim() == "/**" {
                let short = format!("{begin} {} */", text.trim().trim_start_matches("* "));
                lines.truncate(lines.len() - 2);
                lines.push(short);
                continue;
            }
        }
        lines.push(line.to_string());
    }
    lines
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}
