//! Expressions with scopes of their own, and calls of functions.

use cypher_value::Detail;

use super::aggregate::{children, has_aggregate, is_aggregate};
use super::scope::{Scope, wrong_type};
use super::{Arity, Checker, Type};
use crate::ast::{Expr, ExprKind, MapEntry, Name, SubqueryKind};
use crate::error::{Error, Result};

impl Checker<'_> {
    pub(super) fn special(&mut self, expr: &Expr, scope: &Scope) -> Result<Type> {
        match &expr.kind {
            ExprKind::Call { name, arguments, .. } => self.function(expr, name, arguments, scope),
            ExprKind::Case { subject, branches, otherwise } => {
                if let Some(subject) = subject {
                    self.expr(subject, scope)?;
                }
                let mut of = Type::Null;
                for (test, result) in branches {
                    if subject.is_some() {
                        self.expr(test, scope)?
                    } else {
                        self.predicate(test, scope)?
                    };
                    of = of.with(self.expr(result, scope)?);
                }
                if let Some(otherwise) = otherwise {
                    of = of.with(self.expr(otherwise, scope)?);
                }
                Ok(if of == Type::Null { Type::Any } else { of })
            }
            ExprKind::ListComprehension { name, list, filter, map } => {
                let (item, inner) = self.items(name, list, scope)?;
                if let Some(filter) = filter {
                    self.condition(filter, &inner)?;
                }
                let of = match map {
                    Some(map) => self.plain(map, &inner)?,
                    None => item,
                };
                Ok(Type::List(Box::new(of)))
            }
            ExprKind::PatternComprehension { pattern, filter, map } => {
                self.facts.is_read = true;
                let mut inner = scope.clone();
                self.match_pattern(pattern, &mut inner, &mut Vec::new())?;
                self.pattern_conditions(pattern, &inner, false)?;
                if let Some(filter) = filter {
                    self.condition(filter, &inner)?;
                }
                Ok(Type::List(Box::new(self.plain(map, &inner)?)))
            }
            ExprKind::Quantified { name, list, filter, .. } => {
                let (_, inner) = self.items(name, list, scope)?;
                self.condition(filter, &inner)?;
                Ok(Type::Boolean)
            }
            ExprKind::Reduce { accumulator, init, name, list, body } => {
                self.plain(init, scope)?;
                let (_, mut inner) = self.items(name, list, scope)?;
                inner.set(&accumulator.text, Type::Any);
                self.plain(body, &inner)?;
                Ok(Type::Any)
            }
            ExprKind::Pattern(pattern) if pattern.shortest.is_some() => self.predicate(expr, scope),
            ExprKind::Pattern(pattern) => {
                // A name that is not there is the nearer mistake.
                self.pattern_predicate(pattern, scope)?;
                let message = "A pattern can be used as an expression in a condition only; use EXISTS {}, COUNT {} or \
                               a pattern comprehension";
                Err(Error::syntax(Detail::UnexpectedSyntax, expr.span, message))
            }
            ExprKind::Subquery(kind, query) => {
                self.facts.is_read = true;
                let columns = self.query(query, scope, true)?;
                if *kind == SubqueryKind::Collect && columns.len() != 1 {
                    let message = "COLLECT {} takes a query of one column";
                    return Err(Error::syntax(Detail::UnexpectedSyntax, expr.span, message));
                }
                Ok(match (kind, columns.into_iter().next()) {
                    (SubqueryKind::Exists, _) => Type::Boolean,
                    (SubqueryKind::Count, _) => Type::Integer,
                    (SubqueryKind::Collect, Some((_, of))) => Type::List(Box::new(of)),
                    (SubqueryKind::Collect, None) => Type::list(),
                })
            }
            ExprKind::MapProjection(name, entries) => self.map_projection(name, entries, scope),
            _ => Ok(Type::Any),
        }
    }

    fn map_projection(&mut self, name: &Name, entries: &[MapEntry], scope: &Scope) -> Result<Type> {
        let of = scope.want(&name.text, name.span)?;
        if !of.may_be(&Type::Map) {
            return Err(wrong_type(name.span, "Map, Node or Relationship", of));
        }
        for entry in entries {
            match entry {
                MapEntry::Variable(name) => {
                    scope.want(&name.text, name.span)?;
                }
                MapEntry::Pair(_, value) => {
                    self.expr(value, scope)?;
                }
                MapEntry::All | MapEntry::Key(_) => {}
            }
        }
        Ok(Type::Map)
    }

    /// The type of a list's items, and a scope with a name for one.
    fn items(&mut self, name: &Name, list: &Expr, scope: &Scope) -> Result<(Type, Scope)> {
        let item = match self.expr(list, scope)? {
            Type::List(item) => *item,
            of if of.may_be_list() => Type::Any,
            of => return Err(wrong_type(list.span, "List", &of)),
        };
        let mut inner = scope.clone();
        inner.set(&name.text, item.clone());
        Ok((item, inner))
    }

    fn function(&mut self, expr: &Expr, name: &str, arguments: &[Expr], scope: &Scope) -> Result<Type> {
        let lower = name.to_lowercase();
        let arity = if is_aggregate(name) {
            let count = if lower.starts_with("percentile") { 2 } else { 1 };
            Arity { min: count, max: count }
        } else {
            let unknown = || Error::syntax(Detail::UnknownFunction, expr.span, format!("Unknown function '{name}'"));
            self.callables.function(&lower).ok_or_else(unknown)?
        };
        if arguments.len() < arity.min || arguments.len() > arity.max {
            let message = format!("'{name}' takes {} arguments, but {} are given", arity.min, arguments.len());
            return Err(Error::syntax(Detail::InvalidNumberOfArguments, expr.span, message));
        }
        if is_aggregate(name) && arguments.iter().any(has_aggregate) {
            let message = "Can't use aggregate functions inside of aggregate functions";
            return Err(Error::syntax(Detail::NestedAggregation, expr.span, message));
        }
        if is_aggregate(name) && arguments.iter().any(is_random) {
            let message = "Can't use non-deterministic (random) functions inside of aggregate functions";
            return Err(Error::syntax(Detail::NonConstantExpression, expr.span, message));
        }
        let mut types = Vec::with_capacity(arguments.len());
        for argument in arguments {
            types.push(self.expr(argument, scope)?);
        }
        super::calls::result(&lower, &types, arguments)
    }
}

fn is_random(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { name, .. } => {
            name.eq_ignore_ascii_case("rand")
                || name.eq_ignore_ascii_case("randomUUID")
                || children(expr).into_iter().any(is_random)
        }
        _ => children(expr).into_iter().any(is_random),
    }
}
