//! Reads of single vertices, alone and during scans and traversals.
//!
//! If there are several processors, the server has one and the load generator the others, and the heavy requests come
//! from a thread of low priority: reads must not wait for the client's work on the heavy answers.

use std::time::Duration;

use anyhow::{Context as _, bail};
use load_test::result::{DriverKind, ScenarioResult};
use load_test::table::Grid;
use load_test::{
    Cancel, DataOptions, DriverOptions, Load, LoadTest, Loads, Observer, Scenario, ScenarioOptions, Silent, figures,
    table,
};
use tokio::sync::oneshot;

use super::bench::{Bench, connect};
use super::findings::Findings;
use crate::server::{OwnServer, keep_off_first};

/// Reads per second: far below the server's capacity, so that they wait only for the heavy requests.
const READS_PER_S: f64 = 2_000.0;

/// Connections of the reads.
const READ_CONNECTIONS: u32 = 64;

/// Number of users that send heavy requests back to back.
const HEAVY_USERS: u32 = 8;

/// Lead time of the heavy requests before the reads are measured.
const HEAD_START: Duration = Duration::from_secs(1);

/// Each takes at least a few hundredths of a second.
const HEAVY: &str = r#"
name = "heavy"
description = "Whole lists and long walks."

[[request]]
label = "list 20,000 vertices"
method = "GET"
path = "graph/vertices?label=${vertex_label}&limit=20000"

[[request]]
label = "list 20,000 edges"
method = "GET"
path = "graph/edges?label=${edge_label}&limit=20000"

[[request]]
label = "walk 3,000 steps"
method = "GET"
path = "traversers/kneighbor?source=%22${vertex_id}%22&max_depth=3000&count_only=true"
"#;

pub(super) async fn run(bench: &mut Bench<'_>) -> anyhow::Result<Findings> {
    let mut settings = bench.settings.clone();
    settings.cpus = Some(1);
    let server = OwnServer::start(&settings).await?;
    let _pinned = keep_off_first(1)?;
    let mut reads = connect(&server, DataOptions::default()).await?;
    let read = Scenario::find("vertex-by-id", &ScenarioOptions::default())?.remove(0);
    reads.prepare(read.needs(), &mut bench.screen, bench.cancel).await?;
    let duration = bench.seconds(10, 30);
    let cancel = bench.cancel;
    let mut heavy = Heavy::prepare(&server, duration + 2 * HEAD_START, cancel).await?;
    let alone = measure(&mut reads, &read, duration, &mut bench.screen, cancel).await?;
    heavy.start();
    tokio::time::sleep(HEAD_START).await;
    let beside = measure(&mut reads, &read, duration, &mut bench.screen, cancel).await;
    let heavy = heavy.finish().await?;
    Ok(judge(&alone, &beside?, &heavy))
}

/// The heavy requests, sent from their own thread.
struct Heavy {
    start: Option<oneshot::Sender<()>>,
    outcome: oneshot::Receiver<anyhow::Result<ScenarioResult>>,
}

impl Heavy {
    /// Returns once the data they read is in place.
    async fn prepare(server: &OwnServer, duration: Duration, cancel: &Cancel) -> anyhow::Result<Self> {
        let (start, started) = oneshot::channel();
        let (done, outcome) = oneshot::channel();
        let (ready, prepared) = oneshot::channel();
        let options = super::bench::client_options(server);
        let cancel = cancel.clone();
        let work = move || {
            threads::stand_back(serving::limits::NICENESS_MAX);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let outcome = runtime.context("starting the runtime of the heavy requests").and_then(|runtime| {
                runtime.block_on(async {
                    let mut test = LoadTest::connect(options, DataOptions::default()).await?;
                    let load = Scenario::parse("heavy", HEAVY, &ScenarioOptions::default())?;
                    let needs =
                        load_test::Needs { schema: true, vertices: true, edges: true, ..load_test::Needs::default() };
                    test.prepare(needs, &mut Silent, &cancel).await?;
                    let driver = DriverOptions {
                        kind: DriverKind::Closed,
                        duration,
                        warm_up: Duration::ZERO,
                        client_threads: 1,
                        ..DriverOptions::default()
                    };
                    let loads = Loads::List(vec![Load::users(HEAVY_USERS)]);
                    // The receiver may be gone after an error on its side.
                    let _ = ready.send(());
                    let _ = started.await;
                    Ok(test.run(&load, &driver, &loads, &mut Silent, &cancel).await?)
                })
            });
            let _ = done.send(outcome);
        };
        std::thread::Builder::new().name("heavy".to_owned()).spawn(work).context("starting a thread")?;
        let heavy = Self { start: Some(start), outcome };
        match prepared.await {
            Ok(()) => Ok(heavy),
            Err(_) => match heavy.finish().await {
                Ok(_) => bail!("the heavy requests were not prepared"),
                Err(error) => Err(error),
            },
        }
    }

    fn start(&mut self) {
        self.start.take();
    }

    async fn finish(self) -> anyhow::Result<ScenarioResult> {
        self.outcome.await.context("the thread of the heavy requests has ended")?
    }
}

async fn measure(
    test: &mut LoadTest,
    scenario: &Scenario,
    duration: Duration,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> anyhow::Result<ScenarioResult> {
    let driver =
        DriverOptions { kind: DriverKind::Open, duration, warm_up: Duration::from_secs(1), ..DriverOptions::default() };
    let loads = Loads::List(vec![Load { concurrency: READ_CONNECTIONS, rate_per_s: Some(READS_PER_S) }]);
    Ok(test.run(scenario, &driver, &loads, observer, cancel).await?)
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn judge(alone: &ScenarioResult, beside: &ScenarioResult, heavy: &ScenarioResult) -> Findings {
    let mut findings = Findings::default();
    let p99 = |result: &ScenarioResult| result.rows.first().map_or(0, |row| row.latency.p99_us) as f64;
    let ratio = p99(beside) / p99(alone).max(1.0);
    findings.add(
        &format!(
            "p99 of {READS_PER_S} reads per second alongside {HEAVY_USERS} users with heavy requests, relative to \
             reads alone"
        ),
        format!("{ratio:.1} ({} ms to {} ms)", figures::ms(p99(beside)), figures::ms(p99(alone))),
        "below 5",
        ratio < 5.0,
    );
    let errors = beside.rows.iter().chain(&heavy.rows).map(|row| row.error_percent).fold(0.0, f64::max);
    findings.add("errors of either", figures::percent(errors), "none", errors <= 0.0);
    let mut all = table::aggregate(alone);
    all.rows.extend([beside, heavy].into_iter().flat_map(|result| table::aggregate(result).rows));
    findings.details.push((
        "Reads alone, reads during heavy requests, and the heavy requests.".to_owned(),
        Grid { marked: None, ..all },
    ));
    if let Some(row) = heavy.rows.first() {
        findings.details.push(("The heavy requests.".to_owned(), table::by_request(row)));
    }
    findings
}
