//! What kernels know too, each written here once: `executor/cuda/shared/mod.rs` says how they come by it.
#![forbid(unsafe_code)]

pub mod nodes;
pub mod panels;
pub mod ranges;
pub mod schedule;
