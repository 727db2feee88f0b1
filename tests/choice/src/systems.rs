//! The systems of a table: their matrices, what is known of each, and the choice.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use rayon::prelude::*;
use sptrsv::analysis::Pattern;
use sptrsv::gpus::Speed;
use sptrsv::problem::{DataType, Fill, MatDescr, Op, Shape};
use sptrsv::select::decision::Decision;
use sptrsv_bench::bench::args::Args;
use sptrsv_bench::matrix::{self, Csr};
use sptrsv_bench::suites::cases::{self, Case};
use sptrsv_bench::system;

use crate::gpu;
use crate::known::{self, Known};
use crate::table::{Row, Table};
use crate::Cli;

/// A system of a table, and the choice for it.
#[derive(Clone)]
pub struct System {
    /// Of the table.
    pub row: usize,
    pub decision: Decision,
    pub known: Vec<Known>,
}

/// The options of `sptrsv bench`.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    args: Args,
}

/// A system of a matrix.
#[derive(Clone)]
struct Question {
    row: usize,
    levels: String,
    op: system::Op,
    dtype: DataType,
    is_copied: bool,
    file: PathBuf,
}

/// The systems of the table that its command still makes, in the table's order. All that it makes where the table is empty, which then
/// has rows without times.
pub fn of(table: &mut Table, cli: &Cli) -> Result<Vec<System>, String> {
    let options = Options::try_parse_from(["bench"].into_iter().chain(table.command.split_whitespace()));
    let mut args = options.map_err(|e| e.to_string())?.args;
    let selection = &mut args.selection;
    selection.folder = cli.folder.clone().or(selection.folder.take());
    selection.max_rows = [selection.max_rows, cli.max_rows].into_iter().flatten().min();
    let cases = cases::cases(&args.selection, &[], false)?;
    let fill = args.fill();
    let speed = gpu::speed(&table.gpu);
    if table.rows.is_empty() {
        let systems = cases.iter().flat_map(|case| systems_of(&args).map(|(name, ..)| (case.name(), name)));
        table.rows = systems.map(|(matrix, system)| Row { matrix, system, ..Row::default() }).collect();
    }
    let asked: Vec<(&Case, Vec<Question>)> =
        cases.iter().map(|case| (case, questions(table, &args, case, &cli.cache))).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().map_err(|e| e.to_string())?;
    let found: Result<Vec<Vec<System>>, String> = pool
        .install(|| asked.par_iter().map(|(case, questions)| decide(case, fill, questions, speed)).collect());
    let mut systems = found?.concat();
    systems.sort_by_key(|system| system.row);
    Ok(systems)
}

/// The systems of a matrix that are in the table.
fn questions(table: &Table, args: &Args, case: &Case, cache: &Path) -> Vec<Question> {
    let question = |(system, op, dtype): (String, system::Op, DataType)| {
        let is_it = |row: &Row| row.matrix == case.name() && (row.system.is_empty() || row.system == system);
        let row = table.rows.iter().position(is_it)?;
        let is_copied = args.copy_values && op != system::Op::N;
        let copied = if is_copied { " copied" } else { "" };
        let name = format!("{} {:?} {system}{copied}", case.name(), args.fill());
        let file = cache.join(name.replace([' ', '/', '(', ')'], "_"));
        let levels = table.rows[row].levels.clone();
        Some(Question { row, levels, op, dtype, is_copied, file })
    };
    systems_of(args).filter_map(question).collect()
}

/// Types and operations, and what a table calls each of both.
fn systems_of(args: &Args) -> impl Iterator<Item = (String, system::Op, DataType)> {
    let types = if args.types.is_empty() { vec!["d".to_string()] } else { args.types.clone() };
    let ops = args.ops();
    let types = types.into_iter().filter_map(|ty| dtype_of(&ty).map(|dtype| (ty.to_uppercase(), dtype)));
    types.flat_map(move |(ty, dtype)| {
        ops.clone().into_iter().map(move |op| (format!("{ty} {}", op.letter()), op, dtype))
    })
}

fn dtype_of(letter: &str) -> Option<DataType> {
    match letter {
        "s" => Some(DataType::F32),
        "d" => Some(DataType::F64),
        "c" => Some(DataType::C32),
        "z" => Some(DataType::C64),
        _ => None,
    }
}

/// The choice for systems of a matrix, which is made where something is not known yet.
fn decide(
    case: &Case,
    fill: matrix::Fill,
    questions: &[Question],
    speed: Speed,
) -> Result<Vec<System>, String> {
    let mut triangle = None;
    let mut systems = Vec::new();
    for question in questions {
        let known = match read(&question.file) {
            Some(known) => known,
            None => {
                let triangle = match &mut triangle {
                    Some(known) => known,
                    unknown => unknown.insert(case.triangle_pattern(fill)?),
                };
                let known = analyse(triangle, fill, question);
                let levels = known.last().map_or(0, |known| known.counts.levels).to_string();
                if !question.levels.is_empty() && levels != question.levels {
                    eprintln!("{}: {levels} levels, {} in the table", case.name(), question.levels);
                }
                write(&question.file, &known).map_err(|e| format!("{}: {e}", question.file.display()))?;
                known
            }
        };
        let decision = gpu::choose(gpu::needs(question.dtype), speed, &known);
        systems.push(System { row: question.row, decision, known });
    }
    Ok(systems)
}

fn analyse(triangle: &Csr, fill: matrix::Fill, question: &Question) -> Vec<Known> {
    let is_transposed = question.op != system::Op::N;
    // From a copy a transposed pattern is analysed as if it were stored.
    let transposed = question.is_copied.then(|| triangle.transposed());
    let stored = transposed.as_ref().unwrap_or(triangle);
    let is_lower = (fill == matrix::Fill::Lower) != question.is_copied;
    let op = if is_transposed && !question.is_copied { Op::Transpose } else { Op::NonTranspose };
    let descr = MatDescr { fill: if is_lower { Fill::Lower } else { Fill::Upper }, ..MatDescr::default() };
    let (n, nnz) = (stored.n as i64, stored.nnz() as i64);
    let shape = Shape::new(op, n, nnz, descr, question.dtype, false).expect("generated systems are valid");
    let unsigned = |numbers: &[i32]| numbers.iter().map(|&number| number as u32).collect();
    let pattern = Pattern { ptr: unsigned(&stored.ptr), ind: unsigned(&stored.col) };
    known::of(&shape, &pattern, gpu::needs(question.dtype))
}

fn read(file: &Path) -> Option<Vec<Known>> {
    read_lines(&fs::read_to_string(file).ok()?)
}

/// The features of lines of numbers.
pub fn read_lines(text: &str) -> Option<Vec<Known>> {
    text.lines()
        .map(|line| Known::read(&mut line.split(' ').filter_map(|number| number.parse().ok())))
        .collect()
}

/// The features as a line of numbers.
pub fn line(known: &Known) -> String {
    let numbers: Vec<String> = known.numbers().iter().map(u64::to_string).collect();
    numbers.join(" ") + "\n"
}

fn write(file: &Path, known: &[Known]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, known.iter().map(line).collect::<String>())
}
