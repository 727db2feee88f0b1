//! What the libraries with cuSPARSE's names have in common.
//!
//! * [`pooled`]: one call's worth of a libsptrsv handle and descriptor, set up as the program's cuSPARSE handle says;
//! * [`cusparse`]: the getters of the libcusparse that the program has loaded, found at run time;
//! * [`driver`]: the few calls to the CUDA driver, found at run time;
//! * [`pivot`]: the row of a zero pivot, reported as cuSPARSE does;
//! * [`sptrsv`]: the C ABI of libsptrsv;
//! * [`status`]: from libsptrsv's statuses to cuSPARSE's twelve;
//! * [`dl`]: looking a symbol up;
//! * [`log`]: lines on standard error.

#![allow(clippy::missing_safety_doc)] // C functions: include/sptrsv.h and cuSPARSE's header

pub mod cusparse;
pub mod dl;
pub mod driver;
pub mod log;
pub mod pivot;
pub mod pooled;
pub mod sptrsv;
pub mod status;
