//! Shared libraries found at run time, and the table of entry points wanted from one.

use std::path::{Path, PathBuf};

use crate::base::Result;

/// Declares a struct of C functions, all returning int, that are looked up by name in a library which it
/// keeps loaded; several may share one. A name that depends on the value type holds `?`, replaced at loading by S or D.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $symbol:literal ($($arg:ty),*);)* }) => {
        $(#[$doc])*
        pub struct $name {
            $(pub $field: unsafe extern "C" fn($($arg),*) -> i32,)*
            _library: $crate::base::dynamic::Shared,
        }
        impl $crate::base::dynamic::Table for $name {
            fn load(library: &$crate::base::dynamic::Shared, letter: &str) -> $crate::base::Result<Self> {
                Ok($name {
                    $($field: $crate::base::dynamic::symbol(library, &$symbol.replace('?', letter))?,)*
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

/// The name that a library of this program's version has for the loader. Several versions may be installed side by side.
pub fn soname(library: &str) -> String {
    format!("{library}.{}", env!("SPTRSV_SERIES"))
}

/// Where a library lies that was built or installed with this program: first the files that say by their name that they are of this
/// version.
pub fn beside_program(library: &str) -> Result<Vec<PathBuf>> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let of_debian = format!("../lib/{}-linux-gnu", std::env::consts::ARCH);
    let folders = ["", "../lib", "../lib64", &of_debian].map(|f| folder.join(f));
    let names = [soname(library), library.to_string()];
    let files = names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    Ok(files.filter_map(|file| file.canonicalize().ok()).collect())
}
