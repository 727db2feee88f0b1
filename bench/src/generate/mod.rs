//! Patterns of matrices made by rule, the same in every run: grids and points, lattices, and structures of other kinds;
//! complete factors, coarse operators, reservoirs, meshes of finite elements and graphs. Values of model problems on grids.

pub mod factor;
pub mod graph;
pub mod grids;
pub mod lattice;
pub mod mesh;
pub mod model;
pub mod multigrid;
pub mod reservoir;
pub mod structures;
