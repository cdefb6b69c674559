//! The ratio of two servers, from measurements made in turn.
//!
//! Machines are noisy, so a single pair says little: both servers are measured one after the other, several times, and
//! each pair gives one ratio. The report has their median with the least and the greatest. Start at [`ScenarioRatio`].

mod measure;

use serde::{Deserialize, Serialize};

pub use self::measure::{CompareOptions, Compared, measure};

use crate::figures;
use crate::result::{Row, ScenarioResult};
use crate::table::{self, Grid};

/// The two servers in one scenario, round by round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioRatio {
    /// The scenario.
    pub scenario: String,
    /// Users with whom each server did best.
    pub concurrency: [u32; 2],
    /// One pair of measurements a round.
    pub rounds: Vec<Round>,
    /// The target ratio of throughputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<f64>,
}

/// The figures of both servers, measured one right after the other; the first server's first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Graph elements a second.
    pub elements_per_s: [f64; 2],
    /// 99th percentile of the latency.
    pub p99_us: [u64; 2],
    /// Percentage of errors.
    pub error_percent: [f64; 2],
}

/// Least, median and greatest of some ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The median; of an even number the mean of the middle two.
    pub median: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of these values; `None` if there is none. NaN values are ignored.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let upper = sorted.get(middle).copied()?;
        let lower = if sorted.len().is_multiple_of(2) { sorted.get(middle - 1).copied()? } else { upper };
        Some(Self { min: sorted.first().copied()?, median: f64::midpoint(lower, upper), max: sorted.last().copied()? })
    }
}

impl Round {
    /// From a measurement of each.
    #[must_use]
    pub fn of(first: &Row, second: &Row) -> Self {
        Self {
            elements_per_s: [first.elements_per_s, second.elements_per_s],
            p99_us: [first.latency.p99_us, second.latency.p99_us],
            error_percent: [first.error_percent, second.error_percent],
        }
    }
}

impl ScenarioRatio {
    /// How many times the second server's elements a second the first server reaches.
    #[must_use]
    pub fn throughput(&self) -> Option<Spread> {
        Spread::of(self.rounds.iter().map(|round| round.elements_per_s[0] / round.elements_per_s[1]))
    }

    /// How many times the second server's 99th percentile the first server's is.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio with two decimals")]
    pub fn p99(&self) -> Option<Spread> {
        Spread::of(self.rounds.iter().map(|round| round.p99_us[0] as f64 / round.p99_us[1] as f64))
    }
}

/// The number of users with which a server does best.
#[must_use]
pub fn best_concurrency(scenario: &ScenarioResult) -> Option<u32> {
    table::best_row(scenario).map(|row| row.concurrency)
}

/// How the ratios are to be read; the labels of the two servers.
#[must_use]
pub fn explanation(labels: &[String]) -> String {
    let name = |index: usize, instead: &str| labels.get(index).cloned().unwrap_or_else(|| instead.to_owned());
    format!(
        "A is {}, B is {}. Ratios are A divided by B: above 1 in throughput and below 1 in latency A is better. \
         Elements a second and ratios are medians of the rounds; the least and the greatest ratio are in brackets. \
         Failed requests are no elements, but their times count; the errors are those of the worst round.",
        name(0, "the first server"),
        name(1, "the second server")
    )
}

/// The ratios as a table.
#[must_use]
pub fn grid(ratios: &[ScenarioRatio]) -> Grid {
    let spread = |spread: Option<Spread>| {
        let text = |Spread { min, median, max }: Spread| format!("{median:.2} ({min:.2} to {max:.2})");
        spread.map_or_else(|| "-".to_owned(), text)
    };
    let has_goals = ratios.iter().any(|ratio| ratio.goal.is_some());
    let rows = ratios.iter().map(|ratio| {
        let median = |pick: fn(&Round) -> f64| {
            let spread = Spread::of(ratio.rounds.iter().map(pick));
            spread.map_or_else(|| "-".to_owned(), |spread| figures::number(spread.median))
        };
        let [users_first, users_second] = ratio.concurrency.map(|users| figures::count(users.into()));
        let mut row = vec![
            ratio.scenario.clone(),
            median(|round| round.elements_per_s[0]),
            users_first,
            median(|round| round.elements_per_s[1]),
            users_second,
            spread(ratio.throughput()),
            spread(ratio.p99()),
            figures::percent(worst_error(ratio, 0)),
            figures::percent(worst_error(ratio, 1)),
            ratio.rounds.len().to_string(),
        ];
        if has_goals {
            row.extend(goal(ratio));
        }
        row
    });
    let headers = [
        "Scenario",
        "A elements/s",
        "A users",
        "B elements/s",
        "B users",
        "Throughput A/B",
        "p99 A/B",
        "A Error%",
        "B Error%",
        "Rounds",
    ];
    let goal_headers: &[&str] = if has_goals { &["Goal", "Reached"] } else { &[] };
    let headers = headers.iter().chain(goal_headers).map(|header| (*header).to_owned()).collect();
    Grid { headers, rows: rows.collect(), marked: None, text_columns: 1 }
}

/// The goal of a scenario, and whether the median reaches it.
fn goal(ratio: &ScenarioRatio) -> [String; 2] {
    let Some(goal) = ratio.goal else { return ["-".to_owned(), "-".to_owned()] };
    let reached = match ratio.throughput() {
        Some(spread) if spread.median >= goal => "yes",
        Some(_) => "no",
        None => "-",
    };
    [format!("{goal}"), reached.to_owned()]
}

/// The highest share of errors in a round of one server.
fn worst_error(ratio: &ScenarioRatio, side: usize) -> f64 {
    ratio.rounds.iter().filter_map(|round| round.error_percent.get(side).copied()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn round(first: f64, second: f64) -> Round {
        Round { elements_per_s: [first, second], p99_us: [1000, 2000], error_percent: [0.0, 0.5] }
    }

    #[test]
    fn ratios_are_of_pairs() {
        // A machine that is half as fast in the second round slows both: the ratio stays.
        let rounds = vec![round(300.0, 100.0), round(150.0, 50.0), round(320.0, 100.0)];
        let ratio = ScenarioRatio { scenario: "single-vertex".to_owned(), concurrency: [64, 16], rounds, goal: None };
        assert_eq!(ratio.throughput(), Some(Spread { min: 3.0, median: 3.0, max: 3.2 }));
        let labels = ["Rhizome 0.1.0".to_owned(), "HugeGraph 1.7.0".to_owned()];
        let row = grid(&[ratio]).rows.remove(0).join("|");
        assert_eq!(row, "single-vertex|300|64|100|16|3.00 (3.00 to 3.20)|0.50 (0.50 to 0.50)|0.00%|0.50%|3");
        assert!(explanation(&labels).contains("A is Rhizome 0.1.0, B is HugeGraph 1.7.0"));
    }

    #[test]
    fn goals_have_columns_where_there_are_any() {
        let ratio = |goal| ScenarioRatio { rounds: vec![round(300.0, 100.0)], goal, ..ScenarioRatio::default() };
        let end = |ratio: &[String]| ratio[10..].join("|");
        let rows = grid(&[ratio(Some(3.0)), ratio(Some(3.5)), ratio(None)]).rows;
        assert_eq!(rows.iter().map(|row| end(row)).collect::<Vec<_>>(), ["3|yes", "3.5|no", "-|-"]);
        assert_eq!(grid(&[ratio(None)]).headers.len(), 10);
    }

    #[test]
    fn a_server_that_answered_nothing_gives_no_ratio() {
        let ratio = ScenarioRatio { rounds: vec![round(1.0, 0.0)], ..ScenarioRatio::default() };
        assert_eq!(ratio.throughput(), None);
        assert_eq!(grid(&[ratio]).rows[0][5], "-");
    }

    #[test]
    fn the_best_concurrency_has_no_errors_if_any_has_none() {
        let row = |concurrency, elements_per_s, error_percent| Row {
            concurrency,
            elements_per_s,
            error_percent,
            ..Row::default()
        };
        let mut scenario = ScenarioResult {
            rows: vec![row(4, 10.0, 0.0), row(16, 30.0, 0.0), row(64, 90.0, 2.0)],
            ..Default::default()
        };
        assert_eq!(best_concurrency(&scenario), Some(16));
        scenario.rows.drain(..2);
        assert_eq!(best_concurrency(&scenario), Some(64));
        assert_eq!(best_concurrency(&ScenarioResult::default()), None);
    }

    proptest! {
        #[test]
        fn the_median_lies_between(values in prop::collection::vec(0.001..1000.0f64, 1..20)) {
            let spread = Spread::of(values.iter().copied()).unwrap();
            prop_assert!(spread.min <= spread.median && spread.median <= spread.max);
            let below = values.iter().filter(|value| **value < spread.median).count();
            let above = values.iter().filter(|value| **value > spread.median).count();
            prop_assert!(below <= values.len() / 2 && above <= values.len() / 2);
        }
    }
}
