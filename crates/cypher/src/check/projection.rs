//! WITH and RETURN: columns, grouping, order, bounds.

use cypher_value::Detail;

use super::aggregate::{children, has_aggregate, same};
use super::scope::{Scope, undefined, wrong_type};
use super::{Checker, Type};
use crate::ast::{Expr, ExprKind, Item, MapEntry, Projection};
use crate::error::{Error, Result};

impl Checker<'_> {
    /// Checks a projection; answers the scope behind it. `outer`: names of the query around, which `*` leaves out.
    pub(super) fn projection(
        &mut self,
        projection: &Projection,
        scope: &Scope,
        is_return: bool,
        outer: &Scope,
    ) -> Result<Scope> {
        let mut after = Scope::default();
        if projection.has_star {
            if is_return && scope.is_empty() {
                let message = "RETURN * is not allowed when there are no variables in scope";
                return Err(Error::syntax(Detail::NoVariablesInScope, projection.span, message));
            }
            for (name, of) in scope.names() {
                if !is_return || outer.get(name).is_none() {
                    after.set(name, of.clone());
                }
            }
        }
        let is_grouped = projection.items.iter().any(|item| has_aggregate(&item.expr));
        let star = projection.has_star.then_some(scope);
        for (at, item) in projection.items.iter().enumerate() {
            let is_again = projection.items.iter().take(at).any(|before| before.name == item.name);
            if is_again && !projection.is_let {
                let message = format!("Multiple result columns with the same name `{}` are not supported", item.name);
                return Err(Error::syntax(Detail::ColumnNameConflict, item.expr.span, message));
            }
            let of = self.expr(&item.expr, scope)?;
            if has_aggregate(&item.expr) {
                check_grouping(&item.expr, &projection.items, star)?;
            }
            after.set(&item.name, of);
        }
        self.check_order(projection, scope, &after, is_grouped)?;
        for item in &projection.items {
            if !is_return && !item.has_alias && !matches!(item.expr.kind, ExprKind::Variable(_)) {
                let message = "Expression in WITH must be aliased (use AS)";
                return Err(Error::syntax(Detail::NoExpressionAlias, item.expr.span, message));
            }
        }
        for bound in [&projection.skip, &projection.limit].into_iter().flatten() {
            self.check_bound(bound)?;
        }
        if let Some(filter) = &projection.filter {
            if is_grouped || projection.is_distinct {
                self.condition(&with_columns(filter, &projection.items), &after)?;
            } else {
                self.condition(filter, &merged(scope, &after))?;
            }
        }
        Ok(after)
    }

    fn check_order(&mut self, projection: &Projection, before: &Scope, after: &Scope, is_grouped: bool) -> Result<()> {
        let is_narrow = is_grouped || projection.is_distinct;
        for item in &projection.order {
            let (expr, aggregates) = (&item.expr, has_aggregate(&item.expr));
            if aggregates && !is_grouped {
                let message = "an aggregate in ORDER BY needs one among the columns";
                return Err(Error::syntax(Detail::InvalidAggregation, expr.span, message));
            }
            let is_column = projection.items.iter().any(|item| same(&item.expr, expr));
            if is_column || !is_narrow {
                self.expr(expr, &merged(before, after))?;
            } else if aggregates {
                check_mixed_order(expr, projection, before, after)?;
                self.expr(expr, &merged(before, after))?;
            } else {
                self.expr(&with_columns(expr, &projection.items), after)?;
            }
        }
        Ok(())
    }

    /// SKIP and LIMIT: whole, not negative, no names.
    fn check_bound(&mut self, bound: &Expr) -> Result<()> {
        match &bound.kind {
            ExprKind::Int(number) if *number < 0 => {
                let message = format!("'{number}' is not a valid value: must be a non-negative integer");
                return Err(Error::syntax(Detail::NegativeIntegerArgument, bound.span, message));
            }
            ExprKind::Float(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::List(_) | ExprKind::Map(_) => {
                let message = "SKIP and LIMIT take a non-negative integer";
                return Err(Error::syntax(Detail::InvalidArgumentType, bound.span, message));
            }
            _ => {}
        }
        if has_variable(bound) {
            let message = "It is not allowed to refer to variables in SKIP or LIMIT";
            return Err(Error::syntax(Detail::NonConstantExpression, bound.span, message));
        }
        let of = self.plain(bound, &Scope::default())?;
        if of.may_be(&Type::Integer) { Ok(()) } else { Err(wrong_type(bound.span, "Integer", &of)) }
    }
}

/// What stands beside an aggregate must be constant or a grouping key.
fn check_grouping(expr: &Expr, items: &[Item], star: Option<&Scope>) -> Result<()> {
    let is_key = |item: &Item| !has_aggregate(&item.expr) && is_simple(&item.expr) && same(&item.expr, expr);
    if items.iter().any(is_key) {
        return Ok(());
    }
    match &expr.kind {
        ExprKind::Call { name, .. } if super::is_aggregate(name) => Ok(()),
        ExprKind::Variable(name) if star.is_some_and(|scope| scope.get(name).is_some()) => Ok(()),
        ExprKind::Variable(name) => {
            let message = format!(
                "`{name}` stands beside an aggregate but is no grouping key: return it as well, or use WITH before"
            );
            Err(Error::syntax(Detail::AmbiguousAggregationExpression, expr.span, message))
        }
        // Their own names stand for items, not for rows.
        ExprKind::ListComprehension { .. }
        | ExprKind::Quantified { .. }
        | ExprKind::Reduce { .. }
        | ExprKind::PatternComprehension { .. } => Ok(()),
        ExprKind::MapProjection(name, entries) => {
            let whole = Expr { kind: ExprKind::Variable(name.text.clone()), span: name.span, height: 0 };
            check_grouping(&whole, items, star)?;
            let pairs = entries.iter().filter_map(|entry| match entry {
                MapEntry::Pair(_, value) => Some(value),
                _ => None,
            });
            pairs.into_iter().try_for_each(|value| check_grouping(value, items, star))
        }
        _ => children(expr).into_iter().try_for_each(|inner| check_grouping(inner, items, star)),
    }
}

/// An item of ORDER BY that holds an aggregate.
fn check_mixed_order(expr: &Expr, projection: &Projection, before: &Scope, after: &Scope) -> Result<()> {
    if let Some(item) = projection.items.iter().find(|item| same(&item.expr, expr)) {
        let is_constant = !has_variable(expr);
        if is_constant || has_aggregate(&item.expr) || is_simple(&item.expr) {
            return Ok(());
        }
        let message = "an expression in ORDER BY beside an aggregate must be a name or a property that is returned";
        return Err(Error::syntax(Detail::AmbiguousAggregationExpression, expr.span, message));
    }
    match &expr.kind {
        ExprKind::Variable(name) if after.get(name).is_some() => Ok(()),
        ExprKind::Variable(name) if before.get(name).is_some() => Err(undefined(name, expr.span)),
        _ => children(expr).into_iter().try_for_each(|inner| check_mixed_order(inner, projection, before, after)),
    }
}

/// A name or a property of a name: what can stand beside an aggregate.
fn is_simple(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Variable(_) => true,
        ExprKind::Property(of, _) => is_simple(of),
        _ => false,
    }
}

fn has_variable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Variable(_) | ExprKind::MapProjection(..) | ExprKind::Pattern(_) => true,
        ExprKind::ListComprehension { list, .. } | ExprKind::Quantified { list, .. } => has_variable(list),
        ExprKind::Reduce { init, list, .. } => has_variable(init) || has_variable(list),
        _ => children(expr).into_iter().any(has_variable),
    }
}

/// Both scopes; where both have a name, that of the second.
fn merged(before: &Scope, after: &Scope) -> Scope {
    let mut both = before.clone();
    for (name, of) in after.names() {
        both.set(name, of.clone());
    }
    both
}

/// The expression with the columns' names in place of what they stand for.
#[must_use]
pub fn with_columns(expr: &Expr, items: &[Item]) -> Expr {
    if let Some(item) = items.iter().find(|item| same(&item.expr, expr)) {
        return Expr { kind: ExprKind::Variable(item.name.clone()), ..expr.clone() };
    }
    let mut copy = expr.clone();
    let again = |inner: &mut Box<Expr>| **inner = with_columns(inner, items);
    match &mut copy.kind {
        ExprKind::Property(of, _) | ExprKind::Unary(_, of) | ExprKind::IsNull(of, _) | ExprKind::HasLabels(of, _) => {
            again(of);
        }
        ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => {
            again(left);
            again(right);
        }
        ExprKind::Call { arguments, .. } | ExprKind::List(arguments) => {
            arguments.iter_mut().for_each(|argument| *argument = with_columns(argument, items));
        }
        ExprKind::Map(pairs) => pairs.iter_mut().for_each(|(_, value)| *value = with_columns(value, items)),
        ExprKind::Chain(first, rest) => {
            again(first);
            rest.iter_mut().for_each(|(_, operand)| *operand = with_columns(operand, items));
        }
        ExprKind::Case { subject, branches, otherwise } => {
            subject.iter_mut().chain(otherwise).for_each(again);
            for (test, result) in branches {
                *test = with_columns(test, items);
                *result = with_columns(result, items);
            }
        }
        _ => {}
    }
    copy
}
