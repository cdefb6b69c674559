//! Which elements expressions read, so that they are read together for many rows.

use cypher_value::Value;

use crate::Result;
use crate::eval::Cx;
use crate::row::Row;
use cypher_plan::{Ex, Slot};

/// The slots whose elements an expression reads.
pub(super) fn elements_of(ex: &Ex, out: &mut Vec<Slot>) {
    let mut note = |of: &Ex| {
        if let Ex::Slot(slot) = of
            && !out.contains(slot)
        {
            out.push(*slot);
        }
    };
    match ex {
        Ex::Property(of, _) | Ex::HasLabels(of, _) | Ex::Projection(of, ..) | Ex::Index(of, _) => note(of),
        Ex::Call(callee, arguments) if matches!(callee.0.name, "labels" | "keys" | "properties") => {
            arguments.iter().for_each(note);
        }
        _ => {}
    }
    match ex {
        Ex::List(items) | Ex::Call(_, items) | Ex::Test(_, items) => items.iter().for_each(|it| elements_of(it, out)),
        Ex::Map(pairs) => pairs.iter().for_each(|(_, value)| elements_of(value, out)),
        Ex::Property(of, _)
        | Ex::Not(of)
        | Ex::Minus(of)
        | Ex::Plus(of)
        | Ex::IsNull(of, _)
        | Ex::Matches(of, _)
        | Ex::HasLabels(of, _) => elements_of(of, out),
        Ex::Index(a, b) | Ex::Binary(_, a, b) => {
            elements_of(a, out);
            elements_of(b, out);
        }
        Ex::Chain(first, rest) => {
            elements_of(first, out);
            rest.iter().for_each(|(_, operand)| elements_of(operand, out));
        }
        Ex::Case(branches, otherwise) => {
            for (condition, result) in branches {
                elements_of(condition, out);
                elements_of(result, out);
            }
            elements_of(otherwise, out);
        }
        Ex::Projection(_, _, pairs) => {
            pairs.iter().filter_map(|(_, value)| value.as_ref()).for_each(|value| elements_of(value, out));
        }
        _ => {}
    }
}

/// Reads the elements in some slots of some rows.
pub(super) fn load(cx: &Cx<'_, '_>, rows: &[Row], slots: &[Slot]) -> Result<()> {
    if slots.is_empty() || rows.is_empty() {
        return Ok(());
    }
    let values = || rows.iter().flat_map(|row| slots.iter().map(|slot| row.get(*slot)));
    cx.store.load_nodes(values().filter_map(|value| match value {
        Value::Node(node) => Some(node),
        _ => None,
    }))?;
    let has_relationships = values().any(|value| matches!(value, Value::Relationship(_)));
    if !has_relationships {
        return Ok(());
    }
    cx.store.load_relationships(values().filter_map(|value| match value {
        Value::Relationship(relationship) => Some(relationship),
        _ => None,
    }))
}
