//! The entries of a sparse file, read piece by piece on all processors.

use memchr::memchr2_iter;
use rayon::prelude::*;

use super::head::{Field, Head, Symmetry};
use super::text::{line_end, number, quoted, whole, Lines, Words};
use crate::base::{memory, Result};

/// Bytes of text that one task reads.
pub const PIECE: usize = 4 << 20;

/// One entry; row and column count from 0.
#[derive(Clone, Copy)]
pub struct Entry {
    pub row: u32,
    pub col: u32,
    pub re: f64,
    pub im: f64,
    /// Whether the file is a pattern and this entry has a value.
    has_surplus: bool,
}

/// The number of lines with some oddity, and the first of them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Noted {
    pub count: usize,
    pub line: usize,
}

impl Noted {
    fn note(&mut self, line: usize) {
        if self.count == 0 {
            self.line = line;
        }
        self.count += 1;
    }

    /// Adds the count of a later piece, which begins after `before` lines.
    fn append(&mut self, later: Noted, before: usize) {
        if self.count == 0 {
            self.line = before + later.line;
        }
        self.count += later.count;
    }
}

/// The entries of one piece of the text.
#[derive(Default)]
pub struct Piece {
    /// Rows and columns.
    pub places: Vec<[u32; 2]>,
    /// Values, as many as places; empty for a pattern, and `im` for real values.
    pub re: Vec<f64>,
    pub im: Vec<f64>,
    lines: usize,
    /// The error that ended this piece, in its last line.
    error: Option<String>,
    surplus: Noted,
    diagonal: Noted,
}

/// All entries of a file, in its order.
#[derive(Default)]
pub struct Entries {
    pub pieces: Vec<Piece>,
    /// Entries of a pattern that have values.
    pub surplus: Noted,
    /// Diagonal entries that are not zero in a skew-symmetric matrix, or not real in a hermitian one.
    pub diagonal: Noted,
}

/// What a file's entries are checked against.
#[derive(Clone, Copy)]
pub struct Rules {
    pub head: Head,
    pub rows: usize,
    pub cols: usize,
}

impl Rules {
    /// Bytes of the shortest line with an entry.
    fn shortest(self) -> usize {
        match self.head.field {
            Field::Pattern => "1 1\n".len(),
            Field::Real => "1 1 1\n".len(),
            Field::Complex => "1 1 1 1\n".len(),
        }
    }

    #[inline]
    pub fn entry(self, mut words: Words) -> Result<Entry> {
        let row = index(words.next(), "row", self.rows)?;
        let col = index(words.next(), "column", self.cols)?;
        let (re, im) = self.value(&mut words)?;
        let has_surplus = self.head.field == Field::Pattern && has_value(&mut words)?;
        match words.next() {
            None => Ok(Entry { row, col, re, im, has_surplus }),
            Some(_) => Err("the entry has too many numbers".into()),
        }
    }

    /// The value that comes next.
    #[inline]
    pub fn value(self, words: &mut Words) -> Result<(f64, f64)> {
        let mut part = || number(words.next().ok_or("the entry has no value")?);
        Ok(match self.head.field {
            Field::Pattern => (0.0, 0.0),
            Field::Real => (part()?, 0.0),
            Field::Complex => (part()?, part()?),
        })
    }

    fn is_odd_on_diagonal(self, entry: &Entry) -> bool {
        match self.head.symmetry {
            Symmetry::Skew => entry.row == entry.col && (entry.re != 0.0 || entry.im != 0.0),
            Symmetry::Hermitian => entry.row == entry.col && entry.im != 0.0,
            Symmetry::General | Symmetry::Symmetric => false,
        }
    }

    fn piece(self, text: &[u8]) -> Result<Piece> {
        let lines = memchr2_iter(b'\n', b'\r', text).count() + 1;
        let most = lines.min(text.len() / self.shortest() + 1);
        let of_values = |field: &[Field]| if field.contains(&self.head.field) { most } else { 0 };
        let mut piece = Piece {
            places: memory::room(most, "its entries")?,
            re: memory::room(of_values(&[Field::Real, Field::Complex]), "its entries")?,
            im: memory::room(of_values(&[Field::Complex]), "its entries")?,
            ..Piece::default()
        };
        let mut lines = Lines::new(text);
        while let Some(words) = lines.read_data() {
            match self.entry(words) {
                Ok(entry) => self.add(&mut piece, entry, lines.number()),
                Err(what) => {
                    piece.error = Some(what);
                    break;
                }
            }
        }
        piece.lines = lines.number();
        Ok(piece)
    }

    #[inline]
    fn add(self, piece: &mut Piece, entry: Entry, line: usize) {
        piece.places.push([entry.row, entry.col]);
        if self.head.field != Field::Pattern {
            piece.re.push(entry.re);
        }
        if self.head.field == Field::Complex {
            piece.im.push(entry.im);
        }
        if entry.has_surplus {
            piece.surplus.note(line);
        }
        if self.is_odd_on_diagonal(&entry) {
            piece.diagonal.note(line);
        }
    }

    /// Reads the rest of a text, which begins after `before` lines. Returns the entries and the number of the last
    /// line, or the number of the offending line and a sentence.
    pub fn entries(
        self,
        text: &[u8],
        before: usize,
    ) -> std::result::Result<(Entries, usize), (usize, String)> {
        let texts = pieces(text);
        let read: Vec<Result<Piece>> = match texts[..] {
            // To wake other threads would take longer.
            [one] => vec![self.piece(one)],
            _ => texts.into_par_iter().map(|text| self.piece(text)).collect(),
        };
        let (mut out, mut lines) = (Entries::default(), before);
        for piece in read {
            let mut piece = piece.map_err(|what| (before, what))?;
            out.surplus.append(piece.surplus, lines);
            out.diagonal.append(piece.diagonal, lines);
            lines += piece.lines;
            if let Some(what) = piece.error.take() {
                return Err((lines, what));
            }
            out.pieces.push(piece);
        }
        Ok((out, lines))
    }
}

impl Entries {
    pub fn count(&self) -> usize {
        self.pieces.iter().map(|piece| piece.places.len()).sum()
    }

    /// The first row of an n x n matrix without an entry on its diagonal.
    pub fn missing_diagonal(&self, n: usize) -> Result<Option<usize>> {
        let places = || self.pieces.iter().flat_map(|piece| &piece.places);
        let on_diagonal = || places().filter(|[row, col]| row == col).map(|&[row, _]| row as usize);
        // With k entries on the diagonal, one of the first k + 1 rows has none: memory by entries, not by rows.
        let mut has = memory::zeros::<bool>(n.min(on_diagonal().count() + 1), "its diagonal")?;
        for row in on_diagonal() {
            if let Some(has) = has.get_mut(row) {
                *has = true;
            }
        }
        Ok(has.iter().position(|&has| !has))
    }
}

/// Splits text at line ends into pieces of about PIECE bytes.
fn pieces(mut text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    while text.len() > PIECE {
        let end = PIECE + line_end(&text[PIECE..]).1;
        out.push(&text[..end]);
        text = &text[end..];
    }
    out.push(text);
    out
}

#[inline]
fn index(word: Option<&[u8]>, what: &str, most: usize) -> Result<u32> {
    let word = word.ok_or_else(|| format!("the entry has no {what}"))?;
    match whole(word) {
        Some(i) if (1..=most as u64).contains(&i) => Ok(i as u32 - 1),
        _ => Err(format!("the {what} '{}' is not in 1..{most}", quoted(word))),
    }
}

/// Whether a value follows: one number, or two for a complex value.
fn has_value(words: &mut Words) -> Result<bool> {
    let Some(value) = words.next() else { return Ok(false) };
    number(value)?;
    words.next().map(number).transpose()?;
    Ok(true)
}
