//! Values of `meta`: schema elements, field after field in a fixed order, enumerations as one byte.
//!
//! The first byte is the layout's version, so that a later program can add fields and still read what this one wrote.

use graph_model::{Cardinality, DataType, IdStrategy, LabelId, PropertyKeyId};
use graph_schema::{
    AggregateType, Analyzer, EdgeLabel, EdgeLabelKind, Frequency, IndexLabel, IndexType, PropertyKey, SchemaElement,
    SchemaKey, SchemaKind, Status, UserData, VertexLabel, WriteType,
};

use crate::key::MetaKind;
use crate::reader::Reader;
use crate::{CodecError, value, varint};

const LAYOUT: u8 = 1;

/// Where elements of a kind are kept in `meta`.
#[must_use]
pub fn meta_kind(kind: SchemaKind) -> MetaKind {
    match kind {
        SchemaKind::PropertyKey => MetaKind::PropertyKey,
        SchemaKind::VertexLabel => MetaKind::VertexLabel,
        SchemaKind::EdgeLabel => MetaKind::EdgeLabel,
        SchemaKind::IndexLabel => MetaKind::IndexLabel,
    }
}

/// Kind and number of an element's row in `meta`.
#[must_use]
pub fn meta_position(key: SchemaKey) -> (MetaKind, u32) {
    match key {
        SchemaKey::PropertyKey(id) => (MetaKind::PropertyKey, id.0),
        SchemaKey::VertexLabel(id) => (MetaKind::VertexLabel, id.0),
        SchemaKey::EdgeLabel(id) => (MetaKind::EdgeLabel, id.0),
        SchemaKey::IndexLabel(id) => (MetaKind::IndexLabel, id.0),
    }
}

/// An enumeration as one byte: its position in a table that is part of the format.
struct Codes<T: 'static>(&'static [T]);

impl<T: Copy + PartialEq> Codes<T> {
    fn put(&self, out: &mut Vec<u8>, value: T) {
        let at = self.0.iter().position(|candidate| *candidate == value).unwrap_or(usize::from(u8::MAX));
        out.push(u8::try_from(at).unwrap_or(u8::MAX));
    }

    fn read(&self, reader: &mut Reader<'_>) -> Result<T, CodecError> {
        let code = reader.byte()?;
        self.0.get(usize::from(code)).copied().ok_or_else(|| reader.error("unknown code"))
    }
}

const DATA_TYPES: Codes<DataType> = Codes(&[
    DataType::Object,
    DataType::Boolean,
    DataType::Byte,
    DataType::Int,
    DataType::Long,
    DataType::Float,
    DataType::Double,
    DataType::Text,
    DataType::Blob,
    DataType::Date,
    DataType::Uuid,
    DataType::Any,
]);
const CARDINALITIES: Codes<Cardinality> = Codes(&[Cardinality::Single, Cardinality::List, Cardinality::Set]);
const AGGREGATES: Codes<AggregateType> = Codes(&[
    AggregateType::None,
    AggregateType::Max,
    AggregateType::Min,
    AggregateType::Sum,
    AggregateType::Old,
    AggregateType::Set,
    AggregateType::List,
]);
const WRITE_TYPES: Codes<WriteType> =
    Codes(&[WriteType::Oltp, WriteType::OlapCommon, WriteType::OlapSecondary, WriteType::OlapRange]);
const STATUSES: Codes<Status> = Codes(&[
    Status::Created,
    Status::Creating,
    Status::Rebuilding,
    Status::Deleting,
    Status::Undeleted,
    Status::Invalid,
]);
const ID_STRATEGIES: Codes<IdStrategy> = Codes(&[
    IdStrategy::Automatic,
    IdStrategy::PrimaryKey,
    IdStrategy::CustomizeString,
    IdStrategy::CustomizeNumber,
    IdStrategy::CustomizeUuid,
]);
const FREQUENCIES: Codes<Frequency> = Codes(&[Frequency::Single, Frequency::Multiple]);
const INDEX_TYPES: Codes<IndexType> =
    Codes(&[IndexType::Secondary, IndexType::Range, IndexType::Search, IndexType::Shard, IndexType::Unique]);
const ANALYZERS: Codes<Analyzer> = Codes(&[Analyzer::Jieba, Analyzer::English, Analyzer::Simple]);
const BOOLEANS: Codes<bool> = Codes(&[false, true]);

const KIND_NORMAL: u8 = 0;
const KIND_PARENT: u8 = 1;
const KIND_SUB: u8 = 2;

/// Appends the value of an element.
pub fn put_element(out: &mut Vec<u8>, element: &SchemaElement) {
    out.push(LAYOUT);
    match element {
        SchemaElement::PropertyKey(key) => put_property_key(out, key),
        SchemaElement::VertexLabel(label) => put_vertex_label(out, label),
        SchemaElement::EdgeLabel(label) => put_edge_label(out, label),
        SchemaElement::IndexLabel(label) => put_index_label(out, label),
    }
}

/// Reads the value of the element of a kind and number.
pub fn read_element(kind: SchemaKind, number: u32, bytes: &[u8]) -> Result<SchemaElement, CodecError> {
    let mut reader = Reader::new(bytes, "schema element");
    if reader.byte()? != LAYOUT {
        return Err(reader.error("unknown layout"));
    }
    let element = match kind {
        SchemaKind::PropertyKey => SchemaElement::PropertyKey(read_property_key(&mut reader, number)?),
        SchemaKind::VertexLabel => SchemaElement::VertexLabel(read_vertex_label(&mut reader, number)?),
        SchemaKind::EdgeLabel => SchemaElement::EdgeLabel(read_edge_label(&mut reader, number)?),
        SchemaKind::IndexLabel => SchemaElement::IndexLabel(read_index_label(&mut reader, number)?),
    };
    reader.end()?;
    Ok(element)
}

fn put_property_key(out: &mut Vec<u8>, key: &PropertyKey) {
    put_text(out, &key.name);
    DATA_TYPES.put(out, key.data_type);
    CARDINALITIES.put(out, key.cardinality);
    AGGREGATES.put(out, key.aggregate_type);
    WRITE_TYPES.put(out, key.write_type);
    STATUSES.put(out, key.status);
    put_user_data(out, &key.user_data);
    BOOLEANS.put(out, key.default_value.is_some());
    if let Some(default) = &key.default_value {
        value::put_value(out, default);
    }
}

fn read_property_key(reader: &mut Reader<'_>, number: u32) -> Result<PropertyKey, CodecError> {
    Ok(PropertyKey {
        id: PropertyKeyId(number),
        name: reader.text()?.to_owned(),
        data_type: DATA_TYPES.read(reader)?,
        cardinality: CARDINALITIES.read(reader)?,
        aggregate_type: AGGREGATES.read(reader)?,
        write_type: WRITE_TYPES.read(reader)?,
        status: STATUSES.read(reader)?,
        user_data: read_user_data(reader)?,
        default_value: if BOOLEANS.read(reader)? { Some(value::read_value(reader, true)?) } else { None },
    })
}

fn put_vertex_label(out: &mut Vec<u8>, label: &VertexLabel) {
    put_text(out, &label.name);
    ID_STRATEGIES.put(out, label.id_strategy);
    put_keys(out, &label.primary_keys);
    put_keys(out, &label.nullable_keys);
    put_keys(out, &label.properties);
    put_lifetime(out, label.ttl_ms, label.ttl_start_time);
    BOOLEANS.put(out, label.enable_label_index);
    STATUSES.put(out, label.status);
    put_user_data(out, &label.user_data);
}

fn read_vertex_label(reader: &mut Reader<'_>, number: u32) -> Result<VertexLabel, CodecError> {
    Ok(VertexLabel {
        id: LabelId(number),
        name: reader.text()?.to_owned(),
        id_strategy: ID_STRATEGIES.read(reader)?,
        primary_keys: read_keys(reader)?,
        nullable_keys: read_keys(reader)?,
        properties: read_keys(reader)?,
        ttl_ms: reader.varint()?,
        ttl_start_time: read_key_option(reader)?,
        enable_label_index: BOOLEANS.read(reader)?,
        status: STATUSES.read(reader)?,
        user_data: read_user_data(reader)?,
    })
}

fn put_edge_label(out: &mut Vec<u8>, label: &EdgeLabel) {
    put_text(out, &label.name);
    match label.kind {
        EdgeLabelKind::Normal => out.push(KIND_NORMAL),
        EdgeLabelKind::Parent => out.push(KIND_PARENT),
        EdgeLabelKind::Sub { parent } => {
            out.push(KIND_SUB);
            varint::put(out, u64::from(parent.0));
        }
    }
    BOOLEANS.put(out, label.link.is_some());
    if let Some((source, target)) = label.link {
        varint::put(out, u64::from(source.0));
        varint::put(out, u64::from(target.0));
    }
    FREQUENCIES.put(out, label.frequency);
    put_keys(out, &label.sort_keys);
    put_keys(out, &label.nullable_keys);
    put_keys(out, &label.properties);
    put_lifetime(out, label.ttl_ms, label.ttl_start_time);
    BOOLEANS.put(out, label.enable_label_index);
    STATUSES.put(out, label.status);
    put_user_data(out, &label.user_data);
}

fn read_edge_label(reader: &mut Reader<'_>, number: u32) -> Result<EdgeLabel, CodecError> {
    Ok(EdgeLabel {
        id: LabelId(number),
        name: reader.text()?.to_owned(),
        kind: match reader.byte()? {
            KIND_NORMAL => EdgeLabelKind::Normal,
            KIND_PARENT => EdgeLabelKind::Parent,
            KIND_SUB => EdgeLabelKind::Sub { parent: LabelId(reader.varint_u32()?) },
            _ => return Err(reader.error("unknown kind of edge label")),
        },
        link: if BOOLEANS.read(reader)? {
            Some((LabelId(reader.varint_u32()?), LabelId(reader.varint_u32()?)))
        } else {
            None
        },
        frequency: FREQUENCIES.read(reader)?,
        sort_keys: read_keys(reader)?,
        nullable_keys: read_keys(reader)?,
        properties: read_keys(reader)?,
        ttl_ms: reader.varint()?,
        ttl_start_time: read_key_option(reader)?,
        enable_label_index: BOOLEANS.read(reader)?,
        status: STATUSES.read(reader)?,
        user_data: read_user_data(reader)?,
    })
}

fn put_index_label(out: &mut Vec<u8>, label: &IndexLabel) {
    put_text(out, &label.name);
    BOOLEANS.put(out, label.on_vertices);
    varint::put(out, u64::from(label.base.0));
    INDEX_TYPES.put(out, label.index_type);
    put_keys(out, &label.fields);
    BOOLEANS.put(out, label.complete);
    ANALYZERS.put(out, label.analyzer);
    STATUSES.put(out, label.status);
    put_user_data(out, &label.user_data);
}

fn read_index_label(reader: &mut Reader<'_>, number: u32) -> Result<IndexLabel, CodecError> {
    Ok(IndexLabel {
        id: LabelId(number),
        name: reader.text()?.to_owned(),
        on_vertices: BOOLEANS.read(reader)?,
        base: LabelId(reader.varint_u32()?),
        index_type: INDEX_TYPES.read(reader)?,
        fields: read_keys(reader)?,
        complete: BOOLEANS.read(reader)?,
        analyzer: ANALYZERS.read(reader)?,
        status: STATUSES.read(reader)?,
        user_data: read_user_data(reader)?,
    })
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    varint::put(out, u64::try_from(text.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(text.as_bytes());
}

fn put_keys(out: &mut Vec<u8>, keys: &[PropertyKeyId]) {
    varint::put(out, u64::try_from(keys.len()).unwrap_or(u64::MAX));
    for key in keys {
        varint::put(out, u64::from(key.0));
    }
}

fn read_keys(reader: &mut Reader<'_>) -> Result<Vec<PropertyKeyId>, CodecError> {
    let count = reader.length()?;
    (0..count).map(|_| reader.varint_u32().map(PropertyKeyId)).collect()
}

fn put_lifetime(out: &mut Vec<u8>, ttl_ms: u64, start: Option<PropertyKeyId>) {
    varint::put(out, ttl_ms);
    varint::put(out, u64::from(start.map_or(0, |key| key.0)));
}

fn read_key_option(reader: &mut Reader<'_>) -> Result<Option<PropertyKeyId>, CodecError> {
    Ok(Some(reader.varint_u32()?).filter(|number| *number > 0).map(PropertyKeyId))
}

fn put_user_data(out: &mut Vec<u8>, user_data: &UserData) {
    varint::put(out, u64::try_from(user_data.0.len()).unwrap_or(u64::MAX));
    for (name, json) in &user_data.0 {
        put_text(out, name);
        put_text(out, json);
    }
}

fn read_user_data(reader: &mut Reader<'_>) -> Result<UserData, CodecError> {
    let count = reader.length()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push((reader.text()?.to_owned(), reader.text()?.to_owned()));
    }
    Ok(UserData(entries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph_model::Value;
    use proptest::prelude::*;

    fn user_data() -> UserData {
        UserData(vec![("~create_time".into(), "\"2026-01-01 00:00:00.000\"".into()), ("min".into(), "0".into())])
    }

    fn samples() -> Vec<(SchemaKind, SchemaElement)> {
        let key = PropertyKeyId;
        vec![
            (
                SchemaKind::PropertyKey,
                SchemaElement::PropertyKey(PropertyKey {
                    id: key(9),
                    name: "age".into(),
                    data_type: DataType::Uuid,
                    cardinality: Cardinality::Set,
                    aggregate_type: AggregateType::List,
                    write_type: WriteType::OlapRange,
                    status: Status::Invalid,
                    user_data: user_data(),
                    default_value: Some(Value::List(vec![Value::Int(1), Value::Text("x".into())])),
                }),
            ),
            (
                SchemaKind::VertexLabel,
                SchemaElement::VertexLabel(VertexLabel {
                    id: LabelId(9),
                    name: "person".into(),
                    id_strategy: IdStrategy::CustomizeUuid,
                    primary_keys: vec![key(2), key(1)],
                    nullable_keys: vec![key(300)],
                    properties: vec![key(1), key(2), key(300)],
                    ttl_ms: 86_400_000,
                    ttl_start_time: Some(key(300)),
                    enable_label_index: true,
                    status: Status::Deleting,
                    user_data: user_data(),
                }),
            ),
            (
                SchemaKind::EdgeLabel,
                SchemaElement::EdgeLabel(EdgeLabel {
                    id: LabelId(9),
                    name: "knows".into(),
                    kind: EdgeLabelKind::Sub { parent: LabelId(4) },
                    link: Some((LabelId(1), LabelId(70_000))),
                    frequency: Frequency::Multiple,
                    sort_keys: vec![key(1)],
                    nullable_keys: vec![],
                    properties: vec![key(1)],
                    ttl_ms: 0,
                    ttl_start_time: None,
                    enable_label_index: false,
                    status: Status::Created,
                    user_data: UserData::default(),
                }),
            ),
            (
                SchemaKind::IndexLabel,
                SchemaElement::IndexLabel(IndexLabel {
                    id: LabelId(9),
                    name: "byAge".into(),
                    on_vertices: true,
                    base: LabelId(1),
                    index_type: IndexType::Unique,
                    fields: vec![key(1)],
                    complete: true,
                    analyzer: Analyzer::English,
                    status: Status::Creating,
                    user_data: UserData::default(),
                }),
            ),
        ]
    }

    #[test]
    fn every_kind_round_trips_and_no_truncation_is_accepted() {
        for (kind, element) in samples() {
            let mut bytes = Vec::new();
            put_element(&mut bytes, &element);
            assert_eq!(read_element(kind, 9, &bytes), Ok(element));
            for cut in 0..bytes.len() {
                assert!(read_element(kind, 9, &bytes[..cut]).is_err(), "{kind:?} cut at {cut}");
            }
        }
    }

    proptest! {
        #[test]
        fn reading_any_bytes_never_panics(bytes in any::<Vec<u8>>()) {
            for (kind, _) in samples() {
                drop(read_element(kind, 9, &bytes));
            }
        }
    }
}
