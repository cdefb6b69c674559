//! Tasks: stored, run in the background ([`crate::jobs::task_queue`]), cancelled on request, resumed after a restart.
//!
//! Every change of a record is a swap, so that a cancellation and an end that meet leave one of the two, in whichever process they happen.
//! Where several processes share the store, one of them runs a task ([`crate::cluster`]); the others cancel it by its record.

use std::cell::Cell;
use std::sync::Arc;

use graph_model::{Task, TaskStatus};
use graph_schema::{IndexLabel, SchemaKey, Status};
use key_codec::{CodecError, GraphNumber, key, setting_value, tables, task_value};
use kv::{Engine, KeyBuf, RowRange};

use crate::cluster::Claim;
use crate::core::clock::now_ms;
use crate::core::stored_settings::{advance_setting, read_setting};
use crate::jobs::olap::OlapJob;
use crate::jobs::task_queue::Orders;
use crate::{Graph, StoreError, limits};

/// The type of tasks that remove a label and its data.
const REMOVE_SCHEMA: &str = "remove_schema";

/// The type of tasks that build an index label.
const REBUILD_INDEX: &str = "rebuild_index";

/// Setting of a graph: the number the next task gets. It only grows, so that no number is used twice whatever was deleted. A cleared graph
/// begins again at 1, a resumed one goes on from its snapshot: the tasks that had those numbers are gone.
pub(crate) const NEXT_TASK: &str = "next_task";

const TASK_NUMBER: CodecError = CodecError { what: "task row", problem: "a number beyond its range", at: 0 };

/// A task while it runs: what it must ask now and then, and where it tells how far it is.
pub(crate) struct TaskWork<'a> {
    graph: &'a Graph,
    task: u64,
    orders: &'a Orders,
    progress: Cell<u64>,
}

impl TaskWork<'_> {
    /// Fails where the task was cancelled or the store is being closed. To be asked between steps that leave a state from which the
    /// task can be run again.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.orders.is_cancelled() {
            return Err(StoreError::Cancelled);
        }
        if self.orders.is_stopped() {
            return Err(StoreError::Closing);
        }
        self.check_record()
    }

    /// As far as another server had a say.
    fn check_record(&self) -> Result<(), StoreError> {
        let Some(cluster) = &self.graph.shared.cluster else { return Ok(()) };
        // Whoever took it over, because this server stood still for long, runs it now.
        if cluster.task_owner(self.graph.number, self.task)? != cluster.id() {
            return Err(StoreError::Closing);
        }
        match self.graph.task(self.task) {
            Ok(task) if task.status == TaskStatus::Cancelling => Err(StoreError::Cancelled),
            Ok(_) | Err(StoreError::TaskNotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds to the progress that clients see, which is stored: to be called once for each large step, of so many elements. Then as
    /// [`Self::check`].
    pub(crate) fn advance(&self, elements: usize) -> Result<(), StoreError> {
        let progress = self.progress.get() + elements as u64;
        self.progress.set(progress);
        self.graph.change_task(self.task, |task| task.progress = progress)?;
        self.check()
    }
}

/// The number the next task of a graph gets. Stores of earlier versions of this program only have the tasks themselves to tell.
pub(crate) fn next_task(engine: &dyn Engine, graph: GraphNumber) -> Result<u64, StoreError> {
    let mut partition = Vec::new();
    key::task_partition(&mut partition, graph);
    let mut last = 0;
    let mut cursor = engine.scan(tables::TASK, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        last = last.max(key::read_task_row(entry.key.row())?);
    }
    let noted = match read_setting(engine, graph, NEXT_TASK)? {
        Some(bytes) => setting_value::read_numbers::<1>(&bytes)?[0],
        None => 1,
    };
    let after_last = last.checked_add(1).filter(|_| noted < u64::MAX);
    let after_last = after_last.ok_or(TASK_NUMBER)?;
    Ok(noted.max(after_last))
}

impl Graph {
    /// Stores a task that removes a label, and queues it.
    pub(crate) fn start_removal(self: &Arc<Self>, label: SchemaKey, name: &str) -> Result<u64, StoreError> {
        let callable = match label {
            SchemaKey::VertexLabel(_) => "VertexLabelRemoveJob",
            SchemaKey::EdgeLabel(_) => "EdgeLabelRemoveJob",
            SchemaKey::PropertyKey(_) => "PropertyKeyRemoveJob",
            SchemaKey::IndexLabel(_) => "IndexLabelRemoveJob",
        };
        let callable = format!("org.apache.hugegraph.job.schema.{callable}");
        self.start_task(REMOVE_SCHEMA, task_name(label, name), callable)
    }

    /// Stores a task that builds an index label, or all of a label, and queues it.
    pub(crate) fn start_rebuild(self: &Arc<Self>, target: SchemaKey, name: &str) -> Result<u64, StoreError> {
        let callable = "org.apache.hugegraph.job.schema.IndexLabelRebuildJob".to_owned();
        let started = self.start_task(REBUILD_INDEX, task_name(target, name), callable);
        if started.is_err() {
            self.give_up_unbuilt(target);
        }
        started
    }

    /// After the end of a task that may have left index labels unbuilt.
    fn give_up_task(&self, task: &Task) {
        if let Some(target) = target(&task.name).filter(|_| task.task_type == REBUILD_INDEX) {
            self.give_up_unbuilt(target);
        }
    }

    /// Marks index labels that wait for being built as not built where no task is going to do it any more: nobody would keep or use them,
    /// they can be built anew and removed. Where that fails the next start builds them.
    fn give_up_unbuilt(&self, target: SchemaKey) {
        for index in self.catalogue().index_labels() {
            let outcome = self.give_up_index_label(target, index);
            if let Err(error) = outcome {
                let index = &*index.name;
                tracing::warn!(graph = self.name(), index, %error, "an index label that is not built could not be marked so");
            }
        }
    }

    fn give_up_index_label(&self, given_up: SchemaKey, index: &IndexLabel) -> Result<(), StoreError> {
        let key = SchemaKey::IndexLabel(index.id);
        let base =
            if index.on_vertices { SchemaKey::VertexLabel(index.base) } else { SchemaKey::EdgeLabel(index.base) };
        let waits = matches!(index.status, Status::Creating | Status::Rebuilding);
        if !waits || ![key, base].contains(&given_up) {
            return Ok(());
        }
        let builds_it = |task: &Task| {
            let built = target(&task.name).filter(|_| task.task_type == REBUILD_INDEX && !task.status.is_final());
            built.is_some_and(|built| [key, base].contains(&built))
        };
        if self.tasks(builds_it, Some(1), 0)?.is_empty() {
            self.change(|catalogue, _| catalogue.set_status(key, Status::Invalid))?;
        }
        Ok(())
    }

    /// Starts the tasks of index labels that a former process had begun to build or to delete without storing a task for it.
    fn resume_index_labels(self: &Arc<Self>) -> Result<(), StoreError> {
        let catalogue = self.catalogue();
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

    /// Stores a task, and queues it. `callable` is the class HugeGraph would run, for clients that show it.
    pub(crate) fn start_task(
        self: &Arc<Self>,
        task_type: &str,
        name: String,
        callable: String,
    ) -> Result<u64, StoreError> {
        self.shared.queue.check_room()?;
        let locked = self.lock_schema()?;
        let id = self.take_task_number()?;
        let now = now_ms();
        let task = Task {
            id,
            task_type: task_type.to_owned(),
            name,
            callable,
            status: TaskStatus::Queued,
            progress: 0,
            created_ms: now,
            updated_ms: now,
            retries: 0,
            result: None,
        };
        if !self.swap_task(id, None, Some(&task))? {
            return Err(StoreError::SchemaBusy);
        }
        drop(locked);
        // Where another server was quicker to see a task that nobody runs, it runs it. A claim whose outcome is not known is made again
        // when its turn comes.
        if let Some(cluster) = &self.shared.cluster
            && cluster.claim_task(self.number, id, false).is_ok_and(|claim| claim == Claim::Others)
        {
            return Ok(id);
        }
        self.shared.queue.push(Arc::clone(self), id);
        Ok(id)
    }

    /// The number of a new task.
    fn take_task_number(&self) -> Result<u64, StoreError> {
        let next = advance_setting(self.engine(), self.number, NEXT_TASK, |before| {
            let id = before.unwrap_or(1).max(self.first_task);
            id.checked_add(1).ok_or(StoreError::Corrupt(TASK_NUMBER))
        })?;
        Ok(next - 1)
    }

    /// Queues the tasks a former process did not finish; those it was told to cancel are cancelled now.
    pub(crate) fn resume_tasks(self: &Arc<Self>) -> Result<(), StoreError> {
        self.take_over_tasks(true)
    }

    /// Queues unfinished tasks that no living server runs; with `always` all.
    pub(crate) fn take_over_tasks(self: &Arc<Self>, always: bool) -> Result<(), StoreError> {
        for task in self.tasks(|task| !task.status.is_final(), None, 0)? {
            if let Some(cluster) = &self.shared.cluster
                && cluster.claim_task(self.number, task.id, always)? != Claim::Taken
            {
                continue;
            }
            let changed = self.change_task(task.id, |task| match task.status {
                TaskStatus::Cancelling => task.status = TaskStatus::Cancelled,
                _ => {
                    task.status = TaskStatus::Queued;
                    task.retries += 1;
                }
            })?;
            match changed {
                Some(task) if task.status.is_final() => self.give_up_task(&task),
                Some(task) => self.shared.queue.push(Arc::clone(self), task.id),
                None => {}
            }
        }
        self.resume_index_labels()
    }

    /// Runs a task to its end, or until it is cancelled or the store is closed.
    pub(crate) fn run_task(&self, id: u64, orders: &Orders) -> Result<(), StoreError> {
        // A server that stood still for long may have lost it.
        if let Some(cluster) = &self.shared.cluster
            && cluster.claim_task(self.number, id, false)? == Claim::Others
        {
            return Ok(());
        }
        let started = self.change_task(id, |task| {
            if task.status == TaskStatus::Queued {
                task.status = TaskStatus::Running;
            }
        })?;
        // A task deleted by force, or cancelled, while it waited does not run.
        let Some(task) = started.filter(|task| !task.status.is_final()) else { return Ok(()) };
        let outcome = self.run_started(&task, orders);
        if let Some(cluster) = &self.shared.cluster
            && self.task(id).is_ok_and(|task| task.status.is_final())
        {
            cluster.release_task(self.number, id);
        }
        outcome
    }

    fn run_started(&self, task: &Task, orders: &Orders) -> Result<(), StoreError> {
        let id = task.id;
        let work = TaskWork { graph: self, task: id, orders, progress: Cell::new(0) };
        let outcome = work.check().and_then(|()| match (&*task.task_type, target(&task.name)) {
            (REBUILD_INDEX, Some(target)) => self.rebuild(target, &work),
            (task_type, Some(target)) => match OlapJob::of_task(task_type) {
                Some(job) => self.run_olap(job, target),
                None => self.remove_label(target, &work),
            },
            (_, None) => Err(StoreError::TaskNotFound { id }),
        });
        if matches!(outcome, Err(StoreError::Closing)) {
            return Ok(());
        }
        if let Err(error) = &outcome {
            tracing::warn!(graph = self.name(), task = id, name = task.name, %error, "task not done");
        }
        let failed = outcome.is_err();
        self.change_task(id, |task| match &outcome {
            Ok(()) => {
                task.status = TaskStatus::Success;
                task.result = Some("null".to_owned());
            }
            Err(StoreError::Cancelled) => task.status = TaskStatus::Cancelled,
            Err(error) => {
                task.status = TaskStatus::Failed;
                task.result = Some(error.to_string());
            }
        })?;
        if failed {
            self.give_up_task(task);
        }
        Ok(())
    }

    /// Cancels a task: one that waits never runs, one that runs stops at its next chance. Returns it as it is then.
    pub fn cancel_task(&self, id: u64) -> Result<Task, StoreError> {
        let mut ended = None;
        // Another server that has it looks at its record now and then; one that is dead has a successor.
        let elsewhere = match &self.shared.cluster {
            Some(cluster) => cluster.task_owner(self.number, id)? != cluster.id(),
            None => false,
        };
        let changed = self.change_task(id, |task| {
            ended = task.status.is_final().then_some(task.status);
            if ended.is_none() {
                let running = elsewhere || self.shared.queue.cancel(self.number, id);
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
                    self.give_up_task(&task);
                }
                Ok(task)
            }
        }
    }

    /// Changes the record of a task and returns it; `None` where there is none (any more). A record that has ended stays as it is.
    fn change_task(&self, id: u64, mut change: impl FnMut(&mut Task)) -> Result<Option<Task>, StoreError> {
        let _locked = self.lock_schema()?;
        for _ in 0..limits::SWAP_RETRIES_MAX {
            let before = match self.task(id) {
                Err(StoreError::TaskNotFound { .. }) => return Ok(None),
                found => found?,
            };
            let mut task = before.clone();
            change(&mut task);
            if task == before || before.status.is_final() {
                return Ok(Some(before));
            }
            task.updated_ms = now_ms();
            if self.swap_task(id, Some(&before), Some(&task))? {
                return Ok(Some(task));
            }
        }
        Err(StoreError::SchemaBusy)
    }

    /// Replaces the record of a task if it is as it was; `None`: there is none.
    fn swap_task(&self, id: u64, before: Option<&Task>, task: Option<&Task>) -> Result<bool, StoreError> {
        let bytes = |task: &Task| {
            let mut bytes = Vec::new();
            task_value::put_task(&mut bytes, task);
            bytes
        };
        let (before, task) = (before.map(bytes), task.map(bytes));
        let key = self.task_key(id);
        Ok(self.engine().compare_and_swap(tables::TASK, key.as_key(), before.as_deref(), task.as_deref())?)
    }

    fn task_key(&self, id: u64) -> KeyBuf {
        let mut key = KeyBuf::new();
        key::task_partition(key.bytes_mut(), self.number);
        key.end_partition();
        key::task_row(key.bytes_mut(), id);
        key
    }

    /// The task of a number.
    pub fn task(&self, id: u64) -> Result<Task, StoreError> {
        let key = self.task_key(id);
        let mut found: Option<Result<Task, CodecError>> = None;
        self.engine().get(tables::TASK, key.as_key(), &mut |bytes| found = Some(task_value::read_task(id, bytes)))?;
        found.transpose()?.ok_or(StoreError::TaskNotFound { id })
    }

    /// Tasks that pass `filter`, oldest first, after the task `after`, at most `limit` (`None`: all).
    pub fn tasks(
        &self,
        filter: impl Fn(&Task) -> bool,
        limit: Option<u64>,
        after: u64,
    ) -> Result<Vec<Task>, StoreError> {
        let mut partition = Vec::new();
        key::task_partition(&mut partition, self.number);
        let mut first = Vec::new();
        key::task_row(&mut first, after.saturating_add(1));
        let mut tasks = Vec::new();
        let range = RowRange { partition: &partition, start: &first, end: None };
        let mut cursor = self.engine().scan(tables::TASK, range)?;
        while let Some(entry) = cursor.next()? {
            if limit.is_some_and(|limit| tasks.len() as u64 >= limit) {
                break;
            }
            let task = task_value::read_task(key::read_task_row(entry.key.row())?, entry.value)?;
            if filter(&task) {
                tasks.push(task);
            }
        }
        Ok(tasks)
    }

    /// Deletes the record of a task. One that has not ended is deleted only with `force`, and then never runs if it still waits.
    pub fn delete_task(&self, id: u64, force: bool) -> Result<(), StoreError> {
        let locked = self.lock_schema()?;
        let task = self.task(id)?;
        if !force && !task.status.is_final() {
            let hint = "wait for its end, or delete it with force=true";
            return Err(StoreError::TaskState { id, status: task.status.name(), hint });
        }
        if !self.swap_task(id, Some(&task), None)? {
            return Err(StoreError::SchemaBusy);
        }
        drop(locked);
        // One at work goes on to its end.
        if matches!(task.status, TaskStatus::Queued | TaskStatus::Cancelling) {
            self.give_up_task(&task);
        }
        Ok(())
    }
}

/// The name of a task about a schema element: `VERTEX_LABEL:3:person`.
pub(crate) fn task_name(target: SchemaKey, name: &str) -> String {
    let kind = match target {
        SchemaKey::PropertyKey(_) => "PROPERTY_KEY",
        SchemaKey::VertexLabel(_) => "VERTEX_LABEL",
        SchemaKey::EdgeLabel(_) => "EDGE_LABEL",
        SchemaKey::IndexLabel(_) => "INDEX_LABEL",
    };
    format!("{kind}:{}:{name}", target.number())
}

/// The schema element a task is about, from its name.
fn target(name: &str) -> Option<SchemaKey> {
    let mut parts = name.splitn(3, ':');
    let kind = parts.next()?;
    let number = graph_model::LabelId(parts.next()?.parse().ok()?);
    match kind {
        "PROPERTY_KEY" => Some(SchemaKey::PropertyKey(graph_model::PropertyKeyId(number.0))),
        "VERTEX_LABEL" => Some(SchemaKey::VertexLabel(number)),
        "EDGE_LABEL" => Some(SchemaKey::EdgeLabel(number)),
        "INDEX_LABEL" => Some(SchemaKey::IndexLabel(number)),
        _ => None,
    }
}
