//! A load test from one end to the other: connect, prepare, run scenarios, clean up.

use std::sync::Arc;

use api_client::{Client, ClientOptions, RetryPolicy};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::cancel::Cancel;
use crate::data::{self, DataOptions, DataSet, Needs};
use crate::endpoint::Endpoint;
use crate::error::LoadTestError;
use crate::exchange::Sending;
use crate::machine::ProcessProbe;
use crate::observer::Observer;
use crate::options::{DriverOptions, Load};
use crate::result::{DriverKind, ScenarioResult, Target};
use crate::row::{Measured, RowMaker};
use crate::scenario::{Scenario, common_headers};
use crate::stress::{Search, StressOptions};

/// Which rows a scenario gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Loads {
    /// These, in this order.
    List(Vec<Load>),
    /// As many as the search for the peak takes. The number searched for is the concurrency; with the open driver it is
    /// the rate, at `concurrency` connections.
    Stress {
        /// How to search.
        options: StressOptions,
        /// Connections of the open driver.
        concurrency: u32,
    },
}

impl Loads {
    /// The most users of any row.
    #[must_use]
    pub fn users_max(&self, driver: &DriverOptions) -> u32 {
        match self {
            Self::List(loads) => loads.iter().map(|load| load.concurrency).max().unwrap_or_default(),
            Self::Stress { options, concurrency } => load_of(driver, options.to, *concurrency).concurrency,
        }
    }

    /// Checks the options before anything is prepared.
    ///
    /// # Errors
    /// [`LoadTestError::Option`].
    pub fn check(&self, driver: &DriverOptions) -> Result<(), LoadTestError> {
        match self {
            Self::List(loads) => loads.iter().try_for_each(|load| driver.check(*load)),
            Self::Stress { options, concurrency } => {
                options.check()?;
                driver.check(load_of(driver, options.from, *concurrency))?;
                driver.check(load_of(driver, options.to, *concurrency))
            }
        }
    }
}

/// A server to test, with the tool's data on it.
pub struct LoadTest {
    client: Client,
    endpoint: Endpoint,
    authorization: Option<String>,
    data: Arc<DataSet>,
    data_options: DataOptions,
    prepared: Needs,
    product: &'static str,
    engine: Option<String>,
}

impl LoadTest {
    /// Connects to a server and asks for its version. Nothing is changed on it.
    ///
    /// # Errors
    /// [`LoadTestError::Address`], or [`LoadTestError::Prepare`] with what the server or the network said.
    pub async fn connect(options: ClientOptions, data: DataOptions) -> Result<Self, LoadTestError> {
        let endpoint = Endpoint::resolve(&options.url, options.ca.as_deref()).await?;
        let by_password = options.username.as_ref().map(|name| {
            let password = options.password.as_deref().unwrap_or_default();
            format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
        });
        let authorization = options.token.as_ref().map(|token| format!("Bearer {token}")).or(by_password);
        let retry = RetryPolicy::default();
        let failed = |source| LoadTestError::Prepare { what: "the connection".into(), source };
        let client = Client::connect(ClientOptions { retry, ..options }).await.map_err(failed)?;
        let (product, engine) = product(&client).await;
        let nothing = Arc::new(data::nothing(&data));
        let prepared = Needs::default();
        Ok(Self { client, endpoint, authorization, data: nothing, data_options: data, prepared, product, engine })
    }

    /// What is known about the server.
    #[must_use]
    pub fn target(&self) -> Target {
        let options = self.client.options();
        Target {
            url: options.url.clone(),
            graph: options.graph.clone(),
            product: self.product.into(),
            engine: self.engine.clone(),
            version: self.client.versions().core.clone(),
            is_local: self.endpoint.is_local(),
            ..Target::default()
        }
    }

    /// The client that prepares and cleans up.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Makes what scenarios need, unless an earlier call has made it. Call it once with all that will be needed, so
    /// that all scenarios use the same data.
    ///
    /// # Errors
    /// Those of [`prepare`](crate::prepare).
    pub async fn prepare(
        &mut self,
        needs: Needs,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<(), LoadTestError> {
        if self.prepared.and(needs) == self.prepared {
            return Ok(());
        }
        let needs = self.prepared.and(needs);
        self.clean_up().await?;
        self.data = Arc::new(data::prepare(&self.client, needs, &self.data_options, observer, cancel).await?);
        self.prepared = needs;
        Ok(())
    }

    /// Runs a scenario: one row for each load. An interruption ends it with the rows so far, the last one shortened.
    ///
    /// # Errors
    /// Those of [`LoadTest::prepare`], for what has not been prepared; [`LoadTestError::Option`] for loads that make no
    /// sense.
    pub async fn run(
        &mut self,
        scenario: &Scenario,
        driver: &DriverOptions,
        loads: &Loads,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<ScenarioResult, LoadTestError> {
        loads.check(driver)?;
        self.prepare(scenario.needs(), observer, cancel).await?;
        let base_path = [self.endpoint.base_path.as_str(), self.client.graph_path()];
        let base_path = base_path.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let plan = Arc::new(scenario.bind(&self.data, &base_path)?);
        let probe = self.probe(driver);
        let sending = Arc::new(self.sending(driver));
        let maker = RowMaker {
            scenario: &scenario.name,
            plan: &plan,
            sending: &sending,
            options: driver,
            probe: probe.as_ref(),
            cancel,
        };
        let mut series = Series { result: self.result_of(scenario, driver), body: (0, 0), answer: (0, 0) };
        match loads {
            Loads::List(loads) => {
                for load in loads {
                    if cancel.is_cancelled() {
                        break;
                    }
                    match maker.measure(*load, observer).await {
                        Ok(measured) => series.add(measured, observer),
                        Err(error) => {
                            series.fail(error)?;
                            break;
                        }
                    }
                }
            }
            Loads::Stress { options, concurrency } => {
                let mut search = Search::new(*options);
                while let Some(number) = search.next() {
                    let measured = match maker.measure(load_of(driver, number, *concurrency), observer).await {
                        Ok(measured) => measured,
                        Err(error) => {
                            series.fail(error)?;
                            break;
                        }
                    };
                    search.judge(number, options.is_good(&measured.row));
                    series.add(measured, observer);
                    if cancel.is_cancelled() {
                        break;
                    }
                }
                series.name_peak(driver.kind, options);
            }
        }
        Ok(series.result)
    }

    /// Deletes what was prepared.
    ///
    /// # Errors
    /// Those of [`clean_up`](crate::clean_up).
    pub async fn clean_up(&mut self) -> Result<(), LoadTestError> {
        if self.prepared != Needs::default() {
            data::clean_up(&self.client, &self.data).await?;
            self.prepared = Needs::default();
        }
        Ok(())
    }

    pub(crate) fn probe(&self, driver: &DriverOptions) -> Option<ProcessProbe> {
        match driver.server_pid {
            Some(pid) => ProcessProbe::of(pid),
            None if self.endpoint.is_local() => ProcessProbe::listening_on(self.endpoint.port()),
            None => None,
        }
    }

    fn sending(&self, driver: &DriverOptions) -> Sending {
        Sending {
            endpoint: self.endpoint.clone(),
            headers: common_headers(&self.endpoint.host, self.authorization.as_deref(), driver.keep_alive),
            keep_alive: driver.keep_alive,
            connect_timeout: driver.connect_timeout,
            request_timeout: driver.request_timeout,
        }
    }

    /// The result of a scenario before its first row.
    pub(crate) fn result_of(&self, scenario: &Scenario, driver: &DriverOptions) -> ScenarioResult {
        let mut notes = Vec::new();
        let needs = scenario.needs();
        let options = &self.data_options;
        if needs.vertices {
            notes.push(format!("{} vertices prepared, ids drawn {}", options.vertices, options.ids));
        }
        if needs.edges {
            notes.push(format!("{} edges prepared", options.edges));
        }
        // In a study the setting stands after the name.
        if scenario.name.split(' ').next() == Some("batch-edge") {
            notes.push(format!("check_vertex={}", options.check_vertex));
        }
        ScenarioResult {
            name: scenario.name.clone(),
            elements_per_request: scenario.elements_per_request(),
            driver: driver.settings(),
            notes,
            ..ScenarioResult::default()
        }
    }
}

/// The product, and its engine where it is known. Rhizome reports a version of HugeGraph, because clients decide by it;
/// its metrics tell its own name and its engine.
async fn product(client: &Client) -> (&'static str, Option<String>) {
    match client.metrics_text().await {
        Ok(text) if text.contains("rhizome_") => ("Rhizome", engine_of(&text)),
        _ => ("HugeGraph", None),
    }
}

/// The label `engine` of Rhizome's metric `rhizome_info`.
fn engine_of(metrics: &str) -> Option<String> {
    let (_, labels) = metrics.split_once("rhizome_info{engine=\"")?;
    labels.split_once('"').map(|(engine, _)| engine.to_owned())
}

fn load_of(driver: &DriverOptions, number: u32, concurrency: u32) -> Load {
    match driver.kind {
        DriverKind::Open => Load { concurrency, rate_per_s: Some(f64::from(number)) },
        DriverKind::Paced | DriverKind::Closed => Load::users(number),
    }
}

/// The rows of a scenario as they come in.
struct Series {
    result: ScenarioResult,
    /// Bytes of bodies, and of how many requests.
    body: (u64, u64),
    answer: (u64, u64),
}

impl Series {
    fn add(&mut self, measured: Measured, observer: &mut dyn Observer) {
        let Measured { row, samples, body_bytes, answer_bytes } = measured;
        if row.cut_short && row.samples == 0 {
            return;
        }
        observer.row_finished(&self.result.name, &row, &samples);
        self.body = (self.body.0 + body_bytes, self.body.1 + row.samples);
        self.answer = (self.answer.0 + answer_bytes, self.answer.1 + row.samples);
        self.result.request_bytes = self.body.0 / self.body.1.max(1);
        self.result.answer_bytes = self.answer.0 / self.answer.1.max(1);
        self.result.rows.push(row);
    }

    /// Keeps the rows so far when a later one cannot be made; where there are none, the error is all there is.
    fn fail(&mut self, error: LoadTestError) -> Result<(), LoadTestError> {
        if self.result.rows.is_empty() {
            return Err(error);
        }
        self.result.failure = Some(error.to_string());
        Ok(())
    }

    /// Puts the rows in order, and finds the last good one before the first bad one.
    fn name_peak(&mut self, kind: DriverKind, options: &StressOptions) {
        let rows = &mut self.result.rows;
        match kind {
            DriverKind::Open => {
                rows.sort_by(|a, b| a.offered_per_s.unwrap_or(0.0).total_cmp(&b.offered_per_s.unwrap_or(0.0)));
            }
            DriverKind::Paced | DriverKind::Closed => rows.sort_by_key(|row| row.concurrency),
        }
        self.result.bounds = Some(options.bounds());
        self.result.peak = rows.iter().take_while(|row| options.is_good(row)).count().checked_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_read_from_the_metrics() {
        let text = "# TYPE rhizome_info gauge\nrhizome_info{engine=\"rocksdb\"} 1\nrhizome_other 2\n";
        assert_eq!(engine_of(text).as_deref(), Some("rocksdb"));
        assert_eq!(engine_of("rhizome_other 2\n"), None);
    }
}
