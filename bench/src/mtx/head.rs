//! The banner of a Matrix Market file and its line of sizes.

use super::text::{quoted, whole, Lines, Words};
use crate::base::Result;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    Real,
    Complex,
    Pattern,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    General,
    Symmetric,
    Skew,
    Hermitian,
}

impl Symmetry {
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::General => "general",
            Symmetry::Symmetric => "symmetric",
            Symmetry::Skew => "skew-symmetric",
            Symmetry::Hermitian => "hermitian",
        }
    }
}

/// What the banner says.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Coordinate format; otherwise array.
    pub is_sparse: bool,
    pub field: Field,
    pub symmetry: Symmetry,
}

const NO_BANNER: &str = "the first line is not a Matrix Market banner";

/// What follows `%%MatrixMarket`, or `%MatrixMarket`, at the beginning of a text.
pub fn after_banner_word(text: &[u8]) -> Option<&[u8]> {
    const WORD: &[u8] = b"matrixmarket";
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"%%").or(text.strip_prefix(b"%"))?;
    let (word, rest) = text.split_at_checked(WORD.len())?;
    word.eq_ignore_ascii_case(WORD).then_some(rest)
}

/// Fails if a text does not begin with a banner.
pub fn must_begin_with_banner(text: &[u8]) -> Result<()> {
    after_banner_word(text).map(drop).ok_or_else(|| NO_BANNER.into())
}

impl Head {
    pub fn read(lines: &mut Lines) -> Result<Head> {
        let line = lines.read().and_then(after_banner_word).ok_or(NO_BANNER)?;
        let words: Vec<String> = Words(line).take(5).map(|w| quoted(w).to_lowercase()).collect();
        let [object, format, field, symmetry] = &words[..] else { return Err(NO_BANNER.into()) };
        if object != "matrix" {
            return Err("the first line is not a Matrix Market banner of a matrix".into());
        }
        let is_sparse = match format.as_str() {
            "coordinate" => true,
            "array" => false,
            _ => return Err(format!("the format '{format}' is neither coordinate nor array")),
        };
        let field = match field.as_str() {
            "real" | "double" | "integer" | "unsigned-integer" => Field::Real,
            "complex" => Field::Complex,
            "pattern" => Field::Pattern,
            _ => return Err(format!("the field '{field}' is not real, complex, integer or pattern")),
        };
        let all = [Symmetry::General, Symmetry::Symmetric, Symmetry::Skew, Symmetry::Hermitian];
        let symmetry = all
            .into_iter()
            .find(|s| s.name() == symmetry)
            .ok_or_else(|| format!("the symmetry '{symmetry}' is not known"))?;
        Ok(Head { is_sparse, field, symmetry })
    }
}

/// The numbers of the line of sizes.
pub fn sizes<const N: usize>(lines: &mut Lines) -> Result<[usize; N]> {
    let mut words = lines.read_data().ok_or("the file ends before the line of sizes")?;
    let mut out = [0; N];
    for size in &mut out {
        let word = words.next().unwrap_or_default();
        *size = match whole(word) {
            None => return Err(format!("the line of sizes does not hold {N} whole numbers")),
            Some(u64::MAX) => return Err(format!("the number {} is too large", quoted(word))),
            Some(size) => usize::try_from(size).map_err(|e| e.to_string())?,
        };
    }
    match words.next() {
        None => Ok(out),
        Some(_) => Err(format!("the line of sizes holds more than {N} numbers")),
    }
}
