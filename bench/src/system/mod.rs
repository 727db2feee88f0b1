//! A triangular system where it is solved: the executor with its memory, stream and clock, the system's arrays in it,
//! and whether a solution is right.

pub mod check;
pub mod executor;
pub mod residuals;
mod types;

pub use types::{download, upload, DeviceMatrix, Op, System, Type};
