//! The commands for files, `sptrsv solve` and `sptrsv info`, `sptrsv bench`, which is one of two benchmarks, and `sptrsv man`.

pub mod bench;
pub mod info;
pub mod man;
pub mod solve;
