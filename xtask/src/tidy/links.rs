//! Links in Markdown to files and headings of the repository: what they name must be there. Addresses with a scheme are
//! not followed.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Finding;
use crate::workspace::SourceFile;

/// Checks the links of all Markdown files.
pub(crate) fn check(files: &[SourceFile], findings: &mut Vec<Finding>) {
    let mut known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for file in files {
        known.extend(file.path.match_indices('/').map(|(end, _)| &file.path[..end]));
    }
    let pages = || files.iter().filter(|file| file.path.ends_with(".md"));
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages().map(|file| (file.path.as_str(), anchors(file.text.as_deref().unwrap_or_default()))).collect();
    for page in pages() {
        for (line, link) in links(page.text.as_deref().unwrap_or_default()) {
            let Some(what) = broken(&page.path, &link, &known, &anchors) else { continue };
            let (path, text) = (page.path.clone(), format!("the link leads nowhere: {what}"));
            findings.push(Finding { rule: "link", path, line, subject: link, text });
        }
    }
}

/// What is missing, if the link leads nowhere.
fn broken(
    page: &str,
    link: &str,
    known: &BTreeSet<&str>,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { Some(page.to_owned()) } else { join(page, path) };
    let Some(target) = target.filter(|target| target.is_empty() || known.contains(target.as_str())) else {
        return Some(format!("there is no {path}"));
    };
    let headings = anchors.get(target.as_str())?;
    anchor.filter(|anchor| !headings.contains(*anchor)).map(|anchor| format!("{target} has no heading #{anchor}"))
}

/// A relative path as one from the root; absent when it leaves the repository.
fn join(page: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    if path.starts_with('/') {
        parts.clear();
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => return true,
            _ => {}
        }
        false
    })
}

/// The line without its spans of code.
fn without_code(line: &str) -> String {
    // Parts at even places are outside backquotes.
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Every target of a link or picture, with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        for opening in ["](", "src=\"", "href=\"", "srcset=\""] {
            for (at, _) in line.match_indices(opening) {
                let rest = &line[at + opening.len()..];
                let end = rest.find([if opening == "](" { ')' } else { '"' }, ' ']);
                found.extend(end.map(|end| (number, rest[..end].to_owned())));
            }
        }
        // `[name]: target`
        if let Some((_, target)) = line.strip_prefix('[').and_then(|line| line.split_once("]: ")) {
            found.extend(target.split_whitespace().next().map(|target| (number, target.to_owned())));
        }
    }
    found
}

/// The anchors of a page: of its headings as the usual viewers make them, and those written as `id` or `name`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (_, line) in prose(text) {
        if let Some(title) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')) {
            let anchor = anchor(title);
            let before = times.entry(anchor.clone()).or_default();
            found.insert(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
            *before += 1;
        }
        for opening in ["id=\"", "name=\""] {
            for (at, _) in line.match_indices(opening) {
                let rest = &line[at + opening.len()..];
                found.extend(rest.split('"').next().map(str::to_owned));
            }
        }
    }
    found
}

/// The anchor of a heading: lower case, spaces as `-`, other punctuation left out. A link counts as its text.
fn anchor(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title.trim();
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let file =
            |path: &str, text: &str| SourceFile { path: path.to_owned(), length: 0, text: Some(text.to_owned()) };
        let files = [
            file("README.md", "# A title\n"),
            file("docs/page.md", text),
            file("docs/other.md", "# One, two: `three`\n## Same\n## Same\n<a id=\"own\"></a>\n"),
            file("crates/kv/src/lib.rs", ""),
        ];
        let mut findings = Vec::new();
        check(&files, &mut findings);
        findings.into_iter().map(|finding| finding.subject).collect()
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let text = "# Page\n[a](other.md) [b](../README.md#a-title) ![c](./other.md \"title\") [d](#page)\n\
            [e](other.md#one-two-three) [f](other.md#same-1) [g](other.md#own) <img src=\"../crates/kv/src/lib.rs\">\n\
            [h](../crates/kv/) [i](https://example.org/x.md) [j](mailto:a@b) [k](../crates/kv/src/lib.rs#L10)\n\
            [l]: other.md\n";
        assert_eq!(found(text), Vec::<String>::new());
    }

    #[test]
    fn broken_ones_are_found() {
        let text =
            "[a](gone.md) [b](other.md#none) [c](#none) [d](../../outside.md) <a href=\"x.html\">\n[e]: gone.svg\n";
        assert_eq!(found(text).len(), 6);
        assert_eq!(found("![a](x.svg)[b](other.md)\n"), ["x.svg"]);
    }

    #[test]
    fn code_is_no_link() {
        assert!(found("`[a](gone.md)`\n```\n[a](gone.md)\n# no heading\n```\n").is_empty());
        assert_eq!(found("```\n# no heading\n```\n[a](#no-heading)\n").len(), 1);
    }
}
