//! The algorithms of the paper (R. Li, On parallel solution of sparse triangular linear systems in CUDA, 2017), and its baseline.
#![forbid(unsafe_code)]

pub mod gsf;
pub mod levc;
mod level;
pub mod levr;
mod self_scheduled;
pub mod slfc;
pub mod slfr;
mod tuning;
