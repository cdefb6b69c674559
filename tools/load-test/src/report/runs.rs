//! What a report is made from: the runs, what they are called on a page, and what was tested in each.

use crate::compare::ScenarioRatio;
use crate::figures;
use crate::published::Page;
use crate::result::{RunResult, ScenarioResult};

/// What a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The runs, each with an accent of its own, at most [`CHART_SERIES_MAX`](crate::limits::CHART_SERIES_MAX).
    pub runs: &'a [RunResult],
    /// The published page whose rows are shown next to ours; without one, the peaks of all pages are shown.
    pub page: Option<&'a Page>,
    /// Ratios of two servers, scenario by scenario; empty if nothing was compared.
    pub ratios: &'a [ScenarioRatio],
}

impl Report<'_> {
    /// A scenario in every run that has it.
    pub(super) fn entries<'s>(&'s self, labels: &'s [String], name: &str) -> Vec<Entry<'s>> {
        let runs = self.runs.iter().zip(labels).enumerate();
        let of_run = |(slot, (run, label)): (usize, (&'s RunResult, &'s String))| {
            let scenario = run.scenarios.iter().find(|scenario| scenario.name == name)?;
            Some(Entry { slot, label, scenario, several: self.runs.len() > 1 })
        };
        runs.filter_map(of_run).collect()
    }
}

/// A scenario of one run, among those of the same name in other runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// The run's number, which is that of its accent.
    pub(super) slot: usize,
    /// The run's name on the page.
    pub(super) label: &'a str,
    pub(super) scenario: &'a ScenarioResult,
    /// Other runs are on the page.
    pub(super) several: bool,
}

impl Entry<'_> {
    /// A line's name, with the run's before it if there are others.
    pub(super) fn named(&self, line: &str) -> String {
        if self.several { format!("{}, {line}", self.label) } else { line.to_owned() }
    }
}

/// The names of all scenarios, in the order in which they first come.
pub(super) fn scenario_names(runs: &[RunResult]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for scenario in runs.iter().flat_map(|run| &run.scenarios) {
        if !names.contains(&scenario.name) {
            names.push(scenario.name.clone());
        }
    }
    names
}

/// What each run is called on a page: product and version, and what tells it from the others.
pub(super) fn labels(runs: &[RunResult]) -> Vec<String> {
    let plain = |run: &RunResult| match run.target.product.as_str() {
        "" => run.target.url.clone(),
        // The version that it reports is that of the interface; its own is the tool's where the tool started it.
        "Rhizome" => "Rhizome".to_owned(),
        product => format!("{product} {}", run.target.version).trim().to_owned(),
    };
    let detailed = |run: &RunResult| match run.target.settings.as_slice() {
        [] => format!("{} at {}", plain(run), run.target.url),
        settings => format!("{} ({})", plain(run), settings.join(", ")),
    };
    let unique = |labels: &[String]| {
        labels.iter().enumerate().all(|(index, label)| !labels.iter().skip(index + 1).any(|other| other == label))
    };
    let short: Vec<String> = runs.iter().map(plain).collect();
    if unique(&short) {
        return short;
    }
    let long: Vec<String> = runs.iter().map(detailed).collect();
    if unique(&long) {
        return long;
    }
    long.iter().zip(1..).map(|(label, number)| format!("{label} #{number}")).collect()
}

/// The lines that say what was tested and how: names and values, the same for page and Markdown.
pub(super) fn facts(run: &RunResult) -> Vec<(&'static str, String)> {
    let target = &run.target;
    let machine = &run.machine;
    let unknown = || "not known".to_owned();
    let place = if target.is_local {
        "on the machine of the load generator, sharing its processors"
    } else {
        "on another machine"
    };
    let mut facts = vec![
        (
            "Server",
            format!(
                "{} at {}, reports version {}, graph {}, {place}",
                target.product, target.url, target.version, target.graph
            ),
        ),
        ("Engine", target.engine.clone().unwrap_or_else(unknown)),
        ("Durability", target.durability.clone().unwrap_or_else(unknown)),
        ("Settings", target.settings.join(", ")),
        ("Stated by the tester", target.notes.join("; ")),
        (
            "Machine",
            format!(
                "{}, {} logical processors, {}, {}",
                machine.cpu_model,
                machine.cores,
                figures::bytes(machine.memory_bytes),
                machine.os
            ),
        ),
        ("Started", run.started_at.clone()),
        ("Tool", format!("rhizome {}", run.tool_version)),
        ("Command", run.command_line.clone()),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}
