//! What `query-value` computes, with the errors of the executor.

use std::cmp::Ordering;

use query_value::{Operator, Value, ValueError, number};

use crate::error::{ExecError, Result};

impl From<ValueError> for ExecError {
    fn from(error: ValueError) -> Self {
        Self::evaluation(error.to_string())
    }
}

/// Adds to how often a value occurs. Clients get that as a signed number of 64 bits, so it ends there.
pub(crate) fn add_bulk(bulk: &mut u64, more: u64) -> Result<()> {
    let sum = bulk.checked_add(more).filter(|sum| i64::try_from(*sum).is_ok());
    *bulk = sum.ok_or(ValueError::Overflow)?;
    Ok(())
}

/// The order of any values.
pub(crate) fn order(a: &Value, b: &Value) -> Ordering {
    query_value::order(a, b)
}

/// Applies an operator.
pub(crate) fn apply(operator: Operator, a: &Value, b: &Value) -> Result<Value> {
    Ok(number::apply(operator, a, b)?)
}

/// A number as a float.
pub(crate) fn as_f64(value: &Value) -> Option<f64> {
    number::as_f64(value)
}

/// A number as often as it occurs.
pub(crate) fn times(value: &Value, bulk: u64) -> Result<Value> {
    Ok(number::times(value, bulk)?)
}

/// The mean of some numbers.
pub(crate) fn mean(sum: &Value, count: u64) -> Result<Value> {
    Ok(number::mean(sum, count)?)
}

/// A value as it stands in a text.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Double(number) => format!("{number:?}"),
        Value::BigInteger(number) => number.to_string(),
        Value::BigDecimal(number) => number.to_string(),
        Value::Char(character) => character.to_string(),
        other => other.as_i64().map_or_else(|| other.class_name().to_owned(), |number| number.to_string()),
    }
}
