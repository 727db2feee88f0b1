//! Reads thousands of damaged files, the same in every run. Each must give a valid matrix or valid right-hand sides, or
//! one sentence.

use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};

use flate2::{write::GzEncoder, Compression};

use super::*;
use crate::base::memory::with_limit;
use crate::matrix::hash;

const FILES: usize = 200_000;

/// Limits of memory, as bytes per byte of the file and bytes for any file: of one allocation, and of all together.
const AT_ONCE: (usize, usize) = (8, 1 << 16);
const IN_ALL: (usize, usize) = (16, 1 << 17);

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 += 1;
        (hash(self.0) % most.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

const TOKENS: [&str; 34] = [
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "4294967296",
    "1000000000",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1e308",
    "-1e308",
    "1e400",
    "1.5D+02",
    "nan",
    "inf",
    "-0",
    ".",
    "+",
    "x",
    "%",
    "%%",
    "\u{feff}",
    "\u{202e}é",
    "\x1b[31m",
    "symmetric",
    "skew-symmetric",
    "hermitian",
    "pattern",
    "complex",
    "unsigned-integer",
    "array",
    "%%MatrixMarket matrix coordinate real general\n",
    "\0",
];

/// A valid file of a few entries.
fn valid(random: &mut Random) -> Vec<u8> {
    let n = 1 + random.below(8);
    let field = random.of(&["real", "integer", "unsigned-integer", "complex", "pattern", "double"]);
    let symmetry = random.of(&["general", "general", "symmetric", "skew-symmetric", "hermitian"]);
    let value = |random: &mut Random| match field {
        "pattern" => String::new(),
        "complex" => format!(" {}.5 -{}e-3", random.below(100), random.below(100)),
        _ => format!(" {}", random.below(1000)),
    };
    if random.below(5) == 0 && field != "pattern" {
        let columns = 1 + random.below(3);
        let lines: String = (0..n * columns).map(|_| value(random) + "\n").collect();
        return format!("%%MatrixMarket matrix array {field} general\n{n} {columns}\n{lines}").into();
    }
    let count = random.below(3 * n);
    let mut entry = || {
        let (row, col) = (1 + random.below(n), 1 + random.below(n));
        let (row, col) = if symmetry == "general" { (row, col) } else { (row.max(col), row.min(col)) };
        format!("{row} {col}{}\n", value(random))
    };
    let lines: String = (0..count).map(|_| entry()).collect();
    format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n% words\n{n} {n} {count}\n{lines}").into()
}

/// Splits a text into words or lines and changes them at a random place.
fn with_part(
    random: &mut Random,
    text: &[u8],
    ends: fn(u8) -> bool,
    change: fn(&mut Random, &mut Vec<Vec<u8>>, usize),
) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = text.split_inclusive(|&b| ends(b)).map(<[u8]>::to_vec).collect();
    if !parts.is_empty() {
        let at = random.below(parts.len());
        change(random, &mut parts, at);
    }
    parts.concat()
}

fn damaged(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let is_line_end = |b: u8| b == b'\n';
    let is_word_end = |b: u8| b == b'\n' || b == b' ';
    let (at, to) = (random.below(text.len()), random.below(text.len() + 1));
    let mut out = text.to_vec();
    match random.below(12) {
        0 if !out.is_empty() => out[at] ^= 1 << random.below(8),
        1 if !out.is_empty() => out[at] = random.below(256) as u8,
        2 => out.truncate(to),
        3 => return with_part(random, text, is_line_end, |_, lines, at| drop(lines.remove(at))),
        4 => return with_part(random, text, is_line_end, |_, lines, at| lines.insert(at, lines[at].clone())),
        5 => {
            return with_part(random, text, is_line_end, |random, lines, at| {
                let other = random.below(lines.len());
                lines.swap(at, other);
            })
        }
        6 | 7 => {
            return with_part(random, text, is_word_end, |random, words, at| {
                let end = if words[at].ends_with(b"\n") { "\n" } else { " " };
                words[at] = [random.of(&TOKENS), end].concat().into();
            })
        }
        8 => {
            let token = random.of(&TOKENS).as_bytes();
            out.splice(to..to, token.iter().copied());
        }
        9 => {
            let end = random.of(&[&b"\r"[..], b"\r\n", b"\n\n", b" % words\n", b"\x0b", b"\n\r"]);
            return text.split(|&b| b == b'\n').collect::<Vec<_>>().join(end);
        }
        10 => out = vec![*text.get(at).unwrap_or(&b'%'); 1 + random.below(5000)],
        _ => out = [&text[..to], &text[at.min(to)..]].concat(),
    }
    out
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(text).unwrap();
    gz.finish().unwrap()
}

/// A file, and the number of bytes of its text before compression.
fn file(random: &mut Random) -> (Vec<u8>, usize) {
    let mut text = valid(random);
    for _ in 0..random.below(4) {
        text = damaged(random, &text);
    }
    let length = text.len();
    let mut file = text;
    if random.below(8) == 0 {
        let (one, other) = file.split_at(random.below(length + 1));
        file = match random.below(3) {
            0 => gzip(&file),
            1 => [gzip(one), vec![0; random.below(600)], gzip(other)].concat(),
            _ => [gzip(&file), vec![0; random.below(600)]].concat(),
        };
        for _ in 0..random.below(3) {
            file = damaged(random, &file);
        }
    }
    (file, length)
}

/// What a matrix must be, whatever it was read from.
fn check_matrix(a: &Csr, has_im: bool) {
    assert_eq!((a.ptr.len(), a.ptr[0]), (a.n + 1, 0));
    assert_eq!((a.ptr[a.n] as usize, a.val.len()), (a.nnz(), a.nnz()));
    assert_eq!(a.im.len(), if has_im { a.nnz() } else { 0 });
    for i in 0..a.n {
        assert!(a.ptr[i] <= a.ptr[i + 1]);
        assert!(a.row(i).windows(2).all(|two| two[0] < two[1]));
        assert!(a.row(i).iter().all(|&col| (0..a.n as i32).contains(&col)));
    }
    // Sums of finite values can be infinite, but not NaN.
    assert!(a.val.iter().chain(&a.im).all(|v| !v.is_nan()));
}

fn check_sentence(words: &str) {
    assert!(words.starts_with("f:"), "{words:?}");
    assert!(words.len() < 300 && !words.chars().any(char::is_control), "{words:?}");
}

/// Reads a file as a matrix and as right-hand sides, and tells which of them it is.
fn read(file: &[u8]) -> [bool; 2] {
    let source = || Source::read("f".into(), file, file.len() as u64);
    let matrix = source().and_then(Parsed::of).and_then(|mut parsed| {
        let complex = parsed.rules.head.field == Field::Complex;
        let hole = parsed.missing_diagonal()?;
        let (loaded, warnings) = parsed.loaded_with_warnings()?;
        check_matrix(&loaded.matrix, complex);
        assert_eq!(hole, loaded.matrix.missing_diagonal());
        warnings.iter().for_each(|words| check_sentence(words));
        (0..loaded.matrix.n.min(3)).for_each(|i| check_sentence(&parsed.place_of((i, i))));
        Ok(())
    });
    let vectors = source().and_then(|source| {
        // As many rows as it says, if these are few.
        let mut lines = Lines::new(&source.text);
        let said = Head::read(&mut lines).ok().and_then(|_| text::whole(lines.read_data()?.next()?));
        let n = said.filter(|&said| said < 10).unwrap_or(3) as usize;
        let v = vectors::of(&source, n, true)?;
        assert_eq!(v.re.len(), n * v.count);
        assert!(v.im.is_empty() || v.im.len() == v.re.len());
        assert!(v.re.iter().chain(&v.im).all(|&v| (v as f32).is_finite()));
        Ok(())
    });
    [matrix, vectors].map(|result| {
        if let Err(words) = &result {
            check_sentence(words);
        }
        result.is_ok()
    })
}

#[test]
fn damaged_files_become_matrices_or_sentences() {
    let mut random = Random(0);
    let mut counts = [0; 2];
    for k in 0..FILES {
        let (file, length) = file(&mut random);
        let length = length.max(file.len());
        let (mut outcome, most) = (None, |(each, any): (usize, usize)| (each * length + any) as u64);
        let taken = allocation_counter::measure(|| {
            let work = || with_limit(most(AT_ONCE), || read(&file));
            outcome = catch_unwind(AssertUnwindSafe(work)).ok();
        });
        let shown = || format!("file {k}: \"{}\"", file.escape_ascii());
        let outcome = outcome.unwrap_or_else(|| panic!("{}", shown()));
        assert!(taken.bytes_max <= most(IN_ALL), "{} bytes for {}", taken.bytes_max, shown());
        counts.iter_mut().zip(outcome).for_each(|(count, is_good)| *count += usize::from(is_good));
    }
    // The files must be damaged enough, but not too much, to test anything.
    println!("of {FILES} files, {} are matrices, {} are right-hand sides", counts[0], counts[1]);
    assert!((FILES / 10..FILES / 2).contains(&counts[0]) && counts[1] > FILES / 100, "{counts:?}");
}
