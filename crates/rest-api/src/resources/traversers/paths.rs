//! `paths`, `templatepaths`, `crosspoints` and `multinodeshortestpath`: paths between vertices.

use graph_model::VertexId;
use rest_json::{IntBody, PathView, StepBody, VerticesBody, decode_body, list_of_at_most, required};
use serde::Deserialize;
use traversal::{
    Node, Path, SearchLimits, Step, TemplateLimits, Traversal, multi_node_shortest_paths, nearest_paths, template_paths,
};

use super::elements::{Elements, Wanted};
use super::parameters::{
    CAPACITY_DEFAULT, PATH_LIMIT_DEFAULT, bound, check_steps, depth, int, int_or, search_limits_of_query, vertex_id_of,
};
use super::steps::not_empty;
use super::traverser::Traverser;
use super::traverser_request::{Paths, TraverserRequest, nodes};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::limits::{TRAVERSER_ENDS_MAX, TRAVERSER_STEPS_MAX};
use crate::route::Handler::Read;
use crate::route::{GET, POST, graph};
use openapi_document::Shape::{Flag, List, Named, Object};
use openapi_document::{Field, Operation, may, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, FOUND_PATHS, LABEL, LIMIT, MANY_STEPS, MAX_DEGREE, MAX_DEPTH, MEASURE, ONE_STEP, SELECTED,
    SELECTED_TARGETS, SOURCE, TARGET, WITH_EDGE, WITH_VERTEX,
};
use rest_errors::ApiError;

const ENDS: &[Field] = &[SOURCE, TARGET, DIRECTION, LABEL, MAX_DEPTH, MAX_DEGREE, CAPACITY, LIMIT];

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(&["traversers", "paths"], &[(GET, ANY_VERTEX, Read(by_query)), (POST, ANY_VERTEX, Read(by_body))]),
        operations: &[
            Operation::get("{G}/traversers/paths", "Finds the paths between two vertices", FOUND_PATHS).query(ENDS),
            Operation::post(
                "{G}/traversers/paths",
                "Finds the paths between some vertices and some others",
                Object(&[
                    SELECTED,
                    SELECTED_TARGETS,
                    ONE_STEP,
                    MAX_DEPTH,
                    may("nearest", Flag, "Only the shortest"),
                    CAPACITY,
                    LIMIT,
                    WITH_VERTEX,
                    WITH_EDGE,
                ]),
                200,
                FOUND_PATHS,
            ),
        ],
    },
    Traverser {
        route: graph(&["traversers", "templatepaths"], &[(POST, ANY_VERTEX, Read(by_template))]),
        operations: &[Operation::post(
            "{G}/traversers/templatepaths",
            "Finds the paths between vertices that follow repeated steps",
            Object(&[
                SELECTED,
                SELECTED_TARGETS,
                MANY_STEPS,
                may("with_ring", Flag, "Also paths that come back to where they were"),
                CAPACITY,
                LIMIT,
                WITH_VERTEX,
                WITH_EDGE,
            ]),
            200,
            FOUND_PATHS,
        )],
    },
    Traverser {
        route: graph(&["traversers", "crosspoints"], &[(GET, ANY_VERTEX, Read(crosspoints))]),
        operations: &[Operation::get(
            "{G}/traversers/crosspoints",
            "Finds where the paths from two vertices meet",
            Object(&[must("crosspoints", List(&Named("Path")), ""), MEASURE]),
        )
        .query(ENDS)],
    },
    Traverser {
        route: graph(&["traversers", "multinodeshortestpath"], &[(POST, ANY_VERTEX, Read(between_many))]),
        operations: &[Operation::post(
            "{G}/traversers/multinodeshortestpath",
            "Finds a shortest path between each two of some vertices",
            Object(&[
                must("vertices", Named("Selector"), "From 2 to 10"),
                ONE_STEP,
                MAX_DEPTH,
                CAPACITY,
                WITH_VERTEX,
                WITH_EDGE,
            ]),
            200,
            FOUND_PATHS,
        )],
    },
];

/// Source, target and bounds of a GET request.
fn ends_of_query(call: &Call, traversal: &mut Traversal<'_>) -> Result<(Node, Node, SearchLimits), ApiError> {
    let (source, target) = (vertex_id_of(call, "source")?, vertex_id_of(call, "target")?);
    let limits = search_limits_of_query(call)?;
    let [source, target] = traversal.existing_pair([("source", &source), ("target", &target)])?;
    Ok((source, target, limits))
}

/// `GET {T}/paths`.
fn by_query(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let step = request.step_of_query()?;
    let mut traversal = request.traversal("paths");
    let (source, target, limits) = ends_of_query(call, &mut traversal)?;
    let found = traversal::paths(&mut traversal, (&[source], &[target]), &step, &limits)?;
    let paths = Paths::of(&traversal, &found)?;
    request.answer(|answer| {
        answer.paths("paths", paths.views());
        request.measure(answer, traversal.counters());
    })
}

/// `GET {T}/crosspoints`.
fn crosspoints(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let step = request.step_of_query()?;
    let mut traversal = request.traversal("paths");
    let (source, target, limits) = ends_of_query(call, &mut traversal)?;
    let found = traversal::crosspoints(&mut traversal, source, target, &step, &limits)?;
    let with_ids = |(crossing, path): &(Node, Path)| Ok((traversal.id(*crossing), traversal.ids_of_path(&path.nodes)?));
    let shown: Vec<(&VertexId, Vec<VertexId>)> = found.iter().map(with_ids).collect::<Result<_, ApiError>>()?;
    request.answer(|answer| {
        let view = |(crosspoint, objects)| PathView { objects, crosspoint: Some(crosspoint), weights: None };
        answer.paths("crosspoints", shown.iter().map(|(crossing, path)| view((*crossing, path.as_slice()))));
        request.measure(answer, traversal.counters());
    })
}

/// The body of `POST {T}/paths`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PathsBody {
    sources: Option<VerticesBody>,
    targets: Option<VerticesBody>,
    step: Option<StepBody>,
    max_depth: Option<IntBody>,
    nearest: Option<bool>,
    capacity: Option<IntBody>,
    limit: Option<IntBody>,
    with_vertex: Option<bool>,
    with_edge: Option<bool>,
}

/// `POST {T}/paths`.
fn by_body(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: PathsBody = decode_body(&call.body)?;
    let step = request.step(required(body.step.as_ref(), "step")?)?;
    let limits = search_limits(call, body.max_depth, body.capacity, body.limit)?;
    let mut traversal = request.traversal("paths").recording_edges(true);
    let (sources, targets) = ends(&request, &mut traversal, body.sources.as_ref(), body.targets.as_ref())?;
    let ends = (sources.as_slice(), targets.as_slice());
    let found = if body.nearest.unwrap_or(false) {
        nearest_paths(&mut traversal, ends, &step, &limits)?
    } else {
        traversal::paths(&mut traversal, ends, &step, &limits)?
    };
    answer(&request, &traversal, &found, Wanted::of_body(body.with_vertex, body.with_edge))
}

fn search_limits(
    call: &Call,
    max_depth: Option<IntBody>,
    capacity: Option<IntBody>,
    limit: Option<IntBody>,
) -> Result<SearchLimits, ApiError> {
    Ok(SearchLimits {
        depth: u32::try_from(depth(call, int(max_depth))?).unwrap_or(u32::MAX),
        capacity: bound(call, "capacity", int(capacity), CAPACITY_DEFAULT)?,
        limit: bound(call, "limit", int(limit), PATH_LIMIT_DEFAULT)?,
    })
}

/// Sources and targets of a body.
fn ends(
    request: &TraverserRequest<'_>,
    traversal: &mut Traversal<'_>,
    sources: Option<&VerticesBody>,
    targets: Option<&VerticesBody>,
) -> Result<(Vec<Node>, Vec<Node>), ApiError> {
    Ok((few(request, traversal, "sources", 1, sources)?, few(request, traversal, "targets", 1, targets)?))
}

/// The vertices of a selector that may stand for a few only.
fn few(
    request: &TraverserRequest<'_>,
    traversal: &mut Traversal<'_>,
    name: &str,
    least: usize,
    body: Option<&VerticesBody>,
) -> Result<Vec<Node>, ApiError> {
    let ids = request.select(name, body)?;
    let most = TRAVERSER_ENDS_MAX;
    if !(least..=most).contains(&ids.len()) {
        let message = format!("'{name}' must select from {least} to {most} vertices, but selects {}", ids.len());
        return Err(ApiError::bad_input(message));
    }
    nodes(traversal, ids)
}

fn answer(request: &TraverserRequest<'_>, traversal: &Traversal<'_>, found: &[Path], wanted: Wanted) -> Answered {
    let elements = Elements::of_paths(request, traversal, found, wanted)?;
    let paths = Paths::of(traversal, found)?;
    request.answer(|answer| {
        answer.paths("paths", paths.views());
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}

/// A step of a template, and how often it may be taken.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RepeatedStepBody {
    #[serde(flatten)]
    step: StepBody,
    max_times: Option<IntBody>,
}

/// The body of `POST {T}/templatepaths`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TemplateBody {
    sources: Option<VerticesBody>,
    targets: Option<VerticesBody>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_STEPS_MAX>")]
    steps: Option<Vec<RepeatedStepBody>>,
    with_ring: Option<bool>,
    capacity: Option<IntBody>,
    limit: Option<IntBody>,
    with_vertex: Option<bool>,
    with_edge: Option<bool>,
}

/// `POST {T}/templatepaths`.
fn by_template(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: TemplateBody = decode_body(&call.body)?;
    let given = not_empty(body.steps.as_deref(), "steps")?;
    let mut steps: Vec<(Step, u32)> = Vec::with_capacity(given.len());
    for step in given {
        let times = int_or(step.max_times, 1);
        let times = u32::try_from(times)
            .map_err(|_| ApiError::bad_input(format!("'max_times' must be at least 1, but got {times}")))?;
        steps.push((request.step(&step.step)?, times));
    }
    check_steps(call, steps.iter().map(|(_, times)| u64::from(*times)).sum())?;
    let limits = TemplateLimits {
        capacity: bound(call, "capacity", int(body.capacity), CAPACITY_DEFAULT)?,
        limit: bound(call, "limit", int(body.limit), PATH_LIMIT_DEFAULT)?,
    };
    let mut traversal = request.traversal("template paths").recording_edges(true);
    let (sources, targets) = ends(&request, &mut traversal, body.sources.as_ref(), body.targets.as_ref())?;
    let with_ring = body.with_ring.unwrap_or(false);
    let found = template_paths(&mut traversal, (&sources, &targets), &steps, with_ring, &limits)?;
    answer(&request, &traversal, &found, Wanted::of_body(body.with_vertex, body.with_edge))
}

/// The body of `POST {T}/multinodeshortestpath`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManyBody {
    vertices: Option<VerticesBody>,
    step: Option<StepBody>,
    max_depth: Option<IntBody>,
    capacity: Option<IntBody>,
    with_vertex: Option<bool>,
    with_edge: Option<bool>,
}

/// `POST {T}/multinodeshortestpath`.
fn between_many(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: ManyBody = decode_body(&call.body)?;
    let step = request.step(required(body.step.as_ref(), "step")?)?;
    let limits = SearchLimits { limit: None, ..search_limits(call, body.max_depth, body.capacity, None)? };
    let mut traversal = request.traversal("shortest paths").recording_edges(true);
    let vertices = few(&request, &mut traversal, "vertices", 2, body.vertices.as_ref())?;
    let found = multi_node_shortest_paths(&mut traversal, &vertices, &step, &limits)?;
    answer(&request, &traversal, &found, Wanted::of_body(body.with_vertex, body.with_edge))
}
