//! The tables of setup times, each cell with the paper's number behind a bar.

use super::cells::{beside, cell, general_of, setup_and_ratio};
use super::page::{Page, GROUPS};
use crate::base::numbers::{count, ms};
use crate::paper::data::{CPU_COLUMNS, GRIDS};
use crate::paper::results::{gpu_setup, index_of, label, on_gpu, Experiment, GpuSetup, PAPER_SOLVERS};
use crate::solvers::contender::PARTS;

impl<'r> Page<'r> {
    /// The tables of setup times on grids, each cell with the paper's below ours.
    pub fn setups(&mut self) {
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
    pub fn setup_parts(&mut self) {
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
    pub fn levels_on_gpu(&mut self) {
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

    /// The table of setup times on general matrices, for which the paper prints no ratios.
    pub fn general_setups(&mut self) {
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
}

/// What this program calls a solver of the paper; none for the legacy csrsv.
fn our_name(column: &str) -> Option<&str> {
    match column {
        "CUS1" => None,
        "CUS2" => Some("csrsv2"),
        other => Some(other),
    }
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
