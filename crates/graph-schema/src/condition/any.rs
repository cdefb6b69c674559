//! Conditions on values that say their own types: numbers compare by size whatever their types, all else by type and
//! content. Of several values of a key, one that passes is enough; none must be the unwanted one.

use std::cmp::Ordering;
use std::ops::Bound;

use graph_model::Value;
use tagged_value::{Entry, Token, entries, equal, order};

use super::Predicate;

pub(super) fn accepts(predicate: &Predicate, tagged: &[u8]) -> bool {
    let mut values = entries(tagged).map_while(Result::ok);
    match predicate {
        Predicate::NotEqual(_) => values.all(|entry| accepts_one(predicate, &entry)),
        _ => values.any(|entry| accepts_one(predicate, &entry)),
    }
}

fn accepts_one(predicate: &Predicate, entry: &Entry<'_>) -> bool {
    let is = |wanted: &Value| matches!(wanted, Value::Any(wanted) if equal(entry.value, wanted));
    let compared = |bound: &Value, passes: fn(Ordering) -> bool| match bound {
        Value::Any(bound) => order(entry.value, bound).is_some_and(passes),
        _ => false,
    };
    match predicate {
        Predicate::Equal(wanted) => is(wanted),
        Predicate::NotEqual(unwanted) => !is(unwanted),
        Predicate::OneOf(wanted) | Predicate::ContainsAny(wanted) => wanted.iter().any(is),
        Predicate::Range(interval) => {
            let after = match &interval.low {
                Bound::Unbounded => true,
                Bound::Included(low) => compared(low, Ordering::is_ge),
                Bound::Excluded(low) => compared(low, Ordering::is_gt),
            };
            let before = match &interval.high {
                Bound::Unbounded => true,
                Bound::Included(high) => compared(high, Ordering::is_le),
                Bound::Excluded(high) => compared(high, Ordering::is_lt),
            };
            after && before && order(entry.value, entry.value).is_some()
        }
        Predicate::Outside(below, above) => compared(below, Ordering::is_lt) || compared(above, Ordering::is_gt),
        Predicate::TextContains(part) => {
            matches!(entry.token(), Ok(Token::String(text)) if text.contains(part.as_str()))
        }
    }
}
