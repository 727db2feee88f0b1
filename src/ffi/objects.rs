//! Objects
//!
//! A program creates three kinds of objects and destroys each of them. A handle says where and how work is done. A matrix
//! descriptor says how the arrays of a matrix are to be read. An info holds the analysis of one matrix; it may outlive the handle.
//!
//! Threads: objects are independent of one another. One object is used by one thread at a time; a descriptor that nobody changes
//! may be read by several.

use crate::context::Context;
use crate::executor::Owned;
use crate::info::Info;
use crate::problem::MatDescr;

/// What a handle points to.
pub struct sptrsvContext(pub(crate) Owned<Context>);
/// What a matrix descriptor points to.
pub struct sptrsvMatDescr(pub(crate) MatDescr);
/// What an info points to.
pub struct sptrsvInfo(pub(crate) Owned<Info>);
/// What a CUDA stream points to (defined by CUDA).
pub struct CUstream_st {
    _opaque: [u8; 0],
}

/// A handle: executor, stream, pointer mode and watchdog.
///
/// In a child of fork, handles and infos of the host executor can be used, on the calling thread alone; what another thread was using
/// at the fork gives INVALID_VALUE. Those of a GPU give EXECUTION_FAILED, as CUDA does not serve such a child. All can be destroyed.
pub type sptrsvHandle_t = *mut sptrsvContext;
/// A matrix descriptor: how the arrays of a matrix are to be read.
pub type sptrsvMatDescr_t = *mut sptrsvMatDescr;
/// A matrix descriptor that is only read. A sptrsvMatDescr_t can be passed for it.
pub type sptrsvConstMatDescr_t = *const sptrsvMatDescr;
/// An info: what the analysis of one triangular matrix found. It also holds the work space of its solves, so solves and updates
/// with one info must not run at the same time (on two streams, or in a graph and on a stream): their results would be undefined.
/// Order them by events, or use one info for each.
pub type sptrsvInfo_t = *mut sptrsvInfo;
/// An info that is only read. A sptrsvInfo_t can be passed for it.
pub type sptrsvConstInfo_t = *const sptrsvInfo;
/// A CUDA stream: the same type as cudaStream_t and CUstream. NULL is the default stream.
pub type sptrsvStream_t = *mut CUstream_st;
