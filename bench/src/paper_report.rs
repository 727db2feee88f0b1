//! The report of the paper's experiments: tables beside the paper's own numbers, and plots.

use std::fmt::Write as _;
use std::path::Path;

use crate::contenders::PARTS;
use crate::measure::Timing;
use crate::paper::{Experiment, GpuSetup, Results, PAPER_SOLVERS};
use crate::paper_checks::{beside_paper, findings, is_same, order, swaps, Finding, ORDERED};
use crate::paper_data::{self, CPU_COLUMNS, GENERAL, GRIDS, SIZES, STATED_GFLOPS};
use crate::plots::{draw, Line, Plot};
use crate::report::{count, ms, repetitions};
use crate::{values, Result};

/// A line for each thing that went wrong.
pub fn failures(e: &Experiment) -> Vec<String> {
    let place = format!("{} {}", e.name, e.value_type);
    let mut lines: Vec<String> = e.error.iter().map(|error| format!("{place} failed: {error}")).collect();
    let extra = e.plain.iter().chain(&e.transposed);
    for t in e.timings.iter().chain(extra) {
        lines.extend(t.error.iter().map(|error| format!("{place}: {} failed: {error}", t.solver)));
    }
    let kahn = e.kahn_setup.iter().map(|setup| ("LEVR with Kahn's levels", setup));
    for (solver, setup) in e.gpu_setups.iter().map(|(s, setup)| (s.as_str(), setup)).chain(kahn) {
        lines.extend(
            setup.as_ref().err().map(|error| format!("{place}: {solver} set up on the GPU failed: {error}")),
        );
    }
    for (rhs, time) in &e.multi {
        lines.extend(
            time.as_ref().err().map(|error| format!("{place}: {rhs} right-hand sides failed: {error}")),
        );
    }
    lines
}

/// Writes report.md and the plots into the folder.
pub fn write(folder: &Path, results: &Results) -> Result<()> {
    let mut report = Report { results, folder, text: String::new() };
    report.head();
    report.performance()?;
    report.orderings();
    report.setups();
    report.general_setups();
    report.setup_parts();
    report.levels_on_gpu();
    report.break_even();
    report.beyond()?;
    report.all_failures();
    crate::write_whole(&folder.join("report.md"), report.text.as_bytes())
}

struct Report<'r> {
    results: &'r Results,
    folder: &'r Path,
    text: String,
}

const GROUPS: [(&str, &str); 4] = [
    ("5pt", "5-point stencil in two dimensions"),
    ("9pt", "9-point stencil in two dimensions"),
    ("7pt", "7-point stencil in three dimensions"),
    ("27pt", "27-point stencil in three dimensions"),
];

impl<'r> Report<'r> {
    fn line(&mut self, words: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{words}");
    }

    fn heading(&mut self, words: &str) {
        self.line(format!("\n## {words}\n"));
    }

    fn table(&mut self, columns: &[String], rows: &[Vec<String>]) {
        self.line(format!("| {} |", columns.join(" | ")));
        let right = vec!["--:"; columns.len().saturating_sub(1)];
        self.line(format!("|---|{}|", right.join("|")));
        for row in rows {
            self.line(format!("| {} |", row.join(" | ")));
        }
        self.line("");
    }

    fn of(&self, group: &str, value_type: &str) -> Vec<&'r Experiment> {
        let belongs = |e: &&Experiment| e.group == group && e.value_type == value_type && e.error.is_none();
        self.results.experiments.iter().filter(belongs).collect()
    }

    /// Every solver that was measured, in order.
    fn solvers(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for t in self.results.experiments.iter().flat_map(|e| &e.timings) {
            if !names.contains(&t.solver) {
                names.push(t.solver.clone());
            }
        }
        names
    }

    fn head(&mut self) {
        let r = self.results;
        self.line("# Sparse triangular solves: the paper's experiments on this machine\n");
        self.line(format!("{}, libsptrsv {}, {}.", r.machine, r.library, r.date));
        if let Some(version) = &r.spsv {
            self.line(format!("SpSV is cuSPARSE {version}, in the same run on the same arrays."));
        }
        match &r.csrsv2 {
            Some(version) => {
                self.line(format!("csrsv2 (the paper's CUS2) is cuSPARSE {version} with USE_LEVEL."));
            }
            None => self.line(
                "csrsv2 (the paper's CUS2) was not measured: it takes the path of a libcusparse.so.11 (`--csrsv2`).",
            ),
        }
        self.line(
            "\nThe paper is R. Li, \"On parallel solution of sparse triangular linear systems in CUDA\"; its numbers \
             were measured on a Tesla P100. Each solve is y = (U+D)^-1 (L+D)^-1 x, a lower and then an upper one; \
             GFLOPS are 2 nnz / t with nnz the entries of A and t the mean of up to 100 runs. Every solution was \
             checked (component-wise backward error) before its time counted. CUS1, the legacy csrsv, is in no \
             library that can still be had, so its column holds the paper's numbers alone; GSF here is this \
             library's own port of it. A matrix marked * is a generated stand-in with the size, row lengths and \
             level count of the one it is named after.",
        );
        self.line(format!("\n{}", values::MARKS));
    }

    /// The paper's figures: GFLOPS over aspect ratios, and over the general matrices with their levels.
    fn performance(&mut self) -> Result<()> {
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
        self.picture(file, &plot)?;
        let mut columns: Vec<String> = ["matrix", "n", "nnz", "levels L / U"].map(String::from).to_vec();
        columns.extend_from_slice(solvers);
        let rows: Vec<Vec<String>> = list
            .iter()
            .map(|e| {
                let levels = format!("{} / {}", e.levels_lower, e.levels_upper);
                let mut row = vec![label(e), count(e.n), count(e.nnz), levels];
                row.extend(solvers.iter().map(|s| match (e.gflops(s), e.timing(s)) {
                    (Some(g), Some(t)) => {
                        format!("{g:.2} ({} / {})", ms(t.solve_mean_ms), ms(t.solve_median_ms))
                    }
                    _ if e.timings.iter().any(|t| t.solver == *s) => "failed".into(),
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

    fn picture(&mut self, file: &str, plot: &Plot) -> Result<()> {
        let name = format!("{file}.svg");
        if draw(&self.folder.join(&name), plot)? {
            self.line(format!("![{}]({name})\n", plot.title));
        }
        Ok(())
    }

    /// The solvers' rates and their order, in the paper and here.
    fn orderings(&mut self) {
        let both = beside_paper(self.results);
        if both.is_empty() {
            return;
        }
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

    /// The tables of setup times on grids, each cell with the paper's below ours.
    fn setups(&mut self) {
        for (place, words) in [("CPU", "setup on the CPU"), ("GPU", "setup on the GPU")] {
            let mut any = false;
            for (tables, (group, stencil)) in GRIDS.iter().zip(GROUPS) {
                let list = self.of(group, "D");
                let mut rows = Vec::new();
                for (k, e) in list.into_iter().filter_map(|e| Some((index_of(e)?, e))) {
                    let mut row = vec![e.name.clone()];
                    if place == "CPU" {
                        for (c, &(setup, ratio)) in CPU_COLUMNS.iter().zip(&tables.cpu[k]) {
                            let ours = our_name(c).and_then(|s| e.timing(s)).map(setup_and_ratio);
                            row.push(beside(ours, setup, ratio));
                        }
                        row.push(cell(e.timing("SpSV").map(setup_and_ratio)));
                        row.push(cell(e.timing("AUTO").map(setup_and_ratio)));
                    } else {
                        for (s, &(setup, ratio)) in PAPER_SOLVERS.iter().zip(&tables.gpu[k]) {
                            row.push(beside(gpu_setup(e, s), setup, ratio));
                        }
                        row.push(cell(e.timing("SpSV").map(setup_and_ratio)));
                    }
                    rows.push(row);
                }
                if rows.is_empty() || (place == "GPU" && !self.has_gpu_setups()) {
                    continue;
                }
                if !any {
                    self.heading(&format!("Grids: {words}"));
                    self.line(
                        "Milliseconds for both triangles, in parentheses in solves of this table's solver; after the \
                         bar the paper's numbers.\n",
                    );
                    any = true;
                }
                self.line(format!("### {stencil}\n"));
                let mut columns = vec!["grid".to_string()];
                if place == "CPU" {
                    columns.extend(CPU_COLUMNS.iter().map(|c| (*c).to_string()));
                    columns.extend(["SpSV".to_string(), "AUTO (its own choice of place)".to_string()]);
                } else {
                    columns.extend(PAPER_SOLVERS.iter().map(|c| (*c).to_string()));
                    columns.push("SpSV".into());
                }
                self.table(&columns, &rows);
            }
        }
    }

    /// What the setups of the paper's solvers consist of.
    fn setup_parts(&mut self) {
        let lists = GROUPS.iter().map(|g| g.0).chain(["general"]).flat_map(|g| self.of(g, "D"));
        let list: Vec<&Experiment> = lists.collect();
        for (place, words) in [("CPU", "setup on the CPU"), ("GPU", "setup on the GPU")] {
            if place == "GPU" && !self.has_gpu_setups() {
                continue;
            }
            let parts = |e: &Experiment, solver: &str| match place {
                "CPU" => e.timing(solver).and_then(|t| t.facts.parts_ms),
                _ => on_gpu(e, solver).map(|s| s.parts),
            };
            let row = |e: &&Experiment| {
                let cells = PAPER_SOLVERS.map(|s| parts(e, s).map_or("-".into(), |p| in_words(p, place)));
                [label(e)].into_iter().chain(cells).collect()
            };
            let rows: Vec<Vec<String>> = list.iter().map(row).collect();
            if rows.is_empty() {
                continue;
            }
            self.heading(&format!("Parts of the {words}"));
            self.line(
                "Milliseconds for both triangles, by the paper's names; what is missing to the whole is allocation, \
                 validation, the arrays that are this library's own, and the graph of LEVR's and LEVC's launches.\n",
            );
            let columns: Vec<String> =
                ["matrix"].into_iter().chain(PAPER_SOLVERS).map(String::from).collect();
            self.table(&columns, &rows);
        }
    }

    /// The levels of this library, of SLFR's setup, which makes no graph of launches, against the paper's loop over levels.
    fn levels_on_gpu(&mut self) {
        let lists = GROUPS.iter().map(|g| g.0).chain(["general"]).flat_map(|g| self.of(g, "D"));
        let row = |e: &Experiment| {
            let lev = |s: &GpuSetup| s.parts[PARTS.iter().position(|&p| p == "LEV").expect("it is a part")];
            let here = lev(on_gpu(e, "SLFR")?);
            let kahn = lev(e.kahn_setup.as_ref()?.as_ref().ok()?);
            Some(vec![
                label(e),
                format!("{}, {}", count(e.levels_lower), count(e.levels_upper)),
                ms(kahn),
                ms(here),
                format!("{:.1}", kahn / here),
                cell(e.timing("AUTO").map(setup_and_ratio)),
                cell(e.timing("SpSV").map(setup_and_ratio)),
            ])
        };
        let rows: Vec<Vec<String>> = lists.filter_map(row).collect();
        if rows.is_empty() {
            return;
        }
        self.heading("Levels on the GPU: one by one, and without global synchronisation");
        self.line(
            "Milliseconds for both triangles: LEV_GPU as in the paper, a launch and a look of the host a level, and here, \
             by a guess that one look at all rows proves, or by one sweep; beside them the whole analysis of AUTO and of \
             SpSV, in parentheses in their own solves.\n",
        );
        let columns = ["matrix", "levels", "one by one", "here", "ratio", "AUTO analysis", "SpSV analysis"];
        self.table(&columns.map(String::from), &rows);
    }

    fn has_gpu_setups(&self) -> bool {
        self.results.experiments.iter().any(|e| !e.gpu_setups.is_empty())
    }

    /// The table of setup times on general matrices, for which the paper prints no ratios.
    fn general_setups(&mut self) {
        let of = |e: &'r Experiment| Some((e, general_of(e)?));
        let list: Vec<_> = self.of("general", "D").into_iter().filter_map(of).collect();
        for (place, words) in [("CPU", "setup on the CPU"), ("GPU", "setup on the GPU")] {
            if list.is_empty() || (place == "GPU" && !self.has_gpu_setups()) {
                continue;
            }
            let rows = list.iter().map(|(e, paper)| {
                let of = |solver: &str| cell(e.timing(solver).map(setup_and_ratio));
                let mut row = vec![label(e)];
                for (k, solver) in PAPER_SOLVERS.iter().enumerate() {
                    row.push(match place {
                        "CPU" => format!("{} \\| {}", of(solver), paper.cpu[k]),
                        _ => format!("{} \\| {}", cell(gpu_setup(e, solver)), paper.gpu[k]),
                    });
                }
                if place == "CPU" {
                    let others = ["-".to_string(), of("csrsv2"), of("GSF")].into_iter().zip(paper.others);
                    row.extend(others.map(|(ours, there)| format!("{ours} \\| {there}")));
                }
                row.extend([of("SpSV"), of("AUTO")]);
                row
            });
            let rows: Vec<Vec<String>> = rows.collect();
            self.heading(&format!("General matrices: {words}"));
            self.line(
                "Milliseconds for both triangles, in parentheses in solves of this table's solver; after the bar the \
                 paper's milliseconds.\n",
            );
            let theirs = if place == "CPU" { &CPU_COLUMNS[..] } else { &PAPER_SOLVERS[..] };
            let ours = ["SpSV", "AUTO (its own choice of place)"];
            let columns: Vec<String> =
                ["matrix"].iter().chain(theirs).chain(&ours).map(|c| (*c).to_string()).collect();
            self.table(&columns, &rows);
        }
    }

    /// How many solves it takes until one solver's total is the smaller one.
    fn break_even(&mut self) {
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

    fn beyond(&mut self) -> Result<()> {
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
        self.line("\n### Setup and n solves\n");
        for name in ["5pt-1024x1024", "27pt-128x128x128", "af_shell8"] {
            let found = self.results.experiments.iter().find(|e| e.name == name && e.value_type == "D");
            let Some(e) = found.filter(|e| e.error.is_none()) else { continue };
            let solves = [1, 3, 10, 30, 100, 300, 1000];
            let lines = e.timings.iter().filter(|t| t.is_good()).map(|t| Line {
                name: t.solver.clone(),
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
            self.picture(&format!("total-{name}"), &plot)?;
        }
        Ok(())
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

    fn all_failures(&mut self) {
        let lines: Vec<String> = self.results.experiments.iter().flat_map(failures).collect();
        if !lines.is_empty() {
            self.heading("Failures");
            for line in lines {
                self.line(format!("- {line}"));
            }
        }
    }
}

fn label(e: &Experiment) -> String {
    if e.stand_in {
        format!("{} *", e.name)
    } else {
        format!("{}{}", e.name, e.values.mark())
    }
}

/// Which row of the paper's tables a grid is.
pub fn index_of(e: &Experiment) -> Option<usize> {
    let ratios = if e.group == "5pt" || e.group == "9pt" { [1, 4, 16, 64, 256] } else { [1, 4, 8, 32, 64] };
    ratios.iter().position(|&r| r == e.ratio)
}

fn general_of(e: &Experiment) -> Option<&'static paper_data::General> {
    GENERAL.iter().find(|g| g.name == e.name)
}

/// What this program calls a solver of the paper; none for the legacy csrsv.
fn our_name(column: &str) -> Option<&str> {
    match column {
        "CUS1" => None,
        "CUS2" => Some("csrsv2"),
        other => Some(other),
    }
}

fn setup_and_ratio(t: &Timing) -> (f64, f64) {
    (t.analysis_ms, t.analysis_ms / t.solve_mean_ms)
}

fn on_gpu<'e>(e: &'e Experiment, solver: &str) -> Option<&'e GpuSetup> {
    e.gpu_setups.iter().find(|(s, _)| s == solver).and_then(|(_, setup)| setup.as_ref().ok())
}

/// The parts that took any time.
fn in_words(parts: [f64; 5], place: &str) -> String {
    let name = |part: &str| match part {
        "MAT_D2H" | "LEV_H2D" => part.to_string(),
        _ => format!("{part}_{place}"),
    };
    let spent = PARTS.iter().zip(parts).filter(|(_, time)| *time > 0.0);
    spent.map(|(part, time)| format!("{} {}", name(part), ms(time))).collect::<Vec<_>>().join(" + ")
}

pub fn gpu_setup(e: &Experiment, solver: &str) -> Option<(f64, f64)> {
    let setup = on_gpu(e, solver)?.total;
    Some((setup, setup / e.timing(solver)?.solve_mean_ms))
}

fn cell(ours: Option<(f64, f64)>) -> String {
    ours.map_or("-".into(), |(setup, ratio)| format!("{} ({ratio:.2})", ms(setup)))
}

fn beside(ours: Option<(f64, f64)>, setup: f64, ratio: f64) -> String {
    format!("{} \\| {setup} ({ratio})", cell(ours))
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

    #[test]
    fn the_paper_lists_every_general_matrix() {
        for entry in crate::suite::paper_general() {
            assert!(GENERAL.iter().any(|g| g.name == entry.name), "{}", entry.name);
        }
        assert_eq!(SIZES.map(|s| s.0), GENERAL.map(|g| g.name));
    }
}
