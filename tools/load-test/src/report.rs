//! `report.html` and `summary.md`: what runs found, for reading.
//!
//! The page is one file that loads nothing: styles and drawings are in it, there is no script, and its colours follow
//! the reader's choice of light or dark. Every text that is not ours is escaped by the template engine. Start at
//! [`Report`].

mod chart;
mod charts;
mod error;
mod markup;
pub(crate) mod published;
mod runs;
mod section;
mod summary;
pub mod tables;
mod ticks;
mod wrap;

use maud::{DOCTYPE, PreEscaped, html};

pub use self::chart::ChartError;
pub use self::error::ReportError;
use self::markup::STYLE;
pub use self::runs::Report;
use self::runs::{labels, scenario_names};
use crate::limits::CHART_SERIES_MAX;

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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::published::Page;
    use crate::result::{Row, RunResult, ScenarioResult, Target};

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
    fn rows_of_a_page_are_shown_next_to_ours() {
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
