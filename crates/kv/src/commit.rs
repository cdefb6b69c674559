//! The outcome of a submitted batch: waited for by threads, awaited by tasks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::KvError;

/// The pending outcome of [`crate::Engine::submit`]. Dropping it does not cancel the batch.
#[must_use = "a write is only acknowledged when its commit has been waited for"]
pub struct Commit(State);

enum State {
    Done(Option<Result<(), KvError>>),
    Pending {
        receiver: oneshot::Receiver<Result<(), KvError>>,
        /// The queue of the batch, if its waiter may write it.
        queue: Option<Arc<dyn CommitQueue>>,
        /// Whether the task has yielded to others once.
        yielded: bool,
    },
}

/// A queue of batches for a group commit led by one of the waiters, which saves the way to a writer thread and back.
pub trait CommitQueue: Send + Sync {
    /// Writes everything queued in the calling thread, unless another thread is doing so, and reports to the waiters of
    /// all batches written. Everything in the queue when it is called will be written, by this call or the other
    /// thread.
    fn write_waiting(&self);

    /// Called when a batch in the queue has no waiter any more. It must still be written, but not in the calling
    /// thread.
    fn abandoned(&self);
}

/// The engine's side of a [`Commit`].
#[derive(Debug)]
pub struct CommitSender(oneshot::Sender<Result<(), KvError>>);

impl CommitSender {
    /// Reports the outcome; there need not be a waiter any more.
    pub fn send(self, outcome: Result<(), KvError>) {
        drop(self.0.send(outcome));
    }
}

impl Commit {
    /// An outcome that is already known.
    pub fn done(outcome: Result<(), KvError>) -> Self {
        Self(State::Done(Some(outcome)))
    }

    /// An outcome that will be reported through the sender. Dropping the sender without a report counts as
    /// [`KvError::Closed`].
    pub fn pending() -> (CommitSender, Self) {
        Self::reported(None)
    }

    /// The same for a batch that will be added to `queue` and written by its first waiter.
    pub fn queued(queue: Arc<dyn CommitQueue>) -> (CommitSender, Self) {
        Self::reported(Some(queue))
    }

    fn reported(queue: Option<Arc<dyn CommitQueue>>) -> (CommitSender, Self) {
        let (sender, receiver) = oneshot::channel();
        (CommitSender(sender), Self(State::Pending { receiver, queue, yielded: false }))
    }

    /// Blocks until the batch has been written.
    pub fn wait(mut self) -> Result<(), KvError> {
        match std::mem::replace(&mut self.0, State::Done(None)) {
            State::Done(outcome) => outcome.unwrap_or(Err(KvError::Closed)),
            State::Pending { receiver, queue, .. } => {
                if let Some(queue) = queue {
                    queue.write_waiting();
                }
                receiver.recv().unwrap_or(Err(KvError::Closed))
            }
        }
    }
}

impl Future for Commit {
    type Output = Result<(), KvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = match &mut self.0 {
            State::Done(outcome) => return Poll::Ready(outcome.take().unwrap_or(Err(KvError::Closed))),
            State::Pending { receiver, queue, yielded } => match (Pin::new(&mut *receiver).poll(cx), queue) {
                // Requests that have arrived in the meantime add their batches first, so that all share one write.
                (Poll::Pending, Some(_)) if !*yielded => {
                    *yielded = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                (Poll::Pending, Some(queue)) => {
                    queue.write_waiting();
                    Pin::new(receiver).poll(cx)
                }
                (polled, _) => polled,
            },
        };
        if polled.is_ready() {
            self.0 = State::Done(None);
        }
        polled.map(|outcome| outcome.unwrap_or(Err(KvError::Closed)))
    }
}

impl Drop for Commit {
    fn drop(&mut self) {
        if let State::Pending { queue: Some(queue), .. } = &self.0 {
            queue.abandoned();
        }
    }
}

impl std::fmt::Debug for Commit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            State::Done(_) => "Commit(done)",
            State::Pending { .. } => "Commit(pending)",
        })
    }
}
