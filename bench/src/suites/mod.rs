//! Which matrices are measured: the lists of generated ones, files, and what is done to their patterns and values
//! first.

pub mod cases;
pub mod entries;
pub mod lists;
pub mod selection;
pub mod values;
mod weak;
