//! The effect of a study's settings: each point compared with the first one of its scenario.

use crate::figures;
use crate::load_label;
use crate::result::{Row, RunResult, ScenarioResult};
use crate::table::{self, Grid};

/// One row for each scenario and point, those of a scenario together; `None` if the run is no study.
#[must_use]
pub fn effect(run: &RunResult) -> Option<Grid> {
    let points: Vec<&ScenarioResult> = run.scenarios.iter().filter(|scenario| !scenario.point.is_empty()).collect();
    let mut names: Vec<&str> = Vec::new();
    for scenario in &points {
        if !names.contains(&scenario.plain_name()) {
            names.push(scenario.plain_name());
        }
    }
    let mut rows = Vec::new();
    for name in names {
        let measured = points.iter().filter(|scenario| scenario.plain_name() == name);
        let measured: Vec<_> = measured.filter_map(|scenario| Some((scenario, table::best_row(scenario)?))).collect();
        let Some((_, first)) = measured.first() else { continue };
        rows.extend(measured.iter().map(|(scenario, row)| cells(scenario, row, first)));
    }
    let headers =
        ["Scenario", "Settings", "Load", "Throughput", "Ratio", "Elements/s", "Ratio", "p99", "Ratio", "Error%"];
    (!rows.is_empty()).then(|| Grid {
        headers: headers.map(str::to_owned).to_vec(),
        rows,
        marked: None,
        text_columns: 2,
    })
}

/// What the ratios mean, for below the table.
pub const LEGEND: &str =
    "Each row is the best one of its settings; ratios are to the first settings of the same scenario.";

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn cells(scenario: &ScenarioResult, row: &Row, first: &Row) -> Vec<String> {
    let ratio = |value: f64, to: f64| if to > 0.0 { format!("{:.2}", value / to) } else { "-".to_owned() };
    let p99 = |row: &Row| row.latency.p99_us as f64;
    vec![
        scenario.plain_name().to_owned(),
        scenario.point.clone(),
        load_label::in_cell(row),
        figures::number(row.throughput_per_s),
        ratio(row.throughput_per_s, first.throughput_per_s),
        figures::number(row.elements_per_s),
        ratio(row.elements_per_s, first.elements_per_s),
        figures::ms(p99(row)),
        ratio(p99(row), p99(first)),
        figures::percent(row.error_percent),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_compared_with_the_first_of_their_scenario() {
        let result = |name: &str, point: &str, elements_per_s: f64| ScenarioResult {
            name: format!("{name} {point}").trim().to_owned(),
            point: point.to_owned(),
            rows: vec![Row { concurrency: 8, elements_per_s, throughput_per_s: 10.0, ..Row::default() }],
            ..ScenarioResult::default()
        };
        let scenarios = vec![
            result("a", "cpu=1", 100.0),
            result("b", "cpu=1", 10.0),
            result("a", "cpu=2", 150.0),
            result("b", "cpu=2", 10.0),
        ];
        let grid = effect(&RunResult { scenarios, ..RunResult::default() }).unwrap();
        let shown: Vec<_> =
            grid.rows.iter().map(|row| [&row[0], &row[1], &row[6]].map(String::as_str).join(" ")).collect();
        assert_eq!(shown, ["a cpu=1 1.00", "a cpu=2 1.50", "b cpu=1 1.00", "b cpu=2 1.00"]);
        let no_study = RunResult { scenarios: vec![result("a", "", 1.0)], ..RunResult::default() };
        assert_eq!(effect(&no_study), None);
    }
}
