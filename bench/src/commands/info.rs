//! `sptrsv info`: what a file's triangles look like, and what AUTO would do with them.

use std::path::{Path, PathBuf};

use crate::base::numbers::{counted, ms};
use crate::base::{memory, Result};
use crate::matrix::{Csr, Fill};
use crate::measure::limit::{limit, Size};
use crate::mtx::Parsed;
use crate::solvers::library::{algorithm_name, Library, Solver};
use crate::system::executor::{self, Executor};
use crate::system::{DeviceMatrix, Op, System, Type};

#[derive(clap::Args)]
pub struct Args {
    /// The matrix: a Matrix Market file, plain or gzip
    pub matrix: PathBuf,
    /// cuda or host (default: cuda where there is a GPU)
    #[arg(long)]
    pub executor: Option<String>,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(serde::Serialize)]
struct Triangle {
    triangle: &'static str,
    entries: usize,
    levels: usize,
    widest_level: usize,
    average_width: f64,
    longest_row: usize,
    algorithm: String,
    analysis_ms: f64,
    bytes_held: i64,
    predicted_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound_by: Option<&'static str>,
    level_sizes: Vec<u32>,
}

#[derive(serde::Serialize)]
struct Description {
    matrix: String,
    n: usize,
    entries: usize,
    complex: bool,
    missing_diagonals: usize,
    machine: String,
    triangles: Vec<Triangle>,
}

pub fn run(args: &Args) -> Result<()> {
    let mut file = Parsed::open(&args.matrix)?;
    let executor = executor::open(args.executor.as_deref())?;
    file.must_have_room(executor.host_bytes())?;
    let a = file.loaded()?.matrix;
    drop(file);
    let description = describe(&args.matrix, &a, &executor)?;
    if args.json {
        say!("{}", serde_json::to_string_pretty(&description).map_err(|e| e.to_string())?);
    } else {
        print(&description);
    }
    Ok(())
}

fn describe(path: &Path, a: &Csr, executor: &Executor) -> Result<Description> {
    let triangles = [Fill::Lower, Fill::Upper].map(|fill| triangle(a, fill, executor));
    Ok(Description {
        matrix: path.display().to_string(),
        n: a.n,
        entries: a.nnz(),
        complex: !a.im.is_empty(),
        missing_diagonals: (0..a.n).filter(|&i| !a.row(i).contains(&(i as i32))).count(),
        machine: executor.description(),
        triangles: triangles.into_iter().collect::<Result<_>>()?,
    })
}

fn triangle(a: &Csr, fill: Fill, executor: &Executor) -> Result<Triangle> {
    memory::must_have(12 * a.n as u64, "the levels")?;
    let levels = a.levels(fill);
    let entries = a.count(fill);
    let library = Library::open(executor)?;
    memory::must_have((4 * (a.n + a.nnz())) as u64, "a copy of the pattern")?;
    // The analysis reads the pattern alone, so the values may be anything.
    let pattern = Csr { n: a.n, ptr: a.ptr.clone(), col: a.col.clone(), ..Csr::default() };
    let matrix = DeviceMatrix::upload(executor, &pattern, Type::D)?;
    let x = executor.alloc(a.n * Type::D.bytes())?;
    let system = System { matrix: &matrix, fill, unit: false, op: Op::N, rhs: 1, f: &x, x: &x };
    let solver = Solver::new(&library, system, 0, 0)?;
    solver.analyse()?;
    let stats = solver.stats()?;
    let size = Size { n: a.n, nnz: entries, levels: levels.count() };
    let limit = limit(executor, size, Type::D, 1, None);
    let in_triangle =
        |i: usize| a.row(i).iter().filter(|&&c| c as usize == i || fill.is_dependency(i, c as usize)).count();
    Ok(Triangle {
        triangle: if fill == Fill::Lower { "lower" } else { "upper" },
        entries,
        levels: levels.count(),
        widest_level: levels.widest(),
        average_width: a.n as f64 / levels.count().max(1) as f64,
        longest_row: (0..a.n).map(in_triangle).max().unwrap_or(0),
        algorithm: algorithm_name(stats.algorithm),
        analysis_ms: stats.setup_ms,
        bytes_held: stats.bytes_held,
        predicted_ms: stats.predicted_ms,
        limit_ms: limit.as_ref().map(|limit| limit.ms),
        bound_by: limit.map(|limit| limit.bound_by),
        level_sizes: levels.sizes,
    })
}

fn print(d: &Description) {
    let kind = if d.complex { "complex" } else { "real" };
    let entries = |count: usize| counted(count, "entry", "entries");
    say!("{}: {}, {}, {kind}", d.matrix, counted(d.n, "row", "rows"), entries(d.entries));
    if d.missing_diagonals > 0 {
        say!("rows without an entry on the diagonal: {}", d.missing_diagonals);
    }
    say!("{}", d.machine);
    for t in &d.triangles {
        say!("");
        say!("{} triangle: {}, longest row {}", t.triangle, entries(t.entries), t.longest_row);
        let levels = counted(t.levels, "level", "levels");
        say!("  {levels}, widest {}, {:.1} rows on average", t.widest_level, t.average_width);
        for line in plot(&t.level_sizes) {
            say!("  {line}");
        }
        let predicted = match t.predicted_ms {
            p if p > 0.0 => format!(", predicted {} ms", ms(p)),
            _ => String::new(),
        };
        say!(
            "  AUTO takes {}{predicted}: {}; analysis {} ms, {} KiB held",
            t.algorithm,
            reason(t),
            ms(t.analysis_ms),
            t.bytes_held / 1024
        );
        if let (Some(limit), Some(term)) = (t.limit_ms, t.bound_by) {
            say!("  the yardstick of an H200 is {} ms (bound by {term})", ms(limit));
        }
    }
}

/// What in the matrix decides how fast a solve can be.
fn reason(t: &Triangle) -> String {
    if t.levels < 2 {
        return if t.levels == 0 { "no rows" } else { "one level: nothing waits" }.into();
    }
    if t.algorithm == "NODAL" {
        return "neighbouring unknowns depend on the same others and are solved together".into();
    }
    match t.average_width {
        w if w < 2.0 => "nearly a chain, rows wait for one another".into(),
        w if w < 64.0 => format!("levels of {w:.0} rows are narrow, the way from level to level counts"),
        w if w < 4096.0 => format!("levels of {w:.0} rows keep some of the machine busy"),
        w => format!("levels of {w:.0} rows are wide, moving the bytes counts"),
    }
}

const PLOT_WIDTH: usize = 64;
const PLOT_HEIGHT: usize = 6;

/// Level sizes as bars: the first level on the left, each bar the mean of the levels that it stands for.
fn plot(sizes: &[u32]) -> Vec<String> {
    let bars = PLOT_WIDTH.min(sizes.len());
    if bars == 0 {
        return Vec::new();
    }
    let mean = |b: usize| {
        let (from, to) = (b * sizes.len() / bars, (b + 1) * sizes.len() / bars);
        sizes[from..to].iter().map(|&s| f64::from(s)).sum::<f64>() / (to - from) as f64
    };
    let means: Vec<f64> = (0..bars).map(mean).collect();
    let top = means.iter().copied().fold(0.0, f64::max);
    let eighths = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mut lines = Vec::new();
    for row in (0..PLOT_HEIGHT).rev() {
        let bar = |m: &f64| {
            let filled = m / top * (PLOT_HEIGHT * 8) as f64 - (row * 8) as f64;
            // A level is never empty: the lowest row always shows something.
            eighths[(filled.round().clamp(f64::from(u8::from(row == 0)), 8.0)) as usize]
        };
        let scale = match row {
            0 => "0".to_string(),
            r if r == PLOT_HEIGHT - 1 => format!("{top:.0}"),
            _ => String::new(),
        };
        lines.push(format!("{scale:>9} │{}", means.iter().map(bar).collect::<String>()));
    }
    lines.push(format!("{:>9} └{}", "rows", "─".repeat(bars)));
    lines.push(format!("{:>11}level 1 {:>width$}", "", sizes.len(), width = bars.saturating_sub(8)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plot_shows_every_level_and_its_scale() {
        let lines = plot(&[1, 8, 4]);
        assert_eq!(lines.len(), PLOT_HEIGHT + 2);
        assert!(lines[0].contains("8 │ █ "));
        assert!(lines[PLOT_HEIGHT - 1].ends_with("│███") || lines[PLOT_HEIGHT - 1].contains('█'));
        assert!(plot(&[]).is_empty());
        assert!(plot(&vec![5; 1000])[0].ends_with(&"█".repeat(PLOT_WIDTH)));
    }
}
