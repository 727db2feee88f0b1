//! The results of conjugate gradients as a table: the phases of both programs, and how their totals compare.

use super::pcg::{OURS, TOLERANCE};
use crate::base::numbers::{count, ms};
use crate::bench::layout::{self, Report};
use crate::bench::results::{MatrixResult, Results};
use crate::measure::timing::{repetitions, Timing};
use crate::solvers::peers::algorithm_of;

/// What is measured, as the head of a report says it.
pub const TITLE: &str = "Conjugate gradients with ILU(0)";

/// Of each program, then with a word before them of the peer.
const PHASES: [&str; 5] = ["iterations", "analysis", "ILU(0)", "solution", "total"];
const PEER_PHASES: [&str; 5] =
    ["peer iterations", "peer analysis", "csrilu02", "peer solution", "peer total"];
const RATIO: &str = "peer total/total";

pub struct PhaseTable {
    has_peer: bool,
}

impl PhaseTable {
    pub fn new(results: &Results) -> PhaseTable {
        PhaseTable { has_peer: results.spsv.is_some() }
    }

    fn columns(&self) -> Vec<String> {
        let peer = ["by"].into_iter().chain(PEER_PHASES).chain([RATIO]).filter(|_| self.has_peer);
        let all = ["matrix", "n", "nnz", "levels"].into_iter().chain(PHASES).chain(peer);
        all.chain(["engine", "residual"]).map(String::from).collect()
    }

    fn cells(&self, m: &MatrixResult) -> Vec<String> {
        let dash = || "-".to_string();
        let own = m.timing(OURS);
        let mut cells = vec![m.label(), count(m.n), count(m.nnz), m.levels.to_string()];
        cells.extend(phases(own));
        if self.has_peer {
            cells.push(m.peer().map_or_else(dash, |p| algorithm_of(&p.solver).into()));
            cells.extend(phases(m.peer()));
            cells.push(ratio(m).map_or_else(dash, |ratio| format!("{ratio:.2}")));
        }
        cells.push(own.and_then(|t| t.facts.algorithm.clone()).unwrap_or_else(dash));
        let residual = own.and_then(|t| t.phases.as_ref()).map(|p| p.residual);
        cells.push(residual.map_or_else(dash, |residual| format!("{residual:.1e}")));
        cells
    }
}

fn phases(timing: Option<&Timing>) -> [String; 5] {
    let Some((t, p)) = timing.and_then(|t| Some((t, t.phases.as_ref()?))) else {
        return std::array::from_fn(|_| "-".into());
    };
    let times = [t.analysis_ms, p.factorisation_ms, p.iterations_ms, t.solve_median_ms].map(ms);
    let [analysis, factorisation, solution, total] = times;
    [p.iterations.to_string(), analysis, factorisation, solution, total]
}

fn ratio(m: &MatrixResult) -> Option<f64> {
    Some(m.peer()?.solve_median_ms / m.timing(OURS)?.solve_median_ms)
}

impl Report for PhaseTable {
    fn heading(&self) -> String {
        let columns = self.columns();
        layout::aligned(&columns, &columns)
    }

    fn line(&self, m: &MatrixResult, _: &[MatrixResult]) -> String {
        layout::line(&self.columns(), m, |m| self.cells(m))
    }

    fn summary(&self, results: &Results) -> String {
        let ratios = results.matrices.iter().filter_map(|m| Some((ratio(m)?, m)));
        layout::mean("peer total / total", &ratios.collect::<Vec<_>>())
    }

    fn markdown(&self, results: &Results) -> String {
        let Results { machine, library, date, system, .. } = results;
        let cusparse = match &results.spsv {
            Some(version) => {
                format!(
                    " Products and sums of both programs are SpMV, Axpby and SpVV of cuSPARSE {version}. peer: csrilu02 and two calls \
                     of SpSV of the same cuSPARSE. by: SpSV's algorithm with the least total."
                )
            }
            None => " Products and sums are plain loops.".into(),
        };
        format!(
            "{machine}, libsptrsv {library}, {date}. {system}. Times in ms; a row is the run with the median of the totals, to a \
             residual of {TOLERANCE:e}.\n\n{}\nanalysis: of L and U, of csrilu02 too. ILU(0): sptrsvIlu0. solution: all iterations, each \
             with sptrsvSolvePair. total: the sum. Memory is allocated and values are copied before.{cusparse} levels: of the lower \
             triangle. engine: that of L. residual: |b - A x| / |b|, computed from the solution. Values are those of the model \
             problem, or of the file.\n\n{}\n\n{}",
            layout::rows(&self.columns(), results, |m| self.cells(m)),
            repetitions(results.matrices.iter().flat_map(|m| &m.timings)),
            layout::list(&self.summary(results), results)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::timing::Phases;

    fn timing(solver: &str, total: f64) -> Timing {
        let phases = Phases { factorisation_ms: 2.0, iterations: 50, iterations_ms: 40.0, residual: 1e-9 };
        let (solver, phases) = (solver.into(), Some(phases));
        Timing { solver, analysis_ms: 3.0, solve_median_ms: total, phases, ..Timing::default() }
    }

    fn results(timings: Vec<Timing>, spsv: Option<&str>) -> Results {
        let m = MatrixResult { name: "a".into(), rhs: 1, timings, ..MatrixResult::default() };
        Results { spsv: spsv.map(String::from), matrices: vec![m], ..Results::default() }
    }

    #[test]
    fn totals_are_compared_with_the_best_of_the_peers() {
        let all = vec![timing("SpSV", 180.0), timing("SpSV ALG2", 135.0), timing(OURS, 45.0)];
        let results = results(all, Some("12.9.4"));
        let report = PhaseTable::new(&results).markdown(&results);
        let line = "- peer total / total: geometric mean 3.00, least 3.00 (a), most 3.00 (a), 1 system";
        assert!(report.lines().any(|l| l == line), "{report}");
        assert!(report
            .contains("| 50 | 3.00 | 2.00 | 40.0 | 45.0 | ALG2 | 50 | 3.00 | 2.00 | 40.0 | 135 | 3.00 |"));
    }

    #[test]
    fn without_a_peer_there_are_no_columns_for_it() {
        let results = results(vec![timing(OURS, 45.0)], None);
        let table = PhaseTable::new(&results);
        assert!(!table.heading().contains("peer") && table.summary(&results).is_empty());
        assert!(table.markdown(&results).contains("| 50 | 3.00 | 2.00 | 40.0 | 45.0 | - | 1.0e-9 |"));
    }
}
