//! Conditions as the graph's indexes take them.

use std::ops::Bound;

use graph_model::{Cardinality, DataType};
use graph_schema::{Condition, Conditions, Interval as Bounds, PropertyKey};
use query_plan::Target;
use query_value::{Comparison, Interval, Predicate, Value};

use crate::context::Cx;

/// Those conditions that an index could serve. What they let pass is tested again, so a condition may be left out.
pub(crate) fn conditions(cx: &Cx<'_>, given: &[(Target, Predicate)]) -> Conditions {
    let condition = |(target, predicate): &(Target, Predicate)| {
        let Target::Property(key) = target else { return None };
        let key = cx.catalogue.property_key_named(key)?;
        if key.cardinality != Cardinality::Single {
            return None;
        }
        Some(Condition { key: key.id, predicate: self::predicate(key, predicate)? })
    };
    given.iter().filter_map(condition).collect()
}

fn predicate(key: &PropertyKey, predicate: &Predicate) -> Option<graph_schema::Predicate> {
    use graph_schema::Predicate as Stored;
    Some(match predicate {
        Predicate::Compare(comparison, value) => {
            let value = stored(key, value)?;
            let range = |low, high| Some(Stored::Range(Bounds { low, high }));
            let is_number = key.data_type.is_number();
            match comparison {
                Comparison::Eq => Stored::Equal(value),
                Comparison::Gt if is_number => range(Bound::Excluded(value), Bound::Unbounded)?,
                Comparison::Gte if is_number => range(Bound::Included(value), Bound::Unbounded)?,
                Comparison::Lt if is_number => range(Bound::Unbounded, Bound::Excluded(value))?,
                Comparison::Lte if is_number => range(Bound::Unbounded, Bound::Included(value))?,
                _ => return None,
            }
        }
        Predicate::Range(interval, low, high) if key.data_type.is_number() => {
            let (low, high) = (stored(key, low)?, stored(key, high)?);
            match interval {
                Interval::Inside => Stored::Range(Bounds { low: Bound::Excluded(low), high: Bound::Excluded(high) }),
                Interval::Between => Stored::Range(Bounds { low: Bound::Included(low), high: Bound::Excluded(high) }),
                Interval::Outside => return None,
            }
        }
        Predicate::Within(values) if values.iter().len() > 0 => {
            Stored::OneOf(values.iter().map(|value| stored(key, value)).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A value of the key's type that equals the given one; none if there is none.
fn stored(key: &PropertyKey, value: &Value) -> Option<graph_model::Value> {
    use graph_model::Value as Stored;
    match key.data_type {
        DataType::Text => value.as_text().map(|text| Stored::Text(text.into())),
        DataType::Boolean => {
            if let Value::Bool(flag) = value {
                Some(Stored::Boolean(*flag))
            } else {
                None
            }
        }
        DataType::Byte => i8::try_from(value.as_i64()?).ok().map(Stored::Byte),
        DataType::Int => i32::try_from(value.as_i64()?).ok().map(Stored::Int),
        DataType::Long => value.as_i64().map(Stored::Long),
        DataType::Uuid => {
            if let Value::Uuid(bits) = value {
                Some(Stored::Uuid(*bits))
            } else {
                None
            }
        }
        DataType::Double => {
            if let Value::Double(number) = value {
                Some(Stored::Double(*number))
            } else {
                None
            }
        }
        _ => None,
    }
}
