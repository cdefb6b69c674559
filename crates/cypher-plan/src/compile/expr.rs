//! Expressions: names become slots.

use std::sync::Arc;

use cypher::ast::{BinaryOp, Expr, ExprKind, LabelExpr, MapEntry, Match, Pattern, SubqueryKind, UnaryOp};
use cypher::same;
use cypher_value::{Text, Value};

use super::slots::Names;
use super::{Compiler, join};
use crate::Result;
use crate::plan::{Callee, Ex, Labels, Plan, Slot, Step, Test, Union};

/// Expressions that have been computed, and where.
pub(super) type Computed = Vec<(Expr, Slot)>;

impl Compiler<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, expr: &Expr, names: &Names) -> Result<Ex> {
        self.expr_with(expr, names, &Vec::new())
    }

    fn boxed(&mut self, expr: &Expr, names: &Names, computed: &Computed) -> Result<Box<Ex>> {
        self.expr_with(expr, names, computed).map(Box::new)
    }

    fn optional(&mut self, expr: Option<&Expr>, names: &Names, computed: &Computed) -> Result<Option<Box<Ex>>> {
        expr.map(|expr| self.boxed(expr, names, computed)).transpose()
    }

    /// An expression in which some are computed already.
    pub(super) fn expr_with(&mut self, expr: &Expr, names: &Names, computed: &Computed) -> Result<Ex> {
        if let Some((_, slot)) = computed.iter().find(|(own, _)| same(own, expr)) {
            return Ok(Ex::Slot(*slot));
        }
        Ok(match &expr.kind {
            ExprKind::Null => Ex::Value(Value::Null),
            ExprKind::Bool(fact) => Ex::Value(Value::Boolean(*fact)),
            ExprKind::Int(number) => Ex::Value(Value::Integer(*number)),
            ExprKind::Float(number) => Ex::Value(Value::Float(*number)),
            ExprKind::Text(text) => Ex::Value(Value::String(text.as_str().into())),
            ExprKind::Param(name) => Ex::Param(name.as_str().into()),
            ExprKind::Variable(name) => Ex::Slot(names.want(name)?),
            ExprKind::List(items) => {
                let items =
                    items.iter().map(|item| self.expr_with(item, names, computed)).collect::<Result<Vec<_>>>()?;
                constant_list(items)
            }
            ExprKind::Map(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(key, value)| Ok((Text::from(key.as_str()), self.expr_with(value, names, computed)?)));
                Ex::Map(pairs.collect::<Result<_>>()?)
            }
            ExprKind::Property(of, key) => Ex::Property(self.boxed(of, names, computed)?, key.as_str().into()),
            ExprKind::Index(of, at) => Ex::Index(self.boxed(of, names, computed)?, self.boxed(at, names, computed)?),
            ExprKind::Slice(of, from, to) => Ex::Slice(
                self.boxed(of, names, computed)?,
                self.optional(from.as_deref(), names, computed)?,
                self.optional(to.as_deref(), names, computed)?,
            ),
            ExprKind::Unary(op, operand) => {
                let operand = self.boxed(operand, names, computed)?;
                match op {
                    UnaryOp::Not => Ex::Not(operand),
                    UnaryOp::Minus => Ex::Minus(operand),
                    UnaryOp::Plus => Ex::Plus(operand),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.boxed(left, names, computed)?, self.boxed(right, names, computed)?);
                match (op, &*right) {
                    (BinaryOp::Matches, Ex::Value(Value::String(text))) => {
                        Ex::Matches(left, Arc::new(cypher_value::logic::Pattern::new(text)?))
                    }
                    _ => Ex::Binary(*op, left, right),
                }
            }
            ExprKind::Chain(first, rest) => {
                let first = self.boxed(first, names, computed)?;
                let rest = rest.iter().map(|(op, operand)| Ok((*op, self.expr_with(operand, names, computed)?)));
                Ex::Chain(first, rest.collect::<Result<_>>()?)
            }
            ExprKind::IsNull(of, is_not) => Ex::IsNull(self.boxed(of, names, computed)?, *is_not),
            ExprKind::HasLabels(of, labels) => {
                Ex::HasLabels(self.boxed(of, names, computed)?, self.labels(labels, names)?)
            }
            ExprKind::IsType(of, name, is_not) => {
                let arguments =
                    vec![self.expr_with(of, names, computed)?, Ex::Value(Value::String(name.as_str().into()))];
                negated(Ex::Test(Test::IsType, arguments), *is_not)
            }
            ExprKind::IsNormalized(of, form, is_not) => {
                let arguments =
                    vec![self.expr_with(of, names, computed)?, Ex::Value(Value::String(form.as_str().into()))];
                negated(Ex::Test(Test::IsNormalized, arguments), *is_not)
            }
            _ => self.special(expr, names, computed)?,
        })
    }

    fn once(&mut self, ex: Ex) -> Ex {
        self.once += 1;
        Ex::Once(self.once - 1, Box::new(ex))
    }

    fn special(&mut self, expr: &Expr, names: &Names, computed: &Computed) -> Result<Ex> {
        Ok(match &expr.kind {
            ExprKind::Call { name, arguments, .. } => {
                let arguments = arguments.iter().map(|argument| self.expr_with(argument, names, computed));
                let (callee, arguments) = (Callee::named(name)?, arguments.collect::<Result<Vec<_>>>()?);
                let is_once = callee.0.is_deterministic && arguments.iter().all(Ex::is_constant);
                let call = Ex::Call(callee, arguments);
                if is_once { self.once(call) } else { call }
            }
            ExprKind::Case { subject, branches, otherwise } => {
                let subject = self.optional(subject.as_deref(), names, computed)?;
                let mut all = Vec::with_capacity(branches.len());
                for (test, result) in branches {
                    let is_whole = matches!(&test.kind, ExprKind::Chain(_, rest) if rest.is_empty());
                    let own = self.expr_with(test, names, computed)?;
                    let test = match &subject {
                        Some(subject) if !is_whole => Ex::Binary(BinaryOp::Eq, subject.clone(), Box::new(own)),
                        _ => own,
                    };
                    all.push((test, self.expr_with(result, names, computed)?));
                }
                let otherwise = self.optional(otherwise.as_deref(), names, computed)?;
                Ex::Case(all, otherwise.unwrap_or_else(|| Box::new(Ex::Value(Value::Null))))
            }
            ExprKind::ListComprehension { name, list, filter, map } => {
                let list = self.boxed(list, names, computed)?;
                let (slot, inner) = self.inner(&name.text, names);
                let filter = self.optional(filter.as_deref(), &inner, computed)?;
                Ex::Items(slot, list, filter, self.optional(map.as_deref(), &inner, computed)?)
            }
            ExprKind::Quantified { quantifier, name, list, filter } => {
                let list = self.boxed(list, names, computed)?;
                let (slot, inner) = self.inner(&name.text, names);
                Ex::Quantified(*quantifier, slot, list, self.boxed(filter, &inner, computed)?)
            }
            ExprKind::Reduce { accumulator, init, name, list, body } => {
                let (init, list) = (self.boxed(init, names, computed)?, self.boxed(list, names, computed)?);
                let (total, inner) = self.inner(&accumulator.text, names);
                let (slot, inner) = self.inner(&name.text, &inner);
                Ex::Reduce(total, init, slot, list, self.boxed(body, &inner, computed)?)
            }
            ExprKind::Pattern(pattern) if pattern.shortest.is_some() => self.shortest_expr(pattern, names)?,
            ExprKind::Pattern(pattern) => {
                let plan = self.pattern_plan(pattern, None, &mut names.clone())?;
                let mut query = single(plan, Vec::new());
                join::fuse(&mut query, &mut self.next);
                Ex::Subquery(SubqueryKind::Exists, Arc::new(query))
            }
            ExprKind::PatternComprehension { pattern, filter, map } => {
                let mut inner = names.clone();
                let mut plan = self.pattern_plan(pattern, filter.as_deref(), &mut inner)?;
                let (slot, value) = (self.slot(), self.expr(map, &inner)?);
                plan.steps.push(Step::Let(Arc::new(vec![(slot, value)])));
                let mut query = single(plan, vec![slot]);
                join::fuse(&mut query, &mut self.next);
                Ex::Subquery(SubqueryKind::Collect, Arc::new(query))
            }
            ExprKind::Subquery(kind, query) => {
                let (mut query, _) = self.query(query, names)?;
                join::fuse(&mut query, &mut self.next);
                Ex::Subquery(*kind, Arc::new(query))
            }
            ExprKind::MapProjection(name, entries) => {
                let of = Box::new(Ex::Slot(names.want(&name.text)?));
                let (mut is_all, mut pairs) = (false, Vec::new());
                for entry in entries {
                    match entry {
                        MapEntry::All => is_all = true,
                        MapEntry::Key(key) => pairs.push((Text::from(key.as_str()), None)),
                        MapEntry::Variable(name) => {
                            pairs.push((Text::from(name.text.as_str()), Some(Ex::Slot(names.want(&name.text)?))));
                        }
                        MapEntry::Pair(key, value) => {
                            pairs.push((key.as_str().into(), Some(self.expr_with(value, names, computed)?)));
                        }
                    }
                }
                Ex::Projection(of, is_all, pairs)
            }
            ExprKind::CountStar => return Err(crate::defect("an aggregate outside of a projection")),
            _ => Ex::Value(Value::Null),
        })
    }

    /// A scope with one more name.
    fn inner(&mut self, name: &str, names: &Names) -> (Slot, Names) {
        let (slot, mut inner) = (self.slot(), names.clone());
        inner.set(name, slot);
        (slot, inner)
    }

    /// What finds a pattern for a row.
    fn pattern_plan(&mut self, pattern: &Pattern, filter: Option<&Expr>, names: &mut Names) -> Result<Plan> {
        let found =
            Match { is_optional: false, patterns: vec![pattern.clone()], filter: filter.cloned(), span: pattern.span };
        let mut steps = Vec::new();
        self.match_clause(&found, names, &mut steps)?;
        Ok(Plan { steps })
    }

    /// `shortestPath((a)-[*]-(b))` as a value.
    fn shortest_expr(&mut self, pattern: &Pattern, names: &Names) -> Result<Ex> {
        let mut inner = names.clone();
        let name = cypher::ast::Name { text: "~path".to_owned(), span: pattern.span };
        let named = Pattern { name: Some(name), ..pattern.clone() };
        let plan = self.pattern_plan(&named, None, &mut inner)?;
        let slot = inner.want("~path")?;
        let all = Ex::Subquery(SubqueryKind::Collect, Arc::new(single(plan, vec![slot])));
        Ok(match pattern.shortest {
            Some(cypher::ast::Shortest::One) => Ex::Call(Callee::named("head")?, vec![all]),
            _ => all,
        })
    }

    pub(super) fn labels(&mut self, labels: &LabelExpr, names: &Names) -> Result<Labels> {
        Ok(match labels {
            LabelExpr::Name(name) => Labels::Name(name.text.as_str().into()),
            LabelExpr::Dynamic(expr) => Labels::Dynamic(Box::new(self.expr(expr, names)?)),
            LabelExpr::Any => Labels::Any,
            LabelExpr::Not(inner) => Labels::Not(Box::new(self.labels(inner, names)?)),
            LabelExpr::And(all) => Labels::And(all.iter().map(|one| self.labels(one, names)).collect::<Result<_>>()?),
            LabelExpr::Or(all) => Labels::Or(all.iter().map(|one| self.labels(one, names)).collect::<Result<_>>()?),
        })
    }
}

pub(super) fn single(plan: Plan, columns: Vec<Slot>) -> Union {
    Union { parts: vec![(Arc::new(plan), columns)], is_distinct: false }
}

fn negated(ex: Ex, is_not: bool) -> Ex {
    if is_not { Ex::Not(Box::new(ex)) } else { ex }
}

/// A list of constants is one constant: it is made once.
fn constant_list(items: Vec<Ex>) -> Ex {
    if !items.iter().all(|item| matches!(item, Ex::Value(_))) {
        return Ex::List(items);
    }
    let values = items.into_iter().filter_map(|item| match item {
        Ex::Value(value) => Some(value),
        _ => None,
    });
    Ex::Value(Value::list(values.collect()))
}
