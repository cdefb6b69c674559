//! Turns: who has to wait, how many may, and who is next.
//!
//! A kind of work has so many places; who finds none waits in line, and when the line is full is refused at once. So overload costs those
//! who come too late an answer, not those who are being served their speed, and what waits is done soon after the overload ends.
//!
//! On an engine over a network every request waits for it, so all that touch storage stand in such lines. Then places are shared out among
//! graphs: with `k` graphs at work, each has at most the `k + 1`th part, so one more graph always finds a place.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use prometheus::IntCounter;
use tokio::sync::oneshot;

use crate::busy_poll::note_long_work;

/// How much runs at one time.
pub(crate) struct Places {
    pub(crate) places: usize,
    /// Whether graphs have shares.
    pub(crate) shared_out: bool,
}

/// How much waits.
pub(crate) struct Waits {
    /// The setting of `waiting_max`.
    pub(crate) setting: &'static str,
    pub(crate) waiting_max: usize,
    pub(crate) refused: IntCounter,
}

/// Why there is no thread for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// As much waits as the setting lets wait.
    #[error("{waiting_max} {what} wait for a thread already ({setting}); try again in a moment")]
    Full { what: &'static str, setting: &'static str, waiting_max: usize },
    /// Threads begin nothing any more.
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// A line for places of one kind.
pub(crate) struct Line {
    /// What stands in it, for errors.
    pub(crate) what: &'static str,
    turns: Arc<Turns>,
    waiting: AtomicUsize,
    waits: Waits,
}

/// Counts one who waits, until it has a place or goes away.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Line {
    pub(crate) fn new(what: &'static str, places: Places, waits: Waits) -> Self {
        Self { what, turns: Turns::new(places), waiting: AtomicUsize::new(0), waits }
    }

    /// A place for the work of a graph, as soon as one is free, in the order of asking; an error at once where too many wait already.
    pub(crate) async fn enter(&self, graph: Option<&str>) -> Result<Turn, Refused> {
        note_long_work();
        let mut given = match self.turns.ask(graph) {
            Ok(turn) => return Ok(turn),
            Err(given) => given,
        };
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        if before >= self.waits.waiting_max {
            // A turn may have come in the meantime.
            if let Ok(turn) = given.try_recv() {
                return Ok(turn);
            }
            return Err(self.refuse());
        }
        given.await.map_err(|_| Refused::ShuttingDown)
    }

    /// An error where so many wait already that one more would be refused: for who wants to know before it does the work of asking.
    pub(crate) fn check_room(&self) -> Result<(), Refused> {
        if self.waiting() < self.waits.waiting_max.max(1) { Ok(()) } else { Err(self.refuse()) }
    }

    fn refuse(&self) -> Refused {
        self.waits.refused.inc();
        Refused::Full { what: self.what, setting: self.waits.setting, waiting_max: self.waits.waiting_max }
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// Who has a thread and who waits for one. Work of no graph counts as that of the graph without a name.
struct Turns {
    threads: usize,
    shared_out: bool,
    /// The graph without a name.
    nameless: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    total: usize,
    running: HashMap<Arc<str>, usize>,
    /// In the order in which graphs get their next turn.
    waiting: VecDeque<(Arc<str>, VecDeque<oneshot::Sender<Turn>>)>,
}

/// A thread's worth of work; dropping it lets the next one begin.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    graph: Arc<str>,
    given: bool,
}

impl Turns {
    fn new(Places { places, shared_out }: Places) -> Arc<Self> {
        Arc::new(Self { threads: places.max(1), shared_out, nameless: Arc::from(""), state: Mutex::default() })
    }

    /// How many threads a graph may have now.
    fn share(&self, state: &State, graph: &str) -> usize {
        if !self.shared_out {
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

    /// A turn now, or a place in the queue.
    fn ask(self: &Arc<Self>, graph: Option<&str>) -> Result<Turn, oneshot::Receiver<Turn>> {
        let graph = &match graph {
            Some(graph) if self.shared_out => Arc::from(graph),
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

    fn begin(self: &Arc<Self>, state: &mut State, graph: &Arc<str>) -> Turn {
        state.total += 1;
        *state.running.entry(Arc::clone(graph)).or_default() += 1;
        Turn { turns: Arc::clone(self), graph: Arc::clone(graph), given: true }
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

    /// Gives what is free to those who wait, graph by graph.
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
                let turn = self.begin(state, &graph);
                // Who went away does not take it.
                if let Err(mut turn) = sender.send(turn) {
                    turn.given = false;
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

impl Drop for Turn {
    fn drop(&mut self) {
        if self.given {
            let mut state = self.turns.state.lock();
            Turns::end(&mut state, &self.graph);
            self.turns.give_out(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(places: usize, waiting_max: usize) -> Line {
        let refused = IntCounter::new("refused", "for a test").unwrap();
        let waits = Waits { setting: "server.waiting_queries_max", waiting_max, refused };
        Line::new("queries", Places { places, shared_out: false }, waits)
    }

    #[tokio::test]
    async fn who_comes_beyond_the_line_is_refused_at_once() {
        let line = line(1, 1);
        let first = line.enter(None).await.unwrap();
        let mut second = Box::pin(line.enter(None));
        assert!(futures_poll(second.as_mut()).await.is_none());
        assert_eq!(line.waiting(), 1);
        assert!(line.enter(None).await.is_err());
        assert_eq!((line.waiting(), line.waits.refused.get()), (1, 1));
        drop(first);
        drop(second.await.unwrap());
        assert_eq!(line.waiting(), 0);
        assert!(line.enter(None).await.is_ok());
    }

    #[tokio::test]
    async fn whether_there_is_room_can_be_asked_before() {
        let line = line(1, 1);
        let _first = line.enter(None).await.unwrap();
        assert!(line.check_room().is_ok());
        let mut second = Box::pin(line.enter(None));
        assert!(futures_poll(second.as_mut()).await.is_none());
        assert!(line.check_room().is_err());
        assert_eq!(line.waits.refused.get(), 1);
    }

    #[tokio::test]
    async fn who_goes_away_leaves_the_line() {
        let line = line(1, 1);
        let _first = line.enter(None).await.unwrap();
        let mut second = Box::pin(line.enter(None));
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

    fn turns(threads: usize) -> Arc<Turns> {
        Turns::new(Places { places: threads, shared_out: true })
    }

    #[test]
    fn one_graph_leaves_threads_for_another() {
        let turns = turns(6);
        let (slow, other) = (Some("slow"), Some("other"));
        let held: Vec<Turn> = std::iter::from_fn(|| turns.ask(slow).ok()).collect();
        assert_eq!(held.len(), 3, "half of all while it is alone");
        let first = turns.ask(other);
        assert!(first.is_ok());
        assert!(turns.ask(slow).is_err());
    }

    #[test]
    fn turns_go_round_and_pass_over_those_who_left() {
        let turns = turns(2);
        let (a, b) = (Some("a"), Some("b"));
        let held = turns.ask(a).ok();
        let left = turns.ask(a).err().unwrap();
        let mut waits = turns.ask(a).err().unwrap();
        drop(left);
        let other = turns.ask(b).ok();
        let mut last = turns.ask(b).err().unwrap();
        assert!(other.is_some() && waits.try_recv().is_err());
        drop(held);
        let given = waits.try_recv().unwrap();
        assert!(last.try_recv().is_err());
        drop(other);
        let second = last.try_recv().unwrap();
        drop((given, second));
        let state = turns.state.lock();
        assert_eq!((state.total, state.running.len(), state.waiting.len()), (0, 0, 0));
    }
}
