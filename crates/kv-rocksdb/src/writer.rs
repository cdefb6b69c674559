//! The commit queue: small batches that arrive while one write is under way share the next.
//!
//! One thread writes. It takes everything that waits, writes it as one record of the log (one fsync, where asked for), lets
//! go of what the batches held, and answers them all. If the write fails nothing of it was written, and all of them learn so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use kv::{Commit, CommitSender, KvError, WriteBatch};
use parking_lot::{Condvar, Mutex};

use crate::error::translate_io;
use crate::limits::{QUEUE_BATCHES_MAX, QUEUE_BYTES_MAX};
use crate::store::Store;

/// The writer thread and its queue. Dropping it writes what waits, then ends the thread.
pub(crate) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    work: Condvar,
    room: Condvar,
    groups: AtomicU64,
    batches: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    requests: Vec<Request>,
    bytes: usize,
    closed: bool,
}

struct Request {
    batch: WriteBatch,
    sender: CommitSender,
}

/// Figures of the queue.
pub(crate) struct QueueFigures {
    pub(crate) waiting_batches: usize,
    pub(crate) waiting_bytes: usize,
    pub(crate) groups_total: u64,
    pub(crate) batches_total: u64,
}

impl Writer {
    pub(crate) fn start(store: Arc<Store>) -> Result<Self, KvError> {
        let queue = Arc::new(Queue::default());
        let path = store.path.clone();
        let of_thread = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("kv-writer".to_owned())
            .spawn(move || write_groups(&store, &of_thread))
            .map_err(|error| translate_io(&path, "starting the writer thread", &error))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// Hands over a checked and sorted batch. Blocks while the queue is full: the writer empties it as fast as the disk
    /// allows, and a caller that was refused instead could only try again.
    pub(crate) fn submit(&self, batch: WriteBatch) -> Commit {
        let bytes = batch.bytes();
        let (sender, commit) = Commit::pending();
        let mut waiting = self.queue.waiting.lock();
        while !waiting.requests.is_empty()
            && (waiting.bytes + bytes > QUEUE_BYTES_MAX || waiting.requests.len() >= QUEUE_BATCHES_MAX)
        {
            self.queue.room.wait(&mut waiting);
        }
        waiting.requests.push(Request { batch, sender });
        waiting.bytes += bytes;
        drop(waiting);
        self.queue.work.notify_one();
        commit
    }

    pub(crate) fn figures(&self) -> QueueFigures {
        let waiting = self.queue.waiting.lock();
        QueueFigures {
            waiting_batches: waiting.requests.len(),
            waiting_bytes: waiting.bytes,
            groups_total: self.queue.groups.load(Ordering::Relaxed),
            batches_total: self.queue.batches.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.waiting.lock().closed = true;
        self.queue.work.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked; commits that waited were answered as closed");
        }
    }
}

fn write_groups(store: &Store, queue: &Queue) {
    let mut group = Vec::new();
    while queue.take(&mut group) {
        let outcome = store.write(group.iter().map(|request| &request.batch));
        queue.groups.fetch_add(1, Ordering::Relaxed);
        queue.batches.fetch_add(group.len() as u64, Ordering::Relaxed);
        for request in group.drain(..) {
            drop(request.batch);
            request.sender.send(outcome.clone());
        }
    }
    if let Err(error) = store.sync() {
        tracing::warn!(%error, "closing the store: the last writes may not survive a power cut");
    }
}

impl Queue {
    /// Waits for requests and takes all there are; false when there are none and none will come.
    fn take(&self, group: &mut Vec<Request>) -> bool {
        let mut waiting = self.waiting.lock();
        while waiting.requests.is_empty() {
            if waiting.closed {
                return false;
            }
            self.work.wait(&mut waiting);
        }
        std::mem::swap(&mut waiting.requests, group);
        waiting.bytes = 0;
        drop(waiting);
        self.room.notify_all();
        true
    }
}
