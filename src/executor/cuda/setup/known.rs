//! What an analysis leaves for the next one, and how long it took.

use std::time::Duration;

use super::Found;
use crate::analysis::Pattern;

/// Times of the paper's setup operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetupTimes {
    pub mat_d2h: Duration,
    pub trans: Duration,
    pub dep: Duration,
    pub lev: Duration,
    pub lev_h2d: Duration,
}

/// What the analysis for an operation leaves for that of the transposed one.
#[derive(Default)]
pub enum Known {
    /// There is only one analysis.
    #[default]
    Unwanted,
    /// Nothing yet.
    Nothing,
    /// The pattern, found good, and the levels for the transposed operation if there are any.
    OnHost(Pattern, Option<Vec<u32>>),
    OnDevice(Found),
}
