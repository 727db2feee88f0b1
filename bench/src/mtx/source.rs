//! Reads the text of a file, plain or gzip, in one pass: the file may be a pipe.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::head::must_begin_with_banner;
use crate::base::{memory, Result};

/// A text and the name of its file.
pub struct Source {
    pub name: String,
    pub text: Vec<u8>,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source> {
        let name = path.display().to_string();
        let failed = |e: io::Error| format!("{name}: {e}");
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        let length = if found.is_file() { found.len() } else { 0 };
        Source::read(name, BufReader::new(file), length)
    }

    /// Reads a text that is expected to take about `length` bytes as it is stored.
    pub fn read(name: String, mut input: impl BufRead, length: u64) -> Result<Source> {
        let mut begin = Vec::new();
        // An error occurs again below.
        let _ = input.by_ref().take(GZIP.len() as u64).read_to_end(&mut begin);
        let is_gzip = begin == GZIP;
        let input = Cursor::new(begin).chain(input);
        match is_gzip {
            true => read_text(name, Gunzip(Some(GzDecoder::new(input))), length),
            false => read_text(name, input, length),
        }
    }

    /// A sentence about a line.
    pub fn at(&self, line: usize, what: impl std::fmt::Display) -> String {
        format!("{}:{line}: {what}", self.name)
    }
}

/// Bytes that show what a file is. The magic word of a tar archive ends before.
const BEGIN: u64 = 512;

fn read_text(name: String, mut input: impl Read, length: u64) -> Result<Source> {
    let in_words = |e: io::Error, read: &[u8]| match e.kind() {
        // Kinds of error that the decoder returns.
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
            let line = read.iter().filter(|&&b| b == b'\n').count() + 1;
            format!("{name}:{line}: the gzip file is cut off or damaged: {e}")
        }
        _ => format!("{name}: {e}"),
    };
    let mut text = Vec::new();
    input.by_ref().take(BEGIN).read_to_end(&mut text).map_err(|e| in_words(e, &text))?;
    if text.starts_with(UTF8_MARK) {
        text.drain(..UTF8_MARK.len());
    }
    if let Some(other) = other_format(&text) {
        return Err(format!("{name}: the file is {other}"));
    }
    if text.is_empty() {
        return Err(format!("{name}: the file is empty"));
    }
    // Some other file, such as /dev/zero, may have no end.
    must_begin_with_banner(&text).map_err(|what| format!("{name}:1: {what}"))?;
    let enough = |bytes| memory::must_have(bytes, "its text").map_err(|e| format!("{name}: {e}"));
    enough(length)?;
    text.try_reserve_exact(length as usize).map_err(|e| format!("{name}: {e}"))?;
    // While a vector grows, it exists twice.
    let most = memory::most() / 2;
    input.take(most).read_to_end(&mut text).map_err(|e| in_words(e, &text))?;
    if text.len() as u64 >= most {
        enough(2 * text.len() as u64)?;
    }
    Ok(Source { name, text })
}

const GZIP: &[u8] = b"\x1f\x8b";
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// First bytes of files that are not Matrix Market files, and what a message calls them.
const OTHERS: [(&[u8], &str); 17] = [
    (b"PK\x03\x04", "a zip archive: unpack it and name a file of it"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it and name a file of it"),
    (b"BZh", "compressed with bzip2: unpack it first, or compress it with gzip"),
    (b"\xfd7zXZ\0", "compressed with xz: unpack it first, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first, or compress it with gzip"),
    (b"\x04\x22\x4d\x18", "compressed with lz4: unpack it first, or compress it with gzip"),
    (b"\x1f\x9d", "compressed with compress: unpack it first, or compress it with gzip"),
    (GZIP, "compressed with gzip twice: unpack it once"),
    (b"\xff\xfe", "text in UTF-16, where ASCII or UTF-8 is wanted"),
    (b"\xfe\xff", "text in UTF-16, where ASCII or UTF-8 is wanted"),
    (b"%\0", "text in UTF-16, where ASCII or UTF-8 is wanted"),
    (b"\0%", "text in UTF-16, where ASCII or UTF-8 is wanted"),
    (b"MATLAB 5.0 MAT-file", "one of MATLAB's own (.mat), where a Matrix Market file is wanted"),
    (b"\x89HDF", "in HDF5, where a Matrix Market file is wanted"),
    (b"<!DOCTYPE", "a page of HTML, where a Matrix Market file is wanted"),
    (b"<html", "a page of HTML, where a Matrix Market file is wanted"),
];

fn other_format(text: &[u8]) -> Option<&'static str> {
    if text.get(257..262) == Some(b"ustar") {
        return Some("a tar archive: unpack it and name a file of it");
    }
    let begins = |(begin, _): &&(&[u8], &str)| {
        text.get(..begin.len()).is_some_and(|found| found.eq_ignore_ascii_case(begin))
    };
    OTHERS.iter().find(begins).map(|(_, what)| *what)
}

/// Decodes a gzip file: one member or several, with zeros behind each.
struct Gunzip<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            self.0 = self.0.take().map(GzDecoder::into_inner).map_or(Ok(None), next_member)?;
        }
        Ok(0)
    }
}

/// The next member, behind zeros that fill up a block of a tape or disk.
fn next_member<R: BufRead>(mut input: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let block = input.fill_buf()?;
        if block.is_empty() {
            return Ok(None);
        }
        match block.iter().position(|&b| b != 0) {
            None => {
                let zeros = block.len();
                input.consume(zeros);
            }
            Some(zeros) => {
                let is_member = block[zeros] == GZIP[0];
                input.consume(zeros);
                let other = || io::Error::new(ErrorKind::InvalidData, "what follows its end is not gzip");
                return is_member.then(|| Some(GzDecoder::new(input))).ok_or_else(other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{write::GzEncoder, Compression};
    use std::io::Write;

    const TEXT: &[u8] = b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";

    fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        Source::read("f".into(), bytes, 0).map(|source| source.text)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn gzip_members_and_padding_are_read() {
        let (one, other) = TEXT.split_at(50);
        let (one, other, zeros) = (gzip(one), gzip(other), vec![0; 100_000]);
        for file in [
            gzip(TEXT),
            [&one[..], &other].concat(),
            [&one[..], &zeros, &other, &[0]].concat(),
            [&one[..], &gzip(b""), &other, &zeros].concat(),
        ] {
            assert_eq!(read(&file).unwrap(), TEXT);
            // From a pipe bytes come as they like.
            let slow = BufReader::with_capacity(1, &file[..]);
            assert_eq!(Source::read("f".into(), slow, 0).unwrap().text, TEXT);
        }
        for (file, line, words) in [
            ([&gzip(TEXT)[..], b"\0\0x"].concat(), 4, "what follows its end is not gzip"),
            ([&gzip(TEXT)[..], &GZIP[..1]].concat(), 4, "cut off or damaged"),
            (gzip(TEXT)[..20].to_vec(), 1, "cut off or damaged"),
        ] {
            let message = read(&file).unwrap_err();
            assert!(
                message.starts_with(&format!("f:{line}: the gzip file is cut off or damaged: ")),
                "{message}"
            );
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn a_mark_of_utf_8_is_left_out() {
        assert_eq!(read(&[UTF8_MARK, TEXT].concat()).unwrap(), TEXT);
        assert_eq!(read(&gzip(&[UTF8_MARK, TEXT].concat())).unwrap(), TEXT);
        assert_eq!(read(UTF8_MARK).unwrap_err(), "f: the file is empty");
    }

    #[test]
    fn other_formats_are_called_by_their_names() {
        let utf_16 = |to_bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
            format!("{mark}%%MatrixMarket").encode_utf16().flat_map(to_bytes).collect()
        };
        let mut tar = vec![0; 1024];
        tar[257..262].copy_from_slice(b"ustar");
        for (file, words) in [
            (b"PK\x03\x04zip".to_vec(), "a zip archive: unpack it and name a file of it"),
            (gzip(&tar), "a tar archive: unpack it and name a file of it"),
            (tar, "a tar archive: unpack it and name a file of it"),
            (gzip(&gzip(TEXT)), "compressed with gzip twice: unpack it once"),
            (b"BZh91AY".to_vec(), "compressed with bzip2: unpack it first, or compress it with gzip"),
            (utf_16(u16::to_le_bytes, "\u{feff}"), "text in UTF-16, where ASCII or UTF-8 is wanted"),
            (utf_16(u16::to_be_bytes, "\u{feff}"), "text in UTF-16, where ASCII or UTF-8 is wanted"),
            (utf_16(u16::to_le_bytes, ""), "text in UTF-16, where ASCII or UTF-8 is wanted"),
            (utf_16(u16::to_be_bytes, ""), "text in UTF-16, where ASCII or UTF-8 is wanted"),
            (b"<!doctype html>".to_vec(), "a page of HTML, where a Matrix Market file is wanted"),
        ] {
            assert_eq!(read(&file).unwrap_err(), format!("f: the file is {words}"));
        }
    }

    #[test]
    fn what_has_no_end_is_refused_at_its_beginning() {
        let zeros = BufReader::new(io::repeat(0));
        let message = Source::read("f".into(), zeros, 0).map(drop).unwrap_err();
        assert_eq!(message, "f:1: the first line is not a Matrix Market banner");
    }

    #[test]
    fn a_text_takes_no_more_memory_than_is_free() {
        let comment = [TEXT, &[b'%'; 1 << 20]].concat();
        memory::with_limit(1 << 19, || {
            for file in [comment.clone(), gzip(&comment)] {
                let message = read(&file).unwrap_err();
                assert!(message.starts_with("f: there is not enough memory for its text: "), "{message}");
            }
            let message = Source::read("f".into(), &comment[..], 1 << 20).map(drop).unwrap_err();
            assert!(message.starts_with("f: there is not enough memory for its text: "), "{message}");
        });
        assert_eq!(read(&comment).map(|text| text.len()), Ok(comment.len()));
    }
}
