//! Ternary logic and tests: operators whose answer is true, false or null.

use crate::compare::equals;
use crate::error::{Detail, Error, Result};
use crate::value::Value;

/// What a value says as a condition: none for null.
///
/// # Errors
///
/// A type error for what is neither a boolean nor null.
pub fn truth(value: &Value) -> Result<Option<bool>> {
    match value {
        Value::Boolean(fact) => Ok(Some(*fact)),
        Value::Null => Ok(None),
        other => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("a condition must be a BOOLEAN, not {}", other.type_name()),
        )),
    }
}

/// `a AND b`.
pub fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// `a OR b`.
pub fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// `a XOR b`.
pub fn xor(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    Some(a? ^ b?)
}

/// `NOT a`.
pub fn not(a: Option<bool>) -> Option<bool> {
    a.map(|fact| !fact)
}

/// `text STARTS WITH start`: null for what is no text.
pub fn starts_with(text: &Value, start: &Value) -> Option<bool> {
    test(text, start, |text, start| text.starts_with(start))
}

/// `text ENDS WITH end`: null for what is no text.
pub fn ends_with(text: &Value, end: &Value) -> Option<bool> {
    test(text, end, |text, end| text.ends_with(end))
}

/// `text CONTAINS part`: null for what is no text.
pub fn contains(text: &Value, part: &Value) -> Option<bool> {
    test(text, part, |text, part| text.contains(part))
}

/// Tests two texts.
fn test(a: &Value, b: &Value, test: impl Fn(&str, &str) -> bool) -> Option<bool> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(test(a, b)),
        _ => None,
    }
}

/// `value IN list`: ternary, as a chain of `=` joined by `OR`.
///
/// # Errors
///
/// A type error if `list` is neither a list nor null.
pub fn is_in(value: &Value, list: &Value) -> Result<Option<bool>> {
    let list = match list {
        Value::List(list) => list,
        Value::Null => return Ok(None),
        other => {
            return Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("IN expects a LIST, found {}", other.type_name()),
            ));
        }
    };
    let mut known = true;
    for member in list.iter() {
        match equals(value, member) {
            Some(true) => return Ok(Some(true)),
            Some(false) => {}
            None => known = false,
        }
    }
    Ok(known.then_some(false))
}

/// A regular expression of `=~`, read once.
#[derive(Clone, Debug)]
pub struct Pattern(regex::Regex);

impl Pattern {
    /// Reads an expression, which must match the whole text.
    ///
    /// # Errors
    ///
    /// A syntax error if it is not a regular expression that can be searched for in linear time: one without look
    /// around and without back references.
    pub fn new(pattern: &str) -> Result<Self> {
        let whole = format!(r"\A(?:{pattern})\z");
        let builder = regex::RegexBuilder::new(&whole).size_limit(crate::limits::PATTERN_BYTES_MAX).build();
        builder.map(Self).map_err(|error| {
            Error::syntax(Detail::InvalidArgumentValue, format!("`{pattern}` is not a regular expression: {error}"))
        })
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// `text =~ pattern`: null for what is no text. Reads the pattern each time: for a constant, keep a [`Pattern`].
///
/// # Errors
///
/// A syntax error if the pattern is not one.
pub fn matches(text: &Value, pattern: &Value) -> Result<Option<bool>> {
    match (text, pattern) {
        (Value::String(text), Value::String(pattern)) => Ok(Some(Pattern::new(pattern)?.matches(text))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::list;

    #[test]
    fn null_is_unknown() {
        let facts = [Some(true), Some(false), None];
        for (a, b) in facts.iter().flat_map(|a| facts.iter().map(move |b| (*a, *b))) {
            assert_eq!(and(a, b), not(or(not(a), not(b))), "De Morgan");
            assert_eq!(xor(a, b), or(and(a, not(b)), and(not(a), b)));
        }
        assert_eq!(and(None, Some(false)), Some(false));
        assert_eq!(or(None, Some(true)), Some(true));
        assert_eq!(xor(None, Some(true)), None);
    }

    #[test]
    fn membership_is_ternary() {
        assert_eq!(is_in(&Value::Null, &list([])), Ok(Some(false)));
        assert_eq!(is_in(&1.into(), &list([1.into(), Value::Null])), Ok(Some(true)));
        assert_eq!(is_in(&1.into(), &list([Value::Null])), Ok(None));
        assert_eq!(is_in(&1.into(), &Value::Null), Ok(None));
        assert!(is_in(&1.into(), &1.into()).is_err());
    }

    #[test]
    fn a_pattern_matches_the_whole_text() {
        assert_eq!(matches(&"abc".into(), &"a|abc".into()), Ok(Some(true)));
        assert_eq!(matches(&"abc".into(), &"b".into()), Ok(Some(false)));
        assert_eq!(matches(&1.into(), &"b".into()), Ok(None));
        assert_eq!(matches(&"a".into(), &"(".into()).map_err(|error| error.kind), Err(crate::ErrorKind::SyntaxError));
    }
}
