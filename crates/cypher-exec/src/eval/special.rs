//! Expressions over lists, elements and queries.

use std::sync::Arc;

use cypher::ast::{Quantifier, SubqueryKind};
use cypher_value::{
    Detail, Elements as _, Error, Map, Node, Path, Relationship, Text, Value, bounded, compare, function, logic,
};
use rustc_hash::FxHashSet;

use super::Cx;
use crate::Result;
use crate::row::Row;
use cypher_plan::{Ex, JoinRows, Labels, PathPart, Step, Test, Union};

impl Cx<'_, '_> {
    pub(super) fn special(&self, ex: &Ex, row: &mut Row) -> Result<Value> {
        Ok(match ex {
            Ex::Call(callee, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.eval(argument, row)?);
                }
                callee.0.call(&values, self.context)?
            }
            Ex::Once(number, inner) => {
                if let Some(Some(known)) = self.once.borrow().get(*number) {
                    return Ok(known.clone());
                }
                let value = self.eval(inner, row)?;
                if let Some(slot) = self.once.borrow_mut().get_mut(*number) {
                    *slot = Some(value.clone());
                }
                value
            }
            Ex::Test(test, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.eval(argument, row)?);
                }
                self.test(*test, &values)?
            }
            Ex::HasLabels(of, labels) => self.has_labels(of, labels, row)?,
            Ex::Case(branches, otherwise) => {
                for (test, result) in branches {
                    if self.holds(test, row)? {
                        return self.eval(result, row);
                    }
                }
                self.eval(otherwise, row)?
            }
            Ex::Items(slot, list, filter, map) => {
                let Some(items) = self.items(list, row)? else { return Ok(Value::Null) };
                let before = row.take(*slot);
                let mut out = Vec::with_capacity(items.len());
                for item in items.iter() {
                    row.set(*slot, item.clone());
                    let is_wanted = filter.as_ref().map_or(Ok(true), |filter| self.holds(filter, row))?;
                    if is_wanted {
                        out.push(map.as_ref().map_or_else(|| Ok(item.clone()), |map| self.eval(map, row))?);
                    }
                }
                self.store.tick(items.len())?;
                row.set(*slot, before);
                bounded(Value::list(out))?
            }
            Ex::Quantified(quantifier, slot, list, filter) => {
                let Some(items) = self.items(list, row)? else { return Ok(Value::Null) };
                let before = row.take(*slot);
                let fact = self.quantified(*quantifier, *slot, &items, filter, row)?;
                row.set(*slot, before);
                fact.map_or(Value::Null, Value::Boolean)
            }
            Ex::Reduce(total, init, slot, list, body) => {
                let first = self.eval(init, row)?;
                let Some(items) = self.items(list, row)? else { return Ok(Value::Null) };
                let before = (row.take(*total), row.take(*slot));
                row.set(*total, first);
                for item in items.iter() {
                    self.store.tick(1)?;
                    row.set(*slot, item.clone());
                    let next = self.eval(body, row)?;
                    row.set(*total, next);
                }
                let result = row.take(*total);
                row.set(*total, before.0);
                row.set(*slot, before.1);
                result
            }
            Ex::Subquery(kind, query) => self.subquery(*kind, query, row)?,
            Ex::Projection(of, is_all, pairs) => self.projection(of, *is_all, pairs, row)?,
            Ex::Path(parts) => path(parts, row),
            _ => Value::Null,
        })
    }

    /// The items of a list; none for null.
    fn items(&self, list: &Ex, row: &mut Row) -> Result<Option<Arc<Vec<Value>>>> {
        match self.eval(list, row)? {
            Value::List(items) => Ok(Some(items)),
            Value::Null => Ok(None),
            other => {
                let message = format!("expected a LIST, not a {}", other.type_name());
                Err(Error::type_error(Detail::InvalidArgumentType, message))
            }
        }
    }

    fn quantified(
        &self,
        quantifier: Quantifier,
        slot: usize,
        items: &[Value],
        filter: &Ex,
        row: &mut Row,
    ) -> Result<Option<bool>> {
        let (mut held, mut unknown) = (0_usize, 0_usize);
        for item in items {
            self.store.tick(1)?;
            row.set(slot, item.clone());
            match self.truth(filter, row)? {
                Some(true) => held += 1,
                Some(false) => {
                    if quantifier == Quantifier::All {
                        return Ok(Some(false));
                    }
                }
                None => unknown += 1,
            }
            match quantifier {
                Quantifier::Any if held > 0 => return Ok(Some(true)),
                Quantifier::None if held > 0 => return Ok(Some(false)),
                Quantifier::Single if held > 1 => return Ok(Some(false)),
                _ => {}
            }
        }
        if unknown > 0 {
            return Ok(None);
        }
        Ok(Some(match quantifier {
            Quantifier::All | Quantifier::None => true,
            Quantifier::Any => false,
            Quantifier::Single => held == 1,
        }))
    }

    fn has_labels(&self, of: &Ex, labels: &Labels, row: &mut Row) -> Result<Value> {
        Ok(match self.eval(of, row)? {
            Value::Node(node) => {
                let own = self.context.elements.labels(&node)?;
                Value::Boolean(self.has(labels, &own, row)?)
            }
            Value::Relationship(relationship) => {
                let own = std::slice::from_ref(&relationship.kind);
                Value::Boolean(self.has(labels, own, row)?)
            }
            Value::Null => Value::Null,
            other => {
                let message = format!("only a NODE or a RELATIONSHIP has labels, not a {}", other.type_name());
                return Err(Error::type_error(Detail::InvalidArgumentType, message));
            }
        })
    }

    fn subquery(&self, kind: SubqueryKind, query: &Union, row: &Row) -> Result<Value> {
        if let Some(value) = self.subquery_by_numbers(kind, query, row)? {
            return Ok(value);
        }
        let (mut count, mut items) = (0_i64, Vec::new());
        let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
        self.query(query, row, |row, columns| {
            if query.is_distinct && !seen.insert(columns.iter().map(|slot| row.get(*slot).clone()).collect()) {
                return Ok(true);
            }
            count += 1;
            if kind == SubqueryKind::Collect {
                items.push(columns.first().map(|slot| row.take(*slot)).unwrap_or_default());
            }
            Ok(kind != SubqueryKind::Exists)
        })?;
        Ok(match kind {
            SubqueryKind::Exists => Value::Boolean(count > 0),
            SubqueryKind::Count => Value::Integer(count),
            SubqueryKind::Collect => bounded(Value::list(items))?,
        })
    }

    /// The same of a pattern whose ways are only counted; none where it is something else.
    fn subquery_by_numbers(&self, kind: SubqueryKind, query: &Union, row: &Row) -> Result<Option<Value>> {
        let [(plan, _)] = query.parts.as_slice() else { return Ok(None) };
        let [Step::Join(join)] = plan.steps.as_slice() else { return Ok(None) };
        let is_any = kind == SubqueryKind::Exists;
        if join.rows != JoinRows::Each || kind == SubqueryKind::Collect || (query.is_distinct && !is_any) {
            return Ok(None);
        }
        let ways = (self.ways)(self, join, row, is_any)?;
        Ok(ways.map(|ways| match kind {
            SubqueryKind::Exists => Value::Boolean(ways > 0),
            _ => Value::Integer(i64::try_from(ways).unwrap_or(i64::MAX)),
        }))
    }

    fn projection(&self, of: &Ex, is_all: bool, pairs: &[(Text, Option<Ex>)], row: &mut Row) -> Result<Value> {
        let of = self.eval(of, row)?;
        if of.is_null() {
            return Ok(Value::Null);
        }
        let mut map = Map::default();
        if is_all {
            map = match &of {
                Value::Node(node) => (*self.store.node_properties(node)?).clone(),
                Value::Relationship(relationship) => (*self.store.relationship_properties(relationship)?).clone(),
                Value::Map(map) => (**map).clone(),
                other => {
                    let message = format!("expected a MAP, NODE or RELATIONSHIP, not a {}", other.type_name());
                    return Err(Error::type_error(Detail::InvalidArgumentType, message));
                }
            };
        }
        for (key, value) in pairs {
            let value = match value {
                Some(value) => self.eval(value, row)?,
                None => self.context.property(&of, key)?,
            };
            map.insert(key.clone(), value);
        }
        bounded(Value::map(map))
    }

    fn test(&self, test: Test, values: &[Value]) -> Result<Value> {
        let [value, other] = values else { return Ok(Value::Null) };
        Ok(match (test, other) {
            (Test::IsType, Value::String(name)) => Value::Boolean(is_type(value, name)),
            (Test::IsNormalized, Value::String(_)) if matches!(value, Value::String(_)) => {
                let normal = function::find("normalize").map(|normalize| normalize.call(values, self.context));
                let normal = normal.transpose()?.unwrap_or_default();
                compare::equals(value, &normal).map_or(Value::Null, Value::Boolean)
            }
            (Test::HasAll, Value::Map(map)) => {
                let mut whole = Some(true);
                for (key, wanted) in map.iter() {
                    let own = self.context.property(value, key)?;
                    whole = logic::and(whole, compare::equals(&own, wanted));
                }
                whole.map_or(Value::Null, Value::Boolean)
            }
            _ => Value::Null,
        })
    }
}

/// Whether a value is of a type such as `LIST<INTEGER> | STRING NOT NULL`.
fn is_type(value: &Value, name: &str) -> bool {
    let mut depth = 0_usize;
    let parts = name.split(|c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '|' && depth == 0
    });
    parts.into_iter().any(|part| is_one_type(value, part.trim()))
}

fn is_one_type(value: &Value, name: &str) -> bool {
    let (name, takes_null) = match name.strip_suffix("NOT NULL") {
        Some(name) => (name.trim(), false),
        None => (name, true),
    };
    if value.is_null() {
        return takes_null;
    }
    let inner = name.strip_prefix("LIST").or_else(|| name.strip_prefix("ARRAY")).map(str::trim);
    if let Some(inner) = inner {
        let Value::List(items) = value else { return false };
        let inner = inner.strip_prefix('<').and_then(|inner| inner.strip_suffix('>'));
        return inner.is_none_or(|inner| items.iter().all(|item| is_type(item, inner)));
    }
    let own = value.type_name();
    match name {
        "ANY" | "ANY VALUE" => true,
        "PROPERTY VALUE" => !matches!(value, Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_)),
        "BOOL" => own == "BOOLEAN",
        "INT" | "SIGNED INTEGER" | "INTEGER64" | "INT64" => own == "INTEGER",
        "FLOAT64" => own == "FLOAT",
        "VARCHAR" => own == "STRING",
        "VERTEX" | "ANY NODE" => own == "NODE",
        "EDGE" | "ANY EDGE" => own == "RELATIONSHIP",
        "ANY MAP" => own == "MAP",
        "TIME WITHOUT TIMEZONE" | "TIME WITHOUT TIME ZONE" => own == "LOCAL TIME",
        "TIME WITH TIMEZONE" | "TIME WITH TIME ZONE" => own == "ZONED TIME",
        "TIMESTAMP WITHOUT TIMEZONE" | "TIMESTAMP WITHOUT TIME ZONE" => own == "LOCAL DATETIME",
        "TIMESTAMP WITH TIMEZONE" | "TIMESTAMP WITH TIME ZONE" => own == "ZONED DATETIME",
        other => own == other,
    }
}

/// A path of what is in a row; null where a part of it is.
pub(crate) fn path(parts: &[PathPart], row: &Row) -> Value {
    let mut nodes: Vec<Arc<Node>> = Vec::new();
    let mut relationships: Vec<Arc<Relationship>> = Vec::new();
    for part in parts {
        match part {
            PathPart::Node(slot) => match row.get(*slot) {
                // The list before ends here already.
                Value::Node(node)
                    if nodes.len() > relationships.len() && nodes.last().is_some_and(|last| last == node) => {}
                Value::Node(node) => nodes.push(Arc::clone(node)),
                _ => return Value::Null,
            },
            PathPart::Relationships(slot) => {
                let all: &[Value] = match row.get(*slot) {
                    Value::List(items) => items,
                    single @ Value::Relationship(_) => std::slice::from_ref(single),
                    _ => return Value::Null,
                };
                let is_list = matches!(row.get(*slot), Value::List(_));
                for (at, value) in all.iter().enumerate() {
                    let Value::Relationship(relationship) = value else { return Value::Null };
                    relationships.push(Arc::clone(relationship));
                    let is_inner = is_list && at + 1 < all.len();
                    if is_inner {
                        let is_forward = nodes.last().is_some_and(|last| *last == relationship.start);
                        nodes.push(Arc::clone(if is_forward { &relationship.end } else { &relationship.start }));
                    }
                }
            }
        }
    }
    Value::Path(Arc::new(Path { nodes, relationships }))
}
