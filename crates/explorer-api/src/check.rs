//! What is wrong with a text of Gremlin, without running any of it.

use std::collections::{BTreeMap, BTreeSet};

use gremlin::{Bindings, Bytecode, Error, ErrorKind, Expression, Script, Statement, Target, Text, Value};
use serde::Deserialize;
use serde_json::json;

/// A text, and the names that its request binds.
#[derive(Deserialize)]
pub(crate) struct Ask {
    gremlin: String,
    #[serde(default)]
    bindings: Vec<String>,
}

/// The errors of a text, with their places: offsets in characters as JavaScript counts them (UTF-16), so that an editor
/// can underline them.
pub(crate) fn check(ask: &Ask) -> serde_json::Value {
    let errors = match gremlin::parse(&ask.gremlin, ask.bindings.iter().map(String::as_str)) {
        Ok(script) => errors_of(&script, ask),
        Err(error) => vec![error],
    };
    let errors: Vec<_> = errors.into_iter().map(|error| told(&error.located(&ask.gremlin), &ask.gremlin)).collect();
    json!({ "errors": errors })
}

fn told(error: &Error, text: &str) -> serde_json::Value {
    let at = |byte: usize| text.get(..byte.min(text.len())).map(|before| before.encode_utf16().count());
    json!({
        "message": error.to_string(),
        "from": error.span.and_then(|span| at(span.start)),
        "to": error.span.and_then(|span| at(span.end)),
        "line": error.position.map(|position| position.line),
        "column": error.position.map(|position| position.column),
    })
}

/// The steps that do not exist and the arguments that they do not take. What depends on values that only a run knows is
/// left to it.
fn errors_of(script: &Script, ask: &Ask) -> Vec<Error> {
    let mut known =
        Known { names: ask.bindings.iter().map(|name| Text::from(name.as_str())).collect(), errors: vec![] };
    for statement in &script.statements {
        known.statement(statement);
    }
    known.errors
}

struct Known {
    names: BTreeSet<Text>,
    errors: Vec<Error>,
}

impl Known {
    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(expression) | Statement::Return(expression) => self.expression(expression),
            Statement::Assign { target, value } => {
                self.expression(value);
                if let Target::Variable(name) = target {
                    self.names.insert(name.clone());
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Query(query) => self.traversal(&query.bytecode),
            Expression::Method { target, .. } | Expression::Entry(target, _) => self.expression(target),
            _ => {}
        }
    }

    fn traversal(&mut self, bytecode: &Bytecode) {
        if depends_on(bytecode, &self.names) {
            return;
        }
        let mut nothing = Bindings(BTreeMap::<Text, Value>::new());
        match gremlin::lower(bytecode, &mut nothing) {
            Err(error) if !matches!(error.kind, ErrorKind::NotEvaluated { .. } | ErrorKind::Unbound { .. }) => {
                self.errors.push(error);
            }
            _ => {}
        }
    }
}

/// Whether arguments of a traversal have values that are not known before it runs: then nothing is said about their
/// types.
fn depends_on(bytecode: &Bytecode, names: &BTreeSet<Text>) -> bool {
    bytecode.source.iter().chain(&bytecode.steps).flat_map(|call| &call.arguments).any(|value| is_open(value, names))
}

fn is_open(value: &Value, names: &BTreeSet<Text>) -> bool {
    match value {
        Value::Deferred(expression) => match &**expression {
            Expression::Value(value) => is_open(value, names),
            Expression::Variable(name) => names.contains(name),
            _ => true,
        },
        Value::Bytecode(bytecode) => depends_on(bytecode, names),
        Value::List(items) | Value::Set(items) => items.iter().any(|item| is_open(item, names)),
        Value::Map(pairs) => pairs.iter().any(|(key, value)| is_open(key, names) || is_open(value, names)),
        Value::WithCardinality(_, value) => is_open(value, names),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Vec<(String, String)> {
        let ask = Ask { gremlin: text.to_owned(), bindings: vec!["bound".to_owned()] };
        let answer = check(&ask);
        let units: Vec<u16> = text.encode_utf16().collect();
        let place = |error: &serde_json::Value, name: &str| {
            error[name].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or_default()
        };
        let errors = answer["errors"].as_array().unwrap();
        errors
            .iter()
            .map(|error| {
                let underlined = units.get(place(error, "from")..place(error, "to")).unwrap_or_default();
                (String::from_utf16_lossy(underlined), error["message"].as_str().unwrap().to_owned())
            })
            .collect()
    }

    #[test]
    fn what_is_right_has_no_errors() {
        for text in [
            "g.V().has('person', 'age', P.gt(29)).out('knows').values('name')",
            "x = g.V().limit(1).next(); g.V(x).out()",
            "g.V(bound).out()",
            "graph.schema().vertexLabel('a').create()",
            "g.V().hasLabel('人').limit(3).explain()",
            "",
        ] {
            assert_eq!(checked(text), [], "{text}");
        }
    }

    #[test]
    fn mistakes_are_underlined_where_they_are() {
        let errors = checked("g.V().has('名字', '😀').outt('knows')");
        assert_eq!(errors.len(), 1);
        assert!(errors[0].0.starts_with("outt"), "{errors:?}");
        assert!(errors[0].1.contains("outt"), "{errors:?}");
        let errors = checked("g.V().limit('a lot')");
        assert!(errors[0].0.starts_with("limit") && errors[0].1.contains("argument 1"), "{errors:?}");
        let errors = checked("g.V().out(\n  'knows'");
        assert!(errors[0].1.contains("line 2"), "{errors:?}");
        assert!(!checked("g.V() { x -> x }").is_empty());
        let errors = checked("g.V().limit('a'); g.E().limit('b')");
        assert_eq!(errors.len(), 2, "each statement is looked at: {errors:?}");
    }
}
