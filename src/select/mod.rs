//! The choice of an engine for a pattern: what is known of it, and what takes least.
#![forbid(unsafe_code)]

pub mod decision;
pub mod features;
