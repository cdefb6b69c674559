//! `match()`.

use crate::graph::Graph;

#[test]
fn patterns_are_joined_in_any_order() {
    let graph = Graph::new();
    let wanted = ["[marko, josh, lop]", "[marko, josh, ripple]"];
    for patterns in [
        "__.as('a').out('knows').as('b'), __.as('b').out('created').as('c')",
        "__.as('b').out('created').as('c'), __.as('a').out('knows').as('b')",
        "__.and(__.as('a').out('knows').as('b'), __.and(__.as('b').out('created').as('c')))",
    ] {
        let query = format!("g.V().match({patterns}).select('a', 'b', 'c').by('name').select(values)");
        assert_eq!(graph.sorted(&query), wanted, "{query}");
    }
}

#[test]
fn conditions_wait_for_their_labels() {
    let graph = Graph::new();
    let names =
        |patterns: &str| graph.sorted(&format!("g.V().match({patterns}).select('a', 'b').by('name').select(values)"));
    let together = "__.where('a', neq('b')), __.as('a').out('created').as('s'), __.as('s').in('created').as('b')";
    assert_eq!(
        names(&format!("{together}, __.as('s').in('created').count().is(gt(2)), __.not(__.as('a').out('knows'))")),
        ["[josh, marko]", "[josh, peter]", "[peter, josh]", "[peter, marko]"]
    );
    assert_eq!(
        names("__.as('a').out().as('b'), __.or(__.as('b').has('name', 'vadas'), __.as('b').in().count().is(3))"),
        ["[josh, lop]", "[marko, lop]", "[marko, vadas]", "[peter, lop]"]
    );
}

#[test]
fn labels_from_outside_are_known() {
    let graph = Graph::new();
    let query = "g.V().as('a').out().as('b').match(__.as('a').out().count().as('n'), __.as('b').in().count().as('n'))
        .select('n')";
    assert_eq!(graph.texts(query), ["3"]);
    let query = "g.V(1).match(__.as('a').out('knows').as('b')).select('b').where(__.out('created')).path()";
    assert_eq!(graph.texts(query), ["path[v[1], v[4], {a=v[1], b=v[4]}, v[4]]"]);
}

#[test]
fn what_cannot_be_solved_is_said() {
    let graph = Graph::new();
    assert!(graph.error("g.V().match(__.as('a').out().as('b'), __.as('c').out().as('c'))").contains("unsolvable"));
    assert!(graph.error("g.V().match(__.out().as('b'))").contains("begin with as(label)"));
}
