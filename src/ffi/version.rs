//! Version
//!
//! The macros are the version of this header. sptrsvGetProperty, and sptrsvGetVersion for a handle, tell the version of the library
//! that is loaded.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use super::guard::{guard, raw, write};
use crate::error::sptrsvStatus_t;
use crate::problem::Property;

/// The major version of this header.
pub const SPTRSV_VERSION_MAJOR: c_int = 0;
/// The minor version of this header, less than 100.
pub const SPTRSV_VERSION_MINOR: c_int = 2;
/// The patch level of this header, less than 100.
pub const SPTRSV_VERSION_PATCH: c_int = 0;
/// The version of this header in one number: 10000 * major + 100 * minor + patch.
pub const SPTRSV_VERSION: c_int =
    10000 * SPTRSV_VERSION_MAJOR + 100 * SPTRSV_VERSION_MINOR + SPTRSV_VERSION_PATCH;

/// A part of the version; libraryPropertyType's numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum sptrsvProperty_t {
    SPTRSV_PROPERTY_MAJOR_VERSION = 0,
    SPTRSV_PROPERTY_MINOR_VERSION = 1,
    SPTRSV_PROPERTY_PATCH_LEVEL = 2,
}

/// Reads a part of the version of the library that is loaded. It needs no handle.
///
/// \param property  the part
/// \param value     receives the number
/// \return SUCCESS; INVALID_VALUE when `value` is NULL or `property` is out of range
///
/// Blocking: no. Graph capture: allowed; the call does no GPU work.
///
/// # Safety
/// `value` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn sptrsvGetProperty(
    property: MaybeUninit<sptrsvProperty_t>,
    value: *mut c_int,
) -> sptrsvStatus_t {
    guard(|| {
        let part = match Property::from_raw(raw(property))? {
            Property::Major => SPTRSV_VERSION_MAJOR,
            Property::Minor => SPTRSV_VERSION_MINOR,
            Property::Patch => SPTRSV_VERSION_PATCH,
        };
        write(value, "value", part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_the_version_of_the_package() {
        let [major, minor, patch] = [SPTRSV_VERSION_MAJOR, SPTRSV_VERSION_MINOR, SPTRSV_VERSION_PATCH];
        assert_eq!(env!("CARGO_PKG_VERSION"), format!("{major}.{minor}.{patch}"));
        // Else two versions would have the same number.
        assert!(minor < 100 && patch < 100);
        assert_eq!(SPTRSV_VERSION, major * 10000 + minor * 100 + patch);
    }
}
