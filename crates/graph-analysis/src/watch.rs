//! Who may stop an analysis, and who is told how far it is.

use analytics::{Progress, Stop, Watch};
use graph_store::StoreError;
use parking_lot::Mutex;

use crate::AnalysisError;

/// Who may stop an analysis, and who is told how far it is. Asked from all threads that work for it.
pub trait Observer: Sync {
    /// Whether to go on.
    ///
    /// # Errors
    /// [`StoreError::Cancelled`], [`StoreError::Timeout`].
    fn check(&self) -> Result<(), StoreError>;

    /// Is told how many more rows of the store have been read.
    fn rows(&self, _more: u64) {}

    /// Is told how far the algorithm is.
    fn progress(&self, _at: Progress) {}
}

/// Nobody stops it.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// An observer as the watch of an algorithm. It keeps why the algorithm was stopped.
pub(crate) struct Watching<'a> {
    observer: &'a dyn Observer,
    reason: Mutex<Option<StoreError>>,
}

impl<'a> Watching<'a> {
    pub(crate) fn new(observer: &'a dyn Observer) -> Self {
        Self { observer, reason: Mutex::new(None) }
    }

    /// An error of an algorithm; where it was stopped, the reason.
    pub(crate) fn explained(&self, error: AnalysisError) -> AnalysisError {
        match self.reason.lock().take() {
            Some(reason) => AnalysisError::Store(reason),
            None => error,
        }
    }
}

impl Watch for Watching<'_> {
    fn check(&self) -> Result<(), Stop> {
        self.observer.check().map_err(|reason| {
            self.reason.lock().get_or_insert(reason);
            Stop::Cancelled
        })
    }

    fn progress(&self, at: Progress) {
        self.observer.progress(at);
    }
}
