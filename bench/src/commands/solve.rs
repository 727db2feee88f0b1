//! `sptrsv solve`: one triangular system from a file.

use std::path::PathBuf;
use std::time::Instant;

use crate::base::files::{must_be_writable, must_not_be_read};
use crate::base::numbers::{counted, ms};
use crate::base::{memory, Result};
use crate::matrix::{Csr, Fill};
use crate::measure::statistics::median;
use crate::mtx::{self, Parsed, Vectors};
use crate::solvers::library::{algorithm_list, algorithm_name, algorithm_number, Library, Solver};
use crate::system::check::{backward_errors, Question, TOLERANCE};
use crate::system::executor::{self, Executor};
use crate::system::{self, DeviceMatrix, Op, System, Type};

#[derive(clap::Args)]
pub struct Args {
    /// The matrix: a Matrix Market file, plain or gzip
    pub matrix: PathBuf,
    /// Solve with the upper triangle instead of the lower one
    #[arg(long)]
    pub upper: bool,
    /// Solve with the transpose of the triangle
    #[arg(long)]
    pub transpose: bool,
    /// Solve with the conjugate transpose of the triangle
    #[arg(long, conflicts_with = "transpose")]
    pub conjugate_transpose: bool,
    /// Solve with a unit diagonal: stored diagonal entries are ignored and may be missing
    #[arg(long)]
    pub unit: bool,
    /// The right-hand sides: the columns of a Matrix Market file (default: one of all ones)
    #[arg(long)]
    pub rhs: Option<PathBuf>,
    /// Write the solutions to this Matrix Market file, a column for each right-hand side
    #[arg(long)]
    pub out: Option<PathBuf>,
    #[arg(long, default_value = "auto", help = format!("The algorithm, of {}", algorithm_list()))]
    pub algorithm: String,
    /// Time the algorithms that promise most, and solve by the fastest (sptrsvTune)
    #[arg(long, conflicts_with = "algorithm")]
    pub tune: bool,
    /// cuda or host (default: cuda where there is a GPU)
    #[arg(long)]
    pub executor: Option<String>,
    /// Compute in single precision
    #[arg(long)]
    pub single: bool,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a solve prints.
#[derive(serde::Serialize)]
struct Outcome {
    matrix: String,
    machine: String,
    triangle: &'static str,
    operation: &'static str,
    #[serde(skip)]
    words: &'static str,
    value_type: &'static str,
    unit_diagonal: bool,
    generated_values: bool,
    right_hand_sides: usize,
    n: usize,
    entries: usize,
    levels: usize,
    algorithm: String,
    analysis_ms: f64,
    solve_ms: f64,
    gflops: f64,
    backward_error: f64,
    largest_solution: f64,
}

impl Args {
    fn fill(&self) -> Fill {
        if self.upper {
            Fill::Upper
        } else {
            Fill::Lower
        }
    }

    fn op(&self) -> Op {
        match (self.transpose, self.conjugate_transpose) {
            (true, _) => Op::T,
            (_, true) => Op::H,
            _ => Op::N,
        }
    }

    fn value_type(&self, a: &Csr, f: &Vectors) -> Type {
        match (self.single, a.im.is_empty() && f.im.is_empty()) {
            (false, true) => Type::D,
            (true, true) => Type::S,
            (false, false) => Type::Z,
            (true, false) => Type::C,
        }
    }

    fn error(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.matrix.display())
    }
}

/// The matrix and the right-hand sides, as they are computed with.
struct Problem {
    a: Csr,
    f: Vectors,
    ty: Type,
    generated_values: bool,
}

/// The solution, and what the solver says of it.
struct Solved {
    x: Vectors,
    algorithm: String,
    analysis_ms: f64,
    solve_ms: f64,
}

pub fn run(args: &Args) -> Result<()> {
    let algorithm = algorithm_number(&args.algorithm)?;
    if let Some(path) = &args.out {
        let inputs = [Some(&args.matrix), args.rhs.as_ref()];
        must_not_be_read(path, inputs.into_iter().flatten().map(PathBuf::as_path))?;
        must_be_writable(path)?;
    }
    let file = open(args)?;
    let executor = executor::open(args.executor.as_deref())?;
    file.must_have_room(executor.host_bytes())?;
    let problem = problem(args, file)?;
    let solved = solve(args, &problem, &executor, algorithm)?;
    let error = check(args, &problem, &solved.x)?;
    let outcome = outcome(args, &problem, &solved, &executor, error);
    if let Some(path) = &args.out {
        mtx::write_vectors(path, problem.a.n, &solved.x)?;
    }
    print(&outcome, args.json)
}

/// Reads the file. Without --unit every row must have an entry on the diagonal.
fn open(args: &Args) -> Result<Parsed> {
    let file = Parsed::open(&args.matrix)?;
    match if args.unit { None } else { file.missing_diagonal()? } {
        None => Ok(file),
        Some(row) => {
            let place = file.place_of((row, row));
            Err(format!("{place}: row {} has no entry on its diagonal", row + 1))
        }
    }
}

fn problem(args: &Args, file: Parsed) -> Result<Problem> {
    let (a, generated_values) = load(args, file)?;
    let f = match &args.rhs {
        Some(path) => mtx::read_vectors(path, a.n, args.single)?,
        None => {
            let mut re = memory::room(a.n, "the right-hand side")?;
            re.resize(a.n, 1.0);
            Vectors { count: 1, re, im: Vec::new() }
        }
    };
    let ty = args.value_type(&a, &f);
    Ok(Problem { a, f, ty, generated_values })
}

/// The matrix with values; whether these are generated.
fn load(args: &Args, mut file: Parsed) -> Result<(Csr, bool)> {
    let loaded = file.loaded()?;
    let mut a = loaded.matrix;
    if !loaded.has_values {
        memory::must_have(12 * (a.n + a.nnz()) as u64, "values").map_err(|e| args.error(e))?;
        a = a.triangle(args.fill())?;
        a.assign_values();
    }
    must_be_solvable(args, &file, &a)?;
    Ok((a, !loaded.has_values))
}

/// What a solve reads must fit the precision, and the diagonal must not be zero.
fn must_be_solvable(args: &Args, file: &Parsed, a: &Csr) -> Result<()> {
    for i in 0..a.n {
        for k in a.range(i) {
            let (j, re, im) = (a.col[k] as usize, a.val[k], a.im.get(k).copied().unwrap_or(0.0));
            let is_read = (i == j && !args.unit) || args.fill().is_dependency(i, j);
            if is_read && i == j && re == 0.0 && im == 0.0 {
                let place = file.place_of((i, i));
                return Err(format!("{place}: row {} has a zero on its diagonal", i + 1));
            }
            if let (true, Err(what)) = (is_read, mtx::must_fit(re, im, args.single)) {
                let place = file.place_of((i, j));
                return Err(format!("{place}: row {}, column {}: {what}", i + 1, j + 1));
            }
        }
    }
    Ok(())
}

fn solve(args: &Args, problem: &Problem, executor: &Executor, algorithm: i32) -> Result<Solved> {
    let Problem { a, f, ty, .. } = problem;
    let numbers = f.re.len();
    let library = Library::open(executor)?;
    let matrix = DeviceMatrix::upload(executor, a, *ty)?;
    let x = executor.alloc(numbers * ty.bytes())?;
    let f_there = system::upload(executor, *ty, &f.re, &f.im)?;
    let system = System {
        matrix: &matrix,
        fill: args.fill(),
        unit: args.unit,
        op: args.op(),
        rhs: f.count,
        f: &f_there,
        x: &x,
    };
    let mut solver = Solver::new(&library, system, algorithm, 0)?;
    solver.tunes = args.tune;

    let begin = Instant::now();
    solver.analyse()?;
    executor.synchronize()?;
    let analysis_ms = begin.elapsed().as_secs_f64() * 1e3;
    // The first solve is not timed: it pays for what happens once.
    solver.solve()?;
    let times = executor.time(5, || solver.solve())?;
    if let Some(row) = solver.zero_pivot()? {
        return Err(args.error(format!("row {} has a zero on its diagonal", row + 1)));
    }
    let (re, im) = system::download(&x, *ty, numbers)?;
    Ok(Solved {
        x: Vectors { count: f.count, re, im },
        algorithm: algorithm_name(solver.stats()?.algorithm),
        analysis_ms,
        solve_ms: median(&times),
    })
}

/// The largest backward error of the solutions, each of which must be finite and right.
fn check(args: &Args, problem: &Problem, x: &Vectors) -> Result<f64> {
    let Problem { a, f, ty, .. } = problem;
    // For sums by rows, levels, and a rounded copy of the right-hand sides.
    memory::must_have((48 * a.n + 16 * f.re.len()) as u64, "the check of the solution")?;
    let question = Question { matrix: a, fill: args.fill(), op: args.op(), ty: *ty };
    let mut rounded = (f.re.clone(), f.im.clone());
    ty.round(&mut rounded.0);
    ty.round(&mut rounded.1);
    let errors = backward_errors(&question, args.unit, (&rounded.0, &rounded.1), (&x.re, &x.im));
    for (column, error) in errors.iter().enumerate() {
        let of = if x.count > 1 { format!(" of right-hand side {}", column + 1) } else { String::new() };
        let at = column * a.n..(column + 1) * a.n;
        let parts = x.re[at.clone()].iter().chain(x.im.get(at).unwrap_or_default());
        if parts.into_iter().any(|v| !v.is_finite()) {
            return Err(args.error(format!("the solution{of} is not finite: it overflows")));
        }
        if *error > TOLERANCE {
            return Err(args.error(format!("the backward error{of} is {error:.1e} row x eps")));
        }
    }
    Ok(errors.into_iter().fold(0.0, f64::max))
}

fn outcome(args: &Args, problem: &Problem, solved: &Solved, executor: &Executor, error: f64) -> Outcome {
    let Problem { a, f, ty, generated_values } = problem;
    let fill = args.fill();
    let on_diagonal = || (0..a.n).filter(|&i| a.row(i).binary_search(&(i as i32)).is_ok()).count();
    let entries = a.count(fill) - if args.unit { on_diagonal() } else { 0 };
    Outcome {
        matrix: args.matrix.display().to_string(),
        machine: executor.description(),
        triangle: if args.upper { "upper" } else { "lower" },
        operation: args.op().letter(),
        words: args.op().words(),
        value_type: ty.letter(),
        unit_diagonal: args.unit,
        generated_values: *generated_values,
        right_hand_sides: f.count,
        n: a.n,
        entries,
        levels: a.levels(fill).count(),
        algorithm: solved.algorithm.clone(),
        analysis_ms: solved.analysis_ms,
        solve_ms: solved.solve_ms,
        gflops: 2.0 * (entries * f.count) as f64 / (solved.solve_ms * 1e6),
        backward_error: error,
        largest_solution: solved.x.re.iter().chain(&solved.x.im).fold(0.0, |m: f64, v| m.max(v.abs())),
    }
}

fn print(o: &Outcome, json: bool) -> Result<()> {
    if json {
        say!("{}", serde_json::to_string_pretty(o).map_err(|e| e.to_string())?);
        return Ok(());
    }
    let unit = if o.unit_diagonal { ", unit diagonal" } else { "" };
    say!("{}: {} triangle{}{unit}, type {}", o.matrix, o.triangle, o.words, o.value_type);
    say!("{}", o.machine);
    say!("rows {}, entries {}, levels {}", o.n, o.entries, o.levels);
    if o.right_hand_sides != 1 {
        say!("{} in one call", counted(o.right_hand_sides, "right-hand side", "right-hand sides"));
    }
    say!("algorithm {}, analysis {} ms", o.algorithm, ms(o.analysis_ms));
    say!("solve {} ms, {:.2} GFLOPS", ms(o.solve_ms), o.gflops);
    say!("backward error {:.2} x (entries in the row) x epsilon", o.backward_error);
    say!("largest |x| {:.4e}", o.largest_solution);
    if o.generated_values {
        say!("the file holds a pattern only: diagonal in [1, 2), others in (-1, 1) / row or column length");
    }
    Ok(())
}
