//! CREATE, MERGE, SET and REMOVE.

use std::sync::Arc;

use cypher::ast::{
    Direction, Expr, LabelExpr, LabelName, Match, Name, NodePattern, Pattern, PropertyKey, RemoveItem, SetItem,
};

use super::Compiler;
use super::slots::{Names, slots_of};
use crate::Result;
use crate::defect;
use crate::plan::{Change, Ex, KeyEx, LabelEx, Make, MakeNode, MakeRelationship, Merge, PathPart, Plan, Slot, Step};

impl Compiler<'_> {
    /// What makes a pattern, and its path.
    pub(super) fn make(&mut self, pattern: &Pattern, names: &mut Names) -> Result<(Make, Option<(Slot, Ex)>)> {
        // Values are computed before anything of the pattern is there.
        let before = names.clone();
        let mut make = Make { nodes: Vec::new(), relationships: Vec::new() };
        let mut last = self.make_node(&pattern.start, &before, names, &mut make)?;
        let mut parts = vec![PathPart::Node(last)];
        for (step, node) in &pattern.steps {
            let next = self.make_node(node, &before, names, &mut make)?;
            let slot = self.new_slot(step.name.as_ref(), names);
            let label = match &step.types {
                Some(LabelExpr::Name(name)) => LabelEx::Name(name.text.as_str().into()),
                Some(LabelExpr::Dynamic(expr)) => LabelEx::Dynamic(self.expr(expr, &before)?),
                _ => return Err(defect("a relationship to create without a type")),
            };
            let (source, target) = if step.direction == Direction::Left { (next, last) } else { (last, next) };
            let properties = self.optional_expr(step.properties.as_ref(), &before)?;
            make.relationships.push(MakeRelationship { slot, label, source, target, properties });
            parts.push(PathPart::Relationships(slot));
            parts.push(PathPart::Node(next));
            last = next;
        }
        let path = pattern.name.as_ref().map(|name| (self.new_slot(Some(name), names), Ex::Path(parts)));
        Ok((make, path))
    }

    fn optional_expr(&mut self, expr: Option<&Expr>, names: &Names) -> Result<Option<Ex>> {
        expr.map(|expr| self.expr(expr, names)).transpose()
    }

    fn new_slot(&mut self, name: Option<&Name>, names: &mut Names) -> Slot {
        let slot = self.slot();
        if let Some(name) = name {
            names.set(&name.text, slot);
        }
        slot
    }

    fn make_node(&mut self, node: &NodePattern, before: &Names, names: &mut Names, make: &mut Make) -> Result<Slot> {
        if let Some(slot) = node.name.as_ref().and_then(|name| names.get(&name.text)) {
            return Ok(slot);
        }
        let slot = self.new_slot(node.name.as_ref(), names);
        let mut labels = Vec::new();
        match &node.labels {
            None => {}
            Some(LabelExpr::And(all)) => {
                for label in all {
                    labels.push(self.label(label, before)?);
                }
            }
            Some(label) => labels.push(self.label(label, before)?),
        }
        let properties = self.optional_expr(node.properties.as_ref(), before)?;
        make.nodes.push(MakeNode { slot, labels, properties });
        Ok(slot)
    }

    fn label(&mut self, label: &LabelExpr, names: &Names) -> Result<LabelEx> {
        match label {
            LabelExpr::Name(name) => Ok(LabelEx::Name(name.text.as_str().into())),
            LabelExpr::Dynamic(expr) => Ok(LabelEx::Dynamic(self.expr(expr, names)?)),
            _ => Err(defect("a label expression where a label is made")),
        }
    }

    fn label_names(&mut self, labels: &[LabelName], names: &Names) -> Result<Vec<LabelEx>> {
        let own = labels.iter().map(|label| match label {
            LabelName::Name(name) => Ok(LabelEx::Name(name.text.as_str().into())),
            LabelName::Dynamic(expr) => Ok(LabelEx::Dynamic(self.expr(expr, names)?)),
        });
        own.collect()
    }

    pub(super) fn merge(
        &mut self,
        pattern: &Pattern,
        on_create: &[SetItem],
        on_match: &[SetItem],
        names: &mut Names,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let before = names.clone();
        let (make, path) = self.make(pattern, names)?;
        // The same names are in the same slots, whether they are found or made.
        let mut found_names = before.clone();
        let found = Match { is_optional: false, patterns: vec![pattern.clone()], filter: None, span: pattern.span };
        let mut plan = Plan::default();
        self.match_clause(&found, &mut found_names, &mut plan.steps)?;
        let moved: Vec<(Slot, Ex)> = names
            .iter()
            .filter(|(name, _)| before.get(name).is_none())
            .filter_map(|(name, slot)| Some((slot, Ex::Slot(found_names.get(name)?))))
            .collect();
        if !moved.is_empty() {
            plan.steps.push(Step::Let(Arc::new(moved)));
        }
        let on_create: Vec<Change> = on_create.iter().map(|item| self.change(item, names)).collect::<Result<_>>()?;
        let made_with = on_create.iter().take_while(|change| is_known_before(change, &make, path.as_ref())).count();
        let on_match = on_match.iter().map(|item| self.change(item, names)).collect::<Result<_>>()?;
        let find = Arc::new(plan);
        steps.push(Step::Merge(Arc::new(Merge { find, make, path, on_create, made_with, on_match })));
        Ok(())
    }

    fn key(&mut self, key: &PropertyKey, names: &Names) -> Result<KeyEx> {
        match key {
            PropertyKey::Name(name) => Ok(KeyEx::Name(name.as_str().into())),
            PropertyKey::Dynamic(expr) => Ok(KeyEx::Dynamic(self.expr(expr, names)?)),
        }
    }

    pub(super) fn change(&mut self, item: &SetItem, names: &Names) -> Result<Change> {
        Ok(match item {
            SetItem::Property { target, key, value } => {
                Change::Property(self.expr(target, names)?, self.key(key, names)?, self.expr(value, names)?)
            }
            SetItem::Map { target, value, is_added } => {
                Change::Map(Ex::Slot(names.want(&target.text)?), self.expr(value, names)?, *is_added)
            }
            SetItem::Labels { target, labels } => {
                Change::AddLabels(names.want(&target.text)?, self.label_names(labels, names)?)
            }
        })
    }

    pub(super) fn removal(&mut self, item: &RemoveItem, names: &Names) -> Result<Change> {
        Ok(match item {
            RemoveItem::Property { target, key } => {
                let null = Ex::Value(cypher_value::Value::Null);
                Change::Property(self.expr(target, names)?, self.key(key, names)?, null)
            }
            RemoveItem::Labels { target, labels } => {
                Change::RemoveLabels(names.want(&target.text)?, self.label_names(labels, names)?)
            }
        })
    }
}

/// Whether a change sets properties of what is made to values that do not depend on it.
fn is_known_before(change: &Change, make: &Make, path: Option<&(Slot, Ex)>) -> bool {
    let made = || {
        let nodes = make.nodes.iter().map(|new| new.slot);
        nodes.chain(make.relationships.iter().map(|new| new.slot))
    };
    let (target, value) = match change {
        Change::Property(target, KeyEx::Name(_), value) | Change::Map(target, value, true) => (target, value),
        _ => return false,
    };
    let mut read = Vec::new();
    slots_of(value, &mut read);
    let is_made = |slot: Slot| made().any(|own| own == slot);
    matches!(target, Ex::Slot(slot) if is_made(*slot))
        && !read.iter().any(|slot| *slot == Slot::MAX || is_made(*slot) || path.is_some_and(|(own, _)| own == slot))
}
