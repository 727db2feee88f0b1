//! The commands for files, `sptrsv solve` and `sptrsv info`, and `sptrsv bench`, which is one of two benchmarks.

pub mod bench;
pub mod info;
pub mod solve;
