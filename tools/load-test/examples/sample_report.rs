//! Writes the outputs of made-up runs into a folder: `results.json`, `samples.jtl`, `summary.md`, `report.html` in
//! `one/`, and a page of two servers in `two/`. The figures are the same each time and computed from the samples, so
//! that tests can compare what a browser and JMeter make of these files with what is in them. Texts in it are as
//! hostile as a server could send them.
//!
//!     cargo run -p load-test --example sample_report -- DIR

use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use load_test::compare::{Round, ScenarioRatio};
use load_test::jtl::JtlWriter;
use load_test::published::Page;
use load_test::report::Report;
use load_test::result::Row;
use load_test::result::{
    DriverKind, DriverSettings, ErrorClass, ErrorCount, Latency, Machine, RunResult, ScenarioResult, Second, Target,
};
use load_test::{RowSamples, Sample, results_file};

const HOSTILE: &str = "</style><script>document.title='broken'</script>\"'&, | \u{e9}";
const SECONDS: u64 = 30;

/// A scenario's name, a row of it, and the row's samples.
type Kept = (String, Row, RowSamples);
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).ok_or("usage: sample_report DIR")?;
    let folder = Path::new(&folder);
    let (fast, samples) = run("Rhizome", "0.1.0", 1.0)?;
    write(&folder.join("one"), &Report { runs: std::slice::from_ref(&fast), page: None, ratios: &[] }, &samples)?;
    let page = Page::named("hugegraph-0.5.6-rocksdb")?;
    write(
        &folder.join("published"),
        &Report { runs: std::slice::from_ref(&fast), page: Some(page), ratios: &[] },
        &samples,
    )?;
    let (slow, _) = run("HugeGraph", "1.7.0", 6.0)?;
    let ratios = [ratio("batch-vertex", 6.1), ratio("vertex-by-id", 4.7)];
    write(&folder.join("two"), &Report { runs: &[fast, slow], page: None, ratios: &ratios }, &samples)
}

fn write(folder: &Path, report: &Report<'_>, samples: &[Kept]) -> Outcome<()> {
    fs::create_dir_all(folder)?;
    let run = report.runs.first().ok_or("no run")?;
    results_file::write(folder, run)?;
    fs::write(folder.join("report.html"), report.html()?)?;
    fs::write(folder.join("summary.md"), report.markdown()?)?;
    let mut jtl = JtlWriter::new(File::create(folder.join("samples.jtl"))?, &run.target.url)?;
    samples.iter().try_for_each(|(scenario, row, kept)| jtl.row(scenario, row, kept))?;
    Ok(jtl.finish()?)
}

fn ratio(scenario: &str, about: f64) -> ScenarioRatio {
    let round = |factor: f64| Round {
        elements_per_s: [1000.0 * about * factor, 1000.0],
        p99_us: [1500, 9000],
        error_percent: [0.0, 0.0],
    };
    ScenarioRatio {
        scenario: scenario.to_owned(),
        concurrency: [256, 64],
        rounds: [0.9, 1.0, 1.2].map(round).to_vec(),
        goal: None,
    }
}

fn run(product: &str, version: &str, slowness: f64) -> Outcome<(RunResult, Vec<Kept>)> {
    let mut samples: Vec<Kept> = Vec::new();
    let mut scenario =
        |name: &str, elements: u32, users: &[u32], limit: u32, notes: Vec<String>| -> Outcome<ScenarioResult> {
            let mut rows = Vec::new();
            for concurrency in users {
                let (row, kept) = row(name, *concurrency, limit, elements, slowness)?;
                samples.push((name.to_owned(), row.clone(), kept));
                rows.push(row);
            }
            let peak = rows.iter().rposition(|row: &Row| row.error_percent == 0.0);
            let driver = driver();
            let elements_per_request = f64::from(elements);
            let name = name.to_owned();
            Ok(ScenarioResult {
                name,
                elements_per_request,
                driver,
                rows,
                peak,
                request_bytes: 19_400,
                answer_bytes: 4_210,
                notes,
                ..ScenarioResult::default()
            })
        };
    let users = [100, 200, 300, 400, 500];
    let scenarios = vec![
        scenario("batch-vertex", 200, &users, 400, Vec::new())?,
        scenario("vertex-by-id", 1, &users, 600, vec!["Ids drawn uniformly from 100,000 vertices.".to_owned()])?,
        scenario(HOSTILE, 1, &[50], 600, vec![HOSTILE.to_owned()])?,
    ];
    let target = Target {
        url: "http://127.0.0.1:8080".to_owned(),
        graph: "hugegraph".to_owned(),
        product: product.to_owned(),
        version: version.to_owned(),
        durability: Some("wal".to_owned()),
        engine: Some("rocksdb".to_owned()),
        is_local: true,
        ..Target::default()
    };
    let machine = Machine {
        cpu_model: "AMD EPYC".to_owned(),
        cores: 2,
        memory_bytes: 24 << 30,
        os: "Debian GNU/Linux 12".to_owned(),
    };
    let run = RunResult {
        tool_version: "0.1.0".to_owned(),
        started_at: "2026-01-05T08:00:00Z".to_owned(),
        command_line: format!("rhizome bench run --stress --graph {HOSTILE}"),
        target,
        machine,
        scenarios,
        ..RunResult::default()
    };
    Ok((run, samples))
}

fn driver() -> DriverSettings {
    DriverSettings {
        kind: DriverKind::Paced,
        pacing_ms: Some(1000),
        duration_ms: SECONDS * 1000,
        warm_up_ms: 5000,
        ramp_up_ms: 2000,
        keep_alive: true,
        connect_timeout_ms: 5000,
        request_timeout_ms: 30_000,
        client_threads: 2,
    }
}

/// A row whose users send one request a second; above `limit` users some fail.
fn row(name: &str, users: u32, limit: u32, elements: u32, slowness: f64) -> Outcome<(Row, RowSamples)> {
    let label: Arc<str> = Arc::from(name);
    let mut histogram = Histogram::<u64>::new(3)?;
    let mut samples = Vec::new();
    let mut series = Vec::new();
    for second in 0..SECONDS {
        let first = samples.len();
        for user in 0..users {
            let number = second * u64::from(users) + u64::from(user);
            let elapsed_us = latency_us(number, users, slowness);
            let failed = users > limit && number.is_multiple_of(97);
            histogram.record(elapsed_us)?;
            samples.push(Sample {
                started_at_ms: 1_767_600_000_000 + second * 1000 + number % 1000,
                elapsed_us,
                first_byte_us: elapsed_us / 2,
                connect_us: if second == 0 { 200 } else { 0 },
                label: Arc::clone(&label),
                status: if failed { 503 } else { 201 },
                error: failed.then_some(ErrorClass::Status),
                bytes: 4_310,
                sent_bytes: 19_600,
                user,
                users,
            });
        }
        series.push(bucket(u32::try_from(second)?, samples.get(first..).unwrap_or_default()));
    }
    Ok((summed(users, elements, &samples, &histogram, series)?, RowSamples { samples, stride: 1 }))
}

/// Latencies that grow with the users, with a tail.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "made-up figures"
)]
fn latency_us(number: u64, users: u32, slowness: f64) -> u64 {
    let share = (number.wrapping_mul(2_654_435_761) % 100_003) as f64 / 100_003.0;
    let body = 900.0 + f64::from(users) * 6.0 * share;
    let tail = 0.9 / (1.0 - share * 0.9999);
    ((body * tail) * slowness) as u64
}

fn bucket(second: u32, samples: &[Sample]) -> Second {
    let mut times: Vec<u64> = samples.iter().map(|sample| sample.elapsed_us).collect();
    times.sort_unstable();
    let errors = samples.iter().filter(|sample| !sample.is_ok()).count() as u64;
    Second {
        second,
        completed: times.len() as u64,
        errors,
        mean_us: mean(&times),
        p99_us: times.get(times.len() * 99 / 100).copied().unwrap_or_default(),
        max_us: times.last().copied().unwrap_or_default(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "made-up figures")]
fn mean(times: &[u64]) -> f64 {
    times.iter().sum::<u64>() as f64 / times.len() as f64
}

#[expect(clippy::cast_precision_loss, reason = "made-up figures")]
fn summed(
    users: u32,
    elements: u32,
    samples: &[Sample],
    histogram: &Histogram<u64>,
    series: Vec<Second>,
) -> Outcome<Row> {
    let count = samples.len() as f64;
    let seconds = SECONDS as f64;
    let errors = samples.iter().filter(|sample| !sample.is_ok()).count();
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes)?;
    let at = |quantile| histogram.value_at_quantile(quantile);
    let times: Vec<u64> = samples.iter().map(|sample| sample.elapsed_us).collect();
    let latency = Latency {
        mean_us: mean(&times),
        min_us: times.iter().min().copied().unwrap_or_default(),
        max_us: times.iter().max().copied().unwrap_or_default(),
        p50_us: at(0.5),
        p90_us: at(0.9),
        p95_us: at(0.95),
        p99_us: at(0.99),
        p999_us: at(0.999),
    };
    let error = ErrorCount { class: ErrorClass::Status, count: errors as u64, examples: vec![HOSTILE.to_owned()] };
    Ok(Row {
        concurrency: users,
        offered_per_s: Some(f64::from(users)),
        duration_s: seconds,
        samples: samples.len() as u64,
        latency,
        errors: if errors > 0 { vec![error] } else { Vec::new() },
        error_percent: errors as f64 * 100.0 / count,
        throughput_per_s: count / seconds,
        kb_per_s: count * 4_310.0 / 1024.0 / seconds,
        sent_kb_per_s: count * 19_600.0 / 1024.0 / seconds,
        elements_per_s: (count - errors as f64) * f64::from(elements) / seconds,
        server_cpu_s: Some(f64::from(users) / 20.0),
        server_rss_peak_bytes: Some(u64::from(users) << 20),
        client_cpu_s: f64::from(users) / 40.0,
        series,
        series_bucket_s: 1,
        histogram: base64::engine::general_purpose::STANDARD.encode(bytes),
        ..Row::default()
    })
}
