//! Load tests of this server that a page starts: one at a time, bounded, made by `load-test` on threads of its own, as
//! a client of this server's address like any other.
//!
//! Why in this process, and what its figures are worth: docs/decisions/0046-load-tests-of-pages.md.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use api_client::ClientOptions;
use graph_store::now_ms;
use load_test::report::Report;
use load_test::result::{DriverKind, Row, RunResult, ScenarioResult, Target};
use load_test::{
    BUILT_IN, Cancel, DataOptions, DriverOptions, Load, LoadTest, LoadTestError, Loads, Observer, Phase, Progress,
    RowSamples, RowStart, Scenario, ScenarioOptions, client_threads,
};
use parking_lot::Mutex;
use rest_errors::ApiError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::limits::{
    LOAD_EDGES, LOAD_RATE_MAX, LOAD_SAMPLES_MAX, LOAD_SECONDS_MAX, LOAD_USERS_MAX, LOAD_VERTICES, LOAD_WARM_UP,
};

/// Whether pages may start load tests, and against what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadTests {
    /// They may not: `ui.load_test` is false.
    Off,
    /// They may not: the listener speaks TLS, and its certificate is for another name than the loopback address.
    Encrypted,
    /// They may. The address this server listens at.
    At(SocketAddr),
}

impl LoadTests {
    /// The address to send requests to.
    ///
    /// # Errors
    /// Why pages may not start tests, and what to do.
    fn url(self) -> Result<String, &'static str> {
        match self {
            Self::Off => Err(
                "load tests cannot be started from pages here (ui.load_test is false); set it, or run rhizome bench",
            ),
            Self::Encrypted => {
                Err("load tests cannot be started from pages of a server that speaks TLS itself; run rhizome bench")
            }
            Self::At(address) => Ok(format!("http://{}", reachable(address))),
        }
    }
}

/// An address that listens everywhere is reached by the loopback one.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// What is to be tested.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) graph: String,
    scenario: String,
    driver: DriverKind,
    users: u32,
    /// Requests a second, of the open driver only.
    #[serde(default)]
    rate: Option<f64>,
    pub(crate) seconds: u64,
}

impl Plan {
    /// The scenario, if all is within bounds.
    ///
    /// # Errors
    /// What is not.
    fn check(&self) -> Result<Scenario, ApiError> {
        let wrong = |name: &str, given: &dyn std::fmt::Display, most: &dyn std::fmt::Display| {
            let message = format!("'{name}' is {given}, but must be 1 to {most} here; more is for rhizome bench");
            Err(ApiError::bad_input(message))
        };
        if self.users == 0 || self.users > LOAD_USERS_MAX {
            return wrong("users", &self.users, &LOAD_USERS_MAX);
        }
        if self.seconds == 0 || self.seconds > LOAD_SECONDS_MAX {
            return wrong("seconds", &self.seconds, &LOAD_SECONDS_MAX);
        }
        match self.rate {
            None if self.driver == DriverKind::Open => {
                return Err(ApiError::bad_input("'rate' is missing: the requests a second of the driver open"));
            }
            Some(rate) if !(1.0..=LOAD_RATE_MAX).contains(&rate) => return wrong("rate", &rate, &LOAD_RATE_MAX),
            _ => {}
        }
        // By the list only: other names are paths of files.
        let known = scenarios();
        let found = known.into_iter().find(|scenario| scenario.name == self.scenario);
        found.ok_or_else(|| {
            let names: Vec<String> = scenarios().into_iter().map(|scenario| scenario.name).collect();
            ApiError::bad_input(format!("'scenario' must be one of {}", names.join(", ")))
        })
    }
}

/// The scenarios that come with `rhizome bench`.
fn scenarios() -> Vec<Scenario> {
    let found = BUILT_IN.iter().filter_map(|name| Scenario::find(name, &ScenarioOptions::default()).ok());
    found.flatten().collect()
}

/// The load test of this server: the one that runs, or the last one.
#[derive(Default)]
pub(crate) struct LoadRuns(Mutex<Option<Arc<Run>>>);

/// One test.
struct Run {
    plan: Plan,
    by: String,
    started_ms: i64,
    cancel: Cancel,
    state: Mutex<State>,
}

/// How far a test is.
#[derive(Default)]
struct State {
    /// What it does now.
    stage: Stage,
    /// What is prepared, how much of how many.
    prepared: Option<(String, u64, u64)>,
    planned: Duration,
    progress: Option<Progress>,
    curve: Vec<Moment>,
    failure: Option<String>,
    result: Option<Box<RunResult>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    #[default]
    Connecting,
    Preparing,
    WarmUp,
    Measuring,
    Draining,
    CleaningUp,
    Ended,
}

/// A second of a test under way.
#[derive(Clone, Copy, Debug, Serialize)]
struct Moment {
    second: f64,
    requests_per_s: f64,
    p99_us: u64,
}

impl LoadRuns {
    /// Starts a test. `token`: what its requests show.
    ///
    /// # Errors
    /// It may not be started here, another one runs, or it asks for too much.
    pub(crate) fn start(
        &self,
        allowed: LoadTests,
        plan: Plan,
        by: &str,
        token: impl FnOnce() -> Result<Option<String>, ApiError>,
    ) -> Result<(), ApiError> {
        let url = allowed.url().map_err(ApiError::forbidden)?;
        let scenario = plan.check()?;
        let mut last = self.0.lock();
        if let Some(run) = last.as_ref().filter(|run| !run.is_over()) {
            return Err(ApiError::bad_input(format!(
                "a load test of {} by {} runs already; wait for its end, or cancel it",
                run.plan.scenario, run.by
            )));
        }
        let token = token()?;
        let run = Arc::new(Run {
            plan,
            by: by.to_owned(),
            started_ms: now_ms(),
            cancel: Cancel::default(),
            state: Mutex::default(),
        });
        let of_thread = Arc::clone(&run);
        let started = std::thread::Builder::new().name("load-test".to_owned()).spawn(move || {
            threads::run_anywhere();
            let guard = EndsItself(&of_thread);
            let outcome = of_thread.work(url, token, &scenario);
            of_thread.end(outcome);
            drop(guard);
        });
        started.map_err(|error| {
            ApiError::overloaded(format!("the system gives no thread for a load test ({error}); try again in a moment"))
        })?;
        *last = Some(run);
        Ok(())
    }

    /// Ends the test that runs, if there is one; its results so far are kept.
    pub(crate) fn cancel(&self) {
        if let Some(run) = &*self.0.lock() {
            run.cancel.cancel();
        }
    }

    /// What may be asked for, and how far the test is that runs or ran last.
    pub(crate) fn told(&self, allowed: LoadTests) -> Value {
        let run = self.0.lock().clone();
        let scenarios: Vec<Value> =
            scenarios().iter().map(|one| json!({ "name": one.name, "description": one.description })).collect();
        json!({
            "enabled": matches!(allowed, LoadTests::At(_)),
            "reason": allowed.url().err(),
            "users_max": LOAD_USERS_MAX, "seconds_max": LOAD_SECONDS_MAX, "rate_max": LOAD_RATE_MAX,
            "vertices": LOAD_VERTICES, "edges": LOAD_EDGES,
            "scenarios": scenarios,
            "run": run.map(|run| run.told()),
        })
    }

    /// The report of the last test, as one page of HTML.
    ///
    /// # Errors
    /// No test has ended with a result.
    pub(crate) fn report(&self) -> Result<Value, ApiError> {
        let run = self.0.lock().clone();
        let result = run.and_then(|run| run.state.lock().result.clone());
        let result = result.ok_or_else(|| ApiError::nothing("no load test of this server has ended with a result"))?;
        let report = Report { runs: std::slice::from_ref(&*result), page: None, ratios: &[] };
        let html = report.html().map_err(|error| ApiError::bad_input(format!("the report cannot be made: {error}")))?;
        Ok(json!({ "html": html }))
    }
}

impl Drop for LoadRuns {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Marks a run as over, also when its thread panics.
struct EndsItself<'a>(&'a Run);

impl Drop for EndsItself<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        if state.stage != Stage::Ended {
            state.stage = Stage::Ended;
            state.failure = Some("an internal error happened while the load test was at work".to_owned());
        }
    }
}

impl Run {
    fn is_over(&self) -> bool {
        self.state.lock().stage == Stage::Ended
    }

    fn told(&self) -> Value {
        let state = self.state.lock();
        let result = state.result.as_ref().and_then(|result| {
            let mut value = serde_json::to_value(&**result).ok()?;
            let version = json!(load_test::results_file::FORMAT_VERSION);
            value.as_object_mut()?.insert("format_version".to_owned(), version);
            Some(value)
        });
        json!({
            "plan": self.plan, "by": self.by, "started_ms": self.started_ms, "stage": state.stage,
            "cancelled": self.cancel.is_cancelled(),
            "prepared": state.prepared.as_ref().map(|(what, done, total)| {
                json!({ "what": what, "done": done, "total": total })
            }),
            "planned_s": state.planned.as_secs_f64(),
            "elapsed_s": state.progress.map_or(0.0, |progress| progress.elapsed.as_secs_f64()),
            "samples": state.progress.map_or(0, |progress| progress.samples),
            "errors": state.progress.map_or(0, |progress| progress.errors),
            "curve": state.curve,
            "failure": state.failure,
            "result": result,
        })
    }

    /// The whole test, on its own thread.
    fn work(&self, url: String, token: Option<String>, scenario: &Scenario) -> Result<RunResult, LoadTestError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|source| LoadTestError::System { what: "starting a runtime for a load test", source })?;
        runtime.block_on(async {
            let options = ClientOptions { url, graph: self.plan.graph.clone(), token, ..ClientOptions::default() };
            let data = DataOptions { vertices: LOAD_VERTICES, edges: LOAD_EDGES, ..DataOptions::default() };
            let mut test = LoadTest::connect(options, data).await?;
            let driver = DriverOptions {
                kind: self.plan.driver,
                duration: Duration::from_secs(self.plan.seconds),
                warm_up: LOAD_WARM_UP,
                // The other half is for the threads that answer.
                client_threads: (client_threads() / 2).max(1),
                samples_max: LOAD_SAMPLES_MAX,
                ..DriverOptions::default()
            };
            let load = Load { concurrency: self.plan.users, rate_per_s: self.plan.rate };
            let mut watching = Watching(self);
            let outcome = test.run(scenario, &driver, &Loads::List(vec![load]), &mut watching, &self.cancel).await;
            self.state.lock().stage = Stage::CleaningUp;
            let (target, cleaned) = (test.target(), test.clean_up().await);
            let mut result = self.result(target, outcome?);
            if let (Err(error), Some(scenario)) = (cleaned, result.scenarios.first_mut()) {
                scenario.notes.push(format!("the test's data is still on the server: {error}"));
            }
            Ok(result)
        })
    }

    fn result(&self, target: Target, mut scenario: ScenarioResult) -> RunResult {
        for row in &mut scenario.rows {
            // Server and load are one process: neither figure would be the server's.
            (row.server_cpu_s, row.server_rss_peak_bytes, row.client_cpu_s) = (None, None, 0.0);
        }
        scenario.notes.push("the load came from the server's own process".to_owned());
        let started = jiff::Timestamp::from_millisecond(self.started_ms).unwrap_or_default();
        RunResult {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: started.round(jiff::Unit::Second).unwrap_or(started).to_string(),
            command_line: self.command(&target.url),
            machine: load_test::machine(),
            target,
            scenarios: vec![scenario],
            interrupted: self.cancel.is_cancelled(),
        }
    }

    /// The command that makes the same test.
    fn command(&self, url: &str) -> String {
        let Plan { graph, scenario, driver, users, rate, seconds } = &self.plan;
        let driver = match driver {
            DriverKind::Paced => "paced",
            DriverKind::Closed => "closed",
            DriverKind::Open => "open",
        };
        let rate = rate.map_or_else(String::new, |rate| format!(" --rate {rate}"));
        format!(
            "rhizome bench run --url {url} --graph {graph} --scenario {scenario} --driver {driver} --concurrency \
             {users}{rate} --duration {seconds}s"
        )
    }

    fn end(&self, outcome: Result<RunResult, LoadTestError>) {
        let mut state = self.state.lock();
        state.stage = Stage::Ended;
        match outcome {
            Ok(result) if result.scenarios.iter().all(|scenario| scenario.rows.is_empty()) => {
                let failures = result.scenarios.iter().find_map(|scenario| scenario.failure.clone());
                state.failure = failures.or_else(|| Some("it was cancelled before there was a result".to_owned()));
            }
            Ok(result) => {
                state.failure = result.scenarios.iter().find_map(|scenario| scenario.failure.clone());
                state.result = Some(Box::new(result));
            }
            Err(LoadTestError::Interrupted) => {
                state.failure = Some("it was cancelled before there was a result".to_owned());
            }
            Err(error) => state.failure = Some(error.to_string()),
        }
    }
}

/// Notes how far a run is.
struct Watching<'a>(&'a Run);

impl Observer for Watching<'_> {
    fn preparing(&mut self, what: &str, done: u64, total: u64) {
        let mut state = self.0.state.lock();
        state.stage = Stage::Preparing;
        state.prepared = Some((what.to_owned(), done, total));
    }

    fn row_started(&mut self, start: &RowStart) {
        let mut state = self.0.state.lock();
        (state.stage, state.planned) = (Stage::WarmUp, start.planned);
    }

    fn progress(&mut self, progress: &Progress) {
        let mut state = self.0.state.lock();
        state.stage = match progress.phase {
            Phase::WarmUp => Stage::WarmUp,
            Phase::Measuring => Stage::Measuring,
            Phase::Draining => Stage::Draining,
        };
        state.progress = Some(*progress);
        let second = progress.elapsed.as_secs_f64();
        // One a second: the length of a test bounds them.
        if state.curve.last().is_none_or(|last| second - last.second >= 1.0) {
            let (requests_per_s, p99_us) = (progress.rate_per_s, progress.p99_us);
            state.curve.push(Moment { second, requests_per_s, p99_us });
        }
    }

    fn row_finished(&mut self, _: &str, _: &Row, _: &RowSamples) {
        self.0.state.lock().stage = Stage::Draining;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(scenario: &str, users: u32, seconds: u64, rate: Option<f64>) -> Result<Scenario, String> {
        let driver = if rate.is_some() { DriverKind::Open } else { DriverKind::Closed };
        let plan = Plan { graph: "g".to_owned(), scenario: scenario.to_owned(), driver, users, rate, seconds };
        plan.check().map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn plans_are_bounded_and_name_no_files() {
        assert_eq!(plan("mixed", LOAD_USERS_MAX, LOAD_SECONDS_MAX, Some(1.0)).unwrap().name, "mixed");
        for (wrong, word) in [
            (plan("mixed", 0, 1, None), "users"),
            (plan("mixed", LOAD_USERS_MAX + 1, 1, None), "rhizome bench"),
            (plan("mixed", 1, 0, None), "seconds"),
            (plan("mixed", 1, LOAD_SECONDS_MAX + 1, None), "seconds"),
            (plan("mixed", 1, 1, Some(0.0)), "rate"),
            (plan("mixed", 1, 1, Some(f64::NAN)), "rate"),
            (plan("../docs/scenario.toml", 1, 1, None), "scenario"),
            (plan("schema", 1, 1, None), "schema-edge-labels"),
        ] {
            let error = wrong.unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_server_that_listens_everywhere_is_reached_by_its_loopback_address() {
        let url = |text: &str| LoadTests::At(text.parse().unwrap()).url().unwrap();
        assert_eq!(url("0.0.0.0:8080"), "http://127.0.0.1:8080");
        assert_eq!(url("[::]:8080"), "http://[::1]:8080");
        assert_eq!(url("10.0.0.7:80"), "http://10.0.0.7:80");
        assert!(LoadTests::Off.url().is_err() && LoadTests::Encrypted.url().is_err());
    }
}
