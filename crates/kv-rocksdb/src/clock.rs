//! The moments at which batches are handed over.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::record::stamp;

/// Moments that never go back while the process runs.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicI64);

impl Clock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let now = i64::try_from(since).unwrap_or(i64::MAX);
        self.0.fetch_max(now, Ordering::Relaxed).max(now)
    }

    /// The stamp of a batch that is handed over now.
    pub(crate) fn stamp(&self, breaks: bool) -> [u8; 12] {
        stamp(breaks, self.now_ms())
    }
}
