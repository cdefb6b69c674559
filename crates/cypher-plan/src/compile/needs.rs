//! Which properties of nodes a query reads: a scan leaves others out.

use cypher_value::Text;

use crate::plan::{Ex, PathPart, Plan, Slot, Step, Union};

/// Tells the scans of a query which properties are enough, where that is known.
pub(super) fn limit_scans(query: &mut Union) {
    let mut needs = Needs { keys: Vec::new(), nodes: Vec::new() };
    let is_known = query.parts.iter().all(|(plan, _)| needs.plan(plan).is_some());
    let is_returned = query.parts.iter().any(|(_, columns)| columns.iter().any(|slot| needs.nodes.contains(slot)));
    if !is_known || is_returned {
        return;
    }
    for (plan, _) in &mut query.parts {
        for step in &mut std::sync::Arc::make_mut(plan).steps {
            if let Step::Scan(scan) = step {
                let sought = scan.equal.iter().chain(&scan.within).map(|(key, _)| key);
                let sought = sought.chain(scan.bounds.iter().map(|(key, ..)| key));
                let keys = sought.chain(&needs.keys).cloned();
                let keys = keys.collect();
                std::sync::Arc::make_mut(scan).keys = Some(keys);
            }
        }
    }
}

/// Keys that are read, and the slots of nodes and relationships.
struct Needs {
    keys: Vec<Text>,
    nodes: Vec<Slot>,
}

impl Needs {
    /// None where a node as a whole is needed, or it is not known.
    fn plan(&mut self, plan: &Plan) -> Option<()> {
        for step in &plan.steps {
            match step {
                Step::Scan(scan) => self.nodes.push(scan.slot),
                Step::Expand(expand) => self.nodes.extend([expand.to, expand.relationship]),
                Step::Walk(walk) => self.nodes.extend([walk.expand.to, walk.expand.relationship]),
                _ => {}
            }
        }
        plan.steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::Scan(scan) => {
                scan.ids.iter().try_for_each(|ex| self.ex(ex))?;
                scan.bounds.iter().try_for_each(|(.., ex)| self.ex(ex))?;
                scan.equal.iter().chain(&scan.within).try_for_each(|(_, ex)| self.ex(ex))
            }
            Step::Expand(_) | Step::Count(_) | Step::CountNodes(_) | Step::Distinct(_) | Step::Ends(_) => Some(()),
            Step::Walk(walk) => walk.each.iter().try_for_each(|(_, ex)| self.ex(ex)),
            Step::Filter(ex) | Step::Skip(ex) | Step::Limit(ex) => self.ex(ex),
            Step::Let(values) => values.iter().try_for_each(|(_, ex)| self.ex(ex)),
            Step::Sort(sort) => sort.keys.iter().map(|(ex, _)| ex).chain(&sort.first).try_for_each(|ex| self.ex(ex)),
            Step::Unwind(unwind) => self.ex(&unwind.0),
            Step::Aggregate(aggregate) => {
                // A group of nodes stays one of nodes.
                for (slot, ex) in &aggregate.keys {
                    match ex {
                        Ex::Slot(own) if self.nodes.contains(own) => self.nodes.push(*slot),
                        ex => self.ex(ex)?,
                    }
                }
                for value in &aggregate.values {
                    let is_count = value.aggregate == cypher_value::Aggregate::Count;
                    for ex in &value.arguments {
                        if !(is_count && matches!(ex, Ex::Slot(_))) {
                            self.ex(ex)?;
                        }
                    }
                }
                Some(())
            }
            _ => None,
        }
    }

    /// An expression whose value can be kept: it must be no node.
    fn ex(&mut self, ex: &Ex) -> Option<()> {
        match ex {
            Ex::Value(_) | Ex::Param(_) | Ex::Once(..) => Some(()),
            Ex::Slot(slot) => (!self.nodes.contains(slot)).then_some(()),
            Ex::Property(of, key) => {
                self.keys.push(key.clone());
                self.owner(of)
            }
            Ex::HasLabels(of, _) | Ex::IsNull(of, _) => self.owner(of),
            Ex::Call(callee, arguments) if matches!(callee.0.name, "id" | "elementId" | "labels" | "type") => {
                arguments.iter().try_for_each(|argument| self.owner(argument))
            }
            Ex::Binary(_, left, right) => {
                self.owner(left)?;
                self.owner(right)
            }
            Ex::Not(of) | Ex::Minus(of) | Ex::Plus(of) | Ex::Matches(of, _) => self.ex(of),
            Ex::List(items) | Ex::Call(_, items) => items.iter().try_for_each(|item| self.ex(item)),
            Ex::Map(pairs) => pairs.iter().try_for_each(|(_, value)| self.ex(value)),
            Ex::Case(branches, otherwise) => {
                for (condition, result) in branches {
                    self.ex(condition)?;
                    self.ex(result)?;
                }
                self.ex(otherwise)
            }
            Ex::Path(parts) => parts.iter().all(|part| !matches!(part, PathPart::Node(_))).then_some(()),
            _ => None,
        }
    }

    /// What is looked at, but not kept.
    fn owner(&mut self, ex: &Ex) -> Option<()> {
        if matches!(ex, Ex::Slot(_)) { Some(()) } else { self.ex(ex) }
    }
}
