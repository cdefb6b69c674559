//! `customizedpaths` and `customizedcrosspoints`: walks whose steps the request lists one by one.

use graph_model::VertexId;
use rest_json::{IntBody, PathView, RealBody, StepBody, VerticesBody, decode_body, list_of_at_most};
use serde::Deserialize;
use traversal::{LayerStep, Path, SortBy, Weight, customized_crosspoints, customized_paths};

use super::elements::{Elements, Wanted};
use super::parameters::{CAPACITY_DEFAULT, MAX_DEGREE_DEFAULT, PATH_LIMIT_DEFAULT, bound, check_steps, int, limited};
use super::steps::not_empty;
use super::traverser::Traverser;
use super::traverser_request::{Paths, TraverserRequest, nodes, nodes_of};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::limits::{PATH_PATTERNS_MAX, TRAVERSER_STEPS_MAX};
use crate::route::Handler::Read;
use crate::route::{POST, graph};
use openapi_document::Shape::{Choice, Flag, List, Object};
use openapi_document::{Operation, may, must};
use rest_description::traversers::{
    CAPACITY, EDGES, FOUND_PATHS, IDS, LIMIT, MANY_STEPS, MEASURE, PATHS, SELECTED, VERTICES, WITH_EDGE, WITH_VERTEX,
};
use rest_errors::ApiError;

pub(super) static TRAVERSERS: &[Traverser] = &[
    Traverser {
        route: graph(&["traversers", "customizedpaths"], &[(POST, ANY_VERTEX, Read(paths))]),
        operations: &[Operation::post(
            "{G}/traversers/customizedpaths",
            "Finds the paths that follow given steps",
            Object(&[
                SELECTED,
                MANY_STEPS,
                may("sort_by", Choice(&["NONE", "INCR", "DECR"]), "By the sum of weights"),
                CAPACITY,
                LIMIT,
                WITH_VERTEX,
                WITH_EDGE,
            ]),
            200,
            FOUND_PATHS,
        )],
    },
    Traverser {
        route: graph(&["traversers", "customizedcrosspoints"], &[(POST, ANY_VERTEX, Read(crosspoints))]),
        operations: &[Operation::post(
            "{G}/traversers/customizedcrosspoints",
            "Finds where paths that follow given steps meet",
            Object(&[
                SELECTED,
                must("path_patterns", List(&Object(&[MANY_STEPS])), ""),
                CAPACITY,
                LIMIT,
                may("with_path", Flag, "Also the paths"),
                WITH_VERTEX,
                WITH_EDGE,
            ]),
            200,
            Object(&[must("crosspoints", IDS, ""), PATHS, VERTICES, EDGES, MEASURE]),
        )],
    },
];

/// Edges drawn of one vertex unless the request says otherwise.
const SAMPLE: i64 = 100;

/// A step with weights and samples.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WeightedStepBody {
    #[serde(flatten)]
    step: StepBody,
    weight_by: Option<String>,
    default_weight: Option<RealBody>,
    sample: Option<IntBody>,
}

impl WeightedStepBody {
    fn read(&self, request: &TraverserRequest<'_>, with_weight: bool) -> Result<LayerStep, ApiError> {
        let step = request.step(&self.step)?;
        let sample = bound(request.call, "sample", int(self.sample), SAMPLE)?;
        let max_degree =
            limited(request.call, "max_degree", self.step.max_degree.or(self.step.degree), MAX_DEGREE_DEFAULT)?;
        if let (Some(sample), Some(degree)) = (sample, step.max_degree)
            && sample > degree
        {
            let message = format!("'max_degree' must be at least 'sample' ({sample}), but got {max_degree}");
            return Err(ApiError::bad_input(message));
        }
        let key = self.weight_by.as_deref().map(|name| request.property_key(name)).transpose()?;
        let weight = Weight { key, default: self.default_weight.unwrap_or_default().0 };
        Ok(LayerStep {
            step,
            weight: with_weight.then_some(weight),
            sample: sample.map(|sample| usize::try_from(sample).unwrap_or(usize::MAX)),
        })
    }
}

/// The body of `POST {T}/customizedpaths`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PathsBody {
    sources: Option<VerticesBody>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_STEPS_MAX>")]
    steps: Option<Vec<WeightedStepBody>>,
    sort_by: Option<String>,
    capacity: Option<IntBody>,
    limit: Option<IntBody>,
    with_vertex: Option<bool>,
    with_edge: Option<bool>,
}

fn sort_by(name: Option<&str>) -> Result<SortBy, ApiError> {
    match name {
        None | Some("NONE") => Ok(SortBy::None),
        Some("INCR") => Ok(SortBy::Increasing),
        Some("DECR") => Ok(SortBy::Decreasing),
        Some(other) => Err(ApiError::bad_input(format!("'sort_by' must be NONE, INCR or DECR, but got '{other}'"))),
    }
}

/// `POST {T}/customizedpaths`.
fn paths(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: PathsBody = decode_body(&call.body)?;
    let sort_by = sort_by(body.sort_by.as_deref())?;
    let with_weights = sort_by != SortBy::None;
    let steps = not_empty(body.steps.as_deref(), "steps")?.iter().map(|step| step.read(&request, with_weights));
    let steps = steps.collect::<Result<Vec<LayerStep>, ApiError>>()?;
    check_steps(call, steps.len() as u64)?;
    let bounds = (
        bound(call, "capacity", int(body.capacity), CAPACITY_DEFAULT)?,
        bound(call, "limit", int(body.limit), PATH_LIMIT_DEFAULT)?,
    );
    let mut traversal = request.traversal("customized paths").recording_edges(true);
    let sources = nodes(&mut traversal, request.select("sources", body.sources.as_ref())?)?;
    let found = customized_paths(&mut traversal, &sources, &steps, sort_by, bounds)?;
    let (paths, weights): (Vec<Path>, Vec<Vec<f64>>) =
        found.into_iter().map(|found| (found.path, found.weights)).unzip();
    let elements = Elements::of_paths(&request, &traversal, &paths, Wanted::of_body(body.with_vertex, body.with_edge))?;
    let paths = Paths::of(&traversal, &paths)?;
    request.answer(|answer| {
        let views = paths.views().zip(&weights);
        let views = views.map(|(view, weights)| PathView { weights: with_weights.then_some(weights), ..view });
        answer.paths("paths", views);
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}

/// The steps that lead to a crosspoint.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PatternBody {
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_STEPS_MAX>")]
    steps: Option<Vec<StepBody>>,
}

/// The body of `POST {T}/customizedcrosspoints`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CrosspointsBody {
    sources: Option<VerticesBody>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, PATH_PATTERNS_MAX>")]
    path_patterns: Option<Vec<PatternBody>>,
    capacity: Option<IntBody>,
    limit: Option<IntBody>,
    with_path: Option<bool>,
    with_vertex: Option<bool>,
    with_edge: Option<bool>,
}

/// `POST {T}/customizedcrosspoints`.
fn crosspoints(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: CrosspointsBody = decode_body(&call.body)?;
    let mut patterns = Vec::new();
    for pattern in not_empty(body.path_patterns.as_deref(), "path_patterns")? {
        let steps = not_empty(pattern.steps.as_deref(), "path_patterns.steps")?.iter();
        let steps = steps.map(|step| Ok(LayerStep { step: request.step(step)?, weight: None, sample: None }));
        let steps = steps.collect::<Result<Vec<LayerStep>, ApiError>>()?;
        check_steps(call, steps.len() as u64)?;
        patterns.push(steps);
    }
    let bounds = (
        bound(call, "capacity", int(body.capacity), CAPACITY_DEFAULT)?,
        bound(call, "limit", int(body.limit), PATH_LIMIT_DEFAULT)?,
    );
    let with_path = body.with_path.unwrap_or(false);
    let mut traversal = request.traversal("customized crosspoints").recording_edges(with_path);
    let sources = nodes(&mut traversal, request.select("sources", body.sources.as_ref())?)?;
    let found = customized_crosspoints(&mut traversal, &sources, &patterns, bounds, with_path)?;
    let points = Path { nodes: found.crosspoints.clone() };
    let shown = nodes_of(std::iter::once(&points).chain(&found.paths));
    let edges = traversal.edges_between(found.paths.iter().flat_map(Path::pairs))?;
    let wanted = Wanted::of_body(body.with_vertex, body.with_edge);
    let elements = Elements::of(&request, &traversal, &shown, edges, wanted)?;
    let paths = Paths::of(&traversal, &found.paths)?;
    let points: Vec<VertexId> = traversal.ids(&found.crosspoints);
    request.answer(|answer| {
        answer.ids("crosspoints", &points);
        answer.paths("paths", paths.views());
        elements.write(answer);
        request.measure(answer, traversal.counters());
    })
}
