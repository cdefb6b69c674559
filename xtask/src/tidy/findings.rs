//! What the rules with exceptions find, and the list of exceptions, `xtask/tidy-exceptions.toml`. The list may only
//! shrink: an entry that is not needed is a problem, and so is a total that differs from the sum of the entries, so
//! that a new entry shows in review as a total that rose.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use toml_edit::{DocumentMut, Table};

use crate::report::Report;

/// The list, from the root of the repository.
pub(crate) const FILE: &str = "xtask/tidy-exceptions.toml";

/// Something that breaks a rule.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// The file or folder.
    pub(crate) path: String,
    /// The line; 0 when there is none.
    pub(crate) line: usize,
    /// What tells this finding from others of the rule in the same file: a path, a type, a link. Empty for rules that
    /// need nothing.
    pub(crate) subject: String,
    /// What is wrong, and the remedy.
    pub(crate) text: String,
}

/// What an exception is for.
type Key = (String, String, String);

#[derive(Debug, PartialEq, Eq)]
struct List {
    total: usize,
    /// How often each may occur.
    times: BTreeMap<Key, usize>,
}

/// Reports every finding that the list does not allow, and every part of the list that is not needed.
pub(crate) fn apply(list: &str, findings: &[Finding], report: &mut Report) -> Result<()> {
    let list = List::read(list, report)?;
    let mut found: BTreeMap<Key, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let key = (finding.rule.to_owned(), finding.path.clone(), finding.subject.clone());
        found.entry(key).or_default().push(finding);
    }
    for (key, findings) in &found {
        let allowed = list.times.get(key).copied().unwrap_or_default();
        for finding in findings.iter().filter(|_| findings.len() > allowed) {
            let place =
                if finding.line == 0 { finding.path.clone() } else { format!("{}:{}", finding.path, finding.line) };
            let subject = if finding.subject.is_empty() { String::new() } else { format!(" {}", finding.subject) };
            report.problems.push(format!("{place}: {} [{}{subject}]", finding.text, finding.rule));
        }
    }
    for ((rule, path, subject), times) in &list.times {
        let found = found.get(&(rule.clone(), path.clone(), subject.clone())).map_or(0, Vec::len);
        let entry = format!("{FILE}: {rule} of {path} {subject}");
        if found == 0 {
            report.problems.push(format!("{}: no longer needed; remove the entry", entry.trim_end()));
        } else if found < *times {
            report.problems.push(format!("{}: {times} allowed, {found} left; lower `times`", entry.trim_end()));
        }
    }
    let sum: usize = list.times.values().sum();
    if sum != list.total {
        report.problems.push(format!("{FILE}: `total` is {}, but the entries allow {sum}", list.total));
    }
    Ok(())
}

impl List {
    fn read(text: &str, report: &mut Report) -> Result<Self> {
        let document: DocumentMut = text.parse().with_context(|| format!("{FILE} is not TOML"))?;
        let number =
            |item: Option<&toml_edit::Item>| item?.as_integer().and_then(|number| usize::try_from(number).ok());
        let total = number(document.get("total")).with_context(|| format!("{FILE} has no `total`"))?;
        let mut times = BTreeMap::new();
        let entries = document.get("exception").and_then(|item| item.as_array_of_tables());
        for entry in entries.into_iter().flatten() {
            let text = |name: &str| field(entry, name).unwrap_or_default().to_owned();
            let key = (text("rule"), text("path"), text("subject"));
            if text("reason").is_empty() {
                report.problems.push(format!("{FILE}: {} of {} has no reason", key.0, key.1));
            }
            if times.insert(key.clone(), number(entry.get("times")).unwrap_or(1)).is_some() {
                report.problems.push(format!("{FILE}: a second entry for {} of {} {}", key.0, key.1, key.2));
            }
        }
        Ok(Self { total, times })
    }
}

fn field<'t>(entry: &'t Table, name: &str) -> Option<&'t str> {
    entry.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "[[exception]]\nrule = \"columns\"\npath = \"a.rs\"\ntimes = 2\nreason = \"old\"\n";

    fn problems(list: &str, found: usize) -> Vec<String> {
        let finding = Finding {
            rule: "columns",
            path: "a.rs".to_owned(),
            line: 3,
            subject: String::new(),
            text: "121 columns".to_owned(),
        };
        let mut report = Report::default();
        apply(list, &vec![finding; found], &mut report).unwrap();
        report.problems
    }

    #[test]
    fn what_is_listed_is_allowed_and_no_more() {
        assert_eq!(problems(&format!("total = 2\n{ENTRY}"), 2), Vec::<String>::new());
        assert_eq!(problems(&format!("total = 2\n{ENTRY}"), 3).len(), 3);
        assert_eq!(problems("total = 0\n", 1), ["a.rs:3: 121 columns [columns]"]);
    }

    #[test]
    fn what_is_not_needed_must_go() {
        assert!(problems(&format!("total = 2\n{ENTRY}"), 1)[0].contains("lower `times`"));
        assert!(problems(&format!("total = 2\n{ENTRY}"), 0)[0].contains("remove the entry"));
    }

    #[test]
    fn the_total_and_the_reason_must_be_there() {
        assert_eq!(problems(&format!("total = 3\n{ENTRY}"), 2).len(), 1);
        assert_eq!(problems(&format!("total = 2\n{}", ENTRY.replace("old", "")), 2).len(), 1);
        assert_eq!(problems(&format!("total = 2\n{ENTRY}{ENTRY}"), 2).len(), 1);
    }
}
