//! Where aggregates stand.

use crate::ast::{Expr, ExprKind, MapEntry};

/// Whether a function of a name puts many rows together.
#[must_use]
pub fn is_aggregate(name: &str) -> bool {
    const NAMES: [&str; 10] =
        ["count", "sum", "avg", "min", "max", "collect", "stdev", "stdevp", "percentiledisc", "percentilecont"];
    NAMES.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Whether an expression holds an aggregate, outside of subqueries.
#[must_use]
pub fn has_aggregate(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::CountStar => true,
        ExprKind::Call { name, .. } if is_aggregate(name) => true,
        _ => children(expr).into_iter().any(has_aggregate),
    }
}

/// The expressions directly inside of an expression, those of patterns and subqueries left out.
#[must_use]
pub fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::List(items) => items.iter().collect(),
        ExprKind::Map(pairs) => pairs.iter().map(|(_, value)| value).collect(),
        ExprKind::Property(of, _)
        | ExprKind::Unary(_, of)
        | ExprKind::IsNull(of, _)
        | ExprKind::HasLabels(of, _)
        | ExprKind::IsType(of, ..)
        | ExprKind::IsNormalized(of, ..) => vec![of],
        ExprKind::Index(of, at) => vec![of, at],
        ExprKind::Slice(of, from, to) => std::iter::once(&**of).chain(from.as_deref()).chain(to.as_deref()).collect(),
        ExprKind::Binary(_, left, right) => vec![left, right],
        ExprKind::Chain(first, rest) => std::iter::once(&**first).chain(rest.iter().map(|(_, it)| it)).collect(),
        ExprKind::Call { arguments, .. } => arguments.iter().collect(),
        ExprKind::Case { subject, branches, otherwise } => {
            let inner = branches.iter().flat_map(|(test, result)| [test, result]);
            subject.as_deref().into_iter().chain(inner).chain(otherwise.as_deref()).collect()
        }
        ExprKind::ListComprehension { list, filter, map, .. } => {
            std::iter::once(&**list).chain(filter.as_deref()).chain(map.as_deref()).collect()
        }
        ExprKind::PatternComprehension { filter, map, .. } => filter.as_deref().into_iter().chain([&**map]).collect(),
        ExprKind::Quantified { list, filter, .. } => vec![list, filter],
        ExprKind::Reduce { init, list, body, .. } => vec![init, list, body],
        ExprKind::MapProjection(_, entries) => {
            let values = entries.iter().filter_map(|entry| match entry {
                MapEntry::Pair(_, value) => Some(value),
                _ => None,
            });
            values.collect()
        }
        _ => Vec::new(),
    }
}

/// Whether two expressions say the same, wherever they stand.
#[must_use]
pub fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Variable(a), ExprKind::Variable(b)) | (ExprKind::Param(a), ExprKind::Param(b)) => a == b,
        (ExprKind::Property(a, ka), ExprKind::Property(b, kb)) => ka == kb && same(a, b),
        (ExprKind::Unary(oa, a), ExprKind::Unary(ob, b)) => oa == ob && same(a, b),
        (ExprKind::Binary(oa, la, ra), ExprKind::Binary(ob, lb, rb)) => oa == ob && same(la, lb) && same(ra, rb),
        (ExprKind::Index(la, ra), ExprKind::Index(lb, rb)) => same(la, lb) && same(ra, rb),
        (ExprKind::List(a), ExprKind::List(b)) => all_same(a, b),
        (
            ExprKind::Call { name: na, is_distinct: da, arguments: a },
            ExprKind::Call { name: nb, is_distinct: db, arguments: b },
        ) => na.eq_ignore_ascii_case(nb) && da == db && all_same(a, b),
        (ExprKind::IsNull(a, fa), ExprKind::IsNull(b, fb)) => fa == fb && same(a, b),
        (a, b) => a == b,
    }
}

fn all_same(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}
