//! Modulators.

use gremlin::{ByKey, End, Modulator, Step};
use query_plan::{Argument, By, ByOrder, Node, Op, Pipeline, Place, PlanError, PropertyRead, Text};
use query_value::Order;

use crate::translator::Translator;
use crate::value;

/// A modulator; the reading of one property by a nested traversal is what a key says.
pub(crate) fn by_key(t: &Translator<'_>, key: &ByKey) -> Result<By, PlanError> {
    let by = match key {
        ByKey::Identity => By::Identity,
        ByKey::Token(token) => By::Token(*token),
        ByKey::Column(column) => By::Column(*column),
        ByKey::Property(key) => By::Property(key.clone()),
        ByKey::Traversal(traversal) => By::Child(t.child(traversal)?),
    };
    Ok(if t.strategies.is_productive(key) { By::Productive(Box::new(by)) } else { by })
}

/// All modulators of a step.
pub(crate) fn by(t: &Translator<'_>, step: &Step) -> Result<Vec<By>, PlanError> {
    step.by().map(|(key, _)| by_key(t, key)).collect()
}

/// The only modulator of a step.
pub(crate) fn single_by(t: &Translator<'_>, step: &Step, name: &str) -> Result<By, PlanError> {
    let mut all = by(t, step)?;
    if all.len() > 1 {
        return Err(PlanError::new(format!("{name} step can only have one by modulator")));
    }
    Ok(all.pop().unwrap_or_default())
}

/// Modulators with their orders.
pub(crate) fn ordered(t: &Translator<'_>, step: &Step) -> Result<Vec<By>, PlanError> {
    let ordered = |(key, order): (&ByKey, Option<Order>)| {
        let by = by_key(t, key)?;
        Ok(By::Ordered(Box::new(ByOrder { by, order: order.unwrap_or(Order::Asc) })))
    };
    step.by().map(ordered).collect()
}

/// The value of a group: what a traversal makes of all, or all values of a modulator as a list.
pub(crate) fn group_value(t: &Translator<'_>, key: Option<&ByKey>) -> Result<Pipeline, PlanError> {
    let fold = || Node::new(Op::Fold(None), "fold");
    let first = match key {
        None | Some(ByKey::Identity) => return Ok(Pipeline::new(vec![fold()])),
        Some(ByKey::Traversal(traversal)) => return t.child(traversal),
        Some(ByKey::Property(key)) => Op::Properties(PropertyRead::Values, vec![key.clone()]),
        Some(ByKey::Token(token)) => Op::Token(*token),
        Some(ByKey::Column(column)) => Op::SelectColumn(*column),
    };
    Ok(Pipeline::new(vec![Node::new(first, "by"), fold()]))
}

/// The part of a path that `from()` and `to()` name.
pub(crate) fn place(step: &Step) -> Place {
    let mut place = Place::default();
    for modulator in &step.modulators {
        match modulator {
            Modulator::From(End::Label(label)) => place.from = Some(label.clone()),
            Modulator::To(End::Label(label)) => place.to = Some(label.clone()),
            _ => {}
        }
    }
    place
}

/// A value or a nested traversal.
pub(crate) fn argument(t: &Translator<'_>, given: &gremlin::Value) -> Result<Argument, PlanError> {
    Ok(match given {
        gremlin::Value::Traversal(traversal) => Argument::Child(t.child(traversal)?),
        other => Argument::Value(value::plain(other)?),
    })
}

/// Options of a step, null where they have no value.
pub(crate) fn options(t: &Translator<'_>, step: &Step) -> Result<Vec<(Text, Argument)>, PlanError> {
    let option = |(key, given): (&str, Option<&gremlin::Value>)| {
        let given = given.map_or(Ok(Argument::Value(query_value::Value::Bool(true))), |given| argument(t, given))?;
        Ok((key.into(), given))
    };
    step.options().map(option).collect()
}
