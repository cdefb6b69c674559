//! The commit queue: small batches that arrive close together share one write.
//!
//! A waiter leads the group commit: it takes everything queued, writes it as one record of the log, releases the guards
//! of the batches and reports to all waiters; batches that arrive in the meantime are left to it. If the write fails,
//! none of the group was written, and all of its waiters get the error.
//!
//! A writer thread does what may take long: writes with an fsync each, long queues, writes that RocksDB would stall,
//! and batches without a waiter. It never writes at the same time as a waiter, so batches are written in order of
//! arrival.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use kv::{Commit, CommitQueue, CommitSender, KvError, WriteBatch};
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::error::translate_io;
use crate::limits::{LED_BATCH_BYTES_MAX, LED_BYTES_MAX, LED_GROUPS_MAX, QUEUE_BATCHES_MAX, QUEUE_BYTES_MAX};
use crate::store::{Patience, Store};

/// The queue and its thread. Dropping it writes everything queued, then ends the thread.
pub(crate) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
    /// Whether waiters may write.
    led_by_waiters: bool,
}

struct Queue {
    /// Commits that outlive the engine must not keep the database open.
    store: Weak<Store>,
    waiting: Mutex<Waiting>,
    call: Condvar,
    room: Condvar,
    /// Held by the thread that takes from the queue and writes.
    leading: Mutex<Group>,
    groups: AtomicU64,
    batches: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    requests: Vec<Request>,
    bytes: usize,
    /// The writer thread has been asked to write the queue.
    called: bool,
    closed: bool,
}

struct Request {
    batch: WriteBatch,
    sender: CommitSender,
}

/// The group being written. Kept for its capacity.
type Group = Vec<Request>;

/// Statistics of the queue.
pub(crate) struct QueueFigures {
    pub(crate) waiting_batches: usize,
    pub(crate) waiting_bytes: usize,
    pub(crate) groups_total: u64,
    pub(crate) batches_total: u64,
}

impl Writer {
    /// `led_by_waiters`: writing is quick, so waiters may do it.
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

    /// Queues a checked and sorted batch. Blocks while the queue is full: it drains as fast as the disk allows, and a
    /// rejected caller could only retry.
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
        // A thread about to lead finds an empty queue; one that was leading has released the store.
        self.queue.waiting.lock().requests.clear();
        drop(self.queue.leading.lock());
    }
}

fn write_when_called(store: &Store, queue: &Queue) {
    while queue.wait_for_call() {
        // If the lead is taken, the batch is left to the current leader, which may be just about to release it.
        while !queue.waiting.lock().requests.is_empty() {
            let mut lead = Lead { queue, group: queue.leading.lock() };
            while queue.take(&mut lead.group, usize::MAX) {
                let outcome = store.write(lead.group.iter().map(|request| &request.batch), Patience::Waits);
                queue.answer(&mut lead.group, &outcome);
            }
        }
    }
    if let Err(error) = store.sync() {
        tracing::warn!(%error, "closing the store: the last writes may not survive a power failure");
    }
}

impl Queue {
    fn call_thread(&self, waiting: &mut Waiting) {
        if !std::mem::replace(&mut waiting.called, true) {
            self.call.notify_one();
        }
    }

    /// For the writer thread: waits until it is needed; false at shutdown, once the queue is empty.
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

    /// Takes everything queued if it is within the limit; false if there is nothing to take. Larger groups are left to
    /// the writer thread.
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

    /// Puts a group back at the front of the queue and leaves it to the writer thread.
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
        for mut request in group.drain(..) {
            request.batch.take_guards().release(outcome.is_ok());
            drop(request.batch);
            request.sender.send(outcome.clone());
        }
    }

    /// Writes everything queued; false if the writer thread has to continue.
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
            // The leader checks the queue again after releasing the lead.
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

/// The right to take from the queue and write. If a write panics, the waiters of its group get an error, and the writer
/// thread continues with the rest of the queue.
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
