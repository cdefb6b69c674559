//! Rules about single files: size, module docs, line length, words that must not stay, ASCII.

use super::findings::Finding;
use super::limits::{FILE_BYTES_MAX, FILE_LINES_MAX, FILE_LINES_NOTED, LINE_COLUMNS_MAX};
use crate::report::Report;
use crate::workspace::SourceFile;

/// Marks of unfinished work, in Rust files. Written in two parts, or this file would break its own rule.
const UNFINISHED: [&str; 5] = [
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!("),
    concat!("FIX", "ME"),
    concat!("// XX", "X"),
];

/// What belongs to one machine or one package source, in all text files.
const PRIVATE: [&str; 10] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("crates", ".io-index"),
    concat!("repo1.maven", ".org"),
    concat!("repo.maven.apache", ".org"),
    concat!("pypi", ".org"),
    concat!("files.python", "hosted.org"),
    concat!("registry.npm", "js.org"),
];

/// Folders of word lists: names of people and places are not ASCII, and a list is one long line.
const WORD_LISTS: [&str; 1] = ["tools/graph-gen/src/dictionary"];

/// The names of Java's and HugeGraph's classes, and the crates that may write them: those that speak to its clients.
const JAVA: [&str; 2] = [concat!("org.apache.huge", "graph"), concat!("java", ".lang")];
const JAVA_CRATES: [&str; 4] =
    ["crates/gremlin-server/", "crates/rest-api/", "crates/rest-errors/", "crates/rest-json/"];

/// Checks one file.
pub(crate) fn check(file: &SourceFile, findings: &mut Vec<Finding>, report: &mut Report) {
    let path = &file.path;
    // Cargo's lock files are as long as they are, and name the registry. That of npm is made without (web/.npmrc).
    let is_lock = path == "Cargo.lock" || path.ends_with("/Cargo.lock");
    if file.length > FILE_BYTES_MAX && !is_lock {
        report.problems.push(format!("{path}: {} bytes, above {FILE_BYTES_MAX}; generate or fetch it", file.length));
    }
    let Some(text) = &file.text else { return };
    if !is_lock {
        words(path, text, &PRIVATE, "belongs to one machine or registry", report);
    }
    if path.ends_with(".rs") {
        words(path, text, &UNFINISHED, "is a mark of unfinished work", report);
        rust(path, text, report);
        java(path, text, findings);
    }
    if path.ends_with(".rs") || path.ends_with(".md") {
        columns(path, text, findings);
    }
}

fn words(path: &str, text: &str, words: &[&str], why: &str, report: &mut Report) {
    for (line, content) in numbered(text) {
        for word in words.iter().filter(|word| content.contains(**word)) {
            report.problems.push(format!("{path}:{line}: `{word}` {why}"));
        }
    }
}

fn rust(path: &str, text: &str, report: &mut Report) {
    let lines = text.lines().count();
    if lines > FILE_LINES_MAX {
        report.problems.push(format!("{path}: {lines} lines, above {FILE_LINES_MAX}; split it by question"));
    } else if lines > FILE_LINES_NOTED {
        report.notes.push(format!("{path}: {lines} lines; consider splitting it"));
    }
    if !has_module_docs(text) {
        report.problems.push(format!("{path}:1: no module docs; begin with `//!`: what it is and where to start"));
    }
    if let Some((line, character)) = first_non_ascii(path, text) {
        report.problems.push(format!(
            "{path}:{line}: `{}` is not ASCII; write it as an escape outside tests",
            character.escape_unicode()
        ));
    }
}

fn columns(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for (line, content) in numbered(text) {
        let free = is_word_list(path) || (path.ends_with(".md") && is_unbreakable(content));
        let columns = if is_test(path) { columns_without_literals(content) } else { content.chars().count() };
        if columns > LINE_COLUMNS_MAX && !free {
            let text = format!("{columns} columns, above {LINE_COLUMNS_MAX}");
            findings.push(Finding { rule: "columns", path: path.to_owned(), line, subject: String::new(), text });
        }
    }
}

/// True for a row of a table, which Markdown has on one line, and for a line that is one word, such as an address.
fn is_unbreakable(line: &str) -> bool {
    let text = line.trim_start_matches([' ', '-', '*', '>']);
    text.starts_with('|') || !text.contains(' ')
}

fn java(path: &str, text: &str, findings: &mut Vec<Finding>) {
    if is_test(path) || JAVA_CRATES.iter().any(|folder| path.starts_with(folder)) {
        return;
    }
    for (line, content) in product(text) {
        for name in JAVA.iter().filter(|name| content.contains(**name)) {
            findings.push(Finding {
                rule: "java",
                path: path.to_owned(),
                line,
                subject: String::new(),
                text: format!("`{name}` belongs to {}", JAVA_CRATES.join(", ")),
            });
        }
    }
}

/// Lines without the unit tests, which stand at the end of a file.
fn product(text: &str) -> impl Iterator<Item = (usize, &str)> {
    numbered(text).take_while(|(_, content)| content.trim() != "#[cfg(test)]")
}

/// True when `//!` comes before the first item; attributes and comments may precede it.
fn has_module_docs(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines
        .find(|line| line.starts_with("//!") || !(line.is_empty() || line.starts_with("#![") || line.starts_with("//")))
        .is_some_and(|line| line.starts_with("//!"))
}

/// The first character outside ASCII that is neither in a test nor in a word list.
fn first_non_ascii(path: &str, text: &str) -> Option<(usize, char)> {
    if is_test(path) || is_word_list(path) {
        return None;
    }
    product(text).filter_map(|(line, content)| Some((line, content.chars().find(|c| !c.is_ascii())?))).next()
}

/// Columns of a line, without the texts of raw literals in it: an expected answer is best read and copied whole.
fn columns_without_literals(line: &str) -> usize {
    let literal = line.split_once("r#\"").and_then(|(code, rest)| Some((code, rest.rsplit_once("\"#")?)));
    literal.map_or(line, |(code, _)| code).chars().count() + literal.map_or(0, |(_, (_, code))| code.chars().count())
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs") || path.contains("/benches/")
}

fn is_word_list(path: &str) -> bool {
    WORD_LISTS.iter().any(|folder| path.starts_with(folder))
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let mut report = Report::default();
        let length = u64::try_from(text.len()).unwrap();
        let mut findings = Vec::new();
        check(&SourceFile { path: path.to_owned(), length, text: Some(text.to_owned()) }, &mut findings, &mut report);
        report.problems.extend(findings.into_iter().map(|finding| finding.text));
        report.problems
    }

    #[test]
    fn a_clean_file_passes() {
        assert_eq!(problems("crates/kv/src/a.rs", "#![deny(x)]\n\n//! Docs.\nfn a() {}\n"), Vec::<String>::new());
    }

    #[test]
    fn each_rule_fails() {
        let path = "crates/kv/src/a.rs";
        let docs = "//! Docs.\n";
        let failing = [
            "fn a() {}\n//! late\n".to_owned(),
            format!("{docs}{}", "\n".repeat(FILE_LINES_MAX)),
            format!("{docs}// {}\n", "x".repeat(LINE_COLUMNS_MAX)),
            format!("{docs}{}();\n", UNFINISHED[0]),
            format!("{docs}// {}main\n", PRIVATE[0]),
            format!("{docs}// caf\u{e9}\n"),
        ];
        for text in failing {
            assert_eq!(problems(path, &text).len(), 1, "{text}");
        }
        assert_eq!(problems("data.json", &"x".repeat(600_000)).len(), 1);
    }

    #[test]
    fn raw_literals_in_tests_may_be_long() {
        let long = "x".repeat(LINE_COLUMNS_MAX);
        let literal = format!("//! Docs.\nconst A: &str = r#\"{long}\"#;\n");
        assert!(problems("crates/kv/tests/a.rs", &literal).is_empty());
        assert_eq!(problems("crates/kv/src/a.rs", &literal).len(), 1);
        assert_eq!(problems("crates/kv/tests/a.rs", &format!("//! Docs.\n// {long}\n")).len(), 1);
        let code = format!("//! Docs.\nconst A: &str = r#\"x\"#; // {long}\n");
        assert_eq!(problems("crates/kv/tests/a.rs", &code).len(), 1);
    }

    #[test]
    fn markdown_is_as_narrow_except_for_what_cannot_be_broken() {
        let long = "x".repeat(LINE_COLUMNS_MAX);
        assert_eq!(problems("README.md", &format!("a {long}\n")).len(), 1);
        assert_eq!(problems("README.md", &format!("- [a {long}](b)\n")).len(), 1);
        assert!(problems("README.md", &format!("| a | {long} |\n- https://{long}\n[a]({long})\n")).is_empty());
        assert!(problems("notes.txt", &format!("a {long}\n")).is_empty());
    }

    #[test]
    fn class_names_of_java_stay_where_its_clients_are_served() {
        let text = format!("//! Docs.\nconst A: &str = \"{}.B\";\n", JAVA[0]);
        assert_eq!(problems("crates/kv/src/a.rs", &text).len(), 1);
        assert!(problems("crates/rest-json/src/a.rs", &text).is_empty());
        assert!(problems("crates/kv/tests/a.rs", &text).is_empty());
        let tested = format!("//! Docs.\n#[cfg(test)]\nmod tests {{ const A: &str = \"{}\"; }}\n", JAVA[1]);
        assert!(problems("crates/kv/src/a.rs", &tested).is_empty());
    }

    #[test]
    fn lock_files_may_name_the_registry() {
        let text = format!("source = \"{}\"\n", PRIVATE[4]);
        assert!(problems("Cargo.lock", &text).is_empty());
        assert!(problems("fuzz/Cargo.lock", &text).is_empty());
        assert_eq!(problems("fuzz/Cargo.toml", &text).len(), 1);
    }

    #[test]
    fn tests_and_word_lists_may_use_any_alphabet() {
        let text = "//! Docs.\n#[cfg(test)]\nmod tests { /* caf\u{e9} */ }\n";
        assert!(problems("crates/kv/src/a.rs", text).is_empty());
        assert!(problems("crates/kv/tests/a.rs", "//! caf\u{e9}\n").is_empty());
        assert!(problems("tools/graph-gen/src/dictionary/a.rs", "//! caf\u{e9}\n").is_empty());
    }
}
