//! Patterns of matrices made by rule, the same in every run: grids and points, lattices, and structures of other kinds.

pub mod grids;
pub mod lattice;
pub mod structures;
