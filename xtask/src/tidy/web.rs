//! Rules about the sources of the explorer in `web/`: width, length, what would let data become code, and the reasons
//! for its packages.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::limits::{FILE_LINES_MAX, LINE_COLUMNS_MAX};
use crate::report::Report;
use crate::workspace::SourceFile;

const FOLDER: &str = "web/";
const ENDINGS: [&str; 5] = [".ts", ".js", ".svelte", ".css", ".html"];
const PAGE: &str = "docs/dependencies.md";
const SECTION: &str = "## Packages of the explorer";

/// What turns text into markup or code, which the content security policy refuses at run time; and what it refuses in
/// templates of components.
const FORBIDDEN: [(&str, &str); 9] = [
    ("{@html", "makes markup of text"),
    ("innerHTML", "makes markup of text"),
    ("outerHTML", "makes markup of text"),
    ("insertAdjacentHTML", "makes markup of text"),
    ("document.write", "makes markup of text"),
    ("eval(", "makes code of text"),
    ("new Function(", "makes code of text"),
    (" style=\"", "is refused by the content security policy; write style:NAME={...} or a class"),
    ("JSON.parse(", "rounds 64-bit integers; use parse of src/api/json.ts"),
];

/// The one file that may call `JSON.parse`, on texts without long numbers.
const JSON: &str = "web/src/api/json.ts";

/// Checks one file.
pub(crate) fn check(file: &SourceFile, report: &mut Report) {
    let path = &file.path;
    let Some(text) = &file.text else { return };
    if !path.starts_with(FOLDER) || !ENDINGS.iter().any(|ending| path.ends_with(ending)) {
        return;
    }
    let lines = text.lines().count();
    if lines > FILE_LINES_MAX {
        report.problems.push(format!("{path}: {lines} lines, above {FILE_LINES_MAX}; split it by question"));
    }
    for (line, content) in (1..).zip(text.lines()) {
        let columns = content.chars().count();
        if columns > LINE_COLUMNS_MAX {
            report.problems.push(format!("{path}:{line}: {columns} columns, above {LINE_COLUMNS_MAX}"));
        }
        // Tests may name what must not be.
        if !path.starts_with("web/src/") || path.ends_with(".test.ts") || path == JSON {
            continue;
        }
        for (word, why) in FORBIDDEN.iter().filter(|(word, _)| content.contains(word)) {
            report.problems.push(format!("{path}:{line}: `{}` {why}", word.trim()));
        }
    }
}

/// Compares the packages of `web/package.json` with the page of reasons; versions must be exact.
pub(crate) fn check_packages(manifest: &str, page: &str, report: &mut Report) -> Result<()> {
    let manifest: Value = serde_json::from_str(manifest).context("web/package.json is not JSON")?;
    let tables = ["dependencies", "devDependencies"].into_iter().filter_map(|name| manifest.get(name)?.as_object());
    let mut declared = BTreeSet::new();
    for (name, version) in tables.flatten() {
        declared.insert(name.as_str());
        if !version.as_str().is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit())) {
            report.problems.push(format!("web/package.json: write the exact version of {name}, not {version}"));
        }
    }
    let section = page.split_once(SECTION).with_context(|| format!("{PAGE} has no section '{SECTION}'"))?.1;
    let lines = section.lines().take_while(|line| !line.starts_with("## "));
    let explained =
        lines.filter_map(|line| Some(line.strip_prefix("| `")?.split_once("` | ")?.0)).collect::<BTreeSet<_>>();
    for name in declared.difference(&explained) {
        report.problems.push(format!("{PAGE}: no line for {name} of web/package.json; say why this package"));
    }
    for name in explained.difference(&declared) {
        report.problems.push(format!("{PAGE}: {name} is not in web/package.json; delete the line"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> usize {
        let mut report = Report::default();
        let length = u64::try_from(text.len()).unwrap();
        check(&SourceFile { path: path.to_owned(), length, text: Some(text.to_owned()) }, &mut report);
        report.problems.len()
    }

    #[test]
    fn data_cannot_become_code() {
        for (word, _) in FORBIDDEN {
            assert_eq!(problems("web/src/a.svelte", &format!("a {word} b")), 1, "{word}");
            assert_eq!(problems("web/src/a.test.ts", &format!("a {word} b")), 0, "{word}");
            assert_eq!(problems("docs/a.html", &format!("a {word} b")), 0, "{word}");
        }
        assert_eq!(problems("web/src/a.svelte", "<p style:width={width}>{@render a()}</p>"), 0);
    }

    #[test]
    fn lines_and_files_have_a_length() {
        assert_eq!(problems("web/src/a.css", &"x".repeat(LINE_COLUMNS_MAX + 1)), 1);
        assert_eq!(problems("web/src/a.ts", &"x\n".repeat(FILE_LINES_MAX + 1)), 1);
        assert_eq!(problems("web/package-lock.json", &"x".repeat(LINE_COLUMNS_MAX + 1)), 0);
    }

    #[test]
    fn every_package_has_a_reason_and_a_version() {
        let found = |manifest: &str, page: &str| {
            let mut report = Report::default();
            check_packages(manifest, page, &mut report).unwrap();
            report.problems.len()
        };
        let page = format!("{SECTION}\n\n| `a` | Why. |\n\n## Test tools\n| `z` | x |\n");
        assert_eq!(found(r#"{"dependencies":{"a":"1.0.0"}}"#, &page), 0);
        assert_eq!(found(r#"{"dependencies":{"a":"^1.0.0"}}"#, &page), 1);
        assert_eq!(found(r#"{"dependencies":{"a":"1.0.0"},"devDependencies":{"b":"1.0.0"}}"#, &page), 1);
        assert_eq!(found("{}", &page), 1);
    }
}
