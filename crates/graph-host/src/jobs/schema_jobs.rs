//! The jobs on schema elements: removing labels, building index labels, and what HugeGraph has for analytical property
//! keys.

use graph_maintenance::{clear_analytical, rebuild_indexes, remove_label};
use graph_model::Task;
use graph_schema::{IndexLabel, SchemaKey, Status};
use graph_store::{Graph, Schema, StoreError};

use super::job::{Job, JobContext};
use super::olap::OlapJob;
use super::records::TaskRecords;
use super::target::read_target;

/// The type of tasks that remove a label and its data.
pub(super) const REMOVE_SCHEMA: &str = "remove_schema";

/// The type of tasks that build an index label.
pub(super) const REBUILD_INDEX: &str = "rebuild_index";

fn target_of(context: &JobContext<'_>) -> Result<SchemaKey, StoreError> {
    let task = context.task();
    read_target(task).ok_or(StoreError::TaskNotFound { id: task.id })
}

/// Removes a label and its data.
pub(super) struct RemoveLabel;

impl Job for RemoveLabel {
    fn kind(&self) -> &str {
        REMOVE_SCHEMA
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        remove_label(context.graph(), target_of(context)?, context).map(|()| None)
    }
}

/// Builds an index label, or all of a label.
pub(super) struct RebuildIndex;

impl Job for RebuildIndex {
    fn kind(&self) -> &str {
        REBUILD_INDEX
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        rebuild_indexes(context.graph(), target_of(context)?, context).map(|()| None)
    }

    fn given_up(&self, graph: &Graph, task: &Task) {
        if let Some(target) = read_target(task) {
            give_up_unbuilt(graph, target);
        }
    }
}

impl Job for OlapJob {
    fn kind(&self) -> &str {
        self.task_type()
    }

    /// A key that is gone already counts as removed.
    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        let (graph, key) = (context.graph(), target_of(context)?);
        if let (Self::Clear | Self::Remove, SchemaKey::PropertyKey(id)) = (*self, key) {
            clear_analytical(graph, id, context)?;
        }
        if *self == Self::Remove && graph.catalogue().element(key).is_some() {
            Schema::new(graph).change(|catalogue, _| catalogue.remove(key))?;
        }
        Ok(None)
    }
}

/// Marks index labels that wait for being built as not built where no task is going to do it any more: no writer keeps
/// them and no query uses them, and they can be built again or removed. Where that fails the next start builds them.
pub(super) fn give_up_unbuilt(graph: &Graph, target: SchemaKey) {
    for index in graph.catalogue().index_labels() {
        let outcome = give_up_index_label(graph, target, index);
        if let Err(error) = outcome {
            let index = &*index.name;
            tracing::warn!(
                graph = graph.name(), index, %error, "an index label that is not built could not be marked so");
        }
    }
}

fn give_up_index_label(graph: &Graph, given_up: SchemaKey, index: &IndexLabel) -> Result<(), StoreError> {
    let key = SchemaKey::IndexLabel(index.id);
    let base = if index.on_vertices { SchemaKey::VertexLabel(index.base) } else { SchemaKey::EdgeLabel(index.base) };
    let waits = matches!(index.status, Status::Creating | Status::Rebuilding);
    if !waits || ![key, base].contains(&given_up) {
        return Ok(());
    }
    let builds_it = |task: &Task| {
        let built = read_target(task).filter(|_| task.task_type == REBUILD_INDEX && !task.status.is_final());
        built.is_some_and(|built| [key, base].contains(&built))
    };
    if TaskRecords::new(graph).tasks(builds_it, Some(1), 0)?.is_empty() {
        Schema::new(graph).change(|catalogue, _| catalogue.set_status(key, Status::Invalid))?;
    }
    Ok(())
}
