//! `sptrsv bench`: every solver on every matrix of a suite or of files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::check::{backward_error, Question};
use crate::contenders::{Peers, Who};
use crate::gpu::{Executor, HUNG};
use crate::library::{algorithm_name, algorithm_number, Library};
use crate::matrix::{right_hand_side, Csr, Fill};
use crate::measure::{measure, Effort, Step, Timing};
use crate::permute::{self, Order};
use crate::suite::{self, Entry};
use crate::system::{self, DeviceMatrix, System, Type};
use crate::{mtx, paper, report, Result};

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// Thirteen grids and model problems
    Grids,
    /// Stand-ins for general matrices
    #[value(alias = "general")]
    Standins,
    /// Both
    All,
    /// The paper's experiments: lower then upper solves, setup times, plots
    Paper,
    /// Small matrices, for a quick look
    Small,
}

#[derive(clap::Args)]
pub struct Args {
    /// Matrix Market files to measure (instead of a suite)
    pub files: Vec<PathBuf>,
    /// Which generated matrices to measure (default: all on a GPU, small on the host)
    #[arg(long, value_enum)]
    pub suite: Option<Suite>,
    /// Only matrices whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    pub matrix: Vec<String>,
    /// Algorithms to measure; the first one is compared with SpSV
    #[arg(long, value_delimiter = ',')]
    pub algorithm: Vec<String>,
    /// Solves to time for each algorithm (at most; fewer where they take long)
    #[arg(long, default_value_t = 100)]
    pub reps: usize,
    /// Seconds for the solves of one algorithm on one matrix, and again for its analyses
    #[arg(long, default_value_t = 1.0)]
    pub effort: f64,
    /// Value type: s or d
    #[arg(long = "type", default_value = "d")]
    pub ty: String,
    /// Solve with the upper triangle
    #[arg(long)]
    pub upper: bool,
    /// Solve with the transpose
    #[arg(long)]
    pub transpose: bool,
    /// Reorder the unknowns first
    #[arg(long, value_enum)]
    pub permute: Option<Order>,
    /// Replace the pattern by that of ILU(k)
    #[arg(long, value_name = "K")]
    pub ilu: Option<u32>,
    /// Keep a file's values (otherwise every matrix gets generated ones, which neither overflow nor underflow)
    #[arg(long)]
    pub keep_values: bool,
    /// cuda or host (default: cuda where there is a GPU)
    #[arg(long)]
    pub executor: Option<String>,
    /// Path of a libcusparse with SpSV (default: the one of the CUDA toolkit or of a Python package)
    #[arg(long)]
    pub cusparse: Option<PathBuf>,
    /// Path of a libcusparse.so.11, to measure csrsv2 too
    #[arg(long)]
    pub csrsv2: Option<PathBuf>,
    /// Leave the peers out
    #[arg(long)]
    pub no_peers: bool,
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
    /// Folder with the general matrices' own files (NAME.mtx or NAME.mtx.gz), used instead of stand-ins
    #[arg(long)]
    pub folder: Option<PathBuf>,
    /// Keep the results that the JSON file already has
    #[arg(long)]
    pub resume: bool,
    /// Start no further matrix after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub time_budget: Option<f64>,
}

/// Everything that was measured in one run.
#[derive(Serialize, Deserialize, Default)]
pub struct Results {
    pub machine: String,
    pub library: String,
    pub spsv: Option<String>,
    pub csrsv2: Option<String>,
    pub date: String,
    pub value_type: String,
    pub system: String,
    pub matrices: Vec<MatrixResult>,
}

/// The times of all solvers on one matrix.
#[derive(Serialize, Deserialize, Clone, Default)]
pub struct MatrixResult {
    pub name: String,
    pub stand_in: bool,
    pub n: usize,
    pub nnz: usize,
    pub levels: usize,
    pub widest: usize,
    /// The larger of the time to move the bytes and the time to walk the levels, in ms.
    pub limit_ms: f64,
    pub timings: Vec<Timing>,
    pub error: Option<String>,
}

impl MatrixResult {
    pub fn timing(&self, solver: &str) -> Option<&Timing> {
        self.timings.iter().find(|t| t.solver == solver && t.is_good())
    }
    pub fn label(&self) -> String {
        if self.stand_in {
            format!("{} *", self.name)
        } else {
            self.name.clone()
        }
    }
}

/// Where a matrix comes from.
pub enum Source {
    Generated(Entry),
    File(PathBuf),
}

impl Source {
    pub fn name(&self) -> String {
        match self {
            Source::Generated(entry) => entry.name.clone(),
            Source::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.trim_end_matches(".gz").trim_end_matches(".mtx").to_string()
            }
        }
    }
}

/// The executor asked for; without a wish, the GPU where there is one.
pub fn executor(wish: Option<&str>) -> Result<Executor> {
    match wish {
        Some("host") => Ok(Executor::Host),
        Some("cuda") => Executor::cuda(),
        None => Ok(Executor::cuda().unwrap_or(Executor::Host)),
        Some(other) => Err(format!("there is no executor '{other}'; known are cuda, host")),
    }
}

fn value_type(name: &str) -> Result<Type> {
    match name {
        "s" | "S" | "float" => Ok(Type::S),
        "d" | "D" | "double" => Ok(Type::D),
        _ => Err(format!("there is no value type '{name}'; known are s, d")),
    }
}

fn sources(args: &Args, executor: &Executor) -> Vec<Source> {
    if !args.files.is_empty() {
        return args.files.iter().cloned().map(Source::File).collect();
    }
    let usual = if executor.is_host() { Suite::Small } else { Suite::All };
    let entries = match args.suite.unwrap_or(usual) {
        Suite::Grids => suite::grids(),
        Suite::Standins => suite::stand_ins(),
        Suite::Small => suite::small(),
        Suite::All | Suite::Paper => suite::grids().into_iter().chain(suite::stand_ins()).collect(),
    };
    entries.into_iter().map(Source::Generated).collect()
}

pub fn wanted(args: &Args, name: &str) -> bool {
    let name = name.to_lowercase();
    args.matrix.is_empty() || args.matrix.iter().any(|part| name.contains(&part.to_lowercase()))
}

/// The triangle to solve with, as a matrix of its own with values.
fn triangle(source: &Source, args: &Args, fill: Fill) -> Result<Csr> {
    let mut loaded = None;
    let mut pattern = match source {
        Source::Generated(entry) if args.permute.is_none() && args.ilu.is_none() => {
            let lower = entry.lower()?;
            if fill == Fill::Lower {
                lower
            } else {
                lower.reversed()?
            }
        }
        Source::Generated(entry) => entry.whole()?,
        Source::File(path) => {
            let file = mtx::read_matrix(path)?;
            if args.keep_values && file.has_values && args.permute.is_none() && args.ilu.is_none() {
                if let Some(row) = file.matrix.missing_diagonal() {
                    return Err(format!("{}: row {} has no diagonal entry", path.display(), row + 1));
                }
                loaded = Some(file.matrix.clone());
            }
            file.matrix
        }
    };
    if let Some(matrix) = loaded {
        return Ok(matrix);
    }
    if let Some(by) = args.permute {
        let whole = pattern.symmetrised()?;
        pattern = permute::permuted(&whole, &permute::order(&whole, by))?;
    }
    if let Some(k) = args.ilu {
        pattern = permute::ilu_pattern(&pattern, k)?;
    }
    if matches!(source, Source::File(_)) || args.permute.is_some() || args.ilu.is_some() {
        pattern = pattern.triangle(fill)?;
    }
    pattern.assign_values();
    Ok(pattern)
}

/// Bytes a second and seconds a level that no solver on an H200 can beat.
const BANDWIDTH: f64 = 4.25e12;
const LEVEL_SECONDS: f64 = 25e-9;

pub fn limit_ms(n: usize, nnz: usize, levels: usize, ty: Type) -> f64 {
    let value = ty.bytes() as f64;
    let bytes = (value + 4.0) * nnz as f64 + (2.0 * value + 4.0) * n as f64;
    (bytes / BANDWIDTH).max(levels as f64 * LEVEL_SECONDS) * 1e3
}

pub fn run(args: &Args) -> Result<()> {
    if args.suite == Some(Suite::Paper) && args.files.is_empty() {
        return paper::run(args);
    }
    let ty = value_type(&args.ty)?;
    let (json, markdown) = match &args.out {
        None => (args.json.clone(), args.markdown.clone()),
        Some(folder) => {
            make_folder(folder)?;
            (Some(folder.join("results.json")), Some(folder.join("report.md")))
        }
    };
    let executor = executor(args.executor.as_deref())?;
    let library = Library::open(&executor)?;
    let peers = Peers::load(&executor, args, ty.letter())?;
    let names = if args.algorithm.is_empty() { vec!["AUTO".to_string()] } else { args.algorithm.clone() };
    let algorithms = names.iter().map(|n| algorithm_number(n)).collect::<Result<Vec<i32>>>()?;
    let fill = if args.upper { Fill::Upper } else { Fill::Lower };
    let mut results = Results {
        machine: executor.description(),
        library: library.version()?,
        spsv: peers.spsv.as_ref().map(|p| p.version.clone()),
        csrsv2: peers.csrsv2.as_ref().map(|p| p.version.clone()),
        date: report::today(),
        value_type: ty.letter().into(),
        system: report::system_words(fill, args.transpose, args.permute, args.ilu),
        matrices: if args.resume { report::earlier(json.as_deref())? } else { Vec::new() },
    };
    let table =
        report::Table::new(&results, &algorithms.iter().map(|&a| algorithm_name(a)).collect::<Vec<_>>());
    println!("{}", table.heading());
    let begin = Instant::now();
    let budget = args.time_budget.map_or(Duration::MAX, Duration::from_secs_f64);
    let mut left_out = Vec::new();
    let sources: Vec<Source> =
        sources(args, &executor).into_iter().filter(|s| wanted(args, &s.name())).collect();
    if sources.is_empty() {
        return Err("no matrix has such a name".into());
    }
    let mut lost = None;
    for source in sources {
        let name = source.name();
        if results.matrices.iter().any(|m| m.name == name) {
            continue;
        }
        if lost.is_some() || begin.elapsed() > budget {
            left_out.push(name);
            continue;
        }
        let run = Run { args, ty, fill, library: &library, peers: &peers, algorithms: &algorithms };
        let result = run.matrix(&source);
        println!("{}", table.line(&result));
        lost = lost_gpu(&executor, &result);
        results.matrices.push(result);
        if let Some(path) = &json {
            report::write_json(path, &results)?;
        }
    }
    println!("{}", table.summary(&results));
    if let Some(path) = &markdown {
        crate::write_whole(path, table.markdown(&results).as_bytes())?;
    }
    if !left_out.is_empty() {
        println!("not measured: {}", left_out.join(", "));
    }
    if let Some(why) = lost {
        return Err(format!("the run was ended early: {why}"));
    }
    let failures =
        results.matrices.iter().filter(|m| m.error.is_some() || m.timings.iter().any(|t| !t.is_good()));
    match failures.count() {
        0 => Ok(()),
        count => Err(format!("{count} of {} matrices had failures", results.matrices.len())),
    }
}

/// Whether the GPU can no longer be used: after a hang, or an error that stays.
fn lost_gpu(executor: &Executor, result: &MatrixResult) -> Option<String> {
    let hung = result.timings.iter().filter_map(|t| t.error.as_ref()).find(|e| e.starts_with(HUNG));
    hung.cloned().or_else(|| executor.synchronize().err())
}

struct Run<'r, 'e> {
    args: &'r Args,
    ty: Type,
    fill: Fill,
    library: &'r Library<'e>,
    peers: &'r Peers,
    algorithms: &'r [i32],
}

impl Run<'_, '_> {
    fn matrix(&self, source: &Source) -> MatrixResult {
        let stand_in = matches!(source, Source::Generated(entry) if entry.stand_in);
        let empty = MatrixResult { name: source.name(), stand_in, ..MatrixResult::default() };
        self.try_matrix(source, empty.clone()).unwrap_or_else(|e| MatrixResult { error: Some(e), ..empty })
    }

    fn try_matrix(&self, source: &Source, mut result: MatrixResult) -> Result<MatrixResult> {
        let mut a = triangle(source, self.args, self.fill)?;
        self.ty.round(&mut a.val);
        let levels = a.levels(self.fill);
        result.n = a.n;
        result.nnz = a.count(self.fill);
        result.levels = levels.count();
        result.widest = levels.widest();
        result.limit_ms = limit_ms(result.n, result.nnz, result.levels, self.ty);

        let executor = self.library.executor;
        let mut rhs = right_hand_side(a.n);
        self.ty.round(&mut rhs);
        let matrix = DeviceMatrix::upload(executor, &a, self.ty)?;
        let f = system::upload(executor, self.ty, &rhs, &[])?;
        let x = executor.alloc(a.n * self.ty.bytes())?;
        let system =
            System { matrix: &matrix, fill: self.fill, transposed: self.args.transpose, f: &f, x: &x };
        let effort = Effort {
            solves: self.args.reps,
            least_solves: 3,
            analyses: 5,
            budget_ms: self.args.effort * 1e3,
        };
        let check = || {
            let question =
                Question { matrix: &a, fill: self.fill, transposed: self.args.transpose, ty: self.ty };
            let (re, im) = system::download(&x, self.ty, a.n)?;
            Ok(backward_error(&question, (&rhs, &[]), (&re, &im)))
        };
        for who in self.peers.present().into_iter().chain(self.algorithms.iter().map(|&a| Who::Ours(a, 0))) {
            let name = who.name();
            result.timings.push(match who.enter(self.library, self.peers, system) {
                Ok(contender) => {
                    let steps = vec![Step { contender, x: &x, check: Box::new(check) }];
                    measure(executor, &name, steps, effort)
                }
                Err(e) => Timing::failed(&name, e),
            });
        }
        Ok(result)
    }
}

pub fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The file of a general matrix in a folder, if it is there.
pub fn file_in(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    let folder = folder?;
    [format!("{name}.mtx"), format!("{name}.mtx.gz")]
        .map(|f| folder.join(f))
        .into_iter()
        .find(|p| p.is_file())
}
