//! Values and requests as the driver `gremlinpython` 3.8.2 writes them, read and written here.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails where it panics")]

use std::sync::Arc;

use gremlin::{Bytecode, Instruction, Predicate};
use gremlin_codec::graphson::Version;
use gremlin_codec::{CodecError, Response, graph_binary, graphson};
use query_value::{
    Cardinality, Comparison, DateTime, Direction, Duration, Edge, ElementKind, Enum, Interval, Order, Path, Property,
    Reference, Scope, T, TextTest, Value, Vertex, VertexProperty,
};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().map(|digit| u8::try_from(digit.to_digit(16).unwrap()).unwrap()).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

fn vertex(id: i32) -> Value {
    Vertex { id: Value::Int(id), label: "person".into(), properties: None }.into()
}

fn reference(id: i32) -> Reference {
    Reference { kind: ElementKind::Vertex, id: Value::Int(id), label: "person".into() }
}

/// A value, how GraphBinary writes it, and how GraphSON 3 does.
fn vectors() -> Vec<(Value, &'static str, &'static str)> {
    let path = Path { objects: vec![Value::Int(1), Value::Int(2)], labels: vec![vec!["a".into()], Vec::new()] };
    let edge =
        Edge { id: Value::Int(7), label: "knows".into(), source: reference(1), target: reference(2), properties: None };
    let name =
        VertexProperty { id: Value::Long(3), key: "name".into(), value: "marko".into(), meta: Vec::new(), owner: None };
    let moment = DateTime::parse("2020-01-02T03:04:05Z").unwrap();
    let large: bigdecimal::num_bigint::BigInt = "1180591620717411303424".parse().unwrap();
    vec![
        (Value::Int(1), "010000000001", r#"{"@type":"g:Int32","@value":1}"#),
        (Value::Long(2), "02000000000000000002", r#"{"@type":"g:Int64","@value":2}"#),
        ("é".into(), "030000000002c3a9", "\"é\""),
        (Value::Bool(true), "270001", "true"),
        (Value::Null, "fe01", "null"),
        (Value::Double(1.5), "07003ff8000000000000", r#"{"@type":"g:Double","@value":1.5}"#),
        (Value::Double(f64::NAN), "07007ff8000000000000", r#"{"@type":"g:Double","@value":"NaN"}"#),
        (
            Value::Uuid(0x41d2_e28a_20a4_4ab0_b379_d810_dede_3786),
            "0c0041d2e28a20a44ab0b379d810dede3786",
            r#"{"@type":"g:UUID","@value":"41d2e28a-20a4-4ab0-b379-d810dede3786"}"#,
        ),
        (
            Value::list([Value::Int(1), "a".into()]),
            "09000000000201000000000103000000000161",
            r#"{"@type":"g:List","@value":[{"@type":"g:Int32","@value":1},"a"]}"#,
        ),
        (
            Value::set([Value::Int(1)]),
            "0b0000000001010000000001",
            r#"{"@type":"g:Set","@value":[{"@type":"g:Int32","@value":1}]}"#,
        ),
        (
            Value::map([("a".into(), Value::Int(1))]),
            "0a000000000103000000000161010000000001",
            r#"{"@type":"g:Map","@value":["a",{"@type":"g:Int32","@value":1}]}"#,
        ),
        (
            vertex(1),
            "110001000000000100000006706572736f6efe01",
            r#"{"@type":"g:Vertex","@value":{"id":{"@type":"g:Int32","@value":1},"label":"person"}}"#,
        ),
        (
            edge.into(),
            "0d00010000000007000000056b6e6f777301000000000200000006706572736f6e\
             01000000000100000006706572736f6efe01fe01",
            r#"{"@type":"g:Edge","@value":{"id":{"@type":"g:Int32","@value":7},"label":"knows","inVLabel":"person","outVLabel":"person","inV":{"@type":"g:Int32","@value":2},"outV":{"@type":"g:Int32","@value":1}}}"#,
        ),
        (
            name.into(),
            "120002000000000000000003000000046e616d650300000000056d61726b6ffe01fe01",
            r#"{"@type":"g:VertexProperty","@value":{"id":{"@type":"g:Int64","@value":3},"value":"marko","label":"name"}}"#,
        ),
        (
            Property { key: "since".into(), value: Value::Int(2009), owner: None }.into(),
            "0f000000000573696e63650100000007d9fe01",
            r#"{"@type":"g:Property","@value":{"key":"since","value":{"@type":"g:Int32","@value":2009}}}"#,
        ),
        (
            path.into(),
            "0e000900000000020b0000000001030000000001610b0000000000090000000002010000000001010000000002",
            r#"{"@type":"g:Path","@value":{"labels":{"@type":"g:List","@value":[{"@type":"g:Set","@value":["a"]},{"@type":"g:Set","@value":[]}]},"objects":{"@type":"g:List","@value":[{"@type":"g:Int32","@value":1},{"@type":"g:Int32","@value":2}]}}}"#,
        ),
        (
            moment.into(),
            "8800000007e4010200000a0b9d4d320000000000",
            r#"{"@type":"gx:OffsetDateTime","@value":"2020-01-02T03:04:05Z"}"#,
        ),
        (
            Duration { seconds: 5, nanoseconds: 7_000_000 }.into(),
            "81000000000000000005006acfc0",
            r#"{"@type":"gx:Duration","@value":"PT5.007S"}"#,
        ),
        (
            large.into(),
            "230000000009400000000000000000",
            r#"{"@type":"gx:BigInteger","@value":1180591620717411303424}"#,
        ),
        (Value::Bytes(Arc::from([1, 2, 3])), "250000000003010203", r#"{"@type":"gx:ByteBuffer","@value":"AQID"}"#),
        (Value::Byte(3), "240003", r#"{"@type":"gx:Byte","@value":3}"#),
        (Value::Char('x'), "800078", r#"{"@type":"gx:Char","@value":"x"}"#),
        (Enum::T(T::Id).into(), "20000300000000026964", r#"{"@type":"g:T","@value":"id"}"#),
        (Enum::Scope(Scope::Local).into(), "1f000300000000056c6f63616c", r#"{"@type":"g:Scope","@value":"local"}"#),
        (
            Enum::Cardinality(Cardinality::Set).into(),
            "1600030000000003736574",
            r#"{"@type":"g:Cardinality","@value":"set"}"#,
        ),
        (Enum::Order(Order::Desc).into(), "1a0003000000000464657363", r#"{"@type":"g:Order","@value":"desc"}"#),
        (Enum::Direction(Direction::Out).into(), "18000300000000034f5554", r#"{"@type":"g:Direction","@value":"OUT"}"#),
    ]
}

#[test]
fn values_are_written_as_the_driver_writes_them() {
    for (value, hex, json) in vectors() {
        let mut out = Vec::new();
        graph_binary::write(&value, &mut out).unwrap();
        assert_eq!(out, bytes(hex), "{value:?}");
        let mut out = String::new();
        graphson::write(&value, Version::V3, &mut out);
        assert_eq!(out, json);
    }
}

#[test]
fn values_are_read_as_the_driver_writes_them() {
    for (value, hex, json) in vectors() {
        for read in [graph_binary::read(&bytes(hex)), graphson::read(json.as_bytes())] {
            if matches!(value, Value::Property(_) | Value::Path(_)) {
                assert!(matches!(read, Err(CodecError::Misplaced { .. })), "{read:?}");
            } else {
                assert_eq!(read.unwrap().to_plain().unwrap(), value);
            }
        }
    }
}

#[test]
fn no_part_of_a_value_is_one() {
    for (value, hex, _) in vectors() {
        let whole = bytes(hex);
        for end in 0..whole.len() {
            assert!(graph_binary::read(&whole[..end]).is_err(), "{value:?} of {end} bytes");
        }
        let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
        assert!(graph_binary::read(&longer).is_err());
    }
}

#[test]
fn predicates_are_read() {
    let gt = |number| Predicate::Compare(Comparison::Gt, gremlin::Value::Int(number));
    let lt = |number| Predicate::Compare(Comparison::Lt, gremlin::Value::Int(number));
    let (one, two) = (gremlin::Value::Int(1), gremlin::Value::Int(2));
    let vectors = [
        (
            gt(3),
            "1e0000000002677400000001010000000003",
            r#"{"@type":"g:P","@value":{"predicate":"gt","value":{"@type":"g:Int32","@value":3}}}"#,
        ),
        (
            Predicate::Within(vec![one.clone(), two.clone()]),
            "1e000000000677697468696e00000002010000000001010000000002",
            r#"{"@type":"g:P","@value":{"predicate":"within","value":{"@type":"g:List","@value":[{"@type":"g:Int32","@value":1},{"@type":"g:Int32","@value":2}]}}}"#,
        ),
        (
            Predicate::And(vec![gt(1), lt(3)]),
            "1e0000000003616e64000000021e00000000026774000000010100000000011e00000000026c7400000001010000000003",
            r#"{"@type":"g:P","@value":{"predicate":"and","value":[{"@type":"g:P","@value":{"predicate":"gt","value":{"@type":"g:Int32","@value":1}}},{"@type":"g:P","@value":{"predicate":"lt","value":{"@type":"g:Int32","@value":3}}}]}}"#,
        ),
        (
            Predicate::Range(Interval::Between, one, two),
            "1e00000000076265747765656e00000002010000000001010000000002",
            r#"{"@type":"g:P","@value":{"predicate":"between","value":[{"@type":"g:Int32","@value":1},{"@type":"g:Int32","@value":2}]}}"#,
        ),
        (
            Predicate::Text(TextTest::StartingWith, gremlin::Value::Text("a".into())),
            "28000000000c7374617274696e67576974680000000103000000000161",
            r#"{"@type":"g:TextP","@value":{"predicate":"startingWith","value":"a"}}"#,
        ),
    ];
    for (predicate, hex, json) in vectors {
        let expected = gremlin::Value::Predicate(Box::new(predicate));
        assert_eq!(graph_binary::read(&bytes(hex)).unwrap(), expected);
        assert_eq!(graphson::read(json.as_bytes()).unwrap(), expected);
    }
}

const ID: u128 = 0x41d2_e28a_20a4_4ab0_b379_d810_dede_3786;

#[test]
fn requests_are_read() {
    let bytecode = "8141d2e28a20a44ab0b379d810dede37860000000862797465636f64650000000974726176657273616c00000002\
        0300000000076772656d6c696e15000000000200000001560000000000000005636f756e74000000000000000003\
        0000000007616c69617365730a00000000010300000000016703000000000167";
    let request = graph_binary::read_request(&bytes(bytecode)).unwrap();
    assert_eq!((request.id, request.op.as_str(), request.processor.as_str()), (ID, "bytecode", "traversal"));
    let steps = vec![Instruction::new("V", Vec::new()), Instruction::new("count", Vec::new())];
    let count = gremlin::Value::Bytecode(Box::new(Bytecode { source: Vec::new(), steps }));
    let g = || gremlin::Value::Text("g".into());
    let aliases = || ("aliases".into(), gremlin::Value::Map(vec![(g(), g())]));
    assert_eq!(request.arguments, [("gremlin".into(), count), aliases()]);

    let eval = "8141d2e28a20a44ab0b379d810dede3786000000046576616c00000000000000030300000000076772656d6c696e\
        030000000006672e5628782903000000000862696e64696e67730a00000000010300000000017801000000000103\
        0000000007616c69617365730a00000000010300000000016703000000000167";
    let request = graph_binary::read_request(&bytes(eval)).unwrap();
    assert_eq!((request.id, request.op.as_str(), request.processor.as_str()), (ID, "eval", ""));
    let bindings = gremlin::Value::Map(vec![(gremlin::Value::Text("x".into()), gremlin::Value::Int(1))]);
    let text = gremlin::Value::Text("g.V(x)".into());
    assert_eq!(request.arguments, [("gremlin".into(), text), ("bindings".into(), bindings), aliases()]);

    let json = r#"{"requestId": {"@type": "g:UUID", "@value": "41d2e28a-20a4-4ab0-b379-d810dede3786"},
        "processor": "traversal", "op": "bytecode", "args": {"gremlin": {"@type": "g:Bytecode", "@value": {
        "source": [["withStrategies", {"@type": "g:OptionsStrategy", "@value": {
        "fqcn": "org.apache.tinkerpop.gremlin.process.traversal.strategy.decoration.OptionsStrategy",
        "conf": {"evaluationTimeout": {"@type": "g:Int32", "@value": 500}}}}]],
        "step": [["V", {"@type": "g:Int32", "@value": 1}]]}}, "aliases": {"g": "g"}}}"#;
    let request = graphson::read_request(json.as_bytes()).unwrap();
    assert_eq!((request.id, request.op.as_str(), request.processor.as_str()), (ID, "bytecode", "traversal"));
    let options = gremlin::Strategy {
        name: "OptionsStrategy".into(),
        options: vec![("evaluationTimeout".into(), gremlin::Value::Int(500))],
    };
    let source = vec![Instruction::new("withStrategies", vec![gremlin::Value::Strategy(Box::new(options))])];
    let steps = vec![Instruction::new("V", vec![gremlin::Value::Int(1)])];
    let bytecode = gremlin::Value::Bytecode(Box::new(Bytecode { source, steps }));
    let found = request.arguments.iter().find(|(name, _)| name == "gremlin").map(|(_, value)| value);
    assert_eq!(found, Some(&bytecode));
}

#[test]
fn properties_of_an_element_are_read_past() {
    let property =
        |meta| VertexProperty { id: Value::Long(3), key: "name".into(), value: "marko".into(), meta, owner: None };
    let since = Property { key: "since".into(), value: Value::Int(2009), owner: None };
    let with_properties = Vertex {
        id: Value::Int(1),
        label: "person".into(),
        properties: Some(Arc::new(vec![property(vec![since.clone()]), property(Vec::new())])),
    };
    let edge = Edge {
        id: Value::Int(7),
        label: "knows".into(),
        source: reference(1),
        target: reference(2),
        properties: Some(Arc::new(vec![since])),
    };
    for (value, kind) in [(Value::from(with_properties), ElementKind::Vertex), (edge.into(), ElementKind::Edge)] {
        let (mut binary, mut json) = (Vec::new(), String::new());
        graph_binary::write(&value, &mut binary).unwrap();
        graphson::write(&value, Version::V3, &mut json);
        for read in [graph_binary::read(&binary).unwrap(), graphson::read(json.as_bytes()).unwrap()] {
            let gremlin::Value::Element(element) = &read else { unreachable!("{read:?}") };
            assert_eq!(element.kind, kind);
            assert_eq!(read.to_plain().unwrap(), value);
        }
    }
}

#[test]
fn results_are_written_as_often_as_they_occur_or_with_their_bulk() {
    let answer = |is_bulked| Response {
        id: Some(ID),
        code: 200,
        message: None,
        attributes: Vec::new(),
        rows: vec![(Value::Int(1), 2), (Value::Int(3), 1)],
        is_bulked,
        has_dates: false,
    };
    let (start, end) = ("810041d2e28a20a44ab0b379d810dede3786000000c801", "0000000000000000");
    let one = "010000000001";
    for (is_bulked, rows) in [
        (false, format!("090000000003{one}{one}010000000003")),
        (true, format!("0900000000022100{:016x}{one}2100{:016x}010000000003", 2, 1)),
    ] {
        let mut out = Vec::new();
        graph_binary::write_response(&answer(is_bulked), &mut out).unwrap();
        assert_eq!(out, bytes(&format!("{start}{end}{rows}")));
    }
    let mut out = String::new();
    graphson::write_response(&answer(false), Version::Untyped, &mut out);
    assert_eq!(
        out,
        r#"{"requestId":"41d2e28a-20a4-4ab0-b379-d810dede3786","status":{"message":"","code":200,"attributes":{}},"result":{"data":[1,1,3],"meta":{}}}"#
    );
}

#[test]
fn older_drivers_are_sent_dates() {
    let answer = Response {
        id: None,
        code: 200,
        message: None,
        attributes: Vec::new(),
        rows: vec![(DateTime::parse("1969-12-31T23:59:59.25Z").unwrap().into(), 1)],
        is_bulked: false,
        has_dates: true,
    };
    let (mut binary, mut json) = (Vec::new(), String::new());
    graph_binary::write_response(&answer, &mut binary).unwrap();
    assert!(binary.ends_with(&bytes("0400fffffffffffffd12")));
    graphson::write_response(&answer, Version::V3, &mut json);
    assert!(json.contains(r#"{"@type":"g:Date","@value":-750}"#), "{json}");
}

#[test]
fn what_would_take_much_memory_is_refused() {
    let mut deep = [9, 0, 0, 0, 0, 1].repeat(200);
    deep.extend([0xfe, 1]);
    assert!(matches!(graph_binary::read(&deep), Err(CodecError::TooLarge { limit: "NESTING_MAX", .. })));
    let json = "[".repeat(200);
    assert!(matches!(graphson::read(json.as_bytes()), Err(CodecError::Json { .. })));
    let many = format!("[{}0]", "0,".repeat(gremlin_codec::limits::ITEMS_MAX));
    assert!(matches!(graphson::read(many.as_bytes()), Err(CodecError::TooLarge { limit: "ITEMS_MAX", .. })));
    let text = format!("{{\"gremlin\":\"{}\"}}", ",".repeat(gremlin_codec::limits::ITEMS_MAX + 1));
    assert!(graphson::read(text.as_bytes()).is_ok());
    let claimed = bytes("09007fffffff");
    assert_eq!(graph_binary::read(&claimed), Err(CodecError::End));
}
