//! A table of the benchmark in Markdown.
#![forbid(unsafe_code)]

/// A table, and the command that it was made by.
pub struct Table {
    pub command: String,
    /// The line that names the GPU.
    pub gpu: String,
    pub rows: Vec<Row>,
}

/// A system, and what was measured.
#[derive(Default)]
pub struct Row {
    pub matrix: String,
    /// Type and operation, where the table has several.
    pub system: String,
    pub levels: String,
    /// Time of each of the library's engines, and of AUTO, in ms.
    pub times: Vec<(String, f64)>,
    pub engine: String,
    pub predicted: String,
}

const ENGINES: [&str; 7] = ["AUTO", "ONE_WORD", "TILED", "NODAL", "WIDE", "THIN", "PANEL"];

impl Table {
    /// None where a document has no such table.
    pub fn read(text: &str) -> Option<Table> {
        let command = text.split("`sptrsv bench ").nth(1)?.split('`').next()?.to_string();
        let gpu = text.lines().find(|line| line.starts_with("NVIDIA ")).unwrap_or_default().to_string();
        let mut lines = text.lines().skip_while(|line| !line.starts_with("| matrix |"));
        let names: Vec<&str> = cells(lines.next()?);
        let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
        let rows = rows.filter_map(|line| Row::read(&names, &cells(line))).collect();
        Some(Table { command, gpu, rows })
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

impl Row {
    fn read(names: &[&str], cells: &[&str]) -> Option<Row> {
        let cell = |name: &str| names.iter().position(|n| *n == name).and_then(|i| cells.get(i).copied());
        let times = ENGINES.iter().filter_map(|name| Some((name.to_string(), cell(name)?.parse().ok()?)));
        Some(Row {
            matrix: cell("matrix")?.trim_end_matches(" *").to_string(),
            system: cell("system").unwrap_or_default().to_string(),
            levels: cell("levels")?.to_string(),
            times: times.collect(),
            engine: cell("engine")?.to_string(),
            predicted: cell("predicted")?.to_string(),
        })
    }

    /// What the engine takes: AUTO's time, where it was AUTO's.
    pub fn time_of(&self, engine: &str) -> Option<f64> {
        let column = if engine == self.engine { "AUTO" } else { engine };
        self.times.iter().find(|(name, _)| name == column).map(|&(_, time)| time)
    }

    pub fn best(&self) -> f64 {
        self.times.iter().map(|&(_, time)| time).fold(f64::INFINITY, f64::min)
    }
}
