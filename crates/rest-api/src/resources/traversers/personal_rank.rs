//! `personalrank`: how likely a walk from a vertex ends at each other one.

use graph_model::{Direction, VertexId};
use rest_json::{IdBody, IntBody, RealBody, decode_body, required, write_scores};
use serde::Deserialize;
use traversal::{PersonalRankRules, Step, personal_rank};

use super::parameters::{MAX_DEGREE_DEFAULT, alpha, bound, depth, id_in_body, int, limited};
use super::traverser::Traverser;
use super::traverser_request::TraverserRequest;
use crate::access::ANY_VERTEX;
use crate::call::{Answered, Call};
use crate::route::Handler::Read;
use crate::route::{POST, graph};
use openapi_document::Shape::{Any, Choice, Flag, Integer, Map, Named, Number, Object, Text};
use openapi_document::{Operation, may, must};
use rest_description::traversers::{LIMIT, MAX_DEGREE};
use rest_errors::ApiError;

pub(super) static TRAVERSERS: &[Traverser] = &[Traverser {
    route: graph(&["traversers", "personalrank"], &[(POST, ANY_VERTEX, Read(rank))]),
    operations: &[Operation::post(
        "{G}/traversers/personalrank",
        "Ranks vertices by how likely a walk from one ends there",
        Object(&[
            must("source", Named("Id"), ""),
            must("label", Text, "An edge label"),
            may("alpha", Number, "Above 0, at most 1"),
            may("max_diff", Number, "Above 0, at most 1"),
            MAX_DEGREE,
            LIMIT,
            may("max_depth", Integer, "5 by default"),
            may("with_label", Choice(&["SAME_LABEL", "OTHER_LABEL", "BOTH_LABEL"]), "Which vertices are ranked"),
            may("sorted", Flag, ""),
        ]),
        200,
        Map(&Any),
    )],
}];

/// The body of `POST {T}/personalrank`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
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

impl Body {
    fn rules(&self, request: &TraverserRequest<'_>, source: &VertexId) -> Result<PersonalRankRules, ApiError> {
        let name = required(self.label.as_deref(), "label")?;
        if let Some(max_diff) = self.max_diff.filter(|max_diff| !(max_diff.0 > 0.0 && max_diff.0 <= 1.0)) {
            let message = format!("'max_diff' must be greater than 0 and at most 1, but got {}", max_diff.0);
            return Err(ApiError::bad_input(message));
        }
        let depth = depth(request.call, Some(limited(request.call, "max_depth", int(self.max_depth), 5)?))?;
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
                max_degree: bound(request.call, "max_degree", int(self.max_degree), MAX_DEGREE_DEFAULT)?,
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
    let found = request.visible.vertices(std::slice::from_ref(source))?.pop().flatten();
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
fn rank(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let body: Body = decode_body(&call.body)?;
    let source = id_in_body("source", body.source.clone())?;
    let limit = bound(call, "limit", int(body.limit), 100)?;
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
