//! Values and messages come back as they were written, and the bytes are those of the specification.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it panics")]

use std::sync::Arc;
use std::time::Duration as Time;

use bolt_codec::{Answer, CodecError, Dialect, Extra, Fetch, Request, Run, Version, pack, record};
use cypher_value::{
    Date, DateTime, Duration, ElementId, LocalDateTime, LocalTime, Map, Node, NodeContent, Path, Point, Relationship,
    Value,
};
use proptest::prelude::*;

fn utc() -> Dialect {
    Dialect::of(Version::new(5, 8))
}

fn old() -> Dialect {
    Dialect::of(Version::new(4, 4))
}

fn bytes(value: &Value, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    pack::value(&mut out, value, dialect);
    out
}

fn back(value: &Value, dialect: Dialect) -> Value {
    let bytes = bytes(value, dialect);
    let mut reader = pack::Reader::of_server(&bytes, dialect);
    let read = reader.value().unwrap_or_else(|error| panic!("{value:?}: {error}"));
    reader.finish().unwrap();
    read
}

#[test]
fn integers_take_the_smallest_form() {
    for (number, expected) in [
        (0, &[0x00][..]),
        (-16, &[0xF0]),
        (127, &[0x7F]),
        (-17, &[0xC8, 0xEF]),
        (-128, &[0xC8, 0x80]),
        (128, &[0xC9, 0x00, 0x80]),
        (-32_768, &[0xC9, 0x80, 0x00]),
        (32_768, &[0xCA, 0x00, 0x00, 0x80, 0x00]),
        (2_147_483_648, &[0xCB, 0, 0, 0, 0, 0x80, 0, 0, 0]),
        (i64::MIN, &[0xCB, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(bytes(&Value::Integer(number), utc()), expected, "{number}");
        assert_eq!(back(&Value::Integer(number), utc()), Value::Integer(number));
    }
}

#[test]
fn lengths_grow_with_what_they_count() {
    for (length, header) in [(15, 1), (16, 2), (255, 2), (256, 3), (65_535, 3), (65_536, 5)] {
        let text = Value::from("x".repeat(length));
        assert_eq!(bytes(&text, utc()).len(), length + header);
        assert_eq!(back(&text, utc()), text);
        let list = Value::list(vec![Value::Null; length]);
        assert_eq!(bytes(&list, utc()).len(), length + header);
        assert_eq!(back(&list, utc()), list);
        let map = Value::map((0..length).map(|at| (at.to_string().into(), Value::Null)).collect());
        assert_eq!(back(&map, utc()), map);
    }
    assert_eq!(bytes(&Value::Bytes(Arc::from([7])), utc()), [0xCC, 1, 7]);
}

#[test]
fn moments_carry_utc_or_the_clocks_time() {
    let stockholm =
        DateTime { seconds: 1_000_000_000, nanoseconds: 5, offset: 7_200, zone: Some("Europe/Stockholm".into()) };
    let offset = DateTime { seconds: -1, nanoseconds: 0, offset: -3_600, zone: None };
    for dialect in [utc(), old(), Dialect { is_utc: true, ..old() }] {
        for moment in [&stockholm, &offset] {
            let value = Value::from(moment.clone());
            let Value::DateTime(read) = back(&value, dialect) else { panic!("a moment") };
            assert_eq!(*read, *moment, "{dialect:?}");
        }
    }
    assert_eq!(bytes(&offset.clone().into(), utc())[..3], [0xB3, b'I', 0xFF]);
    assert_eq!(bytes(&offset.into(), old())[..2], [0xB3, b'F']);
}

#[test]
fn a_moment_of_the_other_kind_is_refused() {
    let moment = Value::from(DateTime { seconds: 0, nanoseconds: 0, offset: 0, zone: None });
    let bytes = bytes(&moment, utc());
    let error = pack::Reader::of_client(&bytes, old()).value().unwrap_err();
    assert_eq!(error.to_string(), "the structure 0x49 with 3 fields is unknown in Bolt 4.4");
}

#[test]
fn other_structures_come_back() {
    for value in [
        Value::from(Date { epoch_day: -365_000_000_000 }),
        LocalTime { nanoseconds: 86_399_999_999_999 }.into(),
        cypher_value::Time { nanoseconds: 1, offset: -64_800 }.into(),
        LocalDateTime { seconds: i64::MIN, nanoseconds: 999_999_999 }.into(),
        Duration { months: -1, days: 2, seconds: -3, nanoseconds: 4 }.into(),
        Point { srid: 7203, x: 1.5, y: -2.5, z: None }.into(),
        Point { srid: 4979, x: 1.0, y: 2.0, z: Some(3.0) }.into(),
    ] {
        for dialect in [utc(), old()] {
            assert_eq!(format!("{:?}", back(&value, dialect)), format!("{value:?}"));
        }
    }
    // -3 s and -4 ns, as Python's driver sends it.
    let bytes = [0xB4, b'E', 0x00, 0x00, 0xFD, 0xFC];
    let read = pack::Reader::of_client(&bytes, utc()).value().unwrap();
    assert_eq!(read, Duration { months: 0, days: 0, seconds: -4, nanoseconds: 999_999_996 }.into());
    for (bytes, expected) in [
        (&[0xB1, b't', 0xFF][..], "-1 instead of nanoseconds of a day"),
        (
            &[0xB2, b'T', 0x00, 0xCA, 0x00, 0x01, 0x00, 0x00],
            "65536 instead of an offset of at most 18 hours, in seconds",
        ),
        (&[0xB3, b'X', 0x01, 0x01, 0x01], "INTEGER instead of a coordinate as a float"),
        (&[0xB3, b'i', 0x00, 0x00, 0x84, b'M', b'a', b'r', b's'], "Mars instead of the name of a known time zone"),
        (&[0xC4], "0xC4 begins no value of PackStream 1"),
        (&[0xA1, 0x01, 0x01], "INTEGER instead of a text as a key"),
        (&[0x82, 0xFF, 0xFF], "a text is not UTF-8"),
        (&[0xD6, 0xFF, 0xFF, 0xFF, 0xFF], "the message ends within a value"),
        (&[0xB1, b'N', 0x00], "a node cannot be a parameter"),
    ] {
        let error = pack::Reader::of_client(bytes, utc()).value().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

fn node(id: i64, label: &str) -> Arc<Node> {
    let properties = Map::from_iter([("x".into(), Value::Integer(id))]);
    let content = NodeContent { labels: Arc::from([label.into()]), properties: Arc::new(properties) };
    Arc::new(Node { content: Some(content), ..Node::reference(ElementId::Number(id)) })
}

fn between(id: i64, start: &Arc<Node>, end: &Arc<Node>) -> Arc<Relationship> {
    Arc::new(Relationship {
        id: ElementId::Number(id),
        element_id: id.to_string().into(),
        kind: "R".into(),
        start: Arc::clone(start),
        end: Arc::clone(end),
        properties: Some(Arc::default()),
    })
}

#[test]
fn elements_have_the_fields_of_the_version() {
    let (a, b) = (node(1, "A"), node(2, "B"));
    let relationship = between(7, &a, &b);
    assert_eq!(bytes(&Value::Node(Arc::clone(&a)), utc())[..2], [0xB4, b'N']);
    assert_eq!(bytes(&Value::Node(Arc::clone(&a)), old())[..2], [0xB3, b'N']);
    assert_eq!(bytes(&Value::Relationship(Arc::clone(&relationship)), utc())[..2], [0xB8, b'R']);
    assert_eq!(bytes(&Value::Relationship(Arc::clone(&relationship)), old())[..2], [0xB5, b'R']);
    for dialect in [utc(), old()] {
        let Value::Node(read) = back(&Value::Node(Arc::clone(&a)), dialect) else { panic!("a node") };
        assert_eq!((read.element_id.as_str(), read.labels()), ("1", &["A".into()][..]));
        let Value::Relationship(read) = back(&Value::Relationship(Arc::clone(&relationship)), dialect) else {
            panic!("a relationship")
        };
        assert_eq!((read.start.element_id.as_str(), read.end.element_id.as_str()), ("1", "2"));
    }
}

#[test]
fn ids_that_are_texts_have_stable_numbers() {
    let number = |id: &str| {
        let node = Node::reference(ElementId::Text(id.into()));
        let Value::Node(read) = back(&node.into(), utc()) else { panic!("a node") };
        assert_eq!(read.element_id, id);
        read.id.clone()
    };
    assert_eq!(number("12"), ElementId::Number(12));
    assert_eq!(number("1:marko"), number("1:marko"));
    assert!(matches!(number("1:marko"), ElementId::Number(number) if number > 0));
    assert_ne!(number("1:marko"), number("1:josh"));
}

#[test]
fn a_path_names_each_element_once() {
    let (a, b, c) = (node(1, "A"), node(2, "B"), node(3, "C"));
    let (r, s) = (between(10, &b, &a), between(11, &b, &c));
    // a <-r- b -s-> c <-s- b: the second relationship is walked twice.
    let path =
        Path { nodes: [&a, &b, &c, &b].map(Arc::clone).to_vec(), relationships: [&r, &s, &s].map(Arc::clone).to_vec() };
    let bytes = bytes(&path.clone().into(), utc());
    assert_eq!(bytes[..3], [0xB3, b'P', 0x93]);
    assert_eq!(bytes[bytes.len() - 7..], [0x96, 0xFF, 1, 2, 2, 0xFE, 1]);
    assert_eq!(back(&path.clone().into(), utc()), path.into());
}

#[test]
fn nesting_and_numbers_of_values_are_bounded() {
    let deep = [vec![0x91; 200], vec![0x00]].concat();
    let error = pack::Reader::of_client(&deep, utc()).value().unwrap_err();
    assert!(matches!(error, CodecError::TooLarge { limit: "NESTING_MAX", .. }), "{error}");
    let mut many = vec![0xD6];
    many.extend_from_slice(&2_000_000_u32.to_be_bytes());
    many.resize(2_000_005, 0xC0);
    let error = pack::Reader::of_client(&many, utc()).value().unwrap_err();
    assert!(matches!(error, CodecError::TooLarge { limit: "VALUES_MAX", .. }), "{error}");
}

#[test]
fn requests_come_back() {
    let extra = Extra {
        bookmarks: vec!["a".into()],
        timeout: Some(Time::from_millis(1_500)),
        is_read: true,
        database: Some("movies".into()),
        ..Extra::default()
    };
    let run = Run { text: "RETURN $x".into(), parameters: Map::from_iter([("x".into(), Value::Float(1.0))]), extra };
    for request in [
        Request::Hello(Box::default()),
        Request::Run(Box::new(run)),
        Request::Pull(Fetch { rows: Some(1_000), query: Some(2) }),
        Request::Discard(Fetch { rows: None, query: None }),
        Request::Begin(Extra::default()),
        Request::Commit,
        Request::Rollback,
        Request::Reset,
        Request::Route(bolt_codec::Route { database: Some("x".into()), ..bolt_codec::Route::default() }),
        Request::Goodbye,
    ] {
        for dialect in [utc(), old()] {
            let mut bytes = Vec::new();
            request.write(&mut bytes, dialect);
            let read = Request::read(&bytes, dialect).unwrap();
            assert_eq!(format!("{read:?}"), format!("{request:?}"));
            assert_eq!(bolt_codec::is_reset(&bytes), matches!(request, Request::Reset));
        }
    }
    let mut bytes = Vec::new();
    Request::Logoff.write(&mut bytes, utc());
    assert!(Request::read(&bytes, utc()).is_ok());
    assert!(matches!(Request::read(&bytes, old()), Err(CodecError::Structure { tag: 0x6B, .. })));
    // PULL of no rows, and one of another shape.
    assert!(Request::read(&[0xB1, 0x3F, 0xA1, 0x81, b'n', 0x00], utc()).is_err());
    assert!(Request::read(&[0xB1, 0x3F, 0x01], utc()).is_err());
}

#[test]
fn passwords_are_not_printed() {
    let credentials =
        bolt_codec::Credentials { credentials: Some("secret".into()), ..bolt_codec::Credentials::default() };
    assert!(!format!("{:?}", Request::Logon(credentials)).contains("secret"));
}

#[test]
fn a_dictionary_may_become_long() {
    for count in [15_u8, 16, 40] {
        let mut out = Vec::new();
        bolt_codec::success(&mut out, |map| {
            for at in 0..count {
                map.integer(&at.to_string(), i64::from(at));
            }
        });
        let Ok(Answer::Success(map)) = Answer::read(&out, utc()) else { panic!("success") };
        assert_eq!(map.len(), usize::from(count));
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| Value::Bytes(bytes.into())),
    ];
    leaf.prop_recursive(4, 60, 20, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..20).prop_map(Value::list),
            proptest::collection::vec((".{0,20}", inner), 0..20)
                .prop_map(|pairs| Value::map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_row_comes_back(row in proptest::collection::vec(any_value(), 0..5)) {
        let mut out = Vec::new();
        record(&mut out, &row, utc());
        let Ok(Answer::Record(read)) = Answer::read(&out, utc()) else { panic!("a row") };
        prop_assert_eq!(read, row);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(Request::read(&bytes, utc()));
        drop(Answer::read(&bytes, old()));
    }
}
