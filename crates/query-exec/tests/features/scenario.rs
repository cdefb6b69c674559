//! Scenarios as the feature files tell them.

use std::fs;
use std::path::Path;

#[derive(Clone, Debug, Default)]
pub(crate) struct Scenario {
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) tags: Vec<String>,
    pub(crate) graph: String,
    pub(crate) initializer: Option<String>,
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) side_effects: Vec<(String, String)>,
    pub(crate) traversal: String,
    pub(crate) is_next: bool,
    pub(crate) checks: Vec<Check>,
    pub(crate) is_unsupported: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Check {
    Ordered(Vec<String>),
    Unordered(Vec<String>),
    Of(Vec<String>),
    Empty,
    Count(usize),
    GraphCount(usize, String),
    Error(Option<(String, String)>),
    Subgraph(String, Vec<String>),
    Tree(String),
}

pub(crate) fn read(folder: &Path) -> Vec<Scenario> {
    let mut all = Vec::new();
    collect(folder, folder, &mut all);
    all.sort_by(|a, b| a.place.cmp(&b.place));
    all
}

fn collect(root: &Path, folder: &Path, out: &mut Vec<Scenario>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, out);
        } else if path.extension().is_some_and(|extension| extension == "feature") {
            let place = path.strip_prefix(root).unwrap().display().to_string();
            parse(&place, &fs::read_to_string(&path).unwrap(), out);
        }
    }
}

fn parse(place: &str, text: &str, out: &mut Vec<Scenario>) {
    let mut tags = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(raw) = lines.next() {
        let line = raw.trim();
        if line.starts_with('@') {
            tags.extend(line.split_whitespace().map(str::to_owned));
        } else if let Some(name) = line.strip_prefix("Scenario:") {
            let tags = std::mem::take(&mut tags);
            let name = name.trim().to_owned();
            out.push(Scenario { place: place.to_owned(), name, tags, ..Scenario::default() });
        } else if line.starts_with("Feature:") {
            tags.clear();
        }
        let Some(scenario) = out.last_mut().filter(|scenario| scenario.place == place) else { continue };
        let Some((_, step)) = line.split_once(' ') else { continue };
        let mut block = || {
            let mut all = Vec::new();
            // A comment may come first.
            lines.by_ref().find(|line| line.trim() == "\"\"\"");
            for line in lines.by_ref() {
                if line.trim() == "\"\"\"" {
                    break;
                }
                all.push(line.to_owned());
            }
            all
        };
        if line.starts_with("Given an unsupported test") {
            scenario.is_unsupported = true;
        } else if let Some(graph) = step.strip_prefix("the ").and_then(|rest| rest.strip_suffix(" graph")) {
            if line.starts_with("Given") {
                scenario.graph = graph.to_owned();
            }
        } else if step == "the graph initializer of" {
            scenario.initializer = Some(block().join("\n").trim().to_owned());
        } else if step == "the traversal of" {
            scenario.traversal = block().join("\n").trim().to_owned();
        } else if let Some(rest) = step.strip_prefix("using the parameter ") {
            scenario.parameters.extend(definition(rest));
        } else if let Some(rest) = step.strip_prefix("using the side effect ") {
            scenario.side_effects.extend(definition(rest));
        } else if step == "iterated next" {
            scenario.is_next = true;
        } else if step == "the result should be empty" {
            scenario.checks.push(Check::Empty);
        } else if let Some(rest) = step.strip_prefix("the result should have a count of ") {
            scenario.checks.push(Check::Count(rest.trim().parse().unwrap()));
        } else if let Some(rest) = step.strip_prefix("the graph should return ") {
            let (count, query) = rest.split_once(" for count of ").unwrap();
            let query = query.trim().trim_start_matches('"').strip_suffix('"').unwrap_or(query).replace("\\\"", "\"");
            scenario.checks.push(Check::GraphCount(count.parse().unwrap(), query));
        } else if let Some(rest) = step.strip_prefix("the traversal will raise an error") {
            let message = rest.strip_prefix(" with message ").and_then(|rest| {
                let (how, text) = rest.split_once(" text of ")?;
                Some((how.to_owned(), text.trim().trim_matches('"').to_owned()))
            });
            scenario.checks.push(Check::Error(message));
        } else if step == "the result should be a tree with a structure of" {
            scenario.checks.push(Check::Tree(block().join("\n")));
        } else if step.starts_with("the result should be") {
            let mut rows = Vec::new();
            while let Some(line) = lines.peek().map(|line| line.trim()).filter(|line| line.starts_with('|')) {
                rows.push(
                    line.trim_start_matches('|')
                        .strip_suffix('|')
                        .unwrap_or(line)
                        .trim()
                        .replace("\\|", "|")
                        .replace("\\\\", "\\"),
                );
                lines.next();
            }
            let header = if rows.is_empty() { String::new() } else { rows.remove(0) };
            scenario.checks.push(match step.trim_start_matches("the result should be ") {
                "ordered" => Check::Ordered(rows),
                "of" => Check::Of(rows),
                "a subgraph with the following" => Check::Subgraph(header, rows),
                _ => Check::Unordered(rows),
            });
        }
    }
}

fn definition(rest: &str) -> Option<(String, String)> {
    let (name, value) = rest.split_once(" defined as ")?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name.to_owned(), value.replace("\\\"", "\"")))
}
