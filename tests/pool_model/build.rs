//! Makes the pool of `src/executor/host/pool.rs` one of loom's threads, mutexes and atomics. Every line that is replaced must be
//! there, so that the model never checks anything but the pool as it is.

use std::path::Path;
use std::{env, fs};

/// What the pool says, and what the model says in its place.
const REPLACED: [(&str, &str); 9] = [
    ("use std::sync::atomic::", "use loom::sync::atomic::"),
    (
        "use std::sync::{Arc, Condvar, Mutex, PoisonError};",
        "use loom::sync::{Arc, Condvar, Mutex};\nuse std::sync::PoisonError;",
    ),
    ("use std::thread::JoinHandle;", "use loom::thread::JoinHandle;"),
    ("use std::time::{Duration, Instant};", "use std::time::Duration;\nuse super::clock::Instant;"),
    ("use crate::executor::lock;", "use super::lock;"),
    ("std::thread::Builder::new()", "loom::thread::Builder::new()"),
    ("std::hint::spin_loop()", "loom::hint::spin_loop()"),
    ("std::thread::yield_now()", "loom::thread::yield_now()"),
    // Each try is a choice of the model's, and more of the same teach nothing.
    ("const SPINS: u32 = 100;", "const SPINS: u32 = 1;"),
];

fn main() {
    let pool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/executor/host/pool.rs");
    println!("cargo::rerun-if-changed={}", pool.display());
    let source = fs::read_to_string(&pool).expect("the pool is there");
    let (source, _) = source.split_once("#[cfg(test)]").expect("the pool's own tests are left out");
    let lines = source.lines().filter(|line| !line.starts_with("//!"));
    let mut model = lines.collect::<Vec<_>>().join("\n");
    for (said, says) in REPLACED {
        assert!(
            model.contains(said),
            "the pool does not say '{said}' any more: adapt tests/pool_model/build.rs"
        );
        model = model.replace(said, says);
    }
    let left = ["std::sync::{", "std::sync::atomic", "std::thread::Builder", "std::time::Instant"];
    for word in left {
        assert!(!model.contains(word), "the model would use '{word}', which loom does not see");
    }
    let folder = env::var_os("OUT_DIR").expect("cargo names a folder");
    fs::write(Path::new(&folder).join("pool.rs"), model).expect("the folder is writable");
}
