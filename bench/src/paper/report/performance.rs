//! The paper's figures: GFLOPS over aspect ratios, and over the general matrices with their levels.

use super::page::{Page, GROUPS};
use crate::base::numbers::{count, ms};
use crate::base::Result;
use crate::measure::timing::repetitions;
use crate::paper::data::{SIZES, STATED_GFLOPS};
use crate::paper::plots::{Line, Plot};
use crate::paper::results::{label, Experiment};
use crate::solvers::peers::{algorithm_of, SPSV};

impl Page<'_> {
    /// The paper's figures: GFLOPS over aspect ratios, and over the general matrices with their levels.
    pub fn performance(&mut self) -> Result<()> {
        self.heading("Performance of the solves");
        let solvers = self.solvers();
        for (group, words) in GROUPS {
            for (ty, precision) in [("S", "single"), ("D", "double")] {
                let list = self.of(group, ty);
                if !list.is_empty() {
                    let categories = list.iter().map(|e| e.ratio.to_string()).collect();
                    self.figure(
                        &format!("{group}-{ty}"),
                        &format!("{words}, {precision} precision"),
                        "aspect ratio of the grid",
                        categories,
                        &list,
                        &solvers,
                        true,
                    )?;
                }
            }
        }
        let list = self.of("general", "D");
        if !list.is_empty() {
            let categories = list.iter().map(|e| label(e)).collect();
            let title = "general matrices, double precision";
            self.figure("general-D", title, "matrix", categories, &list, &solvers, false)?;
            self.sizes(&list);
            let levels = |name: &str, of: fn(&Experiment) -> usize| Line {
                name: name.into(),
                values: list.iter().map(|e| Some(of(e) as f64)).collect(),
            };
            let plot = Plot {
                title: "levels of the general matrices".into(),
                x: "matrix".into(),
                categories: list.iter().map(|e| label(e)).collect(),
                y: "levels".into(),
                lines: vec![levels("lower", |e| e.levels_lower), levels("upper", |e| e.levels_upper)],
                joined: false,
            };
            self.picture("general-levels", &plot)?;
        }
        for (ty, cus2, slfc) in STATED_GFLOPS {
            if let Some(e) = self.of("7pt", ty).into_iter().find(|e| e.ratio == 64) {
                let ours = |solver: &str| e.gflops(solver).map_or("-".into(), |g| format!("{g:.2}"));
                self.line(format!(
                    "The paper states for {} in type {ty}: CUS2 {cus2}, SLFC {slfc} GFLOPS; here csrsv2 {}, SLFC {}.",
                    e.name,
                    ours("csrsv2"),
                    ours("SLFC")
                ));
            }
        }
        Ok(())
    }

    /// Rows and entries beside the paper's table of general matrices.
    fn sizes(&mut self, list: &[&Experiment]) {
        let row = |e: &&Experiment| {
            let (_, n, nnz) = SIZES.iter().find(|s| s.0 == e.name)?;
            let a_row = |n: usize, nnz: usize| format!("{:.1}", nnz as f64 / n as f64);
            Some(vec![
                label(e),
                format!("{} \\| {n}", e.n),
                format!("{} \\| {nnz}", e.nnz),
                format!("{} \\| {}", a_row(e.n, e.nnz), a_row(*n, *nnz)),
                format!("{} / {}", e.levels_lower, e.levels_upper),
            ])
        };
        let rows: Vec<Vec<String>> = list.iter().filter_map(row).collect();
        self.line("\nThe sizes, after the bar those of the paper's matrices:\n");
        self.table(&["matrix", "n", "nnz", "nnz / n", "levels L / U"].map(String::from), &rows);
    }

    #[allow(clippy::too_many_arguments)]
    fn figure(
        &mut self,
        file: &str,
        title: &str,
        x: &str,
        categories: Vec<String>,
        list: &[&Experiment],
        solvers: &[String],
        joined: bool,
    ) -> Result<()> {
        let lines = solvers
            .iter()
            .map(|s| Line { name: s.clone(), values: list.iter().map(|e| e.gflops(s)).collect() });
        let plot = Plot {
            title: title.into(),
            x: x.into(),
            categories,
            y: "GFLOPS, lower and upper solve".into(),
            lines: lines.collect(),
            joined,
        };
        self.line(format!("\n### {title}\n"));
        self.pictures(file, plot)?;
        let mut columns: Vec<String> = ["matrix", "n", "nnz", "levels L / U"].map(String::from).to_vec();
        columns.extend_from_slice(solvers);
        let rows: Vec<Vec<String>> = list
            .iter()
            .map(|e| {
                let levels = format!("{} / {}", e.levels_lower, e.levels_upper);
                let mut row = vec![label(e), count(e.n), count(e.nnz), levels];
                row.extend(solvers.iter().map(|s| match (e.gflops(s), e.timing(s)) {
                    (Some(g), Some(t)) => {
                        let which =
                            if s == SPSV { format!(" {}", algorithm_of(&t.solver)) } else { String::new() };
                        format!("{g:.2} ({} / {}){which}", ms(t.solve_mean_ms), ms(t.solve_median_ms))
                    }
                    _ if e.timings.iter().any(|t| t.solver.starts_with(s.as_str())) => "failed".into(),
                    _ => "-".into(),
                }));
                row
            })
            .collect();
        self.line("GFLOPS, in parentheses the mean and the median time in ms.\n");
        self.table(&columns, &rows);
        self.line(repetitions(list.iter().flat_map(|e| &e.timings)));
        Ok(())
    }
}
