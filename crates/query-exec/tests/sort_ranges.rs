//! Conditions on sort keys read a range of a vertex's edges: what they give is what all edges give.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod harness;

use graph_access::{Budget, EdgeRead, EdgeRow, SortRange, WalkRead as _};
use graph_model::{Cardinality, DataType, Direction, VertexId};
use graph_schema::{Frequency, NewEdgeLabel, NewPropertyKey};
use graph_store::GraphReader;
use query_value::Value;

use crate::harness::Graph;

/// Vertices 1 to 40; the first has 120 edges `rate` with scores from -60 to 59 and one of three notes, and `visit` on
/// 30 days; each of the others has three of both.
fn graph() -> Graph {
    let own = Graph::with_schema();
    let schema = own.hosted().schema();
    for (key, data_type) in [("score", DataType::Int), ("note", DataType::Text), ("day", DataType::Date)] {
        schema.create_property_key(&NewPropertyKey::new(key, data_type, Cardinality::Single)).unwrap();
    }
    for (label, keys) in [("rate", vec!["score", "note"]), ("visit", vec!["day"]), ("tag", vec!["note", "score"])] {
        let keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
        let label = NewEdgeLabel {
            frequency: Some(Frequency::Multiple),
            properties: keys.clone(),
            sort_keys: keys,
            ..NewEdgeLabel::new(label, "person", "person")
        };
        schema.create_edge_label(&label).unwrap();
    }
    for at in 1..=40 {
        own.run(&format!("g.addV('person').property(id, {at})"));
    }
    let edge = |from: i32, at: i32| {
        let (to, note, score) = (at.rem_euclid(39) + 2, ["a", "ab", "a!b"][at.rem_euclid(3) as usize], at - 60);
        for label in ["rate", "tag"] {
            own.run(&format!(
                "g.V({from}).addE('{label}').to(__.V({to})).property('score', {score}).property('note', '{note}')"
            ));
        }
        if at < 30 {
            let day = format!("datetime('2024-06-{:02}T12:00:00Z')", at + 1);
            own.run(&format!("g.V({from}).addE('visit').to(__.V({to})).property('day', {day})"));
        }
    };
    (0..120).for_each(|at| edge(1, at));
    for from in 2..=40 {
        [3, 17, 29].into_iter().for_each(|at| edge(from, at + from));
    }
    own
}

const QUERIES: [&str; 26] = [
    "g.V(1).outE('rate').has('score', gt(3)).values('score')",
    "g.V(1).outE('rate').has('score', gte(-3)).has('score', lt(4)).values('score')",
    "g.V(1).outE('rate').has('score', between(-5, 5)).count()",
    "g.V(1).outE('rate').has('score', inside(-5L, 5)).inV().id()",
    "g.V(1).outE('rate').has('score', P.gt(2).and(P.lt(9))).values('note')",
    "g.V(1).outE('rate').has('score', P.gt(2).or(P.lt(-50))).count()",
    "g.V(1).outE('rate').has('score', outside(-5, 5)).count()",
    "g.V(1).outE('rate').has('score', 7).values('note')",
    "g.V(1).outE('rate').has('score', 7.0d).values('note')",
    "g.V(1).outE('rate').has('score', 7).has('note', gte('ab')).count()",
    "g.V(1).outE('rate').has('score', gt(9)).has('score', lt(3)).count()",
    "g.V(1).outE('rate').has('score', gt(2.5d)).count()",
    "g.V(1).outE('rate').has('score', lte(9999999999L)).count()",
    "g.V(1).outE('rate').has('score', neq(3)).count()",
    "g.V(1).outE('rate', 'visit').has('score', gt(50)).count()",
    "g.V(1).outE().has('score', gt(50)).count()",
    "g.V(1).outE('tag').has('note', 'a').values('score')",
    "g.V(1).outE('tag').has('note', 'a!b').has('score', between(0, 20)).values('score')",
    "g.V(1).outE('tag').has('note', gt('a')).values('score')",
    "g.V(1).outE('tag').has('note', lt('ab')).values('score')",
    "g.V(1).outE('visit').has('day', between(datetime('2024-06-05T00:00:00Z'), datetime('2024-06-09T00:00:00Z')))",
    "g.V(1).outE('visit').has('day', gt(datetime('2024-06-20T12:00:00Z'))).values('day')",
    "g.V(1).outE('visit').has('day', lte(datetime('2024-06-20T12:00:00Z'))).count()",
    "g.V().outE('rate').has('score', gt(-40)).count()",
    "g.V().bothE('rate').has('score', lt(-40)).values('score').sum()",
    "g.V().where(__.inE('rate').has('score', between(-20, 0))).id()",
];

fn sorted(mut values: Vec<Value>) -> Vec<Value> {
    values.sort_by(query_value::order);
    values
}

#[test]
fn ranges_give_what_all_edges_give() {
    let own = graph();
    for query in QUERIES {
        // A unit reads all edges, a reader the range of them.
        let all = sorted(own.run(query));
        assert_eq!(sorted(own.read(query).unwrap()), all, "{query}");
    }
    own.same("g.V(1).outE('rate').has('score', gt(3)).count()", &[Value::Long(56)]);
    own.same("g.V(1).outE('rate').has('score', between(-5, 5)).count()", &[Value::Long(10)]);
}

/// The edges that a reader gives for a range.
fn read(own: &Graph, owners: &[i64], range: &SortRange) -> usize {
    let budget = Budget::unlimited();
    let catalogue = own.hosted().catalogue();
    let reader = GraphReader::new(own.hosted(), &catalogue, &budget);
    let ids: Vec<VertexId> = owners.iter().map(|id| VertexId::Number(*id)).collect();
    let refs: Vec<&VertexId> = ids.iter().collect();
    let labels = [range.label];
    let edges = EdgeRead { direction: Direction::Out, labels: Some(&labels), limit: None, properties: false };
    let mut cursor = reader.edges_in(&refs, edges, std::slice::from_ref(range)).unwrap();
    let (mut batch, mut count): (Vec<EdgeRow>, usize) = (Vec::new(), 0);
    loop {
        // Small batches end within ranges.
        cursor.next_batch(&mut batch, 3).unwrap();
        if batch.is_empty() {
            return count;
        }
        count += batch.drain(..).count();
    }
}

#[test]
fn only_rows_of_the_range_are_read() {
    let own = graph();
    let label = own.hosted().catalogue().edge_label_named("rate").unwrap().id;
    let number = graph_model::Value::Long;
    let range = |low, high| SortRange { label, equal: Vec::new(), is_whole: false, low, high };
    assert_eq!(read(&own, &[1], &range(None, None)), 120);
    assert_eq!(read(&own, &[1], &range(Some(number(-3)), Some(number(3)))), 7);
    assert_eq!(read(&own, &[1], &range(Some(number(50)), None)), 10);
    assert_eq!(read(&own, &[1], &range(None, Some(number(-51)))), 10);
    assert_eq!(read(&own, &[1], &range(Some(number(3)), Some(number(-3)))), 0);
    let equal = SortRange { equal: vec![number(5)], ..range(None, None) };
    assert_eq!(read(&own, &[1], &equal), 1);
    // Of many vertices all are read in one pass.
    let all: Vec<i64> = (1..=40).collect();
    let expected: usize = all.iter().map(|id| read(&own, &[*id], &range(Some(number(-20)), Some(number(3))))).sum();
    assert!(expected > 24, "{expected}");
    assert_eq!(read(&own, &all, &range(Some(number(-20)), Some(number(3)))), expected);
}

#[test]
fn the_plan_shows_the_conditions() {
    let text = "g.V(1).outE('rate').has('score', gt(3)).count()";
    let parsed = gremlin::parse(text, []).unwrap();
    let [gremlin::Statement::Expression(gremlin::Expression::Query(query))] = parsed.statements.as_slice() else {
        panic!("{text}")
    };
    let traversal = gremlin::lower(&query.bytecode, &mut gremlin::Bindings::default()).unwrap();
    let shown = query_plan::explain(&gremlin_plan::plan(&traversal).unwrap());
    assert!(shown.contains("ConditionsIntoExpand") && shown.contains("conditions: [(\"score\""), "{shown}");
}
