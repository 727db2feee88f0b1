//! `sptrsv solve`: one triangular system from a file.

use std::path::PathBuf;
use std::time::Instant;

use crate::bench::executor;
use crate::check::{backward_error, Question, TOLERANCE};
use crate::library::{algorithm_list, algorithm_name, algorithm_number, Library, Solver};
use crate::matrix::{Csr, Fill};
use crate::mtx::{self, Vector};
use crate::system::{self, DeviceMatrix, Op, System, Type};
use crate::{must_be_writable, report, Result};

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
    /// The right-hand side: a Matrix Market file with one column (default: all ones)
    #[arg(long)]
    pub rhs: Option<PathBuf>,
    /// Write the solution to this Matrix Market file
    #[arg(long)]
    pub out: Option<PathBuf>,
    #[arg(long, default_value = "auto", help = format!("The algorithm, of {}", algorithm_list()))]
    pub algorithm: String,
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
    generated_values: bool,
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

pub fn run(args: &Args) -> Result<()> {
    let algorithm = algorithm_number(&args.algorithm)?;
    if let Some(path) = &args.out {
        must_be_writable(path)?;
    }
    let fill = if args.upper { Fill::Upper } else { Fill::Lower };
    let (a, generated_values) = load(args, fill)?;
    let rhs = match &args.rhs {
        Some(path) => mtx::read_vector(path, a.n, args.single)?,
        None => Vector { re: vec![1.0; a.n], im: Vec::new() },
    };
    let ty = match (args.single, a.im.is_empty() && rhs.im.is_empty()) {
        (false, true) => Type::D,
        (true, true) => Type::S,
        (false, false) => Type::Z,
        (true, false) => Type::C,
    };
    let op = match (args.transpose, args.conjugate_transpose) {
        (true, _) => Op::T,
        (_, true) => Op::H,
        _ => Op::N,
    };
    let executor = executor(args.executor.as_deref())?;
    let library = Library::open(&executor)?;
    let matrix = DeviceMatrix::upload(&executor, &a, ty)?;
    let f = system::upload(&executor, ty, &rhs.re, &rhs.im)?;
    let x = executor.alloc(a.n * ty.bytes())?;
    let system = System { matrix: &matrix, fill, op, rhs: 1, f: &f, x: &x };
    let solver = Solver::new(&library, system, algorithm, 0)?;

    let begin = Instant::now();
    solver.analyse()?;
    executor.synchronize()?;
    let analysis_ms = begin.elapsed().as_secs_f64() * 1e3;
    // The first solve is not timed: it pays for what happens once.
    solver.solve()?;
    let times = executor.time(5, || solver.solve())?;
    let solve_ms = crate::measure::median(&times);
    if let Some(row) = solver.zero_pivot()? {
        return Err(format!("{}: row {} has a zero on its diagonal", args.matrix.display(), row + 1));
    }
    let (re, im) = system::download(&x, ty, a.n)?;
    let question = Question { matrix: &a, fill, op, ty };
    let mut rounded = Vector { re: rhs.re, im: rhs.im };
    ty.round(&mut rounded.re);
    ty.round(&mut rounded.im);
    let error = backward_error(&question, (&rounded.re, &rounded.im), (&re, &im));
    if re.iter().chain(&im).any(|v| !v.is_finite()) {
        return Err(format!("{}: the solution is not finite: it overflows", args.matrix.display()));
    }
    if error > TOLERANCE {
        return Err(format!("{}: the backward error is {error:.1e} row x eps", args.matrix.display()));
    }
    let entries = a.count(fill);
    let outcome = Outcome {
        matrix: args.matrix.display().to_string(),
        machine: executor.description(),
        triangle: if args.upper { "upper" } else { "lower" },
        operation: op.letter(),
        words: op.words(),
        value_type: ty.letter(),
        generated_values,
        n: a.n,
        entries,
        levels: a.levels(fill).count(),
        algorithm: algorithm_name(solver.stats()?.algorithm),
        analysis_ms,
        solve_ms,
        gflops: 2.0 * entries as f64 / (solve_ms * 1e6),
        backward_error: error,
        largest_solution: re.iter().chain(&im).fold(0.0, |m: f64, v| m.max(v.abs())),
    };
    if let Some(path) = &args.out {
        mtx::write_vector(path, &Vector { re, im })?;
    }
    print(&outcome, args.json)
}

/// The matrix with values and a whole diagonal; whether the values are generated.
fn load(args: &Args, fill: Fill) -> Result<(Csr, bool)> {
    let loaded = mtx::read_matrix(&args.matrix)?;
    let mut a = loaded.matrix;
    let refuse = |row: usize, what: &str| {
        let place = mtx::place_of(&args.matrix, (row, row))?;
        Err(format!("{place}: row {} has {what} on its diagonal", row + 1))
    };
    if let Some(row) = a.missing_diagonal() {
        return refuse(row, "no entry");
    }
    if !loaded.has_values {
        a = a.triangle(fill)?;
        a.assign_values();
    }
    for i in 0..a.n {
        for k in a.range(i) {
            let (j, re, im) = (a.col[k] as usize, a.val[k], a.im.get(k).copied().unwrap_or(0.0));
            if i == j && re == 0.0 && im == 0.0 {
                return refuse(i, "a zero");
            }
            let is_read = i == j || fill.is_dependency(i, j);
            if let (true, Err(what)) = (is_read, mtx::must_fit(re, im, args.single)) {
                let place = mtx::place_of(&args.matrix, (i, j))?;
                return Err(format!("{place}: row {}, column {}: {what}", i + 1, j + 1));
            }
        }
    }
    Ok((a, !loaded.has_values))
}

fn print(o: &Outcome, json: bool) -> Result<()> {
    if json {
        say!("{}", serde_json::to_string_pretty(o).map_err(|e| e.to_string())?);
        return Ok(());
    }
    say!("{}: {} triangle{}, type {}", o.matrix, o.triangle, o.words, o.value_type);
    say!("{}", o.machine);
    say!("rows {}, entries {}, levels {}", o.n, o.entries, o.levels);
    say!("algorithm {}, analysis {} ms", o.algorithm, report::ms(o.analysis_ms));
    say!("solve {} ms, {:.2} GFLOPS", report::ms(o.solve_ms), o.gflops);
    say!("backward error {:.2} x (entries in the row) x epsilon", o.backward_error);
    say!("largest |x| {:.4e}", o.largest_solution);
    if o.generated_values {
        say!("the file holds a pattern only: diagonal in [1, 2), others in (-1, 1) / row or column length");
    }
    Ok(())
}
