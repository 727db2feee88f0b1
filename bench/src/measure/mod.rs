//! Measuring one solver on one system: its analysis, whether its solution is right, the time of a solve, and what
//! there is to compare this time with. Where the GPU is lost, a new process goes on.

pub mod gather;
pub mod limit;
pub mod relaunch;
pub mod statistics;
pub mod timing;
