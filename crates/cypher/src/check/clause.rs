//! Clauses in their order.

use cypher_value::Detail;

use super::scope::{Scope, wrong_type};
use super::transactions::is_writing;
use super::{Checker, Type, has_aggregate};
use crate::ast::{Clause, Expr, ExprKind, LabelName, Match, Name, Part, PropertyKey, Query, RemoveItem, SetItem};
use crate::error::{Error, Result, Span};

/// Columns with their types.
pub(super) type Columns = Vec<(String, Type)>;

impl Checker<'_> {
    /// Checks a query in the scope around it; answers its columns. `is_read_only`: nothing may be written.
    pub(super) fn query(&mut self, query: &Query, outer: &Scope, is_read_only: bool) -> Result<Columns> {
        let mut columns: Option<Columns> = None;
        for part in &query.parts {
            let own = self.part(part, outer.clone(), outer, is_read_only)?;
            same_columns(columns.as_ref().unwrap_or(&own), &own, query.span)?;
            columns.get_or_insert(own);
        }
        Ok(columns.unwrap_or_default())
    }

    pub(super) fn part(&mut self, part: &Part, mut scope: Scope, outer: &Scope, is_read_only: bool) -> Result<Columns> {
        let mut columns = Vec::new();
        self.is_standalone = part.clauses.len() == 1 && outer.is_empty();
        for (at, clause) in part.clauses.iter().enumerate() {
            let is_last = at + 1 == part.clauses.len();
            if is_read_only && is_writing(clause) {
                let message = "a subquery in an expression cannot write";
                return Err(Error::syntax(Detail::InvalidClauseComposition, span_of(clause), message));
            }
            match clause {
                Clause::Return(projection) => {
                    if !is_last {
                        let message = "RETURN can only be used at the end of the query";
                        return Err(Error::syntax(Detail::InvalidClauseComposition, projection.span, message));
                    }
                    scope = self.projection(projection, &scope, true, outer)?;
                    columns = scope.names().map(|(name, of)| (name.to_owned(), of.clone())).collect();
                }
                Clause::With(projection) => {
                    scope = self.projection(projection, &scope, false, outer)?;
                    if is_last {
                        return Err(no_end(projection.span, "WITH"));
                    }
                }
                Clause::Finish(span) if !is_last => {
                    let message = "FINISH can only be used at the end of the query";
                    return Err(Error::syntax(Detail::InvalidClauseComposition, *span, message));
                }
                Clause::Match(found) if is_last && !is_read_only => return Err(no_end(found.span, "MATCH")),
                Clause::Unwind { name, .. } if is_last && !is_read_only => return Err(no_end(name.span, "UNWIND")),
                other => {
                    let yielded = self.clause(other, &mut scope)?;
                    if is_last && self.is_standalone {
                        columns = yielded;
                    }
                }
            }
            self.is_standalone = false;
        }
        Ok(columns)
    }

    /// Checks a clause; answers the columns of a procedure.
    fn clause(&mut self, clause: &Clause, scope: &mut Scope) -> Result<Columns> {
        self.facts.is_write |= is_writing(clause);
        self.facts.adds |= matches!(clause, Clause::Create(_) | Clause::Merge { .. } | Clause::Set(_));
        match clause {
            Clause::Match(found) => self.match_clause(found, scope)?,
            Clause::Unwind { list, name } => {
                let of = self.plain(list, scope)?;
                scope.add(name, if let Type::List(item) = of { *item } else { Type::Any })?;
            }
            Clause::Create(patterns) => patterns.iter().try_for_each(|pattern| self.made(pattern, scope, false))?,
            Clause::Merge { pattern, on_create, on_match } => {
                self.facts.is_read = true;
                self.made(pattern, scope, true)?;
                on_create.iter().chain(on_match).try_for_each(|item| self.set_item(item, scope))?;
            }
            Clause::Set(items) => items.iter().try_for_each(|item| self.set_item(item, scope))?,
            Clause::Remove(items) => items.iter().try_for_each(|item| self.remove_item(item, scope))?,
            Clause::Delete { items, .. } => items.iter().try_for_each(|item| self.delete(item, scope))?,
            Clause::Call(call) => return self.call(call, scope),
            Clause::Subquery(subquery) => self.subquery(subquery, scope)?,
            Clause::Foreach { name, list, clauses } => {
                let of = self.plain(list, scope)?;
                let mut inner = scope.clone();
                inner.set(&name.text, if let Type::List(item) = of { *item } else { Type::Any });
                for clause in clauses {
                    self.clause(clause, &mut inner)?;
                }
            }
            Clause::LoadCsv { source, name, has_headers, .. } => {
                self.plain(source, scope)?;
                scope.add(name, if *has_headers { Type::Map } else { Type::List(Box::new(Type::String)) })?;
            }
            Clause::With(_) | Clause::Return(_) | Clause::Finish(_) => {}
        }
        Ok(Vec::new())
    }

    fn match_clause(&mut self, found: &Match, scope: &mut Scope) -> Result<()> {
        self.facts.is_read = true;
        let (mut relationships, before) = (Vec::new(), scope.clone());
        for pattern in &found.patterns {
            self.match_pattern(pattern, scope, &mut relationships)?;
            self.repeated_conditions(pattern, &before)?;
        }
        for pattern in &found.patterns {
            self.pattern_conditions(pattern, scope, true)?;
        }
        match &found.filter {
            Some(filter) => self.condition(filter, scope),
            None => Ok(()),
        }
    }

    /// A condition: no aggregate, true or false, patterns allowed.
    pub(super) fn condition(&mut self, filter: &Expr, scope: &Scope) -> Result<()> {
        no_aggregate(filter)?;
        let of = self.predicate(filter, scope)?;
        if of.may_be_boolean() { Ok(()) } else { Err(wrong_type(filter.span, "Boolean", &of)) }
    }

    /// An expression without aggregates.
    pub(super) fn plain(&mut self, expr: &Expr, scope: &Scope) -> Result<Type> {
        no_aggregate(expr)?;
        self.expr(expr, scope)
    }

    fn element(&self, name: &Name, scope: &Scope) -> Result<()> {
        let of = scope.want(&name.text, name.span)?;
        if is_owner(of) { Ok(()) } else { Err(wrong_type(name.span, "Node or Relationship", of)) }
    }

    fn labels(&mut self, labels: &[LabelName], scope: &Scope) -> Result<()> {
        for label in labels {
            if let LabelName::Dynamic(expr) = label {
                self.plain(expr, scope)?;
            }
        }
        Ok(())
    }

    fn key(&mut self, target: &Expr, key: &PropertyKey, scope: &Scope) -> Result<()> {
        let of = self.plain(target, scope)?;
        if !is_owner(&of) {
            return Err(wrong_type(target.span, "Node or Relationship", &of));
        }
        match key {
            PropertyKey::Dynamic(key) => self.plain(key, scope).map(|_| ()),
            PropertyKey::Name(_) => Ok(()),
        }
    }

    fn set_item(&mut self, item: &SetItem, scope: &Scope) -> Result<()> {
        match item {
            SetItem::Property { target, key, value } => {
                self.key(target, key, scope)?;
                self.plain(value, scope).map(|_| ())
            }
            SetItem::Map { target, value, .. } => {
                self.element(target, scope)?;
                let of = self.plain(value, scope)?;
                if of.may_be(&Type::Map) { Ok(()) } else { Err(wrong_type(value.span, "Map", &of)) }
            }
            SetItem::Labels { target, labels } => {
                self.element(target, scope)?;
                self.labels(labels, scope)
            }
        }
    }

    fn remove_item(&mut self, item: &RemoveItem, scope: &Scope) -> Result<()> {
        match item {
            RemoveItem::Property { target, key } => self.key(target, key, scope),
            RemoveItem::Labels { target, labels } => {
                self.element(target, scope)?;
                self.labels(labels, scope)
            }
        }
    }

    fn delete(&mut self, item: &Expr, scope: &Scope) -> Result<()> {
        if matches!(item.kind, ExprKind::HasLabels(..)) {
            let message = "DELETE takes a node, a relationship or a path; to take a label away use REMOVE";
            return Err(Error::syntax(Detail::InvalidDelete, item.span, message));
        }
        let of = self.plain(item, scope)?;
        if matches!(of, Type::Any | Type::Null | Type::Node | Type::Relationship | Type::Path) {
            return Ok(());
        }
        Err(wrong_type(item.span, "Node, Relationship or Path", &of))
    }
}

fn is_owner(of: &Type) -> bool {
    matches!(of, Type::Any | Type::Null | Type::Node | Type::Relationship | Type::Map)
}

pub(super) fn same_columns(first: &Columns, own: &Columns, span: Span) -> Result<()> {
    let names = |columns: &Columns| {
        let mut names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    };
    if names(first) == names(own) {
        return Ok(());
    }
    let message = "All sub queries in an UNION must have the same return column names";
    Err(Error::syntax(Detail::DifferentColumnsInUnion, span, message))
}

fn no_end(span: Span, what: &str) -> Error {
    let message = format!("Query cannot conclude with {what} (must be a RETURN clause, FINISH or an update)");
    Error::syntax(Detail::InvalidClauseComposition, span, message)
}

fn no_aggregate(expr: &Expr) -> Result<()> {
    if !has_aggregate(expr) {
        return Ok(());
    }
    let message = "Invalid use of aggregating function in this context";
    Err(Error::syntax(Detail::InvalidAggregation, expr.span, message))
}

fn span_of(clause: &Clause) -> Span {
    match clause {
        Clause::Match(found) => found.span,
        Clause::With(projection) | Clause::Return(projection) => projection.span,
        Clause::Create(patterns) => patterns.first().map(|pattern| pattern.span).unwrap_or_default(),
        Clause::Merge { pattern, .. } => pattern.span,
        Clause::Call(call) => call.span,
        Clause::Subquery(subquery) => subquery.span,
        Clause::Finish(span) => *span,
        _ => Span::default(),
    }
}
