//! Every exported function and public C type: null checks, conversion, one call.
//!
//! `include/sptrsv.h` is generated from these files by `build.rs`, a section a file: the first line of a file's documentation
//! is the title of its section, the rest is the introduction. An enum that a caller passes arrives as `MaybeUninit`, because
//! a C program may pass any number; `problem` turns it into a meaning.
#![allow(non_camel_case_types, non_snake_case)]

mod analysis;
mod descr;
mod errors;
mod factor;
mod guard;
mod handle;
mod info;
mod logging;
mod nvtx;
mod objects;
mod pair;
mod solve;
mod sweep;
mod tune;
mod version;

pub use analysis::*;
pub use descr::*;
pub use errors::*;
pub use factor::*;
pub use handle::*;
pub use info::*;
pub use logging::*;
pub use objects::*;
pub use pair::*;
pub use solve::*;
pub use sweep::*;
pub use tune::*;
pub use version::*;
