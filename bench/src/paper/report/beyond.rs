//! What goes beyond the paper.

use super::page::Page;
use crate::base::numbers::ms;
use crate::base::Result;
use crate::measure::timing::{repetitions, Timing};
use crate::paper::plots::{Line, Plot};
use crate::paper::results::{label, Experiment};

impl<'r> Page<'r> {
    pub fn beyond(&mut self) -> Result<()> {
        self.heading("Beyond the paper");
        let on_gpu = self.results.on_gpu;
        let list = self.results.experiments.iter().filter(|e| e.value_type == "D" && e.error.is_none());
        let rows: Vec<Vec<String>> = list.filter_map(|e| self.row(e)).collect();
        if !rows.is_empty() {
            let mut columns = vec![
                "matrix",
                "AUTO takes",
                "lower and upper ms",
                "SpSV / AUTO",
                "lower alone ms",
                "predicted ms",
            ];
            columns.extend(["limit ms", "times the limit"].into_iter().filter(|_| on_gpu));
            columns.extend(["transposed / plain", "float / double"]);
            let columns: Vec<String> = columns.into_iter().map(String::from).collect();
            self.table(&columns, &rows);
        }
        let limit = match on_gpu {
            true => "limit = max(bytes / 4.25 TB/s, levels x 25 ns) of the lower triangle, for an H200; ",
            false => "",
        };
        self.line(format!(
            "Medians, AUTO. {limit}predicted is what AUTO chose by; transposed and plain are of the lower triangle alone.\n"
        ));
        let timings = |e: &'r Experiment| e.plain.iter().chain(&e.transposed).chain(e.timing("AUTO"));
        self.line(repetitions(self.results.experiments.iter().flat_map(timings)));
        self.right_hand_sides()?;
        self.totals()
    }

    /// What AUTO does with a matrix in double precision.
    fn row(&self, e: &Experiment) -> Option<Vec<String>> {
        let auto = e.timing("AUTO")?;
        let single = self.results.experiments.iter().find(|s| s.name == e.name && s.value_type == "S");
        let dash = || "-".to_string();
        let ratio = |other: Option<f64>, own: f64| other.map_or_else(dash, |o| format!("{:.2}", o / own));
        let good = |t: &Option<Timing>| t.as_ref().filter(|t| t.is_good()).map(|t| t.solve_median_ms);
        let plain = good(&e.plain);
        let mut row = vec![
            label(e),
            auto.facts.algorithm.clone().unwrap_or_default(),
            ms(auto.solve_median_ms),
            ratio(e.timing("SpSV").map(|t| t.solve_median_ms), auto.solve_median_ms),
            plain.map_or_else(dash, ms),
            e.plain.as_ref().and_then(|t| t.facts.predicted_ms).map_or_else(dash, ms),
        ];
        if self.results.on_gpu {
            row.push(e.limit_ms.map_or_else(dash, ms));
            row.push(plain.zip(e.limit_ms).map_or_else(dash, |(p, limit)| format!("{:.1}", p / limit)));
        }
        row.push(plain.map_or_else(dash, |p| ratio(good(&e.transposed), p)));
        row.push(ratio(
            single.and_then(|s| s.timing("AUTO")).map(|t| t.solve_median_ms),
            auto.solve_median_ms,
        ));
        Some(row)
    }

    /// One to many right-hand sides at once.
    fn right_hand_sides(&mut self) -> Result<()> {
        let list: Vec<&Experiment> =
            self.results.experiments.iter().filter(|e| !e.multi.is_empty()).collect();
        let Some(first) = list.first() else { return Ok(()) };
        self.line("\n### Several right-hand sides\n");
        let each = |e: &Experiment, k: usize| {
            let (count, time) = e.multi.get(k)?;
            time.as_ref().ok().map(|ms| ms / *count as f64)
        };
        let categories: Vec<String> = first.multi.iter().map(|m| m.0.to_string()).collect();
        let lines = list
            .iter()
            .map(|e| Line { name: label(e), values: (0..categories.len()).map(|k| each(e, k)).collect() });
        let plot = Plot {
            title: "Several right-hand sides, AUTO, lower triangle, double precision".into(),
            x: "right-hand sides".into(),
            categories: categories.clone(),
            y: "ms a right-hand side".into(),
            lines: lines.collect(),
            joined: true,
        };
        self.picture("right-hand-sides", &plot)?;
        self.line(
            "Milliseconds a right-hand side (the lower triangle, medians of 3 to 20), in parentheses over one alone.\n",
        );
        let mut columns = vec!["matrix".to_string()];
        columns.extend(categories);
        let rows = list.iter().map(|e| {
            let cell = |k: usize| match (each(e, k), each(e, 0)) {
                (Some(own), Some(one)) => format!("{} ({:.2})", ms(own), own / one),
                _ => "failed".into(),
            };
            std::iter::once(label(e)).chain((0..e.multi.len()).map(cell)).collect()
        });
        let rows: Vec<Vec<String>> = rows.collect();
        self.table(&columns, &rows);
        Ok(())
    }
}
