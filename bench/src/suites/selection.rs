//! The options that say which matrices are measured.

use std::path::PathBuf;

use super::lists::{Suite, Task};
use crate::base::numbers::whole;
use crate::matrix::permute::Order;

// A doc comment would become the help of the command.
#[derive(clap::Args)]
pub struct Selection {
    /// Matrix Market files, or folders of them, to measure
    pub files: Vec<PathBuf>,
    /// Which matrices to measure: grids (13 grids and model problems), general (stand-ins for 12 general matrices, an ILU(2) factor),
    /// all (both, the default on a GPU), small (for a quick look, the default on the host), robust (reordered
    /// and filled-in ones), sizes (12 grids of other sizes), meshes (points at random), large (up to 17 million rows),
    /// extremes (long rows, complete factors, few levels), structures (graphs, trees, domains, blocks, bands),
    /// lattices (far-reaching stencils, periodic sides, four dimensions, dense elements), fit and report (two halves of
    /// the hardest kinds: factors, multigrid, reservoirs, meshes of finite elements, graphs), factors (further
    /// complete factors), host (the kinds of all in sizes for a CPU), paper (the paper's experiments: lower then upper solves, setup times, plots), or the path of a file or a folder.
    /// Four suites measure what is around a solve, on generated systems or, where files are given, on these: pair (solves with both
    /// factors of ILU(0)), sweep (Gauss-Seidel sweeps), ilu0 (ILU(0) and IC(0)), pcg (conjugate gradients with ILU(0))
    #[arg(long, value_name = "NAME|FILE|FOLDER", value_parser = Choice::parse)]
    pub suite: Option<Choice>,
    /// Only matrices whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    pub matrix: Vec<String>,
    /// No generated matrix with more rows than this
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub max_rows: Option<usize>,
    /// Reorder the unknowns first, in each of these ways
    #[arg(long, value_enum, value_delimiter = ',')]
    pub permute: Vec<Order>,
    /// Replace the pattern by that of ILU(k), for each of these k
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub ilu: Vec<u32>,
    /// Give files generated values too (by default they keep theirs where those neither overflow nor underflow)
    #[arg(long)]
    pub generated_values: bool,
    /// Folder with the general matrices' own files (NAME.mtx or NAME.mtx.gz), used instead of stand-ins; all of
    /// its files are added to the suite robust
    #[arg(long)]
    pub folder: Option<PathBuf>,
}

impl Selection {
    /// Whether the paper's experiments are asked for.
    pub fn is_paper(&self) -> bool {
        self.files.is_empty() && matches!(self.suite, Some(Choice::Suite(Suite::Paper)))
    }

    /// What is measured in place of a solve.
    pub fn around(&self) -> Option<Task> {
        match self.suite {
            Some(Choice::Suite(suite)) => suite.around(),
            _ => None,
        }
    }

    /// Whether a matrix of this name is to be measured.
    pub fn has_name(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.matrix.is_empty() || self.matrix.iter().any(|part| name.contains(&part.to_lowercase()))
    }

    /// Whether a matrix with so many rows is to be measured.
    pub fn has_size(&self, rows: f64) -> bool {
        self.max_rows.is_none_or(|most| rows <= most as f64)
    }

    /// The file of a general matrix in the folder, if it is there.
    pub fn file_of(&self, name: &str) -> Option<PathBuf> {
        let folder = self.folder.as_deref()?;
        [format!("{name}.mtx"), format!("{name}.mtx.gz")]
            .map(|file| folder.join(file))
            .into_iter()
            .find(|path| path.is_file())
    }
}

/// What `--suite` names.
#[derive(Clone)]
pub enum Choice {
    Suite(Suite),
    Files(PathBuf),
}

impl Choice {
    pub fn parse(text: &str) -> std::result::Result<Choice, String> {
        let suite = <Suite as clap::ValueEnum>::from_str(text, true).ok().map(Choice::Suite);
        let path = PathBuf::from(text);
        suite.or_else(|| path.exists().then_some(Choice::Files(path))).ok_or_else(|| {
            "known are grids, general, all, paper, small, robust, sizes, meshes, large, extremes, structures, lattices, fit, report, factors, host, pair, sweep, ilu0, pcg, and the path of a file or a folder".into()
        })
    }
}
