//! A long load of edges, in ten parts: the speed of each, memory compared with the budget, and whether the metrics
//! account for it.

use std::time::Duration;

use api_client::{Client, ClientOptions};
use load_test::result::{DriverKind, Row};
use load_test::table::Grid;
use load_test::{DataOptions, DriverOptions, Load, LoadTest, Loads, ProcessProbe, Scenario, ScenarioOptions, figures};

use crate::storage::ReadStorage;

use super::bench::{Bench, connect};
use super::findings::Findings;
use super::metrics::MemoryMetrics;

/// Number of users that send batches back to back, like the threads of a bulk loader.
const USERS: u32 = 8;

/// Number of vertices that the edges connect.
const VERTICES: u64 = 1_000_000;

/// Number of parts into which the load is divided.
const PARTS: u64 = 10;

/// Edges per request: the most that HugeGraph accepts.
const BATCH_EDGES: u64 = 500;

/// Time limit of a part; it ends once its edges are stored.
const PART_TIME_MAX: Duration = Duration::from_hours(1);

/// Interval at which memory is sampled.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Below this, memory is not compared: before the caches have filled, most of it is the program itself.
const COMPARED_FROM_BYTES: f64 = 256.0 * 1024.0 * 1024.0;

/// Samples of the memory.
#[derive(Default)]
struct Seen {
    peak_bytes: u64,
    least: Option<(f64, MemoryMetrics)>,
    most: Option<(f64, MemoryMetrics)>,
}

pub(super) async fn run(bench: &mut Bench<'_>) -> anyhow::Result<Findings> {
    let server = bench.server().await?;
    let data = DataOptions { vertices: VERTICES, ..DataOptions::default() };
    let mut test = connect(&server, data).await?;
    let watcher = Client::connect(ClientOptions { url: server.url().to_owned(), ..ClientOptions::default() }).await?;
    let mut seen = Seen::default();
    let mut rows = Vec::new();
    let scenario = Scenario::find("batch-edge-unchecked", &ScenarioOptions::default())?.remove(0);
    test.prepare(scenario.needs(), &mut bench.screen, bench.cancel).await?;
    for _ in 0..PARTS {
        let driver = DriverOptions {
            kind: DriverKind::Closed,
            duration: PART_TIME_MAX,
            warm_up: Duration::ZERO,
            requests_max: Some((bench.edges / PARTS / BATCH_EDGES).max(1)),
            server_pid: Some(server.pid()),
            ..DriverOptions::default()
        };
        rows.extend(one(&mut test, &scenario, &driver, bench, (&watcher, server.pid(), &mut seen)).await?);
        if bench.cancel.is_cancelled() {
            break;
        }
    }
    let budget_bytes = budget_bytes(&bench.settings.settings, bench.read_storage)?;
    Ok(judge(&rows, &seen, budget_bytes))
}

/// Runs one part while sampling memory.
async fn one(
    test: &mut LoadTest,
    scenario: &Scenario,
    driver: &DriverOptions,
    bench: &mut Bench<'_>,
    (watcher, pid, seen): (&Client, u32, &mut Seen),
) -> anyhow::Result<Option<Row>> {
    let loads = Loads::List(vec![Load::users(USERS)]);
    let load = test.run(scenario, driver, &loads, &mut bench.screen, bench.cancel);
    let probe = ProcessProbe::of(pid);
    let watch = async {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let rss_bytes = probe.as_ref().and_then(ProcessProbe::rss_bytes).unwrap_or_default();
            seen.peak_bytes = seen.peak_bytes.max(rss_bytes);
            // A server too busy to answer is asked again.
            let Ok(text) = watcher.metrics_text().await else { continue };
            let memory = MemoryMetrics::parse(&text);
            let percent = memory.accounted_percent();
            if memory.resident_bytes < COMPARED_FROM_BYTES {
                continue;
            }
            if seen.least.as_ref().is_none_or(|(least, _)| percent < *least) {
                seen.least = Some((percent, memory.clone()));
            }
            if seen.most.as_ref().is_none_or(|(most, _)| percent > *most) {
                seen.most = Some((percent, memory));
            }
        }
    };
    tokio::select! {
        result = load => {
            let mut result = result?;
            Ok(result.rows.pop())
        }
        () = watch => Ok(None),
    }
}

/// The memory budget of the server.
fn budget_bytes(set: &[String], read_storage: ReadStorage) -> anyhow::Result<u64> {
    let flags: Vec<(&str, String)> =
        set.iter().filter_map(|setting| setting.split_once('=')).map(|(key, value)| (key, value.to_owned())).collect();
    Ok(read_storage(None, &flags)?.memory_budget_bytes)
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn judge(rows: &[Row], seen: &Seen, budget_bytes: u64) -> Findings {
    let mut findings = Findings::default();
    let speed = |row: Option<&Row>| row.map_or(0.0, |row| row.elements_per_s);
    let (first, last) = (speed(rows.first()), speed(rows.last()));
    let edges: f64 = rows.iter().map(|row| row.elements_per_s * row.duration_s).sum();
    let ratio = last / first.max(1.0);
    findings.add(
        &format!("{} edges: speed of the last tenth to that of the first", figures::number(edges)),
        format!("{ratio:.2} ({} to {} edges a second)", figures::number(last), figures::number(first)),
        "at least 0.80",
        ratio >= 0.8,
    );
    let errors = rows.iter().map(|row| row.error_percent).fold(0.0, f64::max);
    findings.add("errors", figures::percent(errors), "none", errors <= 0.0);
    let mebibytes = |bytes: f64| format!("{:.0} MiB", bytes / 1024.0 / 1024.0);
    let (peak, budget) = (seen.peak_bytes as f64, budget_bytes as f64);
    findings.add(
        "highest resident memory",
        mebibytes(peak),
        &format!("budget of {} plus 10%", mebibytes(budget)),
        peak <= budget * 1.1,
    );
    for (what, measured) in [("least", &seen.least), ("most", &seen.most)] {
        let Some((percent, _)) = measured else { continue };
        let what = format!("resident memory that /metrics accounts for, {what}");
        findings.add(&what, format!("{percent:.0}%"), "90 to 110%", (90.0..=110.0).contains(percent));
    }
    let row = |(number, row): (usize, &Row)| {
        let memory = row.server_rss_peak_bytes.map_or_else(|| "-".to_owned(), |bytes| mebibytes(bytes as f64));
        vec![(number + 1).to_string(), figures::number(row.elements_per_s), format!("{:.1}", row.duration_s), memory]
    };
    let headers = ["Tenth", "Edges/s", "Seconds", "Memory"].map(str::to_owned).to_vec();
    let rows = rows.iter().enumerate().map(row).collect();
    findings.details.push((
        format!("{USERS} users, batches of {BATCH_EDGES} edges, ends not checked."),
        Grid { headers, rows, marked: None, text_columns: 0 },
    ));
    for (what, measured) in [("least", &seen.least), ("most", &seen.most)] {
        let Some((_, memory)) = measured else { continue };
        let headers = ["Part", "MiB"].map(str::to_owned).to_vec();
        let mut rows: Vec<Vec<String>> =
            memory.parts.iter().map(|(part, bytes)| vec![part.clone(), mebibytes(*bytes)]).collect();
        rows.push(vec!["resident".to_owned(), mebibytes(memory.resident_bytes)]);
        let grid = Grid { headers, rows, marked: None, text_columns: 1 };
        findings.details.push((format!("The memory when the {what} of it was accounted for."), grid));
    }
    findings
}
