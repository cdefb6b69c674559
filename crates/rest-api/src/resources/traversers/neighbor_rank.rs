//! `neighborrank`: the vertices of each layer of steps, ranked.

use rest_json::{IdBody, IntBody, RealBody, StepBody, decode_body, list_of_at_most, required, write_score_layers};
use serde::Deserialize;
use traversal::{RankStep, neighbor_rank};

use super::parameters::{CAPACITY_DEFAULT, alpha, bound, check_steps, id_in_body, int, int_or};
use super::steps::not_empty;
use super::traverser::Traverser;
use super::traverser_request::TraverserRequest;
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::limits::TRAVERSER_STEPS_MAX;
use crate::route::Handler::Read;
use crate::route::{POST, graph};
use openapi_document::Shape::{Any, List, Map, Named, Number, Object};
use openapi_document::{Operation, must};
use rest_description::traversers::{CAPACITY, MANY_STEPS, MEASURE};
use rest_errors::ApiError;

pub(super) static TRAVERSERS: &[Traverser] = &[Traverser {
    route: graph(&["traversers", "neighborrank"], &[(POST, ANY_VERTEX, Read(rank))]),
    operations: &[Operation::post(
        "{G}/traversers/neighborrank",
        "Ranks the vertices of each layer of steps",
        Object(&[must("source", Named("Id"), ""), MANY_STEPS, must("alpha", Number, "Above 0, at most 1"), CAPACITY]),
        200,
        Object(&[must("ranks", List(&Map(&Any)), "One for each layer"), MEASURE]),
    )],
}];

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
struct Body {
    source: Option<IdBody>,
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_STEPS_MAX>")]
    steps: Option<Vec<RankStepBody>>,
    alpha: Option<RealBody>,
    capacity: Option<IntBody>,
}

/// Most vertices given of one layer.
const TOP_MAX: i64 = 1_000;

/// `POST {T}/neighborrank`.
fn rank(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: Body = decode_body(&call.body)?;
    let source = id_in_body("source", body.source)?;
    let alpha = alpha(required(body.alpha, "alpha")?)?;
    let capacity = bound(call, "capacity", int(body.capacity), CAPACITY_DEFAULT)?;
    let mut steps = Vec::new();
    for step in not_empty(body.steps.as_deref(), "steps")? {
        let top = int_or(step.top, 10);
        if !(1..=TOP_MAX).contains(&top) {
            return Err(ApiError::bad_input(format!("'top' must be from 1 to {TOP_MAX}, but got {top}")));
        }
        steps.push(RankStep { step: request.step(&step.step)?, top: usize::try_from(top).unwrap_or_default() });
    }
    check_steps(call, steps.len() as u64)?;
    let mut traversal = request.traversal("neighbor rank");
    let source = traversal.existing("source", &source)?;
    let layers = neighbor_rank(&mut traversal, source, &steps, alpha, capacity)?;
    request.answer(|answer| {
        let layers = layers.iter().map(|layer| layer.iter().map(|(node, rank)| (traversal.id(*node), *rank)));
        write_score_layers(answer.field("ranks"), layers);
    })
}
