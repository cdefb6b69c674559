//! What is known of the log in the repository: shared by the thread that archives, tasks and metrics.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use parking_lot::Mutex;

/// What is known of the log in the repository.
#[derive(Debug, Default)]
pub struct LogState {
    /// The timeline that is being written.
    pub(crate) timeline: Mutex<Option<String>>,
    /// The timeline that the newest backup is in.
    pub(crate) based: Mutex<Option<String>>,
    pub(crate) until_ms: AtomicI64,
    pub(crate) waiting_bytes: AtomicU64,
    pub(crate) archived_bytes: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) breaks: AtomicU64,
}

impl LogState {
    /// The timeline that is being written now.
    pub(crate) fn timeline(&self) -> Option<String> {
        self.timeline.lock().clone()
    }

    /// A backup was made that is in a timeline.
    pub(crate) fn has_base(&self, timeline: String) {
        *self.based.lock() = Some(timeline);
    }

    /// Everything acknowledged before this moment is in the repository: milliseconds since 1970 UTC; 0: nothing yet.
    #[must_use]
    pub fn until_ms(&self) -> i64 {
        self.until_ms.load(Ordering::Relaxed)
    }

    /// Bytes of finished files of the log that wait to be archived.
    #[must_use]
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that were put into the repository.
    #[must_use]
    pub fn archived_bytes(&self) -> u64 {
        self.archived_bytes.load(Ordering::Relaxed)
    }

    /// Attempts that have failed.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Holes in the log.
    #[must_use]
    pub fn breaks(&self) -> u64 {
        self.breaks.load(Ordering::Relaxed)
    }
}
