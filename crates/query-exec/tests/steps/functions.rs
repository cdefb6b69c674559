//! Functions of values.

use graph_model::ErrorKind;
use query_exec::{ExecErrorKind, Settings};

use crate::graph::Graph;

#[test]
fn functions_take_values_of_the_graph_and_of_traversals() {
    let graph = Graph::new();
    for (query, wanted) in [
        ("g.V(1).values('name').concat(' is ', 'here')", "marko is here"),
        ("g.V(4).as('a').values('name').concat(__.select('a').label())", "joshperson"),
        ("g.inject('a').concat(__.inject('b'))", "aa"),
        ("g.V(1).values('name').toUpper().substring(1, 3).reverse()", "RA"),
        ("g.inject([' a', 'b ']).trim(Scope.local)", "[a, b]"),
        ("g.inject('a-b').split('-').conjoin('+')", "a+b"),
        ("g.inject('tRUe').asBool()", "true"),
        ("g.V(1).values('age').asString().length()", "2"),
        ("g.inject('0x10').asNumber(GType.LONG)", "16"),
        ("g.inject('2024-02-28').asDate().dateAdd(day, 2)", "2024-03-01T00:00:00Z"),
        ("g.inject([3, 1, 2]).order(local).by(desc)", "[3, 2, 1]"),
        ("g.V().hasLabel('person').fold().order(local).by('age').unfold().values('name').fold()", NAMES_BY_AGE),
        ("g.V(1).valueMap('age', 'name').order(local).by(keys, desc)", "{name=[marko], age=[29]}"),
        ("g.inject([1, 2]).merge([2, 3]).order(local)", "[1, 2, 3]"),
        ("g.inject([1, 2]).product(['a'])", "[[1, a], [2, a]]"),
        ("g.inject([1, 2]).difference(__.constant(2).fold())", "[1]"),
        ("g.V(1).math('sqrt(_ + 7)').by('age')", "6.0"),
        ("g.V(1).format('%{name} is %{age}')", "marko is 29"),
    ] {
        assert_eq!(graph.texts(query), [wanted], "{query}");
    }
}

const NAMES_BY_AGE: &str = "[vadas, marko, josh, peter]";

#[test]
fn what_functions_do_not_take_is_said() {
    let graph = Graph::new();
    for (query, wanted) in [
        ("g.inject(['a']).toLower()", "The toLower() step can only take string as argument, encountered ArrayList"),
        (
            "g.inject([1]).lTrim(Scope.local)",
            "The lTrim(local) step can only take string or list of strings, encountered Integer",
        ),
        ("g.inject(1).concat('a')", "String concat() can only take string as argument, encountered Integer"),
        ("g.inject(null).conjoin('a')", "Incoming traverser for conjoin step can't be null"),
        ("g.V().fold().combine(null)", "Argument provided for combine step can't be null"),
        ("g.V().fold().merge(['k': 'v'])", "merge step type mismatch: expected argument to be Iterable but got Map"),
        ("g.inject(1).asNumber(GType.VERTEX)", "asNumber() requires a numeric type token, got VERTEX"),
        ("g.inject([1]).asDate()", "Can't parse ArrayList as Date."),
    ] {
        assert_eq!(graph.error(query), wanted, "{query}");
    }
}

#[test]
fn results_that_grow_are_bounded() {
    let graph = Graph::new();
    let settings = Settings { memory_max: 1 << 20, ..Settings::default() };
    for query in [
        "g.inject('ab').repeat(__.concat(__.identity())).times(60)",
        "g.inject('ab').repeat(__.replace('a', 'aab')).times(60)",
        "g.inject([1, 2]).repeat(__.combine(__.identity())).times(60)",
        "g.inject([1, 2]).repeat(__.product(__.identity())).times(60)",
        "g.inject([1, 2]).repeat(__.combine(__.identity())).times(10).unfold().asString().fold().conjoin(', , , ')
            .repeat(__.split('').conjoin(', ')).times(60)",
    ] {
        let error = graph.run(query, &settings).map(|results| results.len()).expect_err(query);
        assert_eq!(error.kind, ExecErrorKind::Access(ErrorKind::LimitExceeded), "{query}: {error}");
    }
}

#[test]
fn large_texts_that_are_kept_count_as_such() {
    let graph = Graph::new();
    let settings = Settings { memory_max: 1 << 20, ..Settings::default() };
    let text = "a".repeat(4000);
    let walks = "g.V().repeat(__.both()).times(7)";
    let count = graph.run(&format!("{walks}.constant('{text}').concat('x').count()"), &settings);
    assert!(matches!(count.unwrap()[0], query_value::Value::Long(300..10_000)));
    for end in ["fold()", "group().by(__.length())", "aggregate('x').cap('x')"] {
        let different = "map(__.path().by(id).conjoin(','))";
        let query = format!("{walks}.{different}.concat('{text}').{end}");
        let error = graph.run(&query, &settings).map(|results| results.len()).expect_err(end);
        assert_eq!(error.kind, ExecErrorKind::Access(ErrorKind::LimitExceeded), "{end}: {error}");
    }
}

#[test]
fn what_is_thrown_away_is_not_counted() {
    let graph = Graph::new();
    let settings = Settings { memory_max: 100_000, ..Settings::default() };
    for inner in [
        "__.filter(__.both())",
        "__.optional(__.both().discard())",
        "__.map(__.both().fold())",
        "__.both().dedup().count()",
        "__.both().group().by(id)",
        "__.both().groupCount()",
    ] {
        let query = format!("g.V(1).repeat(__.sideEffect({inner})).times(3000).count()");
        let results = graph.run(&query, &settings).unwrap_or_else(|error| panic!("{inner}: {error}"));
        assert_eq!(results, [query_value::Value::Long(1)], "{inner}");
    }
}

#[test]
fn collections_count_for_as_long_as_they_are_alive() {
    let graph = Graph::new();
    let settings = Settings { memory_max: 1 << 20, batch: 16, ..Settings::default() };
    let list = format!("[{}]", (0..100).map(|number| number.to_string()).collect::<Vec<_>>().join(","));
    let kept = format!("g.V().repeat(__.both()).times(7).path().combine({list}).fold()");
    let error = graph.run(&kept, &settings).map(|results| results.len()).expect_err("they are kept");
    assert_eq!(error.kind, ExecErrorKind::Access(ErrorKind::LimitExceeded), "{error}");
    let passing = format!("g.V().repeat(__.both()).times(7).path().combine({list}).count()");
    assert_eq!(graph.run(&passing, &settings).unwrap().len(), 1);
    let thrown = format!("g.V(1).repeat(__.sideEffect(__.both().fold().combine({list}))).times(3000).count()");
    assert_eq!(graph.run(&thrown, &settings).unwrap(), [query_value::Value::Long(1)]);
}
