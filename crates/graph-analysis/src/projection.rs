//! Compact copies of graphs in memory.

use std::sync::Arc;

use analytics::{AnalyticsError, Csr, Graph, Run, Vertex};
use graph_access::GraphRights;
use graph_model::{LabelId, VertexId};
use graph_schema::{Catalogue, LABEL_JOINT};

use crate::AnalysisError;
use crate::ids::Ids;
use crate::scan::{self, Counts, Filter, Order};
use crate::watch::Observer;

/// What a projection is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    filter: Filter,
}

impl Spec {
    /// Of labels by their names (none: all), edges weighing what a property says. In an auto graph a vertex has a label
    /// where it is one of several.
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
            let found: Vec<LabelId> = match catalogue.vertex_label_named(name) {
                Some(label) if !catalogue.is_auto() => vec![label.id],
                _ if catalogue.is_auto() => {
                    let has = |stored: &str| stored == name || stored.split(LABEL_JOINT).any(|own| own == name);
                    catalogue.vertex_labels().filter(|label| has(&label.name)).map(|label| label.id).collect()
                }
                _ => Vec::new(),
            };
            if found.is_empty() { Err(missing("vertex label", name)) } else { Ok(found) }
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
            rights: None,
        };
        Ok(Self { filter })
    }

    /// The same of what may be seen with some rights only; without rights of everything.
    #[must_use]
    pub fn seen_with(mut self, rights: Option<Arc<GraphRights>>) -> Self {
        self.filter.rights = rights.filter(|rights| !rights.read.is_all());
        self
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
    /// Who may stop it, and is told how many rows were read.
    pub observer: &'a dyn Observer,
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
        self.ids.ids().get(vertex as usize)
    }

    /// The ids of all vertices, in the order of their numbers.
    #[must_use]
    pub fn ids(&self) -> &[VertexId] {
        self.ids.ids()
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
        self.graph.bytes() + Ids::bytes(self.ids.ids().len() as u64) + self.counts.id_bytes
    }

    /// Bytes that a projection of so many elements takes while so many threads make it: the ids, and what was read with
    /// one direction, or both directions and where the edges of each vertex go.
    #[must_use]
    pub fn estimate(counts: &Counts, is_weighted: bool, threads: usize) -> u64 {
        let (vertices, edges) = (counts.all_vertices(), counts.all_edges());
        let both = Graph::estimate(vertices, edges, is_weighted);
        let read = edges * if is_weighted { 16 } else { 8 };
        let turning = vertices * 4 * threads.clamp(1, analytics::limits::TRANSPOSED_BLOCKS) as u64;
        Ids::bytes(vertices) + counts.id_bytes + (both + turning).max(both / 2 + read + turning.max(vertices * 8))
    }
}

/// Copies a graph.
///
/// # Errors
/// [`AnalyticsError::Memory`] with the bytes needed, where they are not allowed; weights that are no numbers; those of
/// storage and of the observer.
pub fn project(
    graph: &graph_store::Graph,
    spec: &Spec,
    wanted: &Wanted<'_>,
    run: &Run<'_>,
) -> Result<Projection, AnalysisError> {
    let order =
        Order { threads: wanted.threads, bytes_max: wanted.bytes_max, counts_edges: false, observer: wanted.observer };
    let read = scan::read(graph, &spec.filter, &order)?;
    let needed = Projection::estimate(&read.counts, spec.is_weighted(), wanted.threads);
    if read.is_only_counted || needed > wanted.bytes_max {
        return Err(too_large("the copy of the graph", needed, wanted.bytes_max));
    }
    let is_weighted = spec.is_weighted();
    let vertices = read.ids.ids().len();
    let parts = read.edges.into_iter().map(|edges| (edges.sources, edges.targets, edges.weights)).collect();
    let out = Csr::from_columns(vertices, parts, is_weighted, run)?;
    if is_weighted && (0..vertices).any(|vertex| out.weights(vertex).unwrap_or_default().iter().any(|it| it.is_nan())) {
        return Err(AnalysisError::parameter("an edge has a weight that is no number; choose another 'weight'"));
    }
    let edges = Graph::new(out, run)?;
    Ok(Projection { ids: read.ids, graph: edges, counts: read.counts, is_of_one_moment: read.is_of_one_moment })
}

/// Counts what a projection would have, keeping nothing; for who may not see everything, the ids while it counts.
pub(crate) fn count(graph: &graph_store::Graph, spec: &Spec, wanted: &Wanted<'_>) -> Result<Counts, AnalysisError> {
    let bytes_max = if spec.filter.rights.is_some() { wanted.bytes_max } else { 0 };
    let order = Order { threads: wanted.threads, bytes_max, counts_edges: true, observer: wanted.observer };
    let read = scan::read(graph, &spec.filter, &order)?;
    if spec.filter.rights.is_some() && read.is_only_counted {
        let needed = Projection::estimate(&read.counts, spec.is_weighted(), wanted.threads);
        return Err(too_large("the copy of the vertices", needed.max(bytes_max + 1), bytes_max));
    }
    Ok(read.counts)
}

/// A refusal that says how much is needed.
pub(crate) fn too_large(what: &str, needed: u64, allowed: u64) -> AnalysisError {
    let setting = "analysis.memory_bytes_max";
    AnalyticsError::Memory { what: what.to_owned(), needed, allowed, setting }.into()
}
