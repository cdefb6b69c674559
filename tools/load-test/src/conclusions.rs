//! What a scenario's rows say, in sentences: the peak, elements a second, and what limits the meaning of both.

use crate::figures;
use crate::load_label;
use crate::result::{DriverKind, Row, ScenarioResult};
use crate::table;

/// A server that answers this share of the offered load keeps up with it; the rest is rounding at the ends of a run.
const KEPT_UP_SHARE: f64 = 0.98;

/// A row this many times as fast as another is worth a sentence; less is noise.
const CLEARLY_FASTER: f64 = 1.02;

/// The sentences that follow from a scenario's rows, the most important first.
#[must_use]
pub fn of(scenario: &ScenarioResult) -> Vec<String> {
    let Some(best) = table::best_row(scenario) else {
        return vec!["Nothing was measured.".to_owned()];
    };
    let mut sentences = vec![throughput(scenario, best)];
    sentences.extend(search(scenario));
    sentences.extend(fastest(scenario, best));
    sentences.extend(offered_load(scenario, best));
    sentences.extend(shared_machine(best));
    sentences.extend(scenario.failure.as_ref().map(|failure| format!("It ended early: {failure}.")));
    sentences
}

/// What one element of the scenario is called; `elements` for mixed and unknown ones.
#[must_use]
pub fn element_noun(scenario: &str) -> &'static str {
    let name = scenario.split_whitespace().next().unwrap_or_default();
    match name {
        _ if name.contains("label") || name.contains("property") => "schema elements",
        _ if name.contains("vertex") => "vertices",
        _ if name.contains("edge") => "edges",
        _ => "elements",
    }
}

/// As the pages do it: requests a second times elements in each.
fn throughput(scenario: &ScenarioResult, row: &Row) -> String {
    let load = load_label::in_words(row);
    let requests = figures::number(row.throughput_per_s);
    let mut text = format!("With {load} the throughput is {requests} requests a second");
    if scenario.elements_per_request > 1.0 {
        let (elements, each) = (figures::number(row.elements_per_s), figures::number(scenario.elements_per_request));
        text += &format!(": {elements} {} a second ({requests} x {each}", element_noun(&scenario.name));
        text += if row.error_percent > 0.0 { ", failed requests left out)" } else { ")" };
    }
    if row.error_percent > 0.0 {
        text += &format!("; {} of the requests failed", figures::percent(row.error_percent));
    }
    text + "."
}

/// What the search for the peak found.
fn search(scenario: &ScenarioResult) -> Option<String> {
    let Some(peak) = scenario.peak else {
        scenario.bounds.as_ref()?;
        let first = scenario.rows.first()?;
        let load = load_label::in_words(first);
        return Some(if first.cut_short {
            format!("No peak was found: the search was interrupted with {load}.")
        } else {
            format!("No peak was found: already with {load}, the lowest load tried, {}.", why_bad(scenario, first))
        });
    };
    let at = load_label::in_words(scenario.rows.get(peak)?);
    Some(match scenario.rows.get(peak + 1) {
        Some(next) if next.cut_short => {
            let next = load_label::in_words(next);
            format!("The peak is at least {at}: the search was interrupted with {next}.")
        }
        Some(next) => format!("The peak is {at}: with {}, {}.", load_label::in_words(next), why_bad(scenario, next)),
        None if scenario
            .bounds
            .as_ref()
            .is_some_and(|bounds| bounds.error_percent_max > 0.0 || bounds.latency_max.is_some()) =>
        {
            format!("Everything was within bounds up to {at}, the highest load tried: the peak is unknown.")
        }
        None => format!("No errors up to {at}, the highest load tried: where errors begin is unknown."),
    })
}

/// Why a row was too much.
fn why_bad(scenario: &ScenarioResult, row: &Row) -> String {
    let bounds = scenario.bounds.clone().unwrap_or_default();
    if row.samples == 0 {
        "no request ended".to_owned()
    } else if row.error_percent > bounds.error_percent_max {
        format!("{} of the requests failed", figures::percent(row.error_percent))
    } else if let Some(bound) = bounds.latency_max {
        format!("the latency was above its bound, a {bound}")
    } else {
        "the latency was above its bound".to_owned()
    }
}

/// The fastest row without errors, where that is another than the peak: the pages name the last row before errors,
/// which may lie beyond the server's capacity.
fn fastest(scenario: &ScenarioResult, best: &Row) -> Option<String> {
    let clean = scenario.rows.iter().filter(|row| row.error_percent == 0.0);
    let fastest = clean.max_by(|a, b| a.throughput_per_s.total_cmp(&b.throughput_per_s))?;
    (fastest.throughput_per_s > best.throughput_per_s * CLEARLY_FASTER).then(|| {
        let (requests, load) = (figures::number(fastest.throughput_per_s), load_label::in_words(fastest));
        format!("The highest throughput without errors is {requests} requests a second, with {load}.")
    })
}

/// Whether the best row shows the server's capacity or only what was asked of it.
fn offered_load(scenario: &ScenarioResult, row: &Row) -> Option<String> {
    let offered = row.offered_per_s.filter(|offered| *offered > 0.0)?;
    let share = row.throughput_per_s / offered;
    let offered = figures::number(offered);
    let how = match scenario.driver.kind {
        DriverKind::Open => "at a constant rate",
        DriverKind::Paced | DriverKind::Closed => "by paced users",
    };
    Some(if row.error_percent > 0.0 {
        format!("{offered} requests a second were offered {how}: more than the server takes without errors.")
    } else if share >= KEPT_UP_SHARE {
        format!(
            "The server kept up with the {offered} requests a second offered {how}: this is the load, not the server's \
             capacity."
        )
    } else {
        format!(
            "{offered} requests a second were offered {how}; the server answered at {:.0}% of that rate.",
            share * 100.0
        )
    })
}

fn shared_machine(row: &Row) -> Option<String> {
    let server = table::server_cores(row)?;
    let client = row.client_cpu_s / row.duration_s;
    Some(format!(
        "On average the server used {} processor cores and the load generator {} of the same machine.",
        figures::number(server),
        figures::number(client)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::SearchBounds;

    fn row(concurrency: u32, throughput_per_s: f64, error_percent: f64) -> Row {
        let elements_per_s = throughput_per_s * 200.0 * (1.0 - error_percent / 100.0);
        let offered_per_s = Some(f64::from(concurrency));
        let samples = 1_000;
        Row { concurrency, throughput_per_s, error_percent, elements_per_s, offered_per_s, samples, ..Row::default() }
    }

    fn scenario(rows: Vec<Row>, peak: Option<usize>) -> ScenarioResult {
        ScenarioResult {
            name: "batch-vertex".to_owned(),
            elements_per_request: 200.0,
            rows,
            peak,
            ..Default::default()
        }
    }

    #[test]
    fn the_peak_is_told_as_the_pages_do() {
        let rows = vec![row(1000, 1000.0, 0.0), row(2000, 1842.4, 0.0), row(3000, 1900.0, 0.06)];
        let sentences = of(&scenario(rows, Some(1)));
        assert_eq!(
            sentences[0],
            "With 2,000 users the throughput is 1,842.4 requests a second: 368,480 vertices a second (1,842.4 x 200)."
        );
        assert_eq!(sentences[1], "The peak is 2,000 users: with 3,000 users, 0.06% of the requests failed.");
        assert!(sentences[2].ends_with("answered at 92% of that rate."), "{sentences:?}");
    }

    #[test]
    fn an_open_end_and_a_load_that_was_met_are_told() {
        let sentences = of(&scenario(vec![row(1000, 1000.0, 0.0)], Some(0)));
        assert!(sentences[1].starts_with("No errors up to 1,000 users"), "{sentences:?}");
        assert!(sentences[2].contains("not the server's capacity"), "{sentences:?}");
    }

    #[test]
    fn a_peak_beyond_the_capacity_is_not_the_fastest_row() {
        let sentences =
            of(&scenario(vec![row(1000, 900.0, 0.0), row(2000, 700.0, 0.0), row(3000, 950.0, 1.0)], Some(1)));
        let expected = "The highest throughput without errors is 900 requests a second, with 1,000 users.";
        assert_eq!(sentences[2], expected);
    }

    #[test]
    fn a_server_that_refuses_does_not_keep_up() {
        let sentences = of(&scenario(vec![row(1000, 1000.0, 69.5)], None));
        assert!(sentences[0].ends_with("failed requests left out); 69.50% of the requests failed."), "{sentences:?}");
        assert!(sentences[1].ends_with("more than the server takes without errors."), "{sentences:?}");
    }

    #[test]
    fn latency_and_emptiness_are_told() {
        let rows = vec![row(1000, 1000.0, 0.0), row(2000, 1000.0, 0.0)];
        assert!(of(&scenario(rows, Some(0)))[1].contains("latency was above its bound"));
        assert_eq!(of(&ScenarioResult::default()), ["Nothing was measured."]);
    }

    #[test]
    fn a_search_without_a_peak_and_its_bounds_are_told() {
        let with_bounds = |rows: Vec<Row>, peak: Option<usize>| {
            let latency_max = Some("p99 of 50 ms".to_owned());
            let bounds = Some(SearchBounds { error_percent_max: 1.0, latency_max, to: 5000 });
            of(&ScenarioResult { bounds, ..scenario(rows, peak) })[1].clone()
        };
        let none = with_bounds(vec![row(1000, 900.0, 2.5)], None);
        assert_eq!(
            none,
            "No peak was found: already with 1,000 users, the lowest load tried, 2.50% of the requests failed."
        );
        // Errors that were accepted are not the cause.
        let latency = with_bounds(vec![row(1000, 900.0, 0.0), row(2000, 900.0, 0.5)], Some(0));
        assert_eq!(
            latency,
            "The peak is 1,000 users: with 2,000 users, the latency was above its bound, a p99 of 50 ms."
        );
        let cut = Row { cut_short: true, ..row(2000, 900.0, 0.0) };
        assert!(with_bounds(vec![row(1000, 900.0, 0.0), cut], Some(0)).contains("at least 1,000 users"));
    }
}
