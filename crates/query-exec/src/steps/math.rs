//! Formulas and formats: texts with names of values in them.

use query_plan::{By, Text};
use query_value::function::formula::Formula;
use query_value::{Pop, Value, function};

use super::each::{compute, each};
use crate::by::{ByEval, by_turn, property, scoped};
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::semantics;
use crate::traverser::Traverser;

pub(super) fn stage<'g>(formula: &Text, by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let (formula, mut by) = (Formula::parse(formula)?, ByEval::all(by, build)?);
    Ok(each(false, move |cx, traverser, out| {
        let mut values = Vec::with_capacity(formula.names().len());
        for (at, name) in formula.names().iter().enumerate() {
            let value = if name == "_" {
                Some(traverser.value.clone())
            } else {
                Some(
                    scoped(cx, Some(Pop::Last), name, &traverser)?
                        .ok_or_else(|| ExecError::evaluation(format!("math() has no value for the variable {name}")))?,
                )
            };
            let Some(value) = value else { return Ok(()) };
            let Some(value) = by_turn(&mut by, at, cx, &traverser, value)? else { return Ok(()) };
            values.push(semantics::as_f64(&value).ok_or_else(|| {
                let class = value.class_name();
                ExecError::evaluation(format!(
                    "The variable {name} for math() step must resolve to a Number - it is instead of type {class}"
                ))
            })?);
        }
        let result = formula.compute(&values)?;
        out.push(traverser.with(Value::Double(result)));
        Ok(())
    }))
}

/// A text with `%{name}` for values.
pub(super) fn format<'g>(format: &Text, by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut parts: Vec<(String, Option<Text>)> = Vec::new();
    let mut rest = format.as_str();
    while let Some(start) = rest.find("%{") {
        let (before, after) = (rest.get(..start).unwrap_or_default(), rest.get(start + 2..).unwrap_or_default());
        let Some(end) = after.find('}') else { break };
        parts.push((before.to_owned(), Some(after.get(..end).unwrap_or_default().into())));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    parts.push((rest.to_owned(), None));
    let mut by = ByEval::all(by, build)?;
    Ok(compute(true, move |cx, traverser, room| {
        let mut text = String::new();
        let mut turn = 0;
        for (before, name) in &parts {
            function::texts::append(&mut text, before, room)?;
            let Some(name) = name else { continue };
            let Some(value) = named(cx, name, traverser, &mut by, &mut turn)? else { return Ok(None) };
            text.push_str(&function::text(&value, room)?);
        }
        Ok(Some(Value::from(text)))
    }))
}

/// A value for a format: by a modulator, of a property, or of a label.
fn named<'g>(
    cx: &mut Cx<'g>,
    name: &Text,
    traverser: &Traverser,
    by: &mut [ByEval<'g>],
    turn: &mut usize,
) -> Result<Option<Value>> {
    if name == "_" {
        let at = *turn;
        *turn += 1;
        return by_turn(by, at, cx, traverser, traverser.value.clone());
    }
    if matches!(traverser.value, Value::Vertex(_) | Value::Edge(_) | Value::VertexProperty(_))
        && let Some(value) = property(cx, name, &traverser.value, traverser.stored.as_ref())?
    {
        return Ok(Some(value));
    }
    scoped(cx, Some(Pop::Last), name, traverser)
}
