//! Expressions: their values for a row; and what operators are, which carry the queries in expressions out.

mod complete;
mod labels;
mod special;

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use cypher::ast::BinaryOp;
use cypher_graph::Store;
use cypher_value::{Context, Detail, Error, ErrorKind, Map, Value, arithmetic, bounded, compare, logic};

use rustc_hash::FxHashMap;

use crate::Result;
use crate::limits::LEFT_MAX;
use crate::procedures::{ProcedureHost, Procedures};
use crate::row::Row;
use std::sync::Arc;

use cypher_plan::{Ex, Join, Plan, Union};

/// An operator in motion.
pub(crate) trait Operator<'g> {
    /// Appends rows; answers whether there may be more. May append none and still have more, so it is to be given an
    /// empty list each time: where there are many rows already, it may append none forever.
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool>;
}

/// What rows are pulled from.
pub(crate) type Source<'g> = Box<dyn Operator<'g> + 'g>;

/// Makes the operators of a plan over given rows.
pub(crate) type Build<'g> = fn(&Arc<Plan>, Vec<Row>) -> Source<'g>;

/// In how many ways a join carries a row on, or whether there is one; none where that is to be found out by rows.
pub(crate) type Ways<'g> = fn(&Cx<'_, 'g>, &Arc<Join>, &Row, bool) -> Result<Option<u64>>;

/// What operators leave for those that carry out the same step again, as a query in an expression does for each row.
#[derive(Default)]
pub(crate) struct Left {
    /// By the address of a step, which what is left keeps alive.
    of: RefCell<FxHashMap<usize, Vec<Box<dyn Any>>>>,
}

impl Left {
    pub(crate) fn take<T: 'static>(&self, address: usize) -> Option<Box<T>> {
        self.of.borrow_mut().get_mut(&address)?.pop()?.downcast().ok()
    }

    pub(crate) fn put<T: 'static>(&self, address: usize, own: Box<T>) {
        let mut of = self.of.borrow_mut();
        let left = of.entry(address).or_default();
        if left.len() < LEFT_MAX {
            left.push(own);
        }
    }
}

/// What expressions and operators work with.
pub(crate) struct Cx<'a, 'g> {
    pub(crate) store: &'a Store<'g>,
    pub(crate) context: &'a Context<'a>,
    pub(crate) parameters: &'a Map,
    /// What is the same for all rows, as far as it was computed.
    pub(crate) once: &'a RefCell<Vec<Option<Value>>>,
    pub(crate) procedures: &'a Procedures,
    pub(crate) host: Option<&'a dyn ProcedureHost>,
    pub(crate) merging: Option<&'a merge_locks::Merging<'a>>,
    pub(crate) build: Build<'g>,
    pub(crate) ways: Ways<'g>,
    /// What operators have left.
    pub(crate) left: &'a Rc<Left>,
}

fn boolean(fact: Option<bool>) -> Value {
    fact.map_or(Value::Null, Value::Boolean)
}

impl<'g> Cx<'_, 'g> {
    /// Whether a condition holds: null does not.
    pub(crate) fn holds(&self, ex: &Ex, row: &mut Row) -> Result<bool> {
        Ok(self.truth(ex, row)? == Some(true))
    }

    fn truth(&self, ex: &Ex, row: &mut Row) -> Result<Option<bool>> {
        match ex {
            Ex::Binary(BinaryOp::And, left, right) => match self.truth(left, row)? {
                Some(false) => Ok(Some(false)),
                left => Ok(logic::and(left, self.truth(right, row)?)),
            },
            Ex::Binary(BinaryOp::Or, left, right) => match self.truth(left, row)? {
                Some(true) => Ok(Some(true)),
                left => Ok(logic::or(left, self.truth(right, row)?)),
            },
            Ex::Binary(BinaryOp::Xor, left, right) => Ok(logic::xor(self.truth(left, row)?, self.truth(right, row)?)),
            Ex::Not(inner) => Ok(logic::not(self.truth(inner, row)?)),
            Ex::IsNull(of, is_not) => Ok(Some(self.eval(of, row)?.is_null() != *is_not)),
            Ex::Binary(op, left, right) if is_test(*op) => {
                // Both sides that are in the row stay there.
                if let (Ex::Property(of, key), Ex::Value(value)) = (&**left, &**right)
                    && let Ex::Slot(slot) = **of
                {
                    return test(*op, &self.context.property(row.get(slot), key)?, value);
                }
                let (left, right) = (self.eval(left, row)?, self.eval(right, row)?);
                test(*op, &left, &right)
            }
            other => logic::truth(&self.eval(other, row)?),
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, ex: &Ex, row: &mut Row) -> Result<Value> {
        Ok(match ex {
            Ex::Value(value) => value.clone(),
            Ex::Param(name) => match self.parameters.get(name) {
                Some(value) => value.clone(),
                None => {
                    let message = format!("Expected parameter(s): {name}");
                    return Err(Error::new(ErrorKind::ParameterMissing, Detail::MissingParameter, message));
                }
            },
            Ex::Slot(slot) => row.get(*slot).clone(),
            Ex::List(items) => {
                bounded(Value::list(items.iter().map(|item| self.eval(item, row)).collect::<Result<_>>()?))?
            }
            Ex::Map(pairs) => {
                let mut map = Map::default();
                for (key, value) in pairs {
                    map.insert(key.clone(), self.eval(value, row)?);
                }
                bounded(Value::map(map))?
            }
            Ex::Property(of, key) => match &**of {
                Ex::Slot(slot) => self.context.property(row.get(*slot), key)?,
                of => self.context.property(&self.eval(of, row)?, key)?,
            },
            Ex::Index(of, at) => {
                let (of, at) = (self.eval(of, row)?, self.eval(at, row)?);
                self.context.index(&of, &at)?
            }
            Ex::Slice(of, from, to) => {
                let of = self.eval(of, row)?;
                let from = from.as_ref().map(|from| self.eval(from, row)).transpose()?;
                let to = to.as_ref().map(|to| self.eval(to, row)).transpose()?;
                arithmetic::slice(&of, from.as_ref(), to.as_ref())?
            }
            Ex::Not(_) | Ex::IsNull(..) => boolean(self.truth(ex, row)?),
            Ex::Minus(of) => arithmetic::negate(&self.eval(of, row)?)?,
            Ex::Plus(of) => arithmetic::plus(&self.eval(of, row)?)?,
            Ex::Binary(op, left, right) => match op {
                BinaryOp::Or | BinaryOp::Xor | BinaryOp::And => boolean(self.truth(ex, row)?),
                op if is_test(*op) => boolean(self.truth(ex, row)?),
                op => {
                    let (left, right) = (self.eval(left, row)?, self.eval(right, row)?);
                    compute(*op, &left, &right)?
                }
            },
            Ex::Matches(of, pattern) => match self.eval(of, row)? {
                Value::String(text) => Value::Boolean(pattern.matches(&text)),
                _ => Value::Null,
            },
            Ex::Chain(first, rest) => self.chain(first, rest, row)?,
            _ => self.special(ex, row)?,
        })
    }

    fn chain(&self, first: &Ex, rest: &[(BinaryOp, Ex)], row: &mut Row) -> Result<Value> {
        let mut left = self.eval(first, row)?;
        if rest.is_empty() {
            return Ok(left);
        }
        let mut whole = Some(true);
        for (op, operand) in rest {
            let right = self.eval(operand, row)?;
            whole = logic::and(whole, test(*op, &left, &right)?);
            left = right;
        }
        Ok(boolean(whole))
    }

    /// All rows of a query for a row; stops once `take` says so.
    pub(crate) fn query(
        &self,
        query: &Union,
        row: &Row,
        mut take: impl FnMut(&mut Row, &[usize]) -> Result<bool>,
    ) -> Result<()> {
        for (plan, columns) in &query.parts {
            let mut source = (self.build)(plan, vec![row.clone()]);
            let mut rows = Vec::new();
            loop {
                let is_more = source.next(self, &mut rows)?;
                for mut row in rows.drain(..) {
                    if !take(&mut row, columns)? {
                        return Ok(());
                    }
                }
                if !is_more {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Whether an operator answers true, false or null.
fn is_test(op: BinaryOp) -> bool {
    use BinaryOp::{Contains, EndsWith, Eq, Ge, Gt, In, Le, Lt, Matches, Ne, StartsWith};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Matches | StartsWith | EndsWith | Contains | In)
}

/// A test of two values.
fn test(op: BinaryOp, left: &Value, right: &Value) -> Result<Option<bool>> {
    Ok(match op {
        BinaryOp::Eq => compare::equals(left, right),
        BinaryOp::Ne => logic::not(compare::equals(left, right)),
        BinaryOp::Lt => compare::less(left, right),
        BinaryOp::Le => compare::at_most(left, right),
        BinaryOp::Gt => compare::greater(left, right),
        BinaryOp::Ge => compare::at_least(left, right),
        BinaryOp::StartsWith => logic::starts_with(left, right),
        BinaryOp::EndsWith => logic::ends_with(left, right),
        BinaryOp::Contains => logic::contains(left, right),
        BinaryOp::Matches => logic::matches(left, right)?,
        BinaryOp::In => logic::is_in(left, right)?,
        _ => None,
    })
}

/// A computation of two values.
fn compute(op: BinaryOp, left: &Value, right: &Value) -> Result<Value> {
    match op {
        BinaryOp::Add => arithmetic::add(left, right),
        BinaryOp::Subtract => arithmetic::subtract(left, right),
        BinaryOp::Multiply => arithmetic::multiply(left, right),
        BinaryOp::Divide => arithmetic::divide(left, right),
        BinaryOp::Modulo => arithmetic::modulo(left, right),
        BinaryOp::Power => arithmetic::power(left, right),
        _ => arithmetic::concatenate(left, right),
    }
}
