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
        let mut rows = Vec::new();
        for e in self.results.experiments.iter().filter(|e| e.value_type == "D" && e.error.is_none()) {
            let Some(auto) = e.timing("AUTO") else { continue };
            let single = self.results.experiments.iter().find(|s| s.name == e.name && s.value_type == "S");
            let ratio =
                |other: Option<f64>, own: f64| other.map_or("-".into(), |o| format!("{:.2}", o / own));
            let good = |t: &Option<Timing>| t.as_ref().filter(|t| t.is_good()).map(|t| t.solve_median_ms);
            let plain = good(&e.plain);
            rows.push(vec![
                label(e),
                auto.facts.algorithm.clone().unwrap_or_default(),
                ms(auto.solve_median_ms),
                ratio(e.timing("SpSV").map(|t| t.solve_median_ms), auto.solve_median_ms),
                plain.map_or("-".into(), ms),
                e.plain.as_ref().and_then(|t| t.facts.predicted_ms).map_or("-".into(), ms),
                ms(e.limit_ms),
                plain.map_or("-".into(), |p| format!("{:.1}", p / e.limit_ms)),
                plain.map_or("-".into(), |p| ratio(good(&e.transposed), p)),
                ratio(single.and_then(|s| s.timing("AUTO")).map(|t| t.solve_median_ms), auto.solve_median_ms),
            ]);
        }
        if !rows.is_empty() {
            let columns = [
                "matrix",
                "AUTO takes",
                "lower and upper ms",
                "SpSV / AUTO",
                "lower alone ms",
                "predicted ms",
                "limit ms",
                "times the limit",
                "transposed / plain",
                "float / double",
            ];
            self.table(&columns.map(String::from), &rows);
        }
        self.line(
            "Medians, AUTO. limit = max(bytes / 4.25 TB/s, levels x 25 ns) of the lower triangle, for an H200; \
             predicted is what AUTO chose by; transposed and plain are of the lower triangle alone.\n",
        );
        let timings = |e: &'r Experiment| e.plain.iter().chain(&e.transposed).chain(e.timing("AUTO"));
        self.line(repetitions(self.results.experiments.iter().flat_map(timings)));
        self.right_hand_sides()?;
        self.totals()
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
