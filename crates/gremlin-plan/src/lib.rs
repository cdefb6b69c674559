//! From Gremlin's steps to operators of a plan.
//!
//! What it is: [`plan`] turns a [`gremlin::Traversal`] into a [`query_plan::Plan`]: what each step means, what source
//! settings and strategies change, and which combinations are errors. What it is not: it reads no text and no graph,
//! and decides nothing about speed; `query_plan::optimize` does that.
//!
//! Start reading at [`plan`]; `steps.rs` has a line for each step.

mod algorithm;
mod branch;
mod by;
mod pattern;
mod steps;
mod strategy;
mod translator;
mod value;
mod write;

use gremlin::{SourceOp, Step, Traversal};
use query_plan::{Node, Op, Paths, Pipeline, Plan, PlanError, Sack, SideEffectSeed};

use crate::strategy::Strategies;
use crate::translator::Translator;

/// Makes the plan of a traversal, with all rules applied.
///
/// # Errors
/// The traversal has no meaning, or uses what is not supported. The text is fit for the user.
pub fn plan(traversal: &Traversal) -> Result<Plan, PlanError> {
    let mut plan = Plan::new(Pipeline::default());
    let mut strategies = Strategies::default();
    for op in &traversal.source {
        source(op, &mut plan, &mut strategies)?;
    }
    let translator = Translator { strategies: &strategies, pipeline };
    plan.root = pipeline(&translator, &traversal.steps, true)?;
    strategies.verify(traversal, &plan)?;
    query_plan::optimize(&mut plan)?;
    Ok(plan)
}

fn source(op: &SourceOp, plan: &mut Plan, strategies: &mut Strategies) -> Result<(), PlanError> {
    match op {
        SourceOp::With { key, value } => {
            if key.as_str() == "materializeProperties"
                && value.as_ref().and_then(gremlin::Value::as_text).is_some_and(|value| value == "tokens")
            {
                plan.is_materialized = false;
            }
        }
        SourceOp::WithBulk { is_used } => plan.is_bulked = *is_used,
        SourceOp::WithPath {} => plan.paths = Paths::Full,
        SourceOp::WithComputer { .. } => strategies.uses_computer = true,
        SourceOp::WithSack { seed, merge } => {
            plan.sack = Some(Sack { seed: value::plain(seed)?, merge: *merge });
        }
        SourceOp::WithSideEffect { key, value, reducer } => {
            let value = value::plain(value)?;
            plan.side_effects.retain(|seed| seed.key != *key);
            plan.side_effects.push(SideEffectSeed { key: key.clone(), value, reducer: *reducer });
        }
        SourceOp::WithStrategies { strategies: given } => {
            for strategy in given {
                let none = Strategies::default();
                let translator = Translator { strategies: &none, pipeline };
                strategies.add(&strategy.0, plan, &|traversal| translator.child(traversal))?;
            }
        }
        SourceOp::WithoutStrategies { strategies: given } => {
            given.iter().for_each(|strategy| strategies.remove(&strategy.0));
        }
    }
    Ok(())
}

/// The operators of steps.
fn pipeline(translator: &Translator<'_>, steps: &[Step], is_root: bool) -> Result<Pipeline, PlanError> {
    let steps = branch::connect(translator, steps, is_root);
    let mut nodes: Vec<Node> = Vec::with_capacity(steps.len());
    let mut rest = steps.as_slice();
    while let Some((step, after)) = rest.split_first() {
        let is_start = is_root && nodes.is_empty();
        let before = nodes.len();
        let used = steps::step(translator, step, after, is_start, &mut nodes)?;
        rest = after.get(used..).unwrap_or_default();
        if nodes.len() == before {
            nodes.push(Node::new(Op::Identity, step.op.name()));
        }
        // Labels are of what the whole step gives.
        if let Some(node) = nodes.last_mut() {
            node.labels.extend(step.labels.iter().cloned());
        }
    }
    Ok(Pipeline::new(nodes))
}
