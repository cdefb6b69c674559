//! Algorithms over whole graphs, called from Cypher over a graph in memory.

#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use auth::Caller;
use cypher_session::{Begin, Client, Failure, Gone, GraphQueries, Queries, Statement, Summary, Task};
use cypher_value::{Map, Text, Value};
use graph_analysis::JobState;
use graph_host::{GraphConf, Store, StoreOptions};
use key_codec::tables::TABLES;
use kv::MemoryEngine;
use query_service::{Options, QueryService};

/// Takes all rows of one query.
#[derive(Default)]
struct Taker {
    tasks: VecDeque<Task>,
    rows: Vec<Vec<Value>>,
}

impl Client for Taker {
    fn next(&mut self) -> Option<Task> {
        self.tasks.pop_front()
    }

    fn opened(&mut self, _: &[Text]) {}

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.rows.push(row.to_vec());
        Ok(())
    }

    fn paused(&mut self) {}

    fn ended(&mut self, _: &Summary) {}

    fn committed(&mut self, _: &str) {}

    fn rolled_back(&mut self) {}
}

/// Queries over an auto graph, with so much memory for analyses.
fn queries(bytes_max: u64) -> GraphQueries {
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
    store.create_graph("auto", &conf).unwrap();
    let service = QueryService::new(Arc::new(store), Options::default());
    GraphQueries::new(Arc::new(service)).with_analyses(Some(Arc::new(JobState::new(bytes_max, 2))))
}

const ROOM: u64 = 1 << 30;

fn begin() -> Begin {
    Begin {
        database: "auto".into(),
        caller: Caller::anonymous(),
        is_read: false,
        is_single: true,
        bookmarks: Vec::new(),
        metadata: Map::new(),
        timeout: None,
        interrupt: Arc::default(),
    }
}

fn ask(queries: &GraphQueries, begin: &Begin, text: &str, timeout: Duration) -> Result<Vec<Vec<Value>>, Failure> {
    let statement = Statement { timeout, ..Statement::new(text.into(), Map::new()) };
    let tasks = [Task::Run(statement), Task::Pull { rows: None, query: 0 }].into();
    let mut taker = Taker { tasks, ..Taker::default() };
    queries.transaction(begin, &mut taker)?;
    Ok(taker.rows)
}

const LONG: Duration = Duration::from_secs(60);

/// The rows of a query, as text.
fn rows(queries: &GraphQueries, text: &str) -> Vec<String> {
    let shown = |row: &Vec<Value>| {
        let each =
            row.iter().map(|value| cypher_value::to_text(value).map_or(format!("{value:?}"), |it| it.to_string()));
        each.collect::<Vec<_>>().join(" ")
    };
    ask(queries, &begin(), text, LONG).unwrap().iter().map(shown).collect()
}

fn refused(queries: &GraphQueries, text: &str) -> Failure {
    ask(queries, &begin(), text, LONG).unwrap_err()
}

/// a -> b -> c -> a by LEADS, with weights; d alone; a also has the label Q.
fn circle(bytes_max: u64) -> GraphQueries {
    let queries = queries(bytes_max);
    let made = "CREATE (a:P:Q {n: 'a'})-[:LEADS {w: 2}]->(b:P {n: 'b'})-[:LEADS {w: 0.5}]->(c:P {n: 'c'}), \
                (c)-[:LEADS {w: 1}]->(a), (c)-[:KNOWS]->(b), (:P {n: 'd'})";
    assert!(rows(&queries, made).is_empty());
    queries
}

#[test]
fn an_algorithm_yields_nodes_and_values() {
    let queries = circle(ROOM);
    let found = rows(
        &queries,
        "CALL algo.degree({edge_labels: ['LEADS', 'KNOWS']}) YIELD vertex, degree \
         RETURN vertex.n, degree, labels(vertex) AS l ORDER BY vertex.n",
    );
    assert_eq!(found.len(), 4);
    assert!(found[0].starts_with("a 1 ") && found[2].starts_with("c 2 ") && found[3].starts_with("d 0 "), "{found:?}");
    // A node is a parameter, weights are those of the auto graph, and what is not reached is infinitely far.
    let distances = rows(
        &queries,
        "MATCH (a:Q) CALL algo.sssp({source: a, weight: 'w', edge_labels: 'LEADS'}) YIELD vertex AS v, distance \
         RETURN v.n, distance ORDER BY v.n",
    );
    assert_eq!(distances, ["a 0.0", "b 2.0", "c 2.5", "d Infinity"]);
    let path = rows(
        &queries,
        "MATCH (a {n: 'a'}), (c {n: 'c'}) CALL algo.shortest_path({source: a, target: c}) YIELD path, weight \
         RETURN reduce(s = '', n IN path | s + n.n), weight",
    );
    assert_eq!(path, ["abc 2.0"]);
    // One of several labels, a call alone, and one whose rows are left out.
    assert_eq!(rows(&queries, "CALL algo.degree({vertex_labels: ['Q']}) YIELD degree RETURN count(*)"), ["1"]);
    assert_eq!(ask(&queries, &begin(), "CALL algo.bfs({sources: []})", LONG).unwrap().len(), 4);
    assert_eq!(rows(&queries, "UNWIND [1, 2] AS x CALL algo.wcc() YIELD component RETURN count(*)"), ["8"]);
    assert_eq!(rows(&queries, "CALL algo.cycles() YIELD cycle RETURN count(*)"), ["2"]);
}

#[test]
fn a_query_writes_what_an_algorithm_yields() {
    let queries = circle(ROOM);
    rows(&queries, "CALL algo.scc() YIELD vertex, component SET vertex.part = component");
    let found = rows(&queries, "MATCH (n:P) RETURN n.part = id(n) AS is_first, count(*) ORDER BY is_first");
    assert_eq!(found, ["false 2", "true 2"]);
}

#[test]
fn procedures_are_listed_and_counted() {
    let queries = circle(ROOM);
    let shown =
        rows(&queries, "SHOW PROCEDURES YIELD name, description WHERE name STARTS WITH 'algo.' AND description > ''");
    let algorithms = graph_analysis::algorithms().count();
    assert_eq!(shown.len(), algorithms + 5);
    let listed =
        rows(&queries, "CALL dbms.procedures() YIELD name, signature WHERE name = 'algo.pagerank' RETURN signature");
    assert_eq!(listed, ["algo.pagerank(parameters) :: (vertex, score)"]);
    let own = rows(&queries, "CALL algo.list() YIELD name, columns WHERE name = 'louvain' RETURN columns[1]");
    assert_eq!(own, ["community"]);
    let needed = "CALL algo.estimate('pagerank', {edge_labels: 'LEADS'}) YIELD vertices, edges, run_bytes, fits \
                  RETURN vertices, edges, run_bytes > 0, fits";
    assert_eq!(rows(&queries, needed), ["4 3 true true"]);
    // The names and columns of all are what they yield.
    for algorithm in graph_analysis::algorithms() {
        let count =
            format!("CALL algo.{}({{nonsense: 1}}) YIELD {} RETURN 1", algorithm.name, algorithm.columns.join(", "));
        let failure = refused(&queries, &count);
        assert!(failure.message.contains("nonsense"), "{failure:?}");
    }
}

#[test]
fn copies_are_kept_under_names() {
    let queries = circle(ROOM);
    assert_eq!(rows(&queries, "CALL algo.project({projection: 'p', edge_labels: 'LEADS'}) YIELD edges"), ["3"]);
    rows(&queries, "MATCH (a {n: 'a'}), (d {n: 'd'}) CREATE (a)-[:LEADS]->(d)");
    let sum = "CALL algo.degree({projection: 'p', edge_labels: 'LEADS'}) YIELD degree RETURN sum(degree)";
    assert_eq!(rows(&queries, sum), ["3"]);
    assert_eq!(rows(&queries, "CALL algo.projections() YIELD projection, vertices"), ["p 4"]);
    assert_eq!(rows(&queries, "CALL algo.drop_projection({projection: 'p'}) YIELD dropped"), ["true"]);
    assert_eq!(rows(&queries, sum), ["4"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let queries = circle(ROOM);
    for (call, code, text) in [
        ("algo.nonsense()", "Neo.ClientError.Procedure.ProcedureNotFound", "algo.nonsense"),
        ("algo.pagerank({write_property: 'x'})", "Neo.ClientError.Statement.ArgumentError", "SET"),
        ("algo.pagerank({limit: 3})", "Neo.ClientError.Statement.ArgumentError", "LIMIT"),
        ("algo.pagerank({damping: 'much'})", "Neo.ClientError.Statement.ArgumentError", "damping must be a number"),
        (
            "algo.pagerank({edge_labels: 'NO'})",
            "Neo.ClientError.Statement.ArgumentError",
            "there is no edge label 'NO'",
        ),
        ("algo.sssp()", "Neo.ClientError.Statement.ArgumentError", "Must pass parameter 'source'"),
        ("algo.sssp({source: 12345})", "Neo.ClientError.Statement.ArgumentError", "12345"),
        ("algo.sssp({source: date()})", "Neo.ClientError.Statement.ArgumentError", "source"),
        ("algo.topological_order()", "Neo.ClientError.Statement.ArgumentError", "cycle"),
    ] {
        let failure = refused(&queries, &format!("CALL {call}"));
        assert!(failure.code == code && failure.message.contains(text), "{call}: {failure:?}");
    }
    let small = circle(500);
    let failure = refused(&small, "CALL algo.pagerank()");
    assert!(failure.code == Failure::OUT_OF_MEMORY && failure.message.contains("500 are allowed"), "{failure:?}");
    // What a failed run had taken is free again.
    let (enough, call) = (circle(1_000), "CALL algo.degree() YIELD degree RETURN sum(degree)");
    for _ in 0..5 {
        assert_eq!(rows(&enough, call), ["4"]);
        assert_eq!(refused(&enough, "CALL algo.betweenness()").code, Failure::OUT_OF_MEMORY);
    }
}

#[test]
fn an_algorithm_stops_in_time_and_when_it_is_told() {
    let queries = queries(ROOM);
    let grid = "UNWIND range(0, 1499) AS i CREATE (:V {i: i}) WITH count(*) AS c MATCH (a:V) \
                UNWIND range(1, 20) AS k MATCH (b:V {i: (a.i * 7 + k * 31) % 1500}) CREATE (a)-[:E]->(b)";
    let small = grid.replace("1499", "149").replace("1500", "150");
    rows(&queries, &small);
    // Every walk of every vertex: more than a test waits for.
    let endless = "CALL algo.cycles({max_length: 150, limit: 1000000000}) YIELD cycle RETURN count(*)";
    let failure = ask(&queries, &begin(), endless, Duration::from_millis(300)).unwrap_err();
    assert_eq!(failure.code, Failure::TIMED_OUT);
    let begun = begin();
    let interrupt: Arc<AtomicBool> = Arc::clone(&begun.interrupt);
    let teller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupt.store(true, Ordering::Relaxed);
    });
    assert_eq!(ask(&queries, &begun, endless, LONG).unwrap_err().code, Failure::TERMINATED);
    teller.join().unwrap();
    // A query that has no time does not begin one; the next one works.
    let failure = ask(&queries, &begin(), "CALL algo.degree()", Duration::from_millis(1)).unwrap_err();
    assert_eq!(failure.code, Failure::TIMED_OUT);
    assert_eq!(rows(&queries, "CALL algo.degree() YIELD degree RETURN count(*)"), ["150"]);
}
