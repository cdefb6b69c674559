//! `shortestpath` and `allshortestpaths`.

use traversal::{Path, ShortestPath, Traversal, all_shortest_paths, shortest_path};

use super::elements::{Elements, Wanted};
use super::request::CAPACITY;
use super::traverser_request::{Otherwise, Paths, TraverserRequest};
use crate::call::{Answered, Call};
use crate::errors::ApiError;

/// `GET {T}/shortestpath`.
pub(crate) fn one(call: &Call) -> Answered {
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
pub(crate) fn all(call: &Call) -> Answered {
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
    let (source, target) = (call.id("source")?, call.id("target")?);
    let capacity = call.bound("capacity", CAPACITY)?;
    let step = request.step_with_skip_degree(call.number_or("capacity", CAPACITY)?)?;
    let query = ShortestPath { step: &step, depth: call.max_depth()?, capacity };
    let mut traversal = request.traversal("shortest paths").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let target = traversal.existing("target", &target)?;
    let paths = search(&mut traversal, source, target, &query)?;
    Ok((traversal, paths))
}
