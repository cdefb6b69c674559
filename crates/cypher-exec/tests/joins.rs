//! Patterns found by the numbers of nodes give the rows that their steps give one by one. A query that writes goes by
//! the steps, so each query is carried out both ways.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use cypher_exec::{Execution, Prepared, Procedures, Settings};
use cypher_value::{Map, Value};
use graph_access::{Budget, GraphWrite as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{EdgeLabelKindName, NewEdgeLabel, NewPropertyKey, NewVertexLabel};
use graph_store::GraphReader;
use kv::MemoryEngine;
use proptest::prelude::*;

/// The types of a strict graph, each with the labels it links.
const LINKS: &[&str] = &["RAA", "RAB", "RBC", "RBA", "SBA", "SCA", "SAC", "SBB"];

struct Graph {
    graph: Arc<HostedGraph>,
    _store: Store,
}

impl Graph {
    /// A graph with relationships of two types between nodes of two labels, as a list of (from, to, type) says.
    fn of(nodes: usize, edges: &[(usize, usize, bool)]) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default());
        let store = store.unwrap();
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        let own = Self { graph: store.create_graph("a", &conf).unwrap(), _store: store };
        let mut text = String::from("CREATE (z:Z {n: -1})");
        for node in 0..nodes {
            write!(text, ", (n{node}:{} {{n: {node}}})", if node % 2 == 0 { "A" } else { "B" }).unwrap();
        }
        for (from, to, is_first) in edges {
            write!(text, ", (n{})-[:{}]->(n{})", from % nodes, if *is_first { "R" } else { "S" }, to % nodes).unwrap();
        }
        own.write(&text);
        own
    }

    /// A graph whose schema says which labels a relationship links: every third node is an A, a B or a C, and of the
    /// list those are left out that no type links.
    fn strict(nodes: usize, edges: &[(usize, usize, bool)]) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default());
        let store = store.unwrap();
        let own = Self { graph: store.graph("hugegraph").unwrap(), _store: store };
        let schema = own.graph.schema();
        schema.create_property_key(&NewPropertyKey::new("n", DataType::Int, Cardinality::Single)).unwrap();
        for name in ["A", "B", "C"] {
            let label = NewVertexLabel {
                id_strategy: Some(IdStrategy::PrimaryKey),
                primary_keys: vec!["n".to_owned()],
                properties: vec!["n".to_owned()],
                ..NewVertexLabel::new(name)
            };
            schema.create_vertex_label(&label).unwrap();
        }
        for name in ["R", "S"] {
            let parent = NewEdgeLabel {
                kind: EdgeLabelKindName::Parent,
                source_label: None,
                target_label: None,
                ..NewEdgeLabel::new(name, "A", "A")
            };
            schema.create_edge_label(&parent).unwrap();
        }
        for link in LINKS {
            let sub = NewEdgeLabel {
                kind: EdgeLabelKindName::Sub,
                parent_label: Some(link[..1].to_owned()),
                ..NewEdgeLabel::new(link, &link[1..2], &link[2..])
            };
            schema.create_edge_label(&sub).unwrap();
        }
        let label = |node: usize| ["A", "B", "C"].into_iter().nth(node % 3).unwrap();
        let mut text = String::from("CREATE (z:A {n: -1})");
        for node in 0..nodes {
            write!(text, ", (n{node}:{} {{n: {node}}})", label(node)).unwrap();
        }
        let mut made = BTreeSet::new();
        for (from, to, is_first) in edges {
            let (from, to) = (from % nodes, to % nodes);
            let link = format!("{}{}{}", if *is_first { "R" } else { "S" }, label(from), label(to));
            if LINKS.contains(&link.as_str()) && made.insert((from, to, *is_first)) {
                write!(text, ", (n{from})-[:{link}]->(n{to})").unwrap();
            }
        }
        own.write(&text);
        own
    }

    fn write(&self, text: &str) {
        let budget = Budget::unlimited();
        let mut unit = Box::new(self.graph.transaction(&budget));
        let (prepared, settings) = (Self::prepared(text), Settings::default());
        let execution = Execution::writing(&prepared, Map::default(), &mut *unit, &settings).unwrap();
        pull(execution);
        unit.commit().unwrap();
    }

    fn prepared(text: &str) -> Arc<Prepared> {
        let procedures: Arc<Procedures> = Arc::default();
        Arc::new(Prepared::new(text, &procedures).unwrap_or_else(|error| panic!("{text}: {error}")))
    }

    fn by_numbers(&self, text: &str) -> Vec<String> {
        let budget = Budget::unlimited();
        let reader = GraphReader::new(&self.graph, &self.graph.catalogue(), &budget);
        assert!(graph_access::WalkRead::numbered(&reader).is_some(), "the graph has no numbers: nothing is compared");
        let (prepared, settings) = (Self::prepared(text), Settings::default());
        pull(Execution::reading(&prepared, Map::default(), &reader, &settings).unwrap())
    }

    fn by_steps(&self, text: &str) -> Vec<String> {
        let budget = Budget::unlimited();
        let mut unit = Box::new(self.graph.transaction(&budget));
        let (prepared, settings) = (Self::prepared(text), Settings::default());
        pull(Execution::writing(&prepared, Map::default(), &mut *unit, &settings).unwrap())
    }
}

/// All rows as text, in order.
fn pull(mut execution: Execution<'_>) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let mut rows: Vec<Vec<Value>> = Vec::new();
        execution.next_batch(&mut rows, 5).unwrap();
        if rows.is_empty() {
            execution.finish().unwrap();
            all.sort();
            return all;
        }
        all.extend(rows.iter().map(|row| format!("{row:?}")));
    }
}

/// Queries whose rows do not depend on which of several equally good ones is found.
const QUERIES: &[&str] = &[
    "MATCH (a)--(b) RETURN a.n, b.n",
    "MATCH (a:A)-[:R]-() RETURN a.n, count(*)",
    "MATCH (a)-->() RETURN a.n, count(*) AS c, count(*) AS d",
    "MATCH (a:B) RETURN a.n, count(*)",
    "MATCH (a:A|B) RETURN a.none AS n, count(a)",
    "MATCH (a)<--() RETURN a.n % 2 AS n, count(*)",
    "MATCH (a)--() RETURN a.n AS n, count(*) AS c ORDER BY c DESC, n LIMIT 3",
    "MATCH (a)--() RETURN a.none AS n, count(*) AS c ORDER BY c DESC SKIP 1 LIMIT 3",
    "MATCH (a)-[:T]->() RETURN a.n AS n, count(*) AS c",
    "MATCH (a)-->(b) RETURN count(*)",
    "MATCH (a {n: 0})--(b)--(c) RETURN b.n, c.n",
    "MATCH (a {n: 0})--(b)--(c) RETURN c.n",
    "MATCH (a)--(b)--(c) RETURN count(*)",
    "MATCH (a)--(b)--(c) RETURN count(b)",
    "MATCH (a)--(b)--(c) RETURN a.n, count(*)",
    "MATCH (a)--(b)--(c) RETURN c.n, count(*)",
    "MATCH (a)--(b)--(c) RETURN a.n, c.n, count(*)",
    "MATCH (a)--(b)--(c) RETURN count(DISTINCT c)",
    "MATCH (a:A)--(b)--(c) RETURN count(DISTINCT b) AS n",
    "MATCH (a {n: 99})--(b)--(c) RETURN count(DISTINCT c)",
    "MATCH (a)--(b)--(c) RETURN DISTINCT a.n, c.n",
    "MATCH (a)--(b)--(c) RETURN DISTINCT b.n",
    "MATCH (a)--(b)--(c)--(d) RETURN count(*)",
    "MATCH (a {n: 1})--(b)--(c)--(d) RETURN b.n, c.n, d.n",
    "MATCH (a)-->(b)-->(c)-->(d) RETURN count(*)",
    "MATCH (a)-->(b)<--(c) RETURN a.n, c.n",
    "MATCH (a)-->(b)<--(c)-->(d) RETURN count(*)",
    "MATCH (a)<--(b)-->(c) RETURN count(*)",
    "MATCH (a)--(b)--(c)--(a) RETURN count(*)",
    "MATCH (a)--(b)--(c)--(a) RETURN a.n, b.n, c.n",
    "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)",
    "MATCH (a)--(b)--(c)--(d)--(a) RETURN count(*)",
    "MATCH (a)--(b)--(c)--(a), (b)--(d)--(c) RETURN count(*)",
    "MATCH (a)-->(a) RETURN a.n, count(*)",
    "MATCH (a)--(a) RETURN count(*)",
    "MATCH (a)--(b)--(a) RETURN count(*)",
    "MATCH (a)-[:R]-(b)-[:R]-(c) RETURN count(*)",
    "MATCH (a)--(b)--(c) WHERE a <> c RETURN count(*)",
    "MATCH (a)--(b)--(c) WHERE a <> c AND b <> a RETURN a.n, count(*)",
    "MATCH (a)-->(b) WHERE a <> a RETURN count(*)",
    "MATCH (a)--(b)--(c) WHERE NOT (a)--(c) RETURN count(*)",
    "MATCH (a)--(b)--(c) WHERE (a)-->(c) RETURN a.n, count(*)",
    "MATCH (a)--(b)--(c) WHERE NOT (c)-[:S]->() AND a <> c RETURN count(*)",
    "MATCH (a)--(b)--(c) WHERE EXISTS { (b)-->(:A) } RETURN b.n, count(*)",
    "MATCH (a)-[:R]-(b)-[:R]-(c)-[:S]->(d) WHERE a <> c AND NOT (a)-[:R]-(c) RETURN count(*)",
    "MATCH (a)-[:R]->(b), (a)-[:S]->(c), (a)-[:R]->(d) RETURN a.n, count(*)",
    "MATCH (a)-[:R]->(b), (a)-[:S]->(c) WHERE b <> c RETURN count(*)",
    "MATCH (a)--(b) OPTIONAL MATCH (b)-[:R]->(c) RETURN count(*)",
    "MATCH (a)--(b) OPTIONAL MATCH (b)-[:R]->(c) RETURN count(c)",
    "MATCH (a)--(b) OPTIONAL MATCH (b)-[:R]->(c) RETURN count(b)",
    "MATCH (a)--(b) OPTIONAL MATCH (b)-[:R]->(c:A) OPTIONAL MATCH (a)<-[:S]-(d) RETURN a.n, count(*)",
    "MATCH (a)--(b) OPTIONAL MATCH (b)-[:R]->(c) OPTIONAL MATCH (c)-[:S]->(d) RETURN count(*)",
    "MATCH (a:A) MATCH (b)-->(a) MATCH (c)-->(a) RETURN count(*)",
    "MATCH (a)--(b) MATCH (b)--(c) MATCH (c)--(a) RETURN count(*)",
    "MATCH (a)-[r]->(b) MATCH (c)-[r]->(d) RETURN a.n, d.n",
    "MATCH (a)-[:R]-(b)-[:S]-(c)-[:R]-(a) RETURN count(*)",
    "MATCH (a)-[:R|S]-(b)-[:R]-(c) RETURN count(*)",
    "MATCH (a)-[:R]->(b)-[:R]-(c) RETURN count(*)",
    "MATCH (a:A)-[:R]-(b:B)-[:R]-(c:A) RETURN count(*)",
    "MATCH (a:A)--(b:B)--(c) RETURN b.n, count(*)",
    "MATCH (a:A)--(b:B)--(c:!B) WHERE c.n > 1 RETURN a.n, c.n",
    "MATCH (a)-[:T]-(b)--(c) RETURN count(*)",
    "MATCH (a), (b) WHERE a.n < b.n MATCH (a)--(b) RETURN a.n, b.n",
    "MATCH (a)--(b) MATCH (b)--(c) RETURN count(*)",
    "MATCH (a)--(b) WHERE b.n > 1 MATCH (b)--(c)--(d) RETURN a.n, d.n, count(*)",
    "MATCH (a)--(b)--(c) RETURN c.n AS n ORDER BY n LIMIT 3",
    "MATCH (a)--(b)--(c) WITH c.n AS n, count(*) AS m RETURN sum(n * m), sum(m)",
    "MATCH (a)-[:R]->(b)-[:S]->(c) WHERE b.n > 1 RETURN a.n, c.n",
    "MATCH (a)--(b)--(c) WHERE b.n >= 1 AND c.n < 4 OR b.none IS NULL RETURN a.n, b.n, c.n",
    "MATCH (a)-[:R]-(b)-[:S]-(c) WHERE 0 < b.n <= 3 AND NOT c.n = 2 RETURN a.n, b.n, c.n",
    "MATCH (a)-[:R]-(b) WHERE b.n > 0 MATCH (b)-[:S]-(c)-[:R]-(d) WHERE c.n <> a.n RETURN a.n, b.n, c.n, d.n",
    "MATCH (a)-[:R]-(b)-[:S]-(c) WHERE a.n + b.n > c.n RETURN a.n, b.n, c.n",
    "MATCH (a)-[r:R]-(b)-[:S]-(c) WHERE b.n > 0 RETURN type(r), c.n",
    "MATCH (a)-[:R]-(b)-[:R]-(c) WHERE a.n + b.n > 1 RETURN a.n, c.n",
    "MATCH (a)-[:R]-(b) WHERE a IN [b, b] OR b.n > 2 RETURN a.n, b.n",
    "MATCH (a)--(b)--(c) WHERE b.n > toInteger('1') RETURN a.n, c.n, count(*)",
    "MATCH (a)--(b:A|B)--(c:B) WHERE c.n > 1 RETURN a.n, count(*)",
    "MATCH (a)-[:R]->(b)-[:S]->(c) WHERE b.n > 0 RETURN count(*)",
    "MATCH (a)--(b) WHERE EXISTS { (b)-[:S]-(c) WHERE c.n > 1 } RETURN a.n, b.n",
    "MATCH (a) WHERE NOT EXISTS { (a)-[:R]->(b:B) WHERE b.n > 2 } RETURN a.n",
    "MATCH (a)-[:R]->(b) RETURN a.n, COUNT { (b)-[:S]->(c) WHERE c.n > a.n }",
    "MATCH (a)-[:R]->(b) RETURN a.n, [x IN [a, b] WHERE (x)-[:S]->(:B) | x.n]",
    "MATCH (a)--(b) RETURN a.n AS x, b.n * 2 AS y, a.n + b.n AS z ORDER BY x, b.n SKIP 1 LIMIT 3",
    "MATCH (a) OPTIONAL MATCH (a)--(b) WHERE b.n > 1 RETURN a.n, b.n",
    "MATCH (a) OPTIONAL MATCH (a)-->(b)-->(c) WHERE b.n > 0 AND c.n < a.n RETURN a.n, b.n, c.n",
    "MATCH (a) OPTIONAL MATCH (a)--(b) OPTIONAL MATCH (b)--(c) WHERE c.n > 1 RETURN a.n, b.n, c.n",
    "MATCH (a)--(b) OPTIONAL MATCH (a)-[r]->(b) WHERE a.n < b.n RETURN a.n, b.n, type(r)",
    "MATCH (a) OPTIONAL MATCH (b) WHERE b.n < a.n RETURN a.n, b.n",
    "MATCH (a) OPTIONAL MATCH p = (a)-[*1..2]->(b:A) RETURN a.n, length(p), b.n",
    "MATCH (a) OPTIONAL MATCH (a)-->(b)-->(c) RETURN a.n, b.n, c.n",
    "MATCH (a) OPTIONAL MATCH (a)-->(b)--(c:A) RETURN a.n, count(c)",
    "MATCH (a) OPTIONAL MATCH (a)-->(b)--(a) RETURN a.n, count(b)",
    "MATCH (a) RETURN a.n, COUNT { (a)--()--() }",
    "MATCH (a) WHERE (a)-->()-->() RETURN a.n",
    "MATCH (a) WHERE EXISTS { MATCH (a)--(b:B)--(c) WHERE c.n > a.n } RETURN a.n",
    "MATCH (a) RETURN a.n, reduce(s = 0, n IN [(a)-->(b)-->(c) | c.n * c.n + 1] | s + n)",
    "MATCH (a) RETURN a.n, COUNT { MATCH (a)--(b) RETURN DISTINCT b }",
    "MATCH (a)-[r]-(b)--(c) RETURN type(r), count(*)",
    "MATCH (a)-[r]-(b)--(c) RETURN count(r)",
    "MATCH p = (a)--(b) RETURN length(p), count(*)",
    "MATCH ()-[r]->() RETURN count(r)",
    "MATCH ()-[r:R]->() RETURN count(*)",
    "MATCH ()<-[r:S]-() RETURN count(*)",
    "MATCH (a {n: 0})-[*1..3]-(b) RETURN count(DISTINCT b)",
    "MATCH (a)-[*1..3]-(b) RETURN count(DISTINCT b)",
    "MATCH (a:A)-[:R*0..2]->(b) RETURN count(DISTINCT b) + 1",
    "MATCH (a {n: 99})-[*]-(b) RETURN count(DISTINCT b)",
    "MATCH (a {n: 0})-[*1..2]-(b) RETURN DISTINCT b.n",
    "MATCH (a)-[*1..4]-(b) RETURN DISTINCT a.n, b.n",
    "MATCH (a)-[*0..2]-(b) RETURN DISTINCT a.n, b.n",
    "MATCH (a)-[*..3]->(b) RETURN DISTINCT a.n, b.n",
    "MATCH (a)-[:R*..3]->(b:A) RETURN a.n, count(DISTINCT b)",
    "MATCH (a)<-[*]-(b) RETURN DISTINCT a.n, b.n",
    "MATCH (a), (b), p = shortestPath((a)-[*..4]-(b)) RETURN a.n, b.n, length(p)",
    "MATCH (a {n: 0}), (b {n: 1}), p = shortestPath((a)-[*]-(b)) RETURN length(p)",
    "MATCH (a), (b), p = shortestPath((a)-[*]->(b)) RETURN a.n, b.n, length(p)",
    "MATCH (a), (b), p = shortestPath((a)<-[:R*]-(b)) RETURN a.n, b.n, [n IN nodes(p) | n.n][0], length(p)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn numbers_give_the_rows_of_the_steps(
        nodes in 1_usize..6,
        edges in prop::collection::vec((0_usize..6, 0_usize..6, any::<bool>()), 0..9),
    ) {
        let graph = Graph::of(nodes, &edges);
        for query in QUERIES {
            prop_assert_eq!(graph.by_numbers(query), graph.by_steps(query), "{}", query);
        }
    }
}

/// Queries of labels that the schema gives to some of the nodes found, to all, or to those only that lead on.
const STRICT_QUERIES: &[&str] = &[
    "MATCH (a:A)<-[:R]-(b:A|B)<-[:S]-(c:B)-[:R]->(d:C) RETURN count(*)",
    "MATCH (a:A)<-[:R]-(b:A|B)<-[:S]-(c:B|C)-[:S]->(d:A) WHERE a <> d RETURN count(*)",
    "MATCH (a:A)<-[:R]-(b:B)-[:S]->(c) RETURN a.n, b.n, c.n",
    "MATCH (a:A)-[:R]->(b:B)-[:R]->(c:C)-[:S]->(a) RETURN a.n, b.n, c.n",
    "MATCH (a)-[:R]-(b:B)-[:S]-(c:A) RETURN b.n, count(*)",
    "MATCH (a:A)--(b:B|C)--(c:A)--(d) RETURN count(*)",
    "MATCH (a:A)-[:R]->(b:B) WHERE NOT (b)-[:S]->(:B) RETURN a.n, b.n",
    "MATCH (a:B)-[:S]->(b:A) WHERE (b)-[:S]->(:C) RETURN a.n, b.n",
    "MATCH (a:B)-[:R]->(b:C) WHERE NOT (b)-[:S]->(a) RETURN count(*)",
    "MATCH (a:A)<-[:R]-(b:B)-[:S]->(c:B) OPTIONAL MATCH (b)-[:R]->(d:C) RETURN count(*)",
    "MATCH (a:A)<-[:R]-(b:B) OPTIONAL MATCH (b)<-[:S]-(c:B) RETURN b.n, count(*)",
    "MATCH (a:C)-[:S]->(b)<-[:R]-(c:A) RETURN count(*)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn labels_that_the_schema_gives_are_those_of_the_nodes(
        nodes in 3_usize..9,
        edges in prop::collection::vec((0_usize..9, 0_usize..9, any::<bool>()), 0..24),
    ) {
        let graph = Graph::strict(nodes, &edges);
        for query in STRICT_QUERIES {
            prop_assert_eq!(graph.by_numbers(query), graph.by_steps(query), "{}", query);
        }
    }
}

/// Every relationship of a shortest path leads from one of its nodes to the next.
#[test]
fn a_path_found_from_both_ends_holds_together() {
    let graph = Graph::of(6, &[(0, 1, true), (2, 1, false), (2, 3, true), (4, 3, true), (4, 5, false), (0, 3, true)]);
    let query = "MATCH (a {n: 0}), (b {n: 5}), p = shortestPath((a)-[*]-(b)) \
                 RETURN [n IN nodes(p) | n.n], [r IN relationships(p) | [startNode(r).n, type(r), endNode(r).n]]";
    let found = graph.by_numbers(query);
    assert_eq!(found, graph.by_steps(query));
    assert_eq!(found.len(), 1);
}

/// What is joined shows in the plan.
#[test]
fn expansions_become_one_join() {
    let plan = |text: &str| format!("{:?}", Graph::prepared(text).plan());
    let joined = plan("MATCH (a:A)--(b:B)--(c)--(a) RETURN count(*)");
    assert!(joined.contains("Both, into Both, counted") && joined.contains(":B"), "{joined}");
    let named = plan("MATCH (a)-[r]-(b)--(c) RETURN type(r), c");
    assert!(named.contains("Expand(All)") && !named.contains("Join"), "{named}");
    let all = plan("MATCH ()-[r]->() RETURN count(r)");
    assert!(all.contains("RelationshipCountFromCountStore"), "{all}");
    let pruned = plan("MATCH (a)-[*1..3]-(b) RETURN count(DISTINCT b)");
    assert!(pruned.contains("Pruning"), "{pruned}");
    assert!(!plan("MATCH (a)-[*1..3]-(b) RETURN count(b)").contains("Pruning"));
}
