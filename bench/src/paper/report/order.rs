//! The solvers' rates and their order, in the paper and here.

use super::page::Page;
use crate::paper::checks::{beside_paper, findings, is_same, order, swaps, Finding, Times, ORDERED};
use crate::paper::results::Experiment;

impl Page<'_> {
    /// The solvers' rates and their order, in the paper and here.
    pub fn order(&mut self) {
        let both = beside_paper(self.results);
        if !both.is_empty() {
            self.rates(&both);
            self.orders(&both);
            self.pairs();
            self.statements();
        }
    }

    fn rates(&mut self, both: &[(&Experiment, Vec<Times>)]) {
        self.heading("The solvers beside the paper's, double precision");
        self.line(
            "GFLOPS here, after the bar the paper's. It draws its rates but prints few; these are implied by its \
             setup tables (setup time over its ratio to one solve), which have two digits.\n",
        );
        let mut columns = vec!["matrix".to_string()];
        columns.extend(ORDERED.map(String::from));
        let rows = both.iter().map(|(e, times)| {
            let rate = |time: f64| format!("{:.2}", 2e-6 * e.nnz as f64 / time);
            let found = |s: &str| times.iter().find(|t| t.solver == s);
            let cell = |s| found(s).map_or("-".into(), |t| format!("{} \\| {}", rate(t.here), rate(t.there)));
            std::iter::once(e.name.clone()).chain(ORDERED.map(cell)).collect()
        });
        let rows: Vec<Vec<String>> = rows.collect();
        self.table(&columns, &rows);
    }

    fn orders(&mut self, both: &[(&Experiment, Vec<Times>)]) {
        self.line("From the shortest solve to the longest:\n");
        let row = |(e, times): &(&Experiment, Vec<_>)| {
            vec![e.name.clone(), order(times, |t| t.there), order(times, |t| t.here), is_same(times).into()]
        };
        let rows: Vec<Vec<String>> = both.iter().map(row).collect();
        self.table(&["matrix", "paper", "here", "same"].map(String::from), &rows);
        let judged = |words: &str| rows.iter().filter(|row| row[3] == words).count();
        self.line(format!(
            "The order is the paper's on {} of {} grids, and on {} more it differs only where the two digits of the \
             paper's tables leave it open.\n",
            judged("yes"),
            rows.len(),
            rows.len() - judged("yes") - judged("no"),
        ));
    }

    /// Two solvers whose order is another one here, and why.
    fn pairs(&mut self) {
        if self.results.on_gpu {
            let rows: Vec<Vec<String>> = swaps(self.results)
                .into_iter()
                .map(|s| {
                    let (a, b) = s.pair;
                    let first = |count: usize| format!("{count} of {}", s.grids);
                    let pair = format!("{a} before {b}");
                    vec![
                        pair,
                        first(s.first_there),
                        first(s.first_here),
                        s.differing.to_string(),
                        s.open.to_string(),
                        s.why,
                    ]
                })
                .collect();
            let columns = ["pair", "in the paper", "here", "grids that differ", "of them open", "why"];
            self.table(&columns.map(String::from), &rows);
        } else {
            self.line("These are threads on a CPU, the paper's numbers are a GPU's.\n");
        }
    }

    fn statements(&mut self) {
        self.line("What the paper's text states:\n");
        let row = |f: Finding| {
            let agrees = match f.agrees {
                Some(true) => "yes".into(),
                Some(false) if f.why.is_empty() || !self.results.on_gpu => "no".into(),
                Some(false) => format!("no: {}", f.why),
                None => "-".into(),
            };
            vec![f.statement.into(), f.here, agrees]
        };
        let rows: Vec<Vec<String>> = findings(self.results).into_iter().map(row).collect();
        self.table(&["paper", "here", "so here too"].map(String::from), &rows);
    }
}
