//! Queues: work waits in a bounded queue for one of a fixed number of slots.
//!
//! Work of one kind has a fixed number of slots. Without a free one it waits, and when the queue is full it is refused
//! at once. So overload costs each late request an answer, requests at work keep their speed, and what waits is done
//! soon after the overload ends.
//!
//! On an engine over a network every request waits for it, so all that touch storage wait in such queues. Then slots
//! are divided among graphs: with `k` graphs at work, each has at most the `k + 1`th part, so one more graph always
//! finds a slot.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use prometheus::IntCounter;
use tokio::sync::oneshot;

use crate::busy_poll::note_long_work;

/// How much runs at one time.
pub struct Slots {
    /// How many slots there are; at least 1.
    pub slots: usize,
    /// Whether they are divided among graphs.
    pub divided: bool,
}

/// How much waits.
pub struct Waits {
    /// The setting of `waiting_max`.
    pub setting: &'static str,
    /// How many wait before one more is refused.
    pub waiting_max: usize,
    /// Counts what is refused.
    pub refused: IntCounter,
}

/// Why there is no thread for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// As much waits as the setting lets wait.
    #[error("{waiting_max} {what} wait for a thread already ({setting}); try again in a moment")]
    Full {
        /// What waits.
        what: &'static str,
        /// The setting that bounds it.
        setting: &'static str,
        /// Its value.
        waiting_max: usize,
    },
    /// Threads begin nothing any more.
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// Slots for work of one kind, and the queue for them.
pub struct Queue {
    /// What waits in it, for errors and the names of threads.
    pub what: &'static str,
    permits: Arc<Permits>,
    waiting: AtomicUsize,
    waits: Waits,
}

/// Counts one that waits, until it has a slot or is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Queue {
    /// A queue for `what`.
    pub fn new(what: &'static str, slots: Slots, waits: Waits) -> Self {
        Self { what, permits: Permits::new(slots), waiting: AtomicUsize::new(0), waits }
    }

    /// A slot for the work of a graph, as soon as one is free, in the order of asking; an error at once where too many
    /// wait already.
    pub async fn enter(&self, graph: Option<&str>) -> Result<Permit, Refused> {
        note_long_work();
        let mut span = traces::span("queue");
        let mut given = match self.permits.ask(graph) {
            Ok(permit) => return Ok(permit),
            Err(given) => given,
        };
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        if let Some(span) = &mut span {
            span.note("rhizome.queue.before", before as u64);
        }
        let _waiting = Waiting(&self.waiting);
        if before >= self.waits.waiting_max {
            // A permit may have come in the meantime.
            if let Ok(permit) = given.try_recv() {
                return Ok(permit);
            }
            return Err(self.refuse());
        }
        given.await.map_err(|_| Refused::ShuttingDown)
    }

    /// An error where one more would be refused: to be asked before a body is read.
    pub fn check_room(&self) -> Result<(), Refused> {
        if self.waiting() < self.waits.waiting_max.max(1) { Ok(()) } else { Err(self.refuse()) }
    }

    fn refuse(&self) -> Refused {
        self.waits.refused.inc();
        Refused::Full { what: self.what, setting: self.waits.setting, waiting_max: self.waits.waiting_max }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// What runs and what waits. Work of no graph counts as that of the graph without a name.
struct Permits {
    threads: usize,
    divided: bool,
    /// The graph without a name.
    nameless: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    total: usize,
    running: HashMap<Arc<str>, usize>,
    /// In the order in which graphs get their next permit.
    waiting: VecDeque<(Arc<str>, VecDeque<oneshot::Sender<Permit>>)>,
}

/// The right to run; dropping it lets the next one begin.
pub struct Permit {
    permits: Arc<Permits>,
    graph: Arc<str>,
    given: bool,
}

impl Permits {
    fn new(Slots { slots, divided }: Slots) -> Arc<Self> {
        Arc::new(Self { threads: slots.max(1), divided, nameless: Arc::from(""), state: Mutex::default() })
    }

    /// How many threads a graph may have now.
    fn share(&self, state: &State, graph: &str) -> usize {
        if !self.divided {
            return self.threads;
        }
        let waiting = state.waiting.iter().filter(|(name, _)| !state.running.contains_key(name)).count();
        let known = state.running.contains_key(graph) || state.waiting.iter().any(|(name, _)| **name == *graph);
        let graphs = state.running.len() + waiting + usize::from(!known);
        (self.threads / (graphs + 1)).max(1)
    }

    fn may_run(&self, state: &State, graph: &str) -> bool {
        state.total < self.threads && state.running.get(graph).copied().unwrap_or_default() < self.share(state, graph)
    }

    /// A permit now, or what waits for one.
    fn ask(self: &Arc<Self>, graph: Option<&str>) -> Result<Permit, oneshot::Receiver<Permit>> {
        let graph = &match graph {
            Some(graph) if self.divided => Arc::from(graph),
            _ => Arc::clone(&self.nameless),
        };
        let mut state = self.state.lock();
        let queued = state.waiting.iter().any(|(name, _)| name == graph);
        if !queued && self.may_run(&state, graph) {
            return Ok(self.begin(&mut state, graph));
        }
        let (sender, receiver) = oneshot::channel();
        match state.waiting.iter_mut().find(|(name, _)| name == graph) {
            Some((_, queue)) => queue.push_back(sender),
            None => state.waiting.push_back((Arc::clone(graph), VecDeque::from([sender]))),
        }
        Err(receiver)
    }

    fn begin(self: &Arc<Self>, state: &mut State, graph: &Arc<str>) -> Permit {
        state.total += 1;
        *state.running.entry(Arc::clone(graph)).or_default() += 1;
        Permit { permits: Arc::clone(self), graph: Arc::clone(graph), given: true }
    }

    fn end(state: &mut State, graph: &Arc<str>) {
        state.total -= 1;
        if let Some(count) = state.running.get_mut(graph) {
            *count -= 1;
            if *count == 0 {
                state.running.remove(graph);
            }
        }
    }

    /// Gives free slots to what waits, graph by graph.
    fn give_out(self: &Arc<Self>, state: &mut State) {
        let mut refused = 0;
        while refused < state.waiting.len() {
            let Some((graph, mut queue)) = state.waiting.pop_front() else { return };
            if !self.may_run(state, &graph) {
                refused += 1;
                state.waiting.push_back((graph, queue));
                continue;
            }
            if let Some(sender) = queue.pop_front() {
                let permit = self.begin(state, &graph);
                // A request that went away does not take it.
                if let Err(mut permit) = sender.send(permit) {
                    permit.given = false;
                    Self::end(state, &graph);
                } else {
                    refused = 0;
                }
            }
            if !queue.is_empty() {
                state.waiting.push_back((graph, queue));
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.given {
            let mut state = self.permits.state.lock();
            Permits::end(&mut state, &self.graph);
            self.permits.give_out(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(slots: usize, waiting_max: usize) -> Queue {
        let refused = IntCounter::new("refused", "for a test").unwrap();
        let waits = Waits { setting: "server.waiting_queries_max", waiting_max, refused };
        Queue::new("queries", Slots { slots, divided: false }, waits)
    }

    #[tokio::test]
    async fn work_beyond_the_queue_is_refused_at_once() {
        let queue = queue(1, 1);
        let first = queue.enter(None).await.unwrap();
        let mut second = Box::pin(queue.enter(None));
        assert!(futures_poll(second.as_mut()).await.is_none());
        assert_eq!(queue.waiting(), 1);
        assert!(queue.enter(None).await.is_err());
        assert_eq!((queue.waiting(), queue.waits.refused.get()), (1, 1));
        drop(first);
        drop(second.await.unwrap());
        assert_eq!(queue.waiting(), 0);
        assert!(queue.enter(None).await.is_ok());
    }

    #[tokio::test]
    async fn whether_there_is_room_can_be_asked_before() {
        let queue = queue(1, 1);
        let _first = queue.enter(None).await.unwrap();
        assert!(queue.check_room().is_ok());
        let mut second = Box::pin(queue.enter(None));
        assert!(futures_poll(second.as_mut()).await.is_none());
        assert!(queue.check_room().is_err());
        assert_eq!(queue.waits.refused.get(), 1);
    }

    #[tokio::test]
    async fn work_that_is_dropped_leaves_the_queue() {
        let queue = queue(1, 1);
        let _first = queue.enter(None).await.unwrap();
        let mut second = Box::pin(queue.enter(None));
        assert!(futures_poll(second.as_mut()).await.is_none());
        drop(second);
        assert_eq!(queue.waiting(), 0);
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

    fn permits(threads: usize) -> Arc<Permits> {
        Permits::new(Slots { slots: threads, divided: true })
    }

    #[test]
    fn one_graph_leaves_threads_for_another() {
        let permits = permits(6);
        let (slow, other) = (Some("slow"), Some("other"));
        let held: Vec<Permit> = std::iter::from_fn(|| permits.ask(slow).ok()).collect();
        assert_eq!(held.len(), 3, "half of all while it is alone");
        let first = permits.ask(other);
        assert!(first.is_ok());
        assert!(permits.ask(slow).is_err());
    }

    #[test]
    fn turns_go_round_and_pass_over_those_who_left() {
        let permits = permits(2);
        let (a, b) = (Some("a"), Some("b"));
        let held = permits.ask(a).ok();
        let left = permits.ask(a).err().unwrap();
        let mut waits = permits.ask(a).err().unwrap();
        drop(left);
        let other = permits.ask(b).ok();
        let mut last = permits.ask(b).err().unwrap();
        assert!(other.is_some() && waits.try_recv().is_err());
        drop(held);
        let given = waits.try_recv().unwrap();
        assert!(last.try_recv().is_err());
        drop(other);
        let second = last.try_recv().unwrap();
        drop((given, second));
        let state = permits.state.lock();
        assert_eq!((state.total, state.running.len(), state.waiting.len()), (0, 0, 0));
    }
}
