//! `edgeexist`: the edges from one vertex to another.

use graph_model::{Direction, EdgeId, LabelId};
use graph_schema::{Conditions, EdgeLabelKind, Frequency};
use graph_store::{EdgeQuery, Range, Visit};
use rest_json::write_edge;

use super::parameters::{bound_of, vertex_id_of};
use super::traverser::Traverser;
use super::traverser_request::TraverserRequest;
use crate::access::ANY_EDGE;
use crate::call::{Answered, Call};
use crate::resources::listing::ListBody;
use crate::route::Handler::Read;
use crate::route::{GET, graph};
use openapi_document::Shape::{Named, Text};
use openapi_document::{Operation, may};
use rest_description::traversers::{LABEL, LIMIT, SOURCE, TARGET};

pub(super) static TRAVERSERS: &[Traverser] = &[Traverser {
    route: graph(&["traversers", "edgeexist"], &[(GET, ANY_EDGE, Read(list))]),
    operations: &[Operation::get(
        "{G}/traversers/edgeexist",
        "Lists the edges from one vertex to another",
        Named("Edges"),
    )
    .query(&[SOURCE, TARGET, LABEL, may("sort_values", Text, "As in the ids of the edges"), LIMIT])],
}];

/// Edges in an answer that does not say `limit`.
const LIMIT_DEFAULT: i64 = 100;

/// `GET {T}/edgeexist`. Where the sort values are known, because they are given or the label has none, each label costs
/// one read; else the source's edges of the label are looked through.
fn list(call: &Call) -> Answered {
    let request = TraverserRequest::open(call)?;
    let (source, target) = (vertex_id_of(call, "source")?, vertex_id_of(call, "target")?);
    let query = call.query();
    let sort_values = query.text("sort_values")?;
    let mut left = bound_of(call, "limit", LIMIT_DEFAULT)?.unwrap_or(u64::MAX);
    let labels: Vec<LabelId> = match query.text("label")? {
        Some(name) => request.edge_labels(Some(&name))?.into_iter().map(|label| label.label).collect(),
        None => {
            let labels = request.catalogue.edge_labels().filter(|label| label.kind != EdgeLabelKind::Parent);
            labels.map(|label| label.id).collect()
        }
    };
    let options = Call::encode_options(request.graph);
    let mut edges = ListBody::open("edges", call);
    for label in labels {
        if left == 0 {
            break;
        }
        let frequency = request.catalogue.edge_label(label).map(|label| label.frequency);
        if sort_values.is_some() || frequency == Some(Frequency::Single) {
            let sort_values = sort_values.as_deref().unwrap_or_default().into();
            let id = EdgeId { label, source: source.clone(), sort_values, target: target.clone() };
            if let Some(edge) = request.visible.edge(&id)? {
                left -= 1;
                let _ = edges.push(|out| write_edge(out, &edge, &request.catalogue, &options));
            }
            continue;
        }
        let range = Range::Offset { offset: 0, limit: None };
        let vertex = Some((source.clone(), Direction::Out));
        let query = EdgeQuery { label: Some(label), vertex, conditions: Conditions::default(), range };
        request.visible.list_edges(&query, &mut |edge| {
            if edge.id.target != target {
                return Visit::Continue(());
            }
            left -= 1;
            let flow = edges.push(|out| write_edge(out, edge, &request.catalogue, &options));
            if left == 0 { Visit::Break(()) } else { flow }
        })?;
    }
    edges.close(None)
}
