//! `rings` and `rays`: paths that close, and paths that cannot go on.

use traversal::{Path, Traversal, rings_reached, rings_through};

use super::elements::{Elements, Wanted};
use super::paths::search_limits_of_query;
use super::traverser_request::{Otherwise, Paths, TraverserRequest};
use crate::call::{Answered, Call};

/// `GET {T}/rings`.
pub(crate) fn rings(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, step) = (call.id("source")?, request.step_of_query()?);
    let limits = search_limits_of_query(call)?;
    let in_ring = call.flag_or("source_in_ring", true)?;
    let mut traversal = request.traversal("rings").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let find = if in_ring { rings_through } else { rings_reached };
    let found = find(&mut traversal, source, &step, &limits)?;
    answer("rings", &request, &traversal, &found)
}

/// `GET {T}/rays`.
pub(crate) fn rays(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, step) = (call.id("source")?, request.step_of_query()?);
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
