//! The commit queue: small batches that arrive close together share one write.
//!
//! Who waits for a batch takes everything that waits, writes it as one record of the log, lets go of what the batches
//! held, and answers them all; others that come meanwhile leave theirs to it. If the write fails nothing of it was
//! written, and all of them learn so.
//!
//! A thread of its own writes what may take long: with an fsync for each write, when much waits, when RocksDB would
//! make the writer wait, and what nobody waits for any more. The two never write at the same time, so batches are
//! written in the order they came.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use kv::{Commit, CommitQueue, CommitSender, KvError, WriteBatch};
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::error::translate_io;
use crate::limits::{LED_BATCH_BYTES_MAX, LED_BYTES_MAX, LED_GROUPS_MAX, QUEUE_BATCHES_MAX, QUEUE_BYTES_MAX};
use crate::store::{Patience, Store};

/// The queue and its thread. Dropping it writes what waits, then ends the thread.
pub(crate) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
    /// Whether those who wait may write.
    led_by_waiters: bool,
}

struct Queue {
    /// Commits that outlive the engine must not keep the database open.
    store: Weak<Store>,
    waiting: Mutex<Waiting>,
    call: Condvar,
    room: Condvar,
    /// Held by the one that takes from the queue and writes.
    leading: Mutex<Group>,
    groups: AtomicU64,
    batches: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    requests: Vec<Request>,
    bytes: usize,
    /// The thread has been asked to write what waits.
    called: bool,
    closed: bool,
}

struct Request {
    batch: WriteBatch,
    sender: CommitSender,
}

/// What is being written. Kept for its capacity.
type Group = Vec<Request>;

/// Figures of the queue.
pub(crate) struct QueueFigures {
    pub(crate) waiting_batches: usize,
    pub(crate) waiting_bytes: usize,
    pub(crate) groups_total: u64,
    pub(crate) batches_total: u64,
}

impl Writer {
    /// `led_by_waiters`: writing is quick, so those who wait may do it.
    pub(crate) fn start(store: &Arc<Store>, led_by_waiters: bool) -> Result<Self, KvError> {
        let queue = Arc::new(Queue {
            store: Arc::downgrade(store),
            waiting: Mutex::default(),
            call: Condvar::new(),
            room: Condvar::new(),
            leading: Mutex::default(),
            groups: AtomicU64::new(0),
            batches: AtomicU64::new(0),
        });
        let (of_thread, store) = (Arc::clone(&queue), Arc::clone(store));
        let path = store.path.clone();
        let thread = std::thread::Builder::new()
            .name("kv-writer".to_owned())
            .spawn(move || write_when_called(&store, &of_thread))
            .map_err(|error| translate_io(&path, "starting the writer thread", &error))?;
        Ok(Self { queue, thread: Some(thread), led_by_waiters })
    }

    /// Hands over a checked and sorted batch. Blocks while the queue is full: it is emptied as fast as the disk allows,
    /// and a caller that was refused instead could only try again.
    pub(crate) fn submit(&self, batch: WriteBatch) -> Commit {
        let bytes = batch.bytes();
        let led = self.led_by_waiters && bytes <= LED_BATCH_BYTES_MAX;
        let (sender, commit) = if led { Commit::queued(Arc::<Queue>::clone(&self.queue)) } else { Commit::pending() };
        let mut waiting = self.queue.waiting.lock();
        while !waiting.requests.is_empty()
            && (waiting.bytes + bytes > QUEUE_BYTES_MAX || waiting.requests.len() >= QUEUE_BATCHES_MAX)
        {
            self.queue.call_thread(&mut waiting);
            self.queue.room.wait(&mut waiting);
        }
        waiting.requests.push(Request { batch, sender });
        waiting.bytes += bytes;
        if !led {
            self.queue.call_thread(&mut waiting);
        }
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
        self.queue.call.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked; commits that waited were answered as closed");
        }
        // Who is about to lead sees that there is nothing; who is at it has let go of the store.
        self.queue.waiting.lock().requests.clear();
        drop(self.queue.leading.lock());
    }
}

fn write_when_called(store: &Store, queue: &Queue) {
    while queue.wait_for_call() {
        // Who finds the lead taken leaves its batch to whoever has it, which may happen as late as when it is let go.
        while !queue.waiting.lock().requests.is_empty() {
            let mut lead = Lead { queue, group: queue.leading.lock() };
            while queue.take(&mut lead.group, usize::MAX) {
                let outcome = store.write(lead.group.iter().map(|request| &request.batch), Patience::Waits);
                queue.answer(&mut lead.group, &outcome);
            }
        }
    }
    if let Err(error) = store.sync() {
        tracing::warn!(%error, "closing the store: the last writes may not survive a power cut");
    }
}

impl Queue {
    fn call_thread(&self, waiting: &mut Waiting) {
        if !std::mem::replace(&mut waiting.called, true) {
            self.call.notify_one();
        }
    }

    /// For the thread: waits until it is called; false at the end, when nothing waits any more.
    fn wait_for_call(&self) -> bool {
        let mut waiting = self.waiting.lock();
        while !waiting.called {
            if waiting.closed {
                return !waiting.requests.is_empty();
            }
            self.call.wait(&mut waiting);
        }
        waiting.called = false;
        true
    }

    /// Takes all that waits, if it is at most so much; false if there is nothing to take. What is too much is left to
    /// the thread.
    fn take(&self, group: &mut Group, bytes_max: usize) -> bool {
        let mut waiting = self.waiting.lock();
        if waiting.requests.is_empty() {
            return false;
        }
        if waiting.bytes > bytes_max {
            self.call_thread(&mut waiting);
            return false;
        }
        std::mem::swap(&mut waiting.requests, group);
        waiting.bytes = 0;
        drop(waiting);
        self.room.notify_all();
        true
    }

    /// Puts a group back to where it came from, before what has come since, and leaves it to the thread.
    fn give_back(&self, group: &mut Group) {
        let mut waiting = self.waiting.lock();
        waiting.bytes += group.iter().map(|request| request.batch.bytes()).sum::<usize>();
        group.append(&mut waiting.requests);
        std::mem::swap(&mut waiting.requests, group);
        self.call_thread(&mut waiting);
    }

    fn answer(&self, group: &mut Group, outcome: &Result<(), KvError>) {
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.batches.fetch_add(group.len() as u64, Ordering::Relaxed);
        for request in group.drain(..) {
            drop(request.batch);
            request.sender.send(outcome.clone());
        }
    }

    /// Writes what waits; false if the thread has to go on.
    fn lead(&self, group: &mut Group) -> bool {
        if self.waiting.lock().closed {
            return false;
        }
        let Some(store) = self.store.upgrade() else { return false };
        for _ in 0..LED_GROUPS_MAX {
            if !self.take(group, LED_BYTES_MAX) {
                return true;
            }
            match store.write(group.iter().map(|request| &request.batch), Patience::Fails) {
                Err(KvError::Unavailable { .. }) => {
                    self.give_back(group);
                    return true;
                }
                outcome => self.answer(group, &outcome),
            }
        }
        false
    }
}

impl CommitQueue for Queue {
    fn write_waiting(&self) {
        loop {
            // Whoever has the lead looks at the queue again after letting it go.
            let Some(group) = self.leading.try_lock() else { return };
            let mut lead = Lead { queue: self, group };
            let done = self.lead(&mut lead.group);
            drop(lead);
            let mut waiting = self.waiting.lock();
            if waiting.requests.is_empty() || waiting.called {
                return;
            }
            if !done {
                self.call_thread(&mut waiting);
                return;
            }
        }
    }

    fn abandoned(&self) {
        let mut waiting = self.waiting.lock();
        if !waiting.requests.is_empty() {
            self.call_thread(&mut waiting);
        }
    }
}

/// The right to take from the queue and write. If a write panics, what it had taken is answered as closed, and the
/// thread goes on with what was left to the one that panicked.
struct Lead<'q> {
    queue: &'q Queue,
    group: MutexGuard<'q, Group>,
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.group.clear();
        if std::thread::panicking() {
            self.queue.call_thread(&mut self.queue.waiting.lock());
        }
    }
}
