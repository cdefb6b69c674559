//! The queue of the tasks of all graphs, before the threads that run them.
//!
//! A few threads serve all graphs of a store; of one graph at most one task runs at a time, so a long task holds up its
//! own graph's tasks only. What waits when the store is closed, and what is stopped by that, is resumed by the next
//! start.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use key_codec::GraphNumber;
use parking_lot::{Condvar, Mutex};

use crate::limits;
use graph_store::StoreError;

/// Tasks waiting for their turn, and those at work.
#[derive(Default)]
pub(crate) struct TaskQueue {
    state: Mutex<State>,
    changed: Condvar,
    /// The store is being closed.
    stopped: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(GraphNumber, u64)>,
    running: Vec<Running>,
}

/// A task at work.
struct Running {
    graph: GraphNumber,
    task: u64,
    cancelled: Arc<AtomicBool>,
}

/// What a running task is asked to do.
#[derive(Clone)]
pub(crate) struct Orders {
    cancelled: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Orders {
    /// Whether somebody cancelled the task.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Whether the store is being closed: the task is to be interrupted and run again by the next start.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl TaskQueue {
    /// Refuses where too many tasks wait already.
    pub(crate) fn check_room(&self) -> Result<(), StoreError> {
        if self.state.lock().waiting.len() >= limits::TASKS_QUEUED_MAX {
            return Err(StoreError::TooManyTasks { limit: limits::TASKS_QUEUED_MAX });
        }
        Ok(())
    }

    /// Takes a task that is stored, so it is never refused: it would run after the next start anyway.
    pub(crate) fn push(&self, graph: GraphNumber, task: u64) {
        let mut state = self.state.lock();
        // After the stop the next start resumes it.
        if !self.stopped.load(Ordering::Relaxed) {
            state.waiting.push_back((graph, task));
            self.changed.notify_all();
        }
    }

    /// Tells a task at work to stop at its next chance, and takes a waiting one out. Whether it is at work.
    pub(crate) fn cancel(&self, graph: GraphNumber, task: u64) -> bool {
        let mut state = self.state.lock();
        state.waiting.retain(|(of, waiting)| (*of, *waiting) != (graph, task));
        let running = state.running.iter().find(|running| (running.graph, running.task) == (graph, task));
        if let Some(running) = running {
            running.cancelled.store(true, Ordering::Relaxed);
        }
        running.is_some()
    }

    /// The oldest task of a graph that none runs of, once there is one; `None` once the store is being closed.
    pub(crate) fn pop(&self) -> Option<(GraphNumber, u64, Orders)> {
        let mut state = self.state.lock();
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            let State { waiting, running } = &mut *state;
            let idle = |(graph, _): &(GraphNumber, u64)| running.iter().all(|running| running.graph != *graph);
            if let Some((graph, task)) = waiting.iter().position(idle).and_then(|at| waiting.remove(at)) {
                let cancelled = Arc::<AtomicBool>::default();
                running.push(Running { graph, task, cancelled: Arc::clone(&cancelled) });
                return Some((graph, task, Orders { cancelled, stopped: Arc::clone(&self.stopped) }));
            }
            self.changed.wait(&mut state);
        }
    }

    /// After the end of a task, whatever it was.
    pub(crate) fn done(&self, graph: GraphNumber, task: u64) {
        self.state.lock().running.retain(|running| (running.graph, running.task) != (graph, task));
        self.changed.notify_all();
    }

    /// The store is being closed: takes no further task, and tells those at work.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        self.stopped.store(true, Ordering::Relaxed);
        state.waiting.clear();
        self.changed.notify_all();
    }
}
