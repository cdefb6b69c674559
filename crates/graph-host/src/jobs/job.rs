//! Kinds of jobs: what one must do, which there are, and what it knows of the task it runs.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use graph_maintenance::Progress;
use graph_model::{Task, TaskStatus};
use graph_store::{Graph, StoreError};

use super::records::TaskRecords;
use super::task_queue::Orders;
use crate::cluster::Cluster;
use crate::limits;

/// A kind of work that runs in the background.
pub trait Job: Send + Sync {
    /// Its name, the type of its tasks. Stored with them, so it stays.
    fn kind(&self) -> &str;

    /// Does the work of a task; returns its result as JSON text, where it has one. It asks the context now and then
    /// whether it has to stop. What was cut short is run again from the start, so it must lead to the same then.
    ///
    /// # Errors
    /// With [`StoreError::Cancelled`] the task ends as cancelled, with [`StoreError::Closing`] it is run again by the
    /// next start, with [`StoreError::Frozen`] by the thaw; with any other one it has failed, and the error is its
    /// result.
    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError>;

    /// After the end of a task that has failed, was cancelled, or was deleted before it ran.
    fn given_up(&self, _graph: &Graph, _task: &Task) {}
}

/// The kinds of jobs a store can run.
#[derive(Clone)]
pub struct JobRegistry {
    jobs: BTreeMap<String, Arc<dyn Job>>,
}

impl JobRegistry {
    /// None at all.
    pub(super) fn empty() -> Self {
        Self { jobs: BTreeMap::new() }
    }

    /// Adds a kind of job; it replaces one of the same name.
    pub fn register(&mut self, job: Arc<dyn Job>) {
        self.jobs.insert(job.kind().to_owned(), job);
    }

    /// The job of a name.
    pub(crate) fn get(&self, kind: &str) -> Option<&dyn Job> {
        self.jobs.get(kind).map(|job| &**job)
    }
}

/// A task while it runs: what it works on, what it must ask now and then, and where it reports how far it is.
pub struct JobContext<'a> {
    graph: &'a Graph,
    task: &'a Task,
    orders: &'a Orders,
    cluster: Option<&'a Cluster>,
    progress: Cell<u64>,
}

impl<'a> JobContext<'a> {
    pub(super) fn new(graph: &'a Graph, task: &'a Task, orders: &'a Orders, cluster: Option<&'a Cluster>) -> Self {
        Self { graph, task, orders, cluster, progress: Cell::new(0) }
    }

    /// The graph it works on.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.graph
    }

    /// The task as it was when it was started; [`Task::input`] says what it works on.
    #[must_use]
    pub fn task(&self) -> &Task {
        self.task
    }

    /// Waits while no server over the store may write.
    pub(super) fn wait_for_thaw(&self) -> Result<(), StoreError> {
        while self.cluster.is_some_and(|cluster| cluster.frozen_for().is_some()) {
            self.check()?;
            std::thread::sleep(limits::POLL_PAUSE_MAX);
        }
        Ok(())
    }

    /// As far as another server had a say.
    fn check_record(&self) -> Result<(), StoreError> {
        let Some(cluster) = self.cluster else { return Ok(()) };
        // A server that took it over, because this one stood still for long, runs it now.
        if cluster.task_owner(self.graph.number(), self.task.id)? != cluster.id() {
            return Err(StoreError::Closing);
        }
        match TaskRecords::new(self.graph).task(self.task.id) {
            Ok(task) if task.status == TaskStatus::Cancelling => Err(StoreError::Cancelled),
            Ok(_) | Err(StoreError::TaskNotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Progress for JobContext<'_> {
    fn check(&self) -> Result<(), StoreError> {
        if self.orders.is_cancelled() {
            return Err(StoreError::Cancelled);
        }
        if self.orders.is_stopped() {
            return Err(StoreError::Closing);
        }
        self.check_record()
    }

    fn advance(&self, elements: usize) -> Result<(), StoreError> {
        let progress = self.progress.get() + elements as u64;
        self.progress.set(progress);
        TaskRecords::new(self.graph).change(self.task.id, |task| task.progress = progress)?;
        self.check()
    }
}
