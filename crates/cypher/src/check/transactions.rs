//! Which clauses write, and where `CALL {} IN TRANSACTIONS` may stand.

use cypher_value::Detail;

use super::aggregate::children;
use crate::ast::{Clause, Expr, ExprKind, OnError, Query, Subquery};
use crate::error::{Error, Result, Span};

fn refused(span: Span, why: &str) -> Error {
    Error::syntax(Detail::InvalidClauseComposition, span, format!("CALL {{ ... }} IN TRANSACTIONS {why}"))
}

/// Checks that a query commits only between the rows of its own clauses, and after nothing was written.
pub(super) fn check(query: &Query) -> Result<()> {
    for part in &query.parts {
        let mut has_written = false;
        for clause in &part.clauses {
            match clause {
                Clause::Subquery(subquery) => {
                    if let Some(inner) = within(&subquery.query) {
                        return Err(refused(inner, "cannot stand in another CALL { ... }"));
                    }
                    if let Some(transactions) = &subquery.transactions {
                        if query.parts.len() > 1 {
                            return Err(refused(subquery.span, "in a UNION is not supported"));
                        }
                        if has_written {
                            return Err(refused(subquery.span, "after a write clause is not supported"));
                        }
                        if transactions.report.is_some() && transactions.on_error == OnError::Fail {
                            let why = "with REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK";
                            return Err(refused(subquery.span, why));
                        }
                        continue;
                    }
                }
                other => {
                    if let Some(span) = in_expressions(other) {
                        return Err(refused(span, "cannot stand in an expression"));
                    }
                }
            }
            has_written |= is_writing(clause);
        }
    }
    Ok(())
}

/// Where a query, or one in it, commits.
fn within(query: &Query) -> Option<Span> {
    query.parts.iter().flat_map(|part| &part.clauses).find_map(|clause| match clause {
        Clause::Subquery(subquery) => {
            let Subquery { query, transactions, span, .. } = &**subquery;
            if transactions.is_some() { Some(*span) } else { within(query) }
        }
        other => in_expressions(other),
    })
}

fn in_expressions(clause: &Clause) -> Option<Span> {
    let projected = |projection: &crate::ast::Projection| {
        let items = projection.items.iter().map(|item| &item.expr);
        let all = items.chain(&projection.filter).chain(projection.order.iter().map(|item| &item.expr));
        all.into_iter().find_map(in_expression)
    };
    match clause {
        Clause::With(projection) | Clause::Return(projection) => projected(projection),
        Clause::Match(found) => found.filter.as_ref().and_then(in_expression),
        Clause::Unwind { list, .. } => in_expression(list),
        _ => None,
    }
}

fn in_expression(expr: &Expr) -> Option<Span> {
    if let ExprKind::Subquery(_, query) = &expr.kind {
        return within(query);
    }
    children(expr).into_iter().find_map(in_expression)
}

/// Whether a query writes.
pub(super) fn writes(query: &Query) -> bool {
    query.parts.iter().flat_map(|part| &part.clauses).any(is_writing)
}

/// Whether a clause writes.
pub(super) fn is_writing(clause: &Clause) -> bool {
    match clause {
        Clause::Create(_)
        | Clause::Merge { .. }
        | Clause::Set(_)
        | Clause::Remove(_)
        | Clause::Delete { .. }
        | Clause::Foreach { .. } => true,
        Clause::Subquery(subquery) => writes(&subquery.query),
        _ => false,
    }
}
