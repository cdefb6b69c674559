//! The threads for what can take long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use threads::{run_anywhere, stand_back};
use tokio::runtime::Runtime;
use traces::Place;

use crate::queue::{Permit, Queue, Refused};

/// Threads for work that can take long, and the queue for them.
pub struct Pool {
    queue: Queue,
    /// A runtime of which only the threads for blocking work are used: they have a priority of their own. `None` where
    /// it could not be made; the server's own runtime lends its threads then.
    threads: Option<Runtime>,
}

impl Pool {
    /// `niceness` is the CPU priority of the threads: 0 normal, 19 lowest; see [`stand_back`].
    pub fn new(queue: Queue, threads: usize, niceness: u8) -> Self {
        let name = queue.what.replace(' ', "-");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(threads.max(1))
            .thread_name(name)
            .on_thread_start(move || {
                run_anywhere();
                stand_back(niceness);
            })
            .build();
        let threads =
            runtime.inspect_err(|error| tracing::warn!(%error, "no threads of their own for {}", queue.what)).ok();
        Self { queue, threads }
    }

    /// How much waits for a thread.
    pub fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    /// The right to work for a graph on a thread of the caller's own, as soon as one of this pool would be free: for
    /// work that comes in parts and keeps its thread between them.
    pub async fn enter(&self, graph: Option<&str>) -> Result<Permit, Refused> {
        self.queue.enter(graph).await
    }

    /// Runs `work` for a graph on a thread as soon as one is free. A panic in it is a panic of the caller.
    pub async fn run<T: Send + 'static>(
        &self,
        graph: Option<&str>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let permit = self.queue.enter(graph).await?;
        let place = traces::here();
        let work = move || {
            let entered = place.as_ref().map(Place::enter);
            let outcome = work();
            drop(entered);
            drop(permit);
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

/// Threads that share the reading of one long query, one for each core; `None` where they cannot be made, and the
/// thread of the query reads alone. `niceness` is their CPU priority, as in [`Pool::new`].
pub(crate) fn readers(niceness: u8) -> Option<rayon::ThreadPool> {
    let start = move |_| {
        run_anywhere();
        stand_back(niceness);
    };
    let pool = rayon::ThreadPoolBuilder::new().thread_name(|number| format!("reader-{number}")).start_handler(start);
    pool.build().inspect_err(|error| tracing::warn!(%error, "no threads to read in parallel")).ok()
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Waiting for threads is not allowed on a runtime's own; what they still do sees the flag of the shutdown.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// Tells work on another thread, when dropped, that its request is gone.
pub struct CancelOnDrop(pub Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
