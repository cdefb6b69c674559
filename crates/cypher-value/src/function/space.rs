//! Functions of points and vectors.

use crate::arithmetic::as_float;
use crate::context::Context;
use crate::error::{Detail, Error, Result};
use crate::point;
use crate::value::Value;

pub(super) fn point(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    arguments.first().map_or(Ok(Value::Null), point::make)
}

pub(super) fn distance(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Point(from), Value::Point(to)] => point::distance(from, to).into(),
        _ => Value::Null,
    })
}

pub(super) fn within(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Point(point), Value::Point(lower), Value::Point(upper)] => point::is_within(point, lower, upper).into(),
        _ => Value::Null,
    })
}

/// Two vectors of one length, of finite numbers; none if an element is null.
fn vectors(arguments: &[Value]) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    let [Value::List(a), Value::List(b)] = arguments else { return Ok(None) };
    let error = |message: &str| Error::argument(Detail::InvalidArgumentValue, message);
    if a.iter().chain(b.iter()).any(Value::is_null) {
        return Ok(None);
    }
    let numbers = |list: &[Value]| {
        let numbers = list.iter().map(|value| as_float(value).filter(|number| number.is_finite()));
        numbers.collect::<Option<Vec<_>>>().ok_or_else(|| error("a vector must be a LIST of finite numbers"))
    };
    let (a, b) = (numbers(a)?, numbers(b)?);
    if a.is_empty() || a.len() != b.len() {
        return Err(error("two vectors must have one length, of at least 1"));
    }
    Ok(Some((a, b)))
}

pub(super) fn cosine(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let Some((a, b)) = vectors(arguments)? else { return Ok(Value::Null) };
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (a_squared, b_squared) = (product(&a, &a), product(&b, &b));
    if a_squared == 0.0 || b_squared == 0.0 {
        return Err(Error::argument(Detail::InvalidArgumentValue, "a vector of zeros has no direction"));
    }
    let cosine = product(&a, &b) / (a_squared.sqrt() * b_squared.sqrt());
    Ok(Value::Float(f64::midpoint(1.0, cosine)))
}

pub(super) fn euclidean(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let Some((a, b)) = vectors(arguments)? else { return Ok(Value::Null) };
    let squared: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
    Ok(Value::Float(1.0 / (1.0 + squared)))
}
