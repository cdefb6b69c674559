//! `sameneighbors`, `jaccardsimilarity`, `adamicadar`, `resourceallocation`: how alike vertices are by their
//! neighbours.

use rest_json::limits::STEP_LABELS_MAX;
use rest_json::{IdBody, StepBody, decode_body, list_of_at_most, required};
use serde::Deserialize;
use traversal::{
    CommonNeighbourWeight, Node, Step, Traversal, common_neighbour_score, jaccard, jaccard_similars, same_neighbours,
};

use super::parameters::{
    CAPACITY_DEFAULT, LIMIT_DEFAULT, MAX_DEGREE_DEFAULT, bound, bound_of, direction, id_in_body, vertex_id_of,
};
use super::traverser::Traverser;
use super::traverser_request::{Otherwise, TraverserRequest};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::limits::COMPARED_VERTICES_MAX;
use crate::route::Handler::Read;
use crate::route::{GET, POST, graph};
use openapi_document::Shape::{Any, Integer, List, Map, Named, Number, Object, Text};
use openapi_document::{Field, Operation, may, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, IDS, LABEL, LIMIT, MAX_DEGREE, MEASURE, ONE_STEP, VERTICES, WITH_VERTEX,
};
use rest_errors::ApiError;

const VERTEX: Field = must("vertex", Text, "Id of a vertex; a JSON literal: \"text\" or a number");
const OTHER: Field = must("other", Text, "Id of another vertex; a JSON literal");
const PAIR: &[Field] = &[VERTEX, OTHER, DIRECTION, LABEL, MAX_DEGREE, LIMIT];

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(
            &["traversers", "sameneighbors"],
            &[(GET, ANY_VERTEX, Read(same_by_query)), (POST, ANY_VERTEX, Read(same_by_body))],
        ),
        operations: &[
            Operation::get(
                "{G}/traversers/sameneighbors",
                "Finds the neighbours two vertices share",
                Object(&[must("same_neighbors", IDS, ""), MEASURE]),
            )
            .query(PAIR),
            Operation::post(
                "{G}/traversers/sameneighbors",
                "Finds the neighbours several vertices share",
                Object(&[
                    must("vertex_list", IDS, "At least two"),
                    DIRECTION,
                    may("labels", List(&Text), "Edge labels; none: all"),
                    MAX_DEGREE,
                    LIMIT,
                    WITH_VERTEX,
                ]),
                200,
                Object(&[must("same_neighbors", IDS, ""), VERTICES, MEASURE]),
            ),
        ],
    },
    Traverser {
        route: graph(
            &["traversers", "jaccardsimilarity"],
            &[(GET, ANY_VERTEX, Read(jaccard_by_query)), (POST, ANY_VERTEX, Read(jaccard_by_body))],
        ),
        operations: &[
            Operation::get(
                "{G}/traversers/jaccardsimilarity",
                "Compares the neighbours of two vertices",
                Object(&[must("jaccard_similarity", Number, "From 0 to 1"), MEASURE]),
            )
            .query(&[VERTEX, OTHER, DIRECTION, LABEL, MAX_DEGREE]),
            Operation::post(
                "{G}/traversers/jaccardsimilarity",
                "Finds the vertices with the most similar neighbours",
                Object(&[
                    must("vertex", Named("Id"), ""),
                    ONE_STEP,
                    may("top", Integer, "100 by default, 0: all"),
                    CAPACITY,
                ]),
                200,
                Object(&[must("jaccard_similarity", Map(&Number), "By id"), MEASURE]),
            ),
        ],
    },
    Traverser {
        route: graph(&["traversers", "adamicadar"], &[(GET, ANY_VERTEX, Read(adamic_adar))]),
        operations: &[Operation::get(
            "{G}/traversers/adamicadar",
            "Weighs shared neighbours by the logarithm of their edges",
            Map(&Any),
        )
        .query(PAIR)],
    },
    Traverser {
        route: graph(&["traversers", "resourceallocation"], &[(GET, ANY_VERTEX, Read(resource_allocation))]),
        operations: &[Operation::get(
            "{G}/traversers/resourceallocation",
            "Weighs shared neighbours by their edges",
            Map(&Any),
        )
        .query(PAIR)],
    },
];

/// Similar vertices in an answer that does not say `top`.
const TOP: i64 = 100;

/// The two vertices of a request, which must exist.
fn ends(call: &Call, traversal: &mut Traversal<'_>) -> Result<[Node; 2], ApiError> {
    let (vertex, other) = (vertex_id_of(call, "vertex")?, vertex_id_of(call, "other")?);
    Ok(traversal.existing_pair([("vertex", &vertex), ("other", &other)])?)
}

/// `GET {T}/sameneighbors`.
fn same_by_query(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let step = request.step_of_query()?;
    let limit = bound_of(call, "limit", LIMIT_DEFAULT)?;
    let mut traversal = request.traversal("same neighbors");
    let ends = ends(call, &mut traversal)?;
    let same = same_neighbours(&mut traversal, &ends, &step, limit)?;
    request.answer(|answer| {
        answer.ids("same_neighbors", same.iter().map(|node| traversal.id(*node)));
        request.measure(answer, traversal.counters());
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SameBody {
    #[serde(deserialize_with = "list_of_at_most::<_, _, COMPARED_VERTICES_MAX>")]
    vertex_list: Option<Vec<IdBody>>,
    direction: Option<String>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, STEP_LABELS_MAX>")]
    labels: Option<Vec<String>>,
    max_degree: Option<i64>,
    limit: Option<i64>,
    with_vertex: Option<bool>,
}

/// `POST {T}/sameneighbors`.
fn same_by_body(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: SameBody = decode_body(&call.body)?;
    let given = required(body.vertex_list, "vertex_list")?;
    if given.len() < 2 {
        return Err(ApiError::bad_input(format!(
            "'vertex_list' must have at least 2 vertices, but has {}",
            given.len()
        )));
    }
    let step = Step {
        direction: direction(body.direction.as_deref())?,
        edges: request.edge_labels_of_list(body.labels.as_deref())?,
        max_degree: bound(call, "max_degree", body.max_degree, MAX_DEGREE_DEFAULT)?,
        ..Step::default()
    };
    let limit = bound(call, "limit", body.limit, LIMIT_DEFAULT)?;
    let mut traversal = request.traversal("same neighbors");
    let listed: Vec<_> = given.iter().map(|id| ("listed", &id.0)).collect();
    let vertices = traversal.all_existing(&listed)?;
    let same = same_neighbours(&mut traversal, &vertices, &step, limit)?;
    let mut shown = same.clone();
    shown.extend(vertices.iter().filter(|vertex| !same.contains(vertex)));
    let shown = request.vertices(traversal.ids(&shown), body.with_vertex.unwrap_or(false), Otherwise::IdsUnlessJava)?;
    request.answer(|answer| {
        answer.ids("same_neighbors", same.iter().map(|node| traversal.id(*node)));
        shown.write(answer);
        request.measure(answer, traversal.counters());
    })
}

/// `GET {T}/jaccardsimilarity`.
fn jaccard_by_query(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let step = request.step_of_query()?;
    let mut traversal = request.traversal("jaccard similarity");
    let [vertex, other] = ends(call, &mut traversal)?;
    let score = jaccard(&mut traversal, vertex, other, &step)?;
    request.answer(|answer| {
        answer.score("jaccard_similarity", score);
        request.measure(answer, traversal.counters());
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JaccardBody {
    vertex: Option<IdBody>,
    step: Option<StepBody>,
    top: Option<i64>,
    capacity: Option<i64>,
}

/// `POST {T}/jaccardsimilarity`.
fn jaccard_by_body(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: JaccardBody = decode_body(&call.body)?;
    let vertex = id_in_body("vertex", body.vertex)?;
    let step = request.step(&required(body.step, "step")?)?;
    let top = body.top.unwrap_or(TOP);
    let top = usize::try_from(top)
        .map_err(|_| ApiError::bad_input(format!("'top' must be 0 or more, but got {top}")))
        .map(|top| (top > 0).then_some(top))?;
    let capacity = bound(call, "capacity", body.capacity, CAPACITY_DEFAULT)?;
    let mut traversal = request.traversal("jaccard similarity");
    let vertex = traversal.existing("source", &vertex)?;
    let scores = jaccard_similars(&mut traversal, vertex, &step, top, capacity)?;
    request.answer(|answer| {
        answer.scores("jaccard_similarity", scores.iter().map(|(node, score)| (traversal.id(*node), *score)));
        request.measure(answer, traversal.counters());
    })
}

/// `GET {T}/adamicadar`.
fn adamic_adar(call: &Call) -> Answered {
    prediction(call, "adamic_adar", CommonNeighbourWeight::AdamicAdar)
}

/// `GET {T}/resourceallocation`.
fn resource_allocation(call: &Call) -> Answered {
    prediction(call, "resource_allocation", CommonNeighbourWeight::ResourceAllocation)
}

fn prediction(call: &Call, name: &str, weight: CommonNeighbourWeight) -> Answered {
    let request = TraverserRequest::open(call)?;
    let step = request.step_of_query()?;
    let limit = bound_of(call, "limit", LIMIT_DEFAULT)?;
    let mut traversal = request.traversal("common neighbors");
    let ends = ends(call, &mut traversal)?;
    let [vertex, other] = ends;
    if vertex == other {
        return Err(ApiError::bad_input("'vertex' and 'other' must be different vertices"));
    }
    let degree_step = Step { max_degree: None, ..step.clone() };
    let score = common_neighbour_score(&mut traversal, ends, &step, &degree_step, limit, weight)?;
    request.answer(|answer| answer.score(name, score))
}
