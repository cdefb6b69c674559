//! The charts of one scenario, from the rows of all runs that have it.

use super::chart::{Chart, Colour, Series, Tone};
use super::published;
use super::runs::Entry;
use super::ticks::Axis;
use crate::distribution::{self, HistogramError};
use crate::load_label;
use crate::published::PublishedScenario;
use crate::result::{DriverKind, Latency, Row, Second};
use crate::table;

/// The axis of loads is logarithmic if the highest load is at least this multiple of the lowest.
const WIDE_RANGE: f64 = 20.0;

/// Picks a figure of a distribution.
type LatencyPick = fn(&Latency) -> u64;

/// Part of a bucket's width from which on its rate is drawn: what ended in the last moment of a row is no rate.
const BUCKET_PART_MIN: f64 = 0.5;

/// Throughput and latency against concurrency; none if no run measured more than one.
pub(super) fn by_concurrency(entries: &[Entry<'_>], published: Option<&PublishedScenario>) -> Vec<Chart> {
    if entries.iter().all(|entry| entry.scenario.rows.len() < 2) {
        return Vec::new();
    }
    let x = load_axis(entries);
    let x_label = entries.first().map_or("", |entry| load_label::axis(&entry.scenario.rows));
    let chart = |title: &str, y_label: &str, y: Axis, series: Vec<Series>| Chart {
        title: title.to_owned(),
        y_label: y_label.to_owned(),
        x_label: x_label.to_owned(),
        x,
        y,
        series,
    };
    let throughput = entries.iter().flat_map(throughput_lines).chain(published.map(published::throughput_line));
    let latency = entries.iter().flat_map(|entry| latency_lines(entry, entries.len() > 1));
    vec![
        chart("Throughput by load", "requests a second", Axis::Linear, throughput.collect()),
        chart("Latency by load", "milliseconds, logarithmic", Axis::Logarithmic, latency.collect()),
    ]
}

/// The best row of each run over time, and the distribution of its latencies.
pub(super) fn of_best_rows(entries: &[Entry<'_>]) -> Result<Vec<Chart>, HistogramError> {
    let best: Vec<_> = entries.iter().filter_map(|entry| Some((entry, table::best_row(entry.scenario)?))).collect();
    let several = entries.len() > 1;
    let mut throughput = Vec::new();
    let mut latency = Vec::new();
    let mut distributions = Vec::new();
    for (entry, row) in &best {
        throughput.push(rate_line(entry, row, "completed", |second| second.completed));
        if row.series.iter().any(|second| second.errors > 0) {
            let errors = rate_line(entry, row, "errors", |second| second.errors);
            throughput.push(Series { colour: Colour::Error, dashed: several, ..errors });
        }
        latency.push(latency_line(entry, row, "p99", Tone::Strong, |second| milliseconds(second.p99_us)));
        latency.push(latency_line(entry, row, "mean", Tone::Light, |second| second.mean_us / 1000.0));
        distributions.push(distribution_line(entry, row)?);
    }
    let users = users_text(&best);
    let time = |title: &str, y_label: &str, y: Axis, series: Vec<Series>| Chart {
        title: format!("{title} {users}"),
        y_label: y_label.to_owned(),
        x_label: "Seconds since the start".to_owned(),
        x: Axis::Linear,
        y,
        series,
    };
    let mut charts = vec![
        time("Throughput over time", "requests a second", Axis::Linear, throughput),
        time("Latency over time", "milliseconds, logarithmic", Axis::Logarithmic, latency),
    ];
    charts.push(Chart {
        title: format!("Distribution of latency {users}"),
        y_label: "milliseconds, logarithmic".to_owned(),
        x_label: "Percentile of the requests".to_owned(),
        x: Axis::Percentile,
        y: Axis::Logarithmic,
        series: distributions,
    });
    Ok(charts)
}

/// `with 64 users`, when all best rows have the same load.
fn users_text(best: &[(&Entry<'_>, &Row)]) -> String {
    let Some((_, first)) = best.first() else { return String::new() };
    let load = load_label::in_words(first);
    if best.iter().all(|(_, row)| load_label::in_words(row) == load) {
        format!("with {load}")
    } else {
        "at each run's best load".to_owned()
    }
}

fn load_axis(entries: &[Entry<'_>]) -> Axis {
    let loads = || entries.iter().flat_map(|entry| entry.scenario.rows.iter().map(load_label::value));
    let (least, most) = (loads().fold(f64::INFINITY, f64::min).max(1.0), loads().fold(1.0, f64::max));
    if most / least >= WIDE_RANGE { Axis::Logarithmic } else { Axis::Linear }
}

fn throughput_lines(entry: &Entry<'_>) -> Vec<Series> {
    let rows = &entry.scenario.rows;
    let line = |name: &str, tone: Tone, dashed: bool, points: Vec<(f64, f64)>| Series {
        name: entry.named(name),
        points,
        colour: Colour::Run(entry.slot),
        tone,
        dashed,
    };
    let answered = rows.iter().map(|row| (load_label::value(row), row.throughput_per_s));
    let mut lines = vec![line("answered", Tone::Strong, false, answered.collect())];
    if entry.scenario.driver.kind != DriverKind::Closed {
        let offered = rows.iter().filter_map(|row| Some((load_label::value(row), row.offered_per_s?)));
        lines.push(line("offered", Tone::Medium, true, offered.collect()));
    }
    lines
}

fn latency_lines(entry: &Entry<'_>, several: bool) -> Vec<Series> {
    let lines: [(&str, Tone, LatencyPick); 3] = [
        ("median", if several { Tone::Light } else { Tone::Strong }, |latency| latency.p50_us),
        ("90%", Tone::Medium, |latency| latency.p90_us),
        ("99%", if several { Tone::Strong } else { Tone::Light }, |latency| latency.p99_us),
    ];
    let shown = lines.into_iter().filter(|(_, tone, _)| !several || *tone != Tone::Medium);
    shown
        .map(|(name, tone, pick)| Series {
            name: entry.named(name),
            points: entry
                .scenario
                .rows
                .iter()
                .map(|row| (load_label::value(row), milliseconds(pick(&row.latency))))
                .collect(),
            colour: Colour::Run(entry.slot),
            tone,
            dashed: false,
        })
        .collect()
}

/// What ended a second; the last bucket may be shorter than the others.
fn rate_line(entry: &Entry<'_>, row: &Row, name: &str, pick: fn(&Second) -> u64) -> Series {
    let width = f64::from(row.series_bucket_s.max(1));
    let points = row.series.iter().filter_map(|second| {
        let begin = f64::from(second.second);
        let measured = (row.duration_s - begin).min(width);
        let is_rate = measured >= width * BUCKET_PART_MIN || (row.series.len() == 1 && measured > 0.0);
        is_rate.then(|| (begin, ratio(pick(second), measured)))
    });
    line_of(entry, name, Tone::Strong, points.collect())
}

fn latency_line(entry: &Entry<'_>, row: &Row, name: &str, tone: Tone, pick: fn(&Second) -> f64) -> Series {
    // Nothing ended while the server stalled, so there is no latency either.
    let seconds = row.series.iter().filter(|second| second.completed > 0);
    line_of(entry, name, tone, seconds.map(|second| (f64::from(second.second), pick(second))).collect())
}

fn line_of(entry: &Entry<'_>, name: &str, tone: Tone, points: Vec<(f64, f64)>) -> Series {
    Series { name: entry.named(name), points, colour: Colour::Run(entry.slot), tone, dashed: false }
}

fn distribution_line(entry: &Entry<'_>, row: &Row) -> Result<Series, HistogramError> {
    let points = distribution::percentiles(row)?;
    let points = points.iter().map(|point| (point.percentile, milliseconds(point.latency_us)));
    Ok(line_of(entry, "all requests", Tone::Strong, points.collect()))
}

#[expect(clippy::cast_precision_loss, reason = "drawn with the precision of a pixel")]
fn milliseconds(us: u64) -> f64 {
    us as f64 / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "drawn with the precision of a pixel")]
fn ratio(count: u64, width_s: f64) -> f64 {
    count as f64 / width_s
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ScenarioResult;

    fn row(duration_s: f64, completed: &[u64]) -> Row {
        let series = (0..).zip(completed).map(|(second, completed)| Second {
            second,
            completed: *completed,
            ..Second::default()
        });
        Row { duration_s, series: series.collect(), series_bucket_s: 1, ..Row::default() }
    }

    #[test]
    fn a_moment_at_the_end_is_no_rate() {
        let scenario = ScenarioResult::default();
        let entry = Entry { slot: 0, label: "a", scenario: &scenario, several: false };
        let rates = |duration_s, completed: &[u64]| -> Vec<f64> {
            let line = rate_line(&entry, &row(duration_s, completed), "completed", |second| second.completed);
            line.points.into_iter().map(|point| point.1).collect()
        };
        assert_eq!(rates(2.004, &[10, 12, 1]), [10.0, 12.0]);
        assert_eq!(rates(2.5, &[10, 12, 6]), [10.0, 12.0, 12.0]);
        assert_eq!(rates(0.25, &[10]), [40.0]);
    }

    #[test]
    fn one_row_has_no_chart_by_concurrency() {
        let scenario = ScenarioResult { rows: vec![row(1.0, &[1])], ..ScenarioResult::default() };
        let entry = Entry { slot: 0, label: "a", scenario: &scenario, several: false };
        assert!(by_concurrency(&[entry], None).is_empty());
        assert_eq!(of_best_rows(&[entry]).unwrap().len(), 3);
    }
}
