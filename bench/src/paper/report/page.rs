//! The page that the report is written on.

use std::fmt::Write as _;
use std::path::Path;

use crate::base::Result;
use crate::paper::plots::{draw, Plot};
use crate::paper::results::{failures, Experiment, Results};
use crate::solvers::peers::{is_generic, SPSV};
use crate::suites::values;

pub struct Page<'r> {
    pub results: &'r Results,
    pub folder: &'r Path,
    pub text: String,
}

/// The paper's grids, by group.
pub const GROUPS: [(&str, &str); 4] = [
    ("5pt", "5-point stencil in two dimensions"),
    ("9pt", "9-point stencil in two dimensions"),
    ("7pt", "7-point stencil in three dimensions"),
    ("27pt", "27-point stencil in three dimensions"),
];

impl<'r> Page<'r> {
    pub fn line(&mut self, words: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{words}");
    }

    pub fn heading(&mut self, words: &str) {
        self.line(format!("\n## {words}\n"));
    }

    pub fn table(&mut self, columns: &[String], rows: &[Vec<String>]) {
        self.line(format!("| {} |", columns.join(" | ")));
        let right = vec!["--:"; columns.len().saturating_sub(1)];
        self.line(format!("|---|{}|", right.join("|")));
        for row in rows {
            self.line(format!("| {} |", row.join(" | ")));
        }
        self.line("");
    }

    pub fn of(&self, group: &str, value_type: &str) -> Vec<&'r Experiment> {
        let belongs = |e: &&Experiment| e.group == group && e.value_type == value_type && e.error.is_none();
        self.results.experiments.iter().filter(belongs).collect()
    }

    /// Every solver that was measured, in order; SpSV's algorithms count as one.
    pub fn solvers(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for t in self.results.experiments.iter().flat_map(|e| &e.timings) {
            let name = if is_generic(&t.solver) { SPSV } else { &t.solver };
            if !names.iter().any(|known| known == name) {
                names.push(name.into());
            }
        }
        names
    }

    pub fn picture(&mut self, file: &str, plot: &Plot) -> Result<()> {
        let name = format!("{file}.svg");
        if draw(&self.folder.join(&name), plot)? {
            self.line(format!("![{}]({name})\n", plot.title));
        }
        Ok(())
    }

    /// One of the engines, and one of all other solvers.
    pub fn pictures(&mut self, file: &str, plot: Plot) -> Result<()> {
        let [others, engines] = plot.by_kind();
        self.picture(file, &others)?;
        self.picture(&format!("{file}-engines"), &engines)
    }

    pub fn has_gpu_setups(&self) -> bool {
        self.results.experiments.iter().any(|e| !e.gpu_setups.is_empty())
    }

    pub fn head(&mut self) {
        let r = self.results;
        self.line("# Sparse triangular solves: the paper's experiments on this machine\n");
        self.line(format!("{}, libsptrsv {}, {}.", r.machine, r.library, r.date));
        if let Some(version) = &r.spsv {
            self.line(format!("SpSV is cuSPARSE {version}, in the same run on the same arrays: on each system the fastest of its algorithms, which the tables of the solves name."));
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

    pub fn all_failures(&mut self) {
        let lines: Vec<String> = self.results.experiments.iter().flat_map(failures).collect();
        if !lines.is_empty() {
            self.heading("Failures");
            for line in lines {
                self.line(format!("- {line}"));
            }
        }
    }
}
