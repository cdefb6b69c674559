//! What `query-value` computes, with the errors of the executor.

use std::cmp::Ordering;

use bigdecimal::BigDecimal;
use graph_model::ErrorKind;
use query_value::{Operator, Value, ValueError, number};

use crate::error::{ExecError, ExecErrorKind, Result};

impl From<ValueError> for ExecError {
    fn from(error: ValueError) -> Self {
        match error {
            ValueError::NoRoom => Self {
                kind: ExecErrorKind::Access(ErrorKind::LimitExceeded),
                message: format!("{error} (gremlin.memory_max)"),
                step: None,
            },
            other => Self::evaluation(other.to_string()),
        }
    }
}

/// Adds to how often a value occurs. Clients get that as a signed number of 64 bits, so it ends there.
pub fn add_bulk(bulk: &mut u64, more: u64) -> Result<()> {
    let sum = bulk.checked_add(more).filter(|sum| i64::try_from(*sum).is_ok());
    *bulk = sum.ok_or(ValueError::Overflow)?;
    Ok(())
}

/// How often a value occurs of which each occurrence stands for several.
pub fn times_bulk(bulk: u64, times: u64) -> Result<u64> {
    let product = bulk.checked_mul(times).filter(|product| i64::try_from(*product).is_ok());
    Ok(product.ok_or(ValueError::Overflow)?)
}

/// The order of any values.
pub fn order(a: &Value, b: &Value) -> Ordering {
    query_value::order(a, b)
}

/// Applies an operator.
pub fn apply(operator: Operator, a: &Value, b: &Value) -> Result<Value> {
    Ok(number::apply(operator, a, b)?)
}

/// The part that a number is of a total; that of integers beyond 64 bits is a decimal number.
pub fn share(number: &Value, total: &Value) -> Result<Value> {
    match number {
        Value::BigInteger(digits) => {
            let decimal = Value::from(BigDecimal::from((**digits).clone()));
            apply(Operator::Div, &decimal, total)
        }
        _ => apply(Operator::Div, number, total),
    }
}

/// A number as a float.
pub fn as_f64(value: &Value) -> Option<f64> {
    number::as_f64(value)
}

/// A number as often as it occurs.
pub fn times(value: &Value, bulk: u64) -> Result<Value> {
    Ok(number::times(value, bulk)?)
}

/// The mean of some numbers.
pub fn mean(sum: &Value, count: u64) -> Result<Value> {
    Ok(number::mean(sum, count)?)
}
