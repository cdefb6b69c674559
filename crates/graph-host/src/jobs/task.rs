//! Tasks: stored, run in the background ([`crate::jobs::task_queue`]), cancelled on request, resumed after a restart.
//!
//! Every change of a record is a swap, so that a cancellation and an end that meet leave one of the two, in whichever
//! process they happen. Where several processes share the store, one of them runs a task ([`crate::cluster`]); the
//! others cancel it by its record.

use std::cell::Cell;

use graph_model::{Task, TaskStatus};
use graph_store::stored_settings::{advance_setting, read_setting};
use graph_store::{Progress, StoreError, limits, now_ms};
use key_codec::{CodecError, GraphNumber, key, setting_value, tables, task_value};
use kv::{Engine, KeyBuf, RowRange};

use super::Jobs;
use super::schema_jobs::resume_index_labels;
use super::task_queue::Orders;
use crate::cluster::tasks::Claim;
use crate::hosted::HostedGraph;

/// Setting of a graph: the number the next task gets. It only grows, so that no number is used twice whatever was
/// deleted. A cleared graph begins again at 1, a resumed one goes on from its snapshot: the tasks that had those
/// numbers are gone.
pub(crate) const NEXT_TASK: &str = "next_task";

const TASK_NUMBER: CodecError = CodecError { what: "task row", problem: "a number beyond its range", at: 0 };

/// A task while it runs: what it works on, what it must ask now and then, and where it reports how far it is.
pub struct JobContext<'a> {
    graph: &'a HostedGraph,
    task: &'a Task,
    orders: &'a Orders,
    progress: Cell<u64>,
}

impl JobContext<'_> {
    /// The graph it works on.
    #[must_use]
    pub fn graph(&self) -> &HostedGraph {
        self.graph
    }

    /// The task as it was when it was started; [`Task::input`] says what it works on.
    #[must_use]
    pub fn task(&self) -> &Task {
        self.task
    }

    /// As far as another server had a say.
    fn check_record(&self) -> Result<(), StoreError> {
        let Some(cluster) = &self.graph.host.cluster else { return Ok(()) };
        // A server that took it over, because this one stood still for long, runs it now.
        if cluster.task_owner(self.graph.number(), self.task.id)? != cluster.id() {
            return Err(StoreError::Closing);
        }
        match self.graph.jobs().task(self.task.id) {
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
        self.graph.jobs().change(self.task.id, |task| task.progress = progress)?;
        self.check()
    }
}

/// The number the next task of a graph gets. Stores of earlier versions of this program only have the tasks themselves
/// to tell.
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

impl Jobs<'_> {
    /// Has the job of a task clean up after the end of one that did not do its work.
    fn give_up(&self, task: &Task) {
        if let Some(job) = self.graph.host.jobs.get(&task.task_type) {
            job.given_up(self.graph, task);
        }
    }

    /// Stores a task of a kind of job, and queues it. `name`: for display; `input`: what it works on, in the encoding
    /// of its job.
    ///
    /// # Errors
    /// [`StoreError::TooManyTasks`], [`StoreError::UnknownJob`], [`StoreError::GraphCleared`]; those of storage.
    pub fn start(&self, kind: &str, name: String, input: Vec<u8>) -> Result<u64, StoreError> {
        let host = &self.graph.host;
        if host.jobs.get(kind).is_none() {
            return Err(StoreError::UnknownJob { kind: kind.to_owned() });
        }
        self.graph.host.queue.check_room()?;
        let locked = self.graph.lock_schema()?;
        let id = self.take_task_number()?;
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
        if !self.swap(id, None, Some(&task))? {
            return Err(StoreError::SchemaBusy);
        }
        drop(locked);
        // Where another server was quicker to see a task that nobody runs, it runs it. A claim whose outcome is not
        // known is made again when its turn comes.
        if let Some(cluster) = &self.graph.host.cluster
            && cluster.claim_task(self.graph.number(), id, false).is_ok_and(|claim| claim == Claim::Others)
        {
            return Ok(id);
        }
        self.graph.host.queue.push(self.graph.number(), id);
        Ok(id)
    }

    /// The number of a new task.
    fn take_task_number(&self) -> Result<u64, StoreError> {
        let next = advance_setting(self.graph.engine(), self.graph.number(), NEXT_TASK, |before| {
            let id = before.unwrap_or(1).max(self.graph.first_task);
            id.checked_add(1).ok_or(StoreError::Corrupt(TASK_NUMBER))
        })?;
        Ok(next - 1)
    }

    /// Queues the tasks a former process did not finish; those it was told to cancel are cancelled now.
    pub(crate) fn resume(&self) -> Result<(), StoreError> {
        self.take_over(true)
    }

    /// Queues unfinished tasks that no living server runs; with `always` all.
    pub(crate) fn take_over(&self, always: bool) -> Result<(), StoreError> {
        for task in self.tasks(|task| !task.status.is_final(), None, 0)? {
            if let Some(cluster) = &self.graph.host.cluster
                && cluster.claim_task(self.graph.number(), task.id, always)? != Claim::Taken
            {
                continue;
            }
            let changed = self.change(task.id, |task| match task.status {
                TaskStatus::Cancelling => task.status = TaskStatus::Cancelled,
                _ => {
                    task.status = TaskStatus::Queued;
                    task.retries += 1;
                }
            })?;
            match changed {
                Some(task) if task.status.is_final() => self.give_up(&task),
                Some(task) => self.graph.host.queue.push(self.graph.number(), task.id),
                None => {}
            }
        }
        resume_index_labels(*self)
    }

    /// Runs a task to its end, or until it is cancelled or the store is closed.
    pub(super) fn run(&self, id: u64, orders: &Orders) -> Result<(), StoreError> {
        // A server that stood still for long may have lost it.
        if let Some(cluster) = &self.graph.host.cluster
            && cluster.claim_task(self.graph.number(), id, false)? == Claim::Others
        {
            return Ok(());
        }
        let started = self.change(id, |task| {
            if task.status == TaskStatus::Queued {
                task.status = TaskStatus::Running;
            }
        })?;
        // A task deleted by force, or cancelled, while it waited does not run.
        let Some(task) = started.filter(|task| !task.status.is_final()) else { return Ok(()) };
        let outcome = self.run_started(&task, orders);
        if let Some(cluster) = &self.graph.host.cluster
            && self.task(id).is_ok_and(|task| task.status.is_final())
        {
            cluster.release_task(self.graph.number(), id);
        }
        outcome
    }

    fn run_started(&self, task: &Task, orders: &Orders) -> Result<(), StoreError> {
        let id = task.id;
        let context = JobContext { graph: self.graph, task, orders, progress: Cell::new(0) };
        let outcome = context.check().and_then(|()| match self.graph.host.jobs.get(&task.task_type) {
            Some(job) => job.run(&context),
            None => Err(StoreError::UnknownJob { kind: task.task_type.clone() }),
        });
        if matches!(outcome, Err(StoreError::Closing)) {
            return Ok(());
        }
        if let Err(error) = &outcome {
            tracing::warn!(graph = self.graph.name(), task = id, name = task.name, %error, "task not done");
        }
        let failed = outcome.is_err();
        self.change(id, |task| match &outcome {
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
        let elsewhere = match &self.graph.host.cluster {
            Some(cluster) => cluster.task_owner(self.graph.number(), id)? != cluster.id(),
            None => false,
        };
        let changed = self.change(id, |task| {
            ended = task.status.is_final().then_some(task.status);
            if ended.is_none() {
                let running = elsewhere || self.graph.host.queue.cancel(self.graph.number(), id);
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

    /// Changes the record of a task and returns it; `None` where there is none (any more). A record that has ended
    /// stays as it is.
    fn change(&self, id: u64, mut change: impl FnMut(&mut Task)) -> Result<Option<Task>, StoreError> {
        let _locked = self.graph.lock_schema()?;
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
            if self.swap(id, Some(&before), Some(&task))? {
                return Ok(Some(task));
            }
        }
        Err(StoreError::SchemaBusy)
    }

    /// Replaces the record of a task if it is as it was; `None`: there is none.
    fn swap(&self, id: u64, before: Option<&Task>, task: Option<&Task>) -> Result<bool, StoreError> {
        let bytes = |task: &Task| {
            let mut bytes = Vec::new();
            task_value::put_task(&mut bytes, task);
            bytes
        };
        let (before, task) = (before.map(bytes), task.map(bytes));
        let key = self.task_key(id);
        Ok(self.graph.engine().compare_and_swap(tables::TASK, key.as_key(), before.as_deref(), task.as_deref())?)
    }

    fn task_key(&self, id: u64) -> KeyBuf {
        let mut key = KeyBuf::new();
        key::task_partition(key.bytes_mut(), self.graph.number());
        key.end_partition();
        key::task_row(key.bytes_mut(), id);
        key
    }

    /// The task of a number.
    pub fn task(&self, id: u64) -> Result<Task, StoreError> {
        let key = self.task_key(id);
        let mut found: Option<Result<Task, CodecError>> = None;
        self.graph
            .engine()
            .get(tables::TASK, key.as_key(), &mut |bytes| found = Some(task_value::read_task(id, bytes)))?;
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
        key::task_partition(&mut partition, self.graph.number());
        let mut first = Vec::new();
        key::task_row(&mut first, after.saturating_add(1));
        let mut tasks = Vec::new();
        let range = RowRange { partition: &partition, start: &first, end: None };
        let mut cursor = self.graph.engine().scan(tables::TASK, range)?;
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

    /// Deletes the record of a task. One that has not ended is deleted only with `force`, and then never runs if it
    /// still waits.
    pub fn delete(&self, id: u64, force: bool) -> Result<(), StoreError> {
        let locked = self.graph.lock_schema()?;
        let task = self.task(id)?;
        if !force && !task.status.is_final() {
            let hint = "wait for its end, or delete it with force=true";
            return Err(StoreError::TaskState { id, status: task.status.name(), hint });
        }
        if !self.swap(id, Some(&task), None)? {
            return Err(StoreError::SchemaBusy);
        }
        drop(locked);
        // One at work goes on to its end.
        if matches!(task.status, TaskStatus::Queued | TaskStatus::Cancelling) {
            self.give_up(&task);
        }
        Ok(())
    }
}
