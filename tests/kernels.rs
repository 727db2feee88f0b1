//! Kernels take what the library launches them with: a compiler checks neither, as the two meet by a kernel's name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is readable");
    let paths = entries.map(|entry| entry.expect("the folder is readable").path());
    let found = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => Vec::from_iter(path.extension().is_some_and(|e| e == extension).then_some(path)),
    };
    paths.flat_map(found).collect()
}

/// The identifiers of a text.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The type of the argument of each kernel, as the preprocessor leaves it.
fn kernels(root: &Path) -> BTreeMap<String, String> {
    // OUT_DIR is target/<profile>/build/<package>/out.
    let headers =
        Path::new(env!("OUT_DIR")).ancestors().nth(3).expect("Cargo's layout").join("kernels/include");
    let stand_in = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    fs::create_dir_all(&stand_in).expect("the target folder is writable");
    fs::write(stand_in.join("cuda_runtime.h"), "").expect("the target folder is writable");
    let mut found = BTreeMap::new();
    for file in files(&root.join("kernels"), "cu") {
        let mut command = Command::new("cc");
        command.args(["-E", "-P", "-x", "c++", "-D__CUDA_ARCH__=900"]).arg(&file);
        for folder in [&root.join("kernels"), &headers, &stand_in] {
            command.arg("-I").arg(folder);
        }
        let output = command.output().expect("a C compiler is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        for kernel in text.split("__global__").skip(1) {
            let head = &kernel[..kernel.find(['{', ';']).expect("a kernel has a body")];
            let (name, argument) = head.rsplit_once('(').expect("a kernel has an argument");
            let name = words(name).next_back().expect("a kernel has a name");
            let of = words(argument).find(|word| !["const", "__grid_constant__"].contains(word));
            found.insert(name.to_string(), of.expect("an argument has a type").to_string());
        }
    }
    found
}

/// What the names of kernels begin with in the library, and what it launches these with.
fn names(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for file in files(&root.join("src"), "rs") {
        let text = fs::read_to_string(&file).expect("sources are text");
        for (at, new) in text.match_indices("KernelName::new(\"") {
            let name = text[at + new.len()..].split('"').next().expect("a text ends");
            let of = text[..at].rsplit("KernelName<").next().and_then(|rest| rest.split('>').next());
            found.insert(name.to_string(), of.expect("a name has a type").to_string());
        }
    }
    found
}

#[test]
fn kernels_take_what_they_are_launched_with() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (kernels, names) = (kernels(root), names(root));
    assert!(kernels.len() > 400 && names.len() > 30, "{} kernels, {} names", kernels.len(), names.len());
    let mut left: Vec<&String> = names.keys().collect();
    for (kernel, of) in &kernels {
        let begin = names.keys().filter(|begin| kernel.starts_with(*begin)).max_by_key(|begin| begin.len());
        let begin = begin.unwrap_or_else(|| panic!("no name is that of the kernel {kernel}"));
        assert_eq!(of, &names[begin], "the argument of {kernel}");
        left.retain(|name| *name != begin);
    }
    assert!(left.is_empty(), "no kernel has a name that begins with one of {left:?}");
}
