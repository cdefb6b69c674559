//! The threads for what can take long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use threads::{run_anywhere, stand_back};
use tokio::runtime::Runtime;

use crate::line::{Line, Refused};

/// Threads for work that can take long, and the line for them.
pub(crate) struct Pool {
    pub(crate) line: Line,
    /// A runtime of which only the threads for blocking work are used: they have a priority of their own. `None` where it could not be
    /// made; the server's own runtime lends its threads then.
    threads: Option<Runtime>,
}

impl Pool {
    /// `niceness` is how far the threads stand back behind others for the processor, see [`stand_back`].
    pub(crate) fn new(line: Line, threads: usize, niceness: u8) -> Self {
        let name = line.what.replace(' ', "-");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(threads.max(1))
            .thread_name(name)
            .on_thread_start(move || {
                run_anywhere();
                stand_back(niceness);
            })
            .build();
        let threads =
            runtime.inspect_err(|error| tracing::warn!(%error, "no threads of their own for {}", line.what)).ok();
        Self { line, threads }
    }

    /// Runs `work` for a graph on a thread as soon as one is free. A panic in it is a panic of the caller.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        graph: Option<&str>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let place = self.line.enter(graph).await?;
        let work = move || {
            let outcome = work();
            drop(place);
            outcome
        };
        let done = match &self.threads {
            Some(threads) => threads.spawn_blocking(work),
            None => tokio::task::spawn_blocking(work),
        };
        match done.await {
            Ok(outcome) => Ok(outcome),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Refused::ShuttingDown),
            },
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Waiting for threads is not allowed on a runtime's own; what they still do sees the flag of the shutdown.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
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
