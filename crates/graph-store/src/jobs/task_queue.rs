//! The threads that run tasks, and the queue before them.
//!
//! A few threads serve all graphs of a store; of one graph at most one task runs at a time, so a long task holds up its own graph's tasks
//! only. What waits when the store is closed, and what is stopped by that, is resumed by the next start.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use key_codec::GraphNumber;
use parking_lot::{Condvar, Mutex};

use crate::host::store::Shared;
use crate::{Graph, StoreError, limits};

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
    waiting: VecDeque<(Arc<Graph>, u64)>,
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
    pub(crate) fn push(&self, graph: Arc<Graph>, task: u64) {
        let mut state = self.state.lock();
        // After the stop the next start resumes it; here it would only keep its graph, and so this queue, alive.
        if !self.stopped.load(Ordering::Relaxed) {
            state.waiting.push_back((graph, task));
            self.changed.notify_all();
        }
    }

    /// Tells a task at work to stop at its next chance, and takes a waiting one out. Whether it is at work.
    pub(crate) fn cancel(&self, graph: GraphNumber, task: u64) -> bool {
        let mut state = self.state.lock();
        state.waiting.retain(|(of, waiting)| (of.number, *waiting) != (graph, task));
        let running = state.running.iter().find(|running| (running.graph, running.task) == (graph, task));
        if let Some(running) = running {
            running.cancelled.store(true, Ordering::Relaxed);
        }
        running.is_some()
    }

    /// The oldest task of a graph that none runs of, once there is one; `None` once the store is being closed.
    fn pop(&self) -> Option<(Arc<Graph>, u64, Orders)> {
        let mut state = self.state.lock();
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            let State { waiting, running } = &mut *state;
            let idle = |(graph, _): &(Arc<Graph>, u64)| running.iter().all(|running| running.graph != graph.number);
            if let Some((graph, task)) = waiting.iter().position(idle).and_then(|at| waiting.remove(at)) {
                let cancelled = Arc::<AtomicBool>::default();
                running.push(Running { graph: graph.number, task, cancelled: Arc::clone(&cancelled) });
                return Some((graph, task, Orders { cancelled, stopped: Arc::clone(&self.stopped) }));
            }
            self.changed.wait(&mut state);
        }
    }

    fn done(&self, graph: GraphNumber, task: u64) {
        self.state.lock().running.retain(|running| (running.graph, running.task) != (graph, task));
        self.changed.notify_all();
    }

    fn stop(&self) {
        let mut state = self.state.lock();
        self.stopped.store(true, Ordering::Relaxed);
        // Graphs hold the store's shared part, which holds this queue.
        state.waiting.clear();
        self.changed.notify_all();
    }

    fn run(&self) {
        while let Some((graph, task, orders)) = self.pop() {
            let outcome = catch_unwind(AssertUnwindSafe(|| graph.run_task(task, &orders)));
            self.done(graph.number, task);
            let name = graph.name();
            match outcome {
                // A graph cleared meanwhile has taken its tasks with it.
                Ok(Ok(()) | Err(StoreError::GraphCleared { .. })) => {}
                Ok(Err(error)) => {
                    tracing::error!(graph = name, task, %error, "a task could not be run or its outcome not be stored");
                }
                // The task stays unfinished and is tried again by the next start; the ones behind it go on.
                Err(_) => {
                    tracing::error!(graph = name, task, "a task panicked: this is a defect, please report it");
                }
            }
        }
    }
}

/// The threads that run tasks. Dropping it interrupts the tasks at work; they and the waiting ones are resumed by the next start.
pub(crate) struct TaskRunner {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl TaskRunner {
    pub(crate) fn start(shared: Arc<Shared>) -> Self {
        let mut threads = Vec::new();
        for _ in 0..limits::TASK_THREADS {
            let of_thread = Arc::clone(&shared);
            match std::thread::Builder::new().name("tasks".to_owned()).spawn(move || of_thread.queue.run()) {
                Ok(thread) => threads.push(thread),
                Err(error) => tracing::error!(%error, "a thread for tasks is missing: labels may not be removed"),
            }
        }
        Self { shared, threads }
    }
}

impl Drop for TaskRunner {
    fn drop(&mut self) {
        self.shared.queue.stop();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}
