//! Queries whose results depend on which traversers a step has seen, on chance with a seed, or on strategies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod harness;

use harness::{Graph, texts};
use query_value::Value;

/// Four persons: a knows b and c, b knows d, c knows d; the weights of the edges are 1, 2, 3 and 4.
fn persons() -> Graph {
    let graph = Graph::new();
    for (id, name) in [(1, "a"), (2, "b"), (3, "c"), (4, "d")] {
        graph.run(&format!("g.addV('person').property(T.id, {id}).property('name', '{name}')"));
    }
    for (weight, (from, to)) in [(1, (1, 2)), (2, (1, 3)), (3, (2, 4)), (4, (3, 4))] {
        graph.run(&format!("g.V({from}).addE('knows').to(__.V({to})).property('w', {weight})"));
    }
    graph
}

#[test]
fn a_round_of_a_loop_is_seen_as_a_whole() {
    let graph = persons();
    graph.same("g.V().repeat(both().sample(1)).times(2).count()", &[Value::Long(1)]);
    graph.same("g.V().repeat(dedup().both()).times(2).count()", &[Value::Long(0)]);
    let sorted = "g.V().repeat(out().order().by('name', desc)).times(1).values('name')";
    graph.same(sorted, &texts(["d", "d", "c", "b"]));
    graph.same("g.V(1, 4).repeat(both().limit(1)).times(1).count()", &[Value::Long(1)]);
    // Equal traversers of a round are one, also where labels are kept: 2^40 of them are counted at once.
    graph.same("g.V(1).repeat(both()).times(40).as('x').select('x').count()", &[Value::Long(1 << 40)]);
}

#[test]
fn what_follows_a_side_effect_sees_all_of_it() {
    let graph = persons();
    graph.same("g.V().groupCount('n').by('name').select('n').count(local).dedup()", &[Value::Long(4)]);
    graph.same("g.V().group('n').by('name').select('n').count(local).dedup()", &[Value::Long(4)]);
    graph.same("g.V(1).out().tree('t').select('t').count(local)", &[Value::Long(1), Value::Long(1)]);
    let lazily = "g.V().local(groupCount('n').by('name').select('n').count(local))";
    graph.same(lazily, &[Value::Long(1), Value::Long(2), Value::Long(3), Value::Long(4)]);
    let assigned = "g.withSideEffect('a', [0], assign).V().aggregate('a').by('name').cap('a').unfold()";
    graph.same(assigned, &texts(["a", "b", "c", "d"]));
    graph.same(
        "g.V().group().by(label).by(out().values('name').dedup().count()).select(values).unfold()",
        &[Value::Long(3)],
    );
}

#[test]
fn a_seed_decides_what_chance_chooses() {
    let graph = persons();
    let seeded = "g.withStrategies(new SeedStrategy(seed: 999999)).V().order().by('name')";
    for random in ["coin(0.5d)", "sample(2)", "order().by(shuffle)", "fold().sample(local, 2).unfold()"] {
        let query = format!("{seeded}.{random}.values('name')");
        assert_eq!(graph.run(&query), graph.run(&query), "{query}");
    }
    graph.count("g.V().sample(3)", 3);
    graph.count("g.V().outE().sample(9).by('w')", 4);
    graph.count("g.V().coin(0.0d)", 0);
    graph.count("g.V().coin(1.0d)", 4);
}

#[test]
fn strategies_filter_edges_and_properties() {
    let graph = persons();
    let heavy = "g.withStrategies(new SubgraphStrategy(edges: __.has('w', gt(1))))";
    graph.same(&format!("{heavy}.V(1).out().values('name')"), &texts(["c"]));
    graph.same(&format!("{heavy}.V(2).both('knows').values('name')"), &texts(["d"]));
    graph.run("g.V(1).property(list, 'city', 'x', 'since', 1).property(list, 'city', 'y', 'since', 9)");
    let recent = "g.withStrategies(new SubgraphStrategy(vertexProperties: __.has('since', gt(5))))";
    graph.same(&format!("{recent}.V(1).values('city')"), &texts(["y"]));
    graph.same(&format!("{recent}.V(2).outE().values('w')"), &[Value::Int(3)]);
    let part = "g.withStrategies(new PartitionStrategy(partitionKey: 'p', writePartition: 'x', readPartitions: ['x']))";
    graph.count(&format!("{part}.mergeV([name: 'a'])"), 1);
    graph.count(&format!("{part}.mergeV([name: 'a'])"), 1);
    graph.count("g.V().has('name', 'a')", 2);
}

#[test]
fn ways_are_chosen_by_traversals_and_begin_queries() {
    let graph = persons();
    let branch = "g.V(1, 2).branch(identity()).option(has('name', 'a'), constant('first')).option(any, values('name'))";
    graph.same(branch, &texts(["first", "a", "b"]));
    graph.same("g.union(constant('x'), V(4).values('name'))", &texts(["x", "d"]));
    graph.same("g.withSideEffect('m', 7).union(select('m'))", &[Value::Int(7)]);
    graph.same("g.V(1).choose(out()).option(none, constant('n')).option(none, constant('m'))", &texts(["n"]));
    graph.same("g.withoutStrategies(ConnectiveStrategy).V(1).has('name', 'a').or().has('name', 'b')", &[]);
    graph.refuses("g.V().valueMap().by(unfold()).by()", "step can only have one by modulator");
    graph.same("g.inject(null, null).sum()", &[Value::Null]);
    graph.same("g.inject().sum()", &[]);
}

#[test]
fn injected_values_have_paths_of_their_own() {
    let graph = persons();
    let both = "g.V(1).out().values('name').inject('x').as('i')";
    graph.same(&format!("{both}.path().count(local)"), &[Value::Long(1), Value::Long(3), Value::Long(3)]);
    graph.same(&format!("{both}.select('i')"), &texts(["x", "b", "c"]));
    graph.same("g.V(1).local(inject('x')).path().count(local)", &[Value::Long(1), Value::Long(1)]);
}

/// What a scan gives by value is what its elements give: those with a label of their own are made.
#[test]
fn scans_that_only_group_give_what_their_elements_give() {
    for is_auto in [false, true] {
        let graph = if is_auto { Graph::new() } else { Graph::with_schema() };
        for at in 0..200 {
            let age = if at % 9 == 0 { String::new() } else { format!(".property('age', {})", at % 7) };
            graph.run(&format!("g.addV('person').property(id, {at}).property('name', 'n{}'){age}", at % 5));
            if at > 0 {
                graph.run(&format!("g.V({at}).addE('knows').to(__.V({}))", at / 2));
            }
        }
        if is_auto {
            graph.run("g.V(1, 2).property(list, 'age', 3).property(list, 'age', 4L)");
            graph.run("g.addV('robot').property('name', 'n1').property('age', 1.5d)");
            graph.run("g.addV('robot').property('name', 'n1').property('age', 3L)");
            graph.run("g.V(1).addE('owns').to(__.V(2)).property('age', 3)");
        }
        for rest in [
            "groupCount().by('age')",
            "groupCount().by('name')",
            "groupCount().by('nothing')",
            "groupCount().by(label)",
            "label().groupCount()",
            "label().dedup().count()",
            "values('age').groupCount()",
            "values('age').count()",
            "values('age').sum()",
            "values('age').mean()",
            "values('age').max()",
            "values('age').min()",
            "values('age').dedup().count()",
            "values('nothing').sum()",
        ] {
            for source in
                ["V()", "V().hasLabel('person')", "V().hasLabel('person', 'robot')", "V().hasLabel('x')", "E()"]
            {
                let grouped = format!("g.{source}.{rest}");
                let made = graph.run(&format!("g.{source}.as('x').{rest}"));
                graph.same(&grouped, &made);
                let plan = graph.plan(&grouped);
                assert!(plan.contains("GroupsWithoutElements"), "{grouped}: {plan}");
            }
        }
        // What a query has written, it counts.
        let written = graph.run("g.addV('person').property(id, 1000).property('age', 77).V().groupCount().by('age')");
        assert!(format!("{written:?}").contains("77"), "{written:?}");
        let own = graph.run("g.addV('person').property(id, 1001).V().hasLabel('person').values('age').max()");
        assert_eq!(own.iter().map(Value::as_i64).collect::<Vec<_>>(), [Some(77)]);
    }
}
