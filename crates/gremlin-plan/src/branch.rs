//! Steps with nested traversals that decide, loop or join.

use gremlin::{Choose, Modulator, Op as Call, Pattern, Step, Test, Traversal};
use query_plan::{Branches, By, Case, Choice, Node, Op, Pipeline, PlanError, Repeat, Text};
use query_value::{Enum, Pick, Value};

use crate::translator::Translator;
use crate::value;

/// `a.and().b` is `and(a, b)`, and so with `or()`, which binds less.
pub(crate) fn connect(t: &Translator<'_>, steps: &[Step], is_root: bool) -> Vec<Step> {
    let is_infix = |step: &Step, is_or: bool| match &step.op {
        Call::Or { traversals } => is_or && traversals.is_empty(),
        Call::And { traversals } => !is_or && traversals.is_empty(),
        _ => false,
    };
    if !t.strategies.connects() || !steps.iter().any(|step| is_infix(step, true) || is_infix(step, false)) {
        return steps.to_vec();
    }
    // What starts the query stays before it.
    let is_source = |step: &&Step| is_root && matches!(step.op, Call::V { .. } | Call::E { .. } | Call::Inject { .. });
    let before: Vec<Step> = steps.iter().take(1).take_while(is_source).cloned().collect();
    let rest = steps.get(before.len()..).unwrap_or_default();
    let is_or = rest.iter().any(|step| is_infix(step, true));
    let mut parts = vec![Traversal { source: Vec::new(), steps: Vec::new() }];
    for step in rest {
        if is_infix(step, is_or) {
            // Labels right after it are those of the beginning of what follows.
            let mut start = Step::new(Call::Start {});
            start.labels.clone_from(&step.labels);
            let steps = if step.labels.is_empty() { Vec::new() } else { vec![start] };
            parts.push(Traversal { source: Vec::new(), steps });
        } else if let Some(part) = parts.last_mut() {
            part.steps.push(step.clone());
        }
    }
    let op = if is_or { Call::Or { traversals: parts } } else { Call::And { traversals: parts } };
    let mut connected = before;
    connected.push(Step::new(op));
    connected
}

/// A condition: `filter(x)`, `until(x)`.
pub(crate) fn condition(t: &Translator<'_>, test: &Test) -> Result<Pipeline, PlanError> {
    match test {
        Test::Traversal(traversal) => t.child(traversal),
        Test::Predicate(predicate) => {
            let op = Op::Is(value::predicate(predicate)?);
            Ok(Pipeline::new(vec![Node::new(op, "is")]))
        }
    }
}

/// A condition that may begin and end with labels: they stand for the labels' values.
pub(crate) fn scoped(t: &Translator<'_>, traversal: &Traversal) -> Result<Pipeline, PlanError> {
    let steps = connect(t, &traversal.steps, false);
    if let Some(first) = steps.first()
        && let Call::And { traversals } | Call::Or { traversals } = &first.op
        && !traversals.is_empty()
    {
        let children = traversals.iter().map(|child| scoped(t, child)).collect::<Result<Vec<_>, _>>()?;
        let op = if matches!(first.op, Call::And { .. }) { Op::And(children) } else { Op::Or(children) };
        let mut pipeline = Pipeline::new(vec![Node::new(op, first.op.name())]);
        pipeline.nodes.extend(t.pipeline(steps.get(1..).unwrap_or_default(), false)?.nodes);
        return Ok(pipeline);
    }
    if let [Step { op: Call::Not { traversal }, .. }] = steps.as_slice() {
        return Ok(Pipeline::new(vec![Node::new(Op::Not(scoped(t, traversal)?), "not")]));
    }
    let mut steps = steps;
    let mut start: Option<Text> = None;
    if let Some(first) = steps.first()
        && matches!(first.op, Call::Start {})
        && let Some(label) = first.labels.first()
    {
        start = Some(label.clone());
        steps.remove(0);
    }
    let end = steps.last_mut().and_then(|last| if last.labels.is_empty() { None } else { last.labels.pop() });
    let mut nodes: Vec<Node> = start.map(|label| Node::new(Op::ScopeStart(label), "as")).into_iter().collect();
    nodes.extend(t.pipeline(&steps, false)?.nodes);
    nodes.extend(end.map(|label| Node::new(Op::ScopeEnd(label), "as")));
    Ok(Pipeline::new(nodes))
}

pub(crate) fn children(t: &Translator<'_>, traversals: &[Traversal]) -> Result<Vec<Pipeline>, PlanError> {
    traversals.iter().map(|traversal| t.child(traversal)).collect()
}

pub(crate) fn choose_op(t: &Translator<'_>, choose: &Choose, step: &Step) -> Result<Op, PlanError> {
    let choice = match choose {
        Choose::Token(token) => Choice::Value(By::Token(*token)),
        Choose::Column(column) => Choice::Value(By::Column(*column)),
        Choose::Traversal(traversal) => Choice::Value(By::Child(t.child(traversal)?)),
        Choose::If { test, then, otherwise } => {
            let choice = match test {
                Test::Predicate(predicate) => Choice::Predicate(value::predicate(predicate)?),
                Test::Traversal(traversal) => Choice::Test(t.child(traversal)?),
            };
            let mut cases = vec![Case::Value(Value::Bool(true), t.child(then)?)];
            if let Some(otherwise) = otherwise {
                cases.push(Case::Value(Value::Bool(false), t.child(otherwise)?));
            }
            return Ok(Op::Choose(Box::new(Branches { choice, cases, is_first: true })));
        }
    };
    Ok(Op::Choose(Box::new(Branches { choice, cases: cases(t, step, true)?, is_first: true })))
}

/// The ways of `choose()`, of which the first that fits is taken, or of `branch()`.
pub(crate) fn cases(t: &Translator<'_>, step: &Step, is_first: bool) -> Result<Vec<Case>, PlanError> {
    let mut cases = Vec::new();
    for modulator in &step.modulators {
        let Modulator::Branch { when, then } = modulator else { continue };
        let then = t.child(then)?;
        cases.push(match when {
            None => Case::Pick(Pick::Any, then),
            Some(Pattern::Value(gremlin::Value::Enum(Enum::Pick(pick)))) => Case::Pick(*pick, then),
            Some(Pattern::Value(gremlin::Value::Traversal(test))) if !is_first => Case::Test(t.child(test)?, then),
            Some(Pattern::Value(gremlin::Value::Traversal(_))) => {
                return Err(PlanError::new("Traversal is not allowed as a Pick token for choose().option()"));
            }
            Some(Pattern::Value(given)) => Case::Value(value::plain(given)?, then),
            Some(Pattern::Predicate(predicate)) => Case::Predicate(value::predicate(predicate)?, then),
        });
    }
    Ok(cases)
}

pub(crate) fn repeat(t: &Translator<'_>, name: Option<&Text>, body: &Traversal, step: &Step) -> Result<Op, PlanError> {
    if body.steps.iter().any(|step| matches!(step.op, Call::Inject { .. })) {
        return Err(PlanError::new("The parent of inject()-step can not be repeat()-step"));
    }
    let mut repeat = Repeat {
        name: name.cloned(),
        body: t.child(body)?,
        until: None,
        times: None,
        until_first: false,
        emit: None,
        emit_first: false,
    };
    for modulator in &step.modulators {
        match modulator {
            Modulator::Until { is_first, test } => {
                (repeat.until, repeat.times) = (Some(condition(t, test)?), None);
                repeat.until_first = *is_first;
            }
            Modulator::Times { is_first, count } => {
                (repeat.times, repeat.until) = (Some(*count), None);
                repeat.until_first = *is_first;
            }
            Modulator::Emit { is_first, test } => {
                let identity = || Pipeline::new(vec![Node::new(Op::Identity, "identity")]);
                repeat.emit = Some(test.as_ref().map_or_else(|| Ok(identity()), |test| condition(t, test))?);
                repeat.emit_first = *is_first;
            }
            _ => {}
        }
    }
    Ok(Op::Repeat(Box::new(repeat)))
}
