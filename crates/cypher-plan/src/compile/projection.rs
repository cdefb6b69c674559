//! WITH and RETURN.

use std::sync::Arc;

use cypher::ast::{Expr, ExprKind, Item, Projection};
use cypher::{has_aggregate, is_aggregate, same};

use super::Compiler;
use super::expr::Computed;
use super::slots::{Names, is_dynamic, slots_of};
use crate::Result;
use crate::plan::{Aggregate, AggregateValue, Callee, Ex, Slot, Sort, Step};

impl Compiler<'_> {
    /// The steps of a projection. Answers its columns in their order; `names` are those behind it.
    pub(super) fn projection(
        &mut self,
        projection: &Projection,
        names: &mut Names,
        is_return: bool,
        outer: &Names,
        steps: &mut Vec<Step>,
    ) -> Result<Vec<(String, Slot)>> {
        let before = names.clone();
        let mut after = Names::default();
        if projection.has_star {
            let mut all: Vec<(&str, Slot)> = before.iter().filter(|(name, _)| !name.starts_with('~')).collect();
            if is_return {
                all.retain(|(name, _)| outer.get(name).is_none());
                all.sort_by(|a, b| a.0.cmp(b.0));
            }
            all.into_iter().for_each(|(name, slot)| after.set(name, slot));
        }
        let is_grouped = projection.items.iter().any(|item| has_aggregate(&item.expr));
        let mut computed: Computed = Vec::new();
        let mut values = Vec::new();
        if is_grouped {
            self.grouped(projection, &before, &mut after, &mut computed, steps)?;
        } else {
            values = self.plain(&projection.items, &before, &mut after, &mut computed)?;
            if projection.is_distinct {
                push_let(std::mem::take(&mut values), steps);
            }
        }
        let columns: Vec<(String, Slot)> = after.iter().map(|(name, slot)| (name.to_owned(), slot)).collect();
        if projection.is_distinct {
            steps.push(Step::Distinct(Arc::new(columns.iter().map(|(_, slot)| *slot).collect())));
        }
        let is_narrow = is_grouped || projection.is_distinct;
        let mut seen = if is_narrow { Names::default() } else { before };
        after.iter().for_each(|(name, slot)| seen.set(name, slot));
        self.order(projection, &seen, &computed, values, steps)?;
        if let Some(filter) = &projection.filter {
            let filter = self.expr_with(filter, &seen, &computed)?;
            steps.push(Step::Filter(Arc::new(filter)));
        }
        *names = after;
        Ok(columns)
    }

    /// Columns without aggregates: what is to be computed.
    fn plain(
        &mut self,
        items: &[Item],
        before: &Names,
        after: &mut Names,
        computed: &mut Computed,
    ) -> Result<Vec<(Slot, Ex)>> {
        let mut values = Vec::new();
        for item in items {
            let slot = match &item.expr.kind {
                // A name that is passed on stays where it is.
                ExprKind::Variable(name) => before.want(name)?,
                _ => {
                    let value = self.expr(&item.expr, before)?;
                    let slot = self.slot();
                    values.push((slot, value));
                    slot
                }
            };
            after.set(&item.name, slot);
            if !matches!(item.expr.kind, ExprKind::Variable(_)) {
                computed.push((item.expr.clone(), slot));
            }
        }
        Ok(values)
    }

    /// Columns with aggregates: those without are the keys of the groups.
    fn grouped(
        &mut self,
        projection: &Projection,
        before: &Names,
        after: &mut Names,
        computed: &mut Computed,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let mut keys: Vec<(Slot, Ex)> = after.iter().map(|(_, slot)| (slot, Ex::Slot(slot))).collect();
        for (name, slot) in after.iter() {
            let expr = Expr { kind: ExprKind::Variable(name.to_owned()), span: projection.span, height: 1 };
            computed.push((expr, slot));
        }
        for item in projection.items.iter().filter(|item| !has_aggregate(&item.expr)) {
            let value = self.expr(&item.expr, before)?;
            let slot = self.slot();
            keys.push((slot, value));
            after.set(&item.name, slot);
            computed.push((item.expr.clone(), slot));
        }
        let mut values = Vec::new();
        let mixed =
            projection.items.iter().map(|item| &item.expr).chain(projection.order.iter().map(|item| &item.expr));
        for expr in mixed {
            self.aggregates(expr, before, computed, &mut values)?;
        }
        self.count_last(steps, &keys, &mut values);
        steps.push(Step::Aggregate(Arc::new(Aggregate { keys, values })));
        let mut lets = Vec::new();
        for item in projection.items.iter().filter(|item| has_aggregate(&item.expr)) {
            let value = self.expr_with(&item.expr, after, computed)?;
            let slot = match value {
                Ex::Slot(slot) => slot,
                value => {
                    let slot = self.slot();
                    lets.push((slot, value));
                    slot
                }
            };
            computed.push((item.expr.clone(), slot));
            after.set(&item.name, slot);
        }
        // The columns stand in the order in which they are written.
        let mut ordered = Names::default();
        if projection.has_star {
            let is_item = |name: &str| projection.items.iter().any(|item| item.name == name);
            after.iter().filter(|(name, _)| !is_item(name)).for_each(|(name, slot)| ordered.set(name, slot));
        }
        for item in &projection.items {
            ordered.set(&item.name, after.want(&item.name)?);
        }
        *after = ordered;
        if !lets.is_empty() {
            steps.push(Step::Let(Arc::new(lets)));
        }
        Ok(())
    }

    /// Where only the number of the last relationships is asked for, they are counted instead of made into rows.
    fn count_last(&mut self, steps: &mut Vec<Step>, keys: &[(Slot, Ex)], values: &mut [AggregateValue]) {
        let (made, types) = match steps.last() {
            Some(Step::Expand(expand)) if !expand.is_into => ([expand.relationship, expand.to], &expand.types),
            Some(Step::Scan(scan)) if scan.ids.is_none() && scan.equal.is_empty() => ([scan.slot; 2], &scan.labels),
            _ => return,
        };
        let is_new = |slot: Slot| made.contains(&slot) || slot == Slot::MAX;
        let is_count = |value: &AggregateValue| {
            let is_one = match value.arguments.as_slice() {
                [] => true,
                [Ex::Slot(slot)] => is_new(*slot),
                _ => false,
            };
            is_one && !value.is_distinct && value.aggregate == cypher_value::Aggregate::Count
        };
        let mut read = Vec::new();
        keys.iter().for_each(|(_, ex)| slots_of(ex, &mut read));
        if values.is_empty() || !values.iter().all(is_count) || read.into_iter().any(is_new) {
            return;
        }
        if types.as_ref().is_some_and(is_dynamic) {
            return;
        }
        let slot = self.slot();
        match steps.pop() {
            Some(Step::Expand(expand)) => steps.push(Step::Count(Arc::new(((*expand).clone(), slot)))),
            Some(Step::Scan(scan)) => steps.push(Step::CountNodes(Arc::new((scan.labels.clone(), slot)))),
            other => {
                steps.extend(other);
                return;
            }
        }
        for value in values {
            value.aggregate = cypher_value::Aggregate::Sum;
            value.arguments = vec![Ex::Slot(slot)];
        }
    }

    /// Gives each aggregate in an expression a slot.
    fn aggregates(
        &mut self,
        expr: &Expr,
        before: &Names,
        computed: &mut Computed,
        values: &mut Vec<AggregateValue>,
    ) -> Result<()> {
        if computed.iter().any(|(own, _)| same(own, expr)) || !has_aggregate(expr) {
            return Ok(());
        }
        let (name, arguments, is_distinct) = match &expr.kind {
            ExprKind::CountStar => ("count", &[][..], false),
            ExprKind::Call { name, arguments, is_distinct } if is_aggregate(name) => {
                (name.as_str(), arguments.as_slice(), *is_distinct)
            }
            _ => {
                for inner in cypher::children(expr) {
                    self.aggregates(inner, before, computed, values)?;
                }
                return Ok(());
            }
        };
        let arguments = arguments.iter().map(|argument| self.expr(argument, before)).collect::<Result<_>>()?;
        let slot = self.slot();
        let aggregate = Callee::named(name)?.0.aggregate().ok_or_else(|| crate::defect("no aggregate"))?;
        values.push(AggregateValue { slot, aggregate, arguments, is_distinct });
        computed.push((expr.clone(), slot));
        Ok(())
    }

    /// ORDER BY, SKIP and LIMIT. Of the values of columns, those that the order does not need are computed for the rows
    /// that are left.
    fn order(
        &mut self,
        projection: &Projection,
        seen: &Names,
        computed: &Computed,
        values: Vec<(Slot, Ex)>,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let bounds = [&projection.skip, &projection.limit];
        let mut exs = Vec::new();
        for bound in bounds {
            exs.push(bound.as_ref().map(|bound| self.expr(bound, &Names::default())).transpose()?);
        }
        let (skip, limit) = (exs.first().cloned().flatten(), exs.get(1).cloned().flatten());
        let mut keys = Vec::with_capacity(projection.order.len());
        for item in &projection.order {
            // An alias hides the name it replaces, but what was computed with the old one is meant where it is the
            // same expression.
            keys.push((self.expr_with(&item.expr, seen, computed)?, item.is_descending));
        }
        let mut read = Vec::new();
        keys.iter().for_each(|(ex, _)| slots_of(ex, &mut read));
        let is_bounded = skip.is_some() || limit.is_some();
        let is_early = |slot: &Slot| !is_bounded || read.contains(slot) || read.contains(&Slot::MAX);
        let (early, late) = values.into_iter().partition(|(slot, _)| is_early(slot));
        push_let(early, steps);
        if !keys.is_empty() {
            let first = limit.iter().cloned().chain(skip.clone().filter(|_| limit.is_some())).collect();
            steps.push(Step::Sort(Arc::new(Sort { keys, first })));
        }
        steps.extend(skip.map(|skip| Step::Skip(Arc::new(skip))));
        steps.extend(limit.map(|limit| Step::Limit(Arc::new(limit))));
        push_let(late, steps);
        Ok(())
    }
}

/// The step that computes values, if there are any.
fn push_let(values: Vec<(Slot, Ex)>, steps: &mut Vec<Step>) {
    if !values.is_empty() {
        steps.push(Step::Let(Arc::new(values)));
    }
}
