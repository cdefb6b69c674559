//! How load is made: everything about a row except what is sent.

use std::time::Duration;

use crate::error::LoadTestError;
use crate::limits::{CLIENT_THREADS_MAX, LATENCY_MAX, SAMPLES_PER_ROW_MAX, USERS_MAX};
use crate::result::{DriverKind, DriverSettings};

/// How load is generated. The defaults are those of the published pages, if they have any.
#[derive(Clone, Debug, PartialEq)]
pub struct DriverOptions {
    /// How requests are offered.
    pub kind: DriverKind,
    /// Time between two starts of a paced user.
    pub pacing: Duration,
    /// Requests a second of the open driver, where the load does not say otherwise.
    pub rate_per_s: f64,
    /// Requests of the open driver that may wait for a free connection; more are given up.
    pub queue_max: u64,
    /// Length of the measured part.
    pub duration: Duration,
    /// Requests after which a row ends before its time, those of the warm-up included.
    pub requests_max: Option<u64>,
    /// Load before the measured part.
    pub warm_up: Duration,
    /// Time over which users start, or over which the open driver's rate rises.
    pub ramp_up: Duration,
    /// Keep connections for the next request.
    pub keep_alive: bool,
    /// Time allowed for making a connection.
    pub connect_timeout: Duration,
    /// Time allowed for a request, from sending to the last byte of its answer.
    pub request_timeout: Duration,
    /// Threads that make load. As many as there are processors are tied to one each.
    pub client_threads: usize,
    /// Samples of single requests kept for a row.
    pub samples_max: usize,
    /// Process of the server, to read its processor time and memory; found by its port if it is local and not given.
    pub server_pid: Option<u32>,
}

impl Default for DriverOptions {
    fn default() -> Self {
        Self {
            kind: DriverKind::Paced,
            pacing: Duration::from_secs(1),
            rate_per_s: 1_000.0,
            queue_max: 10_000,
            duration: Duration::from_secs(30),
            requests_max: None,
            warm_up: Duration::from_secs(3),
            ramp_up: Duration::ZERO,
            keep_alive: true,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            client_threads: client_threads(),
            samples_max: SAMPLES_PER_ROW_MAX,
            server_pid: None,
        }
    }
}

/// Threads that make load where nothing else is said: one for each processor this process may use.
#[must_use]
pub fn client_threads() -> usize {
    threads::processors().len().clamp(1, CLIENT_THREADS_MAX)
}

/// How much load: the one thing that changes from row to row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Users, each with a connection.
    pub concurrency: u32,
    /// Requests a second of the open driver.
    pub rate_per_s: Option<f64>,
}

impl Load {
    /// A number of users; the open driver takes its rate from the options.
    #[must_use]
    pub fn users(concurrency: u32) -> Self {
        Self { concurrency, rate_per_s: None }
    }
}

impl DriverOptions {
    /// Checks the options.
    pub(crate) fn check(&self, load: Load) -> Result<(), LoadTestError> {
        let wrong = |option, reason: &str| Err(LoadTestError::Option { option, reason: reason.to_owned() });
        if load.concurrency == 0 || load.concurrency > USERS_MAX {
            return wrong("concurrency", &format!("{}: 1 to {USERS_MAX} users are possible", load.concurrency));
        }
        if self.duration.is_zero() {
            return wrong("duration", "it must be greater than 0");
        }
        if self.kind == DriverKind::Paced && self.pacing.is_zero() {
            return wrong("pacing", "it must be greater than 0; use the closed driver for requests back to back");
        }
        if self.kind == DriverKind::Open && !(self.rate(load) > 0.0 && self.rate(load) <= 1e7) {
            return wrong("rate", "it must be above 0 and at most 10,000,000 requests a second");
        }
        if self.request_timeout.is_zero() || self.request_timeout > LATENCY_MAX {
            return wrong("request-timeout", "it must be greater than 0 and at most an hour");
        }
        if self.client_threads == 0 || self.client_threads > CLIENT_THREADS_MAX {
            return wrong("client-threads", &format!("1 to {CLIENT_THREADS_MAX} are possible"));
        }
        Ok(())
    }

    pub(crate) fn rate(&self, load: Load) -> f64 {
        load.rate_per_s.unwrap_or(self.rate_per_s)
    }

    /// Requests a second that are meant to be sent.
    pub(crate) fn offered_per_s(&self, load: Load) -> Option<f64> {
        match self.kind {
            DriverKind::Paced => Some(f64::from(load.concurrency) / self.pacing.as_secs_f64()),
            DriverKind::Closed => None,
            DriverKind::Open => Some(self.rate(load)),
        }
    }

    /// Its name in results.
    #[must_use]
    pub fn settings(&self) -> DriverSettings {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        DriverSettings {
            kind: self.kind,
            pacing_ms: (self.kind == DriverKind::Paced).then(|| ms(self.pacing)),
            duration_ms: ms(self.duration),
            warm_up_ms: ms(self.warm_up),
            ramp_up_ms: ms(self.ramp_up),
            keep_alive: self.keep_alive,
            connect_timeout_ms: ms(self.connect_timeout),
            request_timeout_ms: ms(self.request_timeout),
            client_threads: u32::try_from(self.client_threads).unwrap_or(u32::MAX),
        }
    }
}
