//! `rings` and `rays`: paths that close, and paths that cannot go on.

use traversal::{Path, Traversal, rings_reached, rings_through};

use super::elements::{Elements, Wanted};
use super::paths::search_limits_of_query;
use super::scene::{Otherwise, Paths, Scene};
use crate::call::{Answered, Call};

/// `GET {T}/rings`.
pub(crate) fn rings(call: &Call) -> Answered {
    let scene = Scene::open(call)?;
    let (source, step) = (call.id("source")?, scene.step_of_query()?);
    let limits = search_limits_of_query(call)?;
    let in_ring = call.flag_or("source_in_ring", true)?;
    let mut traversal = scene.traversal("rings").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let find = if in_ring { rings_through } else { rings_reached };
    let found = find(&mut traversal, source, &step, &limits)?;
    answer("rings", &scene, &traversal, &found)
}

/// `GET {T}/rays`.
pub(crate) fn rays(call: &Call) -> Answered {
    let scene = Scene::open(call)?;
    let (source, step) = (call.id("source")?, scene.step_of_query()?);
    let limits = search_limits_of_query(call)?;
    let mut traversal = scene.traversal("rays").recording_edges(true);
    let source = traversal.existing("source", &source)?;
    let found = traversal::rays(&mut traversal, source, &step, &limits)?;
    answer("rays", &scene, &traversal, &found)
}

fn answer(name: &str, scene: &Scene<'_>, traversal: &Traversal<'_>, found: &[Path]) -> Answered {
    let wanted = Wanted::of_query(scene.call, Otherwise::Ids)?;
    let elements = Elements::of_paths(scene, traversal, found, wanted)?;
    let paths = Paths::of(traversal, found)?;
    scene.answer(|answer| {
        answer.paths(name, paths.views());
        elements.write(answer);
        scene.measure(answer, traversal.counters());
    })
}
