//! Analytical (OLAP) property keys: they can be defined, cleared and removed, each with a task as in HugeGraph, so that tools find what
//! they expect. No label can have one and nothing writes its values, as in HugeGraph's open-source server; so only removing has work to do.

use std::sync::Arc;

use graph_schema::{SchemaKey, SchemaKind, WriteType};

use crate::core::texts::not_found;
use crate::jobs::task::task_name;
use crate::{Graph, StoreError};

/// What is done to an analytical property key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlapJob {
    /// Making room for its values.
    Create,
    /// Removing its values.
    Clear,
    /// Removing it with its values.
    Remove,
}

impl OlapJob {
    const ALL: [Self; 3] = [Self::Create, Self::Clear, Self::Remove];

    fn task_type(self) -> &'static str {
        match self {
            Self::Create => "create_olap",
            Self::Clear => "clear_olap",
            Self::Remove => "remove_olap",
        }
    }

    fn callable(self) -> &'static str {
        match self {
            Self::Create => "OlapPropertyKeyCreateJob",
            Self::Clear => "OlapPropertyKeyClearJob",
            Self::Remove => "OlapPropertyKeyRemoveJob",
        }
    }

    /// The job of a type of task.
    pub(crate) fn of_task(task_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|job| job.task_type() == task_type)
    }
}

impl Graph {
    /// Starts the task that does something to an analytical property key. `None` where the key is none.
    pub fn start_olap(self: &Arc<Self>, job: OlapJob, name: &str) -> Result<Option<u64>, StoreError> {
        let catalogue = self.catalogue();
        let key = catalogue
            .property_key_named(name)
            .ok_or_else(|| not_found(&catalogue, SchemaKind::PropertyKey, "property key", name))?;
        if key.write_type == WriteType::Oltp {
            return Ok(None);
        }
        let callable = format!("org.apache.hugegraph.job.schema.{}", job.callable());
        self.start_task(job.task_type(), task_name(SchemaKey::PropertyKey(key.id), name), callable).map(Some)
    }

    /// What such a task does. A key that is gone already counts as removed.
    pub(crate) fn run_olap(&self, job: OlapJob, key: SchemaKey) -> Result<(), StoreError> {
        match job {
            OlapJob::Create | OlapJob::Clear => Ok(()),
            OlapJob::Remove if self.catalogue().element(key).is_none() => Ok(()),
            OlapJob::Remove => self.change(|catalogue, _| catalogue.remove(key)).map(drop),
        }
    }
}
