//! Patterns: which names they bind, and what they bind them to.

use cypher_value::Detail;

use super::scope::{Scope, already_bound, conflict};
use super::{Checker, Type};
use crate::ast::{Direction, Expr, ExprKind, LabelExpr, NodePattern, Pattern, RelationshipPattern, Repeated};
use crate::error::{Error, Result};

impl Checker<'_> {
    /// Adds the names of a pattern that is looked for. `relationships`: names of the clause's relationships so far.
    pub(super) fn match_pattern(
        &mut self,
        pattern: &Pattern,
        scope: &mut Scope,
        relationships: &mut Vec<String>,
    ) -> Result<()> {
        match_node(&pattern.start, scope)?;
        for (step, node) in &pattern.steps {
            match &step.repeated {
                Some(repeated) => match_repeated(repeated, scope)?,
                None => match_relationship(step, scope, relationships)?,
            }
            match_node(node, scope)?;
        }
        match &pattern.name {
            Some(name) => scope.add(name, Type::Path),
            None => Ok(()),
        }
    }

    /// Checks the conditions of parts that are repeated: they know what was there before the clause, and their own
    /// elements.
    pub(super) fn repeated_conditions(&mut self, pattern: &Pattern, before: &Scope) -> Result<()> {
        for repeated in pattern.steps.iter().filter_map(|(step, _)| step.repeated.as_deref()) {
            let mut inner = before.clone();
            self.match_pattern(&repeated.pattern, &mut inner, &mut Vec::new())?;
            self.pattern_conditions(&repeated.pattern, &inner, true)?;
            if let Some(filter) = &repeated.filter {
                self.condition(filter, &inner)?;
            }
        }
        Ok(())
    }

    /// Checks labels, properties and conditions of a pattern whose names are in scope.
    pub(super) fn pattern_conditions(&mut self, pattern: &Pattern, scope: &Scope, is_match: bool) -> Result<()> {
        let nodes = std::iter::once(&pattern.start).chain(pattern.steps.iter().map(|(_, node)| node));
        for node in nodes {
            let parts = (node.labels.as_ref(), node.properties.as_ref(), node.filter.as_deref());
            self.part_conditions(parts, scope, is_match)?;
        }
        for (step, _) in &pattern.steps {
            let parts = (step.types.as_ref(), step.properties.as_ref(), step.filter.as_deref());
            match (&step.length, &step.name) {
                (Some(_), Some(name)) => {
                    let mut inner = scope.clone();
                    inner.set(&name.text, Type::Any);
                    self.part_conditions(parts, &inner, is_match)?;
                }
                _ => self.part_conditions(parts, scope, is_match)?,
            }
        }
        Ok(())
    }

    fn part_conditions(
        &mut self,
        (labels, properties, filter): (Option<&LabelExpr>, Option<&Expr>, Option<&Expr>),
        scope: &Scope,
        is_match: bool,
    ) -> Result<()> {
        if let Some(labels) = labels {
            self.label_expr(labels, scope)?;
        }
        if let Some(properties) = properties {
            if is_match && matches!(properties.kind, ExprKind::Param(_)) {
                let message = "Parameter maps cannot be used here: write {key: $value}";
                return Err(Error::syntax(Detail::InvalidParameterUse, properties.span, message));
            }
            self.plain(properties, scope)?;
        }
        match filter {
            Some(filter) => self.condition(filter, scope),
            None => Ok(()),
        }
    }

    pub(super) fn label_expr(&mut self, labels: &LabelExpr, scope: &Scope) -> Result<()> {
        match labels {
            LabelExpr::Name(_) | LabelExpr::Any => Ok(()),
            LabelExpr::Dynamic(expr) => self.plain(expr, scope).map(|_| ()),
            LabelExpr::Not(inner) => self.label_expr(inner, scope),
            LabelExpr::And(all) | LabelExpr::Or(all) => all.iter().try_for_each(|one| self.label_expr(one, scope)),
        }
    }

    /// Adds the names of a pattern of CREATE or MERGE.
    pub(super) fn made(&mut self, pattern: &Pattern, scope: &mut Scope, is_merge: bool) -> Result<()> {
        if pattern.shortest.is_some() {
            let message = "shortest paths cannot be created";
            return Err(Error::syntax(Detail::UnexpectedSyntax, pattern.span, message));
        }
        let before = scope.clone();
        made_node(&pattern.start, scope, pattern.steps.is_empty())?;
        for (step, node) in &pattern.steps {
            made_relationship(step, scope, is_merge)?;
            made_node(node, scope, false)?;
        }
        // The values of a pattern are computed before it is made.
        self.pattern_conditions(pattern, &before, is_merge)?;
        match &pattern.name {
            Some(name) => scope.add(name, Type::Path),
            None => Ok(()),
        }
    }
}

/// Adds the names of a part that is repeated, which are lists outside.
fn match_repeated(repeated: &Repeated, scope: &mut Scope) -> Result<()> {
    let mut own: Vec<&str> = Vec::new();
    for (name, is_node) in repeated.names() {
        // A node may come twice in the part.
        if is_node && own.contains(&name.text.as_str()) {
            continue;
        }
        if scope.get(&name.text).is_some() {
            return Err(already_bound(name));
        }
        own.push(&name.text);
        let of = if is_node { Type::Node } else { Type::Relationship };
        scope.set(&name.text, Type::List(Box::new(of)));
    }
    Ok(())
}

fn made_node(node: &NodePattern, scope: &mut Scope, is_single: bool) -> Result<()> {
    if node.filter.is_some() {
        let message = "WHERE cannot be used in a pattern that is created";
        return Err(Error::syntax(Detail::UnexpectedSyntax, node.span, message));
    }
    let is_plain = |labels: &LabelExpr| matches!(labels, LabelExpr::Name(_) | LabelExpr::Dynamic(_));
    let are_plain = match &node.labels {
        None => true,
        Some(LabelExpr::And(all)) => all.iter().all(is_plain),
        Some(one) => is_plain(one),
    };
    if !are_plain {
        let message = "a node is created with labels such as :A:B, not with a label expression";
        return Err(Error::syntax(Detail::UnexpectedSyntax, node.span, message));
    }
    let Some(name) = &node.name else { return Ok(()) };
    match scope.get(&name.text) {
        None => {
            scope.set(&name.text, Type::Node);
            Ok(())
        }
        Some(_) if is_single => Err(already_bound(name)),
        Some(Type::Node | Type::Any | Type::Null) => {
            let says_more = node.labels.is_some() || node.properties.is_some();
            if says_more { Err(already_bound(name)) } else { Ok(()) }
        }
        Some(other) => Err(conflict(name, "a Node", other)),
    }
}

fn made_relationship(step: &RelationshipPattern, scope: &mut Scope, is_merge: bool) -> Result<()> {
    let fail = |detail, message: &str| Err(Error::syntax(detail, step.span, message));
    if let Some(name) = &step.name
        && scope.get(&name.text).is_some()
    {
        return Err(already_bound(name));
    }
    if step.length.is_some() {
        return fail(Detail::CreatingVarLength, "relationships of variable length cannot be created");
    }
    if !matches!(step.types, Some(LabelExpr::Name(_) | LabelExpr::Dynamic(_))) {
        return fail(Detail::NoSingleRelationshipType, "a relationship to create needs exactly one type");
    }
    if step.filter.is_some() {
        return fail(Detail::UnexpectedSyntax, "WHERE cannot be used in a pattern that is created");
    }
    if step.direction == Direction::Both && !is_merge {
        return fail(Detail::RequiresDirectedRelationship, "a relationship to create needs one direction");
    }
    if let Some(name) = &step.name {
        scope.set(&name.text, Type::Relationship);
    }
    Ok(())
}

fn match_node(node: &NodePattern, scope: &mut Scope) -> Result<()> {
    let Some(name) = &node.name else { return Ok(()) };
    match scope.get(&name.text) {
        None | Some(Type::Any) => scope.set(&name.text, Type::Node),
        Some(Type::Node | Type::Null) => {}
        Some(other) => return Err(conflict(name, "a Node", other)),
    }
    Ok(())
}

fn match_relationship(step: &RelationshipPattern, scope: &mut Scope, relationships: &mut Vec<String>) -> Result<()> {
    let Some(name) = &step.name else { return Ok(()) };
    let is_list = step.length.is_some();
    if relationships.contains(&name.text) {
        let message = format!("Cannot use the same relationship variable `{}` for multiple relationships", name.text);
        return Err(Error::syntax(Detail::RelationshipUniquenessViolation, name.span, message));
    }
    let own = if is_list { Type::List(Box::new(Type::Relationship)) } else { Type::Relationship };
    match scope.get(&name.text) {
        None => scope.set(&name.text, own),
        Some(Type::Any | Type::Null) => {}
        Some(Type::Relationship) if !is_list => {}
        Some(Type::List(of)) if is_list && matches!(**of, Type::Any | Type::Null | Type::Relationship) => {}
        Some(other) => return Err(conflict(name, own.name(), other)),
    }
    relationships.push(name.text.clone());
    Ok(())
}
