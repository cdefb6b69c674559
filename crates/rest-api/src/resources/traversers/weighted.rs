//! `weightedshortestpath` and `singlesourceshortestpath`.

use graph_model::VertexId;
use traversal::{Step, Weight, WeightedPath, WeightedPaths, lightest_path, lightest_paths};

use super::elements::{Elements, Wanted};
use super::request::{CAPACITY, PATH_LIMIT};
use super::traverser_request::{Otherwise, TraverserRequest};
use crate::call::{Answered, Call};
use crate::errors::ApiError;

/// Length of an edge that does not say how long it is.
const DEFAULT_WEIGHT: f64 = 1.0;

/// `GET {T}/weightedshortestpath`.
pub(crate) fn to_one(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, target) = (call.id("source")?, call.id("target")?);
    let weight = weight(&request)?;
    if weight.key.is_none() {
        return Err(ApiError::bad_input("'weight' is missing; it must be the name of a numeric property of edges"));
    }
    let (step, capacity) = bounds(&request)?;
    let query = WeightedPaths { step: &step, weight, capacity };
    let mut traversal = request.traversal("shortest paths").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let target = traversal.existing("target", &target)?;
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
pub(crate) fn to_all(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let source = call.id("source")?;
    let weight = weight(&request)?;
    let (step, capacity) = bounds(&request)?;
    let limit = call.bound("limit", PATH_LIMIT)?;
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
    let capacity = request.call.bound("capacity", CAPACITY)?;
    Ok((request.step_with_skip_degree(request.call.number_or("capacity", CAPACITY)?)?, capacity))
}
