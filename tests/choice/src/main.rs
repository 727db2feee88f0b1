//! What AUTO chooses on the systems of tables that were measured on a GPU, worked out without one:
//!
//!     cargo run --release --package choice -- docs/results/h200/*.md
//!
//! A table names the command of the benchmark that it was made by. The matrices of that command are generated, and what the choice
//! may ask for of each is found and kept in a folder: by the library's analysis on the CPU and, where only its analysis on the GPU looks
//! for it, by this program. From that the choice is made, as on the GPU of the table. It is printed beside the engine and the times of the table.
//!
//! A test holds the choice for some systems, which this writes anew:
//!
//!     cargo run --release --package choice -- --pin tests/choice/recorded.txt \
//!         docs/results/h200/{robust,structures,lattices,extremes,meshes}.md
#![forbid(unsafe_code)]

mod blocks_3d;
mod gpu;
mod irregular;
mod known;
mod systems;
mod table;
mod wavefront_strips;

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
    /// Write the choice for systems of few features, and these, to this file, for the test that holds it
    #[arg(long)]
    pin: Option<PathBuf>,
    /// Where features are kept; to be removed when the analysis finds other ones
    #[arg(long, default_value = "target/choice")]
    cache: PathBuf,
    /// Folder of matrices, in place of the one that a command names
    #[arg(long)]
    folder: Option<PathBuf>,
    /// No generated matrix with more rows than this
    #[arg(long)]
    max_rows: Option<usize>,
}

/// Characters that the features of a system may take to be pinned.
const PINNED: usize = 6000;

/// What is known of all systems of a table: whether the choice is the table's, and of each the time of the best engine over that of
/// the chosen one, where that was measured.
#[derive(Default)]
struct Sums {
    same: usize,
    ratios: Vec<Option<f64>>,
}

impl Sums {
    fn print(&self, name: &str) {
        let ratios: Vec<f64> = self.ratios.iter().copied().flatten().collect();
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
        let least = ratios.iter().copied().fold(1.0, f64::min);
        eprintln!(
            "{name}: {} systems, {} with the table's engine, {} whose engine was not measured; best/chosen {mean:.4}, at least {least:.3}",
            self.ratios.len(),
            self.same,
            self.ratios.len() - ratios.len()
        );
    }
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
    let (mut pinned, mut all) = (String::new(), Sums::default());
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
        let mut sums = Sums::default();
        for system in systems::of(&mut table, cli)? {
            let row = &table.rows[system.row];
            print(&name, row, system.decision, &mut sums);
            let features: String = system.known.iter().map(systems::line).collect();
            if features.len() <= PINNED {
                let Row { matrix, system: which, .. } = row;
                let words = gpu::words(system.decision);
                pinned += &format!("{matrix} {which}: {words}\n{features}\n");
            }
        }
        sums.print(&name);
        all.same += sums.same;
        all.ratios.append(&mut sums.ratios);
    }
    all.print("all");
    match &cli.pin {
        Some(path) => std::fs::write(path, pinned).map_err(|e| format!("{}: {e}", path.display())),
        None => Ok(()),
    }
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
    sums.same += (engine == row.engine) as usize;
    sums.ratios.push(ratio);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sptrsv::problem::DataType;

    const TABLE: &str = "Made by `sptrsv bench --suite small --matrix 5pt-100,tridiagonal --op n,t`.\n\n\
        NVIDIA H200, libsptrsv.\n\n\
        | matrix | system | levels | SpSV | AUTO | ONE_WORD | TILED | predicted | engine |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|\n\
        | 5pt-100x100 | D N | 199 | 0.5 | 0.02 | 0.08 | 0.019 | 0.0197 | TILED |\n\
        | tridiagonal-5k * | D T | 5000 | 9 | 0.2 | 0.8 | - | 0.2 | THIN |\n\n";

    #[test]
    fn the_choice_is_made_for_the_systems_of_a_table() {
        let mut table = Table::read(TABLE).unwrap();
        let times: Vec<_> = table.rows.iter().map(|row| (row.best(), row.time_of("THIN"))).collect();
        assert_eq!(times, [(0.019, None), (0.2, Some(0.2))]);
        let cache = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/choice-test");
        let _ = std::fs::remove_dir_all(&cache);
        let cli = Cli { tables: Vec::new(), command: None, pin: None, cache, folder: None, max_rows: None };
        // The second time from what the first one has kept.
        for _ in 0..2 {
            let systems = systems::of(&mut table, &cli).unwrap();
            let engines: Vec<_> = systems.iter().map(|s| (s.row, gpu::engine(s.decision))).collect();
            assert_eq!(engines, [(0, "TILED"), (1, "THIN")]);
        }
        let mut all = Table { rows: Vec::new(), ..table };
        assert_eq!(systems::of(&mut all, &cli).unwrap().len(), 4);
    }

    /// Systems of tables in docs/results/h200, and the choice for them, as `--pin` writes them.
    const RECORDED: &str = include_str!("../recorded.txt");

    #[test]
    fn the_choice_for_recorded_systems_stays() {
        let (needs, speed) = (gpu::needs(DataType::F64), gpu::speed("NVIDIA H200"));
        let (mut systems, mut changed) = (0, Vec::new());
        for record in RECORDED.trim_end().split("\n\n") {
            let (name, features) = record.split_once('\n').expect("features stand below the name");
            let (system, expected) = name.rsplit_once(": ").expect("the choice stands behind the name");
            let known = systems::read_lines(features).expect("all numbers");
            let found = gpu::words(gpu::choose(needs, speed, &known));
            systems += 1;
            if found != expected {
                changed.push(format!("{system}: {expected} became {found}"));
            }
        }
        assert!(systems > 40 && changed.is_empty(), "of {systems}:\n{}", changed.join("\n"));
    }
}
