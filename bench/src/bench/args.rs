//! The options of `sptrsv bench`.

use std::path::PathBuf;
use std::time::Duration;

use crate::base::numbers::{duration, seconds, whole};
use crate::base::Result;
use crate::matrix::Fill;
use crate::solvers::library::{algorithm_list, algorithm_number};
use crate::solvers::peers;
use crate::suites::selection::Selection;
use crate::system::executor::{self, Executor};
use crate::system::{Op, Type};

/// By the numbers of sptrsvAnalysisMode_t.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Setup {
    Auto,
    Cpu,
    Gpu,
    GpuKahn,
}

impl Setup {
    /// What a report says of it.
    pub fn words(self) -> &'static str {
        match self {
            Setup::Auto => "",
            Setup::Cpu => ", analysed on the CPU",
            Setup::Gpu => ", analysed on the GPU",
            Setup::GpuKahn => ", analysed on the GPU by Kahn's algorithm",
        }
    }
}

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub selection: Selection,
    #[arg(long, value_delimiter = ',', help = format!(
        "Algorithms to measure, of {}; ratios are about the first one (default: auto; all of them in the paper's suite)",
        algorithm_list()
    ))]
    pub algorithm: Vec<String>,
    /// Solves to time for each algorithm (at most; fewer where they take long)
    #[arg(long, default_value_t = 100, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub reps: usize,
    /// Of these, so many between two events, one right behind the other; their time is divided by as many
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub in_a_row: usize,
    /// Compare the solution of every solve with the first one's, to the bit (by default only that of one more at the end)
    #[arg(long)]
    pub compare_each: bool,
    /// Seconds for the solves of one algorithm on one matrix, and again for its analyses
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds, allow_negative_numbers = true)]
    pub effort: f64,
    /// Seconds without progress after which the library ends a solve, 0 for never (sptrsvSetTimeout; default: 10). This program
    /// itself waits for 120
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Value types, of s, d, c, z (default: d; d and s in the paper's suite)
    #[arg(long = "type", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Solve with the upper triangle
    #[arg(long)]
    pub upper: bool,
    /// Operations: the triangle itself (n), its transpose (t), its conjugate transpose (h)
    #[arg(long, value_enum, value_delimiter = ',', ignore_case = true, default_value = "n")]
    pub op: Vec<Op>,
    /// Solve with the transpose, as --op t
    #[arg(long, conflicts_with = "op")]
    pub transpose: bool,
    /// Solve with the conjugate transpose, as --op h
    #[arg(long, conflicts_with_all = ["op", "transpose"])]
    pub conjugate_transpose: bool,
    /// Right-hand sides solved together (sptrsvSolveMulti where it is more than one)
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "1", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub rhs: Vec<usize>,
    /// Where the library analyses: auto, cpu, gpu or gpu_kahn (the paper's suite measures them all by itself)
    #[arg(long, value_enum, value_name = "PLACE", default_value = "auto")]
    pub setup: Setup,
    /// Have the library's solves read a copy of the values where these would lie scattered (sptrsvSetCopyValues)
    #[arg(long)]
    pub copy_values: bool,
    /// Measure AUTO once more, tuned after the analysis (sptrsvTune); the time of that is part of its analysis
    #[arg(long)]
    pub tune: bool,
    /// cuda or host (default: cuda where there is a GPU)
    #[arg(long)]
    pub executor: Option<String>,
    #[command(flatten)]
    pub peers: peers::Wanted,
    /// Write all results to this JSON file, after every matrix
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Write the table to this Markdown file
    #[arg(long)]
    pub markdown: Option<PathBuf>,
    /// Folder for results.json and report.md, in place of --json and --markdown; for the paper's experiments
    /// also for their plots, by default ./results
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub out: Option<PathBuf>,
    /// Keep the results that the JSON file already has
    #[arg(long)]
    pub resume: bool,
    /// With --resume: do not try again what failed
    #[arg(long, requires = "resume")]
    pub keep_failures: bool,
    /// Start no further matrix after this many seconds
    #[arg(long, value_name = "SECONDS", overrides_with = "time_budget", value_parser = seconds, allow_negative_numbers = true)]
    pub time_budget: Option<f64>,
}

impl Args {
    pub fn fill(&self) -> Fill {
        if self.upper {
            Fill::Upper
        } else {
            Fill::Lower
        }
    }
    pub fn ops(&self) -> Vec<Op> {
        match (self.transpose, self.conjugate_transpose) {
            (true, _) => vec![Op::T],
            (_, true) => vec![Op::H],
            _ => self.op.clone(),
        }
    }
    /// The first option that was given and that the paper's experiments have no use for.
    pub fn unknown_to_the_paper(&self) -> Option<&'static str> {
        let given = [
            ("--in-a-row", self.in_a_row != 1),
            ("--compare-each", self.compare_each),
            ("--timeout", self.timeout.is_some()),
            ("--upper", self.upper),
            ("--op", self.ops() != [Op::N]),
            ("--rhs", self.rhs != [1]),
            ("--copy-values", self.copy_values),
            ("--tune", self.tune),
            ("--mkl", self.peers.mkl.is_some()),
            ("--permute", !self.selection.permute.is_empty()),
            ("--ilu", !self.selection.ilu.is_empty()),
            ("--json: it has --out", self.json.is_some()),
            ("--markdown: it has --out", self.markdown.is_some()),
        ];
        given.into_iter().find(|&(_, is_given)| is_given).map(|(option, _)| option)
    }
    /// The first option that was given and that the suites of what is around a solve have no use for.
    pub fn unknown_around(&self) -> Option<&'static str> {
        let given = [
            ("--in-a-row", self.in_a_row != 1),
            ("--upper", self.upper),
            ("--op", self.ops() != [Op::N]),
            ("--rhs", self.rhs != [1]),
            ("--copy-values", self.copy_values),
            ("--tune", self.tune),
            ("--csrsv2", self.peers.csrsv2.is_some()),
            ("--mkl", self.peers.mkl.is_some()),
            ("second --algorithm", self.algorithm.len() > 1),
        ];
        given.into_iter().find(|&(_, is_given)| is_given).map(|(option, _)| option)
    }
    /// What a report says of copied values.
    pub fn copy_words(&self) -> &'static str {
        if self.copy_values {
            ", values copied where they lie scattered"
        } else {
            ""
        }
    }
    /// What a report says of solves in a row.
    pub fn row_words(&self) -> String {
        match self.in_a_row {
            1 => String::new(),
            count => format!(", {count} solves in a row"),
        }
    }
    /// What a report says of solutions that are compared.
    pub fn compare_words(&self) -> &'static str {
        if self.compare_each {
            ", every solution compared to the bit"
        } else {
            ""
        }
    }
    /// The value types asked for, or else the usual ones.
    pub fn value_types(&self, usual: &[Type]) -> Result<Vec<Type>> {
        match self.types.is_empty() {
            true => Ok(usual.to_vec()),
            false => self.types.iter().map(|name| value_type(name)).collect(),
        }
    }
    pub fn budget(&self) -> Result<Duration> {
        let Some(seconds) = self.time_budget else { return Ok(Duration::MAX) };
        duration("time budget", seconds)
    }
    /// The library's algorithms, by their numbers.
    pub fn algorithms(&self) -> Result<Vec<i32>> {
        match self.algorithm.is_empty() {
            true => Ok(vec![algorithm_number("AUTO")?]),
            false => self.algorithm.iter().map(|name| algorithm_number(name)).collect(),
        }
    }
    /// The executor, which must be able to analyse where --setup says.
    pub fn executor_that_analyses(&self) -> Result<Executor> {
        let executor = self.executor()?;
        match executor.is_host() && !matches!(self.setup, Setup::Auto | Setup::Cpu) {
            true => Err("the host executor analyses on the CPU, whatever --setup says".into()),
            false => Ok(executor),
        }
    }
    /// The executor, which must be able to run the peers that are asked for by path.
    pub fn executor(&self) -> Result<Executor> {
        let executor = executor::open(self.executor.as_deref())?;
        if executor.is_host() && self.peers.are_named() {
            return Err("the host executor runs no cuSPARSE: leave --cusparse and --csrsv2 out".into());
        }
        if !executor.is_host() && self.peers.mkl.is_some() {
            return Err("MKL is compared with the host executor: --mkl needs --executor host".into());
        }
        Ok(executor)
    }
}

fn value_type(name: &str) -> Result<Type> {
    match name.to_lowercase().as_str() {
        "s" | "float" => Ok(Type::S),
        "d" | "double" => Ok(Type::D),
        "c" => Ok(Type::C),
        "z" => Ok(Type::Z),
        _ => Err(format!("there is no value type '{name}'; known are s, d, c, z")),
    }
}
