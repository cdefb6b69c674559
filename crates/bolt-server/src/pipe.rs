//! Answers on their way from the thread of a transaction to its connection: a buffer that one side fills and the other
//! empties. What is in it can be taken at any time, so that nothing waits for more to come.

use std::sync::Arc;

use cypher_session::Gone;
use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use crate::limits::{PIECE_BYTES, WAITING_BYTES_MAX};

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A query runs.
    Opened,
    /// There are more rows.
    Paused,
    /// The result of the query of this number is through.
    Ended(i64),
    /// The transaction is committed or rolled back.
    Settled,
    /// The transaction has failed.
    Failed {
        /// Whether for lack of a right.
        is_denied: bool,
    },
}

/// Messages in the order of the tasks, and which tasks they end.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    pub(crate) outcomes: Vec<Outcome>,
}

impl Piece {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.outcomes.is_empty()
    }
}

#[derive(Default)]
struct State {
    piece: Piece,
    /// Whether the connection waits for the very next bytes.
    is_urgent: bool,
    is_reader_gone: bool,
    is_writer_gone: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ready: Notify,
    room: Condvar,
}

/// The side of the thread.
pub(crate) struct Filling {
    shared: Arc<Shared>,
    /// Whether it waits for room; if not, the reader counts as gone where there is none.
    waits: bool,
}

/// The side of the connection.
pub(crate) struct Emptying(Arc<Shared>);

/// Both sides.
pub(crate) fn pipe() -> (Filling, Emptying) {
    both(true)
}

/// Both sides, on one thread: what there is no room for is not taken.
pub(crate) fn pipe_of_one_thread() -> (Filling, Emptying) {
    both(false)
}

fn both(waits: bool) -> (Filling, Emptying) {
    let shared = Arc::new(Shared::default());
    (Filling { shared: Arc::clone(&shared), waits }, Emptying(shared))
}

impl Filling {
    /// Adds to what waits. Blocks while too much does.
    pub(crate) fn add(&self, write: impl FnOnce(&mut Piece)) -> Result<(), Gone> {
        let mut state = self.shared.state.lock();
        write(&mut state.piece);
        if state.is_urgent || state.piece.bytes.len() >= PIECE_BYTES {
            state.is_urgent = false;
            self.shared.ready.notify_one();
        }
        while state.piece.bytes.len() >= WAITING_BYTES_MAX && !state.is_reader_gone {
            if !self.waits {
                return Err(Gone);
            }
            self.shared.room.wait(&mut state);
        }
        if state.is_reader_gone { Err(Gone) } else { Ok(()) }
    }

    /// Nothing more comes for now.
    pub(crate) fn flush(&self) {
        self.shared.ready.notify_one();
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.shared.state.lock().is_writer_gone = true;
        self.shared.ready.notify_one();
    }
}

impl Emptying {
    /// What waits; none where nothing more comes.
    pub(crate) async fn take(&self) -> Option<Piece> {
        loop {
            self.0.ready.notified().await;
            if let Some(piece) = self.take_some(false) {
                return Some(piece);
            }
            if self.0.state.lock().is_writer_gone {
                // For whoever asks again.
                self.0.ready.notify_one();
                return None;
            }
        }
    }

    /// What waits at this moment. If it is nothing, the next bytes are told of at once.
    pub(crate) fn take_now(&self) -> Option<Piece> {
        self.take_some(true)
    }

    fn take_some(&self, is_urgent: bool) -> Option<Piece> {
        let mut state = self.0.state.lock();
        if state.piece.is_empty() {
            state.is_urgent = is_urgent;
            return None;
        }
        let piece = std::mem::take(&mut state.piece);
        if state.is_writer_gone {
            self.0.ready.notify_one();
        }
        drop(state);
        self.0.room.notify_one();
        Some(piece)
    }
}

impl Drop for Emptying {
    fn drop(&mut self) {
        self.0.state.lock().is_reader_gone = true;
        self.0.room.notify_one();
    }
}
