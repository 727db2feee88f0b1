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

use crate::executor::cuda::args::{LevelArgs, MultiArgs};
use crate::executor::cuda::KernelName;

/// The kernels, and those for a graph.
const LEVR: KernelName<MultiArgs> = KernelName::new("levr");
const LEVC: KernelName<MultiArgs> = KernelName::new("levc");
const SLFR: KernelName<MultiArgs> = KernelName::new("slfr");
const SLFC: KernelName<MultiArgs> = KernelName::new("slfc");
const GSF: KernelName<MultiArgs> = KernelName::new("gsf");
const LEVR_GRAPH: KernelName<LevelArgs> = KernelName::new("levr_graph");
const LEVC_GRAPH: KernelName<LevelArgs> = KernelName::new("levc_graph");
/// What comes before those by rows and by columns.
const BEFORE_ROWS: KernelName<MultiArgs> = KernelName::new("prologue_rows");
const BEFORE_COLUMNS: KernelName<MultiArgs> = KernelName::new("prologue_columns");
