//! Every external crate has its line in `docs/dependencies.md` that says why this one, and no line is left behind.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use toml_edit::{DocumentMut, Item};

use crate::report::Report;

const PAGE: &str = "docs/dependencies.md";

/// Compares the root manifest's `[workspace.dependencies]` with the page.
pub(crate) fn check(manifest: &str, page: &str, report: &mut Report) -> Result<()> {
    let declared = declared(manifest)?;
    let mut explained = BTreeSet::new();
    for (line, name, reason) in rows(page) {
        if reason.is_empty() {
            report.problems.push(format!("{PAGE}:{line}: say why {name}"));
        }
        if !explained.insert(name) {
            report.problems.push(format!("{PAGE}:{line}: a second line for {name}"));
        }
        if !declared.contains(name) {
            report.problems.push(format!("{PAGE}:{line}: {name} is not in [workspace.dependencies]; delete the line"));
        }
    }
    for name in declared.iter().filter(|name| !explained.contains(name.as_str())) {
        report.problems.push(format!("{PAGE}: no line for {name}; add one that says why this crate"));
    }
    Ok(())
}

/// External crates of the root manifest: those that are not a path in the tree.
fn declared(manifest: &str) -> Result<BTreeSet<String>> {
    let document: DocumentMut = manifest.parse().context("Cargo.toml is not TOML")?;
    let table = document
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Item::as_table)
        .context("Cargo.toml has no [workspace.dependencies]")?;
    Ok(table.iter().filter(|(_, item)| item.get("path").is_none()).map(|(name, _)| name.to_owned()).collect())
}

/// Rows of the first section's table: line number, crate and reason. The other sections list no crates.
fn rows(page: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let crates = (1..).zip(page.lines()).take_while(|(_, line)| !line.starts_with("## "));
    crates.filter_map(|(number, line)| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` |")?;
        Some((number, name, rest.trim().trim_end_matches('|').trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[workspace.dependencies]\nkv = { path = \"crates/kv\" }\nbytes = \"1\"\ncsv = \"1\"\n";

    fn problems(page: &str) -> Vec<String> {
        let mut report = Report::default();
        check(MANIFEST, page, &mut report).unwrap();
        report.problems
    }

    #[test]
    fn a_complete_page_passes() {
        let page = "| `bytes` | a reason |\n| `csv` | a reason |\n## Test tools\n| `pytest` | runs |\n";
        assert!(problems(page).is_empty());
    }

    #[test]
    fn missing_stale_empty_and_double_lines_fail() {
        assert_eq!(problems("| `bytes` | a reason |\n").len(), 1);
        assert_eq!(problems("| `bytes` | a |\n| `csv` | b |\n| `old` | c |\n").len(), 1);
        assert_eq!(problems("| `bytes` | a |\n| `csv` | |\n").len(), 1);
        assert_eq!(problems("| `bytes` | a |\n| `csv` | b |\n| `csv` | c |\n").len(), 1);
    }
}
