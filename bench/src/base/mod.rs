//! What every other room uses: the type of results, printing, files that are written whole, memory that is asked for
//! before it is taken, numbers in words, dates, progress, threads, and libraries that are loaded at run time.

#[macro_use]
pub mod output;
pub mod date;
pub mod dynamic;
pub mod files;
pub mod memory;
pub mod numbers;
pub mod progress;
mod result;
pub mod threads;

pub use result::Result;
