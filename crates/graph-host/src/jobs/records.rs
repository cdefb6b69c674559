//! The records of tasks, as stored.
//!
//! Every change of a record is a swap, so that a cancellation and an end that meet leave one of the two, in whichever
//! process they happen.

use graph_model::Task;
use graph_store::stored_settings::{advance_setting, read_setting};
use graph_store::{Graph, StoreError, limits, now_ms};
use key_codec::{CodecError, GraphNumber, key, setting_value, tables, task_value};
use kv::{Engine, KeyBuf, RowRange};

/// Setting of a graph: the number the next task gets. It only grows, so that no number is used twice whatever was
/// deleted. A cleared graph begins again at 1, a resumed one goes on from its snapshot: the tasks that had those
/// numbers are gone.
pub(crate) const NEXT_TASK: &str = "next_task";

const TASK_NUMBER: CodecError = CodecError { what: "task row", problem: "a number beyond its range", at: 0 };

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

/// The records of a graph's tasks. Costs nothing to make.
#[derive(Clone, Copy)]
pub(super) struct TaskRecords<'g> {
    graph: &'g Graph,
}

impl<'g> TaskRecords<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        Self { graph }
    }

    /// The task of a number.
    pub(super) fn task(&self, id: u64) -> Result<Task, StoreError> {
        let key = self.key(id);
        let mut found: Option<Result<Task, CodecError>> = None;
        self.graph
            .engine()
            .get(tables::TASK, key.as_key(), &mut |bytes| found = Some(task_value::read_task(id, bytes)))?;
        found.transpose()?.ok_or(StoreError::TaskNotFound { id })
    }

    /// Tasks that pass `filter`, oldest first, after the task `after`, at most `limit` (`None`: all).
    pub(super) fn tasks(
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

    /// The number of a new task, not below `first`.
    pub(super) fn take_number(&self, first: u64) -> Result<u64, StoreError> {
        let next = advance_setting(self.graph.engine(), self.graph.number(), NEXT_TASK, |before| {
            let id = before.unwrap_or(1).max(first);
            id.checked_add(1).ok_or(StoreError::Corrupt(TASK_NUMBER))
        })?;
        Ok(next - 1)
    }

    /// Changes the record of a task and returns it; `None` where there is none (any more). A record that has ended
    /// stays as it is.
    pub(super) fn change(&self, id: u64, mut change: impl FnMut(&mut Task)) -> Result<Option<Task>, StoreError> {
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
    pub(super) fn swap(&self, id: u64, before: Option<&Task>, task: Option<&Task>) -> Result<bool, StoreError> {
        let bytes = |task: &Task| {
            let mut bytes = Vec::new();
            task_value::put_task(&mut bytes, task);
            bytes
        };
        let (before, task) = (before.map(bytes), task.map(bytes));
        let key = self.key(id);
        Ok(self.graph.engine().compare_and_swap(tables::TASK, key.as_key(), before.as_deref(), task.as_deref())?)
    }

    fn key(&self, id: u64) -> KeyBuf {
        let mut key = KeyBuf::new();
        key::task_partition(key.bytes_mut(), self.graph.number());
        key.end_partition();
        key::task_row(key.bytes_mut(), id);
        key
    }
}
