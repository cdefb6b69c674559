//! The threads that run tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use graph_store::StoreError;

use crate::host::Host;
use crate::hosted::{Graphs, HostedGraph};
use crate::jobs::task_queue::{Orders, TaskQueue};
use crate::limits;

/// The threads that run tasks. Dropping it interrupts the tasks at work; they and the waiting ones are resumed by the
/// next start.
pub(crate) struct TaskRunner {
    host: Arc<Host>,
    threads: Vec<JoinHandle<()>>,
}

impl TaskRunner {
    pub(crate) fn start(host: &Arc<Host>, graphs: &Graphs) -> Self {
        let mut threads = Vec::new();
        for _ in 0..limits::TASK_THREADS {
            let (of_thread, graphs) = (Arc::clone(host), Arc::clone(graphs));
            match std::thread::Builder::new()
                .name("tasks".to_owned())
                .spawn(move || run(&of_thread.scheduler.queue, &graphs))
            {
                Ok(thread) => threads.push(thread),
                Err(error) => tracing::error!(%error, "a thread for tasks is missing: labels may not be removed"),
            }
        }
        Self { host: Arc::clone(host), threads }
    }
}

impl Drop for TaskRunner {
    fn drop(&mut self) {
        self.host.scheduler.queue.stop();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

/// Runs tasks until the store is closed.
fn run(queue: &TaskQueue, graphs: &Graphs) {
    while let Some((number, task, orders)) = queue.pop() {
        // A graph cleared meanwhile has taken its tasks with it.
        let graph = graphs.read().values().find(|graph| graph.number() == number).map(Arc::clone);
        if let Some(graph) = graph {
            run_one(&graph, task, &orders);
        }
        queue.done(number, task);
    }
}

fn run_one(graph: &HostedGraph, task: u64, orders: &Orders) {
    let name = graph.name();
    match catch_unwind(AssertUnwindSafe(|| graph.jobs().run(task, orders))) {
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
