//! The threads for what can take long, and who gets the next one.
//!
//! On an engine over a network every request waits there, so all that touch storage run here. Then no graph gets all threads while others
//! want some: with `k` graphs at work, each has at most the `k + 1`th part, so one more graph always finds a thread.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::errors::ApiError;

/// A bound on how much runs at one time. Who waits here is counted by admission.
pub(crate) struct Pool {
    turns: Arc<Turns>,
}

/// Who has a thread and who waits for one. Work of no graph counts as that of the graph without a name.
struct Turns {
    threads: usize,
    /// Whether graphs have shares.
    shared_out: bool,
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
struct Turn {
    turns: Arc<Turns>,
    graph: Arc<str>,
    given: bool,
}

impl Turns {
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
    fn ask(self: &Arc<Self>, graph: &Arc<str>) -> Result<Turn, oneshot::Receiver<Turn>> {
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

impl Pool {
    /// So many threads, shared out among the graphs or not.
    pub(crate) fn new(threads: usize, shared_out: bool) -> Self {
        Self { turns: Arc::new(Turns { threads: threads.max(1), shared_out, state: Mutex::default() }) }
    }

    /// Runs `work` for a graph on a thread of its own as soon as one is free. A panic in it is a panic of the caller.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        graph: Option<&str>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let graph = Arc::from(graph.unwrap_or_default());
        let turn = match self.turns.ask(&graph) {
            Ok(turn) => turn,
            Err(given) => given.await.map_err(|_| ApiError::defect())?,
        };
        let done = tokio::task::spawn_blocking(move || {
            let outcome = work();
            drop(turn);
            outcome
        });
        match done.await {
            Ok(outcome) => Ok(outcome),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(ApiError::overloaded("the server is shutting down")),
            },
        }
    }
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

    fn turns(threads: usize) -> Arc<Turns> {
        Pool::new(threads, true).turns
    }

    #[test]
    fn one_graph_leaves_threads_for_another() {
        let turns = turns(6);
        let (slow, other) = (Arc::from("slow"), Arc::from("other"));
        let held: Vec<Turn> = std::iter::from_fn(|| turns.ask(&slow).ok()).collect();
        assert_eq!(held.len(), 3, "half of all while it is alone");
        let first = turns.ask(&other);
        assert!(first.is_ok());
        assert!(turns.ask(&slow).is_err());
    }

    #[test]
    fn turns_go_round_and_pass_over_those_who_left() {
        let turns = turns(2);
        let (a, b) = (Arc::from("a"), Arc::from("b"));
        let held = turns.ask(&a).ok();
        let left = turns.ask(&a).err().unwrap();
        let mut waits = turns.ask(&a).err().unwrap();
        drop(left);
        let other = turns.ask(&b).ok();
        let mut last = turns.ask(&b).err().unwrap();
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
