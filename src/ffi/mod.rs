//! Every exported function and public C type: null checks, conversion, one call.
//!
//! `include/sptrsv.h` is generated from these files by `build.rs`, which lists the files of each section. The documentation of the
//! last one is the title of the section and its introduction. An enum that a caller passes arrives as `MaybeUninit`, because
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
mod stats;
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
pub use stats::*;
pub use sweep::*;
pub use tune::*;
pub use version::*;
