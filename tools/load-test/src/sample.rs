//! Single requests, for more detail than figures: a bounded, evenly thinned selection of each row's samples.

use std::sync::Arc;

use crate::result::ErrorClass;

/// One request that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When it was sent (open driver: when it should have been), in milliseconds since 1970 in UTC.
    pub started_at_ms: u64,
    /// Until the last byte of the answer, or until it failed.
    pub elapsed_us: u64,
    /// Until the first bytes of the answer's head were read; 0 if none came.
    pub first_byte_us: u64,
    /// Time spent on making a connection; 0 on a kept one.
    pub connect_us: u64,
    /// Name of the request.
    pub label: Arc<str>,
    /// HTTP status; 0 if there was no answer.
    pub status: u16,
    /// How it failed; `None` if it went well.
    pub error: Option<ErrorClass>,
    /// Received, head of the answer included.
    pub bytes: u64,
    /// Sent, head of the request included.
    pub sent_bytes: u64,
    /// Number of the user, from 0.
    pub user: u32,
    /// Users of this row.
    pub users: u32,
}

impl Sample {
    /// Whether it went well.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }
}

/// The samples of one row that were kept: all of them, or every `stride`-th.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSamples {
    /// In the order of their ends, roughly (threads are put one after another, then sorted by start).
    pub samples: Vec<Sample>,
    /// One in this many requests was kept; 1 means all.
    pub stride: u64,
}
