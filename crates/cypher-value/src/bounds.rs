//! How large a value may become: what a query puts into each other again and again must end somewhere.

use crate::error::{Detail, Error, ErrorKind, Result};
use crate::limits::{ITEMS_MAX, NESTING_MAX, TEXT_BYTES_MAX};
use crate::value::Value;

/// A list or map that was just made, if it is nested and large as a value may be. All functions of values recurse into
/// them and look at what is shared each time anew, so code that makes lists or maps of values hands them through here.
///
/// # Errors
///
/// An execution error beyond [`NESTING_MAX`] and [`ITEMS_MAX`].
pub fn bounded(value: Value) -> Result<Value> {
    check(&value, 0)?;
    Ok(value)
}

/// Checks a value that is inside so many lists and maps.
///
/// # Errors
///
/// As [`bounded`].
pub(crate) fn check(value: &Value, outside: usize) -> Result<()> {
    let mut left = ITEMS_MAX;
    visit(value, outside, &mut left)
}

/// Visits all items, as long as there are some left to visit.
fn visit(value: &Value, outside: usize, left: &mut usize) -> Result<()> {
    let count = match value {
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        _ => return Ok(()),
    };
    if outside >= NESTING_MAX {
        let message = format!("a value is nested in more than {NESTING_MAX} lists and maps (NESTING_MAX)");
        return Err(Error::new(ErrorKind::ExecutionFailed, Detail::None, message));
    }
    *left = left.checked_sub(count).ok_or_else(|| {
        let message = format!("a value has more than {ITEMS_MAX} items (ITEMS_MAX)");
        Error::new(ErrorKind::ExecutionFailed, Detail::None, message)
    })?;
    match value {
        Value::List(list) => list.iter().try_for_each(|item| visit(item, outside + 1, left)),
        Value::Map(map) => map.values().try_for_each(|item| visit(item, outside + 1, left)),
        _ => Ok(()),
    }
}

/// A text of two parts.
///
/// # Errors
///
/// An execution error beyond [`TEXT_BYTES_MAX`].
pub(crate) fn joined(a: &str, b: &str) -> Result<Value> {
    if a.len().saturating_add(b.len()) > TEXT_BYTES_MAX {
        let message = format!("a text has more than {TEXT_BYTES_MAX} bytes (TEXT_BYTES_MAX)");
        return Err(Error::new(ErrorKind::ExecutionFailed, Detail::None, message));
    }
    Ok(Value::from([a, b].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    #[test]
    fn what_is_nested_too_deep_is_refused_before_it_is_a_danger() {
        let mut value = Value::Null;
        for _ in 0..NESTING_MAX {
            value = bounded(list([value])).unwrap();
        }
        assert_eq!(bounded(list([value])).map_err(|error| error.kind), Err(ErrorKind::ExecutionFailed));
    }

    #[test]
    fn what_doubles_is_refused_by_its_size() {
        let mut value = list([Value::Null]);
        let refused = (0..100).find_map(|_| {
            let doubled = bounded(list([value.clone(), value.clone()]));
            doubled.map(|doubled| value = doubled).err()
        });
        assert!(refused.is_some_and(|error| error.message.contains("ITEMS_MAX")));
    }

    #[test]
    fn texts_end_too() {
        let half = "a".repeat(TEXT_BYTES_MAX / 2);
        assert!(joined(&half, &half).is_ok());
        assert!(joined(&half, &format!("{half}a")).is_err());
    }
}
