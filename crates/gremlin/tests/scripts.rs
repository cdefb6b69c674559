//! Scripts as HugeGraph's users send them, and what is refused with which error.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail the test")]

use gremlin::{
    Bindings, Expression, Method, Query, Source, Statement, Target, Terminal, TransactionCall, Value, lower, parse,
};

fn statements(script: &str) -> Vec<Statement> {
    parse(script, []).unwrap_or_else(|error| panic!("{script}: {error}")).statements
}

fn query(script: &str) -> Query {
    match statements(script).as_slice() {
        [Statement::Expression(Expression::Query(query))] => (**query).clone(),
        other => panic!("{script}: {other:?}"),
    }
}

/// The canonical text of a traversal.
fn canonical(script: &str) -> String {
    let query = query(script);
    let traversal = lower(&query.bytecode, &mut Bindings::default());
    traversal.unwrap_or_else(|error| panic!("{script}: {error}")).to_string()
}

fn refused(script: &str) -> String {
    match parse(script, []) {
        Err(error) => error.to_string(),
        Ok(script) => match script.statements.into_iter().next() {
            Some(Statement::Expression(Expression::Query(query))) => {
                let error = lower(&query.bytecode, &mut Bindings::default()).expect_err("an error");
                error.to_string()
            }
            other => panic!("accepted: {other:?}"),
        },
    }
}

#[test]
fn the_map_script_of_an_assistant() {
    let script = "def res = [:];\nres.vertex_num = g.V().count().next();\n  res['edge_num'] = g.E().count().next()\n\
                  res.vertices = g.V().id().limit(10000).toList()\nreturn res";
    let statements = statements(script);
    assert_eq!(statements.len(), 5);
    assert_eq!(
        statements.first(),
        Some(&Statement::Assign {
            target: Target::Variable("res".into()),
            value: Expression::Value(Value::Map(vec![]))
        })
    );
    let Some(Statement::Assign { target: Target::Entry(map, key), value: Expression::Query(query) }) =
        statements.get(2)
    else {
        panic!("{statements:?}");
    };
    assert_eq!(map, &Expression::Variable("res".into()));
    assert_eq!(key, &Value::Text("edge_num".into()));
    assert_eq!(query.terminal, Some(Terminal::Next(None)));
    assert_eq!(statements.last(), Some(&Statement::Return(Expression::Variable("res".into()))));
}

#[test]
fn the_schema_builder() {
    let script = "graph.schema().propertyKey(\"age\").asInt().ifNotExist().create();\n\
                  hugegraph.schema().vertexLabel('person').properties('name', 'age').primaryKeys('name').create()";
    let statements = statements(script);
    let [Statement::Expression(Expression::Schema { graph, calls }), Statement::Expression(second)] =
        statements.as_slice()
    else {
        panic!("{statements:?}");
    };
    assert_eq!(graph, "graph");
    let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["propertyKey", "asInt", "ifNotExist", "create"]);
    assert!(matches!(second, Expression::Schema { graph, .. } if graph == "hugegraph"));
    assert!(refused("graph.schema().getClass()").contains("getClass"));
}

#[test]
fn vertices_and_edges_are_added() {
    let script = "marko = graph.addVertex(T.label, 'person', 'name', 'marko'); // a comment\n\
                  lop = graph.addVertex(label, 'software', 'name', 'lop')\n\
                  /* and\n an edge */ marko.addEdge('created', lop, 'weight', 0.4f)";
    let statements = statements(script);
    let Some(Statement::Expression(Expression::Method { target, method, arguments, .. })) = statements.get(2) else {
        panic!("{statements:?}");
    };
    assert_eq!(**target, Expression::Variable("marko".into()));
    assert_eq!((*method, arguments.len()), (Method::AddEdge, 4));
    assert_eq!(arguments.get(1), Some(&Value::Deferred(Box::new(Expression::Variable("lop".into())))));
}

#[test]
fn sources_have_many_names() {
    assert_eq!(query("g.V()").source, Source::Named("g".into()));
    assert_eq!(query("__g_hugegraph.V().limit(1)").source, Source::Named("__g_hugegraph".into()));
    assert_eq!(query("gmodern.E().next(2)").terminal, Some(Terminal::Next(Some(2))));
    assert_eq!(query("hugegraph.traversal().V()").source, Source::OfGraph("hugegraph".into()));
    assert!(query("g").bytecode.steps.is_empty());
    assert_eq!(
        statements("g.tx().commit()"),
        [Statement::Expression(Expression::Transaction(Source::Named("g".into()), TransactionCall::Commit))]
    );
    assert_eq!(statements("g.V().next()\ng.E().toList().size(); g.V() g.E()").len(), 4);
}

#[test]
fn results_have_methods_and_entries() {
    for script in [
        "g.V().toList().size()",
        "g.V().toList().get(0).id()",
        "g.V().next().value('name')",
        "x = g.V().toList(); x[0].id()",
        "t = g.V(); t.hasNext()",
        "g.V().count().next().toString()",
        "g.V(g.V().next().id()).out()",
    ] {
        statements(script);
    }
}

#[test]
fn other_spellings_become_one() {
    for (script, text) in [
        ("g.V().store('x')", r#"g.V().aggregate(Scope.local, "x")"#),
        ("g.V().aggregate(Scope.global, 'x')", r#"g.V().aggregate("x")"#),
        ("g.V().none()", "g.V().discard()"),
        ("g.V().has('age', __.is(3))", r#"g.V().has("age", __.is(P.eq(3)))"#),
        ("g.V().has(label, 'person').order().by(desc)", r#"g.V().has(T.label, P.eq("person")).order().by(Order.desc)"#),
        ("g.V().to(OUT, 'a').toE(Direction.IN).toV(BOTH)", r#"g.V().out("a").inE().bothV()"#),
        ("g.V().hasId([1, 2]).hasLabel('a', 'b')", r#"g.V().hasId(1, 2).hasLabel("a", "b")"#),
        ("g.V().where(neq('a').and(within(['b', 'c'])))", r#"g.V().where(P.neq("a").and(P.within("b", "c")))"#),
        (
            "g.V().until(out().count().is(0)).repeat(out())",
            "g.V().until(__.out().count().is(P.eq(0))).repeat(__.out())",
        ),
        ("g.V().values('x').is(Text.contains('y'))", r#"g.V().values("x").is(TextP.containing("y"))"#),
        ("g.addE('a').property('w', 1).from('x').to('y')", r#"g.addE("a").from("x").to("y").property("w", 1)"#),
        ("g.inject(1..3, ['a'..'c'])", r#"g.inject([1, 2, 3], [["a", "b", "c"]])"#),
        (
            "g.mergeV([(T.id): 1, label: 'a']).option(onMatch, [x: single(1)])",
            r#"g.mergeV([(T.id): 1, "label": "a"]).option(Merge.onMatch, ["x": Cardinality.single(1)])"#,
        ),
        (
            "g.withStrategies(ReadOnlyStrategy, new SeedStrategy(seed: 9l)).withoutStrategies(A).V()",
            "g.withStrategies(ReadOnlyStrategy, new SeedStrategy(seed: 9l)).withoutStrategies(A).V()",
        ),
        (
            "g.V().valueMap(true).with(WithOptions.tokens, WithOptions.ids)",
            r#"g.V().valueMap(true).with("~tinkerpop.valueMap.tokens", 1)"#,
        ),
        (
            "g.V().is(typeOf(GType.LIST).or(typeOf(list)).negate())",
            "g.V().is(P.not(P.typeOf(GType.LIST).or(P.typeOf(GType.LIST))))",
        ),
    ] {
        assert_eq!(canonical(script), text, "{script}");
        assert_eq!(canonical(text), text);
    }
}

#[test]
fn bound_names_win_over_constants() {
    let script = parse("g.V().has('x', label)", ["label"]).unwrap();
    let Some(Statement::Expression(Expression::Query(query))) = script.statements.first() else { panic!() };
    let mut bindings = Bindings([("label".into(), Value::Int(1))].into());
    assert_eq!(lower(&query.bytecode, &mut bindings).unwrap().to_string(), r#"g.V().has("x", P.eq(1))"#);
    assert!(
        lower(&query.bytecode, &mut Bindings::default()).unwrap_err().to_string().contains("No such property: label")
    );
}

#[test]
fn groovy_is_refused_by_the_name_of_the_construct() {
    for (script, construct) in [
        ("g.V().filter{it.get().value('age') > 3}", "a closure"),
        ("g.V().filter({it.get().value('age') > 3})", "a closure"),
        ("g.V().map({x -> x})", "a closure"),
        ("g.V().each { println it }", "a closure"),
        ("g.V().toList().collect{ it.id() }", "a closure"),
        ("g.V().map(Lambda.function('it.get()'))", "a lambda"),
        ("System.exit(1)", "the class System"),
        ("Thread.sleep(1000)", "the class Thread"),
        ("java.lang.Runtime.getRuntime().exec('ls')", "the class java.lang"),
        ("new File('/etc/passwd').text", "'new File'"),
        ("import java.util.*", "'import'"),
        ("if (true) { g.V() }", "'if'"),
        ("for (i in 1..3) { g.addV() }", "'for'"),
        ("while (true) {}", "'while'"),
        ("def f(x) { x }", "the definition of a function"),
        ("x + 1", "the operator '+'"),
        ("1 + x", "the operator '+' on these operands"),
        ("2147483647 + 1", "the operator '+' on these operands"),
        ("1 / 2", "the operator '/'"),
        ("x == 1", "the operator '=='"),
        ("x?.id()", "the operator '?.'"),
        ("!x", "the operator '!'"),
        ("println('x')", "the function println()"),
        ("g.V().call(name: 'x')", "a named argument"),
        ("x as String", "the operator 'as'"),
    ] {
        let error = refused(script);
        assert!(error.contains(construct) && error.contains("not supported"), "{script}: {error}");
    }
    assert!(refused("''.getClass().forName('x')").contains("method getClass() cannot be called on a string"));
    assert!(refused("x.getClass()").contains("method getClass() cannot be called on a variable"));
}

#[test]
fn numbers_in_a_script_are_added_and_multiplied() {
    for (script, number) in [
        ("1+1", Value::Int(2)),
        ("40 + 2 * -1 - 1", Value::Int(37)),
        ("(1 + 2) * 3L", Value::Long(9)),
        ("0.5+1", Value::Double(1.5)),
    ] {
        assert_eq!(statements(script), [Statement::Expression(Expression::Value(number))], "{script}");
    }
}

#[test]
fn errors_name_place_and_expectation() {
    for (script, text) in [
        ("g.V().\n  outt('a')", "line 2, column 3: unknown step outt()"),
        ("g.V(", "line 1, column 5: expected a value, a traversal or a variable, found the end"),
        ("g.V().out('a'", "line 1, column 14: expected ',' or ')', found the end"),
        ("g.V().has('a", "line 1, column 11: a string is not closed"),
        ("g.V() x", "line 1, column 7: expected '.', ';' or the end, found 'x'"),
        ("g.V().has(1b2)", "line 1, column 11: '1b2' is not a number"),
        ("g.V().is(datetime('soon'))", "line 1, column 10: 'soon' is not a date and time of ISO 8601"),
        ("g.out()", "line 1, column 3: expected a method of a traversal source, such as V(), found out()"),
        ("__.V().next()", "line 1, column 8: method next() cannot be called on a traversal without a source"),
        ("g.V().is(P.foo(1))", "line 1, column 10: method foo() cannot be called on P"),
        ("g.V().order().by(Order.up)", "line 1, column 24: expected a constant of Order, found 'up'"),
        ("g.V() \u{a7}", "line 1, column 7: unexpected character '\\u{a7}'"),
        ("g.V().limit('a')", "argument 1 of limit(): expected an integer, found a string"),
        ("g.V().out(1)", "argument 1 of out(): expected a string or null, found an integer"),
        ("g.V().id(1)", "id() takes 0 arguments here, found 1"),
        ("g.V().by('a')", "by() cannot modulate V()"),
        ("g.V().times(2)", "The repeat()-traversal was not defined: times()"),
        ("g.V().has(x)", "No such property: x"),
        ("g.V().is(g.V().next())", "a traversal must be evaluated before the traversal that uses it"),
    ] {
        assert_eq!(refused(script), text, "{script}");
    }
}
