//! Reads Matrix Market files, plain or gzip, and writes vectors.
//!
//! A malformed file is refused with its name and the number of the offending line.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;

use crate::matrix::Csr;
use crate::numbers::counted;
use crate::Result;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Real,
    Complex,
    Integer,
    Pattern,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
    Hermitian,
}

/// One stored entry, base 0.
#[derive(Clone, Copy)]
struct Triplet {
    row: u32,
    col: u32,
    re: f64,
    im: f64,
}

/// What a file holds: the matrix, and whether its values are the file's own.
pub struct Loaded {
    pub matrix: Csr,
    /// False for a pattern file: the entries then have no values yet.
    pub has_values: bool,
}

/// A dense vector; `im` is empty for a real one.
pub struct Vector {
    pub re: Vec<f64>,
    pub im: Vec<f64>,
}

/// A position in a file's text: what is left of it, and the number of the line that comes next.
struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    next: usize,
}

impl<'a> Lines<'a> {
    fn read(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = &self.rest[(end + 1).min(self.rest.len())..];
        self.next += 1;
        Some(line.trim_ascii())
    }

    /// The next line that is neither empty nor a comment.
    fn read_data(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.read()?;
            if !line.is_empty() && line[0] != b'%' {
                return Some(line);
            }
        }
    }

    fn error<T>(&self, what: impl std::fmt::Display) -> Result<T> {
        Err(format!("{}:{}: {what}", self.path.display(), self.next - 1))
    }
}

fn read_all(path: &Path) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let bytes = std::fs::read(path).map_err(failed)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut plain = Vec::with_capacity(4 * bytes.len());
    match flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain) {
        Ok(_) => Ok(plain),
        Err(e) => {
            let line = plain.iter().filter(|&&b| b == b'\n').count() + 1;
            Err(format!("{}:{line}: the gzip file is cut off or damaged: {e}", path.display()))
        }
    }
}

/// Reads the banner; returns whether the format is coordinate, the field and the symmetry.
fn banner(lines: &mut Lines) -> Result<(bool, Field, Symmetry)> {
    let line = lines.read().ok_or_else(|| format!("{}: the file is empty", lines.path.display()))?;
    let text = String::from_utf8_lossy(line).to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let [head, object, format, field, symmetry] = words[..] else {
        return lines.error("the first line is not a Matrix Market banner");
    };
    if head != "%%matrixmarket" || object != "matrix" {
        return lines.error("the first line is not a Matrix Market banner of a matrix");
    }
    let coordinate = match format {
        "coordinate" => true,
        "array" => false,
        _ => return lines.error(format!("the format '{format}' is neither coordinate nor array")),
    };
    let field = match field {
        "real" | "double" => Field::Real,
        "complex" => Field::Complex,
        "integer" => Field::Integer,
        "pattern" => Field::Pattern,
        _ => return lines.error(format!("the field '{field}' is not real, complex, integer or pattern")),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        "hermitian" => Symmetry::Hermitian,
        _ => return lines.error(format!("the symmetry '{symmetry}' is not known")),
    };
    Ok((coordinate, field, symmetry))
}

fn sizes<const N: usize>(lines: &mut Lines) -> Result<[usize; N]> {
    let Some(line) = lines.read_data() else {
        return lines.error("the file ends before the line of sizes");
    };
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let mut out = [0; N];
    for size in &mut out {
        let word = words.next().unwrap_or_default();
        match parse::<usize>(word) {
            Some(value) => *size = value,
            None if !word.is_empty() && word.iter().all(u8::is_ascii_digit) => {
                return lines.error(format!("the number {} is too large", String::from_utf8_lossy(word)))
            }
            None => return lines.error(format!("the line of sizes does not hold {N} whole numbers")),
        }
    }
    match words.next() {
        None => Ok(out),
        Some(_) => lines.error(format!("the line of sizes holds more than {N} numbers")),
    }
}

fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Bytes of text that one parallel task reads.
const PIECE: usize = 4 << 20;

/// Splits text at line ends into pieces of about PIECE bytes.
fn pieces(mut text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    while text.len() > PIECE {
        let end = text[PIECE..].iter().position(|&b| b == b'\n').map_or(text.len(), |p| PIECE + p + 1);
        out.push(&text[..end]);
        text = &text[end..];
    }
    out.push(text);
    out
}

fn parse_entry(line: &[u8], n: usize, field: Field) -> std::result::Result<Triplet, String> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let mut index = |what: &str| -> std::result::Result<u32, String> {
        let word = words.next().ok_or_else(|| format!("the entry has no {what}"))?;
        match parse::<u64>(word) {
            Some(i) if (1..=n as u64).contains(&i) => Ok(i as u32 - 1),
            _ => Err(format!("the {what} '{}' is not in 1..{n}", String::from_utf8_lossy(word))),
        }
    };
    let (row, col) = (index("row")?, index("column")?);
    let mut value = || -> std::result::Result<f64, String> {
        let word = words.next().ok_or("the entry has no value")?;
        let refuse = |what: &str| format!("'{}' is not a {what}", String::from_utf8_lossy(word));
        let number = parse::<f64>(word).ok_or_else(|| refuse("number"))?;
        Some(number).filter(|v| v.is_finite()).ok_or_else(|| refuse("finite number"))
    };
    let (re, im) = match field {
        Field::Pattern => (0.0, 0.0),
        Field::Real | Field::Integer => (value()?, 0.0),
        Field::Complex => (value()?, value()?),
    };
    match words.next() {
        None => Ok(Triplet { row, col, re, im }),
        Some(_) => Err("the entry has too many numbers".into()),
    }
}

fn not_as_said(found: usize, said: usize) -> String {
    format!("the file holds {} where its head says {said}", counted(found, "entry", "entries"))
}

/// Refuses a value that is infinite in the precision that is computed in: a large one, or the sum of several entries.
pub fn must_fit(re: f64, im: f64, single: bool) -> Result<()> {
    let is_infinite = |v: &&f64| if single { (**v as f32).is_infinite() } else { v.is_infinite() };
    match [re, im].iter().find(is_infinite) {
        None => Ok(()),
        Some(value) => {
            let precision = if single { "single" } else { "double" };
            let value = if value.is_finite() { format!("{value:e}") } else { "the sum".into() };
            Err(format!("{value} overflows in {precision} precision"))
        }
    }
}

/// Reads a square sparse matrix; both halves of a symmetric one are filled in, duplicates added up.
pub fn read_matrix(path: &Path) -> Result<Loaded> {
    let text = read_all(path)?;
    let mut lines = Lines { path, rest: &text, next: 1 };
    let (coordinate, field, symmetry) = banner(&mut lines)?;
    if !coordinate {
        return lines.error("the matrix is dense (array); a sparse one (coordinate) is wanted");
    }
    let [rows, cols, entries] = sizes::<3>(&mut lines)?;
    if rows != cols {
        return lines.error(format!(
            "the matrix is not square: {}, {}",
            counted(rows, "row", "rows"),
            counted(cols, "column", "columns")
        ));
    }
    if rows >= i32::MAX as usize {
        return lines.error("the matrix has 2^31 rows or more");
    }
    // Each task reports its triplets, its number of lines, and the line within it that is malformed.
    type Piece = (Vec<Triplet>, usize, Option<(usize, String)>);
    let read: Vec<Piece> = pieces(lines.rest)
        .into_par_iter()
        .map(|rest| {
            let mut lines = Lines { path, rest, next: 0 };
            let mut triplets = Vec::new();
            while let Some(line) = lines.read() {
                if line.is_empty() || line[0] == b'%' {
                    continue;
                }
                match parse_entry(line, rows, field) {
                    Ok(triplet) => triplets.push(triplet),
                    Err(what) => return (triplets, lines.next, Some((lines.next - 1, what))),
                }
            }
            (triplets, lines.next, None)
        })
        .collect();
    let mut found = 0;
    for (triplets, count, error) in &read {
        if let Some((line, what)) = error {
            lines.next += line + 1;
            return lines.error(what);
        }
        found += triplets.len();
        lines.next += count;
    }
    if found != entries {
        return lines.error(not_as_said(found, entries));
    }
    let triplets: Vec<Triplet> = read.into_iter().flat_map(|(t, _, _)| t).collect();
    let matrix = assemble(rows, &triplets, symmetry, field == Field::Complex)
        .map_err(|what| format!("{}: {what}", path.display()))?;
    Ok(Loaded { matrix, has_values: field != Field::Pattern })
}

/// Where in a file an entry stands, or else its row's first entry, or else the line of sizes, as FILE:LINE: the place
/// to look at when there is something wrong with that entry. The file has been read before.
pub fn place_of(path: &Path, (row, col): (usize, usize)) -> Result<String> {
    let text = read_all(path)?;
    let mut lines = Lines { path, rest: &text, next: 1 };
    let (_, field, symmetry) = banner(&mut lines)?;
    let [n, _, _] = sizes::<3>(&mut lines)?;
    let mut place = (0, lines.next - 1);
    while let Some(line) = lines.read_data() {
        let Ok(entry) = parse_entry(line, n, field) else { continue };
        let (i, j) = (entry.row as usize, entry.col as usize);
        let is_mirrored = symmetry != Symmetry::General;
        let in_row = i == row || (is_mirrored && j == row);
        let is_it = (i, j) == (row, col) || (is_mirrored && (j, i) == (row, col));
        let rank = i32::from(in_row) + i32::from(is_it);
        if rank > place.0 {
            place = (rank, lines.next - 1);
        }
    }
    Ok(format!("{}:{}", path.display(), place.1))
}

/// Triplets to CSR: mirrored where the file holds one half, sorted, duplicates added up.
fn assemble(n: usize, triplets: &[Triplet], symmetry: Symmetry, complex: bool) -> Result<Csr> {
    let mirrored =
        |t: &Triplet| (symmetry != Symmetry::General && t.row != t.col).then(|| mirror(t, symmetry));
    let all = || triplets.iter().flat_map(|t| std::iter::once(*t).chain(mirrored(t)));
    let mut ptr = vec![0i64; n + 1];
    for t in all() {
        ptr[t.row as usize + 1] += 1;
    }
    for i in 0..n {
        ptr[i + 1] += ptr[i];
    }
    let total = ptr[n] as usize;
    if total > i32::MAX as usize {
        return Err("the matrix has 2^31 entries or more".into());
    }
    let mut next = ptr.clone();
    let mut entries = vec![(0u32, 0.0, 0.0); total];
    for t in all() {
        let at = &mut next[t.row as usize];
        entries[*at as usize] = (t.col, t.re, t.im);
        *at += 1;
    }
    let mut out = Csr { n, ptr: vec![0; n + 1], ..Csr::default() };
    out.col.reserve(total);
    out.val.reserve(total);
    for i in 0..n {
        let row = &mut entries[ptr[i] as usize..ptr[i + 1] as usize];
        row.sort_by_key(|e| e.0);
        let begin = out.col.len();
        for &(col, re, im) in row.iter() {
            if out.col.len() > begin && *out.col.last().unwrap() == col as i32 {
                *out.val.last_mut().unwrap() += re;
                if let Some(last) = out.im.last_mut() {
                    *last += im;
                }
                continue;
            }
            out.col.push(col as i32);
            out.val.push(re);
            if complex {
                out.im.push(im);
            }
        }
        out.ptr[i + 1] = out.col.len() as i32;
    }
    Ok(out)
}

fn mirror(t: &Triplet, symmetry: Symmetry) -> Triplet {
    let (re, im) = match symmetry {
        Symmetry::Skew => (-t.re, -t.im),
        Symmetry::Hermitian => (t.re, -t.im),
        Symmetry::General | Symmetry::Symmetric => (t.re, t.im),
    };
    Triplet { row: t.col, col: t.row, re, im }
}

/// Reads a vector of n numbers, for computing in single precision or in double: one column, dense or sparse.
pub fn read_vector(path: &Path, n: usize, single: bool) -> Result<Vector> {
    let text = read_all(path)?;
    let mut lines = Lines { path, rest: &text, next: 1 };
    let (coordinate, field, symmetry) = banner(&mut lines)?;
    if symmetry != Symmetry::General || field == Field::Pattern {
        return lines.error("a right-hand side must be general and have values");
    }
    let (rows, cols, entries) = if coordinate {
        let [rows, cols, entries] = sizes::<3>(&mut lines)?;
        (rows, cols, entries)
    } else {
        let [rows, cols] = sizes::<2>(&mut lines)?;
        (rows, cols, rows * cols)
    };
    if (rows, cols) != (n, 1) {
        return lines.error(format!("the right-hand side is {rows} x {cols} where {n} x 1 is wanted"));
    }
    let complex = field == Field::Complex;
    let mut out = Vector { re: vec![0.0; n], im: vec![0.0; if complex { n } else { 0 }] };
    for k in 0..entries {
        let Some(line) = lines.read_data() else {
            return lines.error(not_as_said(k, entries));
        };
        let entry = if coordinate {
            parse_entry(line, n, field)
        } else {
            // A dense line is a sparse one whose place is known.
            parse_entry(&[format!("{} 1 ", k + 1).as_bytes(), line].concat(), n, field)
        };
        let entry = match entry {
            Ok(entry) if entry.col == 0 => entry,
            Ok(_) => return lines.error("the column of a right-hand side must be 1"),
            Err(what) => return lines.error(what),
        };
        let row = entry.row as usize;
        out.re[row] += entry.re;
        if complex {
            out.im[row] += entry.im;
        }
        if let Err(what) = must_fit(out.re[row], out.im.get(row).copied().unwrap_or(0.0), single) {
            return lines.error(what);
        }
    }
    match lines.read_data() {
        None => Ok(out),
        Some(_) => {
            let entries = counted(entries, "entry", "entries");
            lines.error(format!("the file holds more than the {entries} of its head"))
        }
    }
}

/// Writes a vector as a dense Matrix Market file: to a neighbouring name first, so that a failed write
/// leaves nothing half done.
pub fn write_vector(path: &Path, x: &Vector) -> Result<()> {
    let field = if x.im.is_empty() { "real" } else { "complex" };
    let mut text = format!("%%MatrixMarket matrix array {field} general\n{} 1\n", x.re.len());
    for (i, re) in x.re.iter().enumerate() {
        let _ = match x.im.get(i) {
            None => writeln!(text, "{re:e}"),
            Some(im) => writeln!(text, "{re:e} {im:e}"),
        };
    }
    crate::write_whole(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(name: &str, text: &[u8]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("sptrsv-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    fn read(name: &str, text: &str) -> Result<Loaded> {
        let path = file(name, text.as_bytes());
        let result = read_matrix(&path);
        std::fs::remove_file(path).unwrap();
        result
    }

    #[test]
    fn symmetric_halves_are_filled_in_and_duplicates_added() {
        let text = "%%MatrixMarket matrix coordinate real symmetric\n% words\n3 3 4\n1 1 2\n3 1 -1.5\n3 3 1\n3 3 1\n";
        let a = read("sym.mtx", text).unwrap().matrix;
        assert_eq!((a.ptr, a.col, a.val), (vec![0, 2, 2, 4], vec![0, 2, 0, 2], vec![2.0, -1.5, -1.5, 2.0]));
        assert!(a.im.is_empty());
    }

    #[test]
    fn skew_and_hermitian_mirror_with_their_signs() {
        let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n";
        assert_eq!(read("skew.mtx", skew).unwrap().matrix.val, [-3.0, 3.0]);
        let hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 4\n";
        let a = read("herm.mtx", hermitian).unwrap().matrix;
        assert_eq!((a.val, a.im), (vec![3.0, 3.0], vec![-4.0, 4.0]));
    }

    #[test]
    fn gzip_is_read_too() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n").unwrap();
        let path = file("p.mtx.gz", &gz.finish().unwrap());
        let loaded = read_matrix(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(!loaded.has_values);
        assert_eq!(loaded.matrix.col, [0, 1]);
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let head = "%%MatrixMarket matrix coordinate real general\n";
        for (text, line, words) in [
            ("hello\n".to_string(), 1, "banner"),
            (format!("{head}% c\n3 4 1\n1 1 1\n"), 3, "not square"),
            (format!("{head}3 3 2\n1 1 1\n\n4 1 1\n"), 5, "the row '4' is not in 1..3"),
            (format!("{head}3 3 2\n1 1 1\n1 0 1\n"), 4, "column '0'"),
            (format!("{head}3 3 2\n1 1 1\n"), 3, "holds 1 entry where its head says 2"),
            (format!("{head}3 3 1\n1 1 1\n2 2 1\n"), 4, "holds 2 entries where its head says 1"),
            (format!("{head}3 3 1\n1 1 x\n"), 3, "'x' is not a number"),
            (format!("{head}3 3 1\n1 1 nan\n"), 3, "'nan' is not a finite number"),
            (format!("{head}3 3 1\n1 1 -inf\n"), 3, "'-inf' is not a finite number"),
            (format!("{head}3 3 1\n1 1 1e400\n"), 3, "'1e400' is not a finite number"),
            (format!("{head}99999999999999999999999 3 1\n"), 2, "99999999999999999999999 is too large"),
            (format!("{head}3 -3 1\n"), 2, "does not hold 3"),
            (format!("{head}3 3 1\n1 1 1 1\n"), 3, "too many"),
            (format!("{head}3 3 1\n1 1\n"), 3, "no value"),
            (format!("{head}3 3\n"), 2, "does not hold 3"),
            (head.to_string(), 1, "ends before"),
        ] {
            let message = read("bad.mtx", &text).map(|_| ()).unwrap_err();
            assert!(message.contains(&format!("bad.mtx:{line}: ")), "{message} (wanted line {line})");
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn an_entry_is_found_by_its_line_or_its_rows() {
        let text =
            "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 4\n2 1 5\n2 2 0\n3 1 1\n1 1 1\n";
        let path = file("place.mtx", text.as_bytes());
        let entries = [(0, 0), (1, 1), (2, 2), (3, 3), (1, 0), (0, 2), (2, 1)];
        let lines = entries.map(|entry| place_of(&path, entry).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(lines, [7, 5, 6, 3, 4, 6, 6].map(|line| format!("{}:{line}", path.display())));
    }

    #[test]
    fn the_line_is_right_in_a_file_of_several_pieces() {
        let count = PIECE / 4;
        let mut text = format!("%%MatrixMarket matrix coordinate pattern general\n9 9 {count}\n");
        text += &"1 1\n".repeat(count - 1);
        text += "1 x\n";
        let message = read("long.mtx", &text).map(|_| ()).unwrap_err();
        assert!(message.contains(&format!(":{}: ", count + 2)), "{message}");
    }

    #[test]
    fn a_vector_survives_a_round_trip() {
        let path = file("v.mtx", b"");
        write_vector(&path, &Vector { re: vec![1.5, -2e-300], im: vec![0.0, 1.0 / 3.0] }).unwrap();
        let v = read_vector(&path, 2, false).unwrap();
        assert!(read_vector(&path, 3, false).is_err());
        std::fs::remove_file(path).unwrap();
        assert_eq!((v.re, v.im), (vec![1.5, -2e-300], vec![0.0, 1.0 / 3.0]));
    }

    #[test]
    fn a_vector_must_fit_the_precision() {
        let text =
            "%%MatrixMarket matrix coordinate complex general\n2 1 3\n1 1 0 2e38\n2 1 1 1\n1 1 0 2e38\n";
        let path = file("large.mtx", text.as_bytes());
        let message = read_vector(&path, 2, true).map(|_| ()).unwrap_err();
        let read = read_vector(&path, 2, false).map(|v| v.im);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(message, format!("{}:5: 4e38 overflows in single precision", path.display()));
        assert_eq!(read, Ok(vec![4e38, 1.0]));
    }
}
