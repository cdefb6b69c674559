//! `shortestpath` and `allshortestpaths`.

use traversal::{Path, ShortestPath, Traversal, all_shortest_paths, shortest_path};

use super::elements::{Elements, Wanted};
use super::parameters::{CAPACITY_DEFAULT, bound_of, max_depth_of, number_or, vertex_id_of};
use super::traverser::Traverser;
use super::traverser_request::{Otherwise, Paths, TraverserRequest};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::route::Handler::Read;
use crate::route::{GET, graph};
use openapi_document::Shape::Object;
use openapi_document::{Field, Operation, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, EDGES, FOUND_PATHS, IDS, LABEL, MAX_DEGREE, MAX_DEPTH, MEASURE, SKIP_DEGREE, SOURCE, TARGET,
    VERTICES, WITH_EDGE, WITH_VERTEX,
};
use rest_errors::ApiError;

const BETWEEN: &[Field] =
    &[SOURCE, TARGET, DIRECTION, LABEL, MAX_DEPTH, MAX_DEGREE, SKIP_DEGREE, CAPACITY, WITH_VERTEX, WITH_EDGE];

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(&["traversers", "shortestpath"], &[(GET, ANY_VERTEX, Read(one))]),
        operations: &[Operation::get(
            "{G}/traversers/shortestpath",
            "Finds a shortest path",
            Object(&[must("path", IDS, "Empty: there is none"), VERTICES, EDGES, MEASURE]),
        )
        .query(BETWEEN)],
    },
    Traverser {
        route: graph(&["traversers", "allshortestpaths"], &[(GET, ANY_VERTEX, Read(all))]),
        operations: &[
            Operation::get("{G}/traversers/allshortestpaths", "Finds all shortest paths", FOUND_PATHS).query(BETWEEN)
        ],
    },
];

/// `GET {T}/shortestpath`.
fn one(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (traversal, paths) = find(&request, |traversal, source, target, query| {
        Ok(shortest_path(traversal, source, target, query)?.into_iter().collect())
    })?;
    let path = paths.first().cloned().unwrap_or_default();
    let ids = traversal.ids(&path.nodes);
    let elements = Elements::of_paths(&request, &traversal, &paths, Wanted::of_query(call, Otherwise::Ids)?)?;
    request.answer(|answer| {
        answer.ids("path", &ids);
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}

/// `GET {T}/allshortestpaths`.
fn all(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (traversal, paths) = find(&request, all_shortest_paths)?;
    let elements = Elements::of_paths(&request, &traversal, &paths, Wanted::of_query(call, Otherwise::Ids)?)?;
    let paths = Paths::of(&traversal, &paths)?;
    request.answer(|answer| {
        answer.paths("paths", paths.views());
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}

type Search = fn(
    &mut Traversal<'_>,
    traversal::Node,
    traversal::Node,
    &ShortestPath<'_>,
) -> Result<Vec<Path>, traversal::TraversalError>;

fn find<'s>(request: &'s TraverserRequest<'_>, search: Search) -> Result<(Traversal<'s>, Vec<Path>), ApiError> {
    let call = request.call;
    let (source, target) = (vertex_id_of(call, "source")?, vertex_id_of(call, "target")?);
    let capacity = bound_of(call, "capacity", CAPACITY_DEFAULT)?;
    let step = request.step_with_skip_degree(number_or(call, "capacity", CAPACITY_DEFAULT)?)?;
    let query = ShortestPath { step: &step, depth: max_depth_of(call)?, capacity };
    let mut traversal = request.traversal("shortest paths").recording_edges(true);
    let [source, target] = traversal.existing_pair([("source", &source), ("target", &target)])?;
    let paths = search(&mut traversal, source, target, &query)?;
    Ok((traversal, paths))
}
