//! The page docs/reliability.md says what is true: the words of each promise stand in the header, the tests named exist, no test
//! program of `c_tests/` is without a promise that it holds, and what is plainly a promise of the header has a row.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()))
}

/// A header's text in one line, without the marks of comments.
fn words(header: &str) -> String {
    let lines = header.lines().map(|line| line.trim_start().trim_start_matches(['*', '/']));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The promises of the page, each with its tests as (file, function).
fn promises(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let rows =
        page.split("## Promises").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("promises");
    let rows = rows.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| the header"));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let (promise, tests) = (cells.next().expect("a promise"), cells.next().expect("tests"));
        let tests = tests.split(", ").map(|test| {
            let (file, function) = test.trim_matches('`').split_once(':').expect("file:function");
            (file.to_string(), function.to_string())
        });
        (promise.to_string(), tests.collect())
    })
    .collect()
}

#[test]
fn each_promise_stands_in_the_header_and_is_held_by_tests() {
    let (page, header) = (read("docs/reliability.md"), words(&read("include/sptrsv.h")));
    let promises = promises(&page);
    assert!(promises.len() > 30, "only {} promises were found", promises.len());
    for (promise, tests) in &promises {
        assert!(header.contains(promise.as_str()), "the header does not say '{promise}'");
        for (file, function) in tests {
            let source = read(file);
            let begins = |line: &str| line.starts_with("static ") || line.trim_start().starts_with("fn ");
            let call = format!(" {function}(");
            let is_there = source.lines().any(|line| begins(line) && line.contains(&call));
            assert!(is_there, "{file} has no test {function}");
        }
    }
    for entry in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests")).expect("c_tests is there")
    {
        let name = entry.expect("c_tests is readable").file_name().into_string().expect("ASCII");
        let is_named = page.contains(&format!("c_tests/{name}:"));
        assert!(!(name.starts_with("test_") && name.ends_with(".c")) || is_named, "{name} holds no promise");
    }
}

/// Words by which a sentence of the header is plainly a promise.
const WORDS_OF_PROMISES: [&str; 8] = [
    "the bits",
    "same bits",
    "to the bit",
    "untouched",
    "changes nothing",
    "given back",
    "was captured",
    "in a captured graph",
];

/// Sentences that have such words and promise nothing of their own: advice, and what follows from other rows.
const NO_PROMISES: [&str; 2] = ["For AUTO it says LEVR", "A program that wants the same bits"];

#[test]
fn each_plain_promise_of_the_header_has_a_row() {
    let (page, mut header) = (read("docs/reliability.md"), words(&read("include/sptrsv.h")));
    for (promise, _) in promises(&page) {
        header = header.replace(promise.as_str(), "@");
    }
    let sentences = header.split(". ").filter(|s| WORDS_OF_PROMISES.iter().any(|word| s.contains(word)));
    let without_row: Vec<_> = sentences
        .filter(|s| !s.contains('@') && !NO_PROMISES.iter().any(|begin| s.contains(begin)))
        .collect();
    assert!(without_row.is_empty(), "docs/reliability.md has no row for {without_row:#?}");
}

/// The names of litmus tests, without the types behind a comma.
fn litmus_tests() -> BTreeSet<String> {
    let sources = ["c_tests/litmus_solve.cu", "c_tests/litmus_setup.cu"].map(read).concat();
    let tests = sources.lines().filter_map(|line| line.strip_prefix("    {\"")?.split(['"', ',']).next());
    tests.map(str::to_string).collect()
}

/// The table of docs/protocols.md names a litmus test, or a folder of tests, for each protocol, and no litmus test is left out.
#[test]
fn each_wait_protocol_has_a_litmus_test() {
    let (page, tests) = (read("docs/protocols.md"), litmus_tests());
    assert!(tests.len() > 8, "only these litmus tests were found: {tests:?}");
    let mut named = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| [")) {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().expect("a cell");
        for test in cell.split("; ").map(|test| test.split(',').next().expect("a name")) {
            match test.split('`').nth(1) {
                Some(folder) => {
                    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
                    assert!(path.is_dir(), "there is no {folder}");
                }
                None => {
                    named.insert(test.to_string());
                }
            }
        }
    }
    assert_eq!(named, tests, "the litmus tests that the page names, and those that there are");
    let headings = page.lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(
        page.matches("\n| [").count() + 1,
        headings,
        "each protocol has a row, beside 'What ends a wait'"
    );
}
