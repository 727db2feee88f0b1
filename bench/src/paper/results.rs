//! What the experiments measured, as it is kept in a JSON file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base::Result;
use crate::measure::timing::{peer, Timing};
use crate::solvers::peers::SPSV;
use crate::suites::values::Origin;

/// The paper's own solvers, which can all be set up on the CPU and on the GPU.
pub const PAPER_SOLVERS: [&str; 4] = ["LEVR", "LEVC", "SLFR", "SLFC"];

#[derive(Serialize, Deserialize, Default)]
pub struct Results {
    pub machine: String,
    pub on_gpu: bool,
    pub library: String,
    pub spsv: Option<String>,
    pub csrsv2: Option<String>,
    pub date: String,
    pub experiments: Vec<Experiment>,
}

/// An analysis on the GPU of both triangles, in milliseconds.
#[derive(Serialize, Deserialize, Clone, Default)]
pub struct GpuSetup {
    pub total: f64,
    /// As `solvers::contender::PARTS` names them.
    pub parts: [f64; 5],
}

/// One matrix in one precision.
#[derive(Serialize, Deserialize, Clone, Default)]
#[serde(default)]
pub struct Experiment {
    pub name: String,
    /// "5pt", "9pt", "7pt", "27pt" or "general".
    pub group: String,
    /// Aspect ratio of a grid.
    pub ratio: usize,
    pub value_type: String,
    /// Whether a generated matrix stands in for one of this name.
    pub stand_in: bool,
    pub values: Origin,
    pub n: usize,
    /// Entries of the whole matrix.
    pub nnz: usize,
    pub levels_lower: usize,
    pub levels_upper: usize,
    /// The yardstick of a GPU for the lower triangle alone, in milliseconds.
    pub limit_ms: Option<f64>,
    /// A lower and an upper solve; the analysis is on the CPU for the paper's solvers.
    pub timings: Vec<Timing>,
    /// Analysis on the GPU: solver, times, or why there are none.
    pub gpu_setups: Vec<(String, std::result::Result<GpuSetup, String>)>,
    /// LEVR's with the paper's levels, which are found one by one.
    pub kahn_setup: Option<std::result::Result<GpuSetup, String>>,
    /// AUTO, lower triangle alone: the solve, and the solve with its transpose.
    pub plain: Option<Timing>,
    pub transposed: Option<Timing>,
    /// AUTO, lower triangle: right-hand sides and milliseconds for all of them.
    pub multi: Vec<(usize, std::result::Result<f64, String>)>,
    pub error: Option<String>,
}

impl Experiment {
    /// The time of a solver; SpSV's is that of the fastest of its algorithms.
    pub fn timing(&self, solver: &str) -> Option<&Timing> {
        if solver == SPSV {
            return peer(&self.timings);
        }
        self.timings.iter().find(|t| t.solver == solver && t.is_good())
    }
    pub fn gflops(&self, solver: &str) -> Option<f64> {
        self.timing(solver).map(|t| 2.0 * self.nnz as f64 / (t.solve_mean_ms * 1e6))
    }
    pub fn is_whole(&self) -> bool {
        failures(self).is_empty() && self.timings.iter().all(Timing::is_good)
    }
}

/// Its name in tables, with a mark where it is a stand-in or has values of its own kind.
pub fn label(e: &Experiment) -> String {
    if e.stand_in {
        format!("{} *", e.name)
    } else {
        format!("{}{}", e.name, e.values.mark())
    }
}

/// A line for each thing that went wrong.
pub fn failures(e: &Experiment) -> Vec<String> {
    let place = format!("{} {}", e.name, e.value_type);
    let mut lines: Vec<String> = e.error.iter().map(|error| format!("{place} failed: {error}")).collect();
    let extra = e.plain.iter().chain(&e.transposed);
    for t in e.timings.iter().chain(extra) {
        lines.extend(t.error.iter().map(|error| format!("{place}: {} failed: {error}", t.solver)));
    }
    let kahn = e.kahn_setup.iter().map(|setup| ("LEVR with Kahn's levels", setup));
    for (solver, setup) in e.gpu_setups.iter().map(|(s, setup)| (s.as_str(), setup)).chain(kahn) {
        lines.extend(
            setup.as_ref().err().map(|error| format!("{place}: {solver} set up on the GPU failed: {error}")),
        );
    }
    for (rhs, time) in &e.multi {
        lines.extend(
            time.as_ref().err().map(|error| format!("{place}: {rhs} right-hand sides failed: {error}")),
        );
    }
    lines
}

/// Which row of the paper's tables a grid is.
pub fn index_of(e: &Experiment) -> Option<usize> {
    let ratios = if e.group == "5pt" || e.group == "9pt" { [1, 4, 16, 64, 256] } else { [1, 4, 8, 32, 64] };
    ratios.iter().position(|&r| r == e.ratio)
}

/// The analysis of a solver on the GPU.
pub fn on_gpu<'e>(e: &'e Experiment, solver: &str) -> Option<&'e GpuSetup> {
    e.gpu_setups.iter().find(|(s, _)| s == solver).and_then(|(_, setup)| setup.as_ref().ok())
}

/// Its time in milliseconds, and in solves.
pub fn gpu_setup(e: &Experiment, solver: &str) -> Option<(f64, f64)> {
    let setup = on_gpu(e, solver)?.total;
    Some((setup, setup / e.timing(solver)?.solve_mean_ms))
}

/// What an earlier run measured.
pub fn earlier(file: &Path, failures_too: bool) -> Result<Results> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(Results::default()) };
    let mut results: Results = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    results.experiments.retain(|e| failures_too || e.is_whole());
    Ok(results)
}
