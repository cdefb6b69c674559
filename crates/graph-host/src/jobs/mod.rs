//! What runs in the background: kinds of jobs, and the tasks that are stored of them.
//!
//! What it is: a [`Job`] is a kind of work, known to the [`JobRegistry`] of its store by its name; a task is one piece
//! of it, stored, with what it works on, and run in its turn ([`task_queue`]), cancelled on request, and resumed after
//! a restart. Its record says how far it is and what became of it ([`records`]). Where several processes share the
//! store, one of them runs a task ([`crate::cluster`]); the others cancel it by its record. What it is not: the work
//! itself on schema and index entries is `graph-store`'s, and the threads are in `crate::background`.
//!
//! Start reading at [`Jobs`].

mod job;
pub(crate) mod olap;
pub(crate) mod records;
mod scheduler;
mod schema_jobs;
mod target;
pub(crate) mod task_queue;

use std::sync::Arc;

use graph_maintenance::Progress as _;
use graph_model::{Task, TaskStatus};
use graph_schema::{Catalogue, IndexLabel, NewIndexLabel, SchemaKey, SchemaKind, Status, WriteType};
use graph_store::{Graph, Schema, StoreError, not_found, now_ms};

pub use self::job::{Job, JobContext, JobRegistry};
use self::olap::OlapJob;
use self::records::TaskRecords;
pub(crate) use self::scheduler::Scheduler;
use self::schema_jobs::{REBUILD_INDEX, REMOVE_SCHEMA, RebuildIndex, RemoveLabel, give_up_unbuilt};
use self::target::{put_target, task_name};
use self::task_queue::Orders;
use crate::cluster::tasks::Claim;
use crate::limits;

impl Default for JobRegistry {
    /// The jobs of this crate.
    fn default() -> Self {
        let mut registry = Self::empty();
        registry.register(Arc::new(RemoveLabel));
        registry.register(Arc::new(RebuildIndex));
        for job in OlapJob::ALL {
            registry.register(Arc::new(job));
        }
        registry
    }
}

/// The jobs on a graph. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Jobs<'g> {
    graph: &'g Graph,
    scheduler: &'g Scheduler,
    /// No task had this number, nor a higher one, when the graph was opened.
    first_task: u64,
}

impl<'g> Jobs<'g> {
    pub(crate) fn new(graph: &'g Graph, scheduler: &'g Scheduler, first_task: u64) -> Self {
        Self { graph, scheduler, first_task }
    }

    fn records(&self) -> TaskRecords<'g> {
        TaskRecords::new(self.graph)
    }

    /// Starts the task that removes a vertex label and its vertices. Its outcome is the task's.
    pub fn remove_vertex_label(&self, name: &str) -> Result<u64, StoreError> {
        let catalogue = self.graph.catalogue();
        let label = catalogue
            .vertex_label_named(name)
            .ok_or_else(|| not_found(&catalogue, SchemaKind::VertexLabel, "vertex label", name))?;
        self.start_removal(SchemaKey::VertexLabel(label.id), name)
    }

    /// Starts the task that removes an edge label and its edges. Its outcome is the task's.
    pub fn remove_edge_label(&self, name: &str) -> Result<u64, StoreError> {
        let catalogue = self.graph.catalogue();
        let label = catalogue
            .edge_label_named(name)
            .ok_or_else(|| not_found(&catalogue, SchemaKind::EdgeLabel, "edge label", name))?;
        self.start_removal(SchemaKey::EdgeLabel(label.id), name)
    }

    /// Creates an index label and starts the task that builds it; the task's number is 0 where there is nothing to
    /// build.
    pub fn create_index_label(
        &self,
        new: &NewIndexLabel,
    ) -> Result<(Arc<IndexLabel>, Arc<Catalogue>, u64), StoreError> {
        self.scheduler.queue.check_room()?;
        let (index, next, is_new) = Schema::new(self.graph).create_index_label(new)?;
        let task = if is_new && index.status == Status::Creating {
            self.start_rebuild(SchemaKey::IndexLabel(index.id), &index.name)?
        } else {
            0
        };
        Ok((index, next, task))
    }

    /// Starts the task that removes an index label and its entries. Its outcome is the task's.
    pub fn remove_index_label(&self, name: &str) -> Result<u64, StoreError> {
        let catalogue = self.graph.catalogue();
        let index = catalogue
            .index_label_named(name)
            .ok_or_else(|| not_found(&catalogue, SchemaKind::IndexLabel, "index label", name))?;
        self.start_removal(SchemaKey::IndexLabel(index.id), name)
    }

    /// Starts the task that rebuilds an index label, or all index labels of a label and its label index. Its outcome is
    /// the task's.
    pub fn rebuild_indexes(&self, kind: SchemaKind, name: &str) -> Result<u64, StoreError> {
        let catalogue = self.graph.catalogue();
        let target = match kind {
            SchemaKind::PropertyKey => None,
            SchemaKind::VertexLabel => catalogue.vertex_label_named(name).map(|it| SchemaKey::VertexLabel(it.id)),
            SchemaKind::EdgeLabel => catalogue.edge_label_named(name).map(|it| SchemaKey::EdgeLabel(it.id)),
            SchemaKind::IndexLabel => catalogue.index_label_named(name).map(|it| SchemaKey::IndexLabel(it.id)),
        };
        let target = target.ok_or_else(|| not_found(&catalogue, kind, kind.name(), name))?;
        self.start_rebuild(target, name)
    }

    /// Starts the task that does something to an analytical property key. `None` where the key is none.
    pub fn start_olap(&self, job: OlapJob, name: &str) -> Result<Option<u64>, StoreError> {
        let catalogue = self.graph.catalogue();
        let key = catalogue
            .property_key_named(name)
            .ok_or_else(|| not_found(&catalogue, SchemaKind::PropertyKey, "property key", name))?;
        if key.write_type == WriteType::Oltp {
            return Ok(None);
        }
        let target = SchemaKey::PropertyKey(key.id);
        self.start(job.task_type(), task_name(target, name), put_target(target)).map(Some)
    }

    /// Stores a task that removes a label, and queues it.
    fn start_removal(&self, label: SchemaKey, name: &str) -> Result<u64, StoreError> {
        if self.graph.is_auto() {
            // It could only fail.
            let catalogue = self.graph.catalogue();
            match label {
                SchemaKey::VertexLabel(id) => catalogue.check_vertex_label_removable(id)?,
                SchemaKey::EdgeLabel(id) => catalogue.check_edge_label_removable(id)?,
                SchemaKey::PropertyKey(_) | SchemaKey::IndexLabel(_) => {}
            }
        }
        self.start(REMOVE_SCHEMA, task_name(label, name), put_target(label))
    }

    /// Stores a task that builds an index label, or all of a label, and queues it.
    fn start_rebuild(&self, target: SchemaKey, name: &str) -> Result<u64, StoreError> {
        let started = self.start(REBUILD_INDEX, task_name(target, name), put_target(target));
        if started.is_err() {
            give_up_unbuilt(self.graph, target);
        }
        started
    }

    /// Rebuilds an index label and waits for it. One that is gone by now is done.
    ///
    /// # Errors
    /// [`StoreError::IndexNotBuilt`] with the reason, for one that cannot be built; those of storage.
    pub fn build_index(&self, name: &str) -> Result<(), StoreError> {
        if self.graph.catalogue().index_label_named(name).is_none() {
            return Ok(());
        }
        let id = self.rebuild_indexes(SchemaKind::IndexLabel, name)?;
        loop {
            let task = self.task(id)?;
            if task.status == TaskStatus::Success {
                return Ok(());
            }
            if task.status.is_final() {
                return Err(StoreError::IndexNotBuilt {
                    name: name.to_owned(),
                    reason: task.result.unwrap_or_default(),
                });
            }
            std::thread::sleep(limits::TASK_POLL_INTERVAL);
        }
    }

    /// Has the job of a task clean up after the end of one that did not do its work.
    fn give_up(&self, task: &Task) {
        if let Some(job) = self.scheduler.registry.get(&task.task_type) {
            job.given_up(self.graph, task);
        }
    }

    /// Stores a task of a kind of job, and queues it. `name`: for display; `input`: what it works on, in the encoding
    /// of its job.
    ///
    /// # Errors
    /// [`StoreError::TooManyTasks`], [`StoreError::UnknownJob`], [`StoreError::GraphCleared`]; those of storage.
    pub fn start(&self, kind: &str, name: String, input: Vec<u8>) -> Result<u64, StoreError> {
        if self.scheduler.registry.get(kind).is_none() {
            return Err(StoreError::UnknownJob { kind: kind.to_owned() });
        }
        self.scheduler.queue.check_room()?;
        let locked = self.graph.lock_schema()?;
        let id = self.records().take_number(self.first_task)?;
        let now = now_ms();
        let task = Task {
            id,
            task_type: kind.to_owned(),
            name,
            callable: String::new(),
            status: TaskStatus::Queued,
            progress: 0,
            created_ms: now,
            updated_ms: now,
            retries: 0,
            result: None,
            input,
        };
        if !self.records().swap(id, None, Some(&task))? {
            return Err(StoreError::SchemaBusy);
        }
        drop(locked);
        // Where another server was quicker to see a task that nobody runs, it runs it. A claim whose outcome is not
        // known is made again when its turn comes.
        if let Some(cluster) = &self.scheduler.cluster
            && cluster.claim_task(self.graph.number(), id, false).is_ok_and(|claim| claim == Claim::Others)
        {
            return Ok(id);
        }
        self.scheduler.queue.push(self.graph.number(), id);
        Ok(id)
    }

    /// Queues the tasks a former process did not finish; those it was told to cancel are cancelled now.
    pub(crate) fn resume(&self) -> Result<(), StoreError> {
        self.take_over(true)
    }

    /// Queues unfinished tasks that no living server runs; with `always` all.
    pub(crate) fn take_over(&self, always: bool) -> Result<(), StoreError> {
        for task in self.tasks(|task| !task.status.is_final(), None, 0)? {
            if let Some(cluster) = &self.scheduler.cluster
                && cluster.claim_task(self.graph.number(), task.id, always)? != Claim::Taken
            {
                continue;
            }
            let changed = self.records().change(task.id, |task| match task.status {
                TaskStatus::Cancelling => task.status = TaskStatus::Cancelled,
                _ => {
                    task.status = TaskStatus::Queued;
                    task.retries += 1;
                }
            })?;
            match changed {
                Some(task) if task.status.is_final() => self.give_up(&task),
                Some(task) => self.scheduler.queue.push(self.graph.number(), task.id),
                None => {}
            }
        }
        self.resume_index_labels()
    }

    /// Runs a task to its end, or until it is cancelled or the store is closed.
    pub(crate) fn run(&self, id: u64, orders: &Orders) -> Result<(), StoreError> {
        // A server that stood still for long may have lost it.
        if let Some(cluster) = &self.scheduler.cluster
            && cluster.claim_task(self.graph.number(), id, false)? == Claim::Others
        {
            return Ok(());
        }
        let started = self.records().change(id, |task| {
            if task.status == TaskStatus::Queued {
                task.status = TaskStatus::Running;
            }
        })?;
        // A task deleted by force, or cancelled, while it waited does not run.
        let Some(task) = started.filter(|task| !task.status.is_final()) else { return Ok(()) };
        let outcome = self.run_started(&task, orders);
        if let Some(cluster) = &self.scheduler.cluster
            && self.task(id).is_ok_and(|task| task.status.is_final())
        {
            cluster.release_task(self.graph.number(), id);
        }
        outcome
    }

    fn run_started(&self, task: &Task, orders: &Orders) -> Result<(), StoreError> {
        let id = task.id;
        let outcome = loop {
            let context = JobContext::new(self.graph, task, orders, self.scheduler.cluster.as_deref());
            let outcome = context.check().and_then(|()| match self.scheduler.registry.get(&task.task_type) {
                Some(job) => job.run(&context),
                None => Err(StoreError::UnknownJob { kind: task.task_type.clone() }),
            });
            if !matches!(outcome, Err(StoreError::Frozen { .. })) {
                break outcome;
            }
            // What is run again after a restart can be run again after a freeze.
            tracing::info!(graph = self.graph.name(), task = id, name = task.name, "the task waits for a thaw");
            if let Err(error) = context.wait_for_thaw() {
                break Err(error);
            }
        };
        if matches!(outcome, Err(StoreError::Closing)) {
            return Ok(());
        }
        if let Err(error) = &outcome {
            tracing::warn!(graph = self.graph.name(), task = id, name = task.name, %error, "task not done");
        }
        let failed = outcome.is_err();
        self.records().change(id, |task| match &outcome {
            Ok(result) => {
                task.status = TaskStatus::Success;
                task.result = Some(result.clone().unwrap_or_else(|| "null".to_owned()));
            }
            Err(StoreError::Cancelled) => task.status = TaskStatus::Cancelled,
            Err(error) => {
                task.status = TaskStatus::Failed;
                task.result = Some(error.to_string());
            }
        })?;
        if failed {
            self.give_up(task);
        }
        Ok(())
    }

    /// Cancels a task: one that waits never runs, one that runs stops at its next chance. Returns it as it is then.
    pub fn cancel(&self, id: u64) -> Result<Task, StoreError> {
        let mut ended = None;
        // Another server that has it looks at its record now and then; one that is dead has a successor.
        let elsewhere = match &self.scheduler.cluster {
            Some(cluster) => cluster.task_owner(self.graph.number(), id)? != cluster.id(),
            None => false,
        };
        let changed = self.records().change(id, |task| {
            ended = task.status.is_final().then_some(task.status);
            if ended.is_none() {
                let running = elsewhere || self.scheduler.queue.cancel(self.graph.number(), id);
                task.status = if running { TaskStatus::Cancelling } else { TaskStatus::Cancelled };
            }
        })?;
        match ended {
            Some(status) => Err(StoreError::TaskState {
                id,
                status: status.name(),
                hint: "only a task that has not ended can be cancelled",
            }),
            None => {
                let task = changed.ok_or(StoreError::TaskNotFound { id })?;
                if task.status.is_final() {
                    self.give_up(&task);
                }
                Ok(task)
            }
        }
    }

    /// Deletes the record of a task. One that has not ended is deleted only with `force`, and then never runs if it
    /// still waits.
    pub fn delete(&self, id: u64, force: bool) -> Result<(), StoreError> {
        let locked = self.graph.lock_schema()?;
        let task = self.task(id)?;
        if !force && !task.status.is_final() {
            let hint = "wait for its end, or delete it with force=true";
            return Err(StoreError::TaskState { id, status: task.status.name(), hint });
        }
        if !self.records().swap(id, Some(&task), None)? {
            return Err(StoreError::SchemaBusy);
        }
        drop(locked);
        // One at work goes on to its end.
        if matches!(task.status, TaskStatus::Queued | TaskStatus::Cancelling) {
            self.give_up(&task);
        }
        Ok(())
    }

    /// The task of a number.
    pub fn task(&self, id: u64) -> Result<Task, StoreError> {
        self.records().task(id)
    }

    /// Tasks that pass `filter`, oldest first, after the task `after`, at most `limit` (`None`: all).
    pub fn tasks(
        &self,
        filter: impl Fn(&Task) -> bool,
        limit: Option<u64>,
        after: u64,
    ) -> Result<Vec<Task>, StoreError> {
        self.records().tasks(filter, limit, after)
    }

    /// Starts the tasks of index labels that a former process had begun to build or to delete without storing a task
    /// for it.
    fn resume_index_labels(&self) -> Result<(), StoreError> {
        let catalogue = self.graph.catalogue();
        for index in catalogue.index_labels() {
            let key = SchemaKey::IndexLabel(index.id);
            let name = task_name(key, &index.name);
            let is_unfinished = |task: &Task| !task.status.is_final() && task.name == name;
            match index.status {
                Status::Creating | Status::Rebuilding if self.tasks(is_unfinished, Some(1), 0)?.is_empty() => {
                    self.start_rebuild(key, &index.name)?;
                }
                Status::Deleting if self.tasks(is_unfinished, Some(1), 0)?.is_empty() => {
                    self.start_removal(key, &index.name)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
