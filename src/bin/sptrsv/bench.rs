//! `sptrsv bench`: every solver on every matrix of a suite or of files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::cases::{self, Case, Choice, Wanted};
use crate::check::{backward_error, Question};
use crate::contenders::{Peers, Who};
use crate::gpu::{Executor, HUNG};
use crate::library::{algorithm_list, algorithm_name, algorithm_number, Library};
use crate::matrix::{right_hand_side, Csr, Fill};
use crate::measure::{measure, Effort, Step, Timing};
use crate::numbers::{counted, duration, seconds, whole};
use crate::permute::Order;
use crate::progress::Progress;
use crate::system::{self, DeviceMatrix, Op, System, Type};
use crate::values::Origin;
use crate::{cannot_write, memory, must_be_writable, must_not_be_read, paper, relaunch, report, Result};

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    Grids,
    #[value(alias = "standins")]
    General,
    All,
    Paper,
    Small,
    Robust,
    Sizes,
    Meshes,
    Large,
    Extremes,
    Structures,
    Lattices,
}

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
    fn words(self) -> &'static str {
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
    /// Matrix Market files, or folders of them, to measure
    pub files: Vec<PathBuf>,
    /// Which matrices to measure: grids (13 grids and model problems), general (stand-ins for 12 general matrices, an ILU(2) factor),
    /// all (both, the default on a GPU), small (for a quick look, the default on the host), robust (reordered
    /// and filled-in ones), sizes (12 grids of other sizes), meshes (points at random), large (up to 17 million rows),
    /// extremes (long rows, complete factors, few levels), structures (graphs, trees, domains, blocks, bands),
    /// lattices (far-reaching stencils, periodic sides, four dimensions, dense elements), paper (the paper's
    /// experiments: lower then upper solves, setup times, plots), or the path of a file or a folder
    #[arg(long, value_name = "NAME|FILE|FOLDER", value_parser = Choice::parse)]
    pub suite: Option<Choice>,
    /// Only matrices whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    pub matrix: Vec<String>,
    /// No generated matrix with more rows than this
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub max_rows: Option<usize>,
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
    /// Reorder the unknowns first, in each of these ways
    #[arg(long, value_enum, value_delimiter = ',')]
    pub permute: Vec<Order>,
    /// Replace the pattern by that of ILU(k), for each of these k
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub ilu: Vec<u32>,
    /// Give files generated values too (by default they keep theirs where those neither overflow nor underflow)
    #[arg(long)]
    pub generated_values: bool,
    /// cuda or host (default: cuda where there is a GPU)
    #[arg(long)]
    pub executor: Option<String>,
    /// Path of a libcusparse with SpSV and SpSM (default: the one of the CUDA toolkit or of a Python package)
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
    /// Folder with the general matrices' own files (NAME.mtx or NAME.mtx.gz), used instead of stand-ins; all of
    /// its files are added to the suite robust
    #[arg(long)]
    pub folder: Option<PathBuf>,
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
    fn ops(&self) -> Vec<Op> {
        match (self.transpose, self.conjugate_transpose) {
            (true, _) => vec![Op::T],
            (_, true) => vec![Op::H],
            _ => self.op.clone(),
        }
    }
    /// The first option that was given and that the paper's experiments have no use for.
    fn unknown_to_the_paper(&self) -> Option<&'static str> {
        let given = [
            ("--in-a-row", self.in_a_row != 1),
            ("--compare-each", self.compare_each),
            ("--timeout", self.timeout.is_some()),
            ("--upper", self.upper),
            ("--op", self.ops() != [Op::N]),
            ("--rhs", self.rhs != [1]),
            ("--copy-values", self.copy_values),
            ("--permute", !self.permute.is_empty()),
            ("--ilu", !self.ilu.is_empty()),
            ("--json: it has --out", self.json.is_some()),
            ("--markdown: it has --out", self.markdown.is_some()),
        ];
        given.into_iter().find(|&(_, is_given)| is_given).map(|(option, _)| option)
    }
    /// What a report says of copied values.
    fn copy_words(&self) -> &'static str {
        if self.copy_values {
            ", values copied where they lie scattered"
        } else {
            ""
        }
    }
    /// What a report says of solves in a row.
    fn row_words(&self) -> String {
        match self.in_a_row {
            1 => String::new(),
            count => format!(", {count} solves in a row"),
        }
    }
    /// What a report says of solutions that are compared.
    fn compare_words(&self) -> &'static str {
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
    /// The executor, which must be able to run the peers that are asked for by path.
    pub fn executor(&self) -> Result<Executor> {
        let executor = executor(self.executor.as_deref())?;
        if executor.is_host() && (self.cusparse.is_some() || self.csrsv2.is_some()) {
            return Err("the host executor runs no cuSPARSE: leave --cusparse and --csrsv2 out".into());
        }
        Ok(executor)
    }
}

/// Everything that was measured in one run.
#[derive(Serialize, Deserialize, Default)]
pub struct Results {
    pub machine: String,
    pub library: String,
    pub spsv: Option<String>,
    pub csrsv2: Option<String>,
    pub date: String,
    pub system: String,
    pub matrices: Vec<MatrixResult>,
}

/// Results did not always say how many right-hand sides they are of.
fn one() -> usize {
    1
}

/// The times of all solvers on one system.
#[derive(Serialize, Deserialize, Clone, Default)]
pub struct MatrixResult {
    pub name: String,
    pub stand_in: bool,
    pub values: Origin,
    /// S, D, C or Z, and N, T or H.
    pub value_type: String,
    pub op: String,
    /// How many right-hand sides are solved for together; times are of all of them.
    #[serde(default = "one")]
    pub rhs: usize,
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
    /// Whether it is of the same system, or of a matrix that there was nothing to be had of.
    fn replaces(&self, old: &MatrixResult) -> bool {
        self.name == old.name && (old.error.is_some() || self.system() == old.system())
    }
    pub fn timing(&self, solver: &str) -> Option<&Timing> {
        self.timings.iter().find(|t| t.solver == solver && t.is_good())
    }
    pub fn label(&self) -> String {
        format!("{}{}{}", self.name, if self.stand_in { " *" } else { "" }, self.values.mark())
    }
    /// Value type, operation and how many right-hand sides, where they are several.
    pub fn system(&self) -> String {
        let several = if self.rhs > 1 { format!(" x{}", self.rhs) } else { String::new() };
        format!("{} {}{several}", self.value_type, self.op)
    }
    pub fn is_whole(&self) -> bool {
        self.error.is_none() && self.timings.iter().all(Timing::is_good)
    }
}

/// The executor asked for; without a wish, the GPU where there is one.
pub fn executor(wish: Option<&str>) -> Result<Executor> {
    match wish {
        Some("host") => Ok(Executor::Host),
        Some("cuda") => Executor::cuda().map_err(|e| format!("{e}; --executor host solves on the CPU")),
        None => Ok(Executor::cuda().unwrap_or(Executor::Host)),
        Some(other) => Err(format!("there is no executor '{other}'; known are cuda, host")),
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

/// Bytes a second, and seconds a level, of the yardstick: what an H200 allows where an unknown goes from block to block.
const BANDWIDTH: f64 = 4.25e12;
const LEVEL_SECONDS: f64 = 25e-9;

pub fn limit_ms(n: usize, nnz: usize, levels: usize, ty: Type, rhs: usize) -> f64 {
    let value = ty.bytes() as f64;
    let bytes = (value + 4.0) * nnz as f64 + (2.0 * value * rhs as f64 + 4.0) * n as f64;
    (bytes / BANDWIDTH).max(levels as f64 * LEVEL_SECONDS) * 1e3
}

/// Which of its two terms that limit is.
pub fn bound_by(limit_ms: f64, levels: usize) -> &'static str {
    let by_levels = levels as f64 * LEVEL_SECONDS * 1e3;
    if limit_ms > by_levels {
        "bytes"
    } else {
        "levels"
    }
}

pub fn run(args: &Args) -> Result<()> {
    for (option, solves) in [("--reps", args.reps), ("--in-a-row", args.in_a_row)] {
        if solves == 0 {
            return Err(format!("{option} wants one solve or more"));
        }
    }
    duration("effort", args.effort)?;
    if let Some(folder) = &args.folder {
        std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    if args.files.is_empty() && matches!(args.suite, Some(Choice::Suite(Suite::Paper))) {
        return match args.unknown_to_the_paper() {
            None => paper::run(args),
            Some(option) => Err(format!("the paper's suite knows no {option}")),
        };
    }
    let types = args.value_types(&[Type::D])?;
    let names = if args.algorithm.is_empty() { vec!["AUTO".to_string()] } else { args.algorithm.clone() };
    let algorithms = names.iter().map(|n| algorithm_number(n)).collect::<Result<Vec<i32>>>()?;
    if args.rhs.contains(&0) {
        return Err("--rhs wants one right-hand side or more".into());
    }
    let budget = args.budget()?;
    let executor = args.executor()?;
    if executor.is_host() && !matches!(args.setup, Setup::Auto | Setup::Cpu) {
        return Err("the host executor analyses on the CPU, whatever --setup says".into());
    }
    let cases = cases::cases(args, &executor)?;
    let (json, markdown) = match &args.out {
        None => (args.json.clone(), args.markdown.clone()),
        Some(folder) => (Some(folder.join("results.json")), Some(folder.join("report.md"))),
    };
    for path in [&json, &markdown].into_iter().flatten() {
        must_not_be_read(path, cases.iter().filter_map(Case::file))?;
    }
    let library = Library::open(&executor)?;
    if let Some(seconds) = args.timeout {
        library.set_timeout(seconds)?;
    }
    let peers =
        types.iter().map(|ty| Peers::load(&executor, args, ty.letter())).collect::<Result<Vec<_>>>()?;
    let mut results = Results {
        machine: executor.description(),
        library: library.version()?,
        spsv: peers[0].spsv.as_ref().map(|p| p.version.clone()),
        csrsv2: peers[0].csrsv2.as_ref().map(|p| p.version.clone()),
        date: report::today(),
        system: report::system_words(args.fill())
            + args.setup.words()
            + args.copy_words()
            + &args.row_words()
            + args.compare_words(),
        matrices: Vec::new(),
    };
    if args.resume {
        results.matrices = report::earlier(json.as_deref(), &results, args.keep_failures)?;
    }

    let solvers: Vec<String> = algorithms.iter().map(|&a| algorithm_name(a)).collect();
    let run = Run { args, library: &library, peers: &peers, algorithms: &algorithms, types, ops: args.ops() };
    let is_done = |case: &Case, results: &Results| {
        let has = |ty: Type, op: Op, rhs: usize| {
            let is_it = |m: &MatrixResult| {
                let of_all = || solvers.iter().all(|s| m.timings.iter().any(|t| t.solver == *s));
                let is_same =
                    || m.value_type == ty.letter() && m.op == op.letter() && m.rhs == rhs && of_all();
                m.name == case.name() && (m.error.is_some() || is_same())
            };
            results.matrices.iter().any(is_it)
        };
        run.types.iter().all(|&ty| run.systems().all(|(op, rhs)| has(ty, op, rhs)))
    };
    let only = cases.len() == 1;
    let pending: Vec<Case> = cases.into_iter().filter(|case| !is_done(case, &results)).collect();
    let table = {
        let several = run.types.len() * run.ops.len() > 1;
        report::Table::new(&results, &solvers, several, &args.rhs, args.copy_values)
    };
    let mut made = Vec::new();
    for path in [&json, &markdown].into_iter().flatten() {
        made.extend(make_folder_of(path)?);
        must_be_writable(path)?;
    }
    let mut progress = Progress::new(pending.iter().map(Case::weight));
    let mut heading = Some(table.heading());
    let begin = Instant::now();
    let mut left_out = Vec::new();
    for case in pending {
        let name = case.name();
        if begin.elapsed() > budget {
            left_out.push(name);
            continue;
        }
        progress.start(&name);
        let measured = run.case(&case);
        // A single file that cannot be read is bad input, and nothing was measured that could be kept.
        if let (true, Some(error)) = (only, measured[0].error.as_ref()) {
            progress.end();
            made.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
            return Err(error.clone());
        }
        results.matrices.retain(|old| !measured.iter().any(|new| new.replaces(old)));
        for result in &measured {
            heading.take().iter().for_each(|line| progress.say(line));
            progress.say(&table.line(result, &measured));
        }
        results.matrices.extend(measured);
        progress.finish_case(&name, case.weight());
        if let Some(path) = &json {
            make_folder_of(path)?;
            report::write_json(path, &results)?;
        }
        if let Some(why) = lost_gpu(&executor, results.matrices.last()) {
            progress.end();
            let Some(path) = &json else { return Err(format!("the run was ended early: {why}")) };
            eprintln!("sptrsv: {why}; {} is kept, a new process goes on", path.display());
            let left = args.time_budget.map(|_| budget.saturating_sub(begin.elapsed()));
            return Err(relaunch::go_on(left));
        }
    }
    progress.end();
    heading.iter().for_each(|line| say!("{line}"));
    say!("{}", table.summary(&results));
    if let Some(path) = &markdown {
        make_folder_of(path)?;
        crate::write_whole(path, table.markdown(&results).as_bytes())?;
    }
    if !left_out.is_empty() {
        say!("not measured: {}", left_out.join(", "));
    }
    match results.matrices.iter().filter(|m| !m.is_whole()).count() {
        0 => Ok(()),
        count => {
            let all = counted(results.matrices.len(), "measurement", "measurements");
            Err(format!("{count} of {all} had failures"))
        }
    }
}

/// Whether the GPU can no longer be used: after a hang, or an error that stays.
fn lost_gpu(executor: &Executor, result: Option<&MatrixResult>) -> Option<String> {
    let hung = result?.timings.iter().filter_map(|t| t.error.as_ref()).find(|e| e.starts_with(HUNG));
    hung.cloned().or_else(|| executor.synchronize().err())
}

struct Run<'r, 'e> {
    args: &'r Args,
    library: &'r Library<'e>,
    /// For each value type.
    peers: &'r [Peers],
    algorithms: &'r [i32],
    types: Vec<Type>,
    ops: Vec<Op>,
}

impl Run<'_, '_> {
    /// The systems of each value type: an operation and a number of right-hand sides.
    fn systems(&self) -> impl Iterator<Item = (Op, usize)> + '_ {
        self.ops.iter().flat_map(|&op| self.args.rhs.iter().map(move |&rhs| (op, rhs)))
    }

    /// A result for each value type and each of its systems; one alone where the matrix cannot be had.
    fn case(&self, case: &Case) -> Vec<MatrixResult> {
        let head =
            MatrixResult { name: case.name(), stand_in: case.is_stand_in(), ..MatrixResult::default() };
        let mut results = Vec::new();
        for complex in [false, true] {
            let types: Vec<usize> =
                (0..self.types.len()).filter(|&k| self.types[k].is_complex() == complex).collect();
            if types.is_empty() {
                continue;
            }
            let wanted = Wanted {
                fill: self.args.fill(),
                ops: self.ops.clone(),
                types: types.iter().map(|&k| self.types[k]).collect(),
                complex,
            };
            match case.triangle(self.args, &wanted) {
                Ok((a, values)) => {
                    let head = MatrixResult { values, ..head.clone() };
                    results.extend(types.iter().flat_map(|&k| self.type_of(k, &a, &head)));
                }
                Err(error) => results.push(MatrixResult { error: Some(error), ..head.clone() }),
            }
        }
        results
    }

    /// One value type, by its place in the list, and all its systems.
    fn type_of(&self, k: usize, a: &Csr, head: &MatrixResult) -> Vec<MatrixResult> {
        let (ty, fill) = (self.types[k], self.args.fill());
        let levels = a.levels(fill);
        let mut head = MatrixResult { value_type: ty.letter().into(), ..head.clone() };
        (head.n, head.nnz) = (a.n, a.nnz());
        (head.levels, head.widest) = (levels.count(), levels.widest());
        let executor = self.library.executor;
        let uploaded = DeviceMatrix::upload(executor, a, ty);
        let one = |(op, rhs): (Op, usize)| {
            let limit_ms = limit_ms(head.n, head.nnz, head.levels, ty, rhs);
            let mut result = MatrixResult { op: op.letter().into(), rhs, limit_ms, ..head.clone() };
            match uploaded.as_ref().map_err(Clone::clone).and_then(|m| self.system(k, a, m, op, rhs)) {
                Ok(timings) => result.timings = timings,
                Err(error) => result.error = Some(error),
            }
            result
        };
        self.systems().map(one).collect()
    }

    fn system(&self, k: usize, a: &Csr, m: &DeviceMatrix, op: Op, rhs: usize) -> Result<Vec<Timing>> {
        let (executor, fill, ty) = (self.library.executor, self.args.fill(), self.types[k]);
        // For right-hand sides, solutions, and the sums of the check.
        memory::must_have((a.n as u64).saturating_mul(32 * (rhs as u64 + 1)), "right-hand sides")?;
        let mut re = right_hand_side(a.n * rhs);
        let mut im: Vec<f64> = if ty.is_complex() { re.iter().rev().copied().collect() } else { Vec::new() };
        ty.round(&mut re);
        ty.round(&mut im);
        let f = system::upload(executor, ty, &re, &im)?;
        let x = executor.alloc(a.n * rhs * ty.bytes())?;
        let system = System { matrix: m, fill, op, rhs, f: &f, x: &x };
        let effort = Effort {
            solves: self.args.reps,
            least_solves: 3,
            in_a_row: self.args.in_a_row,
            compares_each: self.args.compare_each,
            analyses: 6,
            budget_ms: self.args.effort * 1e3,
        };
        let check = || {
            let question = Question { matrix: a, fill, op, ty };
            let (x_re, x_im) = system::download(&x, ty, a.n * rhs)?;
            Ok(backward_error(&question, (&re, &im), (&x_re, &x_im)))
        };
        let (setup, copies) = (self.args.setup as i32, self.args.copy_values);
        let ours = self.algorithms.iter().map(|&algorithm| Who::Ours { algorithm, setup, copies });
        let measured = self.peers[k].present(rhs).into_iter().chain(ours).map(|who| {
            let name = who.name();
            match who.enter(self.library, &self.peers[k], system) {
                Ok(contender) => {
                    let steps = vec![Step { contender, x: &x, check: Box::new(check) }];
                    measure(executor, &name, steps, effort)
                }
                Err(e) => Timing::failed(&name, e),
            }
        });
        Ok(measured.collect())
    }
}

/// Makes the folder that a file goes into, where it is not there; which folders were made, the innermost first.
pub fn make_folder_of(file: &Path) -> Result<Vec<PathBuf>> {
    let above = file.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let missing: Vec<PathBuf> = above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    if let Some(folder) = missing.first() {
        std::fs::create_dir_all(folder).map_err(|e| cannot_write(file, e))?;
    }
    Ok(missing)
}
