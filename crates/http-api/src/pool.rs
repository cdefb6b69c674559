//! Turns: who has to wait for a thread, how many may, and the threads for what can take long.
//!
//! A kind of work has so many places; who finds none waits in line, and when the line is full is refused at once. So overload costs those
//! who come too late an answer, not those who are being served their speed, and what waits is done soon after the overload ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use prometheus::IntCounter;
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::errors::ApiError;

/// A line for places of one kind.
pub(crate) struct Line {
    /// What stands in it, for errors.
    pub(crate) what: &'static str,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
    /// The setting of `waiting_max`.
    setting: &'static str,
    refused: IntCounter,
}

/// Counts one who waits, until it has a place or goes away.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Line {
    pub(crate) fn new(
        what: &'static str,
        places: usize,
        (setting, waiting_max): (&'static str, usize),
        refused: IntCounter,
    ) -> Self {
        let places = Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS)));
        Self { what, places, waiting: AtomicUsize::new(0), waiting_max, setting, refused }
    }

    /// A place, as soon as one is free, in the order of asking; an error at once where too many wait already.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(place);
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        if before >= self.waiting_max {
            self.refused.inc();
            return Err(ApiError::overloaded(format!(
                "{} {} wait for a thread already ({}); try again in a moment",
                self.waiting_max, self.what, self.setting
            )));
        }
        Arc::clone(&self.places).acquire_owned().await.map_err(|_| ApiError::defect())
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// Threads for work that can take long, and the line for them.
pub(crate) struct Pool {
    pub(crate) line: Line,
    /// A runtime of which only the threads for blocking work are used: they have a priority of their own. `None` where it could not be
    /// made; the server's own runtime lends its threads then.
    threads: Option<Runtime>,
}

impl Pool {
    /// `niceness` is how far the threads stand back behind others for the processor: 0 not at all, 19 as far as possible.
    pub(crate) fn new(line: Line, threads: usize, niceness: u8) -> Self {
        let name = line.what.replace(' ', "-");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(threads.max(1))
            .thread_name(name)
            .on_thread_start(move || stand_back(niceness))
            .build();
        let threads =
            runtime.inspect_err(|error| tracing::warn!(%error, "no threads of their own for {}", line.what)).ok();
        Self { line, threads }
    }

    /// Runs `work` on a thread as soon as one is free. A panic in it is a panic of the caller.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let place = self.line.enter().await?;
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
                Err(_) => Err(ApiError::overloaded("the server is shutting down")),
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

/// Makes the calling thread stand back behind others for the processor.
pub(crate) fn stand_back(niceness: u8) {
    #[cfg(target_os = "linux")]
    if niceness > 0
        // On Linux a thread has a niceness of its own, and no process means the calling thread.
        && let Err(error) = rustix::process::setpriority_process(None, i32::from(niceness))
    {
        tracing::debug!(%error, "a thread keeps its priority");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// Tells work on another thread, when dropped, that nobody waits for it any more.
pub(crate) struct CancelOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(places: usize, waiting_max: usize) -> Line {
        let refused = IntCounter::new("refused", "for a test").unwrap();
        Line::new("queries", places, ("server.waiting_queries_max", waiting_max), refused)
    }

    #[tokio::test]
    async fn who_comes_beyond_the_line_is_refused_at_once() {
        let line = line(1, 1);
        let first = line.enter().await.unwrap();
        let mut second = Box::pin(line.enter());
        assert!(futures_poll(second.as_mut()).await.is_none());
        assert_eq!(line.waiting(), 1);
        assert!(line.enter().await.is_err());
        assert_eq!((line.waiting(), line.refused.get()), (1, 1));
        drop(first);
        drop(second.await.unwrap());
        assert_eq!(line.waiting(), 0);
        assert!(line.enter().await.is_ok());
    }

    #[tokio::test]
    async fn who_goes_away_leaves_the_line() {
        let line = line(1, 1);
        let _first = line.enter().await.unwrap();
        let mut second = Box::pin(line.enter());
        assert!(futures_poll(second.as_mut()).await.is_none());
        drop(second);
        assert_eq!(line.waiting(), 0);
    }

    /// Polls once.
    async fn futures_poll<F: Future + Unpin>(mut future: F) -> Option<F::Output> {
        std::future::poll_fn(|context| {
            let polled = std::pin::Pin::new(&mut future).poll(context);
            std::task::Poll::Ready(match polled {
                std::task::Poll::Ready(output) => Some(output),
                std::task::Poll::Pending => None,
            })
        })
        .await
    }
}
