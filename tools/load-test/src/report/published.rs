//! Our rows next to published ones: bars for the page, a line for its chart, a table for Markdown.

use maud::{Markup, html};

use super::chart::{Colour, Series, Tone};
use super::markup::table_markup;
use super::runs::Entry;
use crate::conclusions;
use crate::figures;
use crate::load_label;
use crate::published::{Page, PublishedRow, PublishedScenario};
use crate::result::ScenarioResult;
use crate::table::{self, Grid};

/// The caution that goes with every such comparison.
pub(crate) const CAUTION: &str = "Published figures were measured with other hardware, over a network, by users that \
    send one request a second, and over a time that includes the ramp-up: a server that keeps up shows about 0.92 of \
    its users as throughput, not its capacity. The comparison is one of orders of magnitude.";

/// The published scenarios comparable with this one: the same work with as many elements per request. Of one page, or
/// of all.
pub(super) fn counterparts<'p>(
    scenario: &ScenarioResult,
    page: Option<&'p Page>,
) -> Vec<(&'p Page, &'p PublishedScenario)> {
    let pages: Vec<&'p Page> = page.map_or_else(|| Page::all().iter().collect(), |page| vec![page]);
    let of_page = |page: &'p Page| {
        let same = move |known: &&PublishedScenario| {
            Some(known.scenario.as_str()) == scenario.name.split(' ').next()
                && (f64::from(known.elements) - scenario.elements_per_request).abs() < 2.0
        };
        page.scenarios.iter().find(same).map(|known| (page, known))
    };
    pages.into_iter().filter_map(of_page).collect()
}

/// The page's rows as points of the throughput chart.
pub(super) fn throughput_line(published: &PublishedScenario) -> Series {
    let mut points: Vec<_> =
        published.rows.iter().map(|row| (f64::from(row.concurrency), row.throughput_per_s)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Series { name: "published".to_owned(), points, colour: Colour::Published, tone: Tone::Strong, dashed: true }
}

/// Bars of elements a second: each run's best row, and each published peak.
pub(super) fn bars(entries: &[Entry<'_>], page: Option<&Page>) -> Option<Markup> {
    let scenario = entries.first()?.scenario;
    let published = counterparts(scenario, page);
    if published.is_empty() {
        return None;
    }
    let mut bars: Vec<(String, String, Colour, f64)> = Vec::new();
    for entry in entries {
        let row = table::best_row(entry.scenario)?;
        let detail = format!("{}, measured here", load_label::in_words(row));
        bars.push((entry.label.to_owned(), detail, Colour::Run(entry.slot), row.elements_per_s));
    }
    for (page, published) in published {
        for row in machine_peaks(published) {
            let detail = format!("{} users, {}", figures::count(row.concurrency.into()), row.machine);
            bars.push((page.to_string(), detail, Colour::Published, row.elements_per_s()));
        }
    }
    let longest = bars.iter().map(|bar| bar.3).fold(f64::MIN_POSITIVE, f64::max);
    let noun = conclusions::element_noun(&scenario.name);
    Some(html! {
        figure.chart.bars {
            figcaption { strong { "Compared with published rows" } span.unit { (noun) " a second" } }
            ul {
                @for (name, detail, colour, value) in &bars {
                    li {
                        div.bar-text {
                            span { b { (name) } " " small { (detail) } }
                            span.figure { (figures::number(*value)) }
                        }
                        @let width = value / longest * 100.0;
                        div.bar { div style=(format!("width:{width:.2}%;background:{}", colour.variable())) {} }
                    }
                }
            }
        }
    })
}

/// The best published row of each machine.
fn machine_peaks(published: &PublishedScenario) -> Vec<&PublishedRow> {
    let mut peaks: Vec<&PublishedRow> = Vec::new();
    for row in published.rows.iter().filter(|row| row.error_percent == 0.0) {
        match peaks.iter_mut().find(|peak| peak.machine == row.machine) {
            Some(peak) if peak.throughput_per_s < row.throughput_per_s => *peak = row,
            Some(_) => {}
            None => peaks.push(row),
        }
    }
    peaks
}

/// A page's rows of a scenario in JMeter's columns, our best row first.
pub(crate) fn grid(label: &str, scenario: &ScenarioResult, published: &PublishedScenario, page: &Page) -> Grid {
    let mut headers = vec!["System".to_owned(), "Concurrency".to_owned()];
    headers.extend(table::JMETER_COLUMNS.map(str::to_owned));
    headers.push("Elements/s".to_owned());
    let ours = table::best_row(scenario).map(|row| {
        let cells = table::aggregate(&ScenarioResult { rows: vec![row.clone()], peak: None, ..scenario.clone() }).rows;
        let mut cells = cells.into_iter().next().unwrap_or_default();
        cells.truncate(1 + table::JMETER_COLUMNS.len());
        cells.insert(0, format!("{label} (measured)"));
        cells.push(figures::number(row.elements_per_s));
        cells
    });
    let whole = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figures::number);
    let theirs = published.rows.iter().map(|row| {
        vec![
            format!("{} ({})", page, row.machine),
            figures::count(row.concurrency.into()),
            row.samples.map_or_else(|| "-".to_owned(), figures::count),
            whole(row.average_ms),
            whole(row.median_ms),
            whole(row.p90_ms),
            whole(row.min_ms),
            whole(row.max_ms),
            figures::percent(row.error_percent),
            figures::number(row.throughput_per_s),
            whole(row.kb_per_s),
            figures::number(row.elements_per_s()),
        ]
    });
    let rows: Vec<_> = ours.into_iter().chain(theirs).collect();
    Grid { headers, marked: (!rows.is_empty()).then_some(0), rows, text_columns: 1 }
}

/// What must be known to read some of a page's rows.
pub(crate) fn notes(published: &PublishedScenario) -> Vec<String> {
    let noted = published.rows.iter().filter(|row| !row.note.is_empty());
    noted
        .map(|row| format!("Published row with {} users: {}.", figures::count(row.concurrency.into()), row.note))
        .collect()
}

/// The tables of [`grid`] for a page's section, when one page is asked for.
pub(super) fn tables(entries: &[Entry<'_>], page: Option<&Page>) -> Markup {
    let tables = entries.iter().flat_map(|entry| {
        let found = page.map(|page| counterparts(entry.scenario, Some(page))).unwrap_or_default();
        found
            .into_iter()
            .map(move |(page, published)| (grid(entry.label, entry.scenario, published, page), notes(published)))
    });
    html! {
        @for (table, notes) in tables {
            (table_markup(&table, "Compared with the published rows"))
            @if !notes.is_empty() { ul.notes { @for note in notes { li { (note) } } } }
        }
    }
}
