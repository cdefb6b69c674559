//! Writes to auto graphs: the labels and property keys they name come into being first.

use std::borrow::Cow;
use std::collections::BTreeSet;

use graph_schema::{Declaration, EDGE_ID, Literal, NewEdge, NewVertex};
use graph_store::{Graph, Schema, StoreError, Wait};
use rest_json::tag_objects;

use crate::errors::ApiError;

/// Properties as they are sent.
type Given<'a> = [(Cow<'a, str>, Literal<'a>)];

/// Distinct names.
type Names<'a> = BTreeSet<&'a str>;

/// Sees to it that vertices can be written, if the graph is one whose schema is made by its writes.
pub(crate) fn prepare_vertices(graph: &Graph, new: &mut [NewVertex<'_>], wait: Wait) -> Result<(), ApiError> {
    if !graph.is_auto() {
        return Ok(());
    }
    new.iter_mut().try_for_each(|vertex| tag_objects(&mut vertex.properties))?;
    let labels: BTreeSet<&str> = new.iter().filter_map(|vertex| vertex.label.as_deref()).collect();
    let keys = keys_of(new.iter().map(|vertex| vertex.properties.as_slice()));
    declare(graph, (&labels, &BTreeSet::new(), &keys), wait)
}

/// The same of edges.
pub(crate) fn prepare_edges(graph: &Graph, new: &mut [NewEdge<'_>], wait: Wait) -> Result<(), ApiError> {
    if !graph.is_auto() {
        return Ok(());
    }
    new.iter_mut().try_for_each(|edge| tag_objects(&mut edge.properties))?;
    let labels: BTreeSet<&str> = new.iter().filter_map(|edge| edge.label.as_deref()).collect();
    let keys = keys_of(new.iter().map(|edge| edge.properties.as_slice()));
    declare(graph, (&BTreeSet::new(), &labels, &keys), wait)
}

/// The same of properties that a stored element gets.
pub(crate) fn prepare_properties(graph: &Graph, given: &mut Given<'_>, wait: Wait) -> Result<(), ApiError> {
    if !graph.is_auto() {
        return Ok(());
    }
    tag_objects(given)?;
    declare(graph, (&BTreeSet::new(), &BTreeSet::new(), &keys_of([&*given])), wait)
}

fn keys_of<'a>(all: impl IntoIterator<Item = &'a Given<'a>>) -> BTreeSet<&'a str> {
    let names = all.into_iter().flatten().map(|(name, _)| &**name);
    names.filter(|name| *name != EDGE_ID).collect()
}

fn declare(
    graph: &Graph,
    (vertex_labels, edge_labels, keys): (&Names<'_>, &Names<'_>, &Names<'_>),
    wait: Wait,
) -> Result<(), ApiError> {
    fn list<'n>(names: &Names<'n>) -> Vec<&'n str> {
        names.iter().copied().collect()
    }
    let (vertex_labels, edge_labels, keys) = (list(vertex_labels), list(edge_labels), list(keys));
    let names = Declaration { vertex_labels: &vertex_labels, edge_labels: &edge_labels, property_keys: &keys };
    if graph.catalogue().has_all(&names) {
        return Ok(());
    }
    // A change of the schema waits for others and for the log: it is not made on a thread that serves connections.
    if wait == Wait::Never {
        return Err(StoreError::Contended.into());
    }
    Schema::new(graph).declare(&names)?;
    Ok(())
}
