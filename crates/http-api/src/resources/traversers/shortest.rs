//! `shortestpath` and `allshortestpaths`.

use traversal::{Path, ShortestPath, Traversal, all_shortest_paths, shortest_path};

use super::request::CAPACITY;
use super::scene::{Edges, Otherwise, Paths, Scene, Vertices, nodes_of};
use crate::call::Call;
use crate::errors::ApiError;
use crate::routes::Answered;

/// `GET {T}/shortestpath`.
pub(crate) fn one(call: &Call) -> Answered {
    let scene = Scene::open(call)?;
    let (traversal, paths) = find(&scene, |traversal, source, target, query| {
        Ok(shortest_path(traversal, source, target, query)?.into_iter().collect())
    })?;
    let path = paths.first().cloned().unwrap_or_default();
    let ids = traversal.ids(&path.nodes);
    let (vertices, edges) = elements(&scene, &traversal, &paths)?;
    scene.answer(|answer| {
        answer.ids("path", &ids);
        vertices.write(answer);
        edges.write(answer);
        scene.measure(answer, traversal.counters());
    })
}

/// `GET {T}/allshortestpaths`.
pub(crate) fn all(call: &Call) -> Answered {
    let scene = Scene::open(call)?;
    let (traversal, paths) = find(&scene, all_shortest_paths)?;
    let (vertices, edges) = elements(&scene, &traversal, &paths)?;
    let paths = Paths::of(&traversal, &paths)?;
    scene.answer(|answer| {
        answer.paths("paths", paths.views());
        vertices.write(answer);
        edges.write(answer);
        scene.measure(answer, traversal.counters());
    })
}

type Search = fn(
    &mut Traversal<'_>,
    traversal::Node,
    traversal::Node,
    &ShortestPath<'_>,
) -> Result<Vec<Path>, traversal::TraversalError>;

fn find<'s>(scene: &'s Scene<'_>, search: Search) -> Result<(Traversal<'s>, Vec<Path>), ApiError> {
    let call = scene.call;
    let (source, target) = (call.id("source")?, call.id("target")?);
    let capacity = call.bound("capacity", CAPACITY)?;
    let step = scene.step_with_skip_degree(call.number_or("capacity", CAPACITY)?)?;
    let query = ShortestPath { step: &step, depth: call.max_depth()?, capacity };
    let mut traversal = scene.traversal("shortest paths").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let target = traversal.existing("target", &target)?;
    let paths = search(&mut traversal, source, target, &query)?;
    Ok((traversal, paths))
}

/// What paths consist of, as the request wants it shown.
fn elements(scene: &Scene<'_>, traversal: &Traversal<'_>, paths: &[Path]) -> Result<(Vertices, Edges), ApiError> {
    let call = scene.call;
    let vertices = traversal.ids(&nodes_of(paths));
    let edges = traversal.edges_between(paths.iter().flat_map(Path::pairs));
    Ok((
        scene.vertices(vertices, call.flag_or("with_vertex", false)?, Otherwise::Ids)?,
        scene.edges(edges, call.flag_or("with_edge", false)?, Otherwise::Ids)?,
    ))
}
