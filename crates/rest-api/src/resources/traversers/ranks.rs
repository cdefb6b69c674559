//! `personalrank`, `neighborrank` and `count`: numbers about the surroundings of a vertex.

use graph_model::{Direction, VertexId};
use rest_json::{
    IdBody, IntBody, RealBody, StepBody, decode_body, list_of_at_most, required, write_score_layers, write_scores,
};
use serde::Deserialize;
use traversal::{CountRules, PersonalRankRules, RankStep, Step, neighbor_rank, personal_rank};

use super::fusiform::alpha;
use super::request::{CAPACITY, MAX_DEGREE, bound, check_skip_degree, depth, id_in_body, int_or};
use super::steps::not_empty;
use super::traverser_request::TraverserRequest;
use crate::call::{Answered, Call};
use crate::errors::ApiError;
use crate::limits::TRAVERSER_STEPS_MAX;

/// The body of `POST {T}/personalrank`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PersonalBody {
    source: Option<IdBody>,
    label: Option<String>,
    alpha: Option<RealBody>,
    /// Checked for its form only: as HugeGraph does, all steps are taken.
    max_diff: Option<RealBody>,
    max_degree: Option<IntBody>,
    limit: Option<IntBody>,
    max_depth: Option<IntBody>,
    with_label: Option<String>,
    sorted: Option<bool>,
}

impl PersonalBody {
    fn rules(&self, request: &TraverserRequest<'_>, source: &VertexId) -> Result<PersonalRankRules, ApiError> {
        let name = required(self.label.as_deref(), "label")?;
        if let Some(max_diff) = self.max_diff.filter(|max_diff| !(max_diff.0 > 0.0 && max_diff.0 <= 1.0)) {
            let message = format!("'max_diff' must be greater than 0 and at most 1, but got {}", max_diff.0);
            return Err(ApiError::bad_input(message));
        }
        let depth = depth(Some(int_or(self.max_depth, 5)))?;
        if depth < 2 {
            return Err(ApiError::bad_input("'max_depth' must be at least 2, but got 1"));
        }
        let (same_side, other_side) = match self.with_label.as_deref() {
            None | Some("BOTH_LABEL") => (true, true),
            Some("SAME_LABEL") => (true, false),
            Some("OTHER_LABEL") => (false, true),
            Some(other) => {
                return Err(ApiError::bad_input(format!(
                    "'with_label' must be SAME_LABEL, OTHER_LABEL or BOTH_LABEL, but got '{other}'"
                )));
            }
        };
        let edges = request.edge_labels(Some(name))?;
        Ok(PersonalRankRules {
            step: Step {
                direction: start_direction(request, name, source)?,
                edges,
                max_degree: bound("max_degree", int_or(self.max_degree, MAX_DEGREE))?,
                ..Step::default()
            },
            alpha: alpha(self.alpha.unwrap_or(RealBody(0.85)))?,
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            same_side,
            other_side,
        })
    }
}

/// On which side of the label's edges a vertex is.
fn start_direction(request: &TraverserRequest<'_>, name: &str, source: &VertexId) -> Result<Direction, ApiError> {
    let found = request.graph.reader().vertices(std::slice::from_ref(source))?.pop().flatten();
    let Some(vertex) = found else {
        return Err(ApiError::bad_input(format!("The source vertex with id {source} does not exist")));
    };
    let Some(label) = request.catalogue.edge_label_named(name) else { return Ok(Direction::Out) };
    let links: Vec<_> = request
        .catalogue
        .edge_labels_under(label.id)
        .into_iter()
        .filter_map(|label| request.catalogue.edge_label(label))
        .flat_map(|label| label.link)
        .collect();
    if links.iter().any(|link| link.0 == vertex.label) {
        Ok(Direction::Out)
    } else if links.iter().any(|link| link.1 == vertex.label) {
        Ok(Direction::In)
    } else {
        let own = request.catalogue.vertex_label(vertex.label).map_or("", |label| label.name.as_str());
        Err(ApiError::bad_input(format!(
            "The vertex {source} has label '{own}', which edges of label '{name}' do not connect"
        )))
    }
}

/// `POST {T}/personalrank`.
pub(crate) fn personal(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: PersonalBody = decode_body(&call.body)?;
    let source = id_in_body("source", body.source.clone())?;
    let limit = bound("limit", int_or(body.limit, 100))?;
    let rules = body.rules(&request, &source)?;
    let mut traversal = request.traversal("personal rank");
    let source = traversal.node(source)?;
    let mut ranks = personal_rank(&mut traversal, source, &rules)?;
    if body.sorted.unwrap_or(true) {
        ranks.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    if let Some(limit) = limit {
        ranks.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    let mut out = Vec::with_capacity(1_024);
    write_scores(&mut out, ranks.iter().map(|(node, rank)| (traversal.id(*node), *rank)));
    request.reply(out)
}

/// A step of `neighborrank`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RankStepBody {
    #[serde(flatten)]
    step: StepBody,
    top: Option<IntBody>,
}

/// The body of `POST {T}/neighborrank`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NeighbourBody {
    source: Option<IdBody>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_STEPS_MAX>")]
    steps: Option<Vec<RankStepBody>>,
    alpha: Option<RealBody>,
    capacity: Option<IntBody>,
}

/// Most vertices given of one layer.
const TOP_MAX: i64 = 1_000;

/// `POST {T}/neighborrank`.
pub(crate) fn neighbour(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: NeighbourBody = decode_body(&call.body)?;
    let source = id_in_body("source", body.source)?;
    let alpha = alpha(required(body.alpha, "alpha")?)?;
    let capacity = bound("capacity", int_or(body.capacity, CAPACITY))?;
    let mut steps = Vec::new();
    for step in not_empty(body.steps.as_deref(), "steps")? {
        let top = int_or(step.top, 10);
        if !(1..=TOP_MAX).contains(&top) {
            return Err(ApiError::bad_input(format!("'top' must be from 1 to {TOP_MAX}, but got {top}")));
        }
        steps.push(RankStep { step: request.step(&step.step)?, top: usize::try_from(top).unwrap_or_default() });
    }
    let mut traversal = request.traversal("neighbor rank");
    let source = traversal.existing("source", &source)?;
    let layers = neighbor_rank(&mut traversal, source, &steps, alpha, capacity)?;
    request.answer(|answer| {
        let layers = layers.iter().map(|layer| layer.iter().map(|(node, rank)| (traversal.id(*node), *rank)));
        write_score_layers(answer.field("ranks"), layers);
    })
}

/// The body of `POST {T}/count`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CountBody {
    source: Option<IdBody>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_STEPS_MAX>")]
    steps: Option<Vec<StepBody>>,
    contains_traversed: Option<bool>,
    dedup_size: Option<IntBody>,
}

/// Edges from which on a vertex is left out by `count`, unless the request says otherwise.
const COUNT_SKIP_DEGREE: i64 = 100_000;

/// A step of `count`, whose `skip_degree` has another default than elsewhere.
fn count_step(request: &TraverserRequest<'_>, body: &StepBody) -> Result<Step, ApiError> {
    let max_degree = body.max_degree.or(body.degree).unwrap_or(MAX_DEGREE);
    let default = if max_degree == -1 { 0 } else { COUNT_SKIP_DEGREE.max(max_degree) };
    let skip_degree = body.skip_degree.unwrap_or(default);
    let step = request.step(&StepBody { skip_degree: Some(0), ..body.clone() })?;
    Ok(Step { skip_degree: check_skip_degree(skip_degree, max_degree, -1)?, ..step })
}

/// `POST {T}/count`.
pub(crate) fn count(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: CountBody = decode_body(&call.body)?;
    let source = id_in_body("source", body.source)?;
    let steps = not_empty(body.steps.as_deref(), "steps")?.iter().map(|step| count_step(&request, step));
    let steps = steps.collect::<Result<Vec<Step>, ApiError>>()?;
    let dedup_size = match int_or(body.dedup_size, 1_000_000) {
        -1 => None,
        size => Some(u64::try_from(size).map_err(|_| {
            ApiError::bad_input(format!("'dedup_size' must be at least 0, or -1 for no bound, but got {size}"))
        })?),
    };
    let rules = CountRules { contains_traversed: body.contains_traversed.unwrap_or(false), dedup_size };
    let mut traversal = request.traversal("vertices to count");
    let source = traversal.existing("source", &source)?;
    let count = traversal::count(&mut traversal, source, &steps, &rules)?;
    request.answer(|answer| answer.number("count", count))
}
