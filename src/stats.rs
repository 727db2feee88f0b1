//! What a call tells of an info: what its analysis found and cost, and the pivot of its last solve.
#![forbid(unsafe_code)]

use std::time::Duration;

use crate::error::{Error, Result};
use crate::executor::cuda::SetupTimes;
use crate::problem::Setup;

/// See sptrsvStats_t.
pub struct Stats {
    pub rows: u32,
    pub entries_used: i64,
    pub levels: usize,
    pub widest_level: u32,
    pub algorithm: i32,
    pub setup: Setup,
    /// Of the whole analysis.
    pub time: Duration,
    /// Of its parts.
    pub times: SetupTimes,
    pub bytes_held: usize,
    /// Of a solve; zero where no model tells.
    pub predicted: Duration,
    /// The same as a tuning has measured it; zero where there was none.
    pub tuned: Duration,
    /// In the matrix's own index base.
    pub missing_diagonal: Option<i64>,
    /// Whether the analysis has found the pattern that the info held.
    pub pattern_was_known: bool,
}

/// The first row with a zero on its diagonal.
pub struct Pivot {
    /// In the matrix's own index base; -1 where there is none.
    pub position: i64,
    pub is_structural: bool,
}

impl Pivot {
    /// What a call returns that reports it.
    pub fn result(&self) -> Result<()> {
        match *self {
            Pivot { position: -1, .. } => Ok(()),
            Pivot { position: row, is_structural: structural } => Err(Error::ZeroPivot { row, structural }),
        }
    }
}
