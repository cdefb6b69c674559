//! What all traversers share: the graph at one state of its schema, the budget, and the form of answers.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use graph_access::GraphRead;
use graph_host::HostedGraph;
use graph_model::{EdgeId, ErrorKind, VertexId};
use graph_schema::Catalogue;
use graph_view::Visible;
use rest_json::{EncodeOptions, PathView, TraverserAnswer, write_edge, write_vertex};
use traversal::{Counters, Node, Path, Traversal};

use crate::call::{Answered, Call};
use http_server::{Reply, Work};
use rest_errors::ApiError;

/// One traverser request at work.
pub(super) struct TraverserRequest<'c> {
    pub(super) call: &'c Call,
    pub(super) graph: &'c Arc<HostedGraph>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) visible: Visible<'c>,
    reader: Box<dyn GraphRead + 'c>,
    started: Instant,
    /// What the answer took, once it is measured.
    work: Cell<Option<Work>>,
}

impl<'c> TraverserRequest<'c> {
    /// Begins a request.
    pub(super) fn open(call: &'c Call) -> Result<Self, ApiError> {
        let graph = call.graph()?;
        let catalogue = graph.catalogue();
        let visible = call.visible()?;
        let reader = visible.reader();
        Ok(Self { call, graph, catalogue, visible, reader, started: Instant::now(), work: Cell::new(None) })
    }

    /// A traversal that looks for `what` (in plural, for errors).
    pub(super) fn traversal(&self, what: &'static str) -> Traversal<'_> {
        let app = &self.call.app;
        Traversal::new(&*self.reader, what, app.options.limits.traversal_memory_bytes_max)
            .parallel_on(app.serving.readers.as_ref())
    }

    /// How vertices are shown: as elements, as far as they exist, where `wanted`; else as `otherwise` says.
    pub(super) fn vertices(
        &self,
        ids: Vec<VertexId>,
        wanted: bool,
        otherwise: Otherwise,
    ) -> Result<Vertices, ApiError> {
        if !wanted {
            return Ok(self.not_whole(ids, otherwise));
        }
        let mut whole = Whole::new(self);
        for some in ids.chunks(ELEMENTS_PER_READ) {
            for vertex in self.reader.vertices(some)?.iter().flatten() {
                whole.push(|out, options| write_vertex(out, vertex, &self.catalogue, options))?;
            }
        }
        Ok(whole.close())
    }

    /// How edges are shown, as [`Self::vertices`].
    pub(super) fn edges(&self, ids: Vec<EdgeId>, wanted: bool, otherwise: Otherwise) -> Result<Edges, ApiError> {
        if !wanted {
            return Ok(self.not_whole(ids, otherwise));
        }
        let mut whole = Whole::new(self);
        for some in ids.chunks(ELEMENTS_PER_READ) {
            for edge in self.reader.edges(some)?.iter().flatten() {
                whole.push(|out, options| write_edge(out, edge, &self.catalogue, options))?;
            }
        }
        Ok(whole.close())
    }

    fn not_whole<I>(&self, ids: Vec<I>, otherwise: Otherwise) -> Shown<I> {
        Shown::Ids(if self.shows_ids(otherwise) { ids } else { Vec::new() })
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
        let mut out = Vec::with_capacity(1_024);
        let limit = self.call.app.options.limits.response_bytes_max;
        let mut answer = TraverserAnswer::open(&mut out, limit, &self.catalogue);
        write(&mut answer);
        answer.close();
        self.reply(out)
    }

    /// An answer that is written already.
    pub(super) fn reply(&self, out: Vec<u8>) -> Answered {
        self.check_size(out.len())?;
        let mut reply = Reply::ok(out);
        reply.work = self.work.get().map(Box::new);
        Ok(reply)
    }

    /// Fails where an answer, or a part of one, is larger than the limit.
    fn check_size(&self, bytes: usize) -> Result<(), ApiError> {
        let limit = self.call.app.options.limits.response_bytes_max;
        if bytes <= limit {
            return Ok(());
        }
        Err(ApiError::of(
            ErrorKind::LimitExceeded,
            format!(
                "Too many records: the answer is larger than {limit} bytes (graph.response_bytes_max); \
                ask for less with 'limit'"
            ),
        ))
    }

    /// Writes `measure`, and notes it for the log of slow requests.
    pub(super) fn measure(&self, answer: &mut TraverserAnswer<'_>, counters: Counters) {
        self.work.set(Some(Work { edges: counters.edge_iterations, vertices: counters.vertex_iterations }));
        answer.measure(counters.edge_iterations, counters.vertex_iterations, self.started.elapsed().as_nanos());
    }
}

/// What is shown in place of elements that are not wanted whole.
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
pub(super) enum Shown<I> {
    /// Whole elements, as a JSON array.
    Whole(Vec<u8>),
    /// Ids.
    Ids(Vec<I>),
}

pub(super) type Vertices = Shown<VertexId>;
pub(super) type Edges = Shown<EdgeId>;

impl Vertices {
    /// Writes the field `vertices`.
    pub(super) fn write(&self, answer: &mut TraverserAnswer<'_>) {
        match self {
            Self::Whole(array) => answer.field("vertices").extend_from_slice(array),
            Self::Ids(ids) => answer.ids("vertices", ids),
        }
    }
}

impl Edges {
    /// Writes the field `edges`.
    pub(super) fn write(&self, answer: &mut TraverserAnswer<'_>) {
        match self {
            Self::Whole(array) => answer.field("edges").extend_from_slice(array),
            Self::Ids(ids) => answer.edge_ids("edges", ids),
        }
    }
}

/// Whole elements, written while they are read: never more of them are held than fit into an answer.
struct Whole<'s> {
    request: &'s TraverserRequest<'s>,
    options: EncodeOptions,
    out: Vec<u8>,
}

impl<'s> Whole<'s> {
    fn new(request: &'s TraverserRequest<'s>) -> Self {
        Self { request, options: Call::encode_options(request.graph), out: vec![b'['] }
    }

    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>, &EncodeOptions)) -> Result<(), ApiError> {
        if self.out.len() > 1 {
            self.out.push(b',');
        }
        write(&mut self.out, &self.options);
        self.request.check_size(self.out.len())
    }

    fn close<I>(mut self) -> Shown<I> {
        self.out.push(b']');
        Shown::Whole(self.out)
    }
}

/// Elements read between two looks at the deadline.
const ELEMENTS_PER_READ: usize = 1_024;

/// Paths with ids in place of nodes.
pub(super) struct Paths(pub(super) Vec<Vec<VertexId>>);

impl Paths {
    /// The ids of paths, charged to the traversal.
    pub(super) fn of(traversal: &Traversal<'_>, paths: &[Path]) -> Result<Self, ApiError> {
        let mut ids = Vec::with_capacity(paths.len());
        for path in paths {
            ids.push(traversal.ids_of_path(&path.nodes)?);
        }
        Ok(Self(ids))
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

/// The nodes of vertices that exist.
pub(super) fn nodes(traversal: &mut Traversal<'_>, ids: Vec<VertexId>) -> Result<Vec<Node>, ApiError> {
    let mut nodes = Vec::with_capacity(ids.len());
    for id in ids {
        nodes.push(traversal.node(id)?);
    }
    Ok(nodes)
}
