//! libsptrsv: sparse triangular solves `op(A) x = alpha f` on NVIDIA GPUs and on CPU threads.
//!
//! The product is the C interface in `include/sptrsv.h`; this page is the map of the house behind it.
//! One solve walks one way, and no room reaches back:
//!
//! * [`ffi`]: every exported function and public C type, by object. Its `guard` catches panics and checks pointers.
//! * [`address`]: the type of addresses. [`problem`]: an integer becomes a meaning; [`error`]: a cause becomes a status and a sentence.
//! * [`info`]: what an info holds between calls: the fingerprint of the matrix, the plan, the pivots; [`stats`]: what it
//!   tells of them; [`factor`]: its incomplete factorisations; [`kept`]: the pattern that it knows again.
//! * [`engines`]: one folder an engine, the list of all, and AUTO's choice: how it solves, its costs, its numbers.
//! * [`executor`]: where the work is done: every driver call (`cuda`), every thread (`host`), and an analysis on either.
//! * [`workspace`]: bytes and offsets in the caller's buffer.
//! * [`select`]: what the choice of an engine knows of a pattern, and what it finds.
//! * [`analysis`]: what is common to analyses, and the normal form that every solve walks.
//! * [`gpus`]: how fast GPUs are; [`tuning`]: measured numbers that no engine owns.

pub mod address;
pub mod analysis;
mod context;
pub mod engines;
pub mod error;
pub mod executor;
mod factor;
pub mod ffi;
pub mod gpus;
mod info;
mod kept;
mod log;
pub mod problem;
pub mod scalar;
pub mod select;
mod stats;
pub mod tuning;
pub mod workspace;
