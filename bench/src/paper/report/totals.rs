//! Setup and solves together.

use super::cells::general_of;
use super::page::Page;
use crate::base::Result;
use crate::measure::timing::Timing;
use crate::paper::plots::{Line, Plot};
use crate::paper::results::label;

impl Page<'_> {
    /// How many solves it takes until one solver's total is the smaller one.
    pub fn break_even(&mut self) {
        let mut rows = Vec::new();
        for (e, paper) in self.of("general", "D").into_iter().filter_map(|e| Some((e, general_of(e)?))) {
            let against = |ours: &str, other: &str| match (e.timing(ours), e.timing(other)) {
                (Some(a), Some(b)) => match solves_to_win(total(a), total(b)) {
                    Some(solves) => solves.to_string(),
                    None => "never".into(),
                },
                _ => "-".into(),
            };
            rows.push(vec![
                label(e),
                format!("{} \\| {}", against("SLFC", "csrsv2"), paper.solves[0]),
                format!("{} \\| {}", against("SLFC", "GSF"), paper.solves[1]),
                against("SLFC", "SpSV"),
                against("AUTO", "SpSV"),
                against("AUTO", "csrsv2"),
                against("AUTO", "GSF"),
            ]);
        }
        if rows.is_empty() {
            return;
        }
        self.heading("Solves n_s from which the total of setup and solves is the smaller one");
        self.line(
            "SLFC is set up on the CPU; after the bar the paper's numbers. Never: neither its setup nor its solve is the \
             shorter one.\n",
        );
        let columns = [
            "matrix",
            "SLFC against CUS2",
            "SLFC against GSF",
            "SLFC against SpSV",
            "AUTO against SpSV",
            "AUTO against csrsv2",
            "AUTO against GSF",
        ];
        self.table(&columns.map(String::from), &rows);
    }

    /// Plots of setup and n solves.
    pub fn totals(&mut self) -> Result<()> {
        self.line("\n### Setup and n solves\n");
        for name in ["5pt-1024x1024", "27pt-128x128x128", "af_shell8"] {
            let found = self.results.experiments.iter().find(|e| e.name == name && e.value_type == "D");
            let Some(e) = found.filter(|e| e.error.is_none()) else { continue };
            let solves = [1, 3, 10, 30, 100, 300, 1000];
            let solvers = self.solvers();
            let good = solvers.iter().filter_map(|solver| Some((solver, e.timing(solver)?)));
            let lines = good.map(|(solver, t)| Line {
                name: solver.clone(),
                values: solves.iter().map(|&n| Some(total(t).0 + f64::from(n) * total(t).1)).collect(),
            });
            let plot = Plot {
                title: format!("{}: setup and n solves", label(e)),
                x: "solves, lower and upper".into(),
                categories: solves.iter().map(i32::to_string).collect(),
                y: "total time, ms".into(),
                lines: lines.collect(),
                joined: true,
            };
            self.pictures(&format!("total-{name}"), plot)?;
        }
        Ok(())
    }
}

/// Setup and one solve.
fn total(t: &Timing) -> (f64, f64) {
    (t.analysis_ms, t.solve_mean_ms)
}

/// The smallest n for which a's setup + n solves is below b's; none where it never is.
fn solves_to_win(a: (f64, f64), b: (f64, f64)) -> Option<u64> {
    if a.0 < b.0 {
        return Some(0);
    }
    let gain = b.1 - a.1;
    (gain > 0.0).then(|| ((a.0 - b.0) / gain).floor() as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_until_the_total_is_smaller() {
        assert_eq!(solves_to_win((1.0, 1.0), (2.0, 5.0)), Some(0));
        assert_eq!(solves_to_win((10.0, 1.0), (2.0, 5.0)), Some(3));
        assert_eq!(solves_to_win((11.0, 1.0), (2.0, 5.0)), Some(3));
        assert_eq!(solves_to_win((10.0, 5.0), (2.0, 5.0)), None);
    }
}
