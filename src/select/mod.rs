//! What the choice of an engine for a pattern knows, and what it finds.
#![forbid(unsafe_code)]

pub mod decision;
pub mod features;
