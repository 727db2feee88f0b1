//! Shared libraries found at run time, and the table of entry points wanted from one.

use std::path::{Path, PathBuf};

use crate::Result;

/// Declares a struct of C functions, all returning int, that are looked up by name in a library which it
/// keeps loaded; several may share one. A name that depends on the value type holds `?`, replaced at loading by S or D.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $symbol:literal ($($arg:ty),*);)* }) => {
        $(#[$doc])*
        pub struct $name {
            $(pub $field: unsafe extern "C" fn($($arg),*) -> i32,)*
            _library: $crate::dynamic::Shared,
        }
        impl $crate::dynamic::Table for $name {
            fn load(library: &$crate::dynamic::Shared, letter: &str) -> $crate::Result<Self> {
                Ok($name {
                    $($field: $crate::dynamic::symbol(library, &$symbol.replace('?', letter))?,)*
                    _library: library.clone(),
                })
            }
        }
    };
}
pub(crate) use functions;

/// A library that several tables keep loaded.
pub type Shared = std::sync::Arc<libloading::Library>;

/// What `functions!` declares.
pub trait Table: Sized {
    fn load(library: &Shared, letter: &str) -> Result<Self>;
}

/// Looks a function up.
pub fn symbol<T: Copy>(library: &libloading::Library, name: &str) -> Result<T> {
    // SAFETY: the table declares every function as the library's header does.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map(|s| *s).map_err(|_| format!("the library has no function {name}"))
}

/// Loads the first of the files that can be loaded.
pub fn open(candidates: &[PathBuf]) -> Result<(Shared, PathBuf)> {
    let mut last = String::from("no file to try");
    for path in candidates {
        load_neighbours(path);
        // SAFETY: these are libsptrsv or NVIDIA's libraries, whose initialisers ask nothing of their caller.
        match unsafe { libloading::Library::new(path) } {
            Ok(library) => return Ok((library.into(), path.clone())),
            Err(e) => last = e.to_string(),
        }
    }
    Err(last)
}

/// cuSPARSE needs nvJitLink, which the loader does not always look for beside it.
fn load_neighbours(path: &Path) {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY};
    let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) else { return };
    for file in files_starting_with(folder, "libnvJitLink.so.") {
        // SAFETY: as in open.
        if let Ok(library) = unsafe { Library::open(Some(file), RTLD_LAZY | RTLD_GLOBAL) } {
            std::mem::forget(library);
            return;
        }
    }
}

fn files_starting_with(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|e| e.path())
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)))
        .collect()
}

/// Where the CUDA toolkit's or a Python package's libcusparse may be, the likeliest first.
pub fn cusparse_candidates() -> Vec<PathBuf> {
    let names = ["libcusparse.so.13", "libcusparse.so.12", "libcusparse.so"];
    let mut folders: Vec<PathBuf> = Vec::new();
    for variable in ["CUDA_PATH", "CUDA_HOME"] {
        folders.extend(std::env::var_os(variable).map(|root| PathBuf::from(root).join("lib64")));
    }
    folders.push("/usr/local/cuda/lib64".into());
    folders.extend(python_folders());
    let mut candidates: Vec<PathBuf> = Vec::new();
    for folder in folders.iter().filter(|f| f.is_dir()) {
        candidates.extend(names.map(|n| folder.join(n)).into_iter().filter(|p| p.exists()));
    }
    // Last, whatever the loader finds by itself.
    candidates.extend(names.map(PathBuf::from));
    candidates
}

/// The library folders of NVIDIA's packages in the Python on the PATH.
fn python_folders() -> Vec<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    let output = std::process::Command::new("python3").args(["-c", script]).output();
    let Ok(output) = output else { return Vec::new() };
    let packages = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("nvidia");
    let entries = std::fs::read_dir(packages).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path().join("lib")).collect();
    folders.sort();
    folders
}
