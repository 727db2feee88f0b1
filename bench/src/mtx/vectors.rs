//! Right-hand sides and solutions: one vector or several.

use std::path::Path;

use super::entries::{Entry, Rules};
use super::head::{sizes, Field, Head, Symmetry};
use super::limits::{must_fit, not_as_said};
use super::source::Source;
use super::text::{Lines, Words};
use crate::base::files::write_whole_by;
use crate::base::numbers::counted;
use crate::base::{memory, Result};

/// Dense vectors of one length, one after the other; `im` is empty for real ones.
#[derive(Debug, PartialEq)]
pub struct Vectors {
    pub count: usize,
    pub re: Vec<f64>,
    pub im: Vec<f64>,
}

/// Reads vectors of n numbers, for computing in single precision or in double: columns, dense or sparse.
pub fn read_vectors(path: &Path, n: usize, single: bool) -> Result<Vectors> {
    of(&Source::open(path)?, n, single)
}

pub fn of(source: &Source, n: usize, single: bool) -> Result<Vectors> {
    let mut lines = Lines::new(&source.text);
    read(&mut lines, n, single).map_err(|what| source.at(lines.number(), what))
}

fn read(lines: &mut Lines, n: usize, single: bool) -> Result<Vectors> {
    let head = Head::read(lines)?;
    if head.symmetry != Symmetry::General || head.field == Field::Pattern {
        return Err("a right-hand side must be general and have values".into());
    }
    let [rows, cols, said] = match head.is_sparse {
        true => sizes::<3>(lines)?,
        false => {
            let [rows, cols] = sizes::<2>(lines)?;
            [rows, cols, rows.saturating_mul(cols)]
        }
    };
    if rows != n || cols == 0 {
        return Err(format!(
            "the right-hand side is {rows} x {cols} where {n} rows and a column or more are wanted"
        ));
    }
    if cols > i32::MAX as usize {
        return Err("the right-hand side has 2^31 columns or more".into());
    }
    let rules = Rules { head, rows, cols };
    let out = match head.is_sparse {
        true => sparse(lines, rules, said, single)?,
        false => dense(lines, rules, said, single)?,
    };
    match lines.read_data() {
        None => Ok(out),
        Some(_) => {
            let entries = counted(said, "entry", "entries");
            Err(format!("the file holds more than the {entries} of its head"))
        }
    }
}

fn next<'a>(lines: &mut Lines<'a>, found: usize, said: usize) -> Result<Words<'a>> {
    lines.read_data().ok_or_else(|| not_as_said(found, said))
}

fn sparse(lines: &mut Lines, rules: Rules, said: usize, single: bool) -> Result<Vectors> {
    let complex = rules.head.field == Field::Complex;
    let what = format!("{} of {} numbers", counted(rules.cols, "vector", "vectors"), rules.rows);
    let count = rules.rows.saturating_mul(rules.cols);
    let mut re: Vec<f64> = memory::zeros(count, &what)?;
    let mut im: Vec<f64> = memory::zeros(if complex { count } else { 0 }, &what)?;
    for found in 0..said {
        let Entry { row, col, re: value, im: imaginary, .. } = rules.entry(next(lines, found, said)?)?;
        let at = col as usize * rules.rows + row as usize;
        re[at] += value;
        if complex {
            im[at] += imaginary;
        }
        must_fit(re[at], im.get(at).copied().unwrap_or(0.0), single)?;
    }
    Ok(Vectors { count: rules.cols, re, im })
}

fn dense(lines: &mut Lines, rules: Rules, said: usize, single: bool) -> Result<Vectors> {
    let complex = rules.head.field == Field::Complex;
    // A number takes a line.
    let most = said.min(lines.rest().len() / 2 + 1);
    let mut re = memory::room(most, "the right-hand side")?;
    let mut im = memory::room(if complex { most } else { 0 }, "the right-hand side")?;
    for found in 0..said {
        let mut words = next(lines, found, said)?;
        let (value, imaginary) = rules.value(&mut words)?;
        if words.next().is_some() {
            return Err("the entry has too many numbers".into());
        }
        must_fit(value, imaginary, single)?;
        re.push(value);
        if complex {
            im.push(imaginary);
        }
    }
    Ok(Vectors { count: rules.cols, re, im })
}

/// Writes vectors of n numbers as the columns of a dense Matrix Market file, whole or not at all.
pub fn write_vectors(path: &Path, n: usize, x: &Vectors) -> Result<()> {
    let field = if x.im.is_empty() { "real" } else { "complex" };
    write_whole_by(path, |out| {
        writeln!(out, "%%MatrixMarket matrix array {field} general\n{n} {}", x.count)?;
        x.re.iter().enumerate().try_for_each(|(i, re)| match x.im.get(i) {
            None => writeln!(out, "{re:e}"),
            Some(im) => writeln!(out, "{re:e} {im:e}"),
        })
    })
}
