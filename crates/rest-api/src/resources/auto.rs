//! Writes to auto graphs: the labels and property keys they name come into being first.

use std::borrow::Cow;
use std::collections::BTreeSet;

use auth::{Permission, ResourceType};
use graph_schema::{Declaration, EDGE_ID, Literal, NewEdge, NewVertex};
use graph_store::{Schema, StoreError, Wait};
use rest_json::tag_objects;

use crate::access::denied;
use crate::call::Call;
use rest_errors::ApiError;

/// Properties as they are sent.
type Given<'a> = [(Cow<'a, str>, Literal<'a>)];

/// Distinct names.
type Names<'a> = BTreeSet<&'a str>;

/// Sees to it that vertices can be written, if the graph is one whose schema is made by its writes.
pub(crate) fn prepare_vertices(call: &Call, new: &mut [NewVertex<'_>], wait: Wait) -> Result<(), ApiError> {
    let graph = call.graph()?;
    if !graph.is_auto() {
        return Ok(());
    }
    new.iter_mut().try_for_each(|vertex| tag_objects(&mut vertex.properties))?;
    let labels: BTreeSet<&str> = new.iter().filter_map(|vertex| vertex.label.as_deref()).collect();
    let keys = keys_of(new.iter().map(|vertex| vertex.properties.as_slice()));
    declare(call, (&labels, &BTreeSet::new(), &keys), wait)
}

/// The same of edges.
pub(crate) fn prepare_edges(call: &Call, new: &mut [NewEdge<'_>], wait: Wait) -> Result<(), ApiError> {
    let graph = call.graph()?;
    if !graph.is_auto() {
        return Ok(());
    }
    new.iter_mut().try_for_each(|edge| tag_objects(&mut edge.properties))?;
    let labels: BTreeSet<&str> = new.iter().filter_map(|edge| edge.label.as_deref()).collect();
    let keys = keys_of(new.iter().map(|edge| edge.properties.as_slice()));
    declare(call, (&BTreeSet::new(), &labels, &keys), wait)
}

/// The same of properties that a stored element gets.
pub(crate) fn prepare_properties(call: &Call, given: &mut Given<'_>, wait: Wait) -> Result<(), ApiError> {
    let graph = call.graph()?;
    if !graph.is_auto() {
        return Ok(());
    }
    tag_objects(given)?;
    declare(call, (&BTreeSet::new(), &BTreeSet::new(), &keys_of([&*given])), wait)
}

fn keys_of<'a>(all: impl IntoIterator<Item = &'a Given<'a>>) -> BTreeSet<&'a str> {
    let names = all.into_iter().flatten().map(|(name, _)| &**name);
    names.filter(|name| *name != EDGE_ID).collect()
}

fn declare(
    call: &Call,
    (vertex_labels, edge_labels, keys): (&Names<'_>, &Names<'_>, &Names<'_>),
    wait: Wait,
) -> Result<(), ApiError> {
    fn list<'n>(names: &Names<'n>) -> Vec<&'n str> {
        names.iter().copied().collect()
    }
    let graph = call.graph()?;
    let (vertex_labels, edge_labels, keys) = (list(vertex_labels), list(edge_labels), list(keys));
    let names = Declaration { vertex_labels: &vertex_labels, edge_labels: &edge_labels, property_keys: &keys };
    if graph.catalogue().has_all(&names) {
        return Ok(());
    }
    if !call.caller.may_all(graph.name(), Permission::Write, ResourceType::Schema) {
        return Err(denied(Permission::Write, graph.name(), ResourceType::Schema, "*"));
    }
    // A change of the schema waits for others and for the log: it is not made on a thread that serves connections.
    if wait == Wait::Never {
        return Err(StoreError::Contended.into());
    }
    Schema::new(graph).declare(&names)?;
    Ok(())
}
