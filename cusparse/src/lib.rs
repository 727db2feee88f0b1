//! `libsptrsv_cusparse.so`: the `cusparse<t>csrsv2` and `cusparse<t>csrsm2` functions that CUDA 12 removed,
//! on the program's own `cusparseHandle_t` and `cusparseMatDescr_t`, solved by libsptrsv.
//!
//! The rooms:
//! * `csrsv2`, `csrsm2`: the exported functions; `info`: what an info of theirs is;
//! * `lease`: one call's worth of a libsptrsv handle and descriptor, set up as the cuSPARSE ones say;
//! * `cusparse`: the getters of the libcusparse that the program has loaded, found at run time;
//! * `driver`: the few calls to the CUDA driver, found at run time;
//! * `sptrsv`: the C ABI of libsptrsv;
//! * `status`: from libsptrsv's statuses to cuSPARSE's twelve;
//! * `dl`: looking a symbol up.
//!
//! Environment: `SPTRSV_CUSPARSE_EXECUTOR=host` solves on the CPU, all arrays in host memory. It is for testing a program's
//! use of these functions, without a GPU with a stand-in for libcusparse.

#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)] // C functions: include/sptrsv_cusparse.h

mod csrsm2;
mod csrsv2;
mod cusparse;
mod dl;
mod driver;
mod info;
mod lease;
mod sptrsv;
mod status;
