//! What a scan asks of the graph, and what it makes of the answers.

use std::sync::Arc;

use graph_access::{AccessError, Cursor, GraphRead, Lookup};
use graph_model::{Edge, ErrorKind, LabelId, Vertex};
use graph_schema::Conditions;
use query_plan::Scan;

use crate::context::Cx;
use crate::error::Result;
use crate::storage;
use crate::traverser::{Stored, Traverser};

pub(super) fn of_vertex(cx: &Cx<'_>, vertex: Vertex) -> Traverser {
    let value = storage::vertex_value(&cx.catalogue, &vertex);
    Traverser { stored: Some(Stored::Vertex(Arc::new(vertex))), ..cx.fresh(value) }
}

pub(super) fn of_edge(cx: &Cx<'_>, edge: Edge) -> Traverser {
    let value = storage::edge_value(&cx.catalogue, &edge);
    Traverser { stored: Some(Stored::Edge(Arc::new(edge))), ..cx.fresh(value) }
}

/// What to ask the graph for: one question for each label, with the conditions that it may have an index for.
pub(super) fn lookups(cx: &Cx<'_>, scan: &Scan) -> Vec<Lookup> {
    // An auto graph keeps more with a property than its value.
    let named = |key: &query_plan::Text| cx.catalogue.property_key_named(key).map(|key| key.id);
    let keys = scan.properties.as_ref().filter(|_| !cx.catalogue.is_auto());
    let properties: Option<Vec<_>> = keys.map(|keys| keys.iter().filter_map(named).collect());
    let lookup = |label: Option<LabelId>| Lookup {
        label,
        among_others: false,
        properties: properties.clone(),
        without_ids: false,
        conditions: storage::conditions(cx, &scan.conditions),
        limit: if scan.conditions.is_empty() { scan.limit } else { None },
    };
    match &scan.labels {
        None => vec![lookup(None)],
        Some(labels) => {
            let id = |name: &query_plan::Text| {
                if scan.is_edges {
                    cx.catalogue.edge_label_named(name).map(|label| label.id)
                } else {
                    cx.catalogue.vertex_label_named(name).map(|label| label.id)
                }
            };
            labels.iter().filter_map(id).map(|label| lookup(Some(label))).collect()
        }
    }
}

/// What is looked for by indexes, in turn: all conditions, then each alone, since the others are tested again.
fn attempts(conditions: &Conditions) -> Vec<Conditions> {
    let all = (!conditions.is_empty()).then(|| conditions.clone());
    let single = conditions.iter().map(|condition| std::iter::once(condition.clone()).collect());
    all.into_iter().chain(single.filter(|_| conditions.iter().count() > 1)).collect()
}

/// By an index if there is one, else all of the label.
pub(super) fn find_vertices<'g>(graph: &'g dyn GraphRead, lookup: &Lookup) -> Result<Box<dyn Cursor<Vertex> + 'g>> {
    find(lookup, |lookup| graph.find_vertices(lookup))
}

/// As [`find_vertices`].
pub(super) fn find_edges<'g>(graph: &'g dyn GraphRead, lookup: &Lookup) -> Result<Box<dyn Cursor<Edge> + 'g>> {
    find(lookup, |lookup| graph.find_edges(lookup))
}

fn find<T>(lookup: &Lookup, find: impl Fn(Lookup) -> std::result::Result<T, AccessError>) -> Result<T> {
    for conditions in attempts(&lookup.conditions) {
        match find(Lookup { conditions, ..lookup.clone() }) {
            Err(error) if error.kind == ErrorKind::NoIndex => {}
            found => return Ok(found?),
        }
    }
    Ok(find(Lookup { conditions: Conditions::default(), ..lookup.clone() })?)
}
