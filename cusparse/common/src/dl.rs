//! Looking symbols up in libraries that the program has loaded or that can be loaded.

use libc::{c_int, c_void};
use std::ffi::{CStr, CString};

/// A library, or every library in the program's global scope.
#[derive(Clone, Copy)]
pub struct Library(*mut c_void);

impl Library {
    /// What the program was linked to, and what it loaded with RTLD_GLOBAL.
    pub const GLOBAL: Library = Library(libc::RTLD_DEFAULT);

    /// The library of that name if it is already loaded, in whatever scope.
    pub fn already_loaded(name: &CStr) -> Option<Library> {
        Self::open(name, libc::RTLD_NOLOAD)
    }

    /// Loads the library of that name. It stays loaded.
    pub fn load(name: &CStr) -> Option<Library> {
        Self::open(name, 0)
    }

    /// The libraries that are loaded from files whose names begin so, in whatever scope, the first one first.
    pub fn loaded_as(start: &str) -> Vec<Library> {
        let mut paths: Vec<CString> = Vec::new();
        // SAFETY: the function calls `note` before it returns, and passes the vector on.
        unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut paths).cast()) };
        let is_named = |path: &&CString| {
            let name = path.to_bytes().rsplit(|&b| b == b'/').next();
            name.is_some_and(|name| name.starts_with(start.as_bytes()))
        };
        paths.iter().filter(is_named).filter_map(|path| Library::already_loaded(path)).collect()
    }

    /// The library that holds this address.
    pub fn of_address(address: usize) -> Option<Library> {
        // SAFETY: all bytes zero are a Dl_info; dladdr writes it.
        let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: dladdr takes any address.
        if unsafe { libc::dladdr(address as *const c_void, &mut found) } == 0 || found.dli_fname.is_null() {
            return None;
        }
        // SAFETY: dladdr's name is a C string that lives as long as the library.
        Self::already_loaded(unsafe { CStr::from_ptr(found.dli_fname) })
    }

    fn open(name: &CStr, flags: i32) -> Option<Library> {
        // SAFETY: name is a C string; the libraries asked for by this crate may be loaded at any time.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL | flags) };
        (!handle.is_null()).then_some(Library(handle))
    }

    /// The symbol behind that of the library that asks, in the order in which the program has loaded them.
    pub const NEXT: Library = Library(libc::RTLD_NEXT);

    pub fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: self.0 is RTLD_DEFAULT or came from dlopen and was never closed; name is a C string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// The symbol of that version.
    pub fn versioned_symbol(self, name: &CStr, version: &CStr) -> Option<*mut c_void> {
        // SAFETY: as above; version is a C string.
        let address = unsafe { libc::dlvsym(self.0, name.as_ptr(), version.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

/// Adds the path of a loaded library to a vector.
unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _size: usize, paths: *mut c_void) -> c_int {
    // SAFETY: the loader's name is a C string or NULL, and `paths` is what `loaded_as` has given.
    let (name, paths) = unsafe { ((*info).dlpi_name, &mut *paths.cast::<Vec<CString>>()) };
    if !name.is_null() {
        // SAFETY: as above.
        paths.push(unsafe { CStr::from_ptr(name) }.to_owned());
    }
    0
}

/// A struct of function pointers by their C names, with `find(library)` that is None unless all are there.
#[macro_export]
macro_rules! functions {
    ($(#[$m:meta])* $name:ident { $($field:ident = $symbol:literal: $type:ty),* $(,)? }) => {
        $(#[$m])*
        pub struct $name { $(pub $field: $type),* }
        impl $name {
            pub fn find(library: $crate::dl::Library) -> Option<Self> {
                Some($name { $($field: {
                    let symbol: *mut libc::c_void = library.symbol($symbol)?;
                    // SAFETY: the symbols have these C signatures in every version of the library.
                    unsafe { std::mem::transmute_copy::<*mut libc::c_void, $type>(&symbol) }
                }),* })
            }
        }
    };
}
