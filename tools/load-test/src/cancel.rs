//! Cancelling a run, which keeps its results so far.

use std::sync::Arc;

use tokio::sync::watch;

/// Tells all parts of a run to end. Clones are the same signal.
#[derive(Clone, Debug)]
pub struct Cancel {
    sender: Arc<watch::Sender<bool>>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }
}

impl Cancel {
    /// Cancels the run; repeating it is harmless.
    pub fn cancel(&self) {
        self.sender.send_replace(true);
    }

    /// Whether the run is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until the run is to end.
    pub async fn cancelled(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.sender.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}
