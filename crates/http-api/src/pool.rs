//! The threads for what can take long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

use crate::errors::ApiError;

/// A bound on how much runs at one time. Who waits here is counted by admission.
pub(crate) struct Pool {
    threads: Arc<Semaphore>,
}

impl Pool {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads: Arc::new(Semaphore::new(threads.clamp(1, Semaphore::MAX_PERMITS))) }
    }

    /// Runs `work` on a thread of its own as soon as one is free. A panic in it is a panic of the caller.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = Arc::clone(&self.threads).acquire_owned().await.map_err(|_| ApiError::defect())?;
        let done = tokio::task::spawn_blocking(move || {
            let outcome = work();
            drop(permit);
            outcome
        });
        match done.await {
            Ok(outcome) => Ok(outcome),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(ApiError::overloaded("the server is shutting down")),
            },
        }
    }
}

/// Tells work on another thread, when dropped, that nobody waits for it any more.
pub(crate) struct CancelOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
