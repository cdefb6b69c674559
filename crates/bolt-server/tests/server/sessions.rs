//! Sessions of released drivers with Neo4j's server, recorded: the same messages get the same answers here.

use std::collections::{BTreeMap, HashMap};
use std::net::Shutdown;

use bolt_codec::{Answer, MAGIC, message, pack};
use cypher_value::{ElementId, Value};
use serde_json::{Deserializer, Value as Json, json};

use super::client::{Client, Server};
use super::memory::Memory;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => number.as_i64().map_or_else(|| number.as_f64().unwrap().into(), Value::Integer),
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => Value::list(items.iter().map(of_json).collect()),
        Json::Object(entries) => Value::map(entries.iter().map(|(key, value)| (key.into(), of_json(value))).collect()),
    }
}

fn number(id: &ElementId) -> Json {
    match id {
        ElementId::Number(number) => json!(number),
        other => json!(other.to_string()),
    }
}

/// A value in the form of the recordings.
fn to_json(value: &Value) -> Json {
    let map = |map: Option<&cypher_value::Map>| {
        let entries = map.into_iter().flatten().map(|(key, value)| (key.to_string(), to_json(value)));
        Json::Object(entries.collect())
    };
    match value {
        Value::Null => Json::Null,
        Value::Boolean(flag) => json!(flag),
        Value::Integer(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::String(text) => json!(text.as_str()),
        Value::List(items) => Json::Array(items.iter().map(to_json).collect()),
        Value::Map(entries) => map(Some(entries)),
        Value::Node(node) => {
            let labels: Vec<&str> = node.labels().iter().map(|label| label.as_str()).collect();
            json!({"#": "N", "f": [number(&node.id), labels, map(node.properties()), node.element_id.as_str()]})
        }
        Value::Relationship(of) => json!({"#": "R", "f": [
            number(&of.id), number(&of.start.id), number(&of.end.id), of.kind.as_str(), map(of.properties()),
            of.element_id.as_str(), of.start.element_id.as_str(), of.end.element_id.as_str()
        ]}),
        other => panic!("{other:?} is in no recording"),
    }
}

/// What differs from run to run, and what says who the server is.
fn comparable(name: &str, mut json: Json) -> (String, Json) {
    if let Json::Object(entries) = &mut json {
        for volatile in ["t_first", "t_last", "bookmark", "connection_id", "server"] {
            if let Some(value) = entries.get_mut(volatile) {
                *value = json!("*");
            }
        }
        // It says to which address the driver came, which the server behind it cannot know.
        entries.remove("advertised_address");
        if name == "FAILURE" {
            entries.retain(|key, _| matches!(key.as_str(), "neo4j_code" | "message"));
        }
    }
    // In a stable order.
    let sorted: BTreeMap<String, Json> = match json {
        Json::Object(entries) => entries.into_iter().collect(),
        other => return (name.to_owned(), other),
    };
    (name.to_owned(), json!(sorted))
}

fn tag(name: &str) -> u8 {
    match name {
        "HELLO" => 0x01,
        "GOODBYE" => 0x02,
        "RESET" => 0x0F,
        "RUN" => 0x10,
        "BEGIN" => 0x11,
        "COMMIT" => 0x12,
        "ROLLBACK" => 0x13,
        "DISCARD" => 0x2F,
        "PULL" => 0x3F,
        "ROUTE" => 0x66,
        "LOGON" => 0x6A,
        other => panic!("{other} is in no recording"),
    }
}

fn fields(rest: &str) -> Vec<Json> {
    Deserializer::from_str(rest).into_iter::<Json>().collect::<Result<_, _>>().unwrap()
}

fn client_line(clients: &mut HashMap<char, Client>, server: &Server, who: char, line: &str) {
    if let Some(rest) = line.strip_prefix("handshake ") {
        let mut client = Client::raw(server);
        client.send_bytes(&hex(rest));
        assert_eq!(hex(rest)[..4], MAGIC);
        clients.insert(who, client);
        return;
    }
    let client = clients.get_mut(&who).unwrap();
    if let Some(rest) = line.strip_prefix("picks ") {
        let version = rest.split(' ').next().unwrap();
        client.send_bytes(&[hex(version), vec![0]].concat());
        return;
    }
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let fields = fields(rest);
    let (mut bytes, dialect) = (Vec::new(), client.dialect);
    message(&mut bytes, |out| {
        pack::structure_header(out, tag(name), u8::try_from(fields.len()).unwrap());
        for field in &fields {
            pack::value(out, &of_json(field), dialect);
        }
    });
    client.send_bytes(&bytes);
}

fn server_line(clients: &mut HashMap<char, Client>, who: char, line: &str) {
    let client = clients.get_mut(&who).unwrap();
    if line.starts_with("handshake ") {
        // Neo4j's server also takes 4.0 to 4.3.
        assert_eq!(client.take_bytes(18), hex("000001ff 03 00000404 00040405 00020805 00"));
        return;
    }
    if line == "closed" {
        client.stream.shutdown(Shutdown::Write).ok();
        assert!(client.is_closed());
        return;
    }
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let expected = fields(rest).into_iter().next().unwrap_or_else(|| json!({}));
    let (found_name, found) = match client.next() {
        Answer::Success(map) => ("SUCCESS", to_json(&Value::map(map))),
        Answer::Failure(map) => ("FAILURE", to_json(&Value::map(map))),
        Answer::Record(row) => ("RECORD", to_json(&Value::list(row))),
        Answer::Ignored => ("IGNORED", json!({})),
    };
    assert_eq!(comparable(found_name, found), comparable(name, expected), "{line}");
}

/// Plays a recording; nodes and relationships are numbered as in it.
fn play(recording: &str, first: i64, edge: i64, parameter: Vec<Value>) {
    let server = Server::start(Memory::new(first, edge, parameter));
    let mut clients = HashMap::new();
    let mut lines = 0;
    for line in recording.lines() {
        let who = line.chars().next().unwrap();
        match line.get(2..5).unwrap() {
            "C: " => client_line(&mut clients, &server, who, line[5..].trim()),
            "S: " => server_line(&mut clients, who, line[5..].trim()),
            other => panic!("{other}"),
        }
        lines += 1;
    }
    assert!(lines > 10);
}

#[test]
fn python() {
    play(include_str!("../sessions/python-5.28.8.txt"), 0, 0, Vec::new());
    play(include_str!("../sessions/python-6.4.1.txt"), 0, 0, Vec::new());
}

#[test]
fn java() {
    play(include_str!("../sessions/java-6.2.1.txt"), 2554, 83, vec![1.into(), 2.5.into()]);
}

#[test]
fn javascript() {
    let parameter = vec![1.0.into(), 2.5.into(), Value::Null];
    play(include_str!("../sessions/javascript-6.3.0.txt"), 2552, 82, parameter);
}

#[test]
fn go() {
    play(include_str!("../sessions/go-5.28.4.txt"), 0, 0, Vec::new());
}

#[test]
fn cypher_shell() {
    play(include_str!("../sessions/cypher-shell-5.26.30-direct.txt"), 0, 0, Vec::new());
    play(include_str!("../sessions/cypher-shell-5.26.30-routed.txt"), 0, 0, Vec::new());
}
