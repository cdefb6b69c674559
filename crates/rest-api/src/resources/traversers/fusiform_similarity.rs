//! `fusiformsimilarity`: vertices that share most of their neighbours with a given one.

use graph_model::{PropertyKeyId, VertexId};
use rest_json::{IntBody, RealBody, SimilarView, VerticesBody, decode_body, required, write_similars};
use serde::Deserialize;
use traversal::{FusiformRules, Node, Path, Similar, Step, Traversal, fusiform_similarity};

use super::elements::{Elements, Wanted};
use super::parameters::{
    CAPACITY_DEFAULT, MAX_DEGREE_DEFAULT, PATH_LIMIT_DEFAULT, alpha, bound, direction, int, int_or,
};
use super::traverser::Traverser;
use super::traverser_request::{TraverserRequest, nodes, nodes_of};
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::route::Handler::Read;
use crate::route::{POST, graph};
use openapi_document::Shape::{Any, Flag, Integer, List, Map, Number, Object, Text};
use openapi_document::{Operation, may, must};
use rest_description::traversers::{
    CAPACITY, DIRECTION, LABEL, LIMIT, MAX_DEGREE, MEASURE, SELECTED, VERTICES, WITH_VERTEX,
};
use rest_errors::ApiError;

pub(super) static TRAVERSERS: &[Traverser] = &[Traverser {
    route: graph(&["traversers", "fusiformsimilarity"], &[(POST, ANY_VERTEX, Read(similar))]),
    operations: &[Operation::post(
        "{G}/traversers/fusiformsimilarity",
        "Finds the vertices that share most neighbours with some",
        Object(&[
            SELECTED,
            LABEL,
            DIRECTION,
            must("min_neighbors", Integer, "Neighbours a start vertex must have"),
            must("alpha", Number, "Above 0, at most 1: the part of neighbours to be shared"),
            may("min_similars", Integer, "Similar vertices a start vertex must have"),
            may("top", Integer, "Similar vertices given of each; 0: all"),
            may("group_property", Text, "Similar vertices must have different values of it"),
            may("min_groups", Integer, "How many different ones"),
            MAX_DEGREE,
            CAPACITY,
            LIMIT,
            may("with_intermediary", Flag, "Also the shared neighbours"),
            WITH_VERTEX,
        ]),
        200,
        Object(&[must("similars", Map(&List(&Any)), "By the id of the start vertex"), VERTICES, MEASURE]),
    )],
}];

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
    sources: Option<VerticesBody>,
    label: Option<String>,
    direction: Option<String>,
    min_neighbors: Option<IntBody>,
    alpha: Option<RealBody>,
    min_similars: Option<IntBody>,
    top: Option<IntBody>,
    group_property: Option<String>,
    min_groups: Option<IntBody>,
    max_degree: Option<IntBody>,
    capacity: Option<IntBody>,
    limit: Option<IntBody>,
    with_intermediary: Option<bool>,
    with_vertex: Option<bool>,
}

impl Body {
    fn rules(&self, request: &TraverserRequest<'_>) -> Result<FusiformRules, ApiError> {
        let min_neighbors = required(self.min_neighbors, "min_neighbors")?.0;
        let top = at_least("top", 0, int_or(self.top, 0))?;
        Ok(FusiformRules {
            step: Step {
                direction: direction(self.direction.as_deref())?,
                edges: request.edge_labels(self.label.as_deref())?,
                max_degree: bound(request.call, "max_degree", int(self.max_degree), MAX_DEGREE_DEFAULT)?,
                ..Step::default()
            },
            min_neighbors: at_least("min_neighbors", 1, min_neighbors)? as u64,
            alpha: alpha(required(self.alpha, "alpha")?)?,
            min_similars: at_least("min_similars", 1, int_or(self.min_similars, 1))?,
            top: (top > 0).then_some(top),
            groups: self.groups(request)?,
            capacity: bound(request.call, "capacity", int(self.capacity), CAPACITY_DEFAULT)?,
            limit: bound(request.call, "limit", int(self.limit), PATH_LIMIT_DEFAULT)?,
        })
    }

    fn groups(&self, request: &TraverserRequest<'_>) -> Result<Option<(PropertyKeyId, usize)>, ApiError> {
        let least = int_or(self.min_groups, 0);
        match &self.group_property {
            Some(name) if least > 0 => Ok(Some((request.property_key(name)?, at_least("min_groups", 1, least)?))),
            None if least == 0 => Ok(None),
            _ => Err(ApiError::bad_input(
                "'group_property' and 'min_groups' (greater than 0) must be given together, or neither",
            )),
        }
    }
}

fn at_least(name: &str, least: i64, value: i64) -> Result<usize, ApiError> {
    let wrong = || ApiError::bad_input(format!("'{name}' must be at least {least}, but got {value}"));
    if value < least { Err(wrong()) } else { usize::try_from(value).map_err(|_| wrong()) }
}

/// `POST {T}/fusiformsimilarity`.
fn similar(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: Body = decode_body(&call.body)?;
    let rules = body.rules(&request)?;
    let mut traversal = request.traversal("fusiform similarity");
    let sources = nodes(&mut traversal, request.select("sources", body.sources.as_ref())?)?;
    let mut found = fusiform_similarity(&mut traversal, &sources, &rules)?;
    if !body.with_intermediary.unwrap_or(false) {
        found.iter_mut().flat_map(|(_, similars)| similars).for_each(|similar| similar.intermediaries.clear());
    }
    let shown = nodes_of(found.iter().map(path_of).collect::<Vec<Path>>().iter());
    let elements = Elements::of(&request, &traversal, &shown, Vec::new(), Wanted::of_body(body.with_vertex, None))?;
    let mut similars: Vec<(&VertexId, Vec<SimilarIds<'_>>)> = Vec::with_capacity(found.len());
    for (source, of_one) in &found {
        let of_one = of_one.iter().map(|similar| SimilarIds::of(&traversal, similar));
        similars.push((traversal.id(*source), of_one.collect::<Result<_, ApiError>>()?));
    }
    request.answer(|answer| {
        let views = similars.iter().map(|(source, similars)| (*source, similars.iter().map(SimilarIds::view)));
        write_similars(answer.field("similars"), views);
        elements.vertices.write(answer);
        request.measure(answer, traversal.counters());
    })
}

/// All vertices of one source's result.
fn path_of((source, similars): &(Node, Vec<Similar>)) -> Path {
    let of_one = |similar: &Similar| [similar.node].into_iter().chain(similar.intermediaries.clone());
    Path { nodes: std::iter::once(*source).chain(similars.iter().flat_map(of_one)).collect() }
}

/// A similar vertex with ids in place of nodes.
struct SimilarIds<'t> {
    id: &'t VertexId,
    score: f64,
    intermediaries: Vec<VertexId>,
}

impl<'t> SimilarIds<'t> {
    fn of(traversal: &'t Traversal<'_>, similar: &Similar) -> Result<Self, ApiError> {
        let intermediaries = traversal.ids_of_path(&similar.intermediaries)?;
        Ok(Self { id: traversal.id(similar.node), score: similar.score, intermediaries })
    }

    fn view(&self) -> SimilarView<'_> {
        SimilarView { id: self.id, score: self.score, intermediaries: &self.intermediaries }
    }
}
