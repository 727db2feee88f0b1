//! How long a GPU takes to fetch from L2 what a solve with several right-hand sides reads: for each entry the unknowns of all
//! right-hand sides. It is measured for the very pattern.

use crate::base::output::warn;
use crate::base::{memory, Result};
use crate::matrix::{Csr, Fill};
use crate::measure::statistics::median;
use crate::system::executor::Executor;
use crate::system::Op;

/// The kernels `gather_8` and `gather_4`.
const PTX: &str = include_str!("gather.ptx");
/// Most entries that a thread adds up. Longer rows are cut into pieces, so that the kernel waits for no thread with a long row.
const PIECE: usize = 64;
/// Threads of a block.
const THREADS: usize = 256;
/// Times that are measured, after one to warm up.
const RUNS: usize = 10;

/// The median time in milliseconds. `row_bytes` is what a row's unknowns of all right-hand sides take. None for the host
/// executor and, with a warning, where it cannot be measured.
pub fn gather_ms(executor: &Executor, a: &Csr, fill: Fill, op: Op, row_bytes: usize) -> Option<f64> {
    if executor.is_host() {
        return None;
    }
    let measured = measure(executor, a, fill, op, row_bytes);
    measured.inspect_err(|e| warn(&format!("the limit leaves gathers out: {e}"))).ok()
}

fn measure(executor: &Executor, a: &Csr, fill: Fill, op: Op, row_bytes: usize) -> Result<f64> {
    let width = width(row_bytes);
    let kernel = executor.compile(PTX, &name(width))?;
    let pattern = dependencies(a, fill, op)?;
    let cuts = cuts(&pattern)?;
    let rows = cuts.len() - 1;
    let (offsets, columns) = (executor.upload(&cuts)?, executor.upload(&pattern.col)?);
    let (x, sums) = (executor.alloc(a.n * row_bytes)?, executor.alloc(rows * row_bytes)?);
    let count = row_bytes / width;
    let block = (count.min(THREADS), THREADS / count.min(THREADS));
    let grid = (rows.div_ceil(block.1), count.div_ceil(block.0));
    let small = |(x, y): (usize, usize)| (x as u32, y as u32);
    let addresses = [&offsets, &columns, &x, &sums].map(|buffer| buffer.ptr() as u64);
    let arguments = [&addresses[..], &[rows as u64, count as u64]].concat();
    let times = executor.time(RUNS + 1, || {
        // SAFETY: gather.ptx takes these six; columns are rows of x, and each piece has a place in sums.
        unsafe { kernel.launch(small(grid), small(block), &arguments) }
    })?;
    Ok(median(&times[1..]))
}

/// How many bytes a thread fetches at a time: 4 for an odd number of right-hand sides in single precision.
fn width(row_bytes: usize) -> usize {
    if row_bytes % 8 == 0 {
        8
    } else {
        4
    }
}

fn name(width: usize) -> String {
    format!("gather_{width}")
}

/// The pattern of op(A) without its diagonal and the other triangle.
fn dependencies(a: &Csr, fill: Fill, op: Op) -> Result<Csr> {
    let strict = |i: usize, out: &mut Vec<i32>| {
        out.extend(a.row(i).iter().filter(|&&c| fill.is_dependency(i, c as usize)));
    };
    let pattern = Csr::from_rows(a.n, strict)?;
    if op == Op::N {
        return Ok(pattern);
    }
    memory::must_have(4 * (2 * a.n + pattern.nnz()) as u64, "a transposed pattern")?;
    Ok(pattern.transposed())
}

/// Where rows begin and where they are cut, and the end.
fn cuts(pattern: &Csr) -> Result<Vec<i32>> {
    let mut cuts = memory::room(pattern.n + pattern.nnz() / PIECE + 1, "the pieces of rows")?;
    for i in 0..pattern.n {
        let row = pattern.range(i);
        cuts.push(row.start as i32);
        cuts.extend(row.step_by(PIECE).skip(1).map(|k| k as i32));
    }
    cuts.push(pattern.nnz() as i32);
    Ok(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_have_the_names_and_arguments_that_are_asked_for() {
        for row_bytes in [8, 12, 16] {
            let (_, kernel) = PTX.split_once(&format!(".entry {}(", name(width(row_bytes)))).unwrap();
            let (parameters, _) = kernel.split_once(')').unwrap();
            let names: Vec<&str> =
                parameters.split(',').map(|p| p.trim().trim_start_matches(".param .u64 ")).collect();
            assert_eq!(names, ["offsets", "columns", "x", "sums", "rows", "count"]);
        }
    }

    #[test]
    fn only_what_a_solve_reads_is_fetched() {
        // rows: 0: 0 2 | 1: 1 | 2: 0 2 | 3: 1 2 3
        let a = Csr { n: 4, ptr: vec![0, 2, 3, 5, 8], col: vec![0, 2, 1, 0, 2, 1, 2, 3], ..Csr::default() };
        let of = |fill, op| {
            let pattern = dependencies(&a, fill, op).unwrap();
            (pattern.ptr, pattern.col)
        };
        assert_eq!(of(Fill::Lower, Op::N), (vec![0, 0, 0, 1, 3], vec![0, 1, 2]));
        assert_eq!(of(Fill::Upper, Op::N), (vec![0, 1, 1, 1, 1], vec![2]));
        assert_eq!(of(Fill::Lower, Op::H), (vec![0, 1, 2, 3, 3], vec![2, 3, 3]));
    }

    #[test]
    fn long_rows_are_cut() {
        let lengths = [0, PIECE, PIECE + 1, 0, 2 * PIECE];
        let pattern = Csr::from_rows(5, |i, out| out.extend(0..lengths[i] as i32)).unwrap();
        let got: Vec<usize> = cuts(&pattern).unwrap().windows(2).map(|k| (k[1] - k[0]) as usize).collect();
        assert_eq!(got, [0, PIECE, PIECE, 1, 0, PIECE, PIECE]);
    }
}
