//! Many users, each with one request per second, as on HugeGraph's published pages.

use std::time::Duration;

use load_test::result::DriverKind;
use load_test::{DataOptions, DriverOptions, Load, Loads, Scenario, ScenarioOptions, figures, table};

use super::bench::{Bench, connect};
use super::findings::Findings;

/// Maximum number of users without errors for reads by id, on the published page of HugeGraph 0.5.6.
pub(super) const READERS: u32 = 14_000;

/// The same for inserts of vertices.
pub(super) const WRITERS: u32 = 11_500;

/// Duration of the ramp-up, in which connections are opened.
const RAMP_UP: Duration = Duration::from_secs(5);

/// Duration of the warm-up.
const WARM_UP: Duration = Duration::from_secs(3);

pub(super) async fn run(bench: &mut Bench<'_>, scenario: &str, users: u32) -> anyhow::Result<Findings> {
    bench.settings = bench.settings.clone().for_users(users);
    let server = bench.server().await?;
    let mut test = connect(&server, DataOptions::default()).await?;
    let driver = DriverOptions {
        kind: DriverKind::Paced,
        duration: bench.duration,
        ramp_up: RAMP_UP,
        warm_up: WARM_UP,
        server_pid: Some(server.pid()),
        ..DriverOptions::default()
    };
    let loads = Loads::List(vec![Load::users(users)]);
    let mut findings = Findings::default();
    for scenario in Scenario::find(scenario, &ScenarioOptions::default())? {
        let result = test.run(&scenario, &driver, &loads, &mut bench.screen, bench.cancel).await?;
        let Some(row) = result.rows.first() else { continue };
        let what =
            format!("{} users, {}, for {} s", figures::count(users.into()), scenario.name, row.duration_s.round());
        findings.add(
            &what,
            format!("{} errors", figures::percent(row.error_percent)),
            "none",
            row.error_percent <= 0.0,
        );
        findings.details.push(("Times in milliseconds.".to_owned(), table::aggregate(&result)));
        for error in &row.errors {
            findings.add("an error", error.examples.first().cloned().unwrap_or_default(), "none", false);
        }
    }
    Ok(findings)
}
