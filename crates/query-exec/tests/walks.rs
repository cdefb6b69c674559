//! Walks by the numbers of a reader against walks by the rows of a unit: the same results. Counts follow the writes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod harness;

use query_value::Value;

use crate::harness::Graph;

/// 60 vertices, edges of two labels from each to some others and to itself, several between the same two.
fn graph(graph: &Graph, is_auto: bool) {
    for at in 1..=60 {
        graph.run(&format!("g.addV('person').property(id, {at}).property('age', {})", at % 7));
    }
    let edges = if is_auto { vec!["knows", "likes"] } else { vec!["knows"] };
    for (label, factor) in edges.into_iter().zip([7, 11]) {
        for at in 1..=60 {
            for to in [at * factor % 60 + 1, (at + factor) % 60 + 1, at, at * at % 60 + 1] {
                graph.run(&format!("g.V({at}).addE('{label}').to(__.V({to}))"));
            }
        }
    }
}

const WALKS: [&str; 36] = [
    "g.V(1).out()",
    "g.V(1).both()",
    "g.V(1, 1, 2, 99).in('knows').id()",
    "g.V(1).both().both().count()",
    "g.V(1).both().both().dedup().count()",
    "g.V(1).both('knows').both().both().dedup()",
    "g.V().both().both().groupCount().by(id)",
    "g.V().bothE().count()",
    "g.V().outE('knows', 'likes').count()",
    "g.V().order().by(__.both().count(), desc).by(id).limit(5).id()",
    "g.V(1).repeat(__.both().dedup()).until(__.hasId(40)).path().limit(1).count(local)",
    "g.V(1).repeat(__.out()).times(4).count()",
    "g.V(1).repeat(__.out()).emit().times(3).dedup().count()",
    "g.V(1).as('a').both().dedup().both().where(eq('a')).count()",
    "g.withSack(1).V(1).out().out().sack().sum()",
    "g.V(3).out().out().path().count()",
    "g.V().local(__.out().dedup().count())",
    "g.V().where(__.out().count().is(gt(3))).count()",
    "g.V(5).out().aggregate('x').out().where(without('x')).dedup().count()",
    "g.withoutStrategies(LazyBarrierStrategy).V(1).both().both().both().count()",
    "g.V(1).both().both().limit(7).count()",
    "g.V(1).out('nobody').count()",
    "g.V(1, 1, 2).both().both().dedup().count()",
    "g.V().both().out().in().dedup().count()",
    "g.V(1).both().both().dedup().path().count()",
    "g.V(1, 2).local(__.out().both().dedup().count())",
    "g.V(1).both().as('a').both().dedup().select('a').id()",
    "g.V(1).both().both().dedup().as('b').count()",
    "g.V(1, 1, 2).both().out().in().dedup().id()",
    "g.V(1, 1, 2).both().out('knows').in().count()",
    "g.V(1).both().both().bothE().count()",
    "g.V().out().in().dedup().order().by(id).limit(3).id()",
    "g.V().order().by(__.out().both().count(), desc).by(id).limit(5).id()",
    "g.V(1).out('nobody').both().both().dedup().count()",
    "g.V(1, 99).both().out('nobody').both().dedup().id()",
    "g.withSack(1).V(1, 2).both().both().dedup().count()",
];

fn sorted(mut values: Vec<Value>) -> Vec<Value> {
    values.sort_by(query_value::order);
    values
}

#[test]
fn walks_by_numbers_give_what_walks_by_rows_give() {
    for is_auto in [false, true] {
        let own = if is_auto { Graph::new() } else { Graph::with_schema() };
        graph(&own, is_auto);
        for walk in WALKS {
            let by_rows = sorted(own.run(walk));
            // The second time neighbours are in memory.
            for _ in 0..2 {
                assert_eq!(sorted(own.read(walk).unwrap()), by_rows, "{walk}, auto: {is_auto}");
            }
        }
    }
}

#[test]
fn counts_follow_writes() {
    for is_auto in [false, true] {
        let own = if is_auto { Graph::new() } else { Graph::with_schema() };
        let check = |vertices: i64, edges: i64| {
            for (script, expected) in [
                ("g.V().count()", vertices),
                ("g.V().hasLabel('person').count()", vertices),
                ("g.V().hasLabel('nobody').count()", 0),
                ("g.E().count()", edges),
                ("g.E().hasLabel('knows').count()", edges),
            ] {
                for _ in 0..2 {
                    own.same(script, &[Value::Long(expected)]);
                }
            }
        };
        check(0, 0);
        own.run("g.addV('person').property(id, 1)");
        own.run("g.addV('person').property(id, 2)");
        check(2, 0);
        own.run("g.V(1).addE('knows').to(__.V(2))");
        check(2, 1);
        own.run("g.V(1).property('age', 3)");
        check(2, 1);
        own.run("g.V(1).drop()");
        check(1, 0);
    }
}

#[test]
fn a_unit_counts_what_it_has_written() {
    let own = Graph::with_schema();
    assert_eq!(own.read("g.V().count()").unwrap(), [Value::Long(0)]);
    assert_eq!(own.run("g.addV('person').property(id, 1); g.V().count()"), [Value::Long(1)]);
    assert_eq!(own.read("g.V().count()").unwrap(), [Value::Long(1)]);
}

#[test]
fn hops_are_joined_where_all_that_they_lead_to_is_wanted() {
    let own = Graph::new();
    let is_joined = |query: &str| own.plan(query).contains("HopsTogether");
    for query in [
        "g.V(1).both().both().count()",
        "g.V(1).both().both().dedup().count()",
        "g.V(1).out().in('knows').dedup().id()",
        "g.V(1).out().out().dedup().order().by(id).limit(3)",
        "g.V().order().by(__.out().both().count()).limit(3)",
    ] {
        assert!(is_joined(query), "{query}");
    }
    for query in [
        "g.V(1).both().count()",
        "g.V(1).both().both().id()",
        "g.V(1).both().both().dedup().limit(3)",
        "g.V(1).both().both().dedup().path()",
        "g.V(1).both().as('a').both().dedup().select('a')",
        "g.V().where(__.both().both().dedup())",
        "g.V(1).out().limit(2).out().count()",
        "g.V(1).outE().has('w', 1).inV().out().count()",
    ] {
        assert!(!is_joined(query), "{query}");
    }
}
