//! Writing schema elements.

use graph_model::{DataType, LabelId, PropertyKeyId};
use graph_schema::{
    Catalogue, EdgeLabel, EdgeLabelKind, EdgeLabelKindName, IndexLabel, IndexType, PropertyKey, Status, UserData,
    VertexLabel,
};

use super::element::UNDEFINED;
use crate::names::{
    AGGREGATE_TYPES, BASE_TYPES, EDGE_LABEL_KINDS, FREQUENCIES, INDEX_TYPES, RANGE_NAMES, STATUSES, WRITE_TYPES,
    name_of,
};
use crate::text::{Object, push_array};

/// Appends a property key.
pub fn write_property_key(out: &mut Vec<u8>, key: &PropertyKey) {
    let mut object = Object::open(out);
    object.plain("id", key.id.0);
    object.string("name", &key.name);
    object.string("data_type", key.data_type.name());
    object.string("cardinality", key.cardinality.name());
    object.string("aggregate_type", name_of(AGGREGATE_TYPES, key.aggregate_type));
    object.string("write_type", name_of(WRITE_TYPES, key.write_type));
    object.strings("properties", []);
    write_status(&mut object, key.status);
    write_user_data(&mut object, &key.user_data);
    object.close();
}

/// Appends a vertex label.
pub fn write_vertex_label(out: &mut Vec<u8>, label: &VertexLabel, catalogue: &Catalogue) {
    let mut object = Object::open(out);
    object.plain("id", label.id.0);
    object.string("name", &label.name);
    object.string("id_strategy", label.id_strategy.name());
    object.strings("primary_keys", key_names(catalogue, &label.primary_keys));
    object.strings("nullable_keys", key_names(catalogue, &label.nullable_keys));
    object.strings("index_labels", index_label_names(catalogue, true, label.id));
    object.strings("properties", key_names(catalogue, &label.properties));
    write_status(&mut object, label.status);
    write_ttl(&mut object, label.ttl_ms, label.ttl_start_time, catalogue);
    object.plain("enable_label_index", label.enable_label_index);
    write_user_data(&mut object, &label.user_data);
    object.close();
}

/// Which release of HugeGraph an answer is shaped like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// 1.5 and later.
    #[default]
    Current,
    /// Before 1.5: edge labels have no `edgelabel_type`, `parent_label` and `links`, and clients refuse fields they do
    /// not know.
    Before15,
}

/// Appends an edge label. A parent label shows only its name, its kind and the links of its sub labels, if it has any.
pub fn write_edge_label(out: &mut Vec<u8>, label: &EdgeLabel, catalogue: &Catalogue, dialect: Dialect) {
    let current = dialect == Dialect::Current;
    let mut object = Object::open(out);
    object.plain("id", label.id.0);
    object.string("name", &label.name);
    if current {
        object.string("edgelabel_type", name_of(EDGE_LABEL_KINDS, EdgeLabelKindName::from(label.kind)));
        if let EdgeLabelKind::Sub { parent } = label.kind {
            object.string("parent_label", catalogue.edge_label(parent).map_or(UNDEFINED, |parent| &parent.name));
        }
    }
    let vertex_label = |id| catalogue.vertex_label(id).map_or(UNDEFINED, |label| label.name.as_str());
    if let Some((source, target)) = label.link {
        object.string("source_label", vertex_label(source));
        object.string("target_label", vertex_label(target));
    }
    let links = catalogue.edge_label_links(label.id);
    if current && !links.is_empty() {
        push_array(object.field("links"), links, |out, (source, target)| {
            let mut link = Object::open(out);
            link.string(vertex_label(source), vertex_label(target));
            link.close();
        });
    }
    if label.kind != EdgeLabelKind::Parent {
        object.string("frequency", name_of(FREQUENCIES, label.frequency));
        object.strings("sort_keys", key_names(catalogue, &label.sort_keys));
        object.strings("nullable_keys", key_names(catalogue, &label.nullable_keys));
        object.strings("index_labels", index_label_names(catalogue, false, label.id));
        object.strings("properties", key_names(catalogue, &label.properties));
        write_status(&mut object, label.status);
        write_ttl(&mut object, label.ttl_ms, label.ttl_start_time, catalogue);
        object.plain("enable_label_index", label.enable_label_index);
        write_user_data(&mut object, &label.user_data);
    }
    object.close();
}

/// Appends an index label.
pub fn write_index_label(out: &mut Vec<u8>, label: &IndexLabel, catalogue: &Catalogue) {
    write_typed_index_label(out, label, catalogue, name_of(INDEX_TYPES, label.index_type));
}

/// The type as the whole schema shows it: HugeGraph has a type of range index for each width of numbers, which it shows
/// there only.
fn stored_type(label: &IndexLabel, catalogue: &Catalogue) -> &'static str {
    let data_type = label.fields.first().and_then(|field| catalogue.property_key(*field)).map(|key| key.data_type);
    let [int, float, long, double] = RANGE_NAMES;
    match (label.index_type, data_type) {
        (IndexType::Range, Some(DataType::Byte | DataType::Int)) => int,
        (IndexType::Range, Some(DataType::Float)) => float,
        (IndexType::Range, Some(DataType::Double)) => double,
        (IndexType::Range, _) => long,
        (index_type, _) => name_of(INDEX_TYPES, index_type),
    }
}

fn write_typed_index_label(out: &mut Vec<u8>, label: &IndexLabel, catalogue: &Catalogue, index_type: &str) {
    let base = if label.on_vertices {
        catalogue.vertex_label(label.base).map(|base| base.name.as_str())
    } else {
        catalogue.edge_label(label.base).map(|base| base.name.as_str())
    };
    let mut object = Object::open(out);
    object.plain("id", label.id.0);
    object.string("name", &label.name);
    object.string("base_type", name_of(BASE_TYPES, label.on_vertices));
    object.string("base_value", base.unwrap_or(UNDEFINED));
    object.string("index_type", index_type);
    object.strings("fields", key_names(catalogue, &label.fields));
    write_status(&mut object, label.status);
    write_user_data(&mut object, &label.user_data);
    object.close();
}

/// Appends `{"property_key":{..},"task_id":N}`: the answer to creating or changing one.
pub fn write_property_key_with_task(out: &mut Vec<u8>, key: &PropertyKey, task_id: u64) {
    let mut object = Object::open(out);
    write_property_key(object.field("property_key"), key);
    object.plain("task_id", task_id);
    object.close();
}

/// Appends `{"index_label":{..},"task_id":N}`: the answer to creating one.
pub fn write_index_label_with_task(out: &mut Vec<u8>, label: &IndexLabel, catalogue: &Catalogue, task_id: u64) {
    let mut object = Object::open(out);
    write_index_label(object.field("index_label"), label, catalogue);
    object.plain("task_id", task_id);
    object.close();
}

/// Appends `{"task_id":N}`: the answer to what a task does.
pub fn write_task_id(out: &mut Vec<u8>, task_id: u64) {
    let mut object = Object::open(out);
    object.plain("task_id", task_id);
    object.close();
}

/// Appends `{"propertykeys":[..]}`.
pub fn write_property_keys<'a>(out: &mut Vec<u8>, keys: impl IntoIterator<Item = &'a PropertyKey>) {
    write_list(out, "propertykeys", keys, write_property_key);
}

/// Appends `{"vertexlabels":[..]}`.
pub fn write_vertex_labels<'a>(
    out: &mut Vec<u8>,
    labels: impl IntoIterator<Item = &'a VertexLabel>,
    catalogue: &Catalogue,
) {
    write_list(out, "vertexlabels", labels, |out, label| write_vertex_label(out, label, catalogue));
}

/// Appends `{"edgelabels":[..]}`.
pub fn write_edge_labels<'a>(
    out: &mut Vec<u8>,
    labels: impl IntoIterator<Item = &'a EdgeLabel>,
    catalogue: &Catalogue,
    dialect: Dialect,
) {
    write_list(out, "edgelabels", labels, |out, label| write_edge_label(out, label, catalogue, dialect));
}

/// Appends `{"indexlabels":[..]}`.
pub fn write_index_labels<'a>(
    out: &mut Vec<u8>,
    labels: impl IntoIterator<Item = &'a IndexLabel>,
    catalogue: &Catalogue,
) {
    write_list(out, "indexlabels", labels, |out, label| write_index_label(out, label, catalogue));
}

/// Appends the whole schema: `{"propertykeys":[..],"vertexlabels":[..],"edgelabels":[..],"indexlabels":[..]}`.
pub fn write_schema(out: &mut Vec<u8>, catalogue: &Catalogue, dialect: Dialect) {
    let mut object = Object::open(out);
    push_array(object.field("propertykeys"), catalogue.property_keys(), |out, key| write_property_key(out, key));
    push_array(object.field("vertexlabels"), catalogue.vertex_labels(), |out, label| {
        write_vertex_label(out, label, catalogue);
    });
    push_array(object.field("edgelabels"), catalogue.edge_labels(), |out, label| {
        write_edge_label(out, label, catalogue, dialect);
    });
    push_array(object.field("indexlabels"), catalogue.index_labels(), |out, label| {
        write_typed_index_label(out, label, catalogue, stored_type(label, catalogue));
    });
    object.close();
}

fn write_list<T>(
    out: &mut Vec<u8>,
    name: &str,
    items: impl IntoIterator<Item = T>,
    write: impl FnMut(&mut Vec<u8>, T),
) {
    let mut object = Object::open(out);
    push_array(object.field(name), items, write);
    object.close();
}

fn key_names<'a>(catalogue: &'a Catalogue, keys: &'a [PropertyKeyId]) -> impl Iterator<Item = &'a str> {
    keys.iter().filter_map(|key| Some(catalogue.property_key(*key)?.name.as_str()))
}

fn index_label_names(catalogue: &Catalogue, on_vertices: bool, base: LabelId) -> impl Iterator<Item = &str> {
    catalogue.indexes_over(on_vertices, base).iter().map(|label| label.name.as_str())
}

fn write_status(object: &mut Object<'_>, status: Status) {
    object.string("status", name_of(STATUSES, status));
}

fn write_ttl(object: &mut Object<'_>, ttl_ms: u64, start: Option<PropertyKeyId>, catalogue: &Catalogue) {
    object.plain("ttl", ttl_ms);
    if let Some(key) = start.and_then(|key| catalogue.property_key(key)) {
        object.string("ttl_start_time", &key.name);
    }
}

fn write_user_data(object: &mut Object<'_>, data: &UserData) {
    let mut fields = Object::open(object.field("user_data"));
    for (name, json) in &data.0 {
        fields.field(name).extend_from_slice(json.as_bytes());
    }
    fields.close();
}
