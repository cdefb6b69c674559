//! The fields `vertices` and `edges` of answers about several vertices or paths.

use graph_model::EdgeId;
use rest_json::TraverserAnswer;
use traversal::{Node, Path, Traversal};

use super::parameters::flag_or;
use super::traverser_request::{Edges, Otherwise, TraverserRequest, Vertices, nodes_of};
use crate::call::Call;
use rest_errors::ApiError;

/// Which fields hold whole elements, and what they hold otherwise.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// `with_vertex`.
    pub(super) vertices: bool,
    /// `with_edge`.
    pub(super) edges: bool,
    /// What is shown in their place.
    pub(super) otherwise: Otherwise,
}

impl Wanted {
    /// Of a request with a body.
    pub(super) fn of_body(vertices: Option<bool>, edges: Option<bool>) -> Self {
        let (vertices, edges) = (vertices.unwrap_or(false), edges.unwrap_or(false));
        Self { vertices, edges, otherwise: Otherwise::IdsUnlessJava }
    }

    /// Of a request without one.
    pub(super) fn of_query(call: &Call, otherwise: Otherwise) -> Result<Self, ApiError> {
        let (vertices, edges) = (flag_or(call, "with_vertex", false)?, flag_or(call, "with_edge", false)?);
        Ok(Self { vertices, edges, otherwise })
    }
}

/// What the fields hold.
pub(super) struct Elements {
    pub(super) vertices: Vertices,
    edges: Edges,
}

impl Elements {
    /// The vertices and edges of paths.
    pub(super) fn of_paths<'p>(
        request: &TraverserRequest<'_>,
        traversal: &Traversal<'_>,
        paths: impl IntoIterator<Item = &'p Path> + Clone,
        wanted: Wanted,
    ) -> Result<Self, ApiError> {
        let edges = traversal.edges_between(paths.clone().into_iter().flat_map(Path::pairs))?;
        Self::of(request, traversal, &nodes_of(paths), edges, wanted)
    }

    /// The given vertices and edges.
    pub(super) fn of(
        request: &TraverserRequest<'_>,
        traversal: &Traversal<'_>,
        nodes: &[Node],
        edges: Vec<EdgeId>,
        wanted: Wanted,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            vertices: request.vertices(traversal.ids(nodes), wanted.vertices, wanted.otherwise)?,
            edges: request.edges(edges, wanted.edges, wanted.otherwise)?,
        })
    }

    /// Writes both fields.
    pub(super) fn write(&self, answer: &mut TraverserAnswer<'_>) {
        self.vertices.write(answer);
        self.edges.write(answer);
    }
}
