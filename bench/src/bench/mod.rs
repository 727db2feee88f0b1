//! `sptrsv bench`: every solver on every matrix of a suite or of files. Its options, the run, its results, and the table
//! of them in the terminal and in Markdown; and the same for what is around a solve.

pub mod args;
pub mod around;
mod layout;
mod outputs;
mod results;
pub mod run;
mod session;
mod start;
mod systems;
mod table;
