//! Request bodies of schema elements.

use std::borrow::Cow;

use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{
    AggregateType, EdgeLabelKindName, Frequency, IndexType, Literal, NewEdgeLabel, NewIndexLabel, NewPropertyKey,
    NewVertexLabel, UpdateEdgeLabel, UpdateIndexLabel, UpdatePropertyKey, UpdateVertexLabel, UserData, WriteType,
};
use rest_json::{
    decode_new_edge_label, decode_new_index_label, decode_new_property_key, decode_new_vertex_label,
    decode_update_edge_label, decode_update_index_label, decode_update_property_key, decode_update_vertex_label,
};

fn user_data(entries: &[(&str, &str)]) -> UserData {
    UserData(entries.iter().map(|(name, json)| ((*name).to_owned(), (*json).to_owned())).collect())
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_property_key_is_read() {
    let body = br#"{"name":"tags","id":0,"properties":[],"check_exist":false,"data_type":"INT","cardinality":"SET",
        "aggregate_type":"MAX","write_type":"OLAP_RANGE","status":null,"index_labels":null,
        "user_data":{"min": 0, "~default_value": [ 1, 2 ], "x": {"a": null}, "min": 1}}"#;
    let expected = NewPropertyKey {
        id: Some(0),
        name: "tags".to_owned(),
        data_type: DataType::Int,
        cardinality: Cardinality::Set,
        aggregate_type: AggregateType::Max,
        write_type: WriteType::OlapRange,
        properties: Vec::new(),
        user_data: user_data(&[("min", "1"), ("~default_value", "[1,2]"), ("x", r#"{"a":null}"#)]),
        default_value: Some(Literal::Array(vec![Literal::Integer(1), Literal::Integer(2)])),
        check_exist: false,
    };
    assert_eq!(decode_new_property_key(body), Ok(expected));
}

#[test]
fn what_a_property_key_leaves_out_has_hugegraphs_defaults() {
    let expected = NewPropertyKey {
        id: None,
        name: "name".to_owned(),
        data_type: DataType::Text,
        cardinality: Cardinality::Single,
        aggregate_type: AggregateType::None,
        write_type: WriteType::Oltp,
        properties: Vec::new(),
        user_data: UserData::default(),
        default_value: None,
        check_exist: true,
    };
    let nulls = br#"{"name":"name","data_type":null,"cardinality":null,"aggregate_type":null,"write_type":null,
        "properties":null,"user_data":null,"check_exist":null,"id":null}"#;
    assert_eq!(decode_new_property_key(br#"{"name":"name"}"#), Ok(expected.clone()));
    assert_eq!(decode_new_property_key(nulls), Ok(expected));
}

#[test]
fn a_property_key_update_is_read() {
    let expected = UpdatePropertyKey {
        name: "weight".to_owned(),
        data_type: DataType::Text,
        cardinality: Cardinality::Single,
        user_data: user_data(&[("~default_value", "\"x\"")]),
        default_value: Some(Literal::Text(Cow::Borrowed("x"))),
    };
    let body = br#"{"name":"weight","user_data":{"~default_value":"x"}}"#;
    assert_eq!(decode_update_property_key(body), Ok(expected));
}

#[test]
fn a_java_clients_vertex_label_is_read() {
    let body = br#"{"name":"city","id":0,"properties":["name","pop"],"check_exist":true,"user_data":{},
        "id_strategy":"PRIMARY_KEY","primary_keys":["name"],"nullable_keys":["pop"],"ttl":3000,"ttl_start_time":"born",
        "enable_label_index":false,"index_labels":[],"status":null}"#;
    let expected = NewVertexLabel {
        id: Some(0),
        name: "city".to_owned(),
        id_strategy: Some(IdStrategy::PrimaryKey),
        properties: names(&["name", "pop"]),
        primary_keys: names(&["name"]),
        nullable_keys: names(&["pop"]),
        ttl_ms: 3000,
        ttl_start_time: Some("born".to_owned()),
        enable_label_index: Some(false),
        user_data: UserData::default(),
        check_exist: true,
    };
    assert_eq!(decode_new_vertex_label(body), Ok(expected));
}

#[test]
fn a_java_clients_vertex_label_update_is_read() {
    let body = br#"{"name":"city","id_strategy":"DEFAULT","primary_keys":[],"properties":["mayor"],
        "nullable_keys":["mayor"],"ttl":0,"ttl_start_time":null,"enable_label_index":null,"user_data":{"a":1}}"#;
    let expected = UpdateVertexLabel {
        name: "city".to_owned(),
        id_strategy: None,
        primary_keys: Vec::new(),
        properties: names(&["mayor"]),
        nullable_keys: names(&["mayor"]),
        ttl_ms: 0,
        ttl_start_time: None,
        enable_label_index: None,
        user_data: user_data(&[("a", "1")]),
    };
    assert_eq!(decode_update_vertex_label(body), Ok(expected));
}

#[test]
fn edge_labels_are_read_with_links_and_with_two_labels() {
    let by_links = NewEdgeLabel {
        id: None,
        name: "visited".to_owned(),
        kind: EdgeLabelKindName::Sub,
        parent_label: Some("went".to_owned()),
        source_label: None,
        target_label: None,
        links: vec![("person".to_owned(), "city".to_owned())],
        frequency: Some(Frequency::Multiple),
        properties: names(&["day"]),
        sort_keys: names(&["day"]),
        nullable_keys: Vec::new(),
        ttl_ms: -1,
        ttl_start_time: None,
        enable_label_index: Some(true),
        user_data: UserData::default(),
        check_exist: true,
    };
    let body = br#"{"name":"visited","edgelabel_type":"SUB","parent_label":"went","source_label":null,
        "links":[{"person":"city"}],"frequency":"MULTIPLE","properties":["day"],"sort_keys":["day"],"ttl":-1,
        "enable_label_index":true}"#;
    assert_eq!(decode_new_edge_label(body), Ok(by_links.clone()));
    let by_labels = NewEdgeLabel {
        kind: EdgeLabelKindName::Normal,
        parent_label: None,
        source_label: Some("person".to_owned()),
        target_label: Some("city".to_owned()),
        links: Vec::new(),
        frequency: None,
        ..by_links
    };
    let body = br#"{"name":"visited","source_label":"person","target_label":"city","frequency":"DEFAULT",
        "properties":["day"],"sort_keys":["day"],"ttl":-1,"enable_label_index":true}"#;
    assert_eq!(decode_new_edge_label(body), Ok(by_labels));
}

#[test]
fn an_edge_label_update_is_read() {
    let expected = UpdateEdgeLabel {
        name: "visited".to_owned(),
        source_label: None,
        target_label: Some("city".to_owned()),
        links: vec![("a".to_owned(), "b".to_owned())],
        frequency: Some(Frequency::Single),
        sort_keys: names(&["day"]),
        properties: names(&["x"]),
        nullable_keys: names(&["y"]),
        ttl_ms: 5,
        ttl_start_time: Some("z".to_owned()),
        enable_label_index: Some(false),
        user_data: UserData::default(),
    };
    let body =
        br#"{"name":"visited","target_label":"city","links":[{"a":"b"}],"frequency":"SINGLE","sort_keys":["day"],
        "properties":["x"],"nullable_keys":["y"],"ttl":5,"ttl_start_time":"z","enable_label_index":false}"#;
    assert_eq!(decode_update_edge_label(body), Ok(expected));
}

#[test]
fn an_index_label_is_read_with_every_field() {
    let expected = NewIndexLabel {
        id: Some(3),
        user_data: UserData(vec![("a".to_owned(), "1".to_owned())]),
        rebuild: false,
        check_exist: false,
        ..NewIndexLabel::on_edges("byScore", "visited", IndexType::Shard, &["day", "score"])
    };
    let body = br#"{"name":"byScore","base_type":"EDGE_LABEL","base_value":"visited","index_type":"SHARD",
        "fields":["day","score"],"rebuild":false,"id":3,"user_data":{"a":1},"check_exist":false,"status":null}"#;
    assert_eq!(decode_new_index_label(body), Ok(expected));
    let body = |index_type: &str| {
        format!(
            r#"{{"name":"byPop","base_type":"VERTEX_LABEL","base_value":"city","index_type":"{index_type}","fields":["pop"]}}"#
        )
    };
    let plain = NewIndexLabel::on_vertices("byPop", "city", IndexType::Range, &["pop"]);
    for index_type in ["RANGE", "RANGE_INT", "RANGE_LONG", "RANGE_FLOAT", "RANGE_DOUBLE"] {
        assert_eq!(decode_new_index_label(body(index_type).as_bytes()), Ok(plain.clone()));
    }
    for field in ["base_type", "base_value", "index_type"] {
        let without = body("RANGE").replace(field, "other");
        let error = decode_new_index_label(without.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("the body: '{field}' is missing"));
    }
}

#[test]
fn a_change_of_an_index_label_is_read_with_what_it_must_not_have() {
    let expected = UpdateIndexLabel {
        name: "byPop".to_owned(),
        on_vertices: Some(true),
        base: Some("city".to_owned()),
        index_type: Some(IndexType::Range),
        fields: names(&["pop"]),
        user_data: UserData(vec![("a".to_owned(), "1".to_owned())]),
    };
    let body = br#"{"name":"byPop","base_type":"VERTEX_LABEL","base_value":"city","index_type":"RANGE",
        "fields":["pop"],"user_data":{"a":1}}"#;
    assert_eq!(decode_update_index_label(body), Ok(expected));
    let bare = decode_update_index_label(br#"{"name":"byPop","fields":[],"rebuild":true}"#).unwrap();
    assert_eq!((bare.on_vertices, bare.base, bare.index_type, bare.fields), (None, None, None, vec![]));
}

#[test]
fn wrong_schema_bodies_say_what_and_where() {
    let cases: &[(&str, &str)] = &[
        ("{}", "the body: 'name' is missing"),
        (r#"{"name":null}"#, "the body: 'name' is missing"),
        ("[1]", "the body: expected an object, but got an array at line 1 column 1"),
        (r#"{"name":"a"} x"#, "the body is not JSON: trailing characters at line 1 column 14"),
        (r#"{"name":1}"#, "name: expected a string, but got integer `1` at line 1 column 9"),
        (
            r#"{"name":"a","properties":["b",null]}"#,
            "properties[1]: expected a string, but got null at line 1 column 34",
        ),
        (
            r#"{"name":"a","links":[{}]}"#,
            "links[0]: invalid length 0, expected an object with one entry, {\"source label\":\"target label\"} \
             at line 1 column 23",
        ),
        (
            r#"{"name":"a","id_strategy":"RANDOM"}"#,
            "id_strategy: 'RANDOM' is unknown; it must be one of DEFAULT, AUTOMATIC, PRIMARY_KEY, CUSTOMIZE_STRING, \
             CUSTOMIZE_NUMBER, CUSTOMIZE_UUID",
        ),
        (
            r#"{"name":"a","data_type":"STRING"}"#,
            "data_type: 'STRING' is unknown; it must be one of OBJECT, BOOLEAN, BYTE, INT, LONG, FLOAT, DOUBLE, TEXT, \
             BLOB, DATE, UUID",
        ),
        (
            r#"{"name":"a","cardinality":"single"}"#,
            "cardinality: 'single' is unknown; it must be one of SINGLE, LIST, SET",
        ),
        (
            r#"{"name":"a","edgelabel_type":"GENERAL"}"#,
            "edgelabel_type: 'GENERAL' is unknown; it must be one of NORMAL, PARENT, SUB",
        ),
        (
            r#"{"name":"a","frequency":"ONCE"}"#,
            "frequency: 'ONCE' is unknown; it must be one of DEFAULT, SINGLE, MULTIPLE",
        ),
        (
            r#"{"name":"a","index_type":"BTREE"}"#,
            "index_type: 'BTREE' is unknown; it must be one of SECONDARY, RANGE, SEARCH, SHARD, UNIQUE",
        ),
        (
            r#"{"name":"a","base_type":"LABEL"}"#,
            "base_type: 'LABEL' is unknown; it must be one of VERTEX_LABEL, EDGE_LABEL",
        ),
    ];
    for (body, expected) in cases {
        let body = body.as_bytes();
        let errors = [
            decode_new_property_key(body).err(),
            decode_new_vertex_label(body).err(),
            decode_new_edge_label(body).err(),
            // It asks for more than the others do.
            decode_new_index_label(body).err().filter(|error| !error.to_string().contains("'base_type' is missing")),
        ];
        let mut errors: Vec<String> = errors.into_iter().flatten().map(|error| error.to_string()).collect();
        errors.dedup();
        assert_eq!(errors, [*expected]);
    }
}

#[test]
fn user_data_is_bounded() {
    let entries: Vec<String> = (0..2_000).map(|n| format!("\"k{n}\":0")).collect();
    let body = format!(r#"{{"name":"a","user_data":{{{}}}}}"#, entries.join(","));
    let error = decode_new_vertex_label(body.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("user_data: more than 1024 entries at line 1"), "{error}");
}
