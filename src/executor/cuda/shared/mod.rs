//! What kernels and the library share: the arguments of kernels, and constants. Each is written here once. The build script
//! makes a header of C++ of each file of this folder, and of each `shared.rs` elsewhere: `solve.rs` is `shared/solve.h` to kernels,
//! and `engines/thin/shared.rs` is `shared/thin.h`.
//!
//! A pointer of a kernel is an address here. [`ConstPtr`] and the others say what is there; in C++ they are pointers to that
//! (kernels/device/pointers.cuh). What a kernel has for each type of value has a parameter `T`, which stands for [`Value`] here.
#![forbid(unsafe_code)]

pub mod copies;
pub mod diagonal;
pub mod factor;
pub mod pattern;
pub mod solve;
pub mod sweep;

/// To kernels a struct with functions, of the same fields.
pub type Pattern = pattern::PatternArgs;

/// Whatever a pointer leads to, its address is a number.
pub trait Pointee {
    type Address;
}

impl<T: ?Sized> Pointee for T {
    type Address = u64;
}

/// `const T *`, or 0.
pub type ConstPtr<T> = <T as Pointee>::Address;
/// `T *`, or 0.
pub type MutPtr<T> = <T as Pointee>::Address;
/// `volatile T *`, or 0.
pub type VolatilePtr<T> = <T as Pointee>::Address;

/// A value of whatever type the kernel is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value;
/// `uint2` of CUDA: two words.
pub struct Uint2;
/// `uint4` of CUDA: four words.
pub struct Uint4;
