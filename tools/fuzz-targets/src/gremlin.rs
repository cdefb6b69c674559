//! Gremlin: scripts, bytecode, and the formats of drivers. Whatever comes, it is read or refused; what was read says
//! the same when it is printed, written and read again.

use gremlin::{Bindings, Expression, Statement, Traversal, Value};
use gremlin_codec::graphson::{self, Version};
use gremlin_codec::{Response, graph_binary};

/// A script: each traversal in it becomes steps and a plan, and its printed form the same steps.
pub(crate) fn gremlin_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(script) = gremlin::parse(text, ["x"]) else { return };
    for statement in &script.statements {
        let (Statement::Expression(expression) | Statement::Return(expression)) = statement else { continue };
        let Expression::Query(query) = expression else { continue };
        if let Some(traversal) = lower(&query.bytecode) {
            planned(&traversal);
            let printed = traversal.to_string();
            let again = gremlin::parse(&printed, []).expect("what is printed is a script");
            let Some(Statement::Expression(Expression::Query(query))) = again.statements.first() else {
                panic!("{printed} is no traversal")
            };
            // Compared as texts, since numbers that are none do not equal themselves.
            assert_eq!(lower(&query.bytecode).expect("steps again").to_string(), printed);
        }
    }
}

/// Bytecode in GraphBinary: its steps become the same bytecode.
pub(crate) fn gremlin_bytecode(bytes: &[u8]) {
    // Type, no null, and the calls.
    let typed: Vec<u8> = [0x15, 0].iter().chain(bytes).copied().collect();
    let Ok(Value::Bytecode(bytecode)) = graph_binary::read(&typed) else { return };
    if let Some(traversal) = lower(&bytecode) {
        planned(&traversal);
        let again = lower(&traversal.to_bytecode()).expect("its bytecode has the same steps");
        assert_eq!(again.to_string(), traversal.to_string());
    }
}

fn lower(bytecode: &gremlin::Bytecode) -> Option<Traversal> {
    let bindings = [("x".into(), Value::Int(1))].into_iter().collect();
    gremlin::lower(bytecode, &mut Bindings(bindings)).ok()
}

fn planned(traversal: &Traversal) {
    if let Ok(plan) = gremlin_plan::plan(traversal) {
        assert!(!query_plan::explain(&plan).is_empty());
    }
}

/// GraphBinary: a request or a value.
pub(crate) fn graph_binary(bytes: &[u8]) {
    let _ = graph_binary::read_request(bytes);
    if let Ok(value) = graph_binary::read(bytes) {
        written(&value);
    }
}

/// GraphSON: a request or a value.
pub(crate) fn graphson(bytes: &[u8]) {
    let _ = graphson::read_request(bytes);
    if let Ok(value) = graphson::read(bytes) {
        written(&value);
    }
}

/// Writes a value in each format, and reads it again where types are written.
fn written(value: &Value) {
    let Ok(plain) = value.to_plain() else { return };
    let mut binary = Vec::new();
    graph_binary::write(&plain, &mut binary).expect("a value that was read is within the format's limits");
    let again = graph_binary::read(&binary).expect("a value that was written");
    assert_eq!(again.to_plain().expect("a value"), plain);
    for version in [Version::V3, Version::V2, Version::Untyped] {
        let mut json = String::new();
        graphson::write(&plain, version, &mut json);
        // Each level of a value takes up to four of JSON, whose parser takes 128.
        if plain.is_nested_within(30) {
            let again = graphson::read(json.as_bytes());
            if version == Version::V3 {
                assert_eq!(again.expect("a value that was written").to_plain().expect("a value"), plain, "{json}");
            }
        }
    }
    let response = Response {
        id: None,
        code: 200,
        message: None,
        attributes: Vec::new(),
        rows: vec![(plain, 2)],
        is_bulked: true,
        has_dates: binary.len().is_multiple_of(2),
    };
    graph_binary::write_response(&response, &mut binary).expect("an answer");
}
