//! What is measured: matrices from a suite or from files, reordered or filled in where that is asked for.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::entries::Entry;
use super::lists::{self, Suite};
use super::selection::{Choice, Selection};
use super::values::{self, Origin};
use crate::base::Result;
use crate::matrix::permute::{self, Order};
use crate::matrix::{Csr, Fill};
use crate::mtx;
use crate::system::{Op, Type};

/// Where a matrix comes from.
#[derive(Clone)]
pub enum Source {
    Generated(Entry),
    /// And what it is called.
    File(PathBuf, String),
}

/// A matrix, and what is done to its pattern first.
#[derive(Clone)]
pub struct Case {
    pub source: Source,
    pub order: Option<Order>,
    pub ilu: Option<u32>,
}

impl Case {
    fn plain(source: Source) -> Case {
        Case { source, order: None, ilu: None }
    }

    /// A generated matrix as it is.
    pub fn generated(entry: Entry) -> Case {
        Case::plain(Source::Generated(entry))
    }

    /// The file that it is read from.
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            Source::Generated(_) => None,
            Source::File(path, _) => Some(path),
        }
    }

    pub fn name(&self) -> String {
        let mut name = match &self.source {
            Source::Generated(entry) => entry.name.clone(),
            Source::File(_, name) => name.clone(),
        };
        if let Some(order) = self.order {
            name += &format!(" {}", order.name());
        }
        match self.ilu {
            Some(permute::COMPLETE) => name += " LU",
            Some(k) => name += &format!(" ILU({k})"),
            None => {}
        }
        name
    }

    pub fn is_stand_in(&self) -> bool {
        matches!(&self.source, Source::Generated(entry) if entry.stand_in)
    }

    /// About how long it takes, for the estimate of the time left: by its entries and its levels.
    pub fn weight(&self) -> f64 {
        match &self.source {
            Source::Generated(entry) => 0.3 + 0.05 * entry.size.1 + entry.levels as f64 * 1e-4,
            Source::File(path, _) => 0.3 + std::fs::metadata(path).map_or(0.0, |m| m.len() as f64 * 4e-9),
        }
    }

    /// Rows, where they are known before the matrix is made or read.
    fn rows(&self) -> Option<f64> {
        match &self.source {
            Source::Generated(entry) => Some(entry.size.0 * 1e6),
            Source::File(..) => None,
        }
    }

    /// Whether the pattern is another one than the source's.
    fn is_changed(&self) -> bool {
        self.order.is_some() || self.ilu.is_some()
    }

    /// The triangle to solve with, as a matrix of its own with values.
    pub fn triangle(&self, want: &Wanted) -> Result<(Csr, Origin)> {
        if let (Source::File(path, _), false, false) =
            (&self.source, self.is_changed(), want.generated_values)
        {
            let solves: Vec<Vec<(Fill, Op)>> = want.ops.iter().map(|&op| vec![(want.fill, op)]).collect();
            let sequences: Vec<&[(Fill, Op)]> = solves.iter().map(Vec::as_slice).collect();
            let (a, origin) = values::of_file(mtx::read_matrix(path)?, want.complex, &want.types, &sequences);
            return Ok((a.valued_triangle(want.fill), origin));
        }
        let mut pattern = self.triangle_pattern(want.fill)?;
        values::generate(&mut pattern, want.complex);
        Ok((pattern, Origin::Generated))
    }

    /// The pattern of the triangle to solve with.
    pub fn triangle_pattern(&self, fill: Fill) -> Result<Csr> {
        match &self.source {
            Source::Generated(entry) if !self.is_changed() => match fill {
                Fill::Lower => entry.lower(),
                Fill::Upper => entry.upper(),
            },
            _ => self.pattern()?.triangle(fill),
        }
    }

    /// The whole pattern, reordered and filled in.
    fn pattern(&self) -> Result<Csr> {
        let mut pattern = match &self.source {
            Source::Generated(entry) => entry.whole()?,
            Source::File(path, _) => mtx::read_matrix(path)?.matrix,
        };
        if let Some(by) = self.order {
            let whole = pattern.symmetrised()?;
            pattern = permute::permuted(&whole, &permute::order(&whole, by))?;
        }
        if let Some(k) = self.ilu {
            pattern = permute::ilu_pattern(&pattern, k)?;
        }
        Ok(pattern)
    }

    /// The whole matrix of a real system for conjugate gradients. A grid as it is has the values of its model problem, and a file
    /// has its own; others have values that can be factorised.
    pub fn definite(&self) -> Result<Csr> {
        match &self.source {
            _ if self.is_changed() => {}
            Source::Generated(entry) => {
                if let Some(model) = entry.model()? {
                    return Ok(model);
                }
            }
            Source::File(path, _) => {
                let file = mtx::read_matrix(path)?;
                if file.has_values && file.matrix.im.is_empty() {
                    return Ok(file.matrix.with_whole_diagonal());
                }
            }
        }
        self.whole(false)
    }

    /// The whole matrix, with a full diagonal and with generated values that can be factorised. They are those of a hermitian matrix
    /// where the pattern is symmetric.
    pub fn whole(&self, complex: bool) -> Result<Csr> {
        let pattern = self.pattern()?;
        let ones = Csr { val: vec![1.0; pattern.nnz()], im: Vec::new(), ..pattern };
        let mut whole = ones.with_whole_diagonal();
        values::generate_dominant(&mut whole, complex);
        Ok(whole)
    }
}

/// Which systems the values of a matrix must do for.
pub struct Wanted {
    pub fill: Fill,
    pub ops: Vec<Op>,
    pub types: Vec<Type>,
    pub complex: bool,
    /// Whether files get generated values too.
    pub generated_values: bool,
}

/// The cases that the options ask for, to be solved in these types, on the host executor or on a GPU; files must be there.
pub fn cases(wanted: &Selection, types: &[Type], on_host: bool) -> Result<Vec<Case>> {
    let mut paths = wanted.files.clone();
    let mut suite = None;
    match &wanted.suite {
        Some(Choice::Files(path)) => paths.push(path.clone()),
        Some(Choice::Suite(named)) => suite = Some(*named),
        None if wanted.files.is_empty() => suite = Some(if on_host { Suite::Small } else { Suite::All }),
        None => {}
    }
    if matches!(suite, Some(Suite::Robust)) {
        paths.extend(wanted.folder.clone());
    }
    // These suites say what is done to a matrix: to the files, where there are some.
    let is_given = suite.is_some_and(|suite| suite.around().is_some()) && !paths.is_empty();
    let list = suite.filter(|_| !is_given);
    let mut cases = list.map(|suite| of_suite(suite, wanted, on_host)).unwrap_or_default();
    let files = paths.iter().map(|path| files_at(path)).collect::<Result<Vec<_>>>()?;
    cases.extend(named(files.concat()));
    let reordered = cases
        .into_iter()
        .flat_map(|case| each(&wanted.permute, case, |case, &by| Case { order: Some(by), ..case.clone() }));
    let filled_in =
        reordered.flat_map(|case| each(&wanted.ilu, case, |case, &k| Case { ilu: Some(k), ..case.clone() }));
    let is_wanted =
        |case: &Case| wanted.has_name(&case.name()) && case.rows().is_none_or(|rows| wanted.has_size(rows));
    let cases: Vec<Case> = filled_in.filter(is_wanted).collect();
    can_be_read(&cases, types)?;
    match cases.is_empty() {
        true => Err("no matrix is of such a name and size".into()),
        false => Ok(cases),
    }
}

/// The case changed by each of the changes, or the case itself where there are none.
fn each<T>(changes: &[T], case: Case, change: impl Fn(&Case, &T) -> Case) -> Vec<Case> {
    match changes.is_empty() {
        true => vec![case],
        false => changes.iter().map(|c| change(&case, c)).collect(),
    }
}

fn of_suite(suite: Suite, wanted: &Selection, on_host: bool) -> Vec<Case> {
    match suite {
        Suite::Pcg if on_host => lists::small_models().into_iter().map(Case::generated).collect(),
        suite if suite.around().is_some() && on_host => {
            lists::small_systems().into_iter().map(Case::generated).collect()
        }
        Suite::Robust => robust(),
        Suite::Meshes => meshes(),
        Suite::Extremes => extremes(),
        suite => lists::entries(suite).into_iter().map(|e| Case::plain(in_folder(e, wanted))).collect(),
    }
}

/// Fails if a pipe would be read twice: for a second case, or for complex types after real types.
fn can_be_read(cases: &[Case], types: &[Type]) -> Result<()> {
    let complex = types.iter().filter(|ty| ty.is_complex()).count();
    let kinds = if complex > 0 && complex < types.len() { 2 } else { 1 };
    let is_plain = |file: &Path| std::fs::metadata(file).is_ok_and(|found| found.is_file());
    for file in cases.iter().filter_map(Case::file).filter(|file| !is_plain(file)) {
        let reads = kinds * cases.iter().filter(|case| case.file() == Some(file)).count();
        if reads > 1 {
            return Err(format!(
                "{}: this is no plain file, and it would be read {reads} times",
                file.display()
            ));
        }
    }
    Ok(())
}

/// Reordered and filled-in matrices, on which the choice of the algorithm must not lose, as on files.
fn robust() -> Vec<Case> {
    let generated = |entry: &Entry, order, ilu| Case { source: Source::Generated(entry.clone()), order, ilu };
    let mut cases = Vec::new();
    for entry in lists::to_reorder() {
        cases.extend([Order::Random, Order::Rcm, Order::Nd].map(|by| generated(&entry, Some(by), None)));
    }
    for entry in lists::to_fill_in() {
        cases.extend([1, 2, 3].map(|k| generated(&entry, None, Some(k))));
    }
    cases
}

/// Irregular meshes as they are generated, and the first order of each in others.
fn meshes() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in lists::meshes() {
        let is_first = !entry.name.ends_with("-curve");
        let case = Case::generated(entry);
        let orders = if is_first { &[Order::Rcm, Order::Nd][..] } else { &[] };
        cases.push(case.clone());
        cases.extend(orders.iter().map(|&by| Case { order: Some(by), ..case.clone() }));
    }
    cases
}

/// Long rows and columns, circuits, complete factors, and orders with few levels.
fn extremes() -> Vec<Case> {
    let generated = |entry, order, ilu| Case { source: Source::Generated(entry), order, ilu };
    let long = lists::long_rows().into_iter().map(|e| generated(e, None, None));
    let circuits = lists::circuits()
        .into_iter()
        .flat_map(|e| [None, Some(Order::Random)].map(|order| generated(e.clone(), order, None)));
    let factors =
        lists::to_factorise().into_iter().map(|e| generated(e, Some(Order::Nd), Some(permute::COMPLETE)));
    let few_levels = lists::to_colour().into_iter().map(|e| generated(e, Some(Order::Colours), None));
    long.chain(circuits).chain(factors).chain(few_levels).collect()
}

/// The file itself, or the Matrix Market files of a folder.
fn files_at(path: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    if !std::fs::metadata(path).map_err(failed)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let is_matrix = |p: &PathBuf| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".mtx") || name.ends_with(".mtx.gz")
    };
    let entries = std::fs::read_dir(path).map_err(failed)?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(is_matrix).collect();
    files.sort();
    match files.is_empty() {
        true => Err(format!("{}: there is no file NAME.mtx or NAME.mtx.gz in this folder", path.display())),
        false => Ok(files),
    }
}

/// Files, each once, by their names without endings, or by their paths where several are called the same.
fn named(mut files: Vec<PathBuf>) -> Vec<Case> {
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    let short = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.trim_end_matches(".gz").trim_end_matches(".mtx").to_string()
    };
    let mut called: HashMap<String, usize> = HashMap::new();
    files.iter().for_each(|file| *called.entry(short(file)).or_default() += 1);
    let case = |file: PathBuf| {
        let name = Some(short(&file)).filter(|name| called[name] == 1);
        let name = name.unwrap_or_else(|| file.display().to_string());
        Case::plain(Source::File(file, name))
    };
    files.into_iter().map(case).collect()
}

/// The matrix that a stand-in stands in for, where its file is in the folder.
fn in_folder(entry: Entry, wanted: &Selection) -> Source {
    match wanted.file_of(&entry.name).filter(|_| entry.stand_in) {
        Some(path) => Source::File(path, entry.name),
        None => Source::Generated(entry),
    }
}
