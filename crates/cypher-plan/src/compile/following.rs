//! What follows a MATCH, as far as it decides how the pattern is best found.

use cypher::ast::{Clause, Expr, ExprKind, Match, Pattern, Projection};
use cypher::{children, has_aggregate, is_aggregate};

use super::slots::Names;
use crate::plan::Slot;

/// What happens behind a pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Behind {
    /// Whether rows are only counted.
    pub(super) is_counted: bool,
    /// The slots that are read then; none: any.
    pub(super) wanted: Option<Vec<Slot>>,
}

/// Whether rows are only counted, and which names are read; none: any.
#[derive(Clone, Debug, Default)]
pub(super) struct Following {
    is_counted: bool,
    wanted: Option<Vec<String>>,
}

impl Following {
    /// What clauses do with the rows of a MATCH before them.
    pub(super) fn of(clauses: &[Clause]) -> Self {
        let mut wanted = Vec::new();
        for clause in clauses {
            match clause {
                Clause::Match(found) if found.is_optional => {
                    if names_of_match(found, &mut wanted).is_none() {
                        return Self::default();
                    }
                }
                Clause::Return(projection) | Clause::With(projection) => {
                    return counted(projection, wanted).unwrap_or_default();
                }
                _ => return Self::default(),
            }
        }
        Self::default()
    }

    /// The slots of the names.
    pub(super) fn slots(&self, names: &Names) -> Behind {
        let slots = |wanted: &Vec<String>| wanted.iter().filter_map(|name| names.get(name)).collect();
        Behind { is_counted: self.is_counted, wanted: self.wanted.as_ref().map(slots) }
    }
}

/// A projection that counts rows by what they have in common; none where it does something else.
fn counted(projection: &Projection, mut wanted: Vec<String>) -> Option<Following> {
    if projection.has_star || !projection.items.iter().any(|item| has_aggregate(&item.expr)) {
        return None;
    }
    for item in &projection.items {
        if is_count(&item.expr) {
            continue;
        }
        if has_aggregate(&item.expr) {
            return None;
        }
        names_of(&item.expr, &mut wanted)?;
    }
    Some(Following { is_counted: true, wanted: Some(wanted) })
}

/// `count(*)` and `count(name)`.
fn is_count(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::CountStar => true,
        ExprKind::Call { name, arguments, is_distinct: false } if is_aggregate(name) => {
            name.eq_ignore_ascii_case("count")
                && matches!(arguments.as_slice(), [Expr { kind: ExprKind::Variable(_), .. }])
        }
        _ => false,
    }
}

/// The names in an expression; none where there may be others.
fn names_of(expr: &Expr, out: &mut Vec<String>) -> Option<()> {
    match &expr.kind {
        ExprKind::Variable(name) => out.push(name.clone()),
        ExprKind::Pattern(_)
        | ExprKind::PatternComprehension { .. }
        | ExprKind::Subquery(..)
        | ExprKind::MapProjection(..) => return None,
        _ => {}
    }
    children(expr).into_iter().try_for_each(|inner| names_of(inner, out))
}

fn names_of_match(found: &Match, out: &mut Vec<String>) -> Option<()> {
    found.patterns.iter().try_for_each(|pattern| names_of_pattern(pattern, out))?;
    found.filter.iter().try_for_each(|filter| names_of(filter, out))
}

fn names_of_pattern(pattern: &Pattern, out: &mut Vec<String>) -> Option<()> {
    let nodes = std::iter::once(&pattern.start).chain(pattern.steps.iter().map(|(_, node)| node));
    for node in nodes {
        out.extend(node.name.iter().map(|name| name.text.clone()));
        node.properties.iter().try_for_each(|properties| names_of(properties, out))?;
        node.filter.iter().try_for_each(|filter| names_of(filter, out))?;
    }
    for (step, _) in &pattern.steps {
        if step.repeated.is_some() {
            return None;
        }
        out.extend(step.name.iter().map(|name| name.text.clone()));
        step.properties.iter().try_for_each(|properties| names_of(properties, out))?;
        step.filter.iter().try_for_each(|filter| names_of(filter, out))?;
    }
    Some(())
}

/// How many clauses from the first on are MATCHes whose patterns can be found in one order: none is optional, and no
/// relationship or path is named twice.
pub(super) fn run_of_matches(clauses: &[Clause], names: &Names) -> usize {
    let mut bound: Vec<&str> = Vec::new();
    let mut length = 0;
    for clause in clauses {
        let Clause::Match(found) = clause else { break };
        if found.is_optional {
            break;
        }
        let mut own: Vec<&str> = Vec::new();
        for pattern in &found.patterns {
            own.extend(pattern.name.iter().map(|name| name.text.as_str()));
            for (step, _) in &pattern.steps {
                own.extend(step.name.iter().map(|name| name.text.as_str()));
                if let Some(repeated) = &step.repeated {
                    own.extend(repeated.names().map(|(name, _)| name.text.as_str()));
                }
            }
        }
        let is_apart = |name: &&str| !bound.contains(name) && names.get(name).is_none();
        if length > 0 && !(own.iter().all(is_apart)) {
            break;
        }
        bound.extend(own);
        length += 1;
    }
    length
}
