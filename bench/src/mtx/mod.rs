//! Reads Matrix Market files, plain or gzip, and writes vectors.
//!
//! A file is read once, from its beginning to its end ([`source`]), and its entries ([`entries`]) become a matrix
//! ([`assemble`]). A malformed file is refused with its name and the number of the offending line. An oddity that
//! leaves the meaning clear is a warning.

mod assemble;
mod entries;
#[cfg(test)]
mod fuzz;
mod head;
mod limits;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod vectors;

use std::path::Path;

use crate::base::numbers::counted;
use crate::base::{memory, Result};
use crate::matrix::Csr;
use assemble::{assemble, Doubled};
use entries::{Entries, Noted, Rules};
use head::{sizes, Field, Head, Symmetry};
pub use limits::must_fit;
use limits::not_as_said;
use source::Source;
use text::Lines;
pub use vectors::{read_vectors, write_vectors, Vectors};

/// What a file holds: the matrix, and whether its values are the file's own.
pub struct Loaded {
    pub matrix: Csr,
    /// False for a pattern file: the entries then have no values yet.
    pub has_values: bool,
}

/// A file that was read, with its text, so that messages can name lines.
pub struct Parsed {
    source: Source,
    rules: Rules,
    entries: Entries,
}

/// Bytes per row and per entry of the copies that the benchmark makes of a matrix.
const COPIES: [u64; 2] = [100, 60];

/// Reads a square sparse matrix for the benchmark, if there is memory for its copies too. Both halves of a symmetric
/// matrix are filled in, duplicates are added up.
pub fn read_matrix(path: &Path) -> Result<Loaded> {
    let mut file = Parsed::open(path)?;
    file.must_have_room(COPIES)?;
    file.loaded()
}

impl Parsed {
    pub fn open(path: &Path) -> Result<Parsed> {
        Parsed::of(Source::open(path)?)
    }

    fn of(source: Source) -> Result<Parsed> {
        let mut lines = Lines::new(&source.text);
        let (rules, said) = rules(&mut lines).map_err(|what| source.at(lines.number(), what))?;
        let read = rules.entries(lines.rest(), lines.number());
        let (entries, last) = read.map_err(|(line, what)| source.at(line, what))?;
        match entries.count() {
            found if found == said => Ok(Parsed { source, rules, entries }),
            found => Err(source.at(last, not_as_said(found, said))),
        }
    }

    pub fn rows(&self) -> usize {
        self.rules.rows
    }

    /// Fails if these bytes per row and per entry are not free.
    pub fn must_have_room(&self, [row, entry]: [u64; 2]) -> Result<()> {
        let bytes = row * self.rows() as u64 + entry * self.entries.count() as u64;
        let what = format!("a matrix of {}", counted(self.rows(), "row", "rows"));
        memory::must_have(bytes, what).map_err(|what| self.named(what))
    }

    /// The first row without an entry on its diagonal.
    pub fn missing_diagonal(&self) -> Result<Option<usize>> {
        self.entries.missing_diagonal(self.rows()).map_err(|what| self.named(what))
    }

    /// Moves the entries into a matrix and prints the warnings. The text stays, for messages.
    pub fn loaded(&mut self) -> Result<Loaded> {
        let (loaded, warnings) = self.loaded_with_warnings()?;
        warnings.iter().for_each(|words| crate::base::output::warn(words));
        Ok(loaded)
    }

    fn loaded_with_warnings(&mut self) -> Result<(Loaded, Vec<String>)> {
        let entries = std::mem::take(&mut self.entries);
        let (surplus, diagonal) = (entries.surplus, entries.diagonal);
        let Head { field, symmetry, .. } = self.rules.head;
        let (matrix, doubled) = assemble(self.rows(), entries, symmetry, field == Field::Complex)
            .map_err(|what| self.named(what))?;
        let warnings = self.warnings(surplus, diagonal, doubled);
        Ok((Loaded { matrix, has_values: field != Field::Pattern }, warnings))
    }

    fn warnings(&self, surplus: Noted, diagonal: Noted, doubled: Doubled) -> Vec<String> {
        let symmetry = self.rules.head.symmetry;
        let wanted = if symmetry == Symmetry::Skew { "zero" } else { "real" };
        let name = symmetry.name();
        let mut all = Vec::new();
        let mut warn = |count: usize, line: usize, one: &str, several: &str| {
            let first = if count > 1 { "; this is the first one" } else { "" };
            if count > 0 {
                all.push(self.source.at(line, counted(count, one, several) + first));
            }
        };
        warn(
            surplus.count,
            surplus.line,
            "entry of a pattern has a value, which is ignored",
            "entries of a pattern have values, which are ignored",
        );
        warn(
            diagonal.count,
            diagonal.line,
            &format!("entry on the diagonal of a {name} matrix is not {wanted}"),
            &format!("entries on the diagonal of a {name} matrix are not {wanted}"),
        );
        warn(
            doubled.count,
            doubled.first.map_or(0, |place| self.line_of(place)),
            &format!("entry of a {name} matrix is stored in both halves, which are added up"),
            &format!("entries of a {name} matrix are stored in both halves, which are added up"),
        );
        all
    }

    fn named(&self, what: String) -> String {
        format!("{}: {what}", self.source.name)
    }

    /// Where an entry stands, or else its row's first entry, or else the line of sizes, as FILE:LINE: the place to
    /// look at when there is something wrong with that entry.
    pub fn place_of(&self, place: (usize, usize)) -> String {
        format!("{}:{}", self.source.name, self.line_of(place))
    }

    fn line_of(&self, (row, col): (usize, usize)) -> usize {
        let mut lines = Lines::new(&self.source.text);
        let is_mirrored = self.rules.head.symmetry != Symmetry::General;
        // The banner is a comment here; the line of sizes is the first one with words.
        let _ = lines.read_data();
        let (mut line, mut in_row) = (lines.number(), false);
        while let Some(words) = lines.read_data() {
            let Ok(entry) = self.rules.entry(words) else { continue };
            let (i, j) = (entry.row as usize, entry.col as usize);
            if (i, j) == (row, col) || (is_mirrored && (j, i) == (row, col)) {
                return lines.number();
            }
            if !in_row && (i == row || (is_mirrored && j == row)) {
                (line, in_row) = (lines.number(), true);
            }
        }
        line
    }
}

/// What the entries of a square sparse matrix must be like, and how many there are to be.
fn rules(lines: &mut Lines) -> Result<(Rules, usize)> {
    let head = Head::read(lines)?;
    if !head.is_sparse {
        return Err("the matrix is dense (array); a sparse one (coordinate) is wanted".into());
    }
    let [rows, cols, said] = sizes::<3>(lines)?;
    if rows != cols {
        return Err(format!(
            "the matrix is not square: {}, {}",
            counted(rows, "row", "rows"),
            counted(cols, "column", "columns")
        ));
    }
    if rows >= i32::MAX as usize {
        return Err("the matrix has 2^31 rows or more".into());
    }
    Ok((Rules { head, rows, cols }, said))
}
