//! Compact copies of graphs in memory.

use std::sync::atomic::AtomicU64;

use analytics::{AnalyticsError, Csr, Graph, Run, Vertex};
use graph_model::{LabelId, VertexId};
use graph_schema::Catalogue;
use graph_store::StoreError;

use crate::scan::{self, Counts, Filter, Ids, Order};
use crate::{AnalysisError, limits};

/// What a projection is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    filter: Filter,
}

impl Spec {
    /// Of labels by their names (none: all), edges weighing what a property says.
    ///
    /// # Errors
    /// [`AnalysisError::Parameter`] for names that the graph does not have.
    pub fn named(
        catalogue: &Catalogue,
        vertex_labels: &[String],
        edge_labels: &[String],
        weight: Option<&str>,
    ) -> Result<Self, AnalysisError> {
        let missing = |what: &str, name: &str| AnalysisError::Parameter(format!("there is no {what} '{name}'"));
        let vertex = |name: &String| {
            let label = catalogue.vertex_label_named(name).ok_or_else(|| missing("vertex label", name))?;
            Ok(vec![label.id])
        };
        let edge = |name: &String| {
            let label = catalogue.edge_label_named(name).ok_or_else(|| missing("edge label", name))?;
            Ok(catalogue.edge_labels_under(label.id))
        };
        let key = |name: &str| {
            let key = catalogue.property_key_named(name).ok_or_else(|| missing("property key", name))?;
            Ok::<_, AnalysisError>(key.id)
        };
        let filter = Filter {
            vertex_labels: labels(vertex_labels, vertex)?,
            edge_labels: labels(edge_labels, edge)?,
            weight: weight.map(key).transpose()?,
        };
        Ok(Self { filter })
    }

    /// Whether edges have weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.filter.weight.is_some()
    }
}

fn labels(
    names: &[String],
    of: impl Fn(&String) -> Result<Vec<LabelId>, AnalysisError>,
) -> Result<Option<Vec<LabelId>>, AnalysisError> {
    if names.is_empty() {
        return Ok(None);
    }
    Ok(Some(names.iter().map(of).collect::<Result<Vec<_>, _>>()?.concat()))
}

/// How a projection is made.
pub struct Wanted<'a> {
    /// Threads that read.
    pub threads: usize,
    /// Bytes that it may take while it is made.
    pub bytes_max: u64,
    /// Whether to go on; asked by all threads.
    pub check: &'a (dyn Fn() -> Result<(), StoreError> + Sync),
    /// Rows read so far.
    pub rows: &'a AtomicU64,
}

/// A copy of a graph in memory: vertices by number, and their edges.
pub struct Projection {
    ids: Ids,
    graph: Graph,
    counts: Counts,
    is_of_one_moment: bool,
}

impl Projection {
    /// The edges.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The id of a vertex.
    #[must_use]
    pub fn id(&self, vertex: Vertex) -> Option<&VertexId> {
        self.ids.ids.get(vertex as usize)
    }

    /// The ids of all vertices, in the order of their numbers.
    #[must_use]
    pub fn ids(&self) -> &[VertexId] {
        &self.ids.ids
    }

    /// The number of an id.
    #[must_use]
    pub fn number(&self, id: &VertexId) -> Option<Vertex> {
        self.ids.number(id.into())
    }

    /// How many elements of each label.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Whether all of it is of one moment: the engine has snapshots.
    #[must_use]
    pub fn is_of_one_moment(&self) -> bool {
        self.is_of_one_moment
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.graph.bytes() + self.ids.ids.len() as u64 * limits::VERTEX_BYTES + self.counts.id_bytes
    }

    /// Bytes that a projection of so many elements takes while it is made: what was read and one direction, or both
    /// directions.
    #[must_use]
    pub fn estimate(counts: &Counts, is_weighted: bool) -> u64 {
        let (vertices, edges) = (counts.all_vertices(), counts.all_edges());
        let both = Graph::estimate(vertices, edges, is_weighted);
        let read = edges * if is_weighted { 16 } else { 8 };
        vertices * limits::VERTEX_BYTES + counts.id_bytes + both.max(both / 2 + read)
    }
}

/// Copies a graph.
///
/// # Errors
/// [`AnalyticsError::Memory`] with the bytes needed, where they are not allowed; weights that are no numbers; those of
/// storage and of `check`.
pub fn project(
    graph: &graph_store::Graph,
    spec: &Spec,
    wanted: &Wanted<'_>,
    run: &Run<'_>,
) -> Result<Projection, AnalysisError> {
    let order = Order { threads: wanted.threads, bytes_max: wanted.bytes_max, check: wanted.check, rows: wanted.rows };
    let read = scan::read(graph, &spec.filter, &order)?;
    let needed = Projection::estimate(&read.counts, spec.is_weighted());
    if read.is_only_counted || needed > wanted.bytes_max {
        return Err(too_large("the copy of the graph", needed, wanted.bytes_max));
    }
    let is_weighted = spec.is_weighted();
    let vertices = read.ids.ids.len();
    let parts = read.edges.into_iter().map(|edges| (edges.sources, edges.targets, edges.weights)).collect();
    let out = Csr::from_columns(vertices, parts, is_weighted)?;
    if is_weighted && (0..vertices).any(|vertex| out.weights(vertex).unwrap_or_default().iter().any(|it| it.is_nan())) {
        return Err(AnalysisError::parameter("an edge has a weight that is no number; choose another 'weight'"));
    }
    let edges = Graph::new(out, run)?;
    Ok(Projection { ids: read.ids, graph: edges, counts: read.counts, is_of_one_moment: read.is_of_one_moment })
}

/// Counts what a projection would have, keeping nothing.
pub(crate) fn count(graph: &graph_store::Graph, spec: &Spec, wanted: &Wanted<'_>) -> Result<Counts, AnalysisError> {
    let order = Order { threads: wanted.threads, bytes_max: 0, check: wanted.check, rows: wanted.rows };
    Ok(scan::read(graph, &spec.filter, &order)?.counts)
}

/// A refusal that says how much is needed.
pub(crate) fn too_large(what: &str, needed: u64, allowed: u64) -> AnalysisError {
    let setting = "analysis.memory_bytes_max";
    AnalyticsError::Memory { what: what.to_owned(), needed, allowed, setting }.into()
}
