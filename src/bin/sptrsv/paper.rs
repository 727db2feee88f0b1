//! `sptrsv bench --suite paper`: the experiments of R. Li, "On parallel solution of sparse triangular linear
//! systems in CUDA", and what goes beyond them, on the machine at hand.
//!
//! Every solver does a lower solve and then an upper one with the triangles of a whole matrix A, as the paper
//! does. Results are kept after every matrix, so that a run can be resumed.

use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::bench::{limit_ms, make_folder_of, Args, Setup};
use crate::cases::{file_in, wanted, Case, Source};
use crate::check::{backward_error, Question};
use crate::contenders::{Peers, Who};
use crate::gpu::{Executor, HUNG};
use crate::library::{algorithm_number, algorithms, Library};
use crate::matrix::{right_hand_side, Csr, Fill};
use crate::measure::{analysis_parts, later, measure, median, time_analyses, Effort, Step, Timing};
use crate::numbers::counted;
use crate::progress::Progress;
use crate::suite::{self, Entry};
use crate::system::{self, DeviceMatrix, Op, System, Type};
use crate::values::{self, Origin};
use crate::{mtx, must_be_writable, paper_report, relaunch, report, Result};

/// Numbers of sptrsvAnalysisMode_t.
const SETUP_CPU: i32 = 1;
const SETUP_GPU: i32 = 2;
const SETUP_GPU_KAHN: i32 = 3;

/// The paper's own solvers, which can all be set up on the CPU and on the GPU.
pub const PAPER_SOLVERS: [&str; 4] = ["LEVR", "LEVC", "SLFR", "SLFC"];

#[derive(Serialize, Deserialize, Default)]
pub struct Results {
    pub machine: String,
    pub on_gpu: bool,
    pub library: String,
    pub spsv: Option<String>,
    pub csrsv2: Option<String>,
    pub date: String,
    pub experiments: Vec<Experiment>,
}

/// An analysis on the GPU of both triangles, in milliseconds.
#[derive(Serialize, Deserialize, Clone, Default)]
pub struct GpuSetup {
    pub total: f64,
    /// As `contenders::PARTS` names them.
    pub parts: [f64; 5],
}

/// One matrix in one precision.
#[derive(Serialize, Deserialize, Clone, Default)]
#[serde(default)]
pub struct Experiment {
    pub name: String,
    /// "5pt", "9pt", "7pt", "27pt" or "general".
    pub group: String,
    /// Aspect ratio of a grid.
    pub ratio: usize,
    pub value_type: String,
    /// Whether a generated matrix stands in for one of this name.
    pub stand_in: bool,
    pub values: Origin,
    pub n: usize,
    /// Entries of the whole matrix.
    pub nnz: usize,
    pub levels_lower: usize,
    pub levels_upper: usize,
    /// The yardstick for the lower triangle alone, in milliseconds.
    pub limit_ms: f64,
    /// A lower and an upper solve; the analysis is on the CPU for the paper's solvers.
    pub timings: Vec<Timing>,
    /// Analysis on the GPU: solver, times, or why there are none.
    pub gpu_setups: Vec<(String, std::result::Result<GpuSetup, String>)>,
    /// LEVR's with the paper's levels, which are found one by one.
    pub kahn_setup: Option<std::result::Result<GpuSetup, String>>,
    /// AUTO, lower triangle alone: the solve, and the solve with its transpose.
    pub plain: Option<Timing>,
    pub transposed: Option<Timing>,
    /// AUTO, lower triangle: right-hand sides and milliseconds for all of them.
    pub multi: Vec<(usize, std::result::Result<f64, String>)>,
    pub error: Option<String>,
}

impl Experiment {
    pub fn timing(&self, solver: &str) -> Option<&Timing> {
        self.timings.iter().find(|t| t.solver == solver && t.is_good())
    }
    pub fn gflops(&self, solver: &str) -> Option<f64> {
        self.timing(solver).map(|t| 2.0 * self.nnz as f64 / (t.solve_mean_ms * 1e6))
    }
    fn is_whole(&self) -> bool {
        paper_report::failures(self).is_empty() && self.timings.iter().all(Timing::is_good)
    }
}

struct Task {
    entry: Entry,
    group: &'static str,
    ratio: usize,
    ty: Type,
}

impl Task {
    fn name(&self) -> String {
        format!("{} {}", self.entry.name, self.ty.letter())
    }
    fn weight(&self) -> f64 {
        let source = Source::Generated(self.entry.clone());
        Case { source, order: None, ilu: None }.weight()
    }
}

fn tasks(args: &Args) -> Result<Vec<Task>> {
    let types = args.value_types(&[Type::D, Type::S])?;
    if types.iter().any(|ty| ty.is_complex()) {
        return Err("the paper's experiments are in the value types s and d".into());
    }
    let ratios_2d = [1, 4, 16, 64, 256];
    let ratios_3d = [1, 4, 8, 32, 64];
    let mut tasks = Vec::new();
    for &ty in &types {
        for (k, entry) in suite::paper_grids().into_iter().enumerate() {
            let group = ["5pt", "9pt", "7pt", "27pt"][k / 5];
            let ratio = if k < 10 { ratios_2d[k % 5] } else { ratios_3d[k % 5] };
            tasks.push(Task { entry, group, ratio, ty });
        }
    }
    for entry in suite::paper_general().into_iter().filter(|_| types.contains(&Type::D)) {
        tasks.push(Task { entry, group: "general", ratio: 0, ty: Type::D });
    }
    let small_enough = |t: &Task| args.max_rows.is_none_or(|most| t.entry.size.0 * 1e6 <= most as f64);
    tasks.retain(|t| wanted(args, &t.entry.name) && small_enough(t));
    match tasks.is_empty() {
        true => Err("no matrix is of such a name and size".into()),
        false => Ok(tasks),
    }
}

/// Ours in the order of the report: the paper's, GSF, the further engines, AUTO.
fn our_solvers(args: &Args) -> Result<Vec<i32>> {
    if !args.algorithm.is_empty() {
        return args.algorithm.iter().map(|name| algorithm_number(name)).collect();
    }
    let mut numbers: Vec<i32> = algorithms().map(|(_, number)| number).collect();
    numbers.rotate_left(1);
    Ok(numbers)
}

pub fn run(args: &Args) -> Result<()> {
    if args.setup != Setup::Auto {
        return Err("the paper's experiments set up on the CPU and on the GPU: leave --setup out".into());
    }
    let tasks = tasks(args)?;
    let ours = our_solvers(args)?;
    let budget = args.budget()?;
    let executor = args.executor()?;
    let library = Library::open(&executor)?;
    let out = args.out.as_deref().unwrap_or(Path::new("results"));
    let file = out.join("results.json");
    make_folder_of(&file)?;
    must_be_writable(&file)?;
    let mut results = if args.resume { earlier(&file, args.keep_failures)? } else { Results::default() };
    let is_pending = |task: &&Task| {
        let is_same = |e: &Experiment| e.name == task.entry.name && e.value_type == task.ty.letter();
        !results.experiments.iter().any(is_same)
    };
    let pending: Vec<&Task> = tasks.iter().filter(is_pending).collect();
    // A run that has nothing to measure only writes the report again, wherever that is.
    if !pending.is_empty() {
        let (now, then) = (executor.description(), &results.machine);
        if !results.experiments.is_empty() && *then != now {
            let file = file.display();
            return Err(format!("{file} is of another run ({then}), not to be resumed by this one ({now})"));
        }
        results.machine = now;
        results.on_gpu = !executor.is_host();
        results.library = library.version()?;
        results.date = report::today();
    }
    let mut progress = Progress::new(pending.iter().map(|t| t.weight()));
    let begin = Instant::now();
    let mut left_out = 0;
    let mut peers: Option<(Type, Peers)> = None;
    for task in pending {
        if begin.elapsed() > budget {
            left_out += 1;
            continue;
        }
        progress.start(&task.name());
        let peers = match &mut peers {
            Some((ty, peers)) if *ty == task.ty => peers,
            other => &mut other.insert((task.ty, Peers::load(&executor, args, task.ty.letter())?)).1,
        };
        results.spsv = peers.spsv.as_ref().map(|p| p.version.clone());
        results.csrsv2 = peers.csrsv2.as_ref().map(|p| p.version.clone());
        let run = Run { args, executor: &executor, library: &library, peers, ours: &ours };
        let experiment = run.experiment(task);
        for failure in paper_report::failures(&experiment) {
            progress.say(&failure);
        }
        let lost = lost(&executor, &experiment);
        results.experiments.push(experiment);
        report::write_json(&file, &results)?;
        progress.finish_case(&task.name(), task.weight());
        if let Some(why) = lost {
            progress.end();
            eprintln!("sptrsv: {why}; {} is kept, a new process goes on", file.display());
            let left = args.time_budget.map(|_| budget.saturating_sub(begin.elapsed()));
            return Err(relaunch::go_on(left));
        }
    }
    progress.end();
    paper_report::write(out, &results)?;
    say!("{}: results.json, report.md and plots", out.display());
    if left_out > 0 {
        let left = counted(left_out, "experiment is", "experiments are");
        return Err(format!("{left} left for --resume: the time budget is used up"));
    }
    match results.experiments.iter().filter(|e| !e.is_whole()).count() {
        0 => Ok(()),
        failed => {
            let all = counted(results.experiments.len(), "experiment", "experiments");
            Err(format!("{failed} of {all} had failures"))
        }
    }
}

/// What an earlier run measured.
fn earlier(file: &Path, failures_too: bool) -> Result<Results> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(Results::default()) };
    let mut results: Results = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    results.experiments.retain(|e| failures_too || e.is_whole());
    Ok(results)
}

fn gpu_setup(executor: &Executor, mut steps: Vec<Step>, effort: Effort) -> Result<GpuSetup> {
    let times = time_analyses(executor, &mut steps, effort)?;
    let parts = analysis_parts(&steps)?.ok_or("the library does not say what its analysis spent")?;
    Ok(GpuSetup { total: median(later(&times)), parts })
}

fn lost(executor: &Executor, e: &Experiment) -> Option<String> {
    let hung = e.timings.iter().filter_map(|t| t.error.as_ref()).find(|e| e.starts_with(HUNG));
    hung.cloned().or_else(|| executor.synchronize().err())
}

struct Run<'r> {
    args: &'r Args,
    executor: &'r Executor,
    library: &'r Library<'r>,
    peers: &'r Peers,
    ours: &'r [i32],
}

impl Run<'_> {
    fn experiment(&self, task: &Task) -> Experiment {
        let file = match task.group {
            "general" => file_in(self.args.folder.as_deref(), &task.entry.name),
            _ => None,
        };
        let head = Experiment {
            name: task.entry.name.clone(),
            group: task.group.into(),
            ratio: task.ratio,
            value_type: task.ty.letter().into(),
            stand_in: task.group == "general" && file.is_none(),
            ..Experiment::default()
        };
        let matrix = match &file {
            Some(path) if !self.args.generated_values => {
                let both: &[(Fill, Op)] = &[(Fill::Lower, Op::N), (Fill::Upper, Op::N)];
                let across: &[(Fill, Op)] = &[(Fill::Lower, Op::T)];
                mtx::read_matrix(path).map(|m| values::of_file(m, false, &[task.ty], &[both, across]))
            }
            other => {
                let pattern = match other {
                    Some(path) => mtx::read_matrix(path).map(|m| m.matrix.with_whole_diagonal()),
                    None => task.entry.whole(),
                };
                pattern.map(|mut a| {
                    values::generate(&mut a, false);
                    (a, Origin::Generated)
                })
            }
        };
        matrix
            .and_then(|(a, values)| self.measure(task, Experiment { values, ..head.clone() }, a))
            .unwrap_or_else(|error| Experiment { error: Some(error), ..head })
    }

    fn measure(&self, task: &Task, mut e: Experiment, mut a: Csr) -> Result<Experiment> {
        let (ty, executor) = (task.ty, self.executor);
        ty.round(&mut a.val);
        let mut rhs = right_hand_side(a.n);
        ty.round(&mut rhs);
        e.n = a.n;
        e.nnz = a.nnz();
        e.levels_lower = a.levels(Fill::Lower).count();
        e.levels_upper = a.levels(Fill::Upper).count();
        e.limit_ms = limit_ms(e.n, a.count(Fill::Lower), e.levels_lower, ty, 1);

        let matrix = DeviceMatrix::upload(executor, &a, ty)?;
        let f = system::upload(executor, ty, &rhs, &[])?;
        let middle = executor.alloc(a.n * ty.bytes())?;
        let x = executor.alloc(a.n * ty.bytes())?;
        let lower = System { matrix: &matrix, fill: Fill::Lower, op: Op::N, rhs: 1, f: &f, x: &middle };
        let upper = System { matrix: &matrix, fill: Fill::Upper, op: Op::N, rhs: 1, f: &middle, x: &x };
        let effort = Effort {
            solves: self.args.reps,
            least_solves: 3,
            in_a_row: 1,
            compares_each: false,
            analyses: 6,
            budget_ms: self.args.effort * 1e3,
        };
        let a = &a;
        // The backward error of one of the solves, from what its vectors hold on the device.
        let error_of = |s: System| {
            let (f, _) = system::download(s.f, ty, a.n * s.rhs)?;
            let (x, _) = system::download(s.x, ty, a.n * s.rhs)?;
            let question = Question { matrix: a, fill: s.fill, op: s.op, ty };
            Ok(backward_error(&question, (&f, &[]), (&x, &[])))
        };
        macro_rules! steps {
            ($who:expr, $($system:expr),+) => {
                (|| Ok(vec![$(Step {
                    contender: $who.enter(self.library, self.peers, $system)?,
                    x: $system.x,
                    check: Box::new(move || error_of($system)),
                }),+]))()
            };
        }
        let time = |who: Who, steps: Result<Vec<Step>>, effort: Effort| match steps {
            Ok(steps) => measure(executor, &who.name(), steps, effort),
            Err(error) => Timing::failed(&who.name(), error),
        };

        let ours = self.ours.iter().map(|&number| {
            let by_paper = PAPER_SOLVERS.contains(&Who::ours(number, 0).name().as_str());
            Who::ours(number, if by_paper { SETUP_CPU } else { 0 })
        });
        for who in self.peers.present(1).into_iter().chain(ours) {
            e.timings.push(time(who, steps!(who, lower, upper), effort));
        }
        // Of setups, transposed solves and so on, the report is in double precision.
        if ty != Type::D {
            return Ok(e);
        }
        if !executor.is_host() {
            for name in PAPER_SOLVERS {
                let number = algorithm_number(name)?;
                if self.ours.contains(&number) {
                    let set_up = |place| {
                        steps!(Who::ours(number, place), lower, upper)
                            .and_then(|steps| gpu_setup(executor, steps, effort))
                    };
                    e.gpu_setups.push((name.into(), set_up(SETUP_GPU)));
                    if name == "LEVR" {
                        e.kahn_setup = Some(set_up(SETUP_GPU_KAHN));
                    }
                }
            }
        }
        let auto = Who::ours(0, 0);
        let across = System { op: Op::T, ..lower };
        e.plain = Some(time(auto, steps!(auto, lower), effort));
        e.transposed = Some(time(auto, steps!(auto, across), effort));
        if matches!(task.entry.name.as_str(), "5pt-1024x1024" | "27pt-128x128x128" | "af_shell8") {
            // Milliseconds for so many right-hand sides together.
            let many = |rhs: usize| {
                let f = system::upload(executor, ty, &right_hand_side(a.n * rhs), &[])?;
                let x = executor.alloc(a.n * rhs * ty.bytes())?;
                let several = System { rhs, f: &f, x: &x, ..lower };
                let effort = Effort { solves: 20, analyses: 1, ..effort };
                let timing = time(auto, steps!(auto, several), effort);
                timing.error.map_or(Ok(timing.solve_median_ms), Err)
            };
            e.multi.extend([1, 2, 4, 8, 16, 32, 64].map(|rhs| (rhs, many(rhs))));
        }
        Ok(e)
    }
}
