//! `weightedshortestpath` and `singlesourceshortestpath`.

use graph_model::VertexId;
use traversal::{Step, Weight, WeightedPath, WeightedPaths, lightest_path, lightest_paths};

use super::elements::{Elements, Wanted};
use super::request::{CAPACITY, PATH_LIMIT};
use super::scene::{Otherwise, Scene};
use crate::call::{Answered, Call};
use crate::errors::ApiError;

/// Length of an edge that does not say how long it is.
const DEFAULT_WEIGHT: f64 = 1.0;

/// `GET {T}/weightedshortestpath`.
pub(crate) fn to_one(call: &Call) -> Answered {
    let scene = Scene::open(call)?;
    let (source, target) = (call.id("source")?, call.id("target")?);
    let weight = weight(&scene)?;
    if weight.key.is_none() {
        return Err(ApiError::bad_input("'weight' is missing; it must be the name of a numeric property of edges"));
    }
    let (step, capacity) = bounds(&scene)?;
    let query = WeightedPaths { step: &step, weight, capacity };
    let mut traversal = scene.traversal("shortest paths").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let target = traversal.existing("target", &target)?;
    let found = lightest_path(&mut traversal, source, target, &query)?;
    let wanted = Wanted::of_query(call, Otherwise::IdsUnlessJava)?;
    let elements = Elements::of_paths(&scene, &traversal, found.iter().map(|found| &found.path), wanted)?;
    let shown = found.map(|WeightedPath { weight, path }| (weight, traversal.ids(&path.nodes)));
    scene.answer(|answer| {
        answer.weighted_path("path", shown.as_ref().map(|(weight, ids)| (*weight, ids.as_slice())));
        elements.write(answer);
        scene.measure(answer, traversal.counters());
    })
}

/// `GET {T}/singlesourceshortestpath`.
pub(crate) fn to_all(call: &Call) -> Answered {
    let scene = Scene::open(call)?;
    let source = call.id("source")?;
    let weight = weight(&scene)?;
    let (step, capacity) = bounds(&scene)?;
    let limit = call.bound("limit", PATH_LIMIT)?;
    let query = WeightedPaths { step: &step, weight, capacity };
    let mut traversal = scene.traversal("shortest paths").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let found = lightest_paths(&mut traversal, source, &query, limit)?;
    let wanted = Wanted::of_query(call, Otherwise::IdsUnlessJava)?;
    let elements = Elements::of_paths(&scene, &traversal, found.iter().map(|(_, found)| &found.path), wanted)?;
    let mut shown: Vec<(&VertexId, f64, Vec<VertexId>)> = Vec::with_capacity(found.len());
    for (target, found) in &found {
        shown.push((traversal.id(*target), found.weight, traversal.ids_of_path(&found.path.nodes)?));
    }
    scene.answer(|answer| {
        let paths = shown.iter().map(|(target, weight, ids)| (*target, *weight, ids.as_slice()));
        answer.weighted_paths("paths", paths);
        elements.write(answer);
        scene.measure(answer, traversal.counters());
    })
}

fn weight(scene: &Scene<'_>) -> Result<Weight, ApiError> {
    let name = scene.call.query().text("weight")?;
    let key = name.map(|name| scene.property_key(&name)).transpose()?;
    Ok(Weight { key, default: DEFAULT_WEIGHT })
}

fn bounds(scene: &Scene<'_>) -> Result<(Step, Option<u64>), ApiError> {
    let capacity = scene.call.bound("capacity", CAPACITY)?;
    Ok((scene.step_with_skip_degree(scene.call.number_or("capacity", CAPACITY)?)?, capacity))
}
