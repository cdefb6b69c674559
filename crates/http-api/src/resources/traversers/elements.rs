//! The fields `vertices` and `edges` of an answer: whole elements where the request asks for them, else their ids.

use graph_json::TraverserAnswer;
use graph_model::{Edge, EdgeId, Vertex, VertexId};
use traversal::{Node, Path, Traversal};

use super::scene::{Scene, nodes_of};
use crate::errors::ApiError;

/// Ids or the elements themselves.
enum Shown<I, E> {
    Ids(Vec<I>),
    Elements(Vec<E>),
}

/// Which fields hold elements, and for whom.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// `with_vertex`.
    pub(super) vertices: bool,
    /// `with_edge`.
    pub(super) edges: bool,
    /// Whether the Java client's class for the answer can hold ids. Where not, it gets empty lists instead.
    pub(super) java_reads_ids: bool,
}

impl Wanted {
    /// Of a request with a body. The Java client's classes for these answers cannot hold ids.
    pub(super) fn of_body(vertices: Option<bool>, edges: Option<bool>) -> Self {
        Self { vertices: vertices.unwrap_or(false), edges: edges.unwrap_or(false), java_reads_ids: false }
    }
}

/// What the fields hold.
pub(super) struct Elements {
    vertices: Shown<VertexId, Vertex>,
    edges: Shown<EdgeId, Edge>,
}

impl Elements {
    /// The vertices and edges of paths.
    pub(super) fn of_paths(
        scene: &Scene<'_>,
        traversal: &Traversal<'_>,
        paths: &[Path],
        wanted: Wanted,
    ) -> Result<Self, ApiError> {
        let edges = traversal.edges_between(paths.iter().flat_map(Path::pairs));
        Self::of(scene, traversal, &nodes_of(paths), edges, wanted)
    }

    /// The given vertices and edges.
    pub(super) fn of(
        scene: &Scene<'_>,
        traversal: &Traversal<'_>,
        nodes: &[Node],
        edges: Vec<EdgeId>,
        wanted: Wanted,
    ) -> Result<Self, ApiError> {
        let hides_ids = scene.call.is_java_client && !wanted.java_reads_ids;
        let vertices = match (wanted.vertices, hides_ids) {
            (true, _) => Shown::Elements(scene.vertices(&traversal.ids(nodes), true)?),
            (false, true) => Shown::Ids(Vec::new()),
            (false, false) => Shown::Ids(traversal.ids(nodes)),
        };
        let edges = match (wanted.edges, hides_ids) {
            (true, _) => Shown::Elements(scene.edges(&edges, true)?),
            (false, true) => Shown::Ids(Vec::new()),
            (false, false) => Shown::Ids(edges),
        };
        Ok(Self { vertices, edges })
    }

    /// Writes both fields.
    pub(super) fn write(&self, answer: &mut TraverserAnswer<'_>) {
        self.write_vertices(answer);
        match &self.edges {
            Shown::Ids(ids) => answer.edge_ids("edges", ids),
            Shown::Elements(edges) => answer.edges("edges", edges),
        }
    }

    /// Writes `vertices` only.
    pub(super) fn write_vertices(&self, answer: &mut TraverserAnswer<'_>) {
        match &self.vertices {
            Shown::Ids(ids) => answer.ids("vertices", ids),
            Shown::Elements(vertices) => answer.vertices("vertices", vertices),
        }
    }
}
