//! The patterns of `match()`.

use gremlin::{Op as Call, Step, Test, Traversal};
use query_plan::{Join, Node, Op, Pattern, Pipeline, PipelineFacts as _, PlanError, Text};
use query_value::{Predicate, Value};

use crate::branch::{connect, scoped};
use crate::translator::Translator;

/// What the traversals of `match()` ask of labels.
pub(crate) fn patterns(t: &Translator<'_>, traversals: &[Traversal]) -> Result<Vec<Pattern>, PlanError> {
    let mut all = Vec::with_capacity(traversals.len());
    for traversal in traversals {
        let steps = connect(t, &traversal.steps, false);
        match steps.as_slice() {
            // All of them are patterns of the whole.
            [Step { op: Call::And { traversals }, .. }] => all.extend(patterns(t, traversals)?),
            [Step { op: Call::Or { traversals }, .. }] => {
                let list = |traversal| patterns(t, std::slice::from_ref(traversal));
                all.push(Pattern::Any(traversals.iter().map(list).collect::<Result<_, _>>()?));
            }
            [Step { op: Call::Not { traversal }, .. }] => {
                let not = Node::new(Op::Not(scoped(t, traversal)?), "not");
                all.push(test(Pipeline::new(vec![not])));
            }
            [Step { op: Call::Where { test: Test::Traversal(traversal), .. }, .. }] => {
                all.push(test(scoped(t, traversal)?));
            }
            [Step { op: Call::Where { .. }, .. }] => all.push(test(t.pipeline(&steps, false)?)),
            _ => all.push(join(t, steps)?),
        }
    }
    Ok(all)
}

/// A condition that waits for the labels it names.
fn test(condition: Pipeline) -> Pattern {
    let labels = labels(&condition);
    Pattern::Test(condition, labels)
}

fn join(t: &Translator<'_>, mut steps: Vec<Step>) -> Result<Pattern, PlanError> {
    let start = match steps.first() {
        Some(Step { op: Call::Start {}, labels, .. }) => labels.first().cloned(),
        _ => None,
    };
    let start = start.ok_or_else(|| {
        PlanError::new("The patterns of match() begin with as(label), or are where(), and(), or() or not() alone")
    })?;
    steps.remove(0);
    let ends = steps.last_mut().map(|last| std::mem::take(&mut last.labels)).unwrap_or_default();
    if ends.len() > 1 {
        return Err(PlanError::new("The end step of a match()-traversal can have at most one label"));
    }
    let body = t.pipeline(&steps, false)?;
    let refers = labels(&body);
    Ok(Pattern::Join(Join { start, body, end: ends.into_iter().next(), refers }))
}

/// The labels that conditions in a pipeline refer to.
fn labels(pipeline: &Pipeline) -> Vec<Text> {
    let mut all: Vec<Text> = Vec::new();
    pipeline.any(&mut |node| {
        let mut add = |label: &Text| {
            if !all.contains(label) {
                all.push(label.clone());
            }
        };
        match &node.op {
            Op::ScopeStart(label) | Op::ScopeEnd(label) => add(label),
            Op::Where(test) => {
                test.start.iter().for_each(&mut add);
                named(&test.predicate, &mut add);
            }
            _ => {}
        }
        false
    });
    all
}

/// The labels that a predicate of `where()` names.
fn named(predicate: &Predicate, add: &mut dyn FnMut(&Text)) {
    let mut of = |value: &Value| {
        if let Value::String(label) = value {
            add(label);
        }
    };
    match predicate {
        Predicate::Compare(_, value) => of(value),
        Predicate::Range(_, low, high) => [low, high].into_iter().for_each(of),
        Predicate::Within(values) | Predicate::Without(values) => values.iter().for_each(of),
        Predicate::Not(inner) => named(inner, add),
        Predicate::And(all) | Predicate::Or(all) => all.iter().for_each(|inner| named(inner, add)),
        Predicate::Text(..) | Predicate::Regex(..) | Predicate::TypeOf(_) => {}
    }
}
