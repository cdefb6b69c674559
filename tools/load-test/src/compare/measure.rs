//! Measuring two servers in turn: first each at every concurrency of a list, then both at their best, round by round.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Round, ScenarioRatio, best_concurrency};
use crate::cancel::Cancel;
use crate::data::Needs;
use crate::error::LoadTestError;
use crate::limits::{SETTLED_CORES_MAX, SETTLED_LOOK_EVERY};
use crate::machine::ProcessProbe;
use crate::observer::Observer;
use crate::options::{DriverOptions, Load};
use crate::result::{Row, ScenarioResult};
use crate::run::{LoadTest, Loads};
use crate::scenario::Scenario;

/// How two servers are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// Numbers of users out of which each server's best is taken.
    pub concurrency: Vec<u32>,
    /// Pairs of measurements at the best.
    pub rounds: u32,
    /// How load is made; its duration is that of one measurement of a round.
    pub driver: DriverOptions,
    /// Duration of a measurement that looks for the best concurrency.
    pub probe: Duration,
    /// Target ratios of throughput, by scenario; they are only reported next to the measured ones.
    pub goals: BTreeMap<String, f64>,
    /// Longest time to wait before each measurement until both servers, where they are local, have finished what they
    /// do in the background: on a shared machine one server's compaction would slow the other.
    pub settle: Duration,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// The scenarios of each server. The row at the best concurrency is that of the median round.
    pub scenarios: [Vec<ScenarioResult>; 2],
    /// One for each scenario.
    pub ratios: Vec<ScenarioRatio>,
}

/// Compares two servers in all scenarios. An interruption or an error ends it; what was found until then is in
/// `compared`.
///
/// # Errors
/// Those of [`LoadTest::run`].
pub async fn measure<O: Observer>(
    tests: &mut [LoadTest; 2],
    observers: &mut [O; 2],
    scenarios: &[Scenario],
    options: &CompareOptions,
    cancel: &Cancel,
    compared: &mut Compared,
) -> Result<(), LoadTestError> {
    let needs = scenarios.iter().fold(Needs::default(), |needs, scenario| needs.and(scenario.needs()));
    for (test, observer) in tests.iter_mut().zip(observers.iter_mut()) {
        test.prepare(needs, observer, cancel).await?;
    }
    for scenario in scenarios {
        if cancel.is_cancelled() {
            break;
        }
        let mut pair = Pair { tests, observers, scenario, results: [None, None], cancel };
        let ratio = pair.compare(options).await?;
        let [first, second] = pair.results;
        if let (Some(first), Some(second)) = (first, second) {
            compared.scenarios[0].push(first);
            compared.scenarios[1].push(second);
            compared.ratios.push(ratio);
        }
    }
    Ok(())
}

/// One scenario on both servers.
struct Pair<'a, O> {
    tests: &'a mut [LoadTest; 2],
    observers: &'a mut [O; 2],
    scenario: &'a Scenario,
    results: [Option<ScenarioResult>; 2],
    cancel: &'a Cancel,
}

impl<O: Observer> Pair<'_, O> {
    async fn compare(&mut self, options: &CompareOptions) -> Result<ScenarioRatio, LoadTestError> {
        let name = &self.scenario.name;
        let goal = options.goals.get(name).copied();
        let mut ratio = ScenarioRatio { scenario: name.clone(), goal, ..ScenarioRatio::default() };
        let probe = DriverOptions { duration: options.probe, ..options.driver.clone() };
        for users in &options.concurrency {
            let rows = self.both([*users, *users], &probe, options.settle).await?;
            for (result, row) in self.results.iter_mut().zip(rows) {
                if let (Some(result), Some(row)) = (result, row) {
                    result.rows.push(row);
                }
            }
        }
        let best = self.results.each_ref().map(|result| result.as_ref().and_then(best_concurrency));
        let [Some(first), Some(second)] = best else { return Ok(ratio) };
        ratio.concurrency = [first, second];
        let mut rounds = Vec::new();
        for _ in 0..options.rounds {
            // A pair that an interruption cut in two is no pair.
            let [Some(first), Some(second)] = self.both(ratio.concurrency, &options.driver, options.settle).await?
            else {
                break;
            };
            if self.cancel.is_cancelled() {
                break;
            }
            rounds.push([first, second]);
        }
        ratio.rounds = rounds.iter().map(|[first, second]| Round::of(first, second)).collect();
        for (side, result) in self.results.iter_mut().enumerate() {
            let rows = rounds.iter().filter_map(|rows| rows.get(side)).cloned().collect();
            if let (Some(result), Some(users)) = (result, ratio.concurrency.get(side)) {
                name_best(result, *users, rows, options);
            }
        }
        Ok(ratio)
    }

    /// Measures the first server, then the second, each with its number of users.
    async fn both(
        &mut self,
        users: [u32; 2],
        driver: &DriverOptions,
        settle: Duration,
    ) -> Result<[Option<Row>; 2], LoadTestError> {
        let mut rows = [None, None];
        let probes: Vec<ProcessProbe> = self.tests.iter().filter_map(|test| test.probe(driver)).collect();
        let sides = self.tests.iter_mut().zip(self.observers.iter_mut()).zip(self.results.iter_mut()).zip(users);
        for ((((test, observer), result), users), row) in sides.zip(rows.iter_mut()) {
            if self.cancel.is_cancelled() {
                break;
            }
            settled(&probes, settle, self.cancel).await;
            let loads = Loads::List(vec![Load::users(users)]);
            let mut one = test.run(self.scenario, driver, &loads, observer, self.cancel).await?;
            *row = one.rows.pop();
            result.get_or_insert(one);
        }
        Ok(rows)
    }
}

/// Waits until the processes together take next to no processor time, at most so long.
async fn settled(probes: &[ProcessProbe], longest: Duration, cancel: &Cancel) {
    let cpu_s = || probes.iter().filter_map(ProcessProbe::cpu_s).sum::<f64>();
    let begin = Instant::now();
    let mut before = cpu_s();
    while !probes.is_empty() && begin.elapsed() < longest && !cancel.is_cancelled() {
        tokio::time::sleep(SETTLED_LOOK_EVERY).await;
        let now = cpu_s();
        if now - before <= SETTLED_CORES_MAX * SETTLED_LOOK_EVERY.as_secs_f64() {
            return;
        }
        before = now;
    }
}

/// Puts the median round in the place of the row that found the best concurrency.
fn name_best(result: &mut ScenarioResult, users: u32, mut rounds: Vec<Row>, options: &CompareOptions) {
    result.driver = options.driver.settings();
    rounds.sort_by(|a, b| a.elements_per_s.total_cmp(&b.elements_per_s));
    let middle = rounds.len() / 2;
    let all: Vec<String> = rounds.iter().map(|row| crate::figures::number(row.elements_per_s)).collect();
    let place = result.rows.iter().position(|row| row.concurrency == users);
    if let (Some(row), Some(place)) =
        (rounds.into_iter().nth(middle), place.and_then(|place| result.rows.get_mut(place)))
    {
        *place = row;
        result.notes.push(format!(
            "The row with {users} users is the median of these rounds, in elements a second: {}",
            all.join("; ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_round_stands_for_the_best_concurrency() {
        let row = |concurrency, elements_per_s| Row { concurrency, elements_per_s, ..Row::default() };
        let mut result =
            ScenarioResult { rows: vec![row(4, 10.0), row(16, 50.0), row(64, 40.0)], ..ScenarioResult::default() };
        let options = CompareOptions {
            concurrency: vec![4, 16, 64],
            rounds: 3,
            driver: DriverOptions::default(),
            probe: Duration::from_secs(1),
            goals: BTreeMap::new(),
            settle: Duration::ZERO,
        };
        name_best(&mut result, 16, vec![row(16, 45.0), row(16, 30.0), row(16, 60.0)], &options);
        assert_eq!(result.rows.iter().map(|row| row.elements_per_s).collect::<Vec<_>>(), [10.0, 45.0, 40.0]);
        assert!(result.notes[0].contains("30; 45; 60"), "{:?}", result.notes);
    }
}
