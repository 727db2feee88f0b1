//! The benchmark's results as a table in the terminal and in Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::layout::{self, Report};
use super::results::{MatrixResult, Results};
use crate::base::numbers::{count, ms};
use crate::measure::timing::{repetitions, Timing};
use crate::solvers::host_peers::{LOOP, ONE_THREAD};
use crate::solvers::peers::{algorithm_of, is_generic};

const ONE_WORD: &str = "ONE_WORD";

/// The columns of one run.
pub struct Table {
    /// Solvers whose times have columns: csrsv2 and the peers of the host if present, then our algorithms.
    solvers: Vec<String>,
    /// The algorithm that ratios are about, and our others.
    ours: String,
    others: Vec<String>,
    /// Whether SpSV and SpSM are measured.
    peer: bool,
    /// Whether each row says which system it is of.
    several: bool,
    /// Whether there are several numbers of right-hand sides.
    several_rhs: bool,
    /// Whether the limit has a term for several right-hand sides.
    gathers: bool,
    shown: Shown,
}

/// What else the table shows.
#[derive(Clone, Copy, Default)]
pub struct Shown {
    /// Value type and operation, as there are several.
    pub systems: bool,
    /// The time of handing values over.
    pub updates: bool,
    /// The yardstick of a GPU.
    pub limits: bool,
}

impl Table {
    /// `rhs`: the numbers of right-hand sides.
    pub fn new(results: &Results, algorithms: &[String], rhs: &[usize], shown: Shown) -> Table {
        let csrsv2 = results.csrsv2.as_ref().filter(|_| rhs.contains(&1)).map(|_| "csrsv2".to_string());
        let host: &[String] = if rhs.contains(&1) { &results.host_peers } else { &[] };
        Table {
            solvers: csrsv2.into_iter().chain(host.iter().chain(algorithms).cloned()).collect(),
            ours: algorithms[0].clone(),
            others: algorithms[1..].to_vec(),
            peer: results.spsv.is_some(),
            several: shown.systems || rhs != [1],
            several_rhs: rhs.len() > 1,
            gathers: shown.limits && rhs.iter().any(|&rhs| rhs > 1),
            shown,
        }
    }

    /// Whether ONE_WORD's time over ours has a column of its own.
    fn compares_one_word(&self) -> bool {
        self.others.iter().any(|s| s == ONE_WORD)
    }

    fn columns(&self) -> Vec<String> {
        let ours = &self.ours;
        let mut columns = vec!["matrix".to_string()];
        columns.extend(self.several.then(|| "system".to_string()));
        columns.extend(["n", "nnz", "levels"].map(String::from));
        columns.extend(["limit", "bound by"].into_iter().filter(|_| self.shown.limits).map(String::from));
        columns.extend(self.gathers.then(|| "gather".to_string()));
        columns.extend(["peer", "by"].into_iter().filter(|_| self.peer).map(String::from));
        columns.extend(self.solvers.iter().cloned());
        columns.extend(self.peer.then(|| format!("peer/{ours}")));
        columns.extend(self.compares_one_word().then(|| format!("{ONE_WORD}/{ours}")));
        columns.extend((self.others.len() > 1).then(|| format!("best/{ours}")));
        columns.extend(self.algorithms().filter(|_| self.several_rhs).map(|s| format!("{s} a rhs")));
        columns.extend(self.shown.limits.then(|| format!("{ours}/limit")));
        columns.extend(["predicted", "engine", "analysis", "a/solve"].map(String::from));
        columns.extend(self.shown.updates.then(|| "update".to_string()));
        columns.extend(self.peer.then(|| "peer ana.".to_string()));
        columns.extend(["MB held", "of bound", "error"].map(String::from));
        columns
    }

    /// Our algorithms, the one that ratios are about first.
    fn algorithms(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.ours).chain(&self.others)
    }

    /// The time of the fastest of our algorithms.
    fn best(&self, m: &MatrixResult) -> Option<f64> {
        self.algorithms().filter_map(|s| m.timing(s)).map(|t| t.solve_median_ms).min_by(f64::total_cmp)
    }

    /// `all`: where the single solves are found.
    fn cells(&self, m: &MatrixResult, all: &[MatrixResult]) -> Vec<String> {
        let mut cells = vec![m.label()];
        cells.extend(self.several.then(|| m.system()));
        cells.extend([count(m.n), count(m.nnz), m.levels.to_string()]);
        let dash = || "-".to_string();
        if self.shown.limits {
            cells.push(m.limit_ms.map_or_else(dash, ms));
            cells.push(m.bound_by.clone().unwrap_or_else(dash));
        }
        cells.extend(self.gathers.then(|| m.gather_ms.map_or_else(dash, ms)));
        let time = |t: &Timing| format!("{}{}", ms(t.solve_median_ms), if t.same_bits { "" } else { "~" });
        let absent = |is_it: &dyn Fn(&str) -> bool| {
            if m.timings.iter().any(|t| is_it(&t.solver)) {
                "fail".into()
            } else {
                dash()
            }
        };
        let peer = m.peer();
        if self.peer {
            cells.push(peer.map_or_else(|| absent(&is_generic), time));
            cells.push(peer.map_or_else(dash, |p| algorithm_of(&p.solver).into()));
        }
        for solver in &self.solvers {
            cells.push(m.timing(solver).map_or_else(|| absent(&|s| s == solver), time));
        }
        let ours = m.timing(&self.ours);
        let ratio = |time: Option<f64>| {
            time.zip(ours).map_or_else(dash, |(time, o)| format!("{:.2}", time / o.solve_median_ms))
        };
        cells.extend(self.peer.then(|| ratio(peer.map(|t| t.solve_median_ms))));
        cells.extend(self.compares_one_word().then(|| ratio(m.timing(ONE_WORD).map(|t| t.solve_median_ms))));
        cells.extend((self.others.len() > 1).then(|| ratio(self.best(m))));
        cells.extend(
            self.algorithms()
                .filter(|_| self.several_rhs)
                .map(|s| of_single(m, s, all).map_or_else(dash, |ratio| format!("{ratio:.2}"))),
        );
        if self.shown.limits {
            let over = ours.zip(m.limit_ms).map(|(o, limit)| o.solve_median_ms / limit);
            cells.push(over.map_or_else(dash, |times| format!("{times:.1}")));
        }
        cells.push(ours.and_then(|o| o.facts.predicted_ms).map_or_else(dash, ms));
        cells.push(ours.and_then(|o| o.facts.algorithm.clone()).unwrap_or_else(dash));
        cells.push(ours.map_or_else(dash, |o| ms(o.analysis_ms)));
        cells.push(ours.map_or_else(dash, |o| format!("{:.1}", o.analysis_ms / o.solve_median_ms)));
        cells.extend(self.shown.updates.then(|| ours.and_then(|o| o.update_ms).map_or_else(dash, ms)));
        cells.extend(self.peer.then(|| peer.map_or_else(dash, |p| ms(p.analysis_ms))));
        let held = ours.and_then(|o| o.facts.bytes_held).map(|bytes| bytes as f64);
        cells.push(held.map_or_else(dash, |bytes| ms(bytes * 1e-6)));
        cells.push(held.map_or_else(dash, |bytes| format!("{:.2}", bytes / bound(m))));
        cells.push(ours.map_or_else(dash, |o| format!("{:.2}", o.backward_error)));
        cells
    }

    fn means(&self, prefix: &str, all: &[&MatrixResult], in_full: bool) -> String {
        let mut text = String::new();
        let ours = &self.ours;
        let mut add = |words: String, ratio: &dyn Fn(&MatrixResult, &Timing) -> Option<f64>| {
            let ratios = all.iter().filter_map(|&m| Some((ratio(m, m.timing(ours)?)?, m)));
            text += &layout::mean(&format!("{prefix}{words}"), &ratios.collect::<Vec<_>>());
        };
        if self.peer {
            add(format!("peer / {ours} solve time"), &|m, o| {
                Some(m.peer()?.solve_median_ms / o.solve_median_ms)
            });
        }
        if self.peer && in_full {
            add(format!("peer / {ours} analysis time"), &|m, o| Some(m.peer()?.analysis_ms / o.analysis_ms));
        }
        let generic = peer_solvers(all);
        for s in generic.iter().chain(&self.solvers).filter(|s| *s != ours) {
            add(format!("{s} / {ours} solve time"), &|m, o| {
                Some(m.timing(s)?.solve_median_ms / o.solve_median_ms)
            });
            if in_full && s == LOOP {
                add(format!("{LOOP} / {ONE_THREAD} solve time"), &|m, _| {
                    Some(m.timing(LOOP)?.solve_median_ms / m.timing(ONE_THREAD)?.solve_median_ms)
                });
            } else if in_full {
                add(format!("{s} / {ours} analysis time"), &|m, o| {
                    Some(m.timing(s)?.analysis_ms / o.analysis_ms)
                });
            }
        }
        if self.others.len() > 1 {
            let words = format!("best of our algorithms / {ours} solve time");
            add(words, &|m, o| Some(self.best(m)? / o.solve_median_ms));
        }
        if !in_full {
            return text;
        }
        let counts: BTreeSet<usize> = all.iter().map(|m| m.rhs).filter(|&rhs| rhs > 1).collect();
        for (rhs, s) in counts.into_iter().flat_map(|rhs| self.algorithms().map(move |s| (rhs, s))) {
            add(format!("{s} with {rhs} right-hand sides, each of a single solve"), &|m, _| {
                of_single(m, s, all.iter().copied()).filter(|_| m.rhs == rhs)
            });
        }
        add(format!("{ours} / limit"), &|m, o| Some(o.solve_median_ms / m.limit_ms?));
        add(format!("{ours} / predicted"), &|_, o| Some(o.solve_median_ms / o.facts.predicted_ms?));
        add(format!("{ours} analysis in solves"), &|_, o| Some(o.analysis_ms / o.solve_median_ms));
        add(format!("{ours} update in solves"), &|_, o| Some(o.update_ms? / o.solve_median_ms));
        let words = format!("bytes that {ours} holds, of 32 a row and 8 an entry");
        add(words, &|m, o| Some(o.facts.bytes_held? as f64 / bound(m)));
        let lost = |m: &&&MatrixResult| {
            let times = m.timing(ours).zip(self.best(m));
            times.is_some_and(|(o, best)| best < 0.95 * o.solve_median_ms)
        };
        let lost: Vec<String> =
            all.iter().filter(lost).map(|m| format!("{} {}", m.name, m.system())).collect();
        if !lost.is_empty() {
            let _ =
                writeln!(text, "another of our algorithms is faster than 0.95 {ours}: {}", lost.join(", "));
        }
        text
    }

    /// What the run was, and which peers were measured.
    fn peers_in_words(&self, results: &Results) -> String {
        let mut text = format!(
            "{}, libsptrsv {}, {}. {}. Times in ms, medians.\n\n",
            results.machine, results.library, results.date, results.system
        );
        if let Some(version) = &results.spsv {
            let all: Vec<&MatrixResult> = results.matrices.iter().collect();
            let solvers = peer_solvers(&all).join(", ");
            let _ = writeln!(
                text,
                "peer is cuSPARSE {version}, in the same run on the same arrays: on each system the fastest of {solvers}. \
                 by: its algorithm.\n"
            );
        }
        if let Some(version) = &results.csrsv2 {
            let _ = writeln!(text, "csrsv2 is cuSPARSE {version} with USE_LEVEL.\n");
        }
        if results.host_peers.iter().any(|name| name == LOOP) {
            let _ =
                writeln!(text, "loop is the serial loop over rows, or columns, in storage order, in C.\n");
        }
        if let Some(version) = &results.mkl {
            let _ = writeln!(text, "MKL is {version}, with mkl_sparse_optimize as its analysis.\n");
        }
        text
    }

    /// What the columns are.
    fn columns_in_words(&self, results: &Results) -> String {
        let mut text = String::new();
        let _ = write!(
            text,
            "\n{}a/solve: analysis in solves. {}MB held: what the \
             analysis keeps, then over 32 bytes a row and 8 bytes an entry. error: component-wise \
             backward error in units of (entries in the row) x epsilon. ~ marks solvers whose results differed in \
             the last bits from run to run. * a generated stand-in. {}{}{}\n\n{}\n\n",
            match (self.gathers, self.shown.limits) {
                (true, _) => {
                    "limit = max(bytes / 4.25 TB/s, levels x 25 ns, gather). gather: measured, to fetch the unknowns of \
                     all right-hand sides from L2 for each entry. "
                }
                (false, true) => "limit = max(bytes / 4.25 TB/s, levels x 25 ns). ",
                (false, false) => "",
            },
            match self.shown.updates {
                true => "update: to copy new values. ",
                false => "",
            },
            match self.several {
                true => "system: value type and operation, x4 where 4 right-hand sides are solved together. ",
                false => "",
            },
            match self.several_rhs {
                true => "a rhs: the time for one of them over that of a single solve. ",
                false => "",
            },
            crate::suites::values::MARKS,
            repetitions(results.matrices.iter().flat_map(|m| &m.timings)),
        );
        text
    }
}

impl Report for Table {
    fn heading(&self) -> String {
        let columns = self.columns();
        layout::aligned(&columns, &columns)
    }

    fn line(&self, m: &MatrixResult, all: &[MatrixResult]) -> String {
        layout::line(&self.columns(), m, |m| self.cells(m, all))
    }

    /// Geometric means over the systems where both sides are there; with several value types, operations or
    /// numbers of right-hand sides those of the solves also for each of them.
    fn summary(&self, results: &Results) -> String {
        let systems = layout::systems(results);
        let all: Vec<&MatrixResult> = results.matrices.iter().collect();
        let mut text = self.means("", &all, true);
        for system in systems.iter().filter(|_| systems.len() > 1) {
            let some: Vec<&MatrixResult> = all.iter().copied().filter(|m| m.system() == *system).collect();
            text += &self.means(&format!("{system}: "), &some, false);
        }
        text
    }

    fn markdown(&self, results: &Results) -> String {
        self.peers_in_words(results)
            + &layout::rows(&self.columns(), results, |m| self.cells(m, &results.matrices))
            + &self.columns_in_words(results)
            + &layout::list(&self.summary(results), results)
    }
}

/// SpSV's algorithms and SpSM, as far as they were measured, in order.
fn peer_solvers(all: &[&MatrixResult]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for t in all.iter().flat_map(|m| &m.timings).filter(|t| is_generic(&t.solver)) {
        if !names.contains(&t.solver) {
            names.push(t.solver.clone());
        }
    }
    names
}

/// A solver's time for one of the right-hand sides over that of its single solve.
fn of_single<'m>(
    m: &MatrixResult,
    solver: &str,
    all: impl IntoIterator<Item = &'m MatrixResult>,
) -> Option<f64> {
    let is_it =
        |s: &&MatrixResult| s.rhs == 1 && (&s.name, &s.value_type, &s.op) == (&m.name, &m.value_type, &m.op);
    let single = all.into_iter().find(is_it)?;
    Some(m.timing(solver)?.solve_median_ms / m.rhs as f64 / single.timing(solver)?.solve_median_ms)
}

/// Bytes that an analysis may keep.
fn bound(m: &MatrixResult) -> f64 {
    32.0 * m.n as f64 + 8.0 * m.nnz as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, times: &[(&str, f64)]) -> MatrixResult {
        let timing = |&(solver, ms): &(&str, f64)| match ms.is_finite() {
            true => Timing {
                solver: solver.into(),
                solve_median_ms: ms,
                analysis_ms: 10.0 * ms,
                same_bits: true,
                ..Timing::default()
            },
            false => Timing::failed(solver, "it went wrong".into()),
        };
        let timings = times.iter().map(timing).collect();
        let (value_type, op) = ("D".into(), "N".into());
        MatrixResult {
            name: name.into(),
            value_type,
            op,
            rhs: 1,
            timings,
            limit_ms: Some(1.0),
            bound_by: Some("bytes".into()),
            ..MatrixResult::default()
        }
    }

    /// The cell of a column in the row of a matrix.
    fn cell(report: &str, matrix: &str, column: &str) -> String {
        let cells = |line: &str| {
            line.split(" | ").map(|c| c.trim_matches(['|', ' ']).to_string()).collect::<Vec<_>>()
        };
        let heading = cells(report.lines().find(|l| l.starts_with("| matrix ")).unwrap());
        let row = cells(report.lines().find(|l| l.starts_with(&format!("| {matrix} "))).unwrap());
        row[heading.iter().position(|c| c == column).unwrap()].clone()
    }

    #[test]
    fn the_peer_is_the_fastest_algorithm_of_each_system() {
        let matrices = vec![
            result("a", &[("SpSV", 8.0), ("SpSV ALG1", 9.0), ("SpSV ALG2", 2.0), ("AUTO", 1.0)]),
            result("b", &[("SpSV", 4.0), ("SpSV ALG1", 5.0), ("SpSV ALG2", f64::NAN), ("AUTO", 2.0)]),
            result("c", &[("SpSV", f64::NAN), ("SpSV ALG1", f64::NAN), ("AUTO", 2.0)]),
        ];
        let results = Results { spsv: Some("12.9.4".into()), matrices, ..Results::default() };
        let table = Table::new(&results, &["AUTO".to_string()], &[1], Shown::default());
        let report = table.markdown(&results);
        let row = |matrix| {
            ["peer", "by", "AUTO", "peer/AUTO", "peer ana."].map(|column| cell(&report, matrix, column))
        };
        assert_eq!(row("a"), ["2.00", "ALG2", "1.00", "2.00", "20.0"]);
        assert_eq!(row("b"), ["4.00", "DEFAULT", "2.00", "2.00", "40.0"]);
        assert_eq!(row("c"), ["fail", "-", "2.00", "-", "-"]);
        for line in [
            "peer is cuSPARSE 12.9.4, in the same run on the same arrays: on each system the fastest of SpSV, SpSV ALG1, SpSV ALG2.",
            "- peer / AUTO solve time: geometric mean 2.00, least 2.00 (a), most 2.00 (b), 2 systems",
            "- SpSV / AUTO solve time: geometric mean 4.00, least 2.00 (b), most 8.00 (a), 2 systems",
            "- SpSV ALG2 / AUTO solve time: geometric mean 2.00, least 2.00 (a), most 2.00 (a), 1 system",
            "- SpSV ALG2 failed on b: it went wrong",
        ] {
            assert!(report.lines().any(|l| l.starts_with(line)), "no line '{line}' in\n{report}");
        }
    }

    #[test]
    fn columns_are_there_where_there_is_something_to_show() {
        let results = Results { matrices: vec![result("a", &[("AUTO", 1.0)])], ..Results::default() };
        let table = Table::new(&results, &["AUTO".to_string()], &[1], Shown::default());
        let report = table.markdown(&results);
        assert!(!report.contains("peer") && !report.contains("| limit |"), "{report}");
        let shown = Shown { limits: true, ..Shown::default() };
        let report = Table::new(&results, &["AUTO".to_string()], &[1], shown).markdown(&results);
        let row = ["limit", "bound by", "AUTO/limit"].map(|column| cell(&report, "a", column));
        assert_eq!(row, ["1.00", "bytes", "1.0"]);
        assert!(!report.contains("gather"), "{report}");
    }

    #[test]
    fn gathers_are_shown_beside_several_right_hand_sides() {
        let mut measured = MatrixResult { rhs: 4, ..result("a", &[("AUTO", 3.0)]) };
        (measured.limit_ms, measured.bound_by) = (Some(2.0), Some("gathers".into()));
        let refused = MatrixResult { name: "b".into(), ..measured.clone() };
        measured.gather_ms = Some(2.0);
        let results = Results { matrices: vec![measured, refused], ..Results::default() };
        let shown = Shown { limits: true, ..Shown::default() };
        let report = Table::new(&results, &["AUTO".to_string()], &[4], shown).markdown(&results);
        let row = ["limit", "bound by", "gather", "AUTO/limit"].map(|column| cell(&report, "a", column));
        assert_eq!(row, ["2.00", "gathers", "2.00", "1.5"]);
        assert_eq!(cell(&report, "b", "gather"), "-");
        assert!(report.contains("levels x 25 ns, gather)"), "{report}");
    }
}
