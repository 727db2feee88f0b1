//! What AUTO chooses on the systems of tables that were measured on a GPU, worked out without one:
//!
//!     cargo run --release --package choice -- docs/results/h200/*.md
//!
//! A table names the command of the benchmark that it was made by. The matrices of that command are generated, and what the choice
//! may ask for of each is found by the analysis on the CPU, and kept in a folder. From that the choice is made, as on the GPU of the table. It is
//! printed beside the engine and the times of the table.
#![forbid(unsafe_code)]

mod gpu;
mod systems;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use sptrsv::select::decision::Decision;
use table::{Row, Table};

#[derive(Parser)]
struct Cli {
    /// Tables in Markdown
    tables: Vec<PathBuf>,
    /// Options of `sptrsv bench`, for its systems without times
    #[arg(long, allow_hyphen_values = true)]
    command: Option<String>,
    /// Where features are kept
    #[arg(long, default_value = "target/choice")]
    cache: PathBuf,
    /// Folder of matrices, in place of the one that a command names
    #[arg(long)]
    folder: Option<PathBuf>,
    /// No generated matrix with more rows than this
    #[arg(long)]
    max_rows: Option<usize>,
}

/// What is summed up over all systems.
#[derive(Default)]
struct Sums {
    systems: usize,
    same: usize,
    unmeasured: usize,
    logarithms: f64,
    least: f64,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("choice: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<(), String> {
    println!("table\tmatrix\tsystem\ttable's\tchosen\tpredicted then\tpredicted\tmeasured\tbest/chosen");
    let mut tables = Vec::new();
    for path in &cli.tables {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        match Table::read(&text) {
            Some(table) => tables.push((name, table)),
            None => eprintln!("{name}: no table of solves"),
        }
    }
    tables.extend(cli.command.iter().map(|command| {
        ("-".into(), Table { command: command.clone(), gpu: String::new(), rows: Vec::new() })
    }));
    for (name, mut table) in tables {
        let mut sums = Sums { least: 1.0, ..Sums::default() };
        for system in systems::of(&mut table, cli)? {
            let row = &table.rows[system.row];
            print(&name, row, system.decision, &mut sums);
        }
        let mean = (sums.logarithms / (sums.systems - sums.unmeasured).max(1) as f64).exp();
        eprintln!(
            "{name}: {} systems, {} with the table's engine, {} whose engine was not measured; best/chosen {mean:.4}, at least {:.3}",
            sums.systems, sums.same, sums.unmeasured, sums.least
        );
    }
    Ok(())
}

fn print(name: &str, row: &Row, decision: Decision, sums: &mut Sums) {
    let engine = gpu::engine(decision);
    let time = row.time_of(engine);
    let best = row.best();
    let ratio = time.map(|time| best / time);
    let measured: Vec<String> = row.times.iter().map(|(name, time)| format!("{name} {time}")).collect();
    let shown = ratio.map_or("-".into(), |ratio| format!("{ratio:.3}"));
    println!(
        "{name}\t{}\t{}\t{}\t{}\t{}\t{:.4}\t{}\t{shown}",
        row.matrix,
        row.system,
        row.engine,
        gpu::words(decision),
        row.predicted,
        decision.predicted.as_secs_f64() * 1e3,
        measured.join(", "),
    );
    sums.systems += 1;
    sums.same += (engine == row.engine) as usize;
    match ratio {
        Some(ratio) => {
            sums.logarithms += ratio.ln();
            sums.least = sums.least.min(ratio);
        }
        None => sums.unmeasured += 1,
    }
}
