//! The benchmark's results as a table in the terminal, as Markdown and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use crate::bench::{MatrixResult, Results};
use crate::matrix::Fill;
use crate::measure::geometric_mean;
use crate::permute::Order;
use crate::Result;

/// The columns of one run.
pub struct Table {
    /// The peers present, then our algorithms.
    solvers: Vec<String>,
    /// The algorithm that ratios are about.
    ours: String,
    spsv: bool,
}

impl Table {
    pub fn new(results: &Results, algorithms: &[String]) -> Table {
        let mut solvers = Vec::new();
        solvers.extend(results.spsv.as_ref().map(|_| "SpSV".to_string()));
        solvers.extend(results.csrsv2.as_ref().map(|_| "csrsv2".to_string()));
        solvers.extend_from_slice(algorithms);
        Table { solvers, ours: algorithms[0].clone(), spsv: results.spsv.is_some() }
    }

    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = ["matrix", "n", "nnz", "levels", "limit"].map(String::from).to_vec();
        columns.extend(self.solvers.iter().cloned());
        if self.spsv {
            columns.push(format!("SpSV/{}", self.ours));
        }
        columns.extend([format!("{}/limit", self.ours)]);
        columns.extend(["predicted", "engine", "analysis", "a/solve"].map(String::from));
        if self.spsv {
            columns.push("SpSV ana.".into());
        }
        columns.push("error".into());
        columns
    }

    fn cells(&self, m: &MatrixResult) -> Vec<String> {
        let mut cells = vec![m.label(), count(m.n), count(m.nnz), m.levels.to_string(), ms(m.limit_ms)];
        for solver in &self.solvers {
            cells.push(m.timing(solver).map_or("fail".into(), |t| ms(t.solve_median_ms)));
        }
        let ours = m.timing(&self.ours);
        let spsv = m.timing("SpSV");
        let dash = || "-".to_string();
        if self.spsv {
            let ratio = ours.zip(spsv).map(|(o, s)| s.solve_median_ms / o.solve_median_ms);
            cells.push(ratio.map_or_else(dash, |r| format!("{r:.2}")));
        }
        cells.push(ours.map_or_else(dash, |o| format!("{:.1}", o.solve_median_ms / m.limit_ms)));
        cells.push(ours.and_then(|o| o.facts.predicted_ms).map_or_else(dash, ms));
        cells.push(ours.and_then(|o| o.facts.algorithm.clone()).unwrap_or_else(dash));
        cells.push(ours.map_or_else(dash, |o| ms(o.analysis_ms)));
        cells.push(ours.map_or_else(dash, |o| format!("{:.1}", o.analysis_ms / o.solve_median_ms)));
        if self.spsv {
            cells.push(spsv.map_or_else(dash, |s| ms(s.analysis_ms)));
        }
        cells.push(ours.map_or_else(dash, |o| {
            format!("{:.2}{}", o.backward_error, if o.same_bits { "" } else { " ~" })
        }));
        cells
    }

    fn aligned(&self, cells: &[String]) -> String {
        let widths = self.columns();
        let mut line = format!("{:<25}", cells[0]);
        for (cell, column) in cells.iter().zip(widths).skip(1) {
            let _ = write!(line, " {cell:>width$}", width = column.len().max(8));
        }
        line
    }

    pub fn heading(&self) -> String {
        self.aligned(&self.columns())
    }

    /// A matrix's line, and a line for each failure.
    pub fn line(&self, m: &MatrixResult) -> String {
        if let Some(error) = &m.error {
            return format!("{:<25} failed: {error}", m.label());
        }
        let mut text = self.aligned(&self.cells(m));
        for t in &m.timings {
            if let Some(error) = &t.error {
                let _ = write!(text, "\n    {} failed: {error}", t.solver);
            }
        }
        text
    }

    /// Geometric means over the matrices where both sides are there.
    pub fn summary(&self, results: &Results) -> String {
        let mut text = String::new();
        let all = &results.matrices;
        let ours = |m: &MatrixResult| m.timing(&self.ours).cloned();
        let mut add = |words: String, ratios: Vec<f64>| {
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let count = ratios.len();
            if let Some(mean) = geometric_mean(ratios.into_iter()) {
                let _ =
                    writeln!(text, "{words}: geometric mean {mean:.2}, least {least:.2} ({count} matrices)");
            }
        };
        for solver in self.solvers.iter().filter(|s| **s != self.ours) {
            let pairs = all.iter().filter_map(|m| Some((m.timing(solver)?.clone(), ours(m)?)));
            let (solve, analysis): (Vec<f64>, Vec<f64>) = pairs
                .map(|(s, o)| (s.solve_median_ms / o.solve_median_ms, s.analysis_ms / o.analysis_ms))
                .unzip();
            add(format!("{solver} / {} solve time", self.ours), solve);
            add(format!("{solver} / {} analysis time", self.ours), analysis);
        }
        let over_limit = all.iter().filter_map(|m| Some(ours(m)?.solve_median_ms / m.limit_ms)).collect();
        add(format!("{} / limit", self.ours), over_limit);
        let predicted = all.iter().filter_map(|m| {
            let o = ours(m)?;
            Some(o.solve_median_ms / o.facts.predicted_ms?)
        });
        add(format!("{} / predicted", self.ours), predicted.collect());
        let solves = all.iter().filter_map(|m| ours(m).map(|o| o.analysis_ms / o.solve_median_ms)).collect();
        add(format!("{} analysis in solves", self.ours), solves);
        text
    }

    pub fn markdown(&self, results: &Results) -> String {
        let mut text = format!(
            "{}, libsptrsv {}, {}. Value type {}, {}. Times in ms, medians.\n\n",
            results.machine, results.library, results.date, results.value_type, results.system
        );
        if let Some(version) = &results.spsv {
            let _ = writeln!(text, "SpSV is cuSPARSE {version}, in the same run on the same arrays.\n");
        }
        if let Some(version) = &results.csrsv2 {
            let _ = writeln!(text, "csrsv2 is cuSPARSE {version} with USE_LEVEL.\n");
        }
        let columns = self.columns();
        let _ = writeln!(text, "| {} |", columns.join(" | "));
        let _ = writeln!(
            text,
            "|{}|",
            ["---"].into_iter().chain(columns[1..].iter().map(|_| "--:")).collect::<Vec<_>>().join("|")
        );
        for m in &results.matrices {
            match &m.error {
                None => {
                    let _ = writeln!(text, "| {} |", self.cells(m).join(" | "));
                }
                Some(error) => {
                    let _ = writeln!(text, "| {} | failed: {error} |", m.label());
                }
            }
        }
        let _ = write!(
            text,
            "\nlimit = max(bytes / 4.25 TB/s, levels x 25 ns). a/solve: analysis in solves. error: component-wise \
             backward error in units of (entries in the row) x epsilon; ~ marks results that differ in the last \
             bits from run to run. * a generated stand-in.\n\n"
        );
        for line in self.summary(results).lines() {
            let _ = writeln!(text, "- {line}");
        }
        for m in &results.matrices {
            for t in m.timings.iter().filter(|t| !t.is_good()) {
                let _ = writeln!(
                    text,
                    "- {} failed on {}: {}",
                    t.solver,
                    m.name,
                    t.error.as_deref().unwrap_or("")
                );
            }
        }
        text
    }
}

/// Milliseconds with three digits that matter.
pub fn ms(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// A count in thousands or millions.
pub fn count(value: usize) -> String {
    match value {
        v if v >= 10_000_000 => format!("{:.1}M", v as f64 * 1e-6),
        v if v >= 1_000_000 => format!("{:.2}M", v as f64 * 1e-6),
        v if v >= 10_000 => format!("{:.0}k", v as f64 * 1e-3),
        v => v.to_string(),
    }
}

pub fn system_words(fill: Fill, transposed: bool, order: Option<Order>, ilu: Option<u32>) -> String {
    let triangle = if fill == Fill::Lower { "lower" } else { "upper" };
    let mut words = format!("{triangle} triangle{}", if transposed { ", transposed" } else { "" });
    match order {
        None => words += ", natural order",
        Some(Order::Random) => words += ", random order",
        Some(Order::Rcm) => words += ", reverse Cuthill-McKee order",
        Some(Order::Nd) => words += ", nested-dissection order",
    }
    if let Some(k) = ilu {
        let _ = write!(words, ", ILU({k}) pattern");
    }
    words
}

pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| format!("{}: {e}", path.display()))?;
    crate::write_whole(path, text.as_bytes())
}

/// What an earlier run measured without failures; nothing where there is no such file.
pub fn earlier(path: Option<&Path>) -> Result<Vec<MatrixResult>> {
    let path = path.ok_or("--resume needs --out or --json, which say where to resume from")?;
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(Vec::new()) };
    let results: Results = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let whole = |m: &MatrixResult| m.error.is_none() && m.timings.iter().all(|t| t.is_good());
    Ok(results.matrices.into_iter().filter(whole).collect())
}

/// The date in UTC as year-month-day.
pub fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = civil((since.as_secs() / 86400) as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Days since 1970-01-01 to a date: years are counted from March, so that the leap day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_around_leap_days() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(19_723), (2024, 1, 1));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [ms(0.01234), ms(0.1234), ms(1.234), ms(12.34), ms(1234.0)],
            ["0.0123", "0.123", "1.23", "12.3", "1234"]
        );
        assert_eq!(
            [count(999), count(16_447), count(1_048_576), count(164_000_000)],
            ["999", "16k", "1.05M", "164.0M"]
        );
    }
}
