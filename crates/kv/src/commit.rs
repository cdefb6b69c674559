//! The outcome of a submitted batch: waited for by threads, awaited by tasks.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::KvError;

/// The pending outcome of [`crate::Engine::submit`]. Dropping it does not take the batch back.
#[must_use = "a write is only acknowledged when its commit has been waited for"]
#[derive(Debug)]
pub struct Commit(State);

#[derive(Debug)]
enum State {
    Done(Option<Result<(), KvError>>),
    Pending(oneshot::Receiver<Result<(), KvError>>),
}

/// The engine's side of a [`Commit`].
#[derive(Debug)]
pub struct CommitSender(oneshot::Sender<Result<(), KvError>>);

impl CommitSender {
    /// Reports the outcome. Nobody listening any more is fine.
    pub fn send(self, outcome: Result<(), KvError>) {
        drop(self.0.send(outcome));
    }
}

impl Commit {
    /// An outcome that is known already.
    pub fn done(outcome: Result<(), KvError>) -> Self {
        Self(State::Done(Some(outcome)))
    }

    /// An outcome that will be reported through the sender. A sender dropped without a word counts as [`KvError::Closed`].
    pub fn pending() -> (CommitSender, Self) {
        let (sender, receiver) = oneshot::channel();
        (CommitSender(sender), Self(State::Pending(receiver)))
    }

    /// Blocks until the batch has been written.
    pub fn wait(self) -> Result<(), KvError> {
        match self.0 {
            State::Done(outcome) => outcome.unwrap_or(Err(KvError::Closed)),
            State::Pending(receiver) => receiver.recv().unwrap_or(Err(KvError::Closed)),
        }
    }
}

impl Future for Commit {
    type Output = Result<(), KvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Done(outcome) => Poll::Ready(outcome.take().unwrap_or(Err(KvError::Closed))),
            State::Pending(receiver) => {
                Pin::new(receiver).poll(cx).map(|outcome| outcome.unwrap_or(Err(KvError::Closed)))
            }
        }
    }
}
