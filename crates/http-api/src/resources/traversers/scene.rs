//! What all traversers share: the graph at one state of its schema, the budget, and the form of answers.

use std::sync::Arc;
use std::time::Instant;

use graph_json::{EncodeOptions, PathView, TraverserAnswer};
use graph_model::{Edge, EdgeId, Meaning, Vertex, VertexId};
use graph_schema::Catalogue;
use graph_store::{Graph, GraphReader};
use traversal::{Counters, Node, Path, Traversal};

use crate::call::Call;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::routes::Answered;

/// One traverser request at work.
pub(super) struct Scene<'c> {
    pub(super) call: &'c Call,
    pub(super) graph: &'c Arc<Graph>,
    pub(super) catalogue: Arc<Catalogue>,
    reader: GraphReader<'c>,
    started: Instant,
}

impl<'c> Scene<'c> {
    /// Begins a request.
    pub(super) fn open(call: &'c Call) -> Result<Self, ApiError> {
        let graph = call.graph()?;
        let catalogue = graph.catalogue();
        let reader = GraphReader::new(graph, &catalogue, &call.budget);
        Ok(Self { call, graph, catalogue, reader, started: Instant::now() })
    }

    /// A traversal that looks for `what` (in plural, for errors).
    pub(super) fn traversal(&self, what: &'static str) -> Traversal<'_> {
        Traversal::new(&self.reader, what, self.call.app.options.limits.traversal_memory_bytes_max)
    }

    /// How vertices are shown: as elements, as far as they exist, where `wanted`; else as `otherwise` says.
    pub(super) fn vertices(
        &self,
        ids: Vec<VertexId>,
        wanted: bool,
        otherwise: Otherwise,
    ) -> Result<Vertices, ApiError> {
        if !wanted {
            return Ok(if self.shows_ids(otherwise) { Shown::Ids(ids) } else { Shown::Elements(Vec::new()) });
        }
        let mut vertices = Vec::with_capacity(ids.len());
        for some in ids.chunks(ELEMENTS_PER_READ) {
            self.call.budget.check()?;
            vertices.extend(self.graph.vertices(some)?.into_iter().flatten());
        }
        Ok(Shown::Elements(vertices))
    }

    /// How edges are shown, as [`Self::vertices`].
    pub(super) fn edges(&self, ids: Vec<EdgeId>, wanted: bool, otherwise: Otherwise) -> Result<Edges, ApiError> {
        if !wanted {
            return Ok(if self.shows_ids(otherwise) { Shown::Ids(ids) } else { Shown::Elements(Vec::new()) });
        }
        let mut edges = Vec::with_capacity(ids.len());
        for some in ids.chunks(ELEMENTS_PER_READ) {
            edges.extend(self.reader.edges(some)?);
        }
        Ok(Shown::Elements(edges))
    }

    fn shows_ids(&self, otherwise: Otherwise) -> bool {
        match otherwise {
            Otherwise::Nothing => false,
            Otherwise::Ids => true,
            Otherwise::IdsUnlessJava => !self.call.java_client,
        }
    }

    /// Writes an answer; one larger than the limit is an error.
    pub(super) fn answer(&self, write: impl FnOnce(&mut TraverserAnswer<'_>)) -> Answered {
        let limit = self.call.app.options.limits.response_bytes_max;
        let options: EncodeOptions = Call::encode_options(self.graph);
        let mut out = Vec::with_capacity(1_024);
        let mut answer = TraverserAnswer::open(&mut out, limit, &self.catalogue, &options);
        write(&mut answer);
        answer.close();
        if out.len() > limit {
            return Err(ApiError::of(
                Meaning::LimitExceeded,
                format!(
                    "Too many records: the answer is larger than {limit} bytes (graph.response_bytes_max); ask for less with 'limit'"
                ),
            ));
        }
        Ok(Reply::ok(out))
    }

    /// Writes `measure`.
    pub(super) fn measure(&self, answer: &mut TraverserAnswer<'_>, counters: Counters) {
        answer.measure(counters.edge_iterations, counters.vertex_iterations, self.started.elapsed().as_nanos());
    }
}

/// What stands in place of elements that are not wanted whole.
#[derive(Clone, Copy)]
pub(super) enum Otherwise {
    /// Nothing.
    Nothing,
    /// Their ids.
    Ids,
    /// Their ids; nothing for HugeGraph's Java client, which reads only whole elements here and would fail.
    IdsUnlessJava,
}

/// Elements or their ids.
pub(super) enum Shown<E, I> {
    /// Whole elements.
    Elements(Vec<E>),
    /// Ids.
    Ids(Vec<I>),
}

pub(super) type Vertices = Shown<Vertex, VertexId>;
pub(super) type Edges = Shown<Edge, EdgeId>;

impl Vertices {
    /// Writes the field `vertices`.
    pub(super) fn write(&self, answer: &mut TraverserAnswer<'_>) {
        match self {
            Self::Elements(vertices) => answer.vertices("vertices", vertices),
            Self::Ids(ids) => answer.ids("vertices", ids),
        }
    }
}

impl Edges {
    /// Writes the field `edges`.
    pub(super) fn write(&self, answer: &mut TraverserAnswer<'_>) {
        match self {
            Self::Elements(edges) => answer.edges("edges", edges),
            Self::Ids(ids) => answer.edge_ids("edges", ids),
        }
    }
}

/// Elements read between two looks at the deadline.
const ELEMENTS_PER_READ: usize = 1_024;

/// Paths with ids in place of nodes.
pub(super) struct Paths(pub(super) Vec<Vec<VertexId>>);

impl Paths {
    /// The ids of paths.
    pub(super) fn of(traversal: &Traversal<'_>, paths: &[Path]) -> Self {
        Self(paths.iter().map(|path| traversal.ids(&path.nodes)).collect())
    }

    /// As they are shown.
    pub(super) fn views(&self) -> impl Iterator<Item = PathView<'_>> {
        self.0.iter().map(|objects| PathView { objects, ..PathView::default() })
    }
}

/// The vertices of paths, none twice, in the order of first appearance.
pub(super) fn nodes_of<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Vec<Node> {
    let mut seen = traversal::NodeSet::new();
    paths.into_iter().flat_map(|path| &path.nodes).copied().filter(|node| seen.insert(*node)).collect()
}
