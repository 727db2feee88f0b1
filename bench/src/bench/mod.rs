//! `sptrsv bench`: every solver on every matrix of a suite or of files. Its options, the run, its results, and the table
//! of them in the terminal and in Markdown.

pub mod args;
mod outputs;
mod results;
pub mod run;
mod systems;
mod table;
