//! What the documents say holds: links lead somewhere, every page can be reached from the README, and the C code in them
//! compiles and runs. Programs print what stands below them.
//!
//! A block of C that has a `main` is a whole program. A block ```` ```text ```` right below it is its output. Any other block of C is a
//! fragment: it is put into a function whose parameters are the names that the guide uses, and called with a small system.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder where cargo put `libsptrsv.so` for this test: beside it, or one up.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let mut folders = test.ancestors().skip(1).take(2);
    folders
        .find(|d| d.join("libsptrsv.so").is_file())
        .expect("cargo builds libsptrsv.so before its tests")
        .to_path_buf()
}

/// Every Markdown file of the root and below `docs`, by its path from the root.
fn documents() -> BTreeMap<PathBuf, String> {
    fn collect(folder: &Path, descend: bool, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(root().join(folder)).expect("the folder is readable") {
            let path = folder.join(entry.expect("the folder is readable").file_name());
            if descend && root().join(&path).is_dir() {
                collect(&path, true, found);
            } else if path.extension() == Some(OsStr::new("md")) {
                let text = fs::read_to_string(root().join(&path)).expect("documents are text");
                found.insert(path, text);
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(Path::new(""), false, &mut found);
    collect(Path::new("docs"), true, &mut found);
    assert!(found.len() > 10, "only {} documents were found", found.len());
    found
}

/// The paragraphs outside of code blocks, without the code between backquotes, which may go over the end of a line.
fn prose(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            kept += line;
        }
        kept += "\n";
    }
    kept.split("\n\n")
        .map(|paragraph| paragraph.split('`').step_by(2).collect::<Vec<_>>().join("`"))
        .collect()
}

/// What the links in some paragraphs point to, without addresses on the web.
fn links(paragraphs: &[String]) -> Vec<String> {
    let text = paragraphs.join("\n");
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(String::from).collect()
}

/// The names by which the headings of a document can be linked to, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut in_code = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !in_code) else { continue };
        // Of a link only its text counts.
        let parts = heading.trim_start_matches('#').trim().split("](");
        let words: String = parts
            .enumerate()
            .map(|(k, part)| if k == 0 { part } else { part.split_once(')').map_or("", |p| p.1) })
            .collect();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let name = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let again =
            (1..).map(|k| format!("{name}-{k}")).find(|n| !found.contains(n)).expect("numbers do not end");
        found.insert(if found.contains(&name) { again } else { name });
    }
    found
}

/// A path without `..`; None if it leads out of the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name),
            Component::ParentDir => drop(parts.pop()?),
            _ => {}
        }
    }
    Some(parts.into_iter().collect())
}

/// The file that a link in a document leads to, and the heading.
fn target(document: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    let (path, heading) = link.split_once('#').map_or((link, None), |(p, h)| (p, Some(h.to_string())));
    let folder = document.parent().expect("documents lie in folders");
    Some((if path.is_empty() { document.to_path_buf() } else { normal(&folder.join(path))? }, heading))
}

#[test]
fn every_link_leads_somewhere() {
    let documents = documents();
    let (mut seen, mut broken) = (0, Vec::new());
    for (document, text) in &documents {
        for link in links(&prose(text)) {
            seen += 1;
            let leads = target(document, &link).is_some_and(|(path, heading)| {
                root().join(&path).exists()
                    && heading
                        .is_none_or(|h| documents.get(&path).is_some_and(|text| anchors(text).contains(&h)))
            });
            if !leads {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(seen > 100, "only {seen} links were found");
}

#[test]
fn every_page_can_be_reached_from_the_readme() {
    let documents = documents();
    let mut reached = BTreeSet::from([PathBuf::from("README.md")]);
    let mut left = Vec::from_iter(reached.clone());
    while let Some(document) = left.pop() {
        for link in links(&prose(&documents[&document])) {
            let path = target(&document, &link).map(|(path, _)| path);
            if let Some(path) = path.filter(|p| documents.contains_key(p) && !reached.contains(p)) {
                reached.insert(path.clone());
                left.push(path);
            }
        }
    }
    // The folder of results is linked to as a whole.
    let unreached: Vec<_> =
        documents.keys().filter(|d| !reached.contains(*d) && !d.starts_with("docs/results")).collect();
    assert!(unreached.is_empty(), "no link leads to {unreached:?}");
}

/// The README's picture is drawn from the committed table.
#[test]
fn the_picture_of_the_speed_shows_the_table() {
    let mut draw = Command::new("python3");
    draw.current_dir(root()).args(["docs/results/draw-speed", "docs/results/h200/all.md"]);
    let drawn = draw.output().expect("python3 runs");
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let committed = fs::read(root().join("docs/speed.svg")).expect("the picture is there");
    assert!(
        drawn.stdout == committed,
        "run docs/results/draw-speed docs/results/h200/all.md > docs/speed.svg"
    );
}

#[test]
fn names_of_headings_are_made_as_they_should_be() {
    let text = "# A title: with `code`\n## Twice\n```\n# no heading\n```\n## Twice\n### [A link](x.md), and 2 × more\n";
    let expected = ["a-title-with-code", "twice", "twice-1", "a-link-and-2--more"];
    assert_eq!(anchors(text), expected.map(String::from).into());
    assert_eq!(links(&prose("[a](b.md#c) `[no](x)` [web](https://x.y)\n```\n[no](y)\n```\n")), ["b.md#c"]);
    assert_eq!(target(Path::new("docs/lab/a.md"), "../b.md#c"), Some(("docs/b.md".into(), Some("c".into()))));
    assert_eq!(target(Path::new("a.md"), "../b.md"), None);
}

/// Words that only those know who wrote the sources, and what documents say in their place.
const PRIVATE_WORDS: [(&str, &str); 10] = [
    ("strewn", "irregular"),
    ("staged", "gathered"),
    ("hand-over", "step, publication"),
    ("hand over", "publish"),
    ("handed over", "published"),
    ("armed", "reset to the sentinel"),
    ("relay", "forwarding"),
    ("relays", "forwarding"),
    ("relayed", "forwarded"),
    ("in vain", "ticket beyond the last piece of work"),
];

#[test]
fn documents_use_the_words_of_the_field() {
    let mut found = Vec::new();
    for (document, text) in documents() {
        for paragraph in prose(&text) {
            let paragraph = paragraph.replace('\n', " ").to_lowercase();
            for (word, say) in PRIVATE_WORDS {
                let is_there = paragraph.match_indices(word).any(|(at, _)| {
                    let around =
                        [paragraph[..at].chars().next_back(), paragraph[at + word.len()..].chars().next()];
                    around.iter().all(|c| c.is_none_or(|c| !c.is_alphanumeric() && !"_-./".contains(c)))
                });
                if is_there {
                    found.push(format!("{}: '{word}': say '{say}'", document.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "private words:\n{}", found.join("\n"));
}

/// The same of the parts of names and of the comments in the sources, where these words are nobody else's either.
#[test]
fn sources_use_the_words_of_the_field() {
    let of_orders = [
        ("distant", "off-band"),
        ("families", "locality order"),
        ("gate", "run-ahead limit"),
        ("drawn", "taken by ticket"),
    ];
    let words: BTreeMap<&str, &str> = PRIVATE_WORDS.into_iter().chain(of_orders).collect();
    let mut sources = Vec::new();
    for folder in ["src", "kernels"] {
        find_files(&root().join(folder), &mut sources);
    }
    assert!(sources.len() > 200, "only {} sources", sources.len());
    let mut found = Vec::new();
    for source in sources {
        let text = fs::read_to_string(&source).expect("sources are text").to_lowercase();
        for part in text.split(|c: char| !c.is_alphanumeric()) {
            if let Some(say) = words.get(part) {
                found.push(format!("{}: '{part}': say '{say}'", source.display()));
            }
        }
    }
    assert!(found.is_empty(), "private words:\n{}", found.join("\n"));
}

fn find_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => find_files(&path, found),
            false => found.push(path),
        }
    }
}

/// A block of C, where its first line is, and the output that stands right below it.
struct Block {
    document: PathBuf,
    line: usize,
    code: String,
    output: Option<String>,
}

impl Block {
    fn is_whole(&self) -> bool {
        self.code.contains("int main(")
    }
}

fn blocks() -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for (document, text) in documents() {
        // The line at which an output would have to begin.
        let (mut lines, mut below) = (text.lines().enumerate(), 0);
        while let Some((at, line)) = lines.next() {
            let Some(language) = line.strip_prefix("```") else {
                below += usize::from(line.is_empty() && below == at);
                continue;
            };
            let inside: Vec<&str> = lines.by_ref().map(|(_, l)| l).take_while(|l| *l != "```").collect();
            let code = inside.iter().flat_map(|l| [*l, "\n"]).collect::<String>();
            let end = at + inside.len() + 2;
            match language {
                "c" => {
                    found.push(Block { document: document.clone(), line: at + 2, code, output: None });
                    below = end;
                }
                "text" if below == at && below > 0 => {
                    found.last_mut().expect("a block is above").output = Some(code)
                }
                _ => {}
            }
        }
    }
    found
}

/// What a fragment finds before it.
const BEFORE: &str = r#"
#include <sptrsv.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(sptrsvStatus_t status) {
    if (status == SPTRSV_STATUS_SUCCESS) return;
    fprintf(stderr, "%s\n", sptrsvGetErrorName(status));
    exit(1);
}

static void fragment(sptrsvHandle_t h, sptrsvMatDescr_t descr, sptrsvInfo_t info, sptrsvOperation_t op,
                     sptrsvSolvePolicy_t policy, int64_t m, int64_t nnz, int64_t nrhs, const double *alpha,
                     const double *val, const double *other_val, const double *diag, const int *ptr, const int *ind,
                     const double *f, double *x, const double *F, double *X, double *factor, size_t bytes, void *buffer) {
"#;

/// And behind it: a small tridiagonal system on the host executor, analysed once, for which it is called.
const BEHIND: &str = r#"
}

int main(void) {
    const int ptr[] = {0, 2, 5, 7}, ind[] = {0, 1, 0, 1, 2, 1, 2};
    const double val[] = {2, 1, 1, 2, 1, 1, 3}, other_val[] = {4, 2, 2, 4, 2, 2, 6}, diag[] = {1, 1, 1}, one = 1;
    const double f[] = {2, 5, 11}, F[] = {2, 5, 11, 4, 10, 22};
    const sptrsvOperation_t op = SPTRSV_OPERATION_NON_TRANSPOSE;
    const sptrsvSolvePolicy_t policy = SPTRSV_SOLVE_POLICY_USE_LEVEL;
    double x[3], X[6], factor[] = {2, 1, 1, 2, 1, 1, 3};
    size_t bytes;
    sptrsvHandle_t h;
    sptrsvMatDescr_t descr;
    sptrsvInfo_t info;
    void *buffer;
    ok(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_HOST));
    ok(sptrsvCreateMatDescr(&descr));
    ok(sptrsvCreateInfo(&info));
    ok(sptrsvBufferSize(h, op, 3, 7, descr, SPTRSV_R_64F, val, ptr, ind, info, &bytes));
    buffer = malloc(bytes + 1000); /* what a fragment asks for otherwise */
    ok(sptrsvAnalysis(h, op, 3, 7, descr, SPTRSV_R_64F, val, ptr, ind, info, policy, buffer));
    fragment(h, descr, info, op, policy, 3, 7, 2, &one, val, other_val, diag, ptr, ind, f, x, F, X, factor, bytes,
             buffer);
    return 0;
}
"#;

/// The folder of the CUDA toolkit, looked for as the Makefile does.
fn cuda() -> Option<PathBuf> {
    let variables = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let on_path = env::var_os("PATH").into_iter().flat_map(|p| env::split_paths(&p).collect::<Vec<_>>());
    let beside = on_path.filter(|d| d.join("nvcc").is_file()).filter_map(|d| d.parent().map(PathBuf::from));
    let others = [PathBuf::from("/usr/local/cuda"), root().join(".cuda/nvidia/cu13")];
    variables.chain(beside).chain(others).find(|d| d.join("include/cuda_runtime_api.h").is_file())
}

enum Outcome {
    Passed,
    Skipped(&'static str),
}

/// Compiles a block into a new folder, and runs it. What is wrong otherwise.
fn check(block: &Block, folder: &Path) -> Result<Outcome, String> {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    let uses_cuda = block.code.contains("cuda");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"]).arg(root().join("include"));
    let text = if block.is_whole() {
        block.code.clone()
    } else {
        gcc.arg("-Wno-unused-parameter");
        let runtime = if uses_cuda { "#include <cuda_runtime_api.h>" } else { "" };
        format!("{runtime}{BEFORE}{}{BEHIND}", block.code)
    };
    fs::write(&source, text).expect("the target folder is writable");
    gcc.arg("-o").args([&program, &source]).arg("-L").arg(library_folder()).arg("-lsptrsv");
    if uses_cuda {
        let Some(toolkit) = cuda() else { return Ok(Outcome::Skipped("no CUDA toolkit was found")) };
        gcc.arg("-isystem").arg(toolkit.join("include"));
        for lib in ["lib64", "lib"] {
            gcc.arg("-L").arg(toolkit.join(lib));
        }
        gcc.args(["-lcudart_static", "-ldl", "-lrt", "-lpthread"]);
    }
    let words = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let compiled = gcc.output().expect("gcc runs");
    if !compiled.status.success() {
        return Err(format!("does not compile:\n{}", words(&compiled)));
    }
    // A fragment for the GPU would have to find its arrays there.
    if uses_cuda && !block.is_whole() {
        return Ok(Outcome::Passed);
    }
    let ran = Command::new(&program).env("LD_LIBRARY_PATH", library_folder()).output().expect("it runs");
    if !ran.status.success() {
        let needs_gpu = env::var("SPTRSV_REQUIRE_GPU").is_ok_and(|v| v == "1");
        if uses_cuda && !needs_gpu && words(&ran).contains("SPTRSV_STATUS_NO_DRIVER") {
            return Ok(Outcome::Skipped("no GPU"));
        }
        return Err(format!("ends with {}:\n{}", ran.status, words(&ran)));
    }
    let said = String::from_utf8_lossy(&ran.stdout);
    match &block.output {
        Some(expected) if *expected != said => Err(format!("prints\n{said}and not\n{expected}")),
        _ => Ok(Outcome::Passed),
    }
}

#[test]
fn the_code_in_the_documents_works() {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let blocks = blocks();
    for (number, block) in blocks.iter().enumerate() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents").join(number.to_string());
        fs::create_dir_all(&folder).expect("the target folder is writable");
        let place = format!("{}:{}", block.document.display(), block.line);
        match check(block, &folder) {
            Ok(Outcome::Passed) => passed += 1,
            Ok(Outcome::Skipped(why)) => {
                println!("SKIPPED: {place}: {why}");
                skipped += 1;
            }
            Err(what) => {
                println!("FAILED: {place}: {what}");
                failed += 1;
            }
        }
    }
    println!("documents: {passed} passed, {failed} failed, {skipped} skipped");
    assert_eq!(failed, 0, "code in the documents does not do what they say");
    let has_program = |name: &str| blocks.iter().any(|b| b.document == Path::new(name) && b.is_whole());
    assert!(has_program("README.md") && has_program("docs/guide.md"), "a program is missing");
    assert!(blocks.iter().any(|b| b.output.is_some()), "no program's output was found");
}

/// Behind the guide's fragments for ILU(0) and for solves with both factors: a tridiagonal matrix has no fill-in, so A x = f.
const SOLVED: &str = r#"
for (int64_t i = 0; i < m; i++) {
    double rest = f[i];
    for (int t = ptr[i]; t < ptr[i + 1]; t++) rest -= val[t] * x[ind[t]];
    if (!(rest > -1e-12 && rest < 1e-12)) {
        fprintf(stderr, "row %d of A x is off by %g\n", (int)i, rest);
        exit(1);
    }
}
"#;

#[test]
fn incomplete_factors_of_the_guide_solve_a_tridiagonal_system() {
    let blocks = blocks();
    let find = |call: &str| {
        blocks.iter().find(|b| b.document == Path::new("docs/guide.md") && b.code.contains(call))
    };
    let (factors, pair) = (find("sptrsvIlu0("), find("sptrsvSolvePair("));
    let (factors, pair) =
        (factors.expect("a fragment for ILU(0)"), pair.expect("a fragment for both factors"));
    let code = [&factors.code, &pair.code, SOLVED].concat();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents").join("pair");
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let block = Block { document: pair.document.clone(), line: pair.line, code, output: None };
    if let Err(what) = check(&block, &folder) {
        panic!("{}:{}: {what}", block.document.display(), block.line);
    }
}
