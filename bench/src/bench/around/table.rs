//! The results as a table: times in columns, and what they are compared by.

use super::{factors, pair, sweep};
use crate::base::numbers::{count, ms};
use crate::bench::layout::{self, Report};
use crate::bench::results::{MatrixResult, Results};
use crate::measure::timing::repetitions;
use crate::solvers::cusparse::factors::name;
use crate::solvers::factorisation::Kind;
use crate::solvers::peers::algorithm_of;
use crate::suites::lists::Around;

/// The fastest of what is made of SpSV's algorithms.
const PEER: &str = "peer";

/// A time over another time.
type Ratio = (&'static str, &'static str);

/// What is measured, as the head of a report says it.
pub fn title(what: Around) -> &'static str {
    match what {
        Around::Pair => "Solves with both factors of ILU(0)",
        Around::Sweep => "Forward Gauss-Seidel sweeps",
        Around::Factorisation => "ILU(0) and IC(0)",
    }
}

/// What has columns: ours first, whose facts the other columns tell.
fn ours(what: Around) -> &'static [&'static str] {
    match what {
        Around::Pair => &[pair::PAIR, pair::PERMUTED, pair::TWO],
        Around::Sweep => &[sweep::SWEEP, sweep::SOLVE],
        Around::Factorisation => &[factors::ILU0, factors::IC0, factors::SOLVE],
    }
}

/// What has columns where there is a cuSPARSE.
fn others(what: Around) -> Vec<&'static str> {
    match what {
        Around::Pair => Vec::new(),
        Around::Sweep => vec![sweep::COMPOSED],
        Around::Factorisation => vec![name(Kind::Ilu0), name(Kind::Ic0)],
    }
}

fn ratios(what: Around) -> Vec<Ratio> {
    use {factors::*, pair::*, sweep::*};
    match what {
        Around::Pair => vec![(PAIR, TWO), (PERMUTED, PAIR), (PEER, PAIR)],
        Around::Sweep => vec![(SWEEP, sweep::SOLVE), (SWEEP, COMPOSED), (PEER, SWEEP)],
        Around::Factorisation => vec![
            (ILU0, factors::SOLVE),
            (IC0, factors::SOLVE),
            (name(Kind::Ilu0), ILU0),
            (name(Kind::Ic0), IC0),
        ],
    }
}

/// What the columns are.
fn words(what: Around) -> &'static str {
    match what {
        Around::Pair => {
            "pair: sptrsvSolvePair with L, whose diagonal is ones, and U, both in one array. permuted pair: with rows and columns in \
             a random order. two solves: two calls of sptrsvSolve. peer: two calls of SpSV."
        }
        Around::Sweep => {
            "sweep: sptrsvSweep with weight 1 and a guess that is not zero. solve: sptrsvSolve with the lower triangle alone. \
             SpMV + solve: the residual b - A x by a copy and cusparseSpMV, sptrsvSolve, and x + d by cusparseAxpby. peer: the same \
             with SpSV in place of sptrsvSolve."
        }
        Around::Factorisation => {
            "ILU(0), IC(0): sptrsvIlu0 and sptrsvIc0. L solve: sptrsvSolve with the L of ILU(0). csrilu02, csric02: those of cuSPARSE, \
             with USE_LEVEL. The values are put back before each factorisation, which is not timed."
        }
    }
}

pub struct Table {
    what: Around,
    /// What has columns.
    solvers: Vec<&'static str>,
    ratios: Vec<Ratio>,
    /// Whether there is a time of the fastest of SpSV's algorithms.
    peer: bool,
    /// Whether each row says which value type it is of.
    several: bool,
}

impl Table {
    pub fn new(what: Around, several: bool, results: &Results) -> Table {
        let has_cusparse = results.spsv.is_some();
        let others = if has_cusparse { others(what) } else { Vec::new() };
        let solvers: Vec<&str> = ours(what).iter().copied().chain(others).collect();
        let peer = has_cusparse && what != Around::Factorisation;
        let is_there = |name: &str| solvers.contains(&name) || (peer && name == PEER);
        let ratios = ratios(what).into_iter().filter(|&(a, b)| is_there(a) && is_there(b)).collect();
        Table { what, ratios, peer, several, solvers }
    }

    /// The library's.
    pub fn own(&self) -> Vec<String> {
        ours(self.what).iter().map(|name| name.to_string()).collect()
    }

    fn columns(&self) -> Vec<String> {
        let mut columns = vec!["matrix".to_string()];
        columns.extend(self.several.then(|| "system".to_string()));
        columns.extend(["n", "nnz", "levels"].map(String::from));
        columns.extend([PEER, "by"].into_iter().filter(|_| self.peer).map(String::from));
        columns.extend(self.solvers.iter().map(|name| name.to_string()));
        columns.extend(self.ratios.iter().map(|(a, b)| format!("{a}/{b}")));
        columns.extend(["engine", "analysis", "MB held", "error"].map(String::from));
        columns
    }

    fn cells(&self, m: &MatrixResult) -> Vec<String> {
        let dash = || "-".to_string();
        let mut cells = vec![m.label()];
        cells.extend(self.several.then(|| m.system()));
        cells.extend([count(m.n), count(m.nnz), m.levels.to_string()]);
        if self.peer {
            cells.push(time(m, PEER).map_or_else(dash, ms));
            cells.push(m.peer().map_or_else(dash, |p| algorithm_of(&p.solver).into()));
        }
        for solver in &self.solvers {
            let is_there = m.timings.iter().any(|t| t.solver == *solver);
            cells.push(match m.timing(solver) {
                Some(t) => format!("{}{}", ms(t.solve_median_ms), if t.same_bits { "" } else { "~" }),
                None if is_there => "fail".into(),
                None => dash(),
            });
        }
        cells.extend(self.ratios.iter().map(|&r| ratio(m, r).map_or_else(dash, |r| format!("{r:.2}"))));
        let first = m.timing(self.solvers[0]);
        cells.push(first.and_then(|t| t.facts.algorithm.clone()).unwrap_or_else(dash));
        cells.push(first.map_or_else(dash, |t| ms(t.analysis_ms)));
        let held = first.and_then(|t| t.facts.bytes_held);
        cells.push(held.map_or_else(dash, |bytes| ms(bytes as f64 * 1e-6)));
        cells.push(first.map_or_else(dash, |t| format!("{:.2}", t.backward_error)));
        cells
    }

    fn means(&self, prefix: &str, all: &[&MatrixResult]) -> String {
        let line = |&(a, b): &Ratio| {
            let ratios = all.iter().filter_map(|&m| Some((ratio(m, (a, b))?, m)));
            layout::mean(&format!("{prefix}{a} / {b}"), &ratios.collect::<Vec<_>>())
        };
        self.ratios.iter().map(line).collect()
    }
}

impl Report for Table {
    fn heading(&self) -> String {
        let columns = self.columns();
        layout::aligned(&columns, &columns)
    }

    fn line(&self, m: &MatrixResult, _: &[MatrixResult]) -> String {
        layout::line(&self.columns(), m, |m| self.cells(m))
    }

    fn summary(&self, results: &Results) -> String {
        let systems = layout::systems(results);
        let all: Vec<&MatrixResult> = results.matrices.iter().collect();
        let mut text = self.means("", &all);
        for system in systems.iter().filter(|_| systems.len() > 1) {
            let some: Vec<&MatrixResult> = all.iter().copied().filter(|m| m.system() == *system).collect();
            text += &self.means(&format!("{system}: "), &some);
        }
        text
    }

    fn markdown(&self, results: &Results) -> String {
        let Results { machine, library, date, system, .. } = results;
        let cusparse = match &results.spsv {
            Some(version) => format!(" cuSPARSE {version} in the same run on the same arrays."),
            None => String::new(),
        };
        let first = self.solvers[0];
        let by = if self.peer { " by: SpSV's fastest algorithm." } else { "" };
        format!(
            "{machine}, libsptrsv {library}, {date}. {system}. Times in ms, medians.{cusparse}\n\n{}\n{}{by} nnz: of the whole \
             matrix; levels: of its lower triangle. engine, analysis, MB held, error: of {first}; the error is component-wise, in \
             units of (entries in the row) x epsilon. ~ marks results that differed in the last bits from run to \
             run. * a generated stand-in. Values are generated: the diagonal in [2, 3), the rest in (-1, 1) / the longest of the \
             rows and columns of both unknowns.\n\n{}\n\n{}",
            layout::rows(&self.columns(), results, |m| self.cells(m)),
            words(self.what),
            repetitions(results.matrices.iter().flat_map(|m| &m.timings)),
            layout::list(&self.summary(results), results)
        )
    }
}

/// The time of a solver, or of the peer.
fn time(m: &MatrixResult, solver: &str) -> Option<f64> {
    let timing = if solver == PEER { m.peer() } else { m.timing(solver) };
    timing.map(|t| t.solve_median_ms)
}

fn ratio(m: &MatrixResult, (a, b): Ratio) -> Option<f64> {
    Some(time(m, a)? / time(m, b)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::timing::Timing;

    fn results(times: &[(&str, f64)], has_cusparse: bool) -> Results {
        let timing = |&(solver, ms): &(&str, f64)| match ms.is_finite() {
            true => {
                Timing { solver: solver.into(), solve_median_ms: ms, same_bits: true, ..Timing::default() }
            }
            false => Timing::failed(solver, "it went wrong".into()),
        };
        let timings = times.iter().map(timing).collect();
        let m = MatrixResult { name: "a".into(), rhs: 1, timings, ..MatrixResult::default() };
        Results { spsv: has_cusparse.then(|| "12.9.4".into()), matrices: vec![m], ..Results::default() }
    }

    fn report(what: Around, times: &[(&str, f64)], has_cusparse: bool) -> String {
        let results = results(times, has_cusparse);
        Table::new(what, false, &results).markdown(&results)
    }

    #[test]
    fn each_suite_has_its_ratios() {
        let pair =
            [("SpSV", 8.0), ("SpSV ALG2", 4.0), ("pair", 1.0), ("permuted pair", 1.1), ("two solves", 2.0)];
        let sweep = [("SpSV", 9.0), ("SpMV + solve", 3.0), ("solve", 1.0), ("sweep", 1.5)];
        let factors =
            [("csrilu02", 6.0), ("csric02", f64::NAN), ("ILU(0)", 2.0), ("IC(0)", 3.0), ("L solve", 0.5)];
        let lines = [
            (Around::Pair, &pair[..], "pair / two solves", "0.50"),
            (Around::Pair, &pair, "permuted pair / pair", "1.10"),
            (Around::Pair, &pair, "peer / pair", "4.00"),
            (Around::Sweep, &sweep, "sweep / solve", "1.50"),
            (Around::Sweep, &sweep, "sweep / SpMV + solve", "0.50"),
            (Around::Sweep, &sweep, "peer / sweep", "6.00"),
            (Around::Factorisation, &factors, "ILU(0) / L solve", "4.00"),
            (Around::Factorisation, &factors, "IC(0) / L solve", "6.00"),
            (Around::Factorisation, &factors, "csrilu02 / ILU(0)", "3.00"),
        ];
        for (what, times, ratio, value) in lines {
            let report = report(what, times, true);
            let line =
                format!("- {ratio}: geometric mean {value}, least {value} (a), most {value} (a), 1 system");
            assert!(report.lines().any(|l| l == line), "no line '{line}' in\n{report}");
        }
        let report = report(Around::Factorisation, &factors, true);
        assert!(report.contains("- csric02 failed on a: it went wrong") && report.contains("| fail |"));
        assert!(!report.contains("csric02 / IC(0)"));
    }

    #[test]
    fn without_cusparse_there_are_no_columns_for_it() {
        for what in [Around::Pair, Around::Sweep, Around::Factorisation] {
            let results = results(&[], false);
            let columns = Table::new(what, false, &results).columns();
            let is_peer = |c: &String| {
                ["peer", "by", "SpMV", "csri"].iter().any(|p| c.split('/').any(|c| c.starts_with(p)))
            };
            assert!(!columns.iter().any(is_peer), "{columns:?}");
            assert_eq!(Table::new(what, false, &results).cells(&results.matrices[0]).len(), columns.len());
        }
    }
}
