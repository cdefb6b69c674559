//! Request bodies of vertices, edges and property updates.

use std::borrow::Cow;

use graph_schema::{Literal, NewEdge, NewVertex};
use proptest::prelude::*;
use rest_json::{
    DecodeError, PropertyUpdate, decode_edge, decode_edges, decode_property_update, decode_vertex, decode_vertices,
};

fn text(text: &str) -> Literal<'_> {
    Literal::Text(Cow::Borrowed(text))
}

#[test]
fn a_java_clients_vertex_is_read() {
    let body = br#"{"label":"person","type":"vertex","properties":{"city":"Beijing","age":19},"id":null}"#;
    let expected = NewVertex {
        label: Some("person".into()),
        id: None,
        properties: vec![("city".into(), text("Beijing")), ("age".into(), Literal::Integer(19))],
    };
    assert_eq!(decode_vertex(body), Ok(expected));
}

#[test]
fn a_java_clients_edge_is_read() {
    let body = br#"[{"label":"created","type":"edge","properties":{"date":"2017-03-24"},"id":null,"outV":"1:peter",
        "inV":7,"outVLabel":"person","inVLabel":null,"unknown":{"a":[1]}}]"#;
    let expected = NewEdge {
        label: Some("created".into()),
        source: Some(text("1:peter")),
        source_label: Some("person".into()),
        target: Some(Literal::Integer(7)),
        target_label: None,
        properties: vec![("date".into(), text("2017-03-24"))],
    };
    assert_eq!(decode_edges(body, 1), Ok(vec![expected]));
}

#[test]
fn an_update_is_read() {
    let body = br#"{"id":"S1:a>1>1>>S1:b","label":"knows","outV":3,"properties":{"age":null}}"#;
    let expected = PropertyUpdate {
        label: Some("knows".into()),
        id: Some(text("S1:a>1>1>>S1:b")),
        properties: vec![("age".into(), Literal::Null)],
    };
    assert_eq!(decode_property_update(body), Ok(expected));
    let short = PropertyUpdate { label: None, id: None, properties: Vec::new() };
    assert_eq!(decode_property_update(br#"{"properties":{}}"#), Ok(short));
}

#[test]
fn every_notation_becomes_its_literal() {
    let cases: &[(&str, Literal<'_>)] = &[
        ("null", Literal::Null),
        ("true", Literal::Boolean(true)),
        ("0", Literal::Integer(0)),
        ("9223372036854775807", Literal::Integer(i64::MAX)),
        ("-9223372036854775808", Literal::Integer(i64::MIN)),
        ("9223372036854775808", Literal::Float(9_223_372_036_854_775_808.0)),
        ("1.0", Literal::Float(1.0)),
        ("1e2", Literal::Float(100.0)),
        ("0.1", Literal::Float(0.1)),
        ("\"a\\u00e9\\n\"", text("a\u{e9}\n")),
        ("[1, [\"x\"], null]", {
            Literal::Array(vec![Literal::Integer(1), Literal::Array(vec![text("x")]), Literal::Null])
        }),
        ("{ \"b\" : [ 1 , 2.50 , {} ] , \"a\\\"\" : null }", {
            Literal::Object(Cow::Borrowed(r#"{"b":[1,2.5,{}],"a\"":null}"#))
        }),
    ];
    for (json, expected) in cases {
        let body = format!(r#"{{"properties":{{"p":{json}}}}}"#);
        let vertex = decode_vertex(body.as_bytes()).unwrap();
        assert_eq!(vertex.properties, [("p".into(), expected.clone())], "{json}");
    }
}

#[test]
fn texts_borrow_from_the_body() {
    let body = br#"{"label":"person","properties":{"name":"ann"}}"#;
    let vertex = decode_vertex(body).unwrap();
    assert!(matches!(vertex.label, Some(Cow::Borrowed("person"))));
    assert!(matches!(vertex.properties[0], (Cow::Borrowed("name"), Literal::Text(Cow::Borrowed("ann")))));
}

#[test]
fn the_last_value_of_a_repeated_name_wins() {
    let body = br#"{"label":"a","label":"b","properties":{"x":1,"y":2,"x":3}}"#;
    let vertex = decode_vertex(body).unwrap();
    assert_eq!(vertex.label.as_deref(), Some("b"));
    assert_eq!(vertex.properties, [("x".into(), Literal::Integer(3)), ("y".into(), Literal::Integer(2))]);

    let many: Vec<String> = (0..100).map(|n| format!("\"k{}\":{n}", n % 40)).collect();
    let body = format!("{{\"properties\":{{{}}}}}", many.join(","));
    let properties = decode_vertex(body.as_bytes()).unwrap().properties;
    let expected: Vec<(Cow<'_, str>, Literal<'_>)> =
        (0..40).map(|n| (format!("k{n}").into(), Literal::Integer(if n < 20 { n + 80 } else { n + 40 }))).collect();
    assert_eq!(properties, expected);
}

#[test]
fn the_element_beyond_the_limit_is_not_looked_at() {
    let two = br#"[{"properties":{}},{"properties":{}}]"#;
    assert_eq!(decode_vertices(two, 2).unwrap().len(), 2);
    let three = br#"[{"properties":{}},{"properties":{}},@@@"#;
    assert_eq!(decode_vertices(three, 2), Err(DecodeError::TooMany { elements: "vertices", limit: 2 }));
    assert_eq!(decode_edges(three, 2), Err(DecodeError::TooMany { elements: "edges", limit: 2 }));
}

#[test]
fn malformed_lists_say_what_and_where() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "the body is empty; it must be JSON"),
        (b" \n", "the body is empty; it must be JSON"),
        (b"[", "the body is not JSON: EOF while parsing a list at line 1 column 1"),
        (b"[]", "the list of vertices is empty"),
        (b"\xff", "the body is not UTF-8: byte 0 is wrong"),
        (b"{}", "the body: expected an array of vertices, but got an object at line 1 column 2"),
        (b"null", "the body: expected an array of vertices, but got null at line 1 column 4"),
        (b"[null]", "[0]: null is no element of a list of vertices"),
        (br#"[{"properties":{}},null]"#, "[1]: null is no element of a list of vertices"),
        (b"[1]", "[0]: expected a vertex object, but got integer `1` at line 1 column 2"),
        (br#"[{"properties":{}},{}]"#, "[1]: 'properties' is missing"),
        (br#"[{"properties":null}]"#, "[0]: 'properties' is missing"),
        (
            br#"[{"properties":[]}]"#,
            "[0].properties: expected an object of properties, but got an array at line 1 column 17",
        ),
        (br#"[{"label":5}]"#, "[0].label: expected a string, but got integer `5` at line 1 column 11"),
        (b"[{\"properties\":{}}]\n x", "the body is not JSON: trailing characters at line 2 column 2"),
        (br#"[{"properties":{"a":01}}]"#, "the body is not JSON: invalid number at line 1 column 22"),
        (b"[{\"a\" 1}]", "the body is not JSON: expected `:` at line 1 column 7"),
    ];
    for (body, expected) in cases {
        let shown = String::from_utf8_lossy(body);
        assert_eq!(decode_vertices(body, 10).unwrap_err().to_string(), *expected, "{shown}");
    }
}

#[test]
fn malformed_single_elements_say_what_and_where() {
    let cases: &[(&[u8], &str)] = &[
        (b"[]", "the body: expected an edge object, but got an array at line 1 column 2"),
        (b"null", "the body: expected an edge object, but got null at line 1 column 4"),
        (b"{}", "the body: 'properties' is missing"),
        (br#"{"outVLabel":[]}"#, "outVLabel: expected a string, but got an array at line 1 column 13"),
    ];
    for (body, expected) in cases {
        let shown = String::from_utf8_lossy(body);
        assert_eq!(decode_edge(body).unwrap_err().to_string(), *expected, "{shown}");
    }
}

#[test]
fn depth_and_quoted_text_are_bounded() {
    let deep = format!(r#"{{"properties":{{"a":{}"#, "[".repeat(100_000));
    let error = decode_vertex(deep.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("recursion limit exceeded"), "{error}");
    let long = format!(r#""{}""#, "x".repeat(100_000));
    let error = decode_vertex(long.as_bytes()).unwrap_err().to_string();
    assert!(error.len() < 400, "{error}");
}

/// JSON-like texts: random bytes alone rarely get past the first character.
fn jsonish() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"label\""),
        Just("\"properties\""),
        Just("\"id\""),
        Just("\"outV\""),
        Just("null"),
        Just("1"),
        Just("-1.5e3"),
        Just("\"x\\u0041\""),
        Just("\"links\""),
        Just("\"user_data\""),
    ];
    proptest::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

fn decode_everything(body: &[u8]) {
    if let Ok(vertices) = decode_vertices(body, 5) {
        assert!((1..=5).contains(&vertices.len()));
    }
    let _ = decode_edges(body, 5);
    let _ = decode_vertex(body);
    let _ = decode_edge(body);
    let _ = decode_property_update(body);
    let _ = rest_json::decode_new_property_key(body);
    let _ = rest_json::decode_update_property_key(body);
    let _ = rest_json::decode_new_vertex_label(body);
    let _ = rest_json::decode_update_vertex_label(body);
    let _ = rest_json::decode_new_edge_label(body);
    let _ = rest_json::decode_update_edge_label(body);
    let _ = rest_json::decode_new_index_label(body);
}

proptest! {
    #[test]
    fn no_bytes_make_decoding_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        decode_everything(&body);
    }

    #[test]
    fn no_json_like_text_makes_decoding_panic(body in jsonish()) {
        decode_everything(body.as_bytes());
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let plain = br#"{"label":"person","properties":{"name":"marko"}}"#;
    let marked = [b"\xef\xbb\xbf", &plain[..]].concat();
    assert_eq!(decode_vertex(&marked), decode_vertex(plain));
}
