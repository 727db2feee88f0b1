//! Files as people have them: what they become, and what is said of them.

use super::*;
use crate::base::memory::with_limit;

fn source(text: impl AsRef<[u8]>) -> Result<Source> {
    let text = text.as_ref();
    Source::read("f".into(), text, text.len() as u64)
}

fn parsed(text: impl AsRef<[u8]>) -> Result<Parsed> {
    source(text).and_then(Parsed::of)
}

fn read(text: impl AsRef<[u8]>) -> Result<(Loaded, Vec<String>)> {
    parsed(text)?.loaded_with_warnings()
}

/// The matrix of a file that nothing is odd about.
fn matrix(text: impl AsRef<[u8]>) -> Csr {
    let (loaded, warnings) = read(text).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    loaded.matrix
}

fn refused(text: impl AsRef<[u8]>) -> String {
    read(text).map(drop).unwrap_err()
}

fn file(kind: &str, rest: &str) -> String {
    format!("%%MatrixMarket matrix {kind}\n{rest}")
}

fn vectors(text: &str, n: usize, single: bool) -> Result<Vectors> {
    vectors::of(&source(text)?, n, single)
}

#[test]
fn symmetric_halves_are_filled_in_and_duplicates_added() {
    let a = matrix(file("coordinate real symmetric", "% words\n3 3 4\n1 1 2\n3 1 -1.5\n3 3 1\n3 3 1\n"));
    assert_eq!((a.ptr, a.col, a.val), (vec![0, 2, 2, 4], vec![0, 2, 0, 2], vec![2.0, -1.5, -1.5, 2.0]));
    assert!(a.im.is_empty());
}

#[test]
fn skew_and_hermitian_mirror_with_their_signs() {
    let skew = matrix(file("coordinate integer skew-symmetric", "2 2 1\n2 1 3\n"));
    assert_eq!(skew.val, [-3.0, 3.0]);
    let a = matrix(file("coordinate complex hermitian", "2 2 1\n2 1 3 4\n"));
    assert_eq!((a.val, a.im), (vec![3.0, 3.0], vec![-4.0, 4.0]));
}

#[test]
fn rows_are_sorted_with_their_values() {
    let a = matrix(file(
        "coordinate complex general",
        "3 3 6\n3 3 1 2\n1 3 3 4\n3 1 5 6\n1 1 7 8\n3 1 1 1\n2 2 9 9\n",
    ));
    assert_eq!((a.ptr, a.col), (vec![0, 2, 3, 5], vec![0, 2, 1, 0, 2]));
    assert_eq!((a.val, a.im), (vec![7.0, 3.0, 9.0, 6.0, 1.0], vec![8.0, 4.0, 9.0, 7.0, 2.0]));
}

/// As SciPy, SuiteSparse and MATLAB do.
#[test]
fn what_other_readers_take_is_taken() {
    let body = "2 2 3\n1 1 2.5\n2 1 -1e-3\n2 2 4\n";
    let plain = matrix(file("coordinate real general", body));
    let of = |text: String| {
        let a = matrix(text);
        assert_eq!((&a.ptr, &a.col, &a.val), (&plain.ptr, &plain.col, &plain.val));
    };
    of(file("coordinate real general", "2 2 3\n1 1 2.5D+00\n2 1 -1d-3\n2 2 4.0D0\n"));
    of(file("coordinate real general", "2 2 3 % sizes\n1 1 2.5 % a\n\t2  1\t-1e-3% b\n %c\n2 2 4 %\n"));
    of(file("coordinate real general", body).replacen("%%", "%", 1));
    of(file("coordinate REAL General", body).replacen("%%MatrixMarket", "%%matrixmarket", 1));
    of(file("coordinate real general % words", body));
    of(file("coordinate real general", body).replace('\n', "\r\n"));
    of(file("coordinate real general", body).replace('\n', "\r"));
    of(file("coordinate real general", body).trim_end().into());
    of(format!("\u{feff}{}", file("coordinate real general", body)));
    let unsigned = matrix(file("coordinate unsigned-integer general", "1 1 1\n1 1 7\n"));
    assert_eq!(unsigned.val, [7.0]);
}

#[test]
fn what_is_odd_is_said() {
    let warnings = |kind: &str, rest: &str| {
        let (loaded, warnings) = read(file(kind, rest)).unwrap();
        (loaded.matrix, warnings)
    };
    let (a, said) = warnings("coordinate pattern general", "% c\n2 2 3\n1 1\n2 1 5\n2 2 1 7\n");
    assert_eq!(said, ["f:5: 2 entries of a pattern have values, which are ignored; this is the first one"]);
    assert_eq!(a.col, [0, 0, 1]);
    let (a, said) = warnings("coordinate real skew-symmetric", "2 2 3\n1 1 0\n2 1 1\n2 2 3\n");
    assert_eq!(said, ["f:5: 1 entry on the diagonal of a skew-symmetric matrix is not zero"]);
    assert_eq!(a.val, [0.0, -1.0, 1.0, 3.0]);
    let (a, said) = warnings("coordinate complex hermitian", "2 2 2\n1 1 1 2\n2 2 3 -4\n");
    let words = "2 entries on the diagonal of a hermitian matrix are not real; this is the first one";
    assert_eq!((said, a.im), (vec![format!("f:3: {words}")], vec![2.0, -4.0]));
    let rest = "3 3 6\n1 1 1\n2 1 5\n1 2 6\n3 1 1\n3 3 2\n1 3 4\n";
    let (a, said) = warnings("coordinate real symmetric", rest);
    let words = "2 entries of a symmetric matrix are stored in both halves, which are added up; this is the first one";
    assert_eq!(said, [format!("f:4: {words}")]);
    assert_eq!((a.col, a.val), (vec![0, 1, 2, 0, 0, 2], vec![1.0, 11.0, 5.0, 11.0, 5.0, 2.0]));
    // An entry twice in one half, or others in the other half, are as good as any.
    matrix(file("coordinate real symmetric", "3 3 4\n2 1 5\n2 1 6\n2 2 1\n2 2 1\n"));
    matrix(file("coordinate real symmetric", "3 3 2\n2 1 5\n1 3 6\n"));
}

#[test]
fn malformed_files_are_refused_with_their_line() {
    let of = |rest: &str| file("coordinate real general", rest);
    for (text, line, words) in [
        ("hello\n".to_string(), 1, "banner"),
        ("%%MatrixMarket matrix coordinate real\n".into(), 1, "banner"),
        (file("coordinate quaternion general", ""), 1, "the field 'quaternion' is not"),
        (file("coordinate real odd", ""), 1, "the symmetry 'odd' is not known"),
        (file("array real general", ""), 1, "the matrix is dense"),
        (of("% c\n3 4 1\n1 1 1\n"), 3, "not square"),
        (of("3 3 2\n1 1 1\n\n4 1 1\n"), 5, "the row '4' is not in 1..3"),
        (of("3 3 2\r1 1 1\r\r4 1 1\r"), 5, "the row '4' is not in 1..3"),
        (of("3 3 2\n1 1 1\n1 0 1\n"), 4, "column '0'"),
        (of("3 3 2\n1 1 1\n"), 3, "holds 1 entry where its head says 2"),
        (of("3 3 1\n1 1 1\n2 2 1\n"), 4, "holds 2 entries where its head says 1"),
        (of("3 3 1\n1 1 x\n"), 3, "'x' is not a number"),
        (of("3 3 1\n1 1 nan\n"), 3, "'nan' is not a finite number"),
        (of("3 3 1\n1 1 -inf\n"), 3, "'-inf' is not a finite number"),
        (of("3 3 1\n1 1 1e400\n"), 3, "'1e400' is not a finite number"),
        (of("99999999999999999999999 3 1\n"), 2, "99999999999999999999999 is too large"),
        (of("3 -3 1\n"), 2, "does not hold 3"),
        (of("3 3 1\n1 1 1 1\n"), 3, "too many"),
        (of("3 3 1\n1 1\n"), 3, "no value"),
        (of("3 3 1\n1 1 % 5\n"), 3, "no value"),
        (of("3 3\n"), 2, "does not hold 3"),
        (of("3000000000 3000000000 1\n"), 2, "2^31 rows or more"),
        (of(""), 1, "ends before"),
        (file("coordinate pattern general", "1 1 1\n1 1 x\n"), 3, "'x' is not a number"),
        (file("coordinate pattern general", "1 1 1\n1 1 1 1 1\n"), 3, "too many"),
    ] {
        let message = refused(&text);
        assert!(message.starts_with(&format!("f:{line}: ")), "{message} (wanted line {line})");
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn words_in_messages_are_short_and_harmless() {
    let long = "9".repeat(3_000_000);
    for text in [
        file(&format!("coordinate {long} general"), ""),
        file(&format!("{long} real general"), ""),
        file("coordinate real general", &long),
        file("coordinate real general", &format!("1 1 1\n{long} 1 1\n")),
        file("coordinate real general", &format!("1 1 1\n1 {long} 1\n")),
        file("coordinate real general", &format!("1 1 1\n1 1 x{long}\n")),
        long.clone(),
    ] {
        let message = refused(text);
        assert!(message.len() < 160, "{message}");
    }
    let message = refused(b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 \x1b]0;\xff\x07\n");
    assert_eq!(message, "f:3: '\\u{1b}]0;\\xff\\u{7}' is not a number");
}

#[test]
fn rows_without_entries_are_asked_for_before_they_are_made() {
    let text = file("coordinate real general", "1000000000 1000000000 1\n1 1 1\n");
    with_limit(1 << 20, || {
        let message = refused(&text);
        let words = "f: there is not enough memory for a matrix of 1000000000 rows: 4.0 GB are needed, 1.0 MB are free";
        assert_eq!(message, words);
        // For this one the entries are enough.
        assert_eq!(parsed(&text).unwrap().missing_diagonal(), Ok(Some(1)));
        // A number of entries, or of columns, is no more than a claim.
        let message = refused(file("coordinate real general", "2 2 9999999999999999999\n1 1 1\n"));
        assert!(message.starts_with("f:3: the file holds 1 entry where "), "{message}");
        for kind in ["array", "coordinate"] {
            let text = file(&format!("{kind} real general"), "2 2000000000 1\n1 1 1\n");
            assert!(vectors(&text, 2, false).is_err());
        }
    });
    assert!(vectors(&file("array real general", "2 9999999999999999999\n1\n"), 2, false).is_err());
}

#[test]
fn the_first_hole_of_a_diagonal_is_found() {
    for (n, diagonal, hole) in [
        (0, &[][..], None),
        (1, &[][..], Some(0)),
        (3, &[1, 2, 3], None),
        (3, &[3, 2, 2, 1], None),
        (3, &[3, 1, 1, 1], Some(1)),
        (1000, &[1, 2, 1000], Some(2)),
    ] {
        let lines: String = diagonal.iter().map(|i| format!("{i} {i}\n")).collect();
        let rest = format!("{n} {n} {}\n{lines}", diagonal.len());
        let missing = parsed(file("coordinate pattern general", &rest)).unwrap().missing_diagonal();
        assert_eq!(missing, Ok(hole), "{n} {diagonal:?}");
    }
}

#[test]
fn an_entry_is_found_by_its_line_or_its_rows() {
    let text = file("coordinate real symmetric", "% c\n4 4 4\n2 1 5\n2 2 0\n3 1 1\n1 1 1\n");
    let parsed = parsed(text).unwrap();
    let entries = [(0, 0), (1, 1), (2, 2), (3, 3), (1, 0), (0, 2), (2, 1)];
    let lines = entries.map(|entry| parsed.place_of(entry));
    assert_eq!(lines, [7, 5, 6, 3, 4, 6, 6].map(|line| format!("f:{line}")));
}

#[test]
fn a_file_of_several_pieces_is_read_as_one() {
    let count = entries::PIECE / 2;
    let head = file("coordinate pattern skew-symmetric", &format!("9 9 {count}\n"));
    for end in ["\n", "\r\n", "\r"] {
        let line = format!("2 1{end}");
        let message = refused(head.clone() + &line.repeat(count - 1) + "1 x");
        assert!(message.starts_with(&format!("f:{}: ", count + 2)), "{message}");
        let (_, said) = read(head.clone() + &line.repeat(count - 2) + "2 1 5\n2 1 5").unwrap();
        let words = "2 entries of a pattern have values, which are ignored; this is the first one";
        assert_eq!(said, [format!("f:{}: {words}", count + 1)]);
    }
    // Many rows are sorted by several tasks.
    let rows = 100_000;
    let lines: String = (0..rows).map(|i| format!("{} {} {i}\n{0} {0} 1\n", i + 1, rows - i)).collect();
    let text = file("coordinate real general", &format!("{rows} {rows} {}\n{lines}", 2 * rows));
    let a = matrix(text);
    for i in 0..rows {
        let (one, other) = ((i, 1.0), (rows - 1 - i, i as f64));
        let expected = if one.0 < other.0 { [one, other] } else { [other, one] };
        let row: Vec<(usize, f64)> = a.range(i).map(|k| (a.col[k] as usize, a.val[k])).collect();
        assert_eq!(row, expected);
    }
}

#[test]
fn vectors_survive_a_round_trip() {
    let path = std::env::temp_dir().join(format!("sptrsv-{}-v.mtx", std::process::id()));
    for v in [
        Vectors { count: 1, re: vec![1.5, -2e-300], im: vec![0.0, 1.0 / 3.0] },
        Vectors { count: 3, re: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], im: vec![] },
    ] {
        write_vectors(&path, 2, &v).unwrap();
        assert_eq!(read_vectors(&path, 2, false).as_ref(), Ok(&v));
        assert!(read_vectors(&path, 3, false).is_err());
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn right_hand_sides_are_columns() {
    let dense = file("array real general", "2 2\n1\n2.0D0 % c\n\n3\r4\n");
    assert_eq!(vectors(&dense, 2, false), Ok(Vectors { count: 2, re: vec![1.0, 2.0, 3.0, 4.0], im: vec![] }));
    let sparse = file("coordinate complex general", "2 3 3\n2 3 5 1\n1 1 1 2\n2 3 1 1\n");
    let (re, im) = (vec![1.0, 0.0, 0.0, 0.0, 0.0, 6.0], vec![2.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    assert_eq!(vectors(&sparse, 2, false), Ok(Vectors { count: 3, re, im }));
    for (kind, rest, words) in [
        ("array real general", "2 1\n1\n", "f:3: the file holds 1 entry where its head says 2"),
        ("array real general", "2 1\n1\n2\n3\n", "f:5: the file holds more than the 2 entries of its head"),
        ("array real general", "2 1\n1 2\n", "f:3: the entry has too many numbers"),
        (
            "array real general",
            "3 1\n",
            "f:2: the right-hand side is 3 x 1 where 2 rows and a column or more are wanted",
        ),
        (
            "array real general",
            "2 0\n",
            "f:2: the right-hand side is 2 x 0 where 2 rows and a column or more are wanted",
        ),
        ("array real symmetric", "2 2\n", "f:1: a right-hand side must be general and have values"),
        ("coordinate real general", "2 2 1\n1 3 1\n", "f:3: the column '3' is not in 1..2"),
    ] {
        assert_eq!(vectors(&file(kind, rest), 2, false).unwrap_err(), words);
    }
}

#[test]
fn a_vector_must_fit_the_precision() {
    let text = file("coordinate complex general", "2 1 3\n1 1 0 2e38\n2 1 1 1\n1 1 0 2e38\n");
    assert_eq!(vectors(&text, 2, true).unwrap_err(), "f:5: 4e38 overflows in single precision");
    assert_eq!(vectors(&text, 2, false).map(|v| v.im), Ok(vec![4e38, 1.0]));
    let text = file("array real general", "1 1\n1e39\n");
    assert_eq!(vectors(&text, 1, true).unwrap_err(), "f:3: 1e39 overflows in single precision");
}
