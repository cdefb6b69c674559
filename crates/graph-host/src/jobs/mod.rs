//! What runs in the background: kinds of jobs, and the tasks that are stored of them.
//!
//! What it is: a [`Job`] is a kind of work, known to the [`JobRegistry`] of its store by its name; a task is one piece
//! of it, stored, with what it works on, and run in its turn ([`task_queue`]). Its record says how far it is and what
//! became of it ([`task`]). What it is not: the work itself on schema and index entries is `graph-store`'s.
//!
//! Start reading at [`Jobs`].

pub(crate) mod olap;
mod schema_jobs;
mod target;
pub(crate) mod task;
pub(crate) mod task_queue;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::limits;
use graph_model::{Task, TaskStatus};
use graph_schema::{Catalogue, IndexLabel, NewIndexLabel, SchemaKey, SchemaKind, Status, WriteType};
use graph_store::{StoreError, not_found};

use self::olap::OlapJob;
use self::schema_jobs::{REBUILD_INDEX, REMOVE_SCHEMA, RebuildIndex, RemoveLabel, give_up_unbuilt};
use self::target::{put_target, task_name};
pub use self::task::JobContext;
use crate::hosted::HostedGraph;

/// A kind of work that runs in the background.
pub trait Job: Send + Sync {
    /// Its name, the type of its tasks. Stored with them, so it stays.
    fn kind(&self) -> &str;

    /// Does the work of a task; returns its result as JSON text, where it has one. It asks the context now and then
    /// whether it has to stop. What was cut short is run again from the start, so it must lead to the same then.
    ///
    /// # Errors
    /// With [`StoreError::Cancelled`] the task ends as cancelled, with [`StoreError::Closing`] it is run again by the
    /// next start, with any other one it has failed, and the error is its result.
    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError>;

    /// After the end of a task that has failed, was cancelled, or was deleted before it ran.
    fn given_up(&self, _graph: &HostedGraph, _task: &Task) {}
}

/// The kinds of jobs a store can run.
#[derive(Clone)]
pub struct JobRegistry {
    jobs: BTreeMap<String, Arc<dyn Job>>,
}

impl Default for JobRegistry {
    /// The jobs of this crate.
    fn default() -> Self {
        let mut registry = Self { jobs: BTreeMap::new() };
        registry.register(Arc::new(RemoveLabel));
        registry.register(Arc::new(RebuildIndex));
        for job in OlapJob::ALL {
            registry.register(Arc::new(job));
        }
        registry
    }
}

impl JobRegistry {
    /// Adds a kind of job; it replaces one of the same name.
    pub fn register(&mut self, job: Arc<dyn Job>) {
        self.jobs.insert(job.kind().to_owned(), job);
    }

    /// The job of a name.
    pub(crate) fn get(&self, kind: &str) -> Option<&dyn Job> {
        self.jobs.get(kind).map(|job| &**job)
    }
}

/// The jobs on a graph. Costs nothing to make.
#[derive(Clone, Copy)]
pub struct Jobs<'g> {
    graph: &'g HostedGraph,
}

impl<'g> Jobs<'g> {
    pub(crate) fn new(graph: &'g HostedGraph) -> Self {
        Self { graph }
    }

    fn graph(&self) -> &'g HostedGraph {
        self.graph
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
        self.graph.host.queue.check_room()?;
        let (index, next, is_new) = self.graph.schema().create_index_label(new)?;
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
}
