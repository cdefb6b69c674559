//! `{G}/schema`, and what the four kinds of schema elements have in common.

use std::sync::Arc;

use auth::{Permission, ResourceType};
use graph_access::GraphRights;
use graph_model::LabelId;
use graph_schema::{Alter, Catalogue, EdgeLabel, IndexLabel, PropertyKey, SchemaError, SchemaKind, VertexLabel};
use rest_json::{write_edge_labels, write_index_labels, write_property_keys, write_schema, write_vertex_labels};

use crate::call::{Answered, Call};
use crate::errors::ApiError;
use http_server::Reply;

/// Writes an object with one list.
type WriteList<'w> = dyn Fn(&mut Vec<u8>) + 'w;

/// The whole schema.
pub(crate) fn show(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let mut out = Vec::with_capacity(4 * 1024);
    if is_whole(call)? {
        write_schema(&mut out, &catalogue, call.dialect);
        return Ok(Reply::ok(out));
    }
    let rights = SchemaRights::of(call, &catalogue)?;
    write_property_keys(&mut out, catalogue.property_keys().map(|key| &**key).filter(|key| rights.sees_key(key)));
    let lists: [&WriteList<'_>; 3] = [
        &|out| {
            let seen = catalogue.vertex_labels().map(|label| &**label).filter(|label| rights.sees_vertices(label));
            write_vertex_labels(out, seen, &catalogue);
        },
        &|out| {
            let seen = catalogue.edge_labels().map(|label| &**label).filter(|label| rights.sees_edges(label));
            write_edge_labels(out, seen, &catalogue, call.dialect);
        },
        &|out| {
            let seen = catalogue.index_labels().map(|label| &**label).filter(|label| rights.sees_index(label));
            write_index_labels(out, seen, &catalogue);
        },
    ];
    for write in lists {
        // Each is an object with one list; together they are one with four.
        let mut list = Vec::new();
        write(&mut list);
        out.pop();
        out.push(b',');
        out.extend_from_slice(list.get(1..).unwrap_or_default());
    }
    Ok(Reply::ok(out))
}

/// Whether who asks may see all of the schema.
fn is_whole(call: &Call) -> Result<bool, ApiError> {
    Ok(call.caller.may_all(call.graph()?.name(), Permission::Read, ResourceType::Schema))
}

/// What of a schema who asks may see: what it has a right to, and what the elements are made of that it may read.
pub(crate) struct SchemaRights<'c> {
    call: &'c Call,
    catalogue: &'c Catalogue,
    graph: &'c str,
    /// `None`: everything.
    elements: Option<Arc<GraphRights>>,
}

impl<'c> SchemaRights<'c> {
    pub(crate) fn of(call: &'c Call, catalogue: &'c Catalogue) -> Result<Self, ApiError> {
        let elements = if is_whole(call)? { None } else { call.rights()? };
        Ok(Self { call, catalogue, graph: call.graph()?.name(), elements })
    }

    fn is_named(&self, kind: ResourceType, name: &str) -> bool {
        self.call.caller.may_named(self.graph, Permission::Read, kind, name)
    }

    fn reads(&self, on_vertices: bool, label: LabelId) -> bool {
        let read = |rights: &Arc<GraphRights>| {
            let labels = if on_vertices { &rights.read.vertices } else { &rights.read.edges };
            labels.of(label).is_some()
        };
        self.elements.as_ref().is_none_or(read)
    }

    pub(crate) fn sees_vertices(&self, label: &VertexLabel) -> bool {
        self.reads(true, label.id) || self.is_named(ResourceType::VertexLabel, &label.name)
    }

    pub(crate) fn sees_edges(&self, label: &EdgeLabel) -> bool {
        self.reads(false, label.id) || self.is_named(ResourceType::EdgeLabel, &label.name)
    }

    pub(crate) fn sees_index(&self, label: &IndexLabel) -> bool {
        self.reads(label.on_vertices, label.base) || self.is_named(ResourceType::IndexLabel, &label.name)
    }

    pub(crate) fn sees_key(&self, key: &PropertyKey) -> bool {
        let of_vertices = self.catalogue.vertex_labels().filter(|label| label.properties.contains(&key.id));
        let of_edges = self.catalogue.edge_labels().filter(|label| label.properties.contains(&key.id));
        of_vertices.into_iter().any(|label| self.reads(true, label.id))
            || of_edges.into_iter().any(|label| self.reads(false, label.id))
            || self.elements.is_none()
            || self.is_named(ResourceType::PropertyKey, &key.name)
    }
}

/// The parameter `action` of a change.
pub(crate) fn alter_of(call: &Call) -> Result<Alter, ApiError> {
    match call.query().text("action")?.as_deref() {
        Some("append") => Ok(Alter::Append),
        Some("eliminate") => Ok(Alter::Eliminate),
        Some(other) => Err(ApiError::bad_input(format!("'action' must be append or eliminate, but got '{other}'"))),
        None => Err(ApiError::bad_input("'action' is missing: it must be append or eliminate")),
    }
}

/// The name in the body of a change must be that of the address.
pub(crate) fn check_name(call: &Call, name: &str) -> Result<(), ApiError> {
    let address = call.param()?;
    if address == name {
        return Ok(());
    }
    Err(ApiError::bad_input(format!("the body's 'name' must be that of the address, '{address}', but is '{name}'")))
}

/// That no element of a kind has this name.
pub(crate) fn missing(catalogue: &Catalogue, kind: SchemaKind, name: &str) -> ApiError {
    let hint = catalogue.suggestion(kind, name);
    SchemaError::NotFound { kind: kind.name(), name: name.to_owned(), hint }.into()
}

/// The elements of a kind that a list asks for with `?names=`, or all whose names are not hidden (with a `~` in front).
pub(crate) fn listed<'c, T: 'c>(
    call: &Call,
    catalogue: &'c Catalogue,
    kind: SchemaKind,
    all: impl Iterator<Item = &'c T>,
    named: impl Fn(&str) -> Option<&'c T>,
    name_of: impl Fn(&T) -> &str,
    sees: impl Fn(&SchemaRights<'_>, &T) -> bool,
) -> Result<Vec<&'c T>, ApiError> {
    let rights = SchemaRights::of(call, catalogue)?;
    let names = call.query().all("names").collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Ok(all.filter(|element| !name_of(element).starts_with('~') && sees(&rights, element)).collect());
    }
    let seen = |name: &str| named(name).filter(|element| sees(&rights, element));
    names.iter().map(|name| seen(name).ok_or_else(|| missing(catalogue, kind, name))).collect()
}
