//! Patterns are found in the order that the figures of a graph make cheap, and their rows do not depend on how they are
//! written.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::fmt::Write as _;
use std::sync::Arc;

use cypher_exec::{Execution, PlanNode, Prepared, Procedures, Settings};
use cypher_plan::{Labels, Statistics as _};
use cypher_statistics::limits::COUNTED_MAX;
use cypher_statistics::{GraphStatistics, Kept};
use cypher_value::{Map, Value};
use graph_access::{Budget, GraphRead as _, GraphWrite as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_model::{Direction, IdStrategy};
use graph_schema::{NewEdgeLabel, NewVertexLabel};
use graph_store::GraphReader;
use kv::MemoryEngine;
use proptest::prelude::*;

struct Graph {
    graph: Arc<HostedGraph>,
    kept: Kept,
    _store: Store,
}

impl Graph {
    fn of(texts: &[&str]) -> Self {
        let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default());
        let store = store.unwrap();
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        let own = Self { graph: store.create_graph("a", &conf).unwrap(), kept: Kept::default(), _store: store };
        texts.iter().for_each(|text| own.write(text));
        own
    }

    fn write(&self, text: &str) {
        let budget = Budget::unlimited();
        let mut unit = Box::new(self.graph.transaction(&budget));
        let procedures: Arc<Procedures> = Arc::default();
        let prepared = Arc::new(Prepared::new(text, &procedures).unwrap());
        let settings = Settings::default();
        let execution = Execution::writing(&prepared, Map::default(), &mut *unit, &settings).unwrap();
        execution.finish().unwrap();
        unit.commit().unwrap();
    }

    fn with<T>(&self, act: impl FnOnce(&GraphReader<'_>) -> T) -> T {
        let budget = Budget::unlimited();
        act(&GraphReader::new(&self.graph, &self.graph.catalogue(), &budget))
    }

    fn plan(&self, text: &str) -> Vec<(String, u64)> {
        self.with(|reader| {
            let procedures: Arc<Procedures> = Arc::default();
            let text = format!("EXPLAIN {text}");
            let prepared = Prepared::for_graph(&text, &procedures, &GraphStatistics::new(reader, &self.kept)).unwrap();
            let mut lines = Vec::new();
            let mut node = Some(prepared.plan());
            while let Some(PlanNode { operator, details, estimated, mut children, .. }) = node {
                lines.push((format!("{operator} {details}"), estimated.unwrap()));
                node = if children.is_empty() { None } else { Some(children.remove(0)) };
            }
            lines.reverse();
            lines
        })
    }

    fn rows(&self, text: &str) -> Vec<String> {
        self.with(|reader| {
            let procedures: Arc<Procedures> = Arc::default();
            let prepared = Prepared::for_graph(text, &procedures, &GraphStatistics::new(reader, &self.kept));
            let prepared = Arc::new(prepared.unwrap_or_else(|error| panic!("{text}: {error}")));
            let settings = Settings::default();
            let mut execution = Execution::reading(&prepared, Map::default(), reader, &settings).unwrap();
            let mut all: Vec<String> = Vec::new();
            loop {
                let mut rows: Vec<Vec<Value>> = Vec::new();
                execution.next_batch(&mut rows, 7).unwrap();
                if rows.is_empty() {
                    execution.finish().unwrap();
                    all.sort();
                    return all;
                }
                all.extend(rows.iter().map(|row| format!("{row:?}")));
            }
        })
    }
}

/// 3 countries, 30 cities, 300 people in them who each like one of 2,000 posts, of which all the others are liked by
/// nobody.
fn skewed() -> Graph {
    Graph::of(&[
        "UNWIND range(0, 2) AS n CREATE (:Country {n: n})",
        "UNWIND range(0, 29) AS n MATCH (c:Country {n: n % 3}) CREATE (:City {n: n})-[:IN]->(c)",
        "UNWIND range(0, 299) AS n MATCH (c:City {n: n % 30}) CREATE (:Person {n: n, even: n % 2 = 0})-[:LIVES]->(c)",
        "UNWIND range(0, 1999) AS n CREATE (:Post {n: n})",
        "UNWIND range(0, 299) AS n MATCH (a:Person {n: n}), (b:Post {n: n}) CREATE (a)-[:LIKES]->(b)",
    ])
}

#[test]
fn figures_are_those_of_the_graph() {
    let graph = skewed();
    graph.with(|reader| {
        let figures = GraphStatistics::new(reader, &graph.kept);
        let label = |name: &str| Labels::Name(name.into());
        assert_eq!(figures.nodes(None), 2333.0);
        assert_eq!(figures.nodes(Some(&label("City"))), 30.0);
        assert_eq!(figures.nodes(Some(&Labels::Or(vec![label("City"), label("Country")]))), 33.0);
        assert_eq!(figures.nodes(Some(&label("Nothing"))), 0.0);
        let degree = |from: &str, direction, kind: &str, to: &str| {
            figures.degree(Some(&label(from)), direction, Some(&label(kind)), Some(&label(to)))
        };
        assert_eq!(degree("City", Direction::Out, "IN", "Country"), 1.0);
        assert_eq!(degree("Country", Direction::In, "IN", "City"), 10.0);
        assert_eq!(degree("City", Direction::In, "LIVES", "Person"), 10.0);
        assert_eq!(degree("City", Direction::Out, "LIVES", "Person"), 0.0);
        assert_eq!(degree("City", Direction::Both, "IN", "Person"), 0.0);
        let even = figures.matching(Some(&label("Person")), &["even".into()]);
        assert!((120.0..180.0).contains(&even.found), "half of them: {even:?}");
        let one = figures.matching(Some(&label("Person")), &["n".into()]);
        assert_eq!(one.found, 1.0);
    });
}

#[test]
fn nodes_of_a_large_label_are_estimated_until_the_graph_knows_them() {
    let graph = Graph::of(&[]);
    let nodes = usize::try_from(COUNTED_MAX).unwrap() * 3 / 2;
    for begin in (0..nodes).step_by(50_000) {
        graph.write(&format!("UNWIND range({begin}, {}) AS n CREATE (:N)", (begin + 50_000).min(nodes) - 1));
    }
    graph.with(|reader| {
        let label = Labels::Name("N".into());
        let figure = |kept: &Kept| GraphStatistics::new(reader, kept).nodes(Some(&label));
        let parts = figure(&graph.kept) / nodes as f64;
        assert!((0.75..1.25).contains(&parts), "{parts} of {nodes}");
        let id = reader.catalogue().vertex_label_named("N").unwrap().id;
        assert_eq!(reader.count_vertices(Some(id)).unwrap(), nodes as u64);
        assert_eq!(figure(&Kept::default()), nodes as f64);
    });
}

/// Where a schema says which labels a type links, a node of which no label is known is thought to be of one of them.
#[test]
fn a_known_node_is_likely_to_have_what_is_asked_for() {
    let store = Store::open(Arc::new(MemoryEngine::open(key_codec::tables::TABLES)), StoreOptions::default()).unwrap();
    let strict = store.graph("hugegraph").unwrap();
    for name in ["Person", "Post"] {
        let label = NewVertexLabel { id_strategy: Some(IdStrategy::Automatic), ..NewVertexLabel::new(name) };
        strict.schema().create_vertex_label(&label).unwrap();
    }
    strict.schema().create_edge_label(&NewEdgeLabel::new("WROTE", "Person", "Post")).unwrap();
    let graph = Graph { graph: strict, kept: Kept::default(), _store: store };
    graph.write(
        "UNWIND range(1, 4) AS n CREATE (a:Person) WITH a UNWIND range(1, 24) AS m CREATE (a)-[:WROTE]->(:Post)",
    );
    graph.with(|reader| {
        let figures = GraphStatistics::new(reader, &graph.kept);
        let (wrote, post) = (Labels::Name("WROTE".into()), Labels::Name("Post".into()));
        assert_eq!((figures.nodes(None), figures.linkable(Direction::Out, Some(&wrote), Some(&post))), (100.0, 4.0));
        assert_eq!(figures.linkable(Direction::In, Some(&wrote), None), 96.0);
        assert_eq!(figures.linkable(Direction::In, Some(&wrote), Some(&post)), 0.0);
    });
}

#[test]
fn the_smallest_label_is_the_start() {
    let graph = skewed();
    for text in [
        "MATCH (p:Post)<-[:LIKES]-(a:Person)-[:LIVES]->(c:City)-[:IN]->(l:Country {n: 1}) RETURN p.n",
        "MATCH (l:Country {n: 1})<-[:IN]-(c:City)<-[:LIVES]-(a:Person)-[:LIKES]->(p:Post) RETURN p.n",
        "MATCH (a:Person)-[:LIKES]->(p:Post), (c)-[:IN]->(l:Country {n: 1}), (a)-[:LIVES]->(c:City) RETURN p.n",
    ] {
        let plan = graph.plan(text);
        assert!(plan[0].0.contains(":Country"), "{plan:#?}");
        assert_eq!(graph.rows(text).len(), 100, "{text}");
    }
}

/// A node by its value is the start where it is at hand, and so is the label that leads to the fewest relationships.
#[test]
fn degrees_decide_where_labels_do_not() {
    let graph = Graph::of(&[
        "UNWIND range(0, 99) AS n CREATE (:A {n: n}), (:B {n: n})",
        "UNWIND range(0, 999) AS n MATCH (a:A {n: n % 100}), (b:B {n: n % 10}) CREATE (a)-[:R]->(b)",
        "MATCH (b:B) CREATE (b)-[:S]->(:C {n: b.n})",
        "UNWIND range(100, 399) AS n CREATE (:C {n: n})",
    ]);
    // From A it is ten relationships a node, from C a quarter.
    let plan = graph.plan("MATCH (a:A)-[:R]->(b:B)-[:S]->(c:C) RETURN a.n, c.n");
    assert!(plan[0].0.contains(":B"), "{plan:#?}");
    let step = plan.iter().position(|(line, _)| line.contains("Out :S")).unwrap();
    assert!(plan.iter().position(|(line, _)| line.contains(":R")).unwrap() >= step, "{plan:#?}");
    assert_eq!(plan.last().unwrap().1, 1000, "{plan:#?}");
}

/// A pattern that closes is closed as soon as it can be.
#[test]
fn what_is_known_at_both_ends_comes_first() {
    let graph = Graph::of(&[
        "UNWIND range(0, 49) AS n CREATE (:A {n: n})",
        "MATCH (a:A), (b:A) WHERE (a.n + b.n) % 7 = 0 AND a.n < b.n CREATE (a)-[:R]->(b)",
        "MATCH (a:A) CREATE (a)-[:T]->(:B {n: a.n}), (a)-[:T]->(:B {n: -a.n})",
    ]);
    let text = "MATCH (a:A)-[:R]-(b:A), (b)-[:R]-(c:A), (a)-[:T]->(d), (b)-[:T]->(e), (c)-[:R]-(a) \
                RETURN a.n, b.n, c.n, d.n, e.n";
    let lines: String = graph.plan(text).iter().fold(String::new(), |text, line| text + &line.0 + "; ");
    let (into, leaf) = (lines.find("into").unwrap(), lines.find(":T").unwrap());
    assert!(into < leaf, "{lines}");
}

/// Parts of a pattern, each a relationship; in any order, each in either direction, they mean the same.
const PARTS: [(&str, &str, &str, &str); 6] = [
    ("a:A", "-[:R]->", "<-[:R]-", "b"),
    ("b", "-[:R]-", "-[:R]-", "c"),
    ("c", "-[:S]->", "<-[:S]-", "d:B"),
    ("a", "-[:S]-", "-[:S]-", "c"),
    ("b", "-[:S*1..2]->", "<-[:S*1..2]-", "e"),
    ("d", "-[x:R]->", "<-[x:R]-", "f"),
];

fn name(node: &str) -> &str {
    node.split(':').next().unwrap_or(node)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn rows_do_not_depend_on_how_a_pattern_is_written(
        nodes in 1_usize..7,
        edges in prop::collection::vec((0_usize..7, 0_usize..7, any::<bool>()), 0..14),
        taken in prop::collection::vec(any::<bool>(), PARTS.len()),
        order in Just((0..PARTS.len()).collect::<Vec<usize>>()).prop_shuffle(),
        turned in prop::collection::vec(any::<bool>(), PARTS.len()),
        ending in 0_usize..4,
    ) {
        let mut text = String::from("CREATE (z:Z {n: -1})");
        for node in 0..nodes {
            write!(text, ", (n{node}:{} {{n: {node}}})", if node % 2 == 0 { "A" } else { "B" }).unwrap();
        }
        for (from, to, is_first) in &edges {
            write!(text, ", (n{})-[:{}]->(n{})", from % nodes, if *is_first { "R" } else { "S" }, to % nodes).unwrap();
        }
        let graph = Graph::of(&[&text]);
        let mut parts: Vec<usize> = (0..PARTS.len()).filter(|at| taken[*at]).collect();
        if parts.is_empty() {
            parts.push(0);
        }
        let mut names: Vec<&str> = parts.iter().flat_map(|at| [name(PARTS[*at].0), name(PARTS[*at].3)]).collect();
        names.sort_unstable();
        names.dedup();
        let (first, last) = (names[0], names[names.len() - 1]);
        let conditions = match ending {
            1 if first != last => format!(" WHERE {first} <> {last} AND {first}.n >= 0"),
            2 => format!(" WHERE NOT ({first})-[:R]->({last}) AND ({last})--()"),
            3 => format!(" WHERE {last}.n IN [0, 1, 2, 3]"),
            _ => String::new(),
        };
        let written = |order: &[usize], turned: &[bool]| {
            let own: Vec<String> = order.iter().filter(|at| parts.contains(at)).map(|at| {
                let (left, arrow, back, right) = PARTS[*at];
                if turned[*at] { format!("({right}){back}({left})") } else { format!("({left}){arrow}({right})") }
            }).collect();
            own.join(", ")
        };
        let plain = written(&(0..PARTS.len()).collect::<Vec<_>>(), &[false; PARTS.len()]);
        let other = written(&order, &turned);
        let columns: Vec<String> = names.iter().map(|name| format!("{name}.n")).collect();
        for returned in [columns.join(", "), "count(*) AS n".to_owned(), format!("{first}.n AS k, count(*) AS n")] {
            let ask = |pattern: &str| graph.rows(&format!("MATCH {pattern}{conditions} RETURN {returned}"));
            prop_assert_eq!(ask(&plain), ask(&other), "{} | {} | {} | {}", plain, other, conditions, returned);
        }
        // There are as many rows as are counted.
        let counted: usize = graph.rows(&format!("MATCH {plain}{conditions} RETURN {}", columns.join(", "))).len();
        let total = graph.rows(&format!("MATCH {other}{conditions} RETURN count(*) AS n"));
        prop_assert_eq!(total, vec![format!("{:?}", vec![Value::Integer(i64::try_from(counted).unwrap())])]);
    }
}
