//! `rings` and `rays`: paths that close, and paths that cannot be extended.

use traversal::{Path, Traversal, rings_reached, rings_through};

use super::elements::{Elements, Wanted};
use super::parameters::{flag_or, search_limits_of_query, vertex_id_of};
use super::traverser::Traverser;
use super::traverser_request::{Otherwise, Paths, TraverserRequest};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::route::Handler::Read;
use crate::route::{GET, graph};
use openapi_document::Shape::{Flag, List, Named, Object};
use openapi_document::{Operation, may, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, EDGES, LABEL, LIMIT, MAX_DEGREE, MAX_DEPTH, MEASURE, SOURCE, VERTICES, WITH_EDGE, WITH_VERTEX,
};

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(&["traversers", "rings"], &[(GET, ANY_VERTEX, Read(rings))]),
        operations: &[Operation::get(
            "{G}/traversers/rings",
            "Finds the rings at a vertex",
            Object(&[must("rings", List(&Named("Path")), ""), VERTICES, EDGES, MEASURE]),
        )
        .query(&[
            SOURCE,
            DIRECTION,
            LABEL,
            MAX_DEPTH,
            may("source_in_ring", Flag, "False: also rings the vertex only leads to"),
            MAX_DEGREE,
            CAPACITY,
            LIMIT,
            WITH_VERTEX,
            WITH_EDGE,
        ])],
    },
    Traverser {
        route: graph(&["traversers", "rays"], &[(GET, ANY_VERTEX, Read(rays))]),
        operations: &[Operation::get(
            "{G}/traversers/rays",
            "Finds the paths from a vertex to the ends of the graph",
            Object(&[must("rays", List(&Named("Path")), ""), VERTICES, EDGES, MEASURE]),
        )
        .query(&[SOURCE, DIRECTION, LABEL, MAX_DEPTH, MAX_DEGREE, CAPACITY, LIMIT, WITH_VERTEX, WITH_EDGE])],
    },
];

/// `GET {T}/rings`.
fn rings(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, step) = (vertex_id_of(call, "source")?, request.step_of_query()?);
    let limits = search_limits_of_query(call)?;
    let in_ring = flag_or(call, "source_in_ring", true)?;
    let mut traversal = request.traversal("rings").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let find = if in_ring { rings_through } else { rings_reached };
    let found = find(&mut traversal, source, &step, &limits)?;
    answer("rings", &request, &traversal, &found)
}

/// `GET {T}/rays`.
fn rays(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, step) = (vertex_id_of(call, "source")?, request.step_of_query()?);
    let limits = search_limits_of_query(call)?;
    let mut traversal = request.traversal("rays").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let found = traversal::rays(&mut traversal, source, &step, &limits)?;
    answer("rays", &request, &traversal, &found)
}

fn answer(name: &str, request: &TraverserRequest<'_>, traversal: &Traversal<'_>, found: &[Path]) -> Answered {
    let wanted = Wanted::of_query(request.call, Otherwise::Ids)?;
    let elements = Elements::of_paths(request, traversal, found, wanted)?;
    let paths = Paths::of(traversal, found)?;
    request.answer(|answer| {
        answer.paths(name, paths.views());
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}
