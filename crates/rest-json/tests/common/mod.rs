//! A small catalogue with one of every kind of definition.
#![expect(clippy::unwrap_used, reason = "test code")]

use graph_model::{Cardinality, DataType, IdStrategy, LabelId, PropertyKeyId, Value};
use graph_schema::{
    AggregateType, Analyzer, Catalogue, EdgeLabel, EdgeLabelKind, Frequency, IndexLabel, IndexType, NextIds,
    PropertyKey, SchemaElement, Status, UserData, VertexLabel, WriteType,
};
use rest_json::EncodeOptions;

/// Dates in UTC.
pub(crate) fn options() -> EncodeOptions {
    EncodeOptions { zone: jiff::tz::TimeZone::UTC }
}

/// What a writer appends, checked to be JSON.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    serde_json::from_slice::<serde_json::Value>(&out).unwrap();
    String::from_utf8(out).unwrap()
}

fn key(id: u32, name: &str, data_type: DataType) -> PropertyKey {
    PropertyKey {
        id: PropertyKeyId(id),
        name: name.to_owned(),
        data_type,
        cardinality: Cardinality::Single,
        aggregate_type: AggregateType::None,
        write_type: WriteType::Oltp,
        status: Status::Created,
        user_data: UserData::default(),
        default_value: None,
    }
}

fn vertex_label(id: u32, name: &str, id_strategy: IdStrategy, properties: &[u32]) -> VertexLabel {
    VertexLabel {
        id: LabelId(id),
        name: name.to_owned(),
        id_strategy,
        primary_keys: Vec::new(),
        nullable_keys: Vec::new(),
        properties: properties.iter().copied().map(PropertyKeyId).collect(),
        ttl_ms: 0,
        ttl_start_time: None,
        enable_label_index: true,
        status: Status::Created,
        user_data: UserData::default(),
    }
}

fn edge_label(id: u32, name: &str, kind: EdgeLabelKind, link: Option<(u32, u32)>) -> EdgeLabel {
    EdgeLabel {
        id: LabelId(id),
        name: name.to_owned(),
        kind,
        link: link.map(|(source, target)| (LabelId(source), LabelId(target))),
        frequency: Frequency::Single,
        sort_keys: Vec::new(),
        nullable_keys: Vec::new(),
        properties: Vec::new(),
        ttl_ms: 0,
        ttl_start_time: None,
        enable_label_index: true,
        status: Status::Created,
        user_data: UserData::default(),
    }
}

/// Cities, people who visit them, and an index.
pub(crate) fn catalogue() -> Catalogue {
    let score = PropertyKey {
        user_data: UserData(vec![
            ("~default_value".to_owned(), "1".to_owned()),
            ("a\"b".to_owned(), r#"{"x":null}"#.to_owned()),
        ]),
        default_value: Some(Value::Double(1.0)),
        ..key(4, "score", DataType::Double)
    };
    let city = VertexLabel {
        primary_keys: vec![PropertyKeyId(1)],
        nullable_keys: vec![PropertyKeyId(2)],
        ..vertex_label(1, "city", IdStrategy::PrimaryKey, &[1, 2])
    };
    let person = VertexLabel {
        ttl_ms: 3000,
        ttl_start_time: Some(PropertyKeyId(3)),
        enable_label_index: false,
        status: Status::Deleting,
        ..vertex_label(2, "person", IdStrategy::CustomizeNumber, &[3])
    };
    let visited = EdgeLabel {
        frequency: Frequency::Multiple,
        sort_keys: vec![PropertyKeyId(3)],
        nullable_keys: vec![PropertyKeyId(4), PropertyKeyId(5)],
        properties: vec![PropertyKeyId(3), PropertyKeyId(4), PropertyKeyId(5)],
        ..edge_label(2, "visited", EdgeLabelKind::Sub { parent: LabelId(1) }, Some((2, 1)))
    };
    let by_pop = IndexLabel {
        id: LabelId(1),
        name: "cityByPop".to_owned(),
        on_vertices: true,
        base: LabelId(1),
        index_type: IndexType::Range,
        fields: vec![PropertyKeyId(2)],
        complete: false,
        analyzer: Analyzer::Jieba,
        status: Status::Creating,
        user_data: UserData(vec![("~create_time".to_owned(), "\"2026-01-05 08:00:03.000\"".to_owned())]),
    };
    let elements = vec![
        SchemaElement::PropertyKey(key(1, "name", DataType::Text)),
        SchemaElement::PropertyKey(key(2, "pop", DataType::Int)),
        SchemaElement::PropertyKey(key(3, "day", DataType::Date)),
        SchemaElement::PropertyKey(score),
        SchemaElement::PropertyKey(key(5, "paid", DataType::Boolean)),
        SchemaElement::VertexLabel(city),
        SchemaElement::VertexLabel(person),
        SchemaElement::EdgeLabel(edge_label(1, "went", EdgeLabelKind::Parent, None)),
        SchemaElement::EdgeLabel(visited),
        SchemaElement::EdgeLabel(edge_label(3, "twinned", EdgeLabelKind::Normal, Some((1, 1)))),
        SchemaElement::EdgeLabel(edge_label(4, "lonely", EdgeLabelKind::Parent, None)),
        SchemaElement::IndexLabel(by_pop),
    ];
    Catalogue::from_elements(graph_schema::SchemaMode::Strict, elements, NextIds::default()).unwrap()
}
