//! Expressions: names and types.

use cypher_value::{Detail, ErrorKind};

use super::scope::{Scope, wrong_type};
use super::{Checker, Type};
use crate::ast::{BinaryOp, Expr, ExprKind, Pattern, UnaryOp};
use crate::error::{Error, Result};

impl Checker<'_> {
    /// An expression where a pattern can stand for whether it exists.
    pub(super) fn predicate(&mut self, expr: &Expr, scope: &Scope) -> Result<Type> {
        match &expr.kind {
            ExprKind::Pattern(pattern) => {
                self.pattern_predicate(pattern, scope)?;
                Ok(if pattern.shortest.is_some() { Type::Any } else { Type::Boolean })
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, left, right) => {
                for operand in [left, right] {
                    let of = self.predicate(operand, scope)?;
                    boolean(operand, &of)?;
                }
                Ok(Type::Boolean)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let of = self.predicate(operand, scope)?;
                boolean(operand, &of)
            }
            _ => self.expr(expr, scope),
        }
    }

    pub(super) fn pattern_predicate(&mut self, pattern: &Pattern, scope: &Scope) -> Result<()> {
        self.facts.is_read = true;
        let nodes = std::iter::once(&pattern.start).chain(pattern.steps.iter().map(|(_, node)| node));
        let names = nodes.map(|node| &node.name).chain(pattern.steps.iter().map(|(step, _)| &step.name));
        for name in names.flatten() {
            scope.want(&name.text, name.span)?;
        }
        let mut inner = scope.clone();
        self.match_pattern(pattern, &mut inner, &mut Vec::new())?;
        self.pattern_conditions(pattern, &inner, false)
    }

    /// The type of an expression.
    pub(super) fn expr(&mut self, expr: &Expr, scope: &Scope) -> Result<Type> {
        Ok(match &expr.kind {
            ExprKind::Null => Type::Null,
            ExprKind::Bool(_) => Type::Boolean,
            ExprKind::Int(_) | ExprKind::CountStar => Type::Integer,
            ExprKind::Float(_) => Type::Float,
            ExprKind::Text(_) => Type::String,
            ExprKind::Param(name) => {
                self.facts.parameters.insert(name.clone());
                Type::Any
            }
            ExprKind::Variable(name) => scope.want(name, expr.span)?.clone(),
            ExprKind::List(items) => {
                let mut item = Type::Null;
                for inner in items {
                    item = item.with(self.expr(inner, scope)?);
                }
                Type::List(Box::new(if item == Type::Null { Type::Any } else { item }))
            }
            ExprKind::Map(pairs) => {
                for (_, value) in pairs {
                    self.expr(value, scope)?;
                }
                Type::Map
            }
            ExprKind::Property(of, _) => self.property(of, scope)?,
            ExprKind::Index(of, at) => {
                let (of, _) = (self.expr(of, scope)?, self.expr(at, scope)?);
                if let Type::List(item) = of { *item } else { Type::Any }
            }
            ExprKind::Slice(of, from, to) => {
                for bound in [from, to].into_iter().flatten() {
                    self.expr(bound, scope)?;
                }
                self.expr(of, scope)?
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let of = self.expr(operand, scope)?;
                boolean(operand, &of)?
            }
            ExprKind::Unary(_, operand) => {
                let of = self.expr(operand, scope)?;
                if !of.may_be_number() {
                    return Err(wrong_type(operand.span, "Number", &of));
                }
                of
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, scope)?,
            ExprKind::Chain(first, rest) => {
                self.expr(first, scope)?;
                for (_, operand) in rest {
                    self.expr(operand, scope)?;
                }
                Type::Boolean
            }
            ExprKind::IsNull(of, _) | ExprKind::IsType(of, ..) | ExprKind::IsNormalized(of, ..) => {
                self.expr(of, scope)?;
                Type::Boolean
            }
            ExprKind::HasLabels(of, labels) => {
                self.label_expr(labels, scope)?;
                let own = self.expr(of, scope)?;
                if !matches!(own, Type::Any | Type::Null | Type::Node | Type::Relationship) {
                    return Err(wrong_type(of.span, "Node or Relationship", &own));
                }
                Type::Boolean
            }
            _ => self.special(expr, scope)?,
        })
    }

    fn property(&mut self, of: &Expr, scope: &Scope) -> Result<Type> {
        let own = self.expr(of, scope)?;
        match own {
            Type::Boolean | Type::Integer | Type::Float | Type::Number | Type::String | Type::List(_) => {
                let message = format!("Type mismatch: expected Map, Node or Relationship but was {}", own.name());
                Err(Error::new(ErrorKind::TypeError, Detail::InvalidArgumentType, of.span, message))
            }
            Type::Path => Err(wrong_type(of.span, "Map, Node or Relationship", &own)),
            _ => Ok(Type::Any),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, scope: &Scope) -> Result<Type> {
        let (a, b) = (self.expr(left, scope)?, self.expr(right, scope)?);
        Ok(match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                boolean(left, &a)?;
                boolean(right, &b)?
            }
            BinaryOp::In if !b.may_be_list() => return Err(wrong_type(right.span, "List", &b)),
            BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Power => {
                for (operand, of) in [(left, &a), (right, &b)] {
                    if !of.may_be_number() {
                        return Err(wrong_type(operand.span, "Number", of));
                    }
                }
                match (a, b) {
                    (Type::Integer, Type::Integer) if op != BinaryOp::Power => Type::Integer,
                    (Type::Integer | Type::Float, Type::Integer | Type::Float) => Type::Float,
                    _ => Type::Any,
                }
            }
            BinaryOp::Add | BinaryOp::Concat => match (a, b) {
                (Type::Integer, Type::Integer) => Type::Integer,
                (Type::Integer | Type::Float, Type::Integer | Type::Float) => Type::Float,
                (Type::String, Type::String) => Type::String,
                (Type::List(a), Type::List(b)) => Type::List(Box::new(a.with(*b))),
                (Type::List(_), _) | (_, Type::List(_)) => Type::list(),
                _ => Type::Any,
            },
            _ => Type::Boolean,
        })
    }
}

/// The type of a truth value, for an operand that can be one.
fn boolean(operand: &Expr, of: &Type) -> Result<Type> {
    if of.may_be_boolean() { Ok(Type::Boolean) } else { Err(wrong_type(operand.span, "Boolean", of)) }
}
