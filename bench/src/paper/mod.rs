//! `sptrsv bench --suite paper`: the experiments of R. Li, "On parallel solution of sparse triangular linear
//! systems in CUDA", and what goes beyond them, on the machine at hand.
//!
//! Every solver does a lower solve and then an upper one with the triangles of a whole matrix A, as the paper
//! does. Results are kept after every matrix, so that a run can be resumed.

mod checks;
mod data;
mod experiment;
mod plots;
mod report;
mod results;
pub mod run;
mod tasks;
