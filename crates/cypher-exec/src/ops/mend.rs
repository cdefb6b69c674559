//! Which elements expressions read, so that they are read together for many rows.

use std::sync::Arc;

use cypher_graph::Wanted;
use cypher_value::{Node, Value};

use crate::Result;
use crate::eval::Cx;
use crate::row::Row;
use cypher_plan::{Ex, Slot};

/// The elements that expressions read.
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    /// Slots whose elements are read as a whole.
    whole: Vec<Slot>,
    /// Slots of which single values are read.
    values: Vec<(Slot, Vec<Wanted>)>,
}

impl Read {
    /// What some expressions read.
    pub(super) fn of<'e>(all: impl IntoIterator<Item = &'e Ex>) -> Self {
        let mut read = Self::default();
        all.into_iter().for_each(|ex| elements_of(ex, &mut read));
        read.values.retain(|(slot, _)| !read.whole.contains(slot));
        read
    }

    /// Whether the element in a slot is read.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.whole.contains(&slot) || self.values.iter().any(|(own, _)| *own == slot)
    }

    /// Slots whose elements are read as a whole.
    pub(super) fn whole(&self) -> &[Slot] {
        &self.whole
    }

    /// Slots of which single values are read.
    pub(super) fn values(&self) -> &[(Slot, Vec<Wanted>)] {
        &self.values
    }

    fn add_whole(&mut self, of: &Ex) {
        if let Ex::Slot(slot) = of
            && !self.whole.contains(slot)
        {
            self.whole.push(*slot);
        }
    }

    fn add_value(&mut self, of: &Ex, wanted: Wanted) {
        let Ex::Slot(slot) = of else { return };
        match self.values.iter_mut().find(|(own, _)| own == slot) {
            Some((_, known)) if known.contains(&wanted) => {}
            Some((_, known)) => known.push(wanted),
            None => self.values.push((*slot, vec![wanted])),
        }
    }
}

/// The values that conditions on one node read of it.
pub(super) fn values_of(conditions: &[Ex]) -> Vec<Wanted> {
    Read::of(conditions).values.into_iter().flat_map(|(_, wanted)| wanted).collect()
}

fn elements_of(ex: &Ex, out: &mut Read) {
    match ex {
        Ex::Property(of, key) => out.add_value(of, Wanted::Property(key.clone())),
        Ex::HasLabels(of, _) => out.add_value(of, Wanted::Labels),
        Ex::Projection(of, ..) | Ex::Index(of, _) => out.add_whole(of),
        Ex::Call(callee, arguments) if callee.0.name == "labels" => {
            arguments.iter().for_each(|of| out.add_value(of, Wanted::Labels));
        }
        Ex::Call(callee, arguments) if matches!(callee.0.name, "keys" | "properties") => {
            arguments.iter().for_each(|of| out.add_whole(of));
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

/// Reads the elements of some rows.
pub(super) fn load(cx: &Cx<'_, '_>, rows: &[Row], read: &Read) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut has_relationships = false;
    let is_relationship = |slot: &Slot| rows.iter().any(|row| matches!(row.get(*slot), Value::Relationship(_)));
    if !read.whole.is_empty() {
        let nodes = rows.iter().flat_map(|row| read.whole.iter().filter_map(|slot| node_in(row, *slot)));
        cx.store.load_nodes(nodes)?;
        has_relationships |= read.whole.iter().any(is_relationship);
    }
    for (slot, wanted) in &read.values {
        cx.store.load_values(rows.iter().filter_map(|row| node_in(row, *slot)), wanted)?;
        has_relationships |= is_relationship(slot);
    }
    if !has_relationships {
        return Ok(());
    }
    let slots = || read.whole.iter().chain(read.values.iter().map(|(slot, _)| slot));
    let values = rows.iter().flat_map(|row| slots().map(|slot| row.get(*slot)));
    cx.store.load_relationships(values.filter_map(|value| match value {
        Value::Relationship(relationship) => Some(relationship),
        _ => None,
    }))
}

/// The node in a slot.
pub(super) fn node_in(row: &Row, slot: Slot) -> Option<&Arc<Node>> {
    match row.get(slot) {
        Value::Node(node) => Some(node),
        _ => None,
    }
}
