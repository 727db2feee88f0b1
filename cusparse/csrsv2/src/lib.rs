//! `libsptrsv_cusparse.so`: the `cusparse<t>csrsv2` and `cusparse<t>csrsm2` functions that CUDA 12 removed,
//! on the program's own `cusparseHandle_t` and `cusparseMatDescr_t`, solved by libsptrsv.
//!
//! The rooms: `csrsv2` and `csrsm2` have the exported functions; `info` says what an info of theirs is; all else is shared
//! with the library of SpSV and SpSM (`cusparse/common`).
//!
//! Environment: `SPTRSV_CUSPARSE_EXECUTOR=host` solves on the CPU, all arrays in host memory. It is for testing a program's
//! use of these functions, without a GPU with a stand-in for libcusparse.

#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)] // C functions: include/sptrsv_cusparse.h

mod csrsm2;
mod csrsv2;
mod info;
