//! Waiting for indexes that are built by tasks.

use std::thread;
use std::time::{Duration, Instant};

use cypher_exec::ErrorKind;
use graph_model::{Task, TaskStatus};
use graph_schema::Status;

use super::Commands;
use crate::error::{Result, error, stored};
use crate::limits::{AWAIT, LOOK};
use crate::rule::Rule;

impl Commands<'_> {
    /// `db.awaitIndexes(seconds)` and `db.awaitIndex(name, seconds)`.
    pub(crate) fn await_indexes(&self, name: Option<&str>, seconds: Option<i64>) -> Result<()> {
        let time = seconds.map_or(AWAIT, |seconds| Duration::from_secs(u64::try_from(seconds).unwrap_or(0)));
        let begun = Instant::now();
        loop {
            let catalogue = self.graph.catalogue();
            if let Some(name) = name
                && !Rule::all(&catalogue).iter().any(|rule| rule.name == name)
            {
                return Err(error(ErrorKind::ArgumentError, format!("There is no index called '{name}'.")));
            }
            let awaited = |own: &str| name.is_none_or(|name| own == name);
            let mut waiting = None;
            for index in catalogue.index_labels().filter(|index| awaited(&index.name)) {
                match index.status {
                    Status::Invalid => {
                        let message = format!("Index '{}' could not be built: see the tasks of the graph", index.name);
                        return Err(error(ErrorKind::ProcedureError, message));
                    }
                    Status::Creating | Status::Rebuilding => waiting = Some(index.name.clone()),
                    Status::Created | Status::Deleting | Status::Undeleted => {}
                }
            }
            let Some(waiting) = waiting else { return Ok(()) };
            if begun.elapsed() >= time {
                let message = format!("Index '{waiting}' was not built within {} seconds", time.as_secs());
                return Err(error(ErrorKind::ProcedureError, message));
            }
            self.want_time()?;
            self.check()?;
            thread::sleep(LOOK);
        }
    }

    /// Waits for the end of a task; answers how it ended.
    pub(crate) fn await_task(&self, id: u64) -> Result<Task> {
        loop {
            let task = self.graph.jobs().task(id).map_err(|failure| stored(&failure))?;
            if task.status.is_final() {
                return Ok(task);
            }
            self.check()?;
            thread::sleep(LOOK);
        }
    }

    /// Why a task did not do its work; none where it did.
    pub(crate) fn failure_of(task: &Task) -> Option<String> {
        let is_done = task.status == TaskStatus::Success;
        (!is_done).then(|| task.result.clone().unwrap_or_else(|| format!("its task {} was cancelled", task.id)))
    }
}
