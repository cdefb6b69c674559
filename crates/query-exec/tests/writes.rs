//! Queries that write, most of them on graphs that make their own schema: ids, several values of a key, properties of
//! properties, merges.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod harness;

use harness::{Graph, texts};
use query_value::Value;

#[test]
fn ids_are_those_that_were_given() {
    let graph = Graph::new();
    graph.run("g.addV('a').property(T.id, 1L).as('x').addV('a').property(T.id, 2).as('y').addE('e').from('x').to('y')");
    graph.run("g.addV('a').property(T.id, '1').addV('a').property(T.id, UUID('00000000-0000-0000-0000-000000000007'))");
    // Whatever way leads to a vertex, its id has the type it was created with.
    for script in ["g.V(1).id()", "g.V(2).in().id()", "g.E().outV().id()", "g.V().hasId(1L).values().V(1).id()"] {
        if script.contains("values") {
            graph.same(script, &[]);
        } else {
            graph.same(script, &[Value::Long(1)]);
        }
    }
    let results = graph.run("g.V(2).in('e')");
    assert!(matches!(&results[0], Value::Vertex(vertex) if vertex.id == Value::Long(1) && vertex.label == "a"));
    let results = graph.run("g.E()");
    assert!(
        matches!(&results[0], Value::Edge(edge) if edge.source.id == Value::Long(1) && edge.target.id == Value::Int(2))
    );
    graph.same("g.V(2).in().elementMap().unfold().limit(1).select(values)", &[Value::Long(1)]);
    // Vertices are the same, however they were reached.
    graph.count("g.V(1).as('x').out().in().where(eq('x'))", 1);
    graph.count("g.union(V(1), V(2).in()).dedup()", 1);
    // A text names what has it as its text.
    graph.count("g.V('1')", 2);
    graph.count("g.V().hasId('1')", 2);
    graph.count("g.V().hasId('1', '2')", 3);
    graph.count("g.V(1)", 1);
    graph.same("g.V('00000000-0000-0000-0000-000000000007').id()", &[Value::Uuid(7)]);
    graph.refuses("g.addV('b').property(T.id, 1)", "Vertex with id already exists: 1");
    graph.refuses("g.addV('b').property(T.id, 1.5)", "vertex id cannot be");
    let made = graph.run("g.addV().id()");
    assert!(matches!(made[0], Value::Long(_)));
    graph.same("g.V().hasLabel('vertex').count()", &[Value::Long(1)]);
}

#[test]
fn edges_have_ids_and_are_found_by_them() {
    let graph = Graph::new();
    graph.run("g.addV('a').property(T.id, 1).addV('a').property(T.id, 2)");
    graph.run("g.V(1).as('x').V(2).addE('e').from('x').property(T.id, 7L).property('w', 0.5d)");
    graph.run("g.V(1).as('x').V(2).addE('e').from('x').property(T.id, 'seven')");
    graph.run("g.V(1).as('x').V(2).addE('e').from('x')");
    graph.same("g.V(1).out('e').id()", &[Value::Int(2), Value::Int(2), Value::Int(2)]);
    graph.same("g.E(7).id()", &[Value::Long(7)]);
    graph.same("g.E('7').values('w')", &[Value::Double(0.5)]);
    graph.same("g.E('seven').inV().id()", &[Value::Int(2)]);
    graph.refuses("g.V(1).addE('e').to(__.V(2)).property(T.id, 7)", "Edge with id already exists: 7");
    graph.run("g.E(7).property('w', 'x').property('v', 1)");
    graph.same("g.E(7).values('w', 'v')", &[Value::from("x"), Value::Int(1)]);
    graph.same("g.E(7).properties('w').element().values('v')", &[Value::Int(1)]);
    graph.run("g.E(7).properties('v').drop()");
    graph.same("g.E().values()", &texts(["x"]));
    graph.run("g.E(7L).drop()");
    graph.count("g.E()", 2);
    graph.run("g.V(2).drop()");
    graph.count("g.E()", 0);
}

#[test]
fn a_key_has_several_values_with_properties_of_their_own() {
    let graph = Graph::new();
    graph.run("g.addV('a').property(T.id, 1).property('n', 'x').property('n', 'y')");
    graph.same("g.V().values('n')", &texts(["x", "y"]));
    graph.run("g.V(1).property(list, 'n', 'y').property(set, 'n', 'x').property(set, 'n', 1)");
    graph.same("g.V().values('n')", &[Value::from("x"), Value::from("y"), Value::from("y"), Value::Int(1)]);
    graph.same("g.V().properties('n').id().dedup().count()", &[Value::Long(4)]);
    graph.count("g.V().has('n', 1L)", 1);
    graph.run("g.V(1).properties('n').hasValue('y').limit(1).drop()");
    graph.same("g.V().valueMap().select('n').unfold()", &[Value::from("x"), Value::from("y"), Value::Int(1)]);
    graph.run("g.V(1).property(single, 'n', 'z', 'since', 2000, 'by', 'me')");
    graph.same("g.V().properties('n').values('since')", &[Value::Int(2000)]);
    graph.same("g.V().properties('n').has('since', gt(1999)).value()", &texts(["z"]));
    graph.same("g.V().properties('n').properties('since').element().value()", &texts(["z"]));
    graph.same("g.V().properties('n').element().id()", &[Value::Int(1)]);
    graph.same("g.V(1).properties('n').property('since', 2001).values('since')", &[Value::Int(2001)]);
    graph.run("g.V(1).properties('n').properties('by').drop()");
    graph.same("g.V().properties('n').properties().key()", &texts(["since"]));
    graph.run("g.V(1).property(list, 'n', 'w', T.id, 33)");
    graph.same("g.V().properties('n').hasId(33).value()", &texts(["w"]));
    // A null is not stored, and removes what it would have replaced.
    graph.run("g.V(1).property('n', null).property('m', null)");
    graph.count("g.V().properties()", 0);
    graph.refuses("g.V(1).property('n', __.V(1))", "cannot be the value of a property");
}

#[test]
fn values_keep_their_types_and_what_a_query_writes_it_reads() {
    let graph = Graph::new();
    let values = ["1b", "1s", "1", "1l", "1n", "1.5f", "1.5d", "1.5m", "'t'", "true", "[1, 't']", "{1, 2}", "['k': 1]"];
    for value in values {
        let read = graph.run(&format!("g.addV('v').property('p', {value}).values('p')"));
        let given = graph.run(&format!("g.inject({value})"));
        assert_eq!(read, given, "{value}");
    }
    graph.same("g.V().has('p', 1).count()", &[Value::Long(5)]);
    graph.same("g.inject(0).addV('new').as('a').addE('loop').to('a').outV().out('loop').label()", &texts(["new"]));
    graph.same("g.V().hasLabel('new').outE('loop').count()", &[Value::Long(1)]);
    graph.same("g.V().hasLabel('other').count()", &[Value::Long(0)]);
    graph.same("g.V().out('other').count()", &[Value::Long(0)]);
    graph.run("g.V().drop()");
    graph.count("g.V()", 0);
}

#[test]
fn merges_find_what_is_there_and_add_what_is_not() {
    let graph = Graph::new();
    for _ in 0..2 {
        graph.run("g.mergeV([(T.id): 1, (T.label): 'person', name: 'marko']).option(onCreate, [age: 29])");
        graph.run("g.mergeV([name: 'vadas']).option(onCreate, [(T.label): 'person', (T.id): 2])");
        graph.run("g.mergeE([(T.label): 'knows', (from): 1, (to): 2]).option(onMatch, [seen: true])");
    }
    graph.same("g.V().count()", &[Value::Long(2)]);
    graph.same("g.V(1).outE('knows').valueMap().select('seen')", &[Value::Bool(true)]);
    graph.run("g.mergeV([name: 'marko']).option(onMatch, [age: Cardinality.list(30)])");
    graph.same("g.V(1).values('age')", &[Value::Int(29), Value::Int(30)]);
    let merge = "g.V(2).as('v').mergeE([(T.label): 'self', (from): outV, (to): inV])";
    graph.run(&format!("{merge}.option(outV, select('v')).option(inV, select('v'))"));
    graph.same("g.V(2).out('self').id()", &[Value::Int(2)]);
    graph.refuses(
        "g.mergeE([(T.label): 'knows', (to): 2]).option(onCreate, [since: 1]).count().V().mergeE([(T.id): 9])",
        "Out Vertex not specified",
    );
    graph.refuses(
        "g.mergeE([(T.label): 'knows', (from): 1, (to): 77])",
        "Vertex id could not be resolved from mergeE: 77",
    );
    graph.refuses("g.mergeV([name: 'x']).option(onCreate, [name: 'y'])", "option(onCreate) cannot override values");
    graph.refuses("g.mergeV([name: 'x']).option(onMatch, [(T.label): 'y'])", "expects keys in Map to be of String");
    graph.count("g.E()", 2);
}

#[test]
fn merges_obey_a_schema() {
    let graph = Graph::with_schema();
    for _ in 0..2 {
        graph.run("g.mergeV([(T.id): 1, (T.label): 'person', name: 'marko'])");
        graph.run("g.mergeV([(T.label): 'person', name: 'vadas']).option(onCreate, [(T.id): 2])");
        graph.run("g.mergeE([(T.label): 'knows', (from): 1, (to): 2])");
        graph.run("g.mergeV([(T.label): 'person', name: 'vadas']).option(onMatch, [age: 27])");
    }
    graph.same("g.V(1).out('knows').values('age')", &[Value::Int(27)]);
    graph.count("g.V()", 2);
    graph.count("g.E()", 1);
    graph.refuses("g.mergeV([(T.label): 'robot'])", "robot");
    graph.refuses("g.mergeV([(T.label): 'person', name: 'x']).option(onCreate, [(T.id): 3, size: 1])", "size");
    graph.refuses("g.V(1).property('name', 'x', 'since', 1)", "Properties on a vertex property is not supported");
    graph.refuses("g.V(1).property('name', 'x', T.id, 1)", "User supplied identifiers for vertex properties");
}
