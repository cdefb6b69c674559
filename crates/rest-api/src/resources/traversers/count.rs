//! `count`: how many vertices steps lead to.

use rest_json::{IdBody, IntBody, StepBody, decode_body, list_of_at_most};
use serde::Deserialize;
use traversal::{CountRules, Step};

use super::parameters::{MAX_DEGREE_DEFAULT, check_skip_degree, check_steps, id_in_body, int_or, limited};
use super::steps::not_empty;
use super::traverser::Traverser;
use super::traverser_request::TraverserRequest;
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::limits::TRAVERSER_STEPS_MAX;
use crate::route::Handler::Read;
use crate::route::{POST, graph};
use openapi_document::Shape::{Flag, Integer, Named, Object};
use openapi_document::{Operation, may, must};
use rest_description::traversers::MANY_STEPS;
use rest_errors::ApiError;

pub(super) static TRAVERSERS: &[Traverser] = &[Traverser {
    route: graph(&["traversers", "count"], &[(POST, ANY_VERTEX, Read(count))]),
    operations: &[Operation::post(
        "{G}/traversers/count",
        "Counts the vertices that steps lead to",
        Object(&[
            must("source", Named("Id"), ""),
            MANY_STEPS,
            may("contains_traversed", Flag, "Also those on the way"),
            may("dedup_size", Integer, "Vertices remembered in order to count each once"),
        ]),
        200,
        Object(&[must("count", Integer, "")]),
    )],
}];

/// The body of `POST {T}/count`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
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
    let max_degree = limited(request.call, "max_degree", body.max_degree.or(body.degree), MAX_DEGREE_DEFAULT)?;
    let default = if max_degree == -1 { 0 } else { COUNT_SKIP_DEGREE.max(max_degree) };
    let skip_degree = body.skip_degree.unwrap_or(default);
    let step = request.step(&StepBody { skip_degree: Some(0), ..body.clone() })?;
    Ok(Step { skip_degree: check_skip_degree(skip_degree, max_degree, -1)?, ..step })
}

/// `POST {T}/count`.
fn count(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: Body = decode_body(&call.body)?;
    let source = id_in_body("source", body.source)?;
    let steps = not_empty(body.steps.as_deref(), "steps")?.iter().map(|step| count_step(&request, step));
    let steps = steps.collect::<Result<Vec<Step>, ApiError>>()?;
    check_steps(call, steps.len() as u64)?;
    let dedup_size = match int_or(body.dedup_size, 1_000_000) {
        -1 => None,
        size => Some(u64::try_from(size).map_err(|_| {
            ApiError::bad_input(format!("'dedup_size' must be at least 0, or -1 for no but got {size}"))
        })?),
    };
    let rules = CountRules { contains_traversed: body.contains_traversed.unwrap_or(false), dedup_size };
    let mut traversal = request.traversal("vertices to count");
    let source = traversal.existing("source", &source)?;
    let count = traversal::count(&mut traversal, source, &steps, &rules)?;
    request.answer(|answer| answer.number("count", count))
}
