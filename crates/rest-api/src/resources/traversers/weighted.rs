//! `weightedshortestpath` and `singlesourceshortestpath`.

use graph_model::VertexId;
use traversal::{Step, Weight, WeightedPath, WeightedPaths, lightest_path, lightest_paths};

use super::elements::{Elements, Wanted};
use super::parameters::{CAPACITY_DEFAULT, PATH_LIMIT_DEFAULT, bound_of, number_or, vertex_id_of};
use super::traverser::Traverser;
use super::traverser_request::{Otherwise, TraverserRequest};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::route::Handler::Read;
use crate::route::{GET, graph};
use openapi_document::Shape::{Any, Map, Object, Text};
use openapi_document::{Operation, may, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, EDGES, LABEL, LIMIT, MAX_DEGREE, MEASURE, SKIP_DEGREE, SOURCE, TARGET, VERTICES, WITH_EDGE,
    WITH_VERTEX,
};
use rest_errors::ApiError;

const WEIGHT: &str = "A property of numbers; edges without it count 1";

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(&["traversers", "weightedshortestpath"], &[(GET, ANY_VERTEX, Read(to_one))]),
        operations: &[Operation::get(
            "{G}/traversers/weightedshortestpath",
            "Finds a path of least weight",
            Object(&[
                must("path", Map(&Any), "`weight` and `vertices`; empty: there is none"),
                VERTICES,
                EDGES,
                MEASURE,
            ]),
        )
        .query(&[
            SOURCE,
            TARGET,
            DIRECTION,
            LABEL,
            must("weight", Text, WEIGHT),
            MAX_DEGREE,
            SKIP_DEGREE,
            CAPACITY,
            WITH_VERTEX,
            WITH_EDGE,
        ])],
    },
    Traverser {
        route: graph(&["traversers", "singlesourceshortestpath"], &[(GET, ANY_VERTEX, Read(to_all))]),
        operations: &[Operation::get(
            "{G}/traversers/singlesourceshortestpath",
            "Finds paths of least weight to all vertices",
            Object(&[must("paths", Map(&Map(&Any)), "By the id they lead to"), VERTICES, EDGES, MEASURE]),
        )
        .query(&[
            SOURCE,
            DIRECTION,
            LABEL,
            may("weight", Text, WEIGHT),
            MAX_DEGREE,
            SKIP_DEGREE,
            CAPACITY,
            LIMIT,
            WITH_VERTEX,
            WITH_EDGE,
        ])],
    },
];

/// Length of an edge that does not say how long it is.
const DEFAULT_WEIGHT: f64 = 1.0;

/// `GET {T}/weightedshortestpath`.
fn to_one(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, target) = (vertex_id_of(call, "source")?, vertex_id_of(call, "target")?);
    let weight = weight(&request)?;
    if weight.key.is_none() {
        return Err(ApiError::bad_input("'weight' is missing; it must be the name of a numeric property of edges"));
    }
    let (step, capacity) = bounds(&request)?;
    let query = WeightedPaths { step: &step, weight, capacity };
    let mut traversal = request.traversal("shortest paths").recording_edges(true);
    let [source, target] = traversal.existing_pair([("source", &source), ("target", &target)])?;
    let found = lightest_path(&mut traversal, source, target, &query)?;
    let wanted = Wanted::of_query(call, Otherwise::IdsUnlessJava)?;
    let elements = Elements::of_paths(&request, &traversal, found.iter().map(|found| &found.path), wanted)?;
    let shown = found.map(|WeightedPath { weight, path }| (weight, traversal.ids(&path.nodes)));
    request.answer(|answer| {
        answer.weighted_path("path", shown.as_ref().map(|(weight, ids)| (*weight, ids.as_slice())));
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}

/// `GET {T}/singlesourceshortestpath`.
fn to_all(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let source = vertex_id_of(call, "source")?;
    let weight = weight(&request)?;
    let (step, capacity) = bounds(&request)?;
    let limit = bound_of(call, "limit", PATH_LIMIT_DEFAULT)?;
    let query = WeightedPaths { step: &step, weight, capacity };
    let mut traversal = request.traversal("shortest paths").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let found = lightest_paths(&mut traversal, source, &query, limit)?;
    let wanted = Wanted::of_query(call, Otherwise::IdsUnlessJava)?;
    let elements = Elements::of_paths(&request, &traversal, found.iter().map(|(_, found)| &found.path), wanted)?;
    let mut shown: Vec<(&VertexId, f64, Vec<VertexId>)> = Vec::with_capacity(found.len());
    for (target, found) in &found {
        shown.push((traversal.id(*target), found.weight, traversal.ids_of_path(&found.path.nodes)?));
    }
    request.answer(|answer| {
        let paths = shown.iter().map(|(target, weight, ids)| (*target, *weight, ids.as_slice()));
        answer.weighted_paths("paths", paths);
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}

fn weight(request: &TraverserRequest<'_>) -> Result<Weight, ApiError> {
    let name = request.call.query().text("weight")?;
    let key = name.map(|name| request.property_key(&name)).transpose()?;
    Ok(Weight { key, default: DEFAULT_WEIGHT })
}

fn bounds(request: &TraverserRequest<'_>) -> Result<(Step, Option<u64>), ApiError> {
    let capacity = bound_of(request.call, "capacity", CAPACITY_DEFAULT)?;
    Ok((request.step_with_skip_degree(number_or(request.call, "capacity", CAPACITY_DEFAULT)?)?, capacity))
}
