//! The parts of the page, from top to bottom.

use maud::{Markup, PreEscaped, html};

use super::chart::{Chart, Series};
use super::error::ReportError;
use super::markup::table_markup;
use super::runs::{Entry, Report, facts, scenario_names};
use super::{charts, published};
use crate::compare::ScenarioRatio;
use crate::conclusions;
use crate::figures;
use crate::result::{DriverKind, DriverSettings, ErrorClass, Row, RunResult, ScenarioResult};
use crate::study;
use crate::table;

/// Title, what was tested, and the way to each scenario.
pub(super) fn head(report: &Report<'_>, labels: &[String]) -> Markup {
    let names = scenario_names(report.runs);
    html! {
        header {
            p.eyebrow {
                "Load test"
                @if let Some(page) = report.page { " \u{b7} the scenarios of " a href=(page.link) { (page) } }
            }
            h1 {
                @for (slot, label) in labels.iter().enumerate() {
                    @if slot > 0 { span.versus { " and " } }
                    span.run style=(accent(slot)) { (label) }
                }
            }
            div.facts {
                @for (slot, run) in report.runs.iter().enumerate() {
                    dl style=(accent(slot)) {
                        @for (name, value) in facts(run) {
                            dt { (name) }
                            dd { @if name == "Command" { code { (value) } } @else { (value) } }
                        }
                    }
                }
            }
            @if report.runs.iter().any(|run| run.interrupted) {
                p.warning { "A run was ended early: its figures are what was measured until then." }
            }
            @if names.len() > 1 {
                nav aria-label="Scenarios" {
                    @for (index, name) in names.iter().enumerate() { a href=(format!("#scenario-{index}")) { (name) } }
                }
            }
        }
    }
}

/// One card for each scenario: the figure that a reader looks for first.
pub(super) fn overview(report: &Report<'_>, labels: &[String]) -> Markup {
    let names = scenario_names(report.runs);
    html! {
        section {
            h2 { "At a glance" }
            p.lead { "Each scenario at its peak: the last row before errors, or the fastest where no search was made." }
            div.cards {
                @for (index, name) in names.iter().enumerate() {
                    a.card href=(format!("#scenario-{index}")) {
                        h3 { (name) }
                        @for entry in report.entries(labels, name) { (card_figure(&entry)) }
                    }
                }
            }
        }
    }
}

fn card_figure(entry: &Entry<'_>) -> Markup {
    let Some(row) = table::best_row(entry.scenario) else {
        return html! { p.quiet { "nothing measured" } };
    };
    html! {
        div.card-figure style=(accent(entry.slot)) {
            @if entry.several { p.run { (entry.label) } }
            p.big { (figures::number(row.elements_per_s)) }
            p.quiet { (conclusions::element_noun(&entry.scenario.name)) " a second" }
            p.quiet {
                (users(row)) ", p99 " (ms(row.latency.p99_us)) " ms, errors " (figures::percent(row.error_percent))
            }
        }
    }
}

/// Ratios of two servers with their spread.
pub(super) fn ratios(ratios: &[ScenarioRatio], labels: &[String]) -> Markup {
    let grid = crate::compare::grid(ratios);
    html! {
        section {
            h2 { "Ratio" }
            p.lead { (crate::compare::explanation(labels)) }
            (table_markup(&grid, "Each ratio is of two measurements made one after the other"))
        }
    }
}

/// Each point of a study next to the first.
pub(super) fn effects(runs: &[RunResult]) -> Markup {
    html! {
        @for grid in runs.iter().filter_map(study::effect) {
            section {
                h2 { "Effect of the settings" }
                p.lead { (study::LEGEND) }
                (table_markup(&grid, "Settings of the study"))
            }
        }
    }
}

/// A scenario: conclusions, charts, tables, errors, notes.
pub(super) fn scenario(report: &Report<'_>, name: &str, entries: &[Entry<'_>]) -> Result<Markup, ReportError> {
    let index = scenario_names(report.runs).iter().position(|known| known == name).unwrap_or_default();
    let published_rows = entries.first().and_then(|entry| {
        let page = report.page?;
        published::counterparts(entry.scenario, Some(page)).into_iter().next()
    });
    let mut drawings = Vec::new();
    let charts = charts::by_concurrency(entries, published_rows.map(|(_, scenario)| scenario));
    for chart in charts.into_iter().chain(charts::of_best_rows(entries)?) {
        drawings.extend(figure(&chart)?);
    }
    let bars = published::bars(entries, report.page);
    Ok(html! {
        section.scenario id=(format!("scenario-{index}")) {
            h2 { (name) }
            @for entry in entries { (conclusions_of(entry)) }
            div.charts { @for drawing in &drawings { (drawing) } @if let Some(bars) = &bars { (bars) } }
            @if bars.is_some() { p.quiet { (published::CAUTION) } }
            (published::tables(entries, report.page))
            @for entry in entries { (details(entry)) }
        }
    })
}

fn conclusions_of(entry: &Entry<'_>) -> Markup {
    html! {
        div.conclusions style=(accent(entry.slot)) {
            @if entry.several { p.run { (entry.label) } }
            ul { @for sentence in conclusions::of(entry.scenario) { li { (sentence) } } }
            p.quiet { (driver_text(&entry.scenario.driver)) " " (sizes_text(entry.scenario)) }
        }
    }
}

fn details(entry: &Entry<'_>) -> Markup {
    let scenario = entry.scenario;
    let caption = if entry.several { format!("{}, {}", scenario.name, entry.label) } else { scenario.name.clone() };
    let requests = table::best_row(scenario).filter(|row| !row.requests.is_empty());
    html! {
        (table_markup(&table::aggregate(scenario), &caption))
        p.quiet { (table::LEGEND) }
        @if let Some(row) = requests { (table_markup(&table::by_request(row), &format!("By request, {}", users(row)))) }
        (errors(scenario))
        @if !scenario.notes.is_empty() { ul.notes { @for note in &scenario.notes { li { (note) } } } }
    }
}

/// What failed, with the first texts of each class.
fn errors(scenario: &ScenarioResult) -> Markup {
    let failing: Vec<&Row> = scenario.rows.iter().filter(|row| !row.errors.is_empty()).collect();
    html! {
        @if !failing.is_empty() {
            details.errors {
                summary { "Errors" }
                @for row in failing {
                    @for error in &row.errors {
                        p { b { (users(row)) ": " (figures::count(error.count)) " x " (class_text(error.class)) } }
                        ul { @for example in &error.examples { li { code { (example) } } } }
                    }
                }
            }
        }
    }
}

/// A chart with its title, unit and legend; nothing if there is nothing to draw.
fn figure(chart: &Chart) -> Result<Option<Markup>, ReportError> {
    let Some(svg) = chart.svg()? else { return Ok(None) };
    let drawn: Vec<&Series> = chart.series.iter().filter(|series| !series.points.is_empty()).collect();
    let described = format!("{}: {} against {}", chart.title, chart.y_label, chart.x_label);
    Ok(Some(html! {
        figure.chart aria-label=(described) {
            figcaption { strong { (chart.title) } span.unit { (chart.y_label) } }
            @if drawn.len() > 1 {
                ul.legend { @for series in drawn { li { (swatch(series)) (series.name) } } }
            }
            (PreEscaped(svg))
        }
    }))
}

/// The piece of line that stands for a series in a legend.
fn swatch(series: &Series) -> Markup {
    let style = format!(
        "border-top:3px {} {};opacity:{}",
        if series.dashed { "dashed" } else { "solid" },
        series.colour.variable(),
        series.tone.opacity()
    );
    html! { i style=(style) {} }
}

/// How to read the figures.
pub(super) fn reading() -> Markup {
    html! {
        section.reading {
            h2 { "How to read this" }
            dl {
                @for (term, meaning) in READING { dt { (term) } dd { (meaning) } }
            }
        }
    }
}

/// Terms of the page and what they mean.
pub(super) const READING: [(&str, &str); 6] = [
    (
        "Throughput",
        "Requests that ended in the measured part, divided by its length. With paced users it cannot be above the \
         offered load.",
    ),
    (
        "Latency",
        "From sending a request to the last byte of its answer; with the open driver from the moment it should have \
         been sent, so waiting for a slow server counts.",
    ),
    ("90% line, p95, p99, p99.9", "This percentage of requests took no longer."),
    (
        "Error",
        "No connection, no answer in time, another status than expected, or an answer that is wrong: every answer is \
         checked.",
    ),
    (
        "Peak",
        "The last row before the error rate or the latency passed its bound while the number of users was raised.",
    ),
    (
        "CPU, memory",
        "Of the server's process, where it runs on the same machine. It then shares the processors with the load \
         generator.",
    ),
];

/// How the load was made, in a sentence.
pub(super) fn driver_text(driver: &DriverSettings) -> String {
    let kind = match (driver.kind, driver.pacing_ms) {
        (DriverKind::Paced, Some(pacing)) => format!("Each user sends one request in {}", figures::duration_ms(pacing)),
        (DriverKind::Paced, None) => "Paced users".to_owned(),
        (DriverKind::Closed, _) => "Each user sends its next request as soon as the last is answered".to_owned(),
        (DriverKind::Open, _) => "Requests start at a constant rate".to_owned(),
    };
    let mut text = format!("{kind}, for {}", figures::duration_ms(driver.duration_ms));
    for (name, time_ms) in [("warm-up", driver.warm_up_ms), ("ramp-up", driver.ramp_up_ms)] {
        if time_ms > 0 {
            text += &format!(", {name} {}", figures::duration_ms(time_ms));
        }
    }
    let connections = if driver.keep_alive { "connections kept" } else { "a connection for each request" };
    let timeout = figures::duration_ms(driver.request_timeout_ms);
    text + &format!(", {connections}, timeout {timeout}, {} client threads.", driver.client_threads)
}

/// The sizes of requests and answers, in a sentence.
pub(super) fn sizes_text(scenario: &ScenarioResult) -> String {
    let (request, answer) = (figures::bytes(scenario.request_bytes), figures::bytes(scenario.answer_bytes));
    format!("A request's body has {request} on average, an answer's {answer}.")
}

/// The class of an error in words.
pub(super) fn class_text(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Connect => "no connection, or a broken one",
        ErrorClass::Timeout => "no answer in time",
        ErrorClass::Status => "unexpected status",
        ErrorClass::WrongAnswer => "wrong answer",
        ErrorClass::Overflow => "not sent, too many waiting",
    }
}

fn users(row: &Row) -> String {
    crate::load_label::in_words(row)
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn ms(us: u64) -> String {
    figures::ms(us as f64)
}

fn accent(slot: usize) -> String {
    format!("--accent:{}", super::chart::Colour::Run(slot).variable())
}

/// Whether any run was made on the machine of its server.
pub(super) fn any_local(runs: &[RunResult]) -> bool {
    runs.iter().any(|run| run.target.is_local)
}
