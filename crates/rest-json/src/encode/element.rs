//! Writing vertices, edges and their ids.

use graph_model::{Edge, EdgeId, LabelId, Properties, PropertyKeyId, Value, Vertex, VertexId};
use graph_schema::Catalogue;
use jiff::tz::TimeZone;

use super::value::write_value;
use crate::text::{Object, push_array, push_display, push_displayed_string, push_string};

/// The label shown for an element whose label was deleted meanwhile; HugeGraph's word for it.
pub const UNDEFINED: &str = "~undefined";

/// What the form of elements depends on besides the schema.
#[derive(Clone, Debug)]
pub struct EncodeOptions {
    /// The zone dates are shown in.
    pub zone: TimeZone,
}

/// Appends a vertex. Absent properties with a default value are filled in; properties the catalogue does not know are
/// left out.
pub fn write_vertex(out: &mut Vec<u8>, vertex: &Vertex, catalogue: &Catalogue, options: &EncodeOptions) {
    let label = catalogue.vertex_label(vertex.label);
    let mut object = Object::open(out);
    write_vertex_id(object.field("id"), &vertex.id);
    object.string("label", label.map_or(UNDEFINED, |label| &label.name));
    object.string("type", "vertex");
    let keys = label.map_or(&[][..], |label| &label.properties);
    write_properties(object.field("properties"), &vertex.properties, keys, catalogue, options);
    object.close();
}

/// Appends an edge. Absent properties with a default value are filled in; properties the catalogue does not know are
/// left out.
pub fn write_edge(out: &mut Vec<u8>, edge: &Edge, catalogue: &Catalogue, options: &EncodeOptions) {
    let label = catalogue.edge_label(edge.id.label);
    let (source, target) = label.and_then(|label| label.link).unzip();
    let mut object = Object::open(out);
    write_edge_id(object.field("id"), &edge.id, catalogue);
    object.string("label", label.map_or(UNDEFINED, |label| &label.name));
    object.string("type", "edge");
    write_vertex_id(object.field("outV"), &edge.id.source);
    object.string("outVLabel", vertex_label_name(catalogue, source));
    write_vertex_id(object.field("inV"), &edge.id.target);
    object.string("inVLabel", vertex_label_name(catalogue, target));
    let keys = label.map_or(&[][..], |label| &label.properties);
    write_properties(object.field("properties"), &edge.properties, keys, catalogue, options);
    object.close();
}

/// Appends a vertex id: a number, or a string for texts and UUIDs.
pub fn write_vertex_id(out: &mut Vec<u8>, id: &VertexId) {
    match id {
        VertexId::Number(number) => push_display(out, number),
        VertexId::String(text) => push_string(out, text),
        VertexId::Uuid(bits) => push_displayed_string(out, uuid::Uuid::from_u128(*bits).hyphenated()),
    }
}

/// Appends an edge id; the catalogue knows the parent of a sub label.
pub fn write_edge_id(out: &mut Vec<u8>, id: &EdgeId, catalogue: &Catalogue) {
    let parent = catalogue.edge_label(id.label).map_or(id.label, |label| label.parent_or_self());
    push_displayed_string(out, id.text(parent));
}

/// Appends an array of vertex ids.
pub fn write_vertex_ids<'a>(out: &mut Vec<u8>, ids: impl IntoIterator<Item = &'a VertexId>) {
    push_array(out, ids, write_vertex_id);
}

/// Appends an array of edge ids.
pub fn write_edge_ids<'a>(out: &mut Vec<u8>, ids: impl IntoIterator<Item = &'a EdgeId>, catalogue: &Catalogue) {
    push_array(out, ids, |out, id| write_edge_id(out, id, catalogue));
}

/// Appends `{"vertices":[..]}`. `page`: `None` where the client did not page; `Some(None)` after the last page; else
/// the token of the next one.
pub fn write_vertices_list<'a>(
    out: &mut Vec<u8>,
    vertices: impl IntoIterator<Item = &'a Vertex>,
    page: Option<Option<&str>>,
    catalogue: &Catalogue,
    options: &EncodeOptions,
) {
    let mut object = Object::open(out);
    push_array(object.field("vertices"), vertices, |out, vertex| write_vertex(out, vertex, catalogue, options));
    write_page(&mut object, page);
    object.close();
}

/// Appends `{"edges":[..]}`; `page` as in [`write_vertices_list`].
pub fn write_edges_list<'a>(
    out: &mut Vec<u8>,
    edges: impl IntoIterator<Item = &'a Edge>,
    page: Option<Option<&str>>,
    catalogue: &Catalogue,
    options: &EncodeOptions,
) {
    let mut object = Object::open(out);
    push_array(object.field("edges"), edges, |out, edge| write_edge(out, edge, catalogue, options));
    write_page(&mut object, page);
    object.close();
}

/// Appends the field `page` of a list.
pub(super) fn write_page(object: &mut Object<'_>, page: Option<Option<&str>>) {
    match page {
        None => {}
        Some(None) => object.plain("page", "null"),
        Some(Some(token)) => object.string("page", token),
    }
}

fn vertex_label_name(catalogue: &Catalogue, label: Option<LabelId>) -> &str {
    label.and_then(|label| catalogue.vertex_label(label)).map_or(UNDEFINED, |label| &label.name)
}

/// Properties and defaults of absent ones, both in the order of their keys' numbers. `keys` are those of the label.
fn write_properties(
    out: &mut Vec<u8>,
    properties: &Properties,
    keys: &[PropertyKeyId],
    catalogue: &Catalogue,
    options: &EncodeOptions,
) {
    let mut object = Object::open(out);
    let mut keys = keys.iter().copied().peekable();
    for (key, value) in properties.iter() {
        while let Some(absent) = keys.next_if(|other| *other < key) {
            write_property(&mut object, absent, None, catalogue, options);
        }
        keys.next_if_eq(&key);
        write_property(&mut object, key, Some(value), catalogue, options);
    }
    for absent in keys {
        write_property(&mut object, absent, None, catalogue, options);
    }
    object.close();
}

fn write_property(
    object: &mut Object<'_>,
    key: PropertyKeyId,
    value: Option<&Value>,
    catalogue: &Catalogue,
    options: &EncodeOptions,
) {
    let Some(key) = catalogue.shown_key(key) else { return };
    if let Some(value) = value.or(key.default_value.as_ref()) {
        write_value(object.field(&key.name), value, &options.zone);
    }
}
