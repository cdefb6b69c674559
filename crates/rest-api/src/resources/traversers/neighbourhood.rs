//! `kout` and `kneighbor`: the vertices at a distance, and within one.

use rest_json::{IdBody, VertexEdgeStepsBody, decode_body, required};
use serde::Deserialize;
use traversal::{KNeighbour, KOut, Path, Reached, Step, Traversal, k_neighbour, k_out};

use super::parameters::{
    CAPACITY_DEFAULT, LIMIT_DEFAULT, bound, bound_of, depth, flag_or, id_in_body, max_depth_of, vertex_id_of,
};
use super::traverser::Traverser;
use super::traverser_request::{Otherwise, Paths, TraverserRequest, nodes_of};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::route::Handler::Read;
use crate::route::{GET, POST, graph};
use openapi_document::Shape::{Flag, Integer, List, Named, Object, Text};
use openapi_document::{Field, Operation, Shape, may, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, EDGES, IDS, LABEL, LIMIT, MAX_DEGREE, MAX_DEPTH, MEASURE, SOURCE, VERTICES, WITH_EDGE,
    WITH_VERTEX,
};
use rest_errors::ApiError;

const COUNT_ONLY: Field = may("count_only", Flag, "Only the number of vertices");
const NEIGHBOURHOOD: Shape = Object(&[
    must("source", Named("Id"), "Id of the vertex to start at"),
    may("steps", Named("Steps"), ""),
    may("step", Named("Step"), "As before HugeGraph 1.2"),
    MAX_DEPTH,
    may("nearest", Flag, "kout only: vertices are counted at their shortest distance"),
    COUNT_ONLY,
    CAPACITY,
    LIMIT,
    WITH_VERTEX,
    may("with_path", Flag, "Also a path to each"),
    WITH_EDGE,
    may("traverse_mode", Text, "kout only: breadth_first_search or depth_first_search"),
]);
const REACHED: Shape = Object(&[
    may("kout", IDS, ""),
    may("kneighbor", IDS, ""),
    must("size", Integer, ""),
    may("paths", List(&Named("Path")), ""),
    VERTICES,
    EDGES,
    MEASURE,
]);
const NEIGHBOURS: Shape =
    Object(&[may("vertices", IDS, ""), may("vertices_size", Integer, "With `count_only`"), MEASURE]);

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(
            &["traversers", "kout"],
            &[(GET, ANY_VERTEX, Read(k_out_by_query)), (POST, ANY_VERTEX, Read(k_out_by_body))],
        ),
        operations: &[
            Operation::get("{G}/traversers/kout", "Finds the vertices at a distance", NEIGHBOURS).query(&[
                SOURCE,
                DIRECTION,
                LABEL,
                MAX_DEPTH,
                may("nearest", Flag, "False: also vertices that are nearer on another way"),
                COUNT_ONLY,
                MAX_DEGREE,
                CAPACITY,
                LIMIT,
            ]),
            Operation::post(
                "{G}/traversers/kout",
                "Finds the vertices at a distance, by steps",
                NEIGHBOURHOOD,
                200,
                REACHED,
            ),
        ],
    },
    Traverser {
        route: graph(
            &["traversers", "kneighbor"],
            &[(GET, ANY_VERTEX, Read(k_neighbour_by_query)), (POST, ANY_VERTEX, Read(k_neighbour_by_body))],
        ),
        operations: &[
            Operation::get("{G}/traversers/kneighbor", "Finds the vertices up to a distance", NEIGHBOURS)
                .query(&[SOURCE, DIRECTION, LABEL, MAX_DEPTH, COUNT_ONLY, MAX_DEGREE, LIMIT]),
            Operation::post(
                "{G}/traversers/kneighbor",
                "Finds the vertices up to a distance, by steps",
                NEIGHBOURHOOD,
                200,
                REACHED,
            ),
        ],
    },
];

/// `GET {T}/kout`.
fn k_out_by_query(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let source = vertex_id_of(call, "source")?;
    let step = request.step_of_query()?;
    let query = KOut {
        nearest: flag_or(call, "nearest", true)?,
        capacity: bound_of(call, "capacity", CAPACITY_DEFAULT)?,
        fills_capacity: true,
        limit: bound_of(call, "limit", LIMIT_DEFAULT)?,
        ..KOut::new(&step, max_depth_of(call)?)
    };
    if let Some(capacity) = query.capacity.filter(|capacity| query.limit.is_none_or(|limit| limit > *capacity)) {
        return Err(ApiError::bad_input(format!(
            "'capacity' must not be less than 'limit', but got capacity {capacity} and limit {}",
            query.limit.map_or_else(|| "-1".to_owned(), |limit| limit.to_string())
        )));
    }
    let mut traversal = request.traversal("k-out vertices");
    let source = traversal.existing("source", &source)?;
    let reached = k_out(&mut traversal, source, &query)?;
    plain_answer(&request, &traversal, &reached)
}

/// `GET {T}/kneighbor`.
fn k_neighbour_by_query(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let source = vertex_id_of(call, "source")?;
    let step = request.step_of_query()?;
    let limit = bound_of(call, "limit", LIMIT_DEFAULT)?;
    let query = KNeighbour { step: &step, depth: max_depth_of(call)?, limit, with_paths: false };
    let mut traversal = request.traversal("k-neighbor vertices");
    let source = traversal.existing("source", &source)?;
    let reached = k_neighbour(&mut traversal, source, &query)?;
    plain_answer(&request, &traversal, &reached)
}

fn plain_answer(request: &TraverserRequest<'_>, traversal: &Traversal<'_>, reached: &Reached) -> Answered {
    let count_only = flag_or(request.call, "count_only", false)?;
    request.answer(|answer| {
        if count_only {
            answer.number("vertices_size", reached.nodes.len() as u64);
        } else {
            answer.ids("vertices", reached.nodes.iter().map(|node| traversal.id(*node)));
        }
        request.measure(answer, traversal.counters());
    })
}

/// The body of both.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
    source: Option<IdBody>,
    steps: Option<VertexEdgeStepsBody>,
    /// The name before HugeGraph 1.2, with labels and properties of edges.
    step: Option<rest_json::StepBody>,
    max_depth: Option<i64>,
    nearest: Option<bool>,
    count_only: Option<bool>,
    capacity: Option<i64>,
    limit: Option<i64>,
    with_vertex: Option<bool>,
    with_path: Option<bool>,
    with_edge: Option<bool>,
    traverse_mode: Option<String>,
}

impl Body {
    fn is(flag: Option<bool>) -> bool {
        flag.unwrap_or(false)
    }

    fn step(&self, request: &TraverserRequest<'_>) -> Result<Step, ApiError> {
        match (&self.steps, &self.step) {
            (None, Some(step)) => request.step(step),
            (steps, _) => request.vertex_edge_steps(required(steps.as_ref(), "steps")?),
        }
    }

    /// `traverse_mode` is checked and has no effect: both ways of walking find the same. What k-out asks for is defined
    /// without an order of walking: the vertices whose shortest distance is `max_depth`, or with `nearest=false` the
    /// ends of walks of that length. Depth first, the shortest distance of a vertex is known only when all nearer
    /// layers were seen, so HugeGraph, which does not look at them, can show vertices that are nearer. A `limit` leaves
    /// open which vertices are shown, whatever the mode.
    fn check(&self) -> Result<(), ApiError> {
        let shows = Self::is(self.with_vertex) || Self::is(self.with_path) || Self::is(self.with_edge);
        if Self::is(self.count_only) && shows {
            return Err(ApiError::bad_input(
                "'count_only' gives no elements, so 'with_vertex', 'with_path' and 'with_edge' must be false",
            ));
        }
        let known = ["breadth_first_search", "depth_first_search"];
        match &self.traverse_mode {
            Some(mode) if !known.iter().any(|name| mode.eq_ignore_ascii_case(name)) => Err(ApiError::bad_input(
                format!("'traverse_mode' must be breadth_first_search or depth_first_search, but got '{mode}'"),
            )),
            _ => Ok(()),
        }
    }
}

/// `POST {T}/kout`.
fn k_out_by_body(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: Body = decode_body(&call.body)?;
    let source = id_in_body("source", body.source.clone())?;
    let step = body.step(&request)?;
    body.check()?;
    let query = KOut {
        nearest: body.nearest.unwrap_or(true),
        capacity: bound(call, "capacity", body.capacity, CAPACITY_DEFAULT)?,
        limit: bound(call, "limit", body.limit, LIMIT_DEFAULT)?,
        with_paths: Body::is(body.with_path),
        ..KOut::new(&step, depth(call, body.max_depth)?)
    };
    let mut traversal = request.traversal("k-out vertices").recording_edges(query.with_paths);
    let source = traversal.existing("source", &source)?;
    let reached = k_out(&mut traversal, source, &query)?;
    full_answer("kout", &request, &traversal, &reached, &body, Otherwise::IdsUnlessJava)
}

/// `POST {T}/kneighbor`.
fn k_neighbour_by_body(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: Body = decode_body(&call.body)?;
    let source = id_in_body("source", body.source.clone())?;
    let step = body.step(&request)?;
    body.check()?;
    let query = KNeighbour {
        step: &step,
        depth: depth(call, body.max_depth)?,
        limit: bound(call, "limit", body.limit, LIMIT_DEFAULT)?,
        with_paths: Body::is(body.with_path),
    };
    let mut traversal =
        request.traversal("k-neighbor vertices").recording_edges(query.with_paths && Body::is(body.with_edge));
    let source = traversal.existing("source", &source)?;
    let reached = k_neighbour(&mut traversal, source, &query)?;
    full_answer("kneighbor", &request, &traversal, &reached, &body, Otherwise::Nothing)
}

fn full_answer(
    name: &str,
    request: &TraverserRequest<'_>,
    traversal: &Traversal<'_>,
    reached: &Reached,
    body: &Body,
    otherwise: Otherwise,
) -> Answered {
    let count_only = Body::is(body.count_only);
    let paths = reached.paths.as_ref().map(|paths| paths.unfold(traversal)).transpose()?.unwrap_or_default();
    let found = Path { nodes: if count_only { Vec::new() } else { reached.nodes.clone() } };
    let shown = nodes_of(std::iter::once(&found).chain(&paths));
    let vertices = request.vertices(traversal.ids(&shown), Body::is(body.with_vertex), otherwise)?;
    let edges = traversal.edges_between(paths.iter().flat_map(Path::pairs))?;
    let edges = request.edges(edges, Body::is(body.with_edge), otherwise)?;
    let (found, paths) = (traversal.ids(&found.nodes), Paths::of(traversal, &paths)?);
    request.answer(|answer| {
        answer.ids(name, &found);
        answer.number("size", reached.nodes.len() as u64);
        answer.paths("paths", paths.views());
        vertices.write(answer);
        edges.write(answer);
        request.measure(answer, traversal.counters());
    })
}
