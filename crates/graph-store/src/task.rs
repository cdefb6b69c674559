//! Tasks: stored, run one after the other by one thread of the store, resumed after a restart.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use graph_model::{Task, TaskStatus};
use graph_schema::SchemaKey;
use key_codec::{CodecError, GraphNumber, key, tables, task_value};
use kv::{Engine, KeyBuf, RowRange, WriteBatch};
use parking_lot::{Condvar, Mutex};

use crate::graph::now_ms;
use crate::store::Shared;
use crate::{Graph, StoreError, limits};

/// The type of tasks that remove a label and its data.
const REMOVE_SCHEMA: &str = "remove_schema";

/// Tasks waiting for their turn.
#[derive(Default)]
pub(crate) struct TaskQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<(Arc<Graph>, u64)>,
    stopped: bool,
}

impl TaskQueue {
    /// Refuses where too many tasks wait already.
    fn check_room(&self) -> Result<(), StoreError> {
        if self.state.lock().waiting.len() >= limits::TASKS_QUEUED_MAX {
            return Err(StoreError::TooManyTasks { limit: limits::TASKS_QUEUED_MAX });
        }
        Ok(())
    }

    /// Takes a task that is stored, so it is never refused: it would run after the next start anyway.
    fn push(&self, graph: Arc<Graph>, task: u64) {
        let mut state = self.state.lock();
        // After the stop the next start resumes it; here it would only keep its graph, and so this queue, alive.
        if !state.stopped {
            state.waiting.push_back((graph, task));
            self.changed.notify_one();
        }
    }

    fn pop(&self) -> Option<(Arc<Graph>, u64)> {
        let mut state = self.state.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(next) = state.waiting.pop_front() {
                return Some(next);
            }
            self.changed.wait(&mut state);
        }
    }

    fn stop(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        // Graphs hold the store's shared part, which holds this queue.
        state.waiting.clear();
        self.changed.notify_all();
    }
}

/// The thread that runs tasks. Dropping it waits for the task at work; waiting ones are resumed by the next start.
pub(crate) struct TaskRunner {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl TaskRunner {
    pub(crate) fn start(shared: Arc<Shared>) -> Self {
        let queue = Arc::clone(&shared);
        let run = move || {
            while let Some((graph, task)) = queue.queue.pop() {
                let outcome = catch_unwind(AssertUnwindSafe(|| graph.run_task(task)));
                match outcome {
                    // A graph cleared meanwhile has taken its tasks with it.
                    Ok(Ok(()) | Err(StoreError::GraphCleared { .. })) => {}
                    Ok(Err(error)) => tracing::error!(
                        graph = graph.name(), task, %error, "a task could not be run or its outcome not be stored"
                    ),
                    // The task stays unfinished and is tried again by the next start; the ones behind it go on.
                    Err(_) => tracing::error!(
                        graph = graph.name(),
                        task,
                        "a task panicked: this is a defect, please report it"
                    ),
                }
            }
        };
        let thread = std::thread::Builder::new().name("tasks".to_owned()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!(%error, "no thread for tasks: labels cannot be removed");
        }
        Self { shared, thread: thread.ok() }
    }
}

impl Drop for TaskRunner {
    fn drop(&mut self) {
        self.shared.queue.stop();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// The largest task number of a graph; 0 where there is none.
pub(crate) fn last_task(engine: &dyn Engine, graph: GraphNumber) -> Result<u64, StoreError> {
    let mut partition = Vec::new();
    key::task_partition(&mut partition, graph);
    let mut last = 0;
    let mut cursor = engine.scan(tables::TASK, RowRange::all(&partition))?;
    while let Some(entry) = cursor.next()? {
        last = last.max(key::read_task_row(entry.key.row())?);
    }
    Ok(last)
}

impl Graph {
    /// Stores a task that removes a label, and queues it.
    pub(crate) fn start_removal(self: &Arc<Self>, label: SchemaKey, name: &str) -> Result<u64, StoreError> {
        self.shared.queue.check_room()?;
        let id = self.next_task.fetch_add(1, Ordering::Relaxed);
        let (kind, number, callable) = match label {
            SchemaKey::VertexLabel(id) => ("VERTEX_LABEL", id.0, "VertexLabelRemoveJob"),
            SchemaKey::EdgeLabel(id) => ("EDGE_LABEL", id.0, "EdgeLabelRemoveJob"),
            SchemaKey::PropertyKey(id) => ("PROPERTY_KEY", id.0, "PropertyKeyRemoveJob"),
            SchemaKey::IndexLabel(id) => ("INDEX_LABEL", id.0, "IndexLabelRemoveJob"),
        };
        let now = now_ms();
        self.store_task(&Task {
            id,
            task_type: REMOVE_SCHEMA.to_owned(),
            name: format!("{kind}:{number}:{name}"),
            callable: format!("org.apache.hugegraph.job.schema.{callable}"),
            status: TaskStatus::Queued,
            progress: 0,
            created_ms: now,
            updated_ms: now,
            retries: 0,
            result: None,
        })?;
        self.shared.queue.push(Arc::clone(self), id);
        Ok(id)
    }

    /// Queues the tasks a former process did not finish.
    pub(crate) fn resume_tasks(self: &Arc<Self>) -> Result<(), StoreError> {
        for mut task in self.tasks(|task| !task.status.is_final(), None, 0)? {
            task.status = TaskStatus::Queued;
            task.retries += 1;
            self.store_task(&task)?;
            self.shared.queue.push(Arc::clone(self), task.id);
        }
        Ok(())
    }

    fn run_task(&self, id: u64) -> Result<(), StoreError> {
        // A task deleted by force while it waited is gone.
        let mut task = match self.task(id) {
            Err(StoreError::TaskNotFound { .. }) => return Ok(()),
            found => found?,
        };
        task.status = TaskStatus::Running;
        task.updated_ms = now_ms();
        self.store_task(&task)?;
        let outcome = match removal_target(&task.name) {
            Some(label) => self.remove_label(label),
            None => Err(StoreError::TaskNotFound { id }),
        };
        match outcome {
            Ok(()) => {
                task.status = TaskStatus::Success;
                task.result = Some("null".to_owned());
            }
            Err(error) => {
                tracing::warn!(graph = self.name(), task = id, name = task.name, %error, "task failed");
                task.status = TaskStatus::Failed;
                task.result = Some(error.to_string());
            }
        }
        task.updated_ms = now_ms();
        match self.task(id) {
            // Deleted by force meanwhile, or cleared with its graph.
            Err(StoreError::TaskNotFound { .. }) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => self.store_task(&task),
        }
    }

    fn store_task(&self, task: &Task) -> Result<(), StoreError> {
        let _open = self.lock_schema()?;
        let mut batch = WriteBatch::new();
        batch.put(
            tables::TASK,
            |b| key::task_partition(b, self.number),
            |b| key::task_row(b, task.id),
            |v| task_value::put_task(v, task),
        );
        Ok(self.engine().commit(batch)?)
    }

    /// The task of a number.
    pub fn task(&self, id: u64) -> Result<Task, StoreError> {
        let mut key = KeyBuf::new();
        key::task_partition(key.bytes_mut(), self.number);
        key.end_partition();
        key::task_row(key.bytes_mut(), id);
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
        let task = self.task(id)?;
        if !force && !task.status.is_final() {
            let hint = "wait for its end, or delete it with force=true";
            return Err(StoreError::TaskState { id, status: task.status.name(), hint });
        }
        let mut batch = WriteBatch::new();
        batch.delete(tables::TASK, |b| key::task_partition(b, self.number), |b| key::task_row(b, id));
        Ok(self.engine().commit(batch)?)
    }
}

/// The label a removal task is about, from its name.
fn removal_target(name: &str) -> Option<SchemaKey> {
    let mut parts = name.splitn(3, ':');
    let kind = parts.next()?;
    let number = graph_model::LabelId(parts.next()?.parse().ok()?);
    match kind {
        "VERTEX_LABEL" => Some(SchemaKey::VertexLabel(number)),
        "EDGE_LABEL" => Some(SchemaKey::EdgeLabel(number)),
        _ => None,
    }
}
