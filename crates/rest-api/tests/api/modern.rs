//! What the tests of traversers share: the edges of the documented graph of six vertices, and calls of
//! `traversers/...`.

use serde_json::{Value, json};

use crate::server::{Answer, G, Server};

/// A batch of edges: marko knows vadas and josh and, like josh and peter, created lop; josh created ripple, too.
pub(crate) fn edges() -> Value {
    let edges = [
        ("knows", "1:marko", "1:vadas", 0.5),
        ("knows", "1:marko", "1:josh", 1.0),
        ("created", "1:marko", "2:lop", 0.4),
        ("created", "1:josh", "2:ripple", 1.0),
        ("created", "1:josh", "2:lop", 0.4),
        ("created", "1:peter", "2:lop", 0.2),
    ];
    let edge = |(label, source, target, weight): (&str, &str, &str, f64)| {
        let target_label = if target.starts_with('1') { "person" } else { "software" };
        json!({
            "label": label, "outV": source, "outVLabel": "person", "inV": target, "inVLabel": target_label,
            "properties": {"weight": weight}
        })
    };
    edges.into_iter().map(edge).collect()
}

pub(crate) fn get(server: &Server, path: &str) -> Answer {
    server.get(&format!("{G}/traversers/{path}"))
}

pub(crate) fn post(server: &Server, path: &str, body: &Value) -> Answer {
    server.post(&format!("{G}/traversers/{path}"), &body.to_string())
}
