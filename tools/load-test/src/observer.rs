//! Events of a run: for progress bars and for files that are written row by row.

use std::time::Duration;

use crate::result::Row;
use crate::sample::RowSamples;

/// Which part of a row is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Users start, or run without being counted.
    WarmUp,
    /// Requests that start now are counted.
    Measuring,
    /// No new requests; those under way are waited for.
    Draining,
}

/// A row that starts.
#[derive(Clone, Debug, PartialEq)]
pub struct RowStart {
    /// Name of the scenario.
    pub scenario: String,
    /// Users.
    pub concurrency: u32,
    /// Requests a second that are meant to be sent, where the driver has such a number.
    pub offered_per_s: Option<f64>,
    /// Ramp-up, warm-up and the measured part together.
    pub planned: Duration,
}

/// The last second of a row under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is under way.
    pub phase: Phase,
    /// Since the row started.
    pub elapsed: Duration,
    /// Requests a second, lately.
    pub rate_per_s: f64,
    /// Their mean time, in microseconds.
    pub mean_us: f64,
    /// Their 99th percentile, in microseconds.
    pub p99_us: u64,
    /// Requests counted in the row so far.
    pub samples: u64,
    /// Errors in the row so far.
    pub errors: u64,
}

/// Receives the events of a run in order. All methods do nothing by default.
pub trait Observer {
    /// Data is being prepared: `done` of `total` vertices or edges.
    fn preparing(&mut self, _what: &str, _done: u64, _total: u64) {}
    /// A row starts.
    fn row_started(&mut self, _start: &RowStart) {}
    /// Some time of a row has passed; a few times a second.
    fn progress(&mut self, _progress: &Progress) {}
    /// A row has ended. Its samples are given away here and nowhere else, so that they need not be kept.
    fn row_finished(&mut self, _scenario: &str, _row: &Row, _samples: &RowSamples) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
