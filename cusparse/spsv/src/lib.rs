//! `libsptrsv_spsv.so`: `cusparseSpSV` and `cusparseSpSM` on the program's own handles and descriptors of CUDA 12 and 13, solved by
//! libsptrsv; where asked, also `csrilu02` and `csric02`. What this library does not serve goes to the real functions, with a real
//! descriptor that is made when it is needed.
//!
//! The way of a call: `spsv` or `spsm` (the exported function) makes a [`args::Call`]; `call` finds the descriptor in `descr` and asks
//! `matrix` whether the problem is one for libsptrsv. Then `ours` or `real` does the work, and `report` counts it. What a destroyed
//! descriptor has analysed goes to `kept`. `factor` has all of csrilu02 and csric02.
//!
//! Environment, read once:
//! * `SPTRSV_SPSV=off`: everything goes to the real functions;
//! * `SPTRSV_SPSV_FACTORISATIONS=on`: csrilu02 and csric02 are served too;
//! * `SPTRSV_SPSV_KEEP=N`: how many analyses of destroyed descriptors are kept, 8 by default;
//! * `SPTRSV_LOG=error`, `info` or `trace`: what is refused, analysed or solved, in a line each on stderr;
//! * `SPTRSV_SPSV_REPORT=PID`: a report on stderr when the process ends, in that process also where there is nothing to report;
//! * `SPTRSV_CUSPARSE_EXECUTOR=host`: solves on the CPU, all arrays in host memory, for tests with a stand-in for libcusparse.

#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)] // C functions: cuSPARSE's header

mod args;
mod buffer;
mod call;
mod descr;
mod factor;
mod info;
mod kept;
mod matrix;
mod ours;
mod real;
mod report;
mod spsm;
mod spsv;
mod table;
