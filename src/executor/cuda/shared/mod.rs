//! What kernels and the library share: the arguments of kernels, and constants. Each is written here once. The build script
//! makes a header of C++ of each file of this folder, and of each `shared.rs` elsewhere: `solve.rs` is `shared/solve.h` to kernels,
//! and `engines/thin/shared.rs` is `shared/thin.h`.
//!
//! A pointer of a kernel is an [`Address`] here. A comment behind the field, as `// <u32>`, says what is there: in C++ the field is a
//! pointer to that. What a kernel has for each type of value has a parameter there, as `/*<T>*/` says.
#![forbid(unsafe_code)]

use crate::address::Address;

pub mod cluster;
pub mod copies;
pub mod diagonal;
pub mod factor;
pub mod pattern;
pub mod solve;
pub mod sweep;

/// To kernels a struct with functions, of the same fields.
pub use pattern::PatternArgs as Pattern;

/// `const T *` in C++, by kernels/device/pointers.cuh.
pub type ConstPtr = Address;
/// `T *`.
pub type MutPtr = Address;
/// `volatile T *`.
pub type VolatilePtr = Address;
