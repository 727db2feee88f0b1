//! Lines, words and numbers of a text, and words of it repeated in a message.

use memchr::memchr2;

use crate::base::Result;

/// Reads a text line by line. LF, CR LF or CR ends a line.
pub struct Lines<'a> {
    rest: &'a [u8],
    read: usize,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Lines { rest: text, read: 0 }
    }

    /// The number of the line that was read last, counted from 1.
    pub fn number(&self) -> usize {
        self.read
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn read(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let (end, next) = line_end(self.rest);
        let line = &self.rest[..end];
        self.rest = &self.rest[next..];
        self.read += 1;
        Some(line)
    }

    /// The next line with a word in it.
    pub fn read_data(&mut self) -> Option<Words<'a>> {
        loop {
            let words = Words(self.read()?);
            if words.clone().next().is_some() {
                return Some(words);
            }
        }
    }
}

/// Offsets of the first line's end and of the next line's beginning.
pub fn line_end(text: &[u8]) -> (usize, usize) {
    match memchr2(b'\n', b'\r', text) {
        None => (text.len(), text.len()),
        Some(at) if text[at] == b'\r' && text.get(at + 1) == Some(&b'\n') => (at, at + 2),
        Some(at) => (at, at + 1),
    }
}

/// The words of a line, up to its end or a comment.
#[derive(Clone)]
pub struct Words<'a>(pub &'a [u8]);

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let begin = self.0.iter().position(|&b| !is_blank(b)).unwrap_or(self.0.len());
        let rest = &self.0[begin..];
        let end = rest.iter().position(|&b| is_blank(b) || b == b'%').unwrap_or(rest.len());
        self.0 = &rest[end..];
        (end > 0).then(|| &rest[..end])
    }
}

/// Reads a whole number without a sign or with a plus; one that is too large becomes the largest.
#[inline]
pub fn whole(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"+").unwrap_or(word);
    let add = |sum: u64, &byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| sum.saturating_mul(10).saturating_add(u64::from(digit)))
    };
    (!digits.is_empty()).then(|| digits.iter().try_fold(0, add)).flatten()
}

/// Reads a finite number. Fortran may write its exponent with a D.
#[inline]
pub fn number(word: &[u8]) -> Result<f64> {
    let parsed = parse(word).or_else(|| {
        let at = word.iter().position(|b| matches!(b, b'd' | b'D'))?;
        parse(&[&word[..at], b"e", &word[at + 1..]].concat())
    });
    match parsed {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(format!("'{}' is not a finite number", quoted(word))),
        None => Err(format!("'{}' is not a number", quoted(word))),
    }
}

fn parse(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The most characters of a word that a message repeats.
const QUOTED: usize = 60;

/// A word for a message: at most QUOTED characters of it, control characters and invalid UTF-8 escaped.
pub fn quoted(word: &[u8]) -> String {
    let mut out = String::new();
    let mut left = QUOTED;
    for chunk in word.utf8_chunks() {
        let valid = chunk.valid().chars().map(|c| c.escape_debug().to_string());
        let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        for shown in valid.chain(invalid) {
            let length = shown.chars().count();
            if length > left {
                return out + "...";
            }
            left -= length;
            out += &shown;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let mut lines = Lines::new(b"a\nb\r\n\r\rc\n\n d % e\n%f");
        let read: Vec<(usize, &[u8])> =
            std::iter::from_fn(|| lines.read().map(|line| (lines.number(), line))).collect();
        let expected = ["a", "b", "", "", "c", "", " d % e", "%f"].map(str::as_bytes);
        assert_eq!(read, (1..).zip(expected).collect::<Vec<_>>());
        let mut lines = Lines::new(b"\r\r\n%a\n \t%b\nc  d%e");
        let words: Vec<&[u8]> = lines.read_data().unwrap().collect();
        assert_eq!((words, lines.number()), (vec![&b"c"[..], b"d"], 5));
        assert!(lines.read_data().is_none());
    }

    #[test]
    fn numbers_are_those_of_c_and_fortran() {
        let wholes =
            ["0", "+7", "00012", "99999999999999999999999", "", "+", "-1", "1.0", "1x"].map(str::as_bytes);
        let read = wholes.map(whole);
        assert_eq!(read, [Some(0), Some(7), Some(12), Some(u64::MAX), None, None, None, None, None]);
        for (word, value) in [
            ("2.0D+00", 2.0),
            ("-1d-2", -0.01),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1E3", 1e3),
            ("1.5D3", 1500.0),
            ("-0", 0.0),
        ] {
            assert_eq!(number(word.as_bytes()), Ok(value));
        }
        for word in ["d", "1d", "1d2d3", "1d2e3", "e5", "d5", "0x10", "1,5", "--1", "\u{661}"] {
            assert_eq!(number(word.as_bytes()), Err(format!("'{word}' is not a number")));
        }
        for word in ["nan", "-inf", "infinity", "1e400", "1D400"] {
            assert_eq!(number(word.as_bytes()), Err(format!("'{word}' is not a finite number")));
        }
    }

    #[test]
    fn what_is_quoted_is_short_and_harmless() {
        assert_eq!(quoted("größe-3".as_bytes()), "größe-3");
        assert_eq!(quoted(b"\x1b[31m\x07\xff\xc3"), "\\u{1b}[31m\\u{7}\\xff\\xc3");
        assert_eq!(quoted("\u{202e}a".as_bytes()), "\\u{202e}a");
        assert_eq!(quoted(&[b'x'; 60]), "x".repeat(60));
        assert_eq!(quoted(&[b'x'; 3_000_000]), "x".repeat(60) + "...");
        assert_eq!(quoted(&[0; 1000]), "\\0".repeat(30) + "...");
    }
}
