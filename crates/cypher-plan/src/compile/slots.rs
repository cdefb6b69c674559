//! Which names are in which slots.

use cypher_value::{Detail, Error};

use crate::plan::{Ex, Expand, Labels, Slot, Step};

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
        Ex::Value(_) | Ex::Param(_) | Ex::Once(..) => {}
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
        Ex::Subquery(_, query) => {
            for (plan, columns) in &query.parts {
                // Where it is not known, it needs all that is there.
                out.extend(read_behind(&plan.steps, 0, columns).unwrap_or_else(|| vec![Slot::MAX]));
            }
        }
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
    !labels.is_constant()
}

pub(super) fn slots_of_labels(labels: &Labels, out: &mut Vec<Slot>) {
    match labels {
        Labels::Name(_) | Labels::Any => {}
        Labels::Dynamic(ex) => slots_of(ex, out),
        Labels::Not(inner) => slots_of_labels(inner, out),
        Labels::And(all) | Labels::Or(all) => all.iter().for_each(|one| slots_of_labels(one, out)),
    }
}

/// The slots that steps from a place on read; none where that is not known for one of them.
pub(super) fn read_behind(steps: &[Step], from: usize, columns: &[Slot]) -> Option<Vec<Slot>> {
    let mut read = columns.to_vec();
    for step in steps.get(from..).unwrap_or_default() {
        reads(step, &mut read)?;
    }
    (!read.contains(&Slot::MAX)).then_some(read)
}

/// What a step reads; none where it is not known. An expansion reads only where it starts, and where it ends if that is
/// known: that its relationship differs from others is for those to say who take it over.
fn reads(step: &Step, out: &mut Vec<Slot>) -> Option<()> {
    match step {
        Step::Scan(scan) => {
            scan.ids.iter().for_each(|ex| slots_of(ex, out));
            scan.equal.iter().chain(&scan.within).for_each(|(_, ex)| slots_of(ex, out));
            scan.bounds.iter().for_each(|(.., ex)| slots_of(ex, out));
            scan.labels.as_ref().is_none_or(|labels| !is_dynamic(labels)).then_some(())
        }
        Step::Expand(expand) => expand_reads(expand, out),
        Step::Count(count) => expand_reads(&count.0, out),
        Step::Walk(walk) => {
            walk.each.iter().for_each(|(_, ex)| slots_of(ex, out));
            out.extend(&walk.expand.others);
            expand_reads(&walk.expand, out)
        }
        Step::Ends(expand) => {
            out.extend([expand.relationship, expand.from, expand.to]);
            out.extend(&expand.others);
            Some(())
        }
        Step::Shortest(shortest) => {
            let walk = &shortest.walk;
            walk.each.iter().for_each(|(_, ex)| slots_of(ex, out));
            out.extend([walk.expand.from, walk.expand.to]);
            Some(())
        }
        Step::CountNodes(_) | Step::CountRelationships(_) | Step::Drain => Some(()),
        Step::Filter(ex) | Step::Skip(ex) | Step::Limit(ex) => {
            slots_of(ex, out);
            Some(())
        }
        Step::Let(values) => {
            values.iter().for_each(|(_, ex)| slots_of(ex, out));
            Some(())
        }
        Step::Aggregate(aggregate) => {
            aggregate.keys.iter().for_each(|(_, ex)| slots_of(ex, out));
            aggregate.values.iter().flat_map(|value| &value.arguments).for_each(|ex| slots_of(ex, out));
            Some(())
        }
        Step::Distinct(slots) => {
            out.extend(slots.iter());
            Some(())
        }
        Step::Sort(sort) => {
            sort.keys.iter().map(|(ex, _)| ex).chain(&sort.first).for_each(|ex| slots_of(ex, out));
            Some(())
        }
        Step::Unwind(unwind) => {
            slots_of(&unwind.0, out);
            Some(())
        }
        Step::Optional(optional) => optional.plan.steps.iter().try_for_each(|step| reads(step, out)),
        Step::Join(join) => {
            for hop in &join.hops {
                out.push(hop.from);
                out.extend(hop.is_into.then_some(hop.to));
            }
            Some(())
        }
        _ => None,
    }
}

fn expand_reads(expand: &Expand, out: &mut Vec<Slot>) -> Option<()> {
    out.push(expand.from);
    out.extend(expand.is_into.then_some(expand.to));
    expand.types.as_ref().is_none_or(|types| !is_dynamic(types)).then_some(())
}
