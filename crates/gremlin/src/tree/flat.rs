//! A collection that is the only argument of some calls is its items.

use super::{Predicate, Value};

/// The items of a collection that is the only argument.
pub(crate) fn flat(mut values: Vec<Value>) -> Vec<Value> {
    match values.as_mut_slice() {
        [Value::List(items) | Value::Set(items)] => std::mem::take(items),
        _ => values,
    }
}

/// Arguments that [`flat`] makes the same values of.
pub(crate) fn unflat(values: &[Value]) -> Vec<Value> {
    let is_ambiguous = values.is_empty() || matches!(values, [Value::List(_) | Value::Set(_)]);
    if is_ambiguous { vec![Value::List(values.to_vec())] } else { values.to_vec() }
}

/// A predicate whose lowering gives this one, which is lowered already.
pub(crate) fn unflat_predicate(predicate: &Predicate) -> Predicate {
    let several = |all: &[Predicate]| all.iter().map(unflat_predicate).collect();
    match predicate {
        Predicate::Within(values) => Predicate::Within(unflat(values)),
        Predicate::Without(values) => Predicate::Without(unflat(values)),
        Predicate::Not(inner) => Predicate::Not(Box::new(unflat_predicate(inner))),
        Predicate::And(all) => Predicate::And(several(all)),
        Predicate::Or(all) => Predicate::Or(several(all)),
        other => other.clone(),
    }
}
