//! Four times as many requests as the server can handle: its goodput, how fast it rejects the rest, and how fast it
//! recovers.
//!
//! If there are several processors, the server has one and the load generator the others: generating the overload must
//! not slow down the server.

use std::time::Duration;

use load_test::result::{DriverKind, ErrorClass, Row, ScenarioResult};
use load_test::table::Grid;
use load_test::{
    Cancel, DriverOptions, Load, LoadTest, Loads, Observer, Progress, RowSamples, RowStart, Scenario, ScenarioOptions,
    figures, table,
};

use super::bench::{Bench, connect};
use super::findings::Findings;
use crate::progress::Screen;
use crate::server::{OwnServer, keep_off_first};

/// Offered load as a multiple of the peak.
const FACTOR: f64 = 4.0;

/// Numbers of users in the search for the peak.
const PEAK_USERS: [u32; 3] = [16, 64, 128];

/// Number of connections of the overload: enough that sending never waits for rejections.
const CONNECTIONS: u32 = 1_024;

/// Maximum number of samples: enough for all requests of a measurement.
const SAMPLES_MAX: usize = 4_000_000;

/// Lists of many vertices: the long reads; batches are the long writes.
const LISTS: &str = r#"
name = "list-of-1000"
description = "Lists of 1,000 vertices."
[[request]]
method = "GET"
path = "graph/vertices?label=${vertex_label}&limit=1000"
contains = "${run}v"
"#;

/// Forwards progress events and keeps the samples of the last row.
struct Kept<'a> {
    screen: &'a mut Screen,
    samples: RowSamples,
}

impl Observer for Kept<'_> {
    fn preparing(&mut self, what: &str, done: u64, total: u64) {
        self.screen.preparing(what, done, total);
    }

    fn row_started(&mut self, start: &RowStart) {
        self.screen.row_started(start);
    }

    fn progress(&mut self, progress: &Progress) {
        self.screen.progress(progress);
    }

    fn row_finished(&mut self, _: &str, _: &Row, samples: &RowSamples) {
        self.samples = samples.clone();
    }
}

pub(super) async fn run(bench: &mut Bench<'_>) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let options = ScenarioOptions::default();
    let mut scenarios = Scenario::find("batch-edge", &options)?;
    scenarios.push(Scenario::parse("list-of-1000", LISTS, &options)?);
    let mut settings = bench.settings.clone();
    settings.cpus = Some(1);
    for scenario in scenarios {
        let server = OwnServer::start(&settings).await?;
        let mut test = connect(&server, load_test::DataOptions::default()).await?;
        // A list names only a label, which does not show that it needs vertices.
        let needs = load_test::Needs { schema: true, vertices: true, edges: false, ..load_test::Needs::default() };
        test.prepare(needs, &mut bench.screen, bench.cancel).await?;
        let pinned = keep_off_first(1)?;
        let duration = bench.seconds(10, 30);
        let screen = Kept { screen: &mut bench.screen, samples: RowSamples::default() };
        let mut trial = Trial { test, scenario, screen, cancel: bench.cancel, duration, pid: server.pid() };
        let tried = trial.run(&mut findings).await;
        drop(pinned);
        tried?;
    }
    Ok(findings)
}

/// One kind of request, on its own server.
struct Trial<'a> {
    test: LoadTest,
    scenario: Scenario,
    screen: Kept<'a>,
    cancel: &'a Cancel,
    duration: Duration,
    pid: u32,
}

impl Trial<'_> {
    async fn run(&mut self, findings: &mut Findings) -> anyhow::Result<()> {
        let users = PEAK_USERS.map(Load::users).to_vec();
        let peak = self.rows(DriverKind::Closed, self.duration / 2, users).await?;
        let Some(best) = table::best_row(&peak) else { return Ok(()) };
        let (best_users, peak_per_s) = (best.concurrency, best.throughput_per_s);
        let open = |rate| vec![Load { concurrency: CONNECTIONS, rate_per_s: Some(rate) }];
        let over = self.rows(DriverKind::Open, self.duration, open(FACTOR * peak_per_s)).await?;
        let samples = std::mem::take(&mut self.screen.samples);
        // Immediately afterwards, with a load within its capacity: has the server recovered?
        let after = self.rows(DriverKind::Open, self.duration / 2, open(peak_per_s / 2.0)).await?;
        let samples_after = std::mem::take(&mut self.screen.samples);
        // A growing store is slower even without overload, so the peak is measured before and after.
        let again = self.rows(DriverKind::Closed, self.duration / 2, vec![Load::users(best_users)]).await?;
        let (Some(over_row), Some(after_row), Some(again_row)) =
            (over.rows.first(), after.rows.first(), again.rows.first())
        else {
            return Ok(());
        };
        let peaks = (peak_per_s, again_row.throughput_per_s);
        self.judge(findings, (peaks, over_row, &samples), (after_row, &samples_after));
        let title =
            format!("{}: the search for the peak, the overload, after it, and the peak again.", self.scenario.name);
        let mut all = table::aggregate(&peak);
        all.rows.extend([&over, &after, &again].into_iter().flat_map(|result| table::aggregate(result).rows));
        findings.details.push((title, Grid { marked: None, ..all }));
        Ok(())
    }

    async fn rows(&mut self, kind: DriverKind, duration: Duration, loads: Vec<Load>) -> anyhow::Result<ScenarioResult> {
        let is_open = kind == DriverKind::Open;
        let driver = DriverOptions {
            kind,
            duration,
            // Overload and recovery are measured from their first moment, without a warm-up.
            warm_up: if is_open { Duration::ZERO } else { Duration::from_secs(1) },
            queue_max: 100,
            samples_max: if is_open { SAMPLES_MAX } else { 1 },
            server_pid: Some(self.pid),
            ..DriverOptions::default()
        };
        let loads = Loads::List(loads);
        Ok(self.test.run(&self.scenario, &driver, &loads, &mut self.screen, self.cancel).await?)
    }

    fn judge(
        &self,
        findings: &mut Findings,
        ((before_per_s, again_per_s), over, samples): ((f64, f64), &Row, &RowSamples),
        (after, samples_after): (&Row, &RowSamples),
    ) {
        let name = &self.scenario.name;
        let done_per_s = over.elements_per_s / self.scenario.elements_per_request();
        let share = done_per_s / before_per_s.midpoint(again_per_s).max(1.0);
        let offered = figures::number(over.offered_per_s.unwrap_or_default());
        findings.add(
            &format!(
                "{name}: {offered} requests per second offered; completed, relative to the mean of the peaks before \
                 and after it, {} and {}",
                figures::number(before_per_s),
                figures::number(again_per_s)
            ),
            format!("{share:.2} ({} a second)", figures::number(done_per_s)),
            "at least 0.80",
            share >= 0.8,
        );
        let mut refused: Vec<u64> =
            samples.samples.iter().filter(|sample| sample.status == 503).map(|sample| sample.first_byte_us).collect();
        refused.sort_unstable();
        let at =
            |share: usize| refused.get((refused.len() * share / 100).min(refused.len().saturating_sub(1))).copied();
        let ms = |us: Option<u64>| us.map_or_else(|| "-".to_owned(), |us| format!("{} ms", us / 1_000));
        let found = format!(
            "{} refused; median {}, p99 {}, longest {}",
            figures::count(refused.len() as u64),
            ms(at(50)),
            ms(at(99)),
            ms(refused.last().copied())
        );
        findings.add(
            &format!("{name}: time until a request is refused with 503"),
            found,
            "p99 below 100 ms",
            at(99).is_some_and(|us| us < 100_000),
        );
        let other: u64 =
            over.errors.iter().filter(|error| error.class != ErrorClass::Status).map(|error| error.count).sum();
        let unsent: u64 =
            over.errors.iter().filter(|error| error.class == ErrorClass::Overflow).map(|error| error.count).sum();
        findings.add(
            &format!("{name}: requests without an answer"),
            format!(
                "{} (and {} that found all {CONNECTIONS} connections busy)",
                figures::count(other - unsent),
                figures::count(unsent)
            ),
            "none",
            other == unsent,
        );
        let backlog_s = (over.duration_s - self.duration.as_secs_f64()).max(0.0);
        let begin_ms = samples_after.samples.first().map_or(0, |sample| sample.started_at_ms);
        let last_error = samples_after.samples.iter().rev().find(|sample| !sample.is_ok());
        let errors_s = last_error.map_or(0.0, |sample| (sample.started_at_ms - begin_ms) as f64 / 1_000.0);
        let recovered_s = backlog_s + errors_s;
        findings.add(
            &format!("{name}: until all that waited is done and nothing is refused any more"),
            format!("{recovered_s:.2} s (then p99 {} ms)", figures::ms(after.latency.p99_us as f64)),
            "1 s",
            recovered_s < 1.0,
        );
    }
}
