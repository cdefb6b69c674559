//! Functions of lists.

use crate::context::Context;
use crate::error::{Detail, Error, Result};
use crate::limits;
use crate::value::Value;

pub(super) fn head(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::List(list)] => list.first().cloned().unwrap_or_default(),
        _ => Value::Null,
    })
}

pub(super) fn last(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::List(list)] => list.last().cloned().unwrap_or_default(),
        _ => Value::Null,
    })
}

pub(super) fn tail(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::List(list)] => Value::list(list.get(1..).unwrap_or_default().to_vec()),
        _ => Value::Null,
    })
}

pub(super) fn reverse(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::List(list)] => Value::list(list.iter().rev().cloned().collect()),
        [Value::String(text)] => Value::from(text.chars().rev().collect::<String>()),
        _ => Value::Null,
    })
}

pub(super) fn range(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let mut numbers = [0, 0, 1];
    for (number, argument) in numbers.iter_mut().zip(arguments) {
        match argument {
            Value::Integer(integer) => *number = *integer,
            other => {
                return Err(Error::argument(
                    Detail::InvalidArgumentType,
                    format!("range() takes INTEGERs, found {}", other.type_name()),
                ));
            }
        }
    }
    let [start, end, step] = numbers;
    if step == 0 {
        return Err(Error::argument(Detail::NumberOutOfRange, "the step of range() must not be 0"));
    }
    let distance = (i128::from(end) - i128::from(start)) / i128::from(step);
    if (step > 0 && start > end) || (step < 0 && start < end) {
        return Ok(Value::list(Vec::new()));
    }
    let count = usize::try_from(distance).ok().and_then(|count| count.checked_add(1));
    let Some(count) = count.filter(|count| *count <= limits::RANGE_MAX) else {
        return Err(Error::argument(
            Detail::NumberOutOfRange,
            format!("range() makes at most {} numbers (RANGE_MAX)", limits::RANGE_MAX),
        ));
    };
    let numbers = std::iter::successors(Some(start), |number| number.checked_add(step));
    Ok(Value::list(numbers.take(count).map(Value::Integer).collect()))
}
