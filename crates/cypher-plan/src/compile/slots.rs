//! Which names are in which slots.

use cypher_value::{Detail, Error};

use crate::plan::{Ex, Labels, Slot};

/// Names in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<(String, Slot)>);

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<Slot> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, slot)| *slot)
    }

    pub(super) fn want(&self, name: &str) -> crate::Result<Slot> {
        self.get(name).ok_or_else(|| Error::syntax(Detail::UndefinedVariable, format!("Variable `{name}` not defined")))
    }

    /// Gives a name a slot, in place of the one it had.
    pub(super) fn set(&mut self, name: &str, slot: Slot) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = slot,
            None => self.0.push((name.to_owned(), slot)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Slot)> {
        self.0.iter().map(|(name, slot)| (name.as_str(), *slot))
    }
}

/// The slots that an expression reads.
pub(super) fn slots_of(ex: &Ex, out: &mut Vec<Slot>) {
    match ex {
        Ex::Value(_) | Ex::Param(_) => {}
        Ex::Slot(slot) => out.push(*slot),
        Ex::List(items) | Ex::Call(_, items) | Ex::Test(_, items) => items.iter().for_each(|item| slots_of(item, out)),
        Ex::Map(pairs) => pairs.iter().for_each(|(_, value)| slots_of(value, out)),
        Ex::Property(of, _) | Ex::Not(of) | Ex::Minus(of) | Ex::Plus(of) | Ex::IsNull(of, _) | Ex::Matches(of, _) => {
            slots_of(of, out);
        }
        Ex::HasLabels(of, labels) => {
            slots_of(of, out);
            slots_of_labels(labels, out);
        }
        Ex::Index(of, at) | Ex::Binary(_, of, at) => {
            slots_of(of, out);
            slots_of(at, out);
        }
        Ex::Slice(of, from, to) => {
            slots_of(of, out);
            from.iter().chain(to).for_each(|bound| slots_of(bound, out));
        }
        Ex::Chain(first, rest) => {
            slots_of(first, out);
            rest.iter().for_each(|(_, operand)| slots_of(operand, out));
        }
        Ex::Case(branches, otherwise) => {
            for (test, result) in branches {
                slots_of(test, out);
                slots_of(result, out);
            }
            slots_of(otherwise, out);
        }
        Ex::Items(_, list, filter, map) => {
            slots_of(list, out);
            filter.iter().chain(map).for_each(|inner| slots_of(inner, out));
        }
        Ex::Quantified(_, _, list, filter) => {
            slots_of(list, out);
            slots_of(filter, out);
        }
        Ex::Reduce(_, init, _, list, body) => [init, list, body].into_iter().for_each(|inner| slots_of(inner, out)),
        // What a subquery reads is known to its own steps: it needs all that is there.
        Ex::Subquery(..) => out.push(Slot::MAX),
        Ex::Projection(of, _, pairs) => {
            slots_of(of, out);
            pairs.iter().filter_map(|(_, value)| value.as_ref()).for_each(|value| slots_of(value, out));
        }
        Ex::Path(parts) => out.extend(parts.iter().map(|part| match part {
            crate::plan::PathPart::Node(slot) | crate::plan::PathPart::Relationships(slot) => *slot,
        })),
    }
}

/// Whether labels are computed for each row.
pub(super) fn is_dynamic(labels: &Labels) -> bool {
    match labels {
        Labels::Name(_) | Labels::Any => false,
        Labels::Dynamic(_) => true,
        Labels::Not(inner) => is_dynamic(inner),
        Labels::And(all) | Labels::Or(all) => all.iter().any(is_dynamic),
    }
}

pub(super) fn slots_of_labels(labels: &Labels, out: &mut Vec<Slot>) {
    match labels {
        Labels::Name(_) | Labels::Any => {}
        Labels::Dynamic(ex) => slots_of(ex, out),
        Labels::Not(inner) => slots_of_labels(inner, out),
        Labels::And(all) | Labels::Or(all) => all.iter().for_each(|one| slots_of_labels(one, out)),
    }
}
