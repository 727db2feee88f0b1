//! No module imports one that imports it, directly or by way of others: neither files nor rooms (the modules that a
//! crate's root declares) form a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules of a crate, by their paths below the root, as `["measure", "timing"]`, and their sources without tests.
type Modules = BTreeMap<Vec<String>, String>;

fn modules(folder: &Path) -> Modules {
    fn read(folder: &Path, path: &[String], found: &mut Modules) {
        for entry in fs::read_dir(folder).expect("the folder is readable") {
            let file: PathBuf = entry.expect("the folder is readable").path();
            let name = file.file_stem().and_then(|n| n.to_str()).expect("ASCII").to_string();
            let module: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            if file.is_dir() {
                read(&file, &module, found);
            } else if file.extension().is_some_and(|e| e == "rs")
                && !["main", "lib", "tests", "fuzz"].contains(&name.as_str())
            {
                let module = if name == "mod" { path.to_vec() } else { module };
                found.insert(module, code(&fs::read_to_string(&file).expect("sources are text")));
            }
        }
    }
    let mut found = Modules::new();
    read(folder, &[], &mut found);
    found
}

/// A source without comments and without the tests at its end.
fn code(source: &str) -> String {
    let ends = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub mod tests {"];
    let end = ends.iter().filter_map(|end| source.find(end)).min().unwrap_or(source.len());
    let source = &source[..end];
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_string();
    source.lines().map(without_comment).collect::<Vec<_>>().join("\n")
}

/// The paths that begin at each place where `start` stands: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn paths_after(code: &str, start: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        if !code[..at].ends_with(|c: char| is_word(c) || c == ':' || c == '$') {
            tree(&code[at + start.len()..], &[], &mut found);
        }
    }
    found
}

/// Reads one tree of a `use`, and returns what is behind it.
fn tree<'c>(text: &'c str, prefix: &[String], found: &mut Vec<Vec<String>>) -> &'c str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.trim_start().starts_with('}') {
            rest = tree(rest, prefix, found).trim_start().trim_start_matches(',');
        }
        return &rest.trim_start()[1..];
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let path: Vec<String> = prefix.iter().cloned().chain([text[..end].to_string()]).collect();
    match text[end..].strip_prefix("::") {
        Some(rest) => tree(rest, &path, found),
        None => {
            found.push(path);
            // An item may get another name.
            let behind = &text[end.max(1).min(text.len())..];
            behind.find([',', '}', ';', '(', '\n']).map_or("", |at| &behind[at..])
        }
    }
}

/// The modules that each module imports from.
fn imports(modules: &Modules) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let longest = |path: &[String]| {
        (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|path| modules.contains_key(path))
    };
    let mut all = BTreeMap::new();
    for (module, code) in modules {
        let mut paths = paths_after(code, "crate::");
        // Both are relative to the module: what is above it, and what it declares.
        let above = |levels: usize| module[..module.len().saturating_sub(levels)].to_vec();
        for (start, base) in [("super::super::", above(2)), ("super::", above(1)), ("self::", module.clone())]
        {
            paths.extend(
                paths_after(code, start)
                    .into_iter()
                    .filter(|p| p[0] != "super")
                    .map(|p| [base.clone(), p].concat()),
            );
        }
        let children =
            modules.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
        for name in children.filter_map(|child| child.last()) {
            paths.extend(
                paths_after(code, &format!("{name}::"))
                    .into_iter()
                    .map(|p| [module.clone(), vec![name.clone()], p].concat()),
            );
        }
        let imported: BTreeSet<Vec<String>> =
            paths.iter().filter_map(|path| longest(path)).filter(|other| other != module).collect();
        all.insert(module.clone(), imported);
    }
    all
}

/// What is in circles, or between two of them: what imports nothing, or is imported by nothing, is left out, as often as
/// there is something of this kind.
fn circles<T: Ord + Clone>(mut imports: BTreeMap<T, BTreeSet<T>>) -> Vec<T> {
    loop {
        let imported: BTreeSet<T> = imports.values().flatten().cloned().collect();
        let is_outside = |module: &T, to: &BTreeSet<T>| to.is_empty() || !imported.contains(module);
        let outside: BTreeSet<T> = imports
            .iter()
            .filter(|(module, to)| is_outside(module, to))
            .map(|(module, _)| module.clone())
            .collect();
        if outside.is_empty() {
            return imports.into_keys().collect();
        }
        imports.retain(|module, _| !outside.contains(module));
        imports.values_mut().for_each(|to| to.retain(|module| !outside.contains(module)));
    }
}

fn must_have_no_circle(folder: &str, least: usize) {
    let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let imports = imports(&modules);
    let count: usize = imports.values().map(BTreeSet::len).sum();
    assert!(
        modules.len() >= least && count >= 2 * least,
        "{folder}: {} modules, {count} imports",
        modules.len()
    );
    let mut rooms: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for (from, to) in &imports {
        let others = to.iter().map(|module| module[..1].to_vec()).filter(|room| *room != from[..1]);
        rooms.entry(from[..1].to_vec()).or_default().extend(others);
    }
    for (what, imports) in [("modules", imports), ("rooms", rooms)] {
        let names: Vec<String> = circles(imports).iter().map(|module| module.join("::")).collect();
        assert!(
            names.is_empty(),
            "{folder}: these {what} import each other in a circle: {}",
            names.join(", ")
        );
    }
}

#[test]
fn the_command_lines_modules_have_no_circle() {
    must_have_no_circle("bench/src", 40);
}

/// The circles of imports among the modules and the rooms in `src/` of a tree, by the names that they pass on, which `super::` alone
/// does not tell.
fn counted_circles(tree: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/count-house");
    let output = Command::new(script).arg("--circles").arg(tree).output().expect("python3 is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_librarys_modules_have_no_circle() {
    let circles = counted_circles(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(circles, "", "modules or rooms of the library import each other in a circle");
}

#[test]
fn the_drop_ins_modules_have_no_circle() {
    for (folder, least) in [("cusparse/common", 6), ("cusparse/csrsv2", 1), ("cusparse/spsv", 16)] {
        must_have_no_circle(&format!("{folder}/src"), least);
        let circles = counted_circles(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        assert_eq!(circles, "", "modules of {folder} import each other in a circle");
    }
}

#[test]
fn circles_are_counted() {
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("circles");
    fs::create_dir_all(tree.join("src/a")).expect("the target folder is writable");
    for (file, text) in [("a/mod.rs", "mod b;\nuse b::f;\nfn g() {}\n"), ("a/b.rs", "use super::g;\n")] {
        fs::write(tree.join("src").join(file), text).expect("the target folder is writable");
    }
    assert_eq!(counted_circles(&tree), "a a::b\n");
    // Of rooms alone: a::b imports c, and c::d imports a.
    for (file, text) in
        [("a/b.rs", "use crate::c::f;\n"), ("c/d.rs", "use crate::a::g;\n"), ("c/mod.rs", "mod d;\n")]
    {
        fs::create_dir_all(tree.join("src/c")).expect("the target folder is writable");
        fs::write(tree.join("src").join(file), text).expect("the target folder is writable");
    }
    fs::write(tree.join("src/a/mod.rs"), "mod b;\nfn g() {}\n").expect("the target folder is writable");
    assert_eq!(counted_circles(&tree), "a c\n");
}

#[test]
fn circles_are_found() {
    let modules = |sources: &[(&str, &str)]| -> Modules {
        let path = |name: &str| name.split("::").map(String::from).collect();
        sources.iter().map(|(name, source)| (path(name), code(source))).collect()
    };
    let found = |sources: &[(&str, &str)]| circles(imports(&modules(sources))).len();
    assert_eq!(found(&[("a", "use crate::b::{c, d as e};"), ("b", "// use crate::a::x;")]), 0);
    assert_eq!(found(&[("a", "use crate::{b, Result};"), ("b", "fn f() { crate::a::g() }")]), 2);
    assert_eq!(found(&[("a", "mod b;\nuse b::f;"), ("a::b", "use super::g;")]), 2);
    assert_eq!(
        found(&[("a", "mod b;\nmod c;"), ("a::b", "use super::c::f;"), ("a::c", "use super::{b::g, d};")]),
        2
    );
    assert_eq!(found(&[("a", "use crate::b::f;"), ("b", ""), ("b::c", "use crate::a::f;")]), 0);
    assert_eq!(
        found(&[("a", "f();\n#[cfg(test)]\nmod tests {\n use crate::b;}"), ("b", "use crate::a::f;")]),
        0
    );
}
