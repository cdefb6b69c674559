//! Path patterns of several elements that are repeated, beside the same paths written out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it panics")]

use std::sync::Arc;

use cypher_exec::{Execution, Prepared, Procedures, Settings};
use cypher_value::{Map, Value, to_text};
use graph_access::{Budget, GraphWrite as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_store::GraphReader;
use kv::MemoryEngine;

struct Graph {
    graph: Arc<HostedGraph>,
    _store: Store,
    procedures: Arc<Procedures>,
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(",")),
        other => to_text(other).map_or_else(|| format!("{other:?}"), |text| text.to_string()),
    }
}

impl Graph {
    fn new(create: &str) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default());
        let store = store.unwrap();
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        let graph = store.create_graph("auto", &conf).unwrap();
        let own = Self { graph, _store: store, procedures: Arc::default() };
        let prepared = Arc::new(Prepared::new(create, &own.procedures).unwrap());
        let budget = Budget::unlimited();
        let mut unit = Box::new(own.graph.transaction(&budget));
        Execution::writing(&prepared, Map::default(), &mut *unit, &Settings::default()).unwrap().finish().unwrap();
        unit.commit().unwrap();
        own
    }

    fn rows(&self, text: &str) -> Vec<String> {
        let prepared = Prepared::new(text, &self.procedures).unwrap_or_else(|error| panic!("{text}: {error}"));
        let prepared = Arc::new(prepared);
        let budget = Budget::unlimited();
        let reader = GraphReader::new(&self.graph, &self.graph.catalogue(), &budget);
        let mut execution = Execution::reading(&prepared, Map::default(), &reader, &Settings::default()).unwrap();
        let mut rows = Vec::new();
        loop {
            let before = rows.len();
            execution.next_batch(&mut rows, 100).unwrap();
            if rows.len() == before {
                break;
            }
        }
        let mut rows: Vec<String> =
            rows.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>().join(" ")).collect();
        rows.sort();
        rows
    }

    fn refused(&self, text: &str) -> String {
        Prepared::new(text, &self.procedures).map(drop).unwrap_err().message
    }
}

/// A ring of five with a way across, and values that rise along it.
fn ring() -> Graph {
    Graph::new(
        "CREATE (a:S {x: 1}), (b:S:T {x: 2}), (c:S {x: 3}), (d:S:T {x: 4}), (e:S {x: 5}), \
         (a)-[:R {w: 1}]->(b), (b)-[:R {w: 2}]->(c), (c)-[:R {w: 3}]->(d), (d)-[:R {w: 4}]->(e), \
         (e)-[:R {w: 5}]->(a), (b)-[:R {w: 6}]->(d)",
    )
}

#[test]
fn repeated_parts_are_the_same_as_written_out() {
    let graph = ring();
    let each = "RETURN x.x AS x, [n IN a | n.x] AS a, [n IN b | n.x] AS b, [t IN r | t.w] AS r, y.x AS y";
    let once = graph
        .rows("MATCH (x)-[r1:R]->(b1)-[s1:R]->(y) RETURN x.x AS x, [x.x] AS a, [b1.x] AS b, [r1.w] AS r, y.x AS y");
    let twice = graph.rows(
        "MATCH (x)-[r1:R]->(b1)-[:R]->(c1)-[r2:R]->(b2)-[:R]->(y) \
         RETURN x.x AS x, [x.x, c1.x] AS a, [b1.x, b2.x] AS b, [r1.w, r2.w] AS r, y.x AS y",
    );
    assert!(!once.is_empty() && !twice.is_empty());
    let mut both = [once.clone(), twice.clone()].concat();
    both.sort();
    let repeated = |quantifier: &str, rest: &str| {
        graph.rows(&format!("MATCH (x) ((a)-[r:R]->(b)-[:R]->(c)){quantifier} (y) {rest} {each}"))
    };
    assert_eq!(repeated("{1}", ""), once);
    assert_eq!(repeated("{2}", ""), twice);
    assert_eq!(repeated("{1,2}", ""), both);
    assert_eq!(repeated("{,2}", "WHERE size(a) > 0"), both);
    // Searched from the end on, where that is known.
    let backwards = "MATCH (y:T {x: 4}) MATCH (x) ((a)-[r:R]->(b)-[:R]->(c)){1,2} (y)";
    let ends_there: Vec<String> = both.iter().filter(|row| row.ends_with(" 4")).cloned().collect();
    assert_eq!(graph.rows(&format!("{backwards} {each}")), ends_there);
    assert!(!ends_there.is_empty());
}

#[test]
fn relationships_are_different_and_conditions_hold_each_time() {
    let graph = ring();
    let plus = "MATCH (x {x: 1}) ((a)-[r:R]->(b))+ (y) RETURN [t IN r | t.w]";
    let star = "MATCH (x {x: 1})-[r:R*1..]->(y) RETURN [t IN r | t.w]";
    assert_eq!(graph.rows(plus), graph.rows(star));
    let rising = "MATCH ((a:S)-[r:R]->(b:S) WHERE a.x < b.x){2,4} RETURN [n IN a | n.x], [n IN b | n.x]";
    let written = "MATCH (n)-[r:R*2..4]->() WITH [n] + [t IN r | endNode(t)] AS n \
                   WHERE all(i IN range(1, size(n) - 1) WHERE n[i - 1].x < n[i].x) \
                   RETURN [m IN n[..-1] | m.x], [m IN n[1..] | m.x]";
    assert_eq!(graph.rows(rising), graph.rows(written));
    assert!(!graph.rows(rising).is_empty());
    let labelled = "MATCH (x {x: 1}) ((a)-->(b:T)){1,2} (y) RETURN y.x, [n IN b | n.x]";
    assert_eq!(graph.rows(labelled), ["2 [2]", "4 [2,4]"]);
    let none = "MATCH (x {x: 1}) ((a)-[r]->(b)){0,1} (y) RETURN y.x, size(a), size(r), size(b)";
    assert_eq!(graph.rows(none), ["1 0 0 0", "2 1 1 1"]);
    let outer = "MATCH (o {x: 3}) MATCH ((a)-[r]->(b) WHERE b.x <= o.x){2} RETURN [n IN b | n.x]";
    assert_eq!(graph.rows(outer), ["[1,2]", "[2,3]"]);
    let unlike = "MATCH (x)-[s:R]->(y) ((a)-[r:R]->(b)){5} (z) WHERE s IN r RETURN 1";
    assert!(graph.rows(unlike).is_empty());
}

#[test]
fn paths_optional_matches_and_counts_know_them() {
    let graph = ring();
    let path = "MATCH p = (x {x: 1}) ((a)-->(b)-->(c)){1} (y) RETURN [n IN nodes(p) | n.x], length(p)";
    assert_eq!(graph.rows(path), ["[1,2,3] 2", "[1,2,4] 2"]);
    let optional = "OPTIONAL MATCH (x {x: 1}) ((a)-[:S]->(b)){1,2} (y) RETURN x, a, y";
    assert_eq!(graph.rows(optional), ["null null null"]);
    let count = "MATCH (x) RETURN x.x, COUNT { MATCH (x) ((a)-->(b)-->(c)){1,1} (y) }";
    assert_eq!(graph.rows(count), ["1 2", "2 2", "3 1", "4 1", "5 1"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let graph = ring();
    for (text, why) in [
        ("MATCH ((a)-->(b)) RETURN a", "quantifier"),
        ("MATCH ((a)){2} RETURN a", "at least one relationship"),
        ("MATCH ((a)-[*2]->(b)){2} RETURN a", "another quantifier"),
        ("MATCH (((a)-->(b)){2}(c)){2} RETURN a", "another quantifier"),
        ("MATCH (a) ((a)-->(b)){2} RETURN a", "already"),
        ("CREATE ((a)-[:R]->(b)){2}", "variable length"),
        ("MATCH (x) ((a)-->(b) WHERE y.x = 1){2} (y) RETURN a", "not defined"),
        ("MATCH ANY SHORTEST (x) ((a)-->(b)){1,2} (y) RETURN a", "SHORTEST"),
    ] {
        let message = graph.refused(text);
        assert!(message.contains(why), "{text}: {message}");
    }
}
