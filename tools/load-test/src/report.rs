//! `report.html` and `summary.md`: what runs found, for reading.
//!
//! The page is one file that loads nothing: styles and drawings are in it, there is no script, and its colours follow
//! the reader's choice of light or dark. Every text that is not ours is escaped by the template engine. Start at
//! [`Report`].

mod chart;
mod charts;
pub(crate) mod published;
mod section;
mod summary;
pub mod tables;
mod ticks;

use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use self::chart::ChartError;
use crate::compare::ScenarioRatio;
use crate::distribution::HistogramError;
use crate::figures;
use crate::limits::CHART_SERIES_MAX;
use crate::published::Page;
use crate::result::{RunResult, ScenarioResult};
use crate::table::Grid;

const STYLE: &str = include_str!("report/style.css");

/// What a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The runs, each with an accent of its own, at most [`CHART_SERIES_MAX`].
    pub runs: &'a [RunResult],
    /// The published page whose rows stand beside ours; without one, the published peaks of all pages do.
    pub page: Option<&'a Page>,
    /// Ratios of two servers, scenario by scenario; empty if nothing was compared.
    pub ratios: &'a [ScenarioRatio],
}

/// A report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is nothing to report.
    #[error("a report needs at least one run")]
    NoRuns,
    /// More than can be told apart.
    #[error("{found} runs are too many for one page: at most {CHART_SERIES_MAX} (CHART_SERIES_MAX) can be told apart")]
    TooManyRuns {
        /// How many were given.
        found: usize,
    },
    /// A histogram of a run is damaged.
    #[error(transparent)]
    Histogram(#[from] HistogramError),
    /// A chart could not be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

/// A scenario of one run, among those of the same name in other runs.
#[derive(Clone, Copy, Debug)]
struct Entry<'a> {
    /// The run's number, which is that of its accent.
    slot: usize,
    /// The run's name on the page.
    label: &'a str,
    scenario: &'a ScenarioResult,
    /// Other runs are on the page.
    several: bool,
}

impl Entry<'_> {
    /// A line's name, with the run's before it if there are others.
    fn named(&self, line: &str) -> String {
        if self.several { format!("{}, {line}", self.label) } else { line.to_owned() }
    }
}

impl Report<'_> {
    /// The page.
    ///
    /// # Errors
    ///
    /// When there is no run, or too many, or a run's histogram is damaged.
    pub fn html(&self) -> Result<String, ReportError> {
        self.check()?;
        let labels = labels(self.runs);
        let mut sections = Vec::new();
        for name in scenario_names(self.runs) {
            sections.push(section::scenario(self, &name, &self.entries(&labels, &name))?);
        }
        let title = labels.join(" and ");
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { "Load test: " (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (section::head(self, &labels))
                    main {
                        @if !self.ratios.is_empty() { (section::ratios(self.ratios, &labels)) }
                        (section::effects(self.runs))
                        (section::overview(self, &labels))
                        @for section in &sections { (section) }
                        (section::reading())
                    }
                }
            }
        };
        Ok(page.into_string())
    }

    /// What each run is called.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        labels(self.runs)
    }

    /// The same as Markdown, without drawings, ready to paste.
    ///
    /// # Errors
    ///
    /// When there is no run, or too many.
    pub fn markdown(&self) -> Result<String, ReportError> {
        self.check()?;
        Ok(summary::markdown(self))
    }

    fn check(&self) -> Result<(), ReportError> {
        match self.runs.len() {
            0 => Err(ReportError::NoRuns),
            found if found > CHART_SERIES_MAX => Err(ReportError::TooManyRuns { found }),
            _ => Ok(()),
        }
    }

    fn entries<'s>(&'s self, labels: &'s [String], name: &str) -> Vec<Entry<'s>> {
        let runs = self.runs.iter().zip(labels).enumerate();
        let of_run = |(slot, (run, label)): (usize, (&'s RunResult, &'s String))| {
            let scenario = run.scenarios.iter().find(|scenario| scenario.name == name)?;
            Some(Entry { slot, label, scenario, several: self.runs.len() > 1 })
        };
        runs.filter_map(of_run).collect()
    }
}

/// The names of all scenarios, in the order in which they first come.
fn scenario_names(runs: &[RunResult]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for scenario in runs.iter().flat_map(|run| &run.scenarios) {
        if !names.contains(&scenario.name) {
            names.push(scenario.name.clone());
        }
    }
    names
}

/// What each run is called on a page: product and version, and what tells it from the others.
fn labels(runs: &[RunResult]) -> Vec<String> {
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
fn facts(run: &RunResult) -> Vec<(&'static str, String)> {
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

/// A table for the page; it scrolls sideways where the page is narrow.
fn table_markup(grid: &Grid, caption: &str) -> Markup {
    html! {
        div.table tabindex="0" {
            table {
                caption { (caption) }
                thead {
                    tr {
                        @for (index, header) in grid.headers.iter().enumerate() {
                            th.text[index < grid.text_columns] scope="col" { (header) }
                        }
                    }
                }
                tbody {
                    @for (index, row) in grid.rows.iter().enumerate() {
                        tr.marked[grid.marked == Some(index)] {
                            @for (index, cell) in row.iter().enumerate() { td.text[index < grid.text_columns] { (cell) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::result::{Row, Target};

    fn run(product: &str, url: &str, scenario: &str) -> RunResult {
        let target = Target {
            product: product.to_owned(),
            version: "1.7.0".to_owned(),
            url: url.to_owned(),
            ..Target::default()
        };
        let rows = vec![Row { concurrency: 4, samples: 10, elements_per_s: 5.0, ..Row::default() }];
        let scenario = ScenarioResult { name: scenario.to_owned(), rows, ..ScenarioResult::default() };
        RunResult { target, scenarios: vec![scenario], ..RunResult::default() }
    }

    #[test]
    fn runs_are_told_apart() {
        let of = |runs: &[(&str, &str)]| {
            let runs: Vec<_> = runs.iter().map(|(product, url)| run(product, url, "a")).collect();
            labels(&runs).join(", ")
        };
        assert_eq!(of(&[("Rhizome", "http://a"), ("HugeGraph", "http://b")]), "Rhizome, HugeGraph 1.7.0");
        assert_eq!(of(&[("Rhizome", "http://a"), ("Rhizome", "http://b")]), "Rhizome at http://a, Rhizome at http://b");
        assert_eq!(
            of(&[("Rhizome", "http://a"), ("Rhizome", "http://a")]),
            "Rhizome at http://a #1, Rhizome at http://a #2"
        );
    }

    #[test]
    fn there_must_be_runs_and_not_too_many() {
        let html = |runs: &[RunResult]| Report { runs, page: None, ratios: &[] }.html();
        assert!(matches!(html(&[]), Err(ReportError::NoRuns)));
        let many = vec![run("a", "b", "c"); CHART_SERIES_MAX + 1];
        assert!(html(&many).unwrap_err().to_string().contains("7 runs"));
        let damaged = RunResult {
            scenarios: vec![ScenarioResult {
                rows: vec![Row { histogram: "?".to_owned(), ..Row::default() }],
                ..ScenarioResult::default()
            }],
            ..RunResult::default()
        };
        assert!(matches!(html(&[damaged]), Err(ReportError::Histogram(_))));
    }

    #[test]
    fn rows_of_a_page_stand_beside_ours() {
        let mut ours = run("Rhizome", "http://a", "batch-vertex");
        ours.scenarios[0].elements_per_request = 200.0;
        let page = Page::named("hugegraph-0.4.4-rocksdb").unwrap();
        let report = Report { runs: &[ours], page: Some(page), ratios: &[] };
        for text in [report.html().unwrap(), report.markdown().unwrap()] {
            for part in ["661,892", "368,480", "24 cores 61G HDD", "Rhizome (measured)", "inflection point", "0.92"] {
                assert!(text.contains(part), "no {part} in {text}");
            }
        }
        // Other numbers of elements are other work.
        let mut ours = run("Rhizome", "http://a", "batch-vertex");
        ours.scenarios[0].elements_per_request = 50.0;
        let report = Report { runs: &[ours], page: Some(page), ratios: &[] };
        assert!(!report.markdown().unwrap().contains("661,892"));
    }

    proptest! {
        #[test]
        fn no_text_becomes_an_element(text in "(?s).*[<>&\"'].*") {
            let page = |text: &str| {
                let mut run = run(text, text, text);
                run.scenarios[0].notes = vec![text.to_owned()];
                run.command_line = text.to_owned();
                Report { runs: &[run], page: None, ratios: &[] }.html().unwrap()
            };
            let marked = page(&text);
            prop_assert_eq!(marked.matches('<').count(), page("plain").matches('<').count());
            prop_assert!(!marked.contains("<script"));
        }
    }
}
