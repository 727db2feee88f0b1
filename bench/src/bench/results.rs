//! What one run measured, as it is kept in a JSON file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base::Result;
use crate::measure::timing::{self, Timing};
use crate::solvers::peers::SPSV;
use crate::suites::values::Origin;

/// Everything that was measured in one run.
#[derive(Serialize, Deserialize, Default)]
pub struct Results {
    pub machine: String,
    pub library: String,
    pub spsv: Option<String>,
    pub csrsv2: Option<String>,
    /// What the host executor is compared with, and MKL's version.
    #[serde(default)]
    pub host_peers: Vec<String>,
    #[serde(default)]
    pub mkl: Option<String>,
    pub date: String,
    pub system: String,
    pub matrices: Vec<MatrixResult>,
}

/// Results did not always say how many right-hand sides they are of.
fn one() -> usize {
    1
}

/// The times of all solvers on one system.
#[derive(Serialize, Deserialize, Clone, Default)]
pub struct MatrixResult {
    pub name: String,
    pub stand_in: bool,
    pub values: Origin,
    /// S, D, C or Z, and N, T or H.
    pub value_type: String,
    pub op: String,
    /// How many right-hand sides are solved for together; times are of all of them.
    #[serde(default = "one")]
    pub rhs: usize,
    pub n: usize,
    pub nnz: usize,
    pub levels: usize,
    pub widest: usize,
    /// The yardstick of a GPU, in ms, and which of its terms that is.
    pub limit_ms: Option<f64>,
    #[serde(default)]
    pub bound_by: Option<String>,
    /// The term that is measured, for several right-hand sides: to fetch their unknowns for each entry.
    #[serde(default)]
    pub gather_ms: Option<f64>,
    pub timings: Vec<Timing>,
    pub error: Option<String>,
}

impl MatrixResult {
    /// Whether it is of the same system, or of a matrix that there was nothing to be had of.
    pub fn replaces(&self, old: &MatrixResult) -> bool {
        self.name == old.name && (old.error.is_some() || self.system() == old.system())
    }
    pub fn timing(&self, solver: &str) -> Option<&Timing> {
        self.timings.iter().find(|t| t.solver == solver && t.is_good())
    }
    /// The fastest of cuSPARSE's algorithms.
    pub fn peer(&self) -> Option<&Timing> {
        timing::peer(&self.timings)
    }
    pub fn label(&self) -> String {
        format!("{}{}{}", self.name, if self.stand_in { " *" } else { "" }, self.values.mark())
    }
    /// Value type, operation and how many right-hand sides, where they are several.
    pub fn system(&self) -> String {
        let several = if self.rhs > 1 { format!(" x{}", self.rhs) } else { String::new() };
        format!("{} {}{several}", self.value_type, self.op)
    }
    pub fn is_whole(&self) -> bool {
        self.error.is_none() && self.timings.iter().all(Timing::is_good)
    }
}

/// What an earlier run measured, of the same kind on the same machine; nothing where there is no such file.
pub fn earlier(path: Option<&Path>, now: &Results, failures_too: bool) -> Result<Vec<MatrixResult>> {
    let path = path.ok_or("--resume needs --out or --json, which say where to resume from")?;
    let text = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|e| format!("{}: {e}", path.display()))?,
    };
    let then: Results = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let what = |r: &Results| {
        let peer = |name, version: &Option<String>| {
            version.as_ref().map_or_else(|| format!("no {name}"), |v| format!("{name} {v}"))
        };
        let peers =
            [r.host_peers.join(", "), peer(SPSV, &r.spsv), peer("csrsv2", &r.csrsv2), peer("MKL", &r.mkl)]
                .join(", ");
        format!("{}, {}, library {}, {peers}", r.machine, r.system, r.library)
    };
    if what(&then) != what(now) {
        let (path, then, now) = (path.display(), what(&then), what(now));
        return Err(format!("{path} is of another run ({then}), not to be resumed by this one ({now})"));
    }
    Ok(then.matrices.into_iter().filter(|m| failures_too || m.is_whole()).collect())
}
