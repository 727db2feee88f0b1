//! What stands in a cell of the tables.

use crate::base::numbers::ms;
use crate::measure::timing::Timing;
use crate::paper::data::{General, GENERAL};
use crate::paper::results::Experiment;

/// What the paper says of a general matrix.
pub fn general_of(e: &Experiment) -> Option<&'static General> {
    GENERAL.iter().find(|g| g.name == e.name)
}

/// An analysis in milliseconds, and in solves.
pub fn setup_and_ratio(t: &Timing) -> (f64, f64) {
    (t.analysis_ms, t.analysis_ms / t.solve_mean_ms)
}

pub fn cell(ours: Option<(f64, f64)>) -> String {
    ours.map_or("-".into(), |(setup, ratio)| format!("{} ({ratio:.2})", ms(setup)))
}

pub fn beside(ours: Option<(f64, f64)>, setup: f64, ratio: f64) -> String {
    format!("{} \\| {setup} ({ratio})", cell(ours))
}
