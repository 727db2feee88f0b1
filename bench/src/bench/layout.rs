//! What all tables of results have in common: lines for a terminal, rows in Markdown, means, failures.

use std::fmt::Write as _;

use super::results::{MatrixResult, Results};
use crate::base::numbers::counted;
use crate::measure::statistics::geometric_mean;

/// What is printed of a run, and written to its Markdown file.
pub trait Report {
    fn heading(&self) -> String;
    /// A matrix's line, and a line for each failure; `all` has all results of its matrix.
    fn line(&self, m: &MatrixResult, all: &[MatrixResult]) -> String;
    /// Means over the systems, a line for each.
    fn summary(&self, results: &Results) -> String;
    /// The whole report.
    fn markdown(&self, results: &Results) -> String;
}

/// Cells below their columns.
pub fn aligned(columns: &[String], cells: &[String]) -> String {
    let mut line = format!("{:<29}", cells[0]);
    for (cell, column) in cells.iter().zip(columns).skip(1) {
        let _ = write!(line, " {cell:>width$}", width = column.len().max(8));
    }
    line
}

/// A matrix's line, and a line for each failure.
pub fn line(columns: &[String], m: &MatrixResult, cells: impl Fn(&MatrixResult) -> Vec<String>) -> String {
    if let Some(error) = &m.error {
        return format!("{:<29} failed: {error}", m.label());
    }
    let mut text = aligned(columns, &cells(m));
    for t in &m.timings {
        if let Some(error) = &t.error {
            let _ = write!(text, "\n    {} failed: {error}", t.solver);
        }
    }
    text
}

/// The table in Markdown.
pub fn rows(columns: &[String], results: &Results, cells: impl Fn(&MatrixResult) -> Vec<String>) -> String {
    let lines = ["---"].into_iter().chain(columns[1..].iter().map(|_| "--:")).collect::<Vec<_>>().join("|");
    let mut text = format!("| {} |\n|{lines}|\n", columns.join(" | "));
    for m in &results.matrices {
        let _ = match &m.error {
            None => writeln!(text, "| {} |", cells(m).join(" | ")),
            Some(error) => writeln!(text, "| {} | failed: {error} |", m.label()),
        };
    }
    text
}

/// A line with the geometric mean of ratios, the least and the most; nothing of none.
pub fn mean(words: &str, ratios: &[(f64, &MatrixResult)]) -> String {
    let least = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let most = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(mean), Some(least), Some(most)) = (geometric_mean(ratios.iter().map(|r| r.0)), least, most)
    else {
        return String::new();
    };
    format!(
        "{words}: geometric mean {mean:.2}, least {:.2} ({}), most {:.2} ({}), {}\n",
        least.0,
        least.1.name,
        most.0,
        most.1.name,
        counted(ratios.len(), "system", "systems")
    )
}

/// The systems of the results that are there, each once, in order.
pub fn systems(results: &Results) -> Vec<String> {
    let mut systems: Vec<String> = Vec::new();
    for m in results.matrices.iter().filter(|m| m.error.is_none()) {
        if !systems.contains(&m.system()) {
            systems.push(m.system());
        }
    }
    systems
}

/// The summary and the failures as a list in Markdown.
pub fn list(summary: &str, results: &Results) -> String {
    let mut text = String::new();
    for line in summary.lines() {
        let _ = writeln!(text, "- {line}");
    }
    for m in &results.matrices {
        for t in m.timings.iter().filter(|t| !t.is_good()) {
            let _ =
                writeln!(text, "- {} failed on {}: {}", t.solver, m.name, t.error.as_deref().unwrap_or(""));
        }
    }
    text
}
