//! Queries over graphs in memory: what they answer, and what they leave.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::sync::Arc;
use std::time::Duration;

use cypher_exec::{Counters, Execution, Prepared, Procedures, Settings, Summary, from_access};
use cypher_value::{Error, Map, Value, to_text};
use graph_access::{Budget, GraphWrite as _, WalkRead as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{EdgeLabelKindName, NewEdgeLabel, NewPropertyKey, NewVertexLabel};
use graph_store::GraphReader;
use kv::MemoryEngine;

struct Graph {
    graph: Arc<HostedGraph>,
    _store: Store,
    procedures: Arc<Procedures>,
}

impl Graph {
    fn auto() -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default());
        let store = store.unwrap();
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        Self { graph: store.create_graph("a", &conf).unwrap(), _store: store, procedures: Arc::default() }
    }

    /// Persons with names as primary keys, who know each other.
    fn strict() -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default());
        let store = store.unwrap();
        let graph = store.graph("hugegraph").unwrap();
        for (key, data_type) in [("name", DataType::Text), ("age", DataType::Int)] {
            graph.schema().create_property_key(&NewPropertyKey::new(key, data_type, Cardinality::Single)).unwrap();
        }
        let person = NewVertexLabel {
            id_strategy: Some(IdStrategy::PrimaryKey),
            primary_keys: vec!["name".to_owned()],
            properties: vec!["name".to_owned(), "age".to_owned()],
            nullable_keys: vec!["age".to_owned()],
            ..NewVertexLabel::new("person")
        };
        graph.schema().create_vertex_label(&person).unwrap();
        graph.schema().create_edge_label(&NewEdgeLabel::new("knows", "person", "person")).unwrap();
        Self { graph, _store: store, procedures: Arc::default() }
    }

    fn try_with(
        &self,
        text: &str,
        parameters: Map,
        settings: &Settings,
        budget: &Budget,
    ) -> Result<(Vec<Vec<Value>>, Summary), Error> {
        let prepared = Arc::new(Prepared::new(text, &self.procedures)?);
        let mut rows = Vec::new();
        if !prepared.is_write() {
            let reader = GraphReader::new(&self.graph, &self.graph.catalogue(), budget);
            let execution = Execution::reading(&prepared, parameters, &reader, settings)?;
            let summary = pull(execution, &mut rows)?;
            return Ok((rows, summary));
        }
        let mut unit = Box::new(self.graph.transaction(budget));
        let summary = pull(Execution::writing(&prepared, parameters, &mut *unit, settings)?, &mut rows)?;
        unit.commit().map_err(from_access)?;
        Ok((rows, summary))
    }

    fn run(&self, text: &str) -> (Vec<Vec<Value>>, Counters) {
        let outcome = self.try_with(text, Map::default(), &Settings::default(), &Budget::unlimited());
        let (rows, summary) = outcome.unwrap_or_else(|error| panic!("{text}: {error}"));
        (rows, summary.counters)
    }

    /// The rows of a query, as text.
    fn rows(&self, text: &str) -> Vec<String> {
        let shown = |row: &Vec<Value>| row.iter().map(shown).collect::<Vec<_>>().join(" ");
        self.run(text).0.iter().map(shown).collect()
    }

    fn refused(&self, text: &str) -> String {
        let outcome = self.try_with(text, Map::default(), &Settings::default(), &Budget::unlimited());
        let Err(error) = outcome else { panic!("{text} is not refused") };
        format!("{:?}: {}", error.kind, error.message)
    }
}

fn pull(mut execution: Execution<'_>, rows: &mut Vec<Vec<Value>>) -> Result<Summary, Error> {
    loop {
        let before = rows.len();
        execution.next_batch(rows, 7)?;
        if rows.len() == before {
            return execution.finish();
        }
        assert!(rows.len() <= before + 7);
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Node(node) => format!("({})", node.labels().join(":")),
        Value::Relationship(relationship) => format!("[{}]", relationship.kind),
        Value::Path(path) => format!("<{}>", path.len()),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(",")),
        Value::Null => "null".to_owned(),
        other => to_text(other).map(|text| text.to_string()).unwrap_or_default(),
    }
}

#[test]
fn a_node_has_any_set_of_labels() {
    let graph = Graph::auto();
    let (_, counters) = graph.run("CREATE (:B:A {x: 1}), ({x: 2}), (:B {x: 3})");
    assert_eq!((counters.nodes_created, counters.labels_added, counters.properties_set), (3, 3, 3));
    assert_eq!(graph.rows("MATCH (n:A) RETURN n, n.x"), ["(A:B) 1"]);
    assert_eq!(graph.rows("MATCH (n:B) RETURN n.x ORDER BY n.x"), ["1", "3"]);
    assert_eq!(graph.rows("MATCH (n:!%) RETURN n.x"), ["2"]);
    assert_eq!(graph.run("MATCH (n {x: 2}) SET n:C:D REMOVE n:D").1.labels_added, 2);
    assert_eq!(graph.rows("MATCH (n:C) RETURN labels(n)"), ["[C]"]);
    assert!(graph.rows("MATCH (n:D) RETURN n").is_empty());
    assert!(graph.refused("CREATE (:`a::b`)").contains("must not be empty or contain '::'"));
    assert_eq!(graph.rows("CALL db.labels()"), ["A", "B", "C"]);
}

#[test]
fn a_pattern_is_merged_and_tried_for_many_rows() {
    let graph = Graph::auto();
    graph.run("UNWIND range(1, 1000) AS i CREATE (n:N {i: i, k: i % 2})");
    assert_eq!(graph.rows("MERGE (n:N {k: 1}) RETURN count(n)"), ["500"]);
    assert_eq!(graph.rows("MERGE (n:N {k: 1}) ON MATCH SET n.seen = true RETURN count(n.seen)"), ["500"]);
    graph.run("MATCH (n:N) WHERE n.i % 3 = 0 CREATE (n)-[:R]->(:M {i: n.i}), (n)-[:R]->(:M {i: -n.i})");
    let found = graph.run("MATCH (n:N) WITH n ORDER BY n.i OPTIONAL MATCH (n)-[:R]->(m) RETURN n.i, m.i").0;
    assert_eq!(found.len(), 667 + 2 * 333);
    let own: Vec<String> = found.iter().map(|row| shown(&row[0])).collect();
    let mut sorted = own.clone();
    sorted.sort_by_key(|text| text.parse::<i64>().unwrap());
    assert_eq!(own, sorted, "rows keep their order");
    assert!(found.iter().all(|row| row[1].is_null() == (shown(&row[0]).parse::<i64>().unwrap() % 3 != 0)));
    let all = "MATCH (n:N) WHERE n.i <= 5 OPTIONAL MATCH (m:N) WHERE m.i > 0 RETURN count(m)";
    assert_eq!(graph.rows(all), ["5000"]);
}

#[test]
fn relationships_of_a_parent_and_its_sub_label_differ() {
    let graph = Graph::strict();
    let sub = |name: &str| NewEdgeLabel {
        kind: EdgeLabelKindName::Sub,
        parent_label: Some("met".to_owned()),
        ..NewEdgeLabel::new(name, "person", "person")
    };
    let parent = NewEdgeLabel {
        kind: EdgeLabelKindName::Parent,
        source_label: None,
        target_label: None,
        ..NewEdgeLabel::new("met", "person", "person")
    };
    graph.graph.schema().create_edge_label(&parent).unwrap();
    ["greeted", "phoned"].iter().for_each(|name| drop(graph.graph.schema().create_edge_label(&sub(name)).unwrap()));
    graph.run(
        "CREATE (a:person {name: 'a', age: 1})-[:greeted]->(b:person {name: 'b', age: 2})-[:phoned]->(:person \
         {name: 'c', age: 3}), (b)-[:knows]->(a)",
    );
    let walk = |condition: &str| {
        let text = format!("MATCH (x)-[:met]-(y)-[:greeted]-(z) {condition} RETURN x.name + y.name + z.name AS t");
        graph.rows(&format!("{text} ORDER BY t"))
    };
    assert_eq!(walk(""), ["cba"], "the one that was greeted is met by the same relationship");
    assert_eq!(walk("WHERE y.age > 1"), ["cba"]);
    assert_eq!(walk("WHERE x.age + y.age > 1"), ["cba"]);
    assert!(walk("WHERE y.age > 2").is_empty());
    let apart = "MATCH (x)-[:met]->(y:person)-[:knows]->(z:person) WHERE y.age > 1 RETURN x.name, y.name, z.name";
    assert_eq!(graph.rows(apart), ["a b a"]);
    assert_eq!(graph.rows("MATCH (x {name: 'c'})-[:met*1..2]-(y:person) RETURN y.name ORDER BY y.name"), ["a", "b"]);
    assert!(graph.rows("MATCH (x {name: 'c'})-[:met]-(y:nobody) RETURN y.name").is_empty());
}

#[test]
fn columns_that_the_order_does_not_need_are_computed_for_what_is_left() {
    let graph = Graph::auto();
    graph.run("UNWIND range(0, 9) AS i CREATE (:N {i: i})");
    let text = "MATCH (n:N) RETURN n.i AS i, 6 / n.i AS part ORDER BY i DESC LIMIT 3";
    assert_eq!(graph.rows(text), ["9 0", "8 0", "7 0"]);
    assert!(graph.refused("MATCH (n:N) RETURN 6 / n.i AS part ORDER BY part LIMIT 3").contains("/ by zero"));
    assert_eq!(
        graph.rows("MATCH (n:N) WITH n.i AS i, n.i * 2 AS two ORDER BY i LIMIT 4 WHERE two > 2 RETURN two"),
        ["4", "6"]
    );
    assert_eq!(
        graph.rows("MATCH (n:N) RETURN DISTINCT n.i % 2 AS m, n.i % 2 + 1 AS l ORDER BY m LIMIT 2"),
        ["0 1", "1 2"]
    );
    let plan = Prepared::new("MATCH (n:N) RETURN n.a AS a, n.b ORDER BY a LIMIT 3", &graph.procedures).unwrap().plan();
    let text = format!("{plan:?}");
    let (limit, after) = (text.find("\"Limit\"").unwrap(), text.find("\"Projection\"").unwrap());
    assert!(after < limit, "the projection stands above the limit: {text}");
}

#[test]
fn the_first_rows_of_many_are_those_of_the_whole_order() {
    let graph = Graph::auto();
    graph.run("UNWIND range(0, 6999) AS i CREATE (:N {i: i, k: (i * 7919) % 100})");
    for order in ["n.k, n.i", "n.k DESC, n.i", "n.k % 3, n.i DESC", "n.none, n.i", "n.i DESC"] {
        let all = graph.rows(&format!("MATCH (n:N) RETURN n.i ORDER BY {order}"));
        for (skip, limit) in [(0, 1), (0, 50), (40, 30), (0, 2000), (6990, 30), (3, 0)] {
            let text = format!("MATCH (n:N) RETURN n.i ORDER BY {order} SKIP {skip} LIMIT {limit}");
            let expected: Vec<String> = all.iter().skip(skip).take(limit).cloned().collect();
            assert_eq!(graph.rows(&text), expected, "{text}");
        }
    }
}

#[test]
fn nodes_without_an_index_are_tested_while_they_are_read() {
    for (graph, label) in [(Graph::auto(), "N"), (Graph::strict(), "person")] {
        graph.run(&format!("UNWIND range(1, 2000) AS i CREATE (:{label} {{name: toString(i), age: i % 500}})"));
        graph.run(&format!("UNWIND range(1, 3) AS i CREATE (:{label} {{name: 'bare' + i}})"));
        let of = |text: &str| graph.rows(&text.replace(":N ", &format!(":{label} ")));
        assert_eq!(
            of("MATCH (n:N {age: 499}) RETURN n.name, n.age ORDER BY toInteger(n.name)")[..2],
            ["499 499", "999 499"]
        );
        assert_eq!(of("MATCH (n:N {age: 7.0}) RETURN count(n)"), ["4"]);
        assert_eq!(
            of("MATCH (n:N {age: 7}) WITH n LIMIT 1 RETURN properties(n).age, labels(n)"),
            [format!("7 [{label}]")]
        );
        assert!(of("MATCH (n:N {age: '7'}) RETURN n").is_empty());
        assert!(of("MATCH (n:N {age: null}) RETURN n").is_empty());
        assert!(of("MATCH (n:N {none: 1}) RETURN n").is_empty());
        assert_eq!(of("UNWIND [3, 4] AS a MATCH (n:N {age: a}) RETURN a, count(n)"), ["3 4", "4 4"]);
        assert_eq!(of("MATCH (n:N {age: 3}) SET n.age = -1 RETURN count(n)"), ["4"]);
        assert_eq!(of("MATCH (n:N {age: -1}), (m:N {age: 499}) WHERE n.name < m.name RETURN count(*)"), ["10"]);
    }
}

#[test]
fn a_clause_does_not_see_its_own_writes() {
    let graph = Graph::auto();
    graph.run("CREATE (:N), (:N)");
    assert_eq!(graph.run("MATCH (n:N) CREATE (:N)").1.nodes_created, 2);
    assert_eq!(
        graph.rows("MATCH (n:N) DETACH DELETE n WITH count(*) AS c MATCH (m:N) RETURN c, count(m)"),
        Vec::<String>::new()
    );
    assert_eq!(graph.rows("MATCH (n) RETURN count(n)"), ["0"]);
    assert_eq!(graph.rows("UNWIND [1, 1, 2] AS x MERGE (n:M {x: x}) RETURN count(DISTINCT n)"), ["2"]);
}

#[test]
fn a_limit_does_not_hold_writes_back() {
    let graph = Graph::auto();
    assert!(graph.rows("UNWIND range(1, 1000) AS x CREATE (n:N {x: x}) RETURN n LIMIT 0").is_empty());
    assert_eq!(graph.rows("MATCH (n:N) RETURN count(*)"), ["1000"]);
}

#[test]
fn a_failure_writes_nothing() {
    let graph = Graph::auto();
    graph.run("CREATE (:N)-[:R]->(:N)");
    assert!(graph.refused("CREATE (:M) WITH 1 AS x MATCH (n:N) DELETE n").starts_with("ConstraintVerificationFailed"));
    assert!(graph.refused("CREATE (:M {x: 1 / 0})").starts_with("ArithmeticError"));
    assert_eq!(graph.rows("MATCH (n) RETURN count(*)"), ["2"]);
}

#[test]
fn shortest_paths_are_found_level_by_level() {
    let graph = Graph::auto();
    graph.run("CREATE (a:A)-[:R]->(b:B)-[:R]->(c:C), (a)-[:R]->(d:D)-[:R]->(c), (c)-[:R]->(a), (:E)");
    assert_eq!(graph.rows("MATCH p = shortestPath((a:A)-[*]-(c:C)) RETURN length(p)"), ["1"]);
    assert_eq!(graph.rows("MATCH p = allShortestPaths((a:A)-[:R*]->(c:C)) RETURN length(p)"), ["2", "2"]);
    assert_eq!(graph.rows("MATCH p = ALL SHORTEST (a:A)-[:R]->+(c:C) RETURN length(p)"), ["2", "2"]);
    assert!(graph.rows("MATCH p = shortestPath((a:A)-[*]-(e:E)) RETURN p").is_empty());
    assert_eq!(graph.rows("MATCH (a:A), (c:C) RETURN length(shortestPath((a)-[:R*]->(c)))"), ["2"]);
}

#[test]
fn subqueries_are_carried_out_for_each_row() {
    let graph = Graph::auto();
    graph.run("CREATE (a:A {x: 1})-[:R]->(:B), (a)-[:R]->(:B), (:A {x: 2})");
    let count = "MATCH (a:A) RETURN a.x, COUNT { (a)-->(b:B) } AS c, EXISTS { (a)-->() } AS e ORDER BY a.x";
    assert_eq!(graph.rows(count), ["1 2 true", "2 0 false"]);
    let call = "MATCH (a:A) CALL (a) { MATCH (a)-->(b) RETURN count(b) AS c } RETURN a.x, c ORDER BY a.x";
    assert_eq!(graph.rows(call), ["1 2", "2 0"]);
    let optional = "MATCH (a:A) OPTIONAL CALL (a) { MATCH (a)-->(b) RETURN b } RETURN a.x, b ORDER BY a.x";
    assert_eq!(graph.rows(optional), ["1 (B)", "1 (B)", "2 null"]);
    assert_eq!(
        graph.rows("MATCH (a:A) RETURN COLLECT { MATCH (a)-->(b) RETURN b } AS l ORDER BY a.x"),
        ["[(B),(B)]", "[]"]
    );
    assert_eq!(graph.run("FOREACH (x IN [1, 2] | CREATE (:F {x: x}) MERGE (:G))").1.nodes_created, 3);
}

#[test]
fn values_of_all_types_are_stored() {
    let graph = Graph::auto();
    graph.run(
        "CREATE ({a: 1, b: 1.5, c: 'x', d: true, e: date('2015-07-21'), f: time('12:31:14+01:00'), \
         g: localtime('12:31'), h: localdatetime('2015-07-21T21:40'), i: datetime('2015-07-21T21:40:32+01:00'), \
         j: datetime('2015-07-21T21:40[Europe/Stockholm]'), k: duration('P1Y2M3DT4H'), l: [1, 2.5], \
         m: [date('2015-01-01')], n: point({x: 1, y: 2})})",
    );
    let read = "MATCH (n) RETURN n.a, n.b, n.c, n.d, n.e, n.f, n.g, n.h, n.i, n.j, n.k, n.l, n.m, n.n.x";
    let expected = "1 1.5 x true 2015-07-21 12:31:14+01:00 12:31 2015-07-21T21:40 2015-07-21T21:40:32+01:00 \
                    2015-07-21T21:40+02:00[Europe/Stockholm] P1Y2M3DT4H [1.0,2.5] [2015-01-01] 1.0";
    assert_eq!(graph.rows(read), [expected]);
    for refused in ["{a: [1, 'x']}", "{a: [[1]]}", "{a: [null]}", "{a: {b: 1}}"] {
        assert!(graph.refused(&format!("CREATE ({refused})")).starts_with("TypeError"), "{refused}");
    }
}

#[test]
fn a_strict_graph_says_what_to_declare() {
    let graph = Graph::strict();
    graph.run("CREATE (:person {name: 'a', age: 1})-[:knows]->(:person {name: 'b'})");
    assert_eq!(
        graph.rows("MATCH (n:person {name: 'a'})-[r]->(m) RETURN n.age, type(r), m.name, id(n)"),
        ["1 knows b 1:a"]
    );
    assert_eq!(graph.rows("MATCH (n) WHERE elementId(n) = '1:b' RETURN n.name"), ["b"]);
    assert!(graph.rows("MATCH (n:nothing) RETURN n").is_empty());
    assert!(graph.refused("CREATE ()").contains("needs a label that was declared"));
    assert!(graph.refused("CREATE (:a:b)").contains("exactly one label"));
    assert!(graph.refused("CREATE (:nothing)").contains("the vertex label 'nothing' does not exist"));
    assert!(graph.refused("CREATE (:person {name: 'c', nothing: 1})").contains("nothing"));
    assert!(graph.refused("MATCH (n:person) SET n:other").contains("cannot be changed"));
    graph.run("MERGE (n:person {name: 'a'}) ON MATCH SET n.age = 2");
    assert_eq!(graph.rows("MATCH (n:person) RETURN n.name, n.age ORDER BY n.name"), ["a 2", "b null"]);
    assert_eq!(graph.run("MATCH (:person)-[r:knows]->() DELETE r").1.relationships_deleted, 1);
}

#[test]
fn memory_time_and_parameters_are_bounds() {
    let graph = Graph::auto();
    let settings = Settings { memory_max: 100_000, ..Settings::default() };
    let much = "UNWIND range(1, 1000000) AS x RETURN x, x % 2 AS y ORDER BY x DESC";
    let error = graph.try_with(much, Map::default(), &settings, &Budget::unlimited()).unwrap_err();
    assert!(error.message.contains("holds more than 100000 bytes"), "{error}");
    let budget = Budget::new(Duration::from_millis(20), Arc::default());
    let long = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y WITH x WHERE x < 0 RETURN count(*)";
    let error = graph.try_with(long, Map::default(), &Settings::default(), &budget).unwrap_err();
    assert_eq!(error.kind, cypher_exec::ErrorKind::Timeout, "{error}");
    assert!(graph.refused("RETURN $a").starts_with("ParameterMissing"));
    let parameters = Map::from_iter([("rows".into(), Value::list(vec![Value::Integer(1), Value::Integer(2)]))]);
    let unwind = "UNWIND $rows AS x RETURN sum(x)";
    let (rows, _) = graph.try_with(unwind, parameters, &Settings::default(), &Budget::unlimited()).unwrap();
    assert!(matches!(rows[0][0], Value::Integer(3)));
}

#[test]
fn many_rows_are_merged_and_looked_up_by_a_table() {
    let graph = Graph::auto();
    graph.run("UNWIND range(1, 50) AS x CREATE (:L {id: x})");
    let merged = graph.run("UNWIND range(1, 100) + [3, 100] AS x MERGE (n:L {id: x}) SET n.seen = x").1;
    assert_eq!((merged.nodes_created, merged.properties_set), (50, 152));
    assert_eq!(graph.rows("MATCH (n:L) RETURN count(n), sum(n.seen)"), ["100 5050"]);
    // A node whose value is changed on the way is found by the new one.
    let moved = "UNWIND [1000, 1000, 1001, 1000, 1000] AS x MERGE (n:L {id: x}) ON CREATE SET n.id = x + 1";
    assert_eq!(graph.run(moved).1.nodes_created, 4);
    let links =
        "UNWIND range(1, 20) AS x MATCH (a:L {id: x}), (b:L {id: x + 1}) MERGE (a)-[r:NEXT]->(b) RETURN count(r)";
    assert_eq!(graph.rows(links), ["20"]);
    assert_eq!(graph.rows(&links.replace("range(1, 20)", "range(1, 20) + [null, 1]")), ["21"]);
    assert_eq!(graph.rows("MATCH ()-[r:NEXT]->() RETURN count(r)"), ["20"]);
    assert_eq!(graph.rows("MATCH (a:L {id: 1}), (a:M) RETURN a"), Vec::<String>::new());
}

/// Rows that look for a node by one key are looked up together, whatever they ask for.
#[test]
fn many_rows_are_looked_up_together() {
    let strict = Graph::strict();
    strict.run("UNWIND range(1, 400) AS n CREATE (:person {name: 'p' + n, age: n})");
    let auto = Graph::auto();
    auto.run("UNWIND range(1, 400) AS n CREATE (:person {name: 'p' + n, age: n}), (:person {name: n % 7})");
    for (graph, numbers) in [(&strict, 0), (&auto, expected_numbers())] {
        let asked = "UNWIND range(1, 600) + [null, 1, 1, 3, 3.0] AS n \
                     MATCH (p:person {name: CASE WHEN n > 400 AND n % 2 = 1 THEN n % 7 ELSE 'p' + n END}) ";
        let each = graph.rows("MATCH (p:person) WHERE p.name STARTS WITH 'p' RETURN count(p), sum(p.age)");
        assert_eq!(each, ["400 80200"]);
        // 400 rows of their own, three again; those that ask for a number find as many nodes as have it.
        let found = graph.run(&format!("{asked} RETURN n, p.age, p.name")).0;
        let by_text = found.iter().filter(|row| !row[1].is_null()).count();
        assert_eq!(by_text, 403, "as many as there are");
        assert_eq!(found.len() - by_text, numbers);
        let linked = format!("{asked} MATCH (q:person {{name: 'p1'}}) CREATE (p)-[r:knows]->(q) RETURN count(r)");
        assert_eq!(graph.rows(&linked), [found.len().to_string()]);
        let mixed = "UNWIND ['p1', 2, [1], null, 'p1', true, 'nobody'] AS v MATCH (p:person {name: v}) \
                     WHERE p.age IS NOT NULL RETURN p.age";
        assert_eq!(graph.rows(mixed), ["1", "1"]);
        // A row sees what the clause before it wrote, for all rows.
        let renamed = "UNWIND range(1, 50) AS n CREATE (:person {name: 'new' + n}) WITH n \
                       MATCH (p:person {name: 'new' + n}) RETURN count(p)";
        assert_eq!(graph.rows(renamed), ["50"]);
    }
    assert_eq!(strict.rows("MATCH (p)-[r:knows]->(q) RETURN count(r), count(DISTINCT q)"), ["400 1"]);
}

/// Of the odd numbers from 401 to 599, each finds the nodes whose number is its remainder by 7.
fn expected_numbers() -> usize {
    let with = |remainder: usize| (1..=400).filter(|n| n % 7 == remainder).count();
    (401..=600).filter(|n| n % 2 == 1).map(|n| with(n % 7)).sum()
}

#[test]
fn plans_are_shown_and_measured() {
    let graph = Graph::auto();
    graph.run("CREATE (:A {x: 1})-[:R]->(:B), (:A {x: 2})-[:R]->(:B)");
    let plan = |text: &str| {
        let outcome = graph.try_with(text, Map::default(), &Settings::default(), &Budget::unlimited());
        outcome.unwrap().1.plan.unwrap()
    };
    let query = "MATCH (a:A)-[:R]->(b) WHERE a.x > 1 RETURN b";
    let explained = plan(&format!("EXPLAIN {query}"));
    assert_eq!((explained.operator, explained.measured), ("ProduceResults", None));
    let mut names = Vec::new();
    let profiled = plan(&format!("PROFILE {query}"));
    let mut next = Some(&profiled);
    while let Some(node) = next {
        names.push((node.operator, node.measured.unwrap().0));
        next = node.children.first();
    }
    let expected = [("ProduceResults", 1), ("Expand(All)", 1), ("Filter", 1), ("NodeByLabelScan", 2)];
    assert_eq!(names, expected);
    assert!(graph.rows("EXPLAIN CREATE (:C)").is_empty());
    assert_eq!(graph.rows("MATCH (n:C) RETURN count(n)"), ["0"]);
}

#[test]
fn what_there_is_can_be_shown() {
    let graph = Graph::strict();
    assert!(graph.rows("SHOW INDEXES").is_empty());
    assert_eq!(graph.rows("SHOW FUNCTIONS YIELD name WHERE name = 'size' RETURN name"), ["size"]);
    assert_eq!(graph.rows("SHOW PROCEDURES YIELD name ORDER BY name LIMIT 1"), ["apoc.create.addLabels"]);
    assert!(graph.refused("CREATE INDEX FOR (n:person) ON (n.age)").contains("schema/indexlabels"));
    graph.run("CREATE (:person {name: 'a', age: 1})-[:knows]->(:person {name: 'b'})");
    let schema = "CALL apoc.meta.data() YIELD label, other, elementType, type, property \
                  WHERE NOT type = 'RELATIONSHIP' AND elementType = 'node' \
                  WITH label, collect(property) AS properties RETURN label, properties";
    assert_eq!(graph.rows(schema), ["person [name,age]"]);
    let links = "CALL apoc.meta.data() YIELD label, other, type, property WHERE type = 'RELATIONSHIP' \
                 UNWIND other AS o RETURN label, property, o";
    assert_eq!(graph.rows(links), ["person knows person"]);
}

#[test]
fn relationships_are_counted_without_rows() {
    let graph = Graph::auto();
    graph.run(
        "CREATE (a:A {x: 1})-[:R]->(b:A {x: 2})-[:R]->(c:A {x: 3}), (a)-[:R]->(b), (b)-[:R]->(b), (c)-[:S]->(a), \
         (:A {x: 4})",
    );
    for (query, expected) in [
        ("MATCH (a:A)-[:R]->() RETURN count(*)", "4"),
        ("MATCH (a:A)-[:R]-() RETURN count(*)", "7"),
        ("MATCH (a:A {x: 4})-->() RETURN count(*)", "0"),
        ("MATCH (a:A {x: 1})-->()-->() RETURN count(*)", "4"),
        ("MATCH (a:A {x: 2})-->()-->() RETURN count(*)", "2"),
        ("MATCH (a:A {x: 1})--()--() RETURN count(*)", "7"),
        ("MATCH (a:A)-[:T]->() RETURN count(*)", "0"),
    ] {
        assert_eq!(graph.rows(query), [expected], "{query}");
        // The same with rows: a condition that always holds stands in between.
        let plain = query.replace(" RETURN count(*)", " WITH a AS n, 1 AS one RETURN count(one)");
        assert_eq!(graph.rows(&plain), [expected], "{plain}");
    }
    assert_eq!(graph.rows("MATCH (a:A)-[:R]->(b) RETURN a.x, count(b) AS c ORDER BY a.x"), ["1 2", "2 2"]);
    let deleted = "MATCH (:A {x: 2})-[r:R]->({x: 3}) DELETE r WITH 1 AS one MATCH (a:A)-[:R]->() RETURN count(*)";
    assert_eq!(graph.rows(deleted), ["3"]);
}

#[test]
fn values_that_grow_into_each_other_are_refused() {
    let graph = Graph::auto();
    assert!(graph.refused("RETURN reduce(l = [], x IN range(1, 300000) | [l])").contains("NESTING_MAX"));
    assert!(graph.refused("RETURN reduce(m = {}, x IN range(1, 300000) | {m: m})").contains("NESTING_MAX"));
    assert!(graph.refused("RETURN reduce(l = [1], x IN range(1, 60) | [l, l])").contains("ITEMS_MAX"));
    assert!(graph.refused("RETURN reduce(l = [1], x IN range(1, 60) | [y IN [l, l] | y])").contains("ITEMS_MAX"));
    assert!(graph.refused("RETURN reduce(l = [1], x IN range(1, 60) | l + l)").contains("ITEMS_MAX"));
    assert!(graph.refused("RETURN reduce(s = 'a', x IN range(1, 60) | s + s)").contains("TEXT_BYTES_MAX"));
    assert_eq!(graph.rows("RETURN normalize('\u{e9}', nfd) = 'e\u{301}'"), ["true"]);
}

#[test]
fn the_longest_query_fits_the_stack_of_a_thread() {
    let graph = Graph::auto();
    let many = |one: &str, count: usize| one.repeat(count);
    for text in [
        many("WITH 1 AS x ORDER BY x LIMIT 1 ", 999) + "RETURN x",
        "CREATE (n) ".to_owned() + &many("SET n.a = 1 ", 998) + "RETURN n.a",
        "MATCH (a) ".to_owned() + &many("OPTIONAL MATCH (a)-[*1..2]->() ", 998) + "RETURN 1",
        "MATCH (a)".to_owned() + &many("-->()", 1000) + " RETURN 1",
    ] {
        graph.run(&text);
    }
    assert!(graph.refused(&(many("CREATE () ", 1001))).contains("CLAUSES_MAX"));
    assert!(graph.refused(&format!("MATCH (){} RETURN 1", many("-->()", 1001))).contains("STEPS_MAX"));
}

#[test]
fn scans_read_what_is_looked_at() {
    let graph = Graph::auto();
    graph.run("CREATE (:A {x: 1, y: 2})-[:R]->(:A {x: 3, y: 4}), (:A:B)");
    assert_eq!(graph.rows("MATCH (a:A) RETURN count(*)"), ["3"]);
    assert_eq!(graph.rows("MATCH (a:A) RETURN count(a) AS c, 1 AS one"), ["3 1"]);
    assert_eq!(graph.rows("MATCH (a) RETURN count(a)"), ["3"]);
    assert_eq!(graph.rows("MATCH (a:C) RETURN count(a)"), ["0"]);
    assert_eq!(graph.rows("MATCH (a:B), (b:A) RETURN count(*)"), ["3"]);
    assert_eq!(graph.rows("MATCH (a:A {x: 1})-->(b) RETURN a.x, b.y"), ["1 4"]);
    assert_eq!(graph.rows("MATCH (a:A) WHERE a.x > 1 RETURN a.x, labels(a)"), ["3 [A]"]);
    assert_eq!(graph.rows("MATCH (a:A) WITH a ORDER BY a.x DESC LIMIT 2 RETURN a.x, a.y"), ["null null", "3 4"]);
    assert_eq!(graph.rows("MATCH (a:A)-->(b) WITH a, count(b) AS c RETURN keys(a), c"), ["[x,y] 1"]);
    assert_eq!(graph.rows("MATCH (a:A)-->(b) WITH [a, b] AS l RETURN [n IN l | n.y] AS ys"), ["[2,4]"]);
    assert_eq!(graph.rows("MATCH (a:A {x: 1}) WITH a AS c MATCH (c)-->(d) RETURN d"), ["(A)"]);
    let left = "MATCH (a:A {x: 1}) DELETE a WITH 1 AS one MATCH (n:A) RETURN count(n)";
    assert!(graph.refused(left).contains("still has relationships"));
    let left = "MATCH (a:A {x: 1})-[r]->() DELETE a WITH r MATCH (n:A) WITH r, count(n) AS c DELETE r RETURN c";
    assert_eq!(graph.rows(left), ["2"]);
}

/// A schema that requires a property is content with what ON CREATE sets.
#[test]
fn merge_makes_nodes_with_what_on_create_sets() {
    let graph = Graph::strict();
    graph
        .graph
        .schema()
        .create_property_key(&NewPropertyKey::new("since", DataType::Int, Cardinality::Single))
        .unwrap();
    let knows = NewEdgeLabel { properties: vec!["since".to_owned()], ..NewEdgeLabel::new("met", "person", "person") };
    graph.graph.schema().create_edge_label(&knows).unwrap();
    let merge = "MERGE (a:person {name: 'a'}) ON CREATE SET a.age = 1, a += {age: 2} \
                 MERGE (b:person {name: 'b'}) ON CREATE SET b.age = a.age + 1 \
                 MERGE (a)-[r:met]->(b) ON CREATE SET r.since = a.age + 10 ON MATCH SET r.since = r.since + 1 \
                 RETURN a.age, b.age, r.since";
    assert_eq!(graph.rows(merge), ["2 3 12"]);
    assert_eq!(graph.rows(merge), ["2 3 13"]);
    // What depends on the new element is set once it is there; the value by which it was looked for stays.
    assert_eq!(graph.rows("MERGE (c:person {name: 'c'}) ON CREATE SET c.age = size(c.name) RETURN c.age"), ["1"]);
    let refused = graph.refused("MERGE (d:person {name: 'd'}) ON CREATE SET d.name = 'e'");
    assert!(refused.contains("primary key"), "{refused}");
    let refused = graph.refused("MATCH (a:person {name: 'a'}) MERGE (a)-[r:met]->(a) RETURN r");
    assert!(refused.contains("since"), "{refused}");
    let auto = Graph::auto();
    let merge = "MERGE (a:A {n: 1}) ON CREATE SET a.n = 2, a.m = 3, a.n = null RETURN a.n, a.m";
    assert_eq!(auto.rows(merge), ["null 3"]);
    assert_eq!(auto.rows("MATCH (a) RETURN a.n, a.m"), ["null 3"]);
}

/// Nodes by their primary key are a group each: only those are read that can be among the first.
#[test]
fn groups_by_a_primary_key_are_counted() {
    let graph = Graph::strict();
    graph.run("UNWIND range(0, 19) AS n CREATE (:person {name: 'p' + toString(n), age: n})");
    graph.run("MATCH (a:person), (b:person) WHERE a.age > 0 AND b.age < a.age CREATE (a)-[:knows]->(b)");
    let top = "MATCH (p:person)-[:knows]->() RETURN p.name AS name, count(*) AS n ORDER BY n DESC, name LIMIT 3";
    assert_eq!(graph.rows(top), ["p19 19", "p18 18", "p17 17"]);
    let both = "MATCH (p:person)-[:knows]-() RETURN p.name AS name, count(*) AS n ORDER BY n DESC, name LIMIT 2";
    assert_eq!(graph.rows(both), ["p0 19", "p1 19"]);
    let all = "MATCH (p:person)-[:knows]->() RETURN p.name AS name, count(*) AS n ORDER BY name";
    assert_eq!(graph.rows(all).len(), 19);
    // From numbers in memory.
    let (catalogue, budget) = (graph.graph.catalogue(), Budget::unlimited());
    let reader = GraphReader::new(&graph.graph, &catalogue, &budget);
    let label = catalogue.vertex_label_named("person").unwrap().id;
    assert!(reader.numbered().unwrap().members_at_hand(label).is_some());
    // The same by steps, in a query that writes.
    let steps = format!("CREATE (:person {{name: 'new'}}) WITH 1 AS x {top}");
    assert_eq!(graph.rows(&steps), ["p19 19", "p18 18", "p17 17"]);
}

/// The nodes a join begins with are kept as numbers once they were read, until one of the label is written.
#[test]
fn joins_begin_with_what_there_is_now() {
    let graph = Graph::strict();
    graph.run("UNWIND range(1, 600) AS n CREATE (:person {name: 'p' + n, age: n})");
    graph.run("MATCH (a:person), (b:person {name: 'p1'}) WHERE a.age > 1 CREATE (a)-[:knows]->(b)");
    let all = "MATCH (a:person)-[:knows]->(b:person)<-[:knows]-(c:person) RETURN count(*)";
    let first = "MATCH (a:person)-[:knows]->(b)<-[:knows]-(c) RETURN 1 LIMIT 3";
    let pairs = |persons: u64| [(persons * (persons - 1)).to_string()];
    assert_eq!(graph.rows(first).len(), 3);
    for _ in 0..3 {
        assert_eq!(graph.rows(all), pairs(599));
    }
    let (catalogue, budget) = (graph.graph.catalogue(), Budget::unlimited());
    let label = catalogue.vertex_label_named("person").unwrap().id;
    let kept = || {
        let reader = GraphReader::new(&graph.graph, &catalogue, &budget);
        reader.numbered().unwrap().members_at_hand(label).map(|numbers| numbers.len())
    };
    assert_eq!(kept(), Some(600));
    graph.run("MATCH (b:person {name: 'p1'}) CREATE (:person {name: 'new'})-[:knows]->(b)");
    assert_eq!(kept(), None);
    assert_eq!(graph.rows(all), pairs(600));
    assert_eq!(graph.rows(all), pairs(600));
    graph.run("MATCH (a:person) WHERE a.age > 500 DETACH DELETE a");
    assert_eq!(graph.rows(first).len(), 3);
    assert_eq!(graph.rows(all), pairs(500));
    assert_eq!(graph.rows(all), pairs(500));
}

/// What a schema says of the ends of relationships is not looked at node by node.
#[test]
fn types_are_those_that_lead_to_labels() {
    let graph = Graph::strict();
    graph.run("UNWIND ['a', 'b', 'c'] AS name CREATE (:person {name: name})");
    graph.run("MATCH (a:person {name: 'a'}), (b:person) WHERE a <> b CREATE (a)-[:knows]->(b)");
    assert_eq!(graph.rows("MATCH (a:person)-->(b:person) RETURN count(*)"), ["2"]);
    assert_eq!(graph.rows("MATCH (a)--(b:person)--(c:person) RETURN count(*)"), ["2"]);
    assert_eq!(graph.rows("MATCH (a)--(b:person)--(c:city) RETURN count(*)"), ["0"]);
}

/// Procedures by which client libraries write are clauses.
#[test]
fn procedures_of_client_libraries_write() {
    let graph = Graph::auto();
    let merge = "UNWIND [1, 2, 1] AS n CALL apoc.merge.node(['A', 'B'], {id: n}, {made: true}, {again: n}) YIELD node \
                 RETURN node.id, node.made, node.again, labels(node)";
    assert_eq!(graph.rows(merge), ["1 true null [A,B]", "2 true null [A,B]", "1 true 1 [A,B]"]);
    assert_eq!(graph.run(merge).1.nodes_created, 0);
    let link = "MATCH (a:A {id: 1}), (b:A {id: 2}) \
                CALL apoc.merge.relationship(a, 'KNOWS', {since: 1}, {made: true}, b, {again: true}) YIELD rel AS r \
                WITH * WHERE r.since = 1 RETURN type(r), r.made, r.again";
    assert_eq!(graph.rows(link), ["KNOWS true null"]);
    assert_eq!(graph.rows(link), ["KNOWS true true"]);
    let labels = "MATCH (a:A) WITH collect(a) AS all CALL apoc.create.addLabels(all, ['C']) YIELD node \
                  RETURN labels(node) ORDER BY node.id";
    assert_eq!(graph.rows(labels), ["[A,B,C]", "[A,B,C]"]);
    graph.run("MATCH (a:A {id: 1}) CALL db.create.setNodeVectorProperty(a, 'v', [1, 0.5])");
    assert_eq!(graph.rows("MATCH (a:A {id: 1}) RETURN a.v"), ["[1.0,0.5]"]);
    assert_eq!(graph.rows("CALL apoc.merge.node(['Alone'], {id: 3})"), ["(Alone)"]);
    assert_eq!(graph.rows("CALL apoc.merge.node(['Alone'], {id: 3}) YIELD node AS n WHERE n.id > 3 RETURN n"), [""; 0]);
    let refused = graph.refused("CALL apoc.merge.node(['A'])");
    assert!(refused.contains("takes 2 arguments"), "{refused}");
}
