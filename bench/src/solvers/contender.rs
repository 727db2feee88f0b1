//! What all solvers have in common.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::Result;

/// A solver on one system.
pub trait Contender {
    /// What must be done before an analysis but is not part of it.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }
    fn analyse(&mut self) -> Result<()>;
    /// Whether it is given values, by `update`, between an analysis and the first solve.
    fn wants_values(&self) -> bool {
        false
    }
    fn update(&mut self) -> Result<()> {
        Ok(())
    }
    fn solve(&mut self) -> Result<()>;
    /// Puts back what a call works on in place, in the executor's stream.
    fn restore(&mut self) -> Result<()> {
        Ok(())
    }
    /// Whether every call needs that, as a factorisation does: it replaces the matrix by the factors.
    fn restores_each(&self) -> bool {
        false
    }
    /// For how long its threads may keep processors busy after a call.
    fn rest(&self) -> Duration {
        Duration::ZERO
    }
    /// What the solver says of itself after analysis.
    fn facts(&self) -> Result<Facts> {
        Ok(Facts::default())
    }
}

/// What the paper calls the parts of an analysis.
pub const PARTS: [&str; 5] = ["MAT_D2H", "TRANS", "DEP", "LEV", "LEV_H2D"];

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The algorithm in use.
    pub algorithm: Option<String>,
    pub predicted_ms: Option<f64>,
    pub bytes_held: Option<i64>,
    pub levels: Option<i64>,
    /// The parts of the analysis, in milliseconds, as `PARTS` names them.
    pub parts_ms: Option<[f64; 5]>,
}
