//! Running the scenarios of a published page, in its order and with its numbers of elements.
//!
//! The load is that of the pages: users that send one request a second, and are raised in number until errors appear.
//! The first row of a scenario has as many users as the page's best row, so that both stand side by side.

use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::data::Needs;
use crate::descriptors::users_allowed;
use crate::error::LoadTestError;
use crate::limits::{PUBLISH_RESOLUTION_MIN, QUICK_LOADS, QUICK_PREPARE_PERCENT, QUICK_TIMEOUT_MIN, USERS_MAX};
use crate::observer::Observer;
use crate::options::{DriverOptions, Load};
use crate::published::{Page, PublishedScenario};
use crate::result::{DriverKind, ScenarioResult};
use crate::run::{LoadTest, Loads};
use crate::scenario::{Scenario, ScenarioOptions};
use crate::stress::{Raise, StressOptions};

/// How much time is taken for a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// A search for the peak: doubled or halved from the page's own number of users, then bisected.
    Search {
        /// Most users.
        to: u32,
    },
    /// A few rows around the page's number of users, in about this time for the whole page.
    Quick {
        /// For all scenarios together.
        total: Duration,
    },
}

/// A scenario of a page, ready to run.
#[derive(Clone, Debug)]
struct Step<'p> {
    scenario: Scenario,
    published: &'p PublishedScenario,
}

/// The most users that running a page can take.
#[must_use]
pub fn users_max(page: &Page, effort: Effort) -> u32 {
    let users = page.scenarios.iter().filter_map(PublishedScenario::peak).map(|row| row.concurrency).max().unwrap_or(1);
    match effort {
        Effort::Search { to } => search(users, to).to,
        Effort::Quick { .. } => {
            QUICK_LOADS.into_iter().map(|percent| quick_users(users, percent)).max().unwrap_or(users)
        }
    }
}

/// The steps of a page, in its order.
fn steps(page: &Page) -> Result<Vec<Step<'_>>, LoadTestError> {
    let mut steps = Vec::new();
    for published in &page.scenarios {
        let options = ScenarioOptions { batch: Some(published.elements), read_percent: None };
        let found = Scenario::find(&published.scenario, &options)?;
        steps.extend(found.into_iter().map(|scenario| Step { scenario, published }));
    }
    Ok(steps)
}

/// Runs the scenarios of a page; `finished` is given each as soon as it is complete. The driver's kind is set to paced.
///
/// # Errors
/// Those of [`LoadTest::run`].
pub async fn run(
    test: &mut LoadTest,
    page: &Page,
    driver: &DriverOptions,
    effort: Effort,
    observer: &mut dyn Observer,
    cancel: &Cancel,
    finished: &mut dyn FnMut(&ScenarioResult),
) -> Result<Vec<ScenarioResult>, LoadTestError> {
    let steps = steps(page)?;
    let needs = steps.iter().fold(Needs::default(), |needs, step| needs.and(step.scenario.needs()));
    let started = Instant::now();
    test.prepare(needs, observer, cancel).await?;
    let driver = DriverOptions { kind: DriverKind::Paced, ..driver.clone() };
    let mut results = Vec::new();
    for (done, step) in (0..).zip(&steps) {
        if cancel.is_cancelled() {
            break;
        }
        let users = step.published.peak().map_or(1, |row| row.concurrency);
        let result = match effort {
            Effort::Search { to } => {
                let wanted = search(users, to);
                let allowed = users_allowed(wanted.to);
                let mut result = if allowed < users {
                    test.result_of(&step.scenario, &driver)
                } else {
                    let options = StressOptions { to: allowed, ..wanted };
                    let loads = Loads::Stress { options, concurrency: users };
                    test.run(&step.scenario, &driver, &loads, observer, cancel).await?
                };
                if allowed < wanted.to {
                    result.notes.push(left_out(&format!("Rows of more than {allowed} users")));
                }
                result
            }
            Effort::Quick { total } => {
                let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
                let driver = quick_driver(&driver, total, count);
                let ends = started + total / count * (done + 1);
                quick(test, &step.scenario, &driver, users, ends, observer, cancel).await?
            }
        };
        finished(&result);
        results.push(result);
    }
    Ok(results)
}

/// From the page's own number of users, without an error allowed.
fn search(users: u32, to: u32) -> StressOptions {
    let resolution = (users / 20).max(PUBLISH_RESOLUTION_MIN);
    let to = to.max(users).min(USERS_MAX);
    StressOptions { from: users, to, raise: Raise::Bisect(resolution), error_percent_max: 0.0, latency_max: None }
}

/// The time of one row, when all rows of all scenarios share what preparing leaves over; a fifth of it to warm up, but
/// as long as all users need for their first request if half of the row is enough for that.
fn quick_driver(driver: &DriverOptions, total: Duration, scenarios: u32) -> DriverOptions {
    let rows = u32::try_from(QUICK_LOADS.len()).unwrap_or(1) * scenarios.max(1);
    let row = total * (100 - QUICK_PREPARE_PERCENT) / 100 / rows;
    let warm_up = (row / 5).max(driver.pacing.min(row / 2));
    DriverOptions { warm_up, duration: row - warm_up, ramp_up: Duration::ZERO, ..driver.clone() }
}

/// The driver of the next row: a server that hangs must not take more than what is left of the scenario's share.
fn bounded(driver: &DriverOptions, left: Duration) -> DriverOptions {
    let left = left.saturating_sub(driver.warm_up + driver.duration).max(QUICK_TIMEOUT_MIN);
    DriverOptions {
        request_timeout: driver.request_timeout.min(left),
        connect_timeout: driver.connect_timeout.min(left),
        ..driver.clone()
    }
}

/// Rows at parts and multiples of the page's users, until one has errors or the time is over.
async fn quick(
    test: &mut LoadTest,
    scenario: &Scenario,
    driver: &DriverOptions,
    users: u32,
    ends: Instant,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<ScenarioResult, LoadTestError> {
    let mut result: Option<ScenarioResult> = None;
    for percent in QUICK_LOADS {
        let users = quick_users(users, percent);
        if users_allowed(users) < users {
            let result = result.get_or_insert_with(|| test.result_of(scenario, driver));
            result.notes.push(left_out(&format!("The row of {users} users and larger ones")));
            break;
        }
        if let Some(result) = &mut result
            && Instant::now() >= ends
        {
            result.notes.push(format!("The time was over before {users} users were tried."));
            break;
        }
        let driver = bounded(driver, ends.saturating_duration_since(Instant::now()));
        let ran = test.run(scenario, &driver, &Loads::List(vec![Load::users(users)]), observer, cancel).await;
        let one = match (ran, &mut result) {
            (Err(error), Some(result)) => {
                result.failure = Some(error.to_string());
                break;
            }
            (ran, _) => ran?,
        };
        let is_last = cancel.is_cancelled() || one.rows.iter().any(|row| row.error_percent > 0.0);
        match &mut result {
            Some(result) => result.rows.extend(one.rows),
            None => result = Some(one),
        }
        if is_last {
            break;
        }
    }
    let mut result = result.unwrap_or_default();
    result.peak = result
        .rows
        .iter()
        .take_while(|row| row.error_percent == 0.0 && row.samples > 0 && !row.cut_short)
        .count()
        .checked_sub(1);
    Ok(result)
}

/// Tells why rows are not there. It is no failure: everything that this machine allows has run.
fn left_out(rows: &str) -> String {
    format!("{rows} were left out: this process may not open as many files (`ulimit -n`), and each user needs one.")
}

/// A part or a multiple of the page's users.
fn quick_users(users: u32, percent: u32) -> u32 {
    let scaled = u64::from(users) * u64::from(percent) / 100;
    u32::try_from(scaled).unwrap_or(u32::MAX).clamp(1, USERS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_can_be_run_with_its_numbers_of_elements() {
        for page in Page::all() {
            let steps = steps(page).unwrap();
            assert_eq!(steps.len(), page.scenarios.len(), "{}", page.name);
            for step in steps {
                assert_eq!(step.scenario.name, step.published.scenario);
                let elements = f64::from(step.published.elements);
                assert!((step.scenario.elements_per_request() - elements).abs() < f64::EPSILON, "{step:?}");
            }
        }
    }

    #[test]
    fn quick_rows_fit_into_the_time() {
        let total = Duration::from_secs(120);
        for scenarios in 1..10 {
            let driver = quick_driver(&DriverOptions::default(), total, scenarios);
            let rows = u32::try_from(QUICK_LOADS.len()).unwrap() * scenarios;
            assert!((driver.warm_up + driver.duration + driver.ramp_up) * rows <= total);
            assert!(driver.duration >= driver.pacing && driver.warm_up >= driver.pacing, "a user sends in both");
        }
        // A server that hangs in the first row leaves time for the others; in the last one it takes a moment.
        let driver = quick_driver(&DriverOptions::default(), total, 7);
        let timeout = |left_s| bounded(&driver, Duration::from_secs(left_s)).request_timeout;
        assert!(timeout(17) < Duration::from_secs(17) && timeout(17) > Duration::from_secs(10));
        assert_eq!((timeout(0), timeout(600)), (QUICK_TIMEOUT_MIN, driver.request_timeout));
        assert_eq!(QUICK_LOADS.map(|percent| quick_users(2000, percent)), [500, 1000, 2000, 4000]);
        assert_eq!(quick_users(20_000, 200), USERS_MAX);
        assert_eq!(quick_users(1, 25), 1);
    }

    #[test]
    fn a_search_begins_where_the_page_was() {
        let options = search(14_000, 20_000);
        assert_eq!((options.from, options.to, options.raise), (14_000, 20_000, Raise::Bisect(700)));
        assert_eq!(search(1000, 10).to, 1000);
        assert_eq!(search(100, 1000).raise, Raise::Bisect(PUBLISH_RESOLUTION_MIN));
    }
}
