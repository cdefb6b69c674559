//! Conditions on properties: what a query asks of the elements it wants.
//!
//! What it is: [`Conditions`], checked against the property keys and ready to be tested ([`Conditions::matches`]) or
//! planned with, and what a client sent ([`NewPredicate`]). What it is not: it knows no notation (that is `rest-json`)
//! and no index.
//!
//! An element that lacks a property meets no condition on it, not even "is not equal".

mod check;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Bound;

use compact_str::CompactString;
use graph_model::{Properties, PropertyKeyId, Value};

pub use self::check::ConditionError;
use tagged_value::{Entry, Token, entries};

use crate::coerce::compare;
use crate::input::Literal;

/// A test of one property as a client wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum NewPredicate<'a> {
    /// Is this value. Of a LIST or SET property a value that is no array is one of its values.
    Equal(Literal<'a>),
    /// Is there and is not this value.
    NotEqual(Literal<'a>),
    /// Lies between two bounds.
    Range {
        /// The smaller one.
        low: Bound<Literal<'a>>,
        /// The larger one.
        high: Bound<Literal<'a>>,
    },
    /// Is smaller than the first or larger than the second.
    Outside(Literal<'a>, Literal<'a>),
    /// Is one of these values.
    OneOf(Vec<Literal<'a>>),
    /// Is a text with these words.
    TextContains(Cow<'a, str>),
    /// Is a collection that holds a value.
    Contains {
        /// The value, where the argument is one.
        value: Option<Literal<'a>>,
        /// The argument as it was written: the value where texts need no quotes.
        text: Cow<'a, str>,
    },
}

/// Values from one bound to another, in the order of numbers and dates.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Where it begins.
    pub low: Bound<Value>,
    /// Where it ends.
    pub high: Bound<Value>,
}

impl Interval {
    /// Every value.
    pub const ALL: Self = Self { low: Bound::Unbounded, high: Bound::Unbounded };

    /// Whether a value lies in it. Values that have no order lie nowhere.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        let after = match &self.low {
            Bound::Unbounded => true,
            Bound::Included(low) => order(value, low).is_some_and(Ordering::is_ge),
            Bound::Excluded(low) => order(value, low).is_some_and(Ordering::is_gt),
        };
        let before = match &self.high {
            Bound::Unbounded => true,
            Bound::Included(high) => order(value, high).is_some_and(Ordering::is_le),
            Bound::Excluded(high) => order(value, high).is_some_and(Ordering::is_lt),
        };
        after && before && order(value, value).is_some()
    }
}

/// A test of one property.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// Is this value; sets are equal whatever the order of their values.
    Equal(Value),
    /// Is there and is not this value.
    NotEqual(Value),
    /// Is one of these values, none of which appears twice; none: nothing is.
    OneOf(Vec<Value>),
    /// Lies in the interval.
    Range(Interval),
    /// Lies in one of two intervals that do not meet: below the first value, or above the second.
    Outside(Value, Value),
    /// Is a text with these words. Without an index: a text in which this text occurs.
    TextContains(CompactString),
    /// Is a LIST or SET with at least one of these values, none of which appears twice.
    ContainsAny(Vec<Value>),
}

impl Predicate {
    /// Whether a value passes.
    #[must_use]
    pub fn accepts(&self, value: &Value) -> bool {
        if let Value::Any(tagged) = value {
            return accepts_tagged(self, tagged);
        }
        match self {
            Self::Equal(wanted) => equal(value, wanted),
            Self::NotEqual(unwanted) => !equal(value, unwanted),
            Self::OneOf(wanted) => wanted.iter().any(|wanted| equal(value, wanted)),
            Self::Range(interval) => interval.contains(value),
            Self::Outside(low, high) => {
                order(value, low).is_some_and(Ordering::is_lt) || order(value, high).is_some_and(Ordering::is_gt)
            }
            Self::TextContains(part) => match value {
                Value::Text(text) => text.contains(part.as_str()),
                _ => false,
            },
            Self::ContainsAny(wanted) => {
                value.items().iter().any(|item| wanted.iter().any(|wanted| equal(item, wanted)))
            }
        }
    }
}

/// Whether values that say their own types pass: numbers compare by size whatever their types, all else by type and
/// content. Of several values of a key, one that passes is enough; none must be the unwanted one.
fn accepts_tagged(predicate: &Predicate, tagged: &[u8]) -> bool {
    let mut values = entries(tagged).map_while(Result::ok);
    match predicate {
        Predicate::NotEqual(_) => values.all(|entry| accepts_one(predicate, &entry)),
        _ => values.any(|entry| accepts_one(predicate, &entry)),
    }
}

fn accepts_one(predicate: &Predicate, entry: &Entry<'_>) -> bool {
    let is = |wanted: &Value| matches!(wanted, Value::Any(wanted) if tagged_value::equal(entry.value, wanted));
    let compared = |bound: &Value, passes: fn(Ordering) -> bool| match bound {
        Value::Any(bound) => tagged_value::order(entry.value, bound).is_some_and(passes),
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
            after && before && tagged_value::order(entry.value, entry.value).is_some()
        }
        Predicate::Outside(below, above) => compared(below, Ordering::is_lt) || compared(above, Ordering::is_gt),
        Predicate::TextContains(part) => {
            matches!(entry.token(), Ok(Token::String(text)) if text.contains(part.as_str()))
        }
    }
}

/// A test of one property of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The property.
    pub key: PropertyKeyId,
    /// The test.
    pub predicate: Predicate,
}

impl Condition {
    /// Whether an element with these properties passes.
    #[must_use]
    pub fn matches(&self, properties: &Properties) -> bool {
        properties.get(self.key).is_some_and(|value| self.predicate.accepts(value))
    }
}

/// Conditions an element must all meet, in the order of their property keys' numbers, at most one for each key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions(Vec<Condition>);

impl Conditions {
    /// Whether there is none: every element passes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The condition on a property.
    #[must_use]
    pub fn get(&self, key: PropertyKeyId) -> Option<&Condition> {
        let at = self.0.binary_search_by_key(&key, |condition| condition.key).ok()?;
        self.0.get(at)
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Condition> {
        self.0.iter()
    }

    /// Whether an element with these properties passes. Costs a search for each condition and no allocation.
    #[must_use]
    pub fn matches(&self, properties: &Properties) -> bool {
        self.0.iter().all(|condition| condition.matches(properties))
    }
}

impl FromIterator<Condition> for Conditions {
    /// Where a key appears twice the last one counts, as in JSON objects.
    fn from_iter<I: IntoIterator<Item = Condition>>(conditions: I) -> Self {
        let mut all: Vec<Condition> = Vec::new();
        for condition in conditions {
            match all.binary_search_by_key(&condition.key, |other| other.key) {
                Ok(at) => {
                    if let Some(slot) = all.get_mut(at) {
                        *slot = condition;
                    }
                }
                Err(at) => all.insert(at, condition),
            }
        }
        Self(all)
    }
}

/// The order of two numbers of one type, or of two dates; `None` for all else. Every NaN is the same one and larger
/// than all numbers, and zeros of either sign are equal: as in the indexes.
#[must_use]
pub fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Byte(a), Value::Byte(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => Some(float_order(a.partial_cmp(b), a.is_nan(), b.is_nan())),
        (Value::Double(a), Value::Double(b)) => Some(float_order(a.partial_cmp(b), a.is_nan(), b.is_nan())),
        _ => None,
    }
}

fn float_order(order: Option<Ordering>, a_is_nan: bool, b_is_nan: bool) -> Ordering {
    order.unwrap_or_else(|| a_is_nan.cmp(&b_is_nan))
}

/// Whether two values are equal: by [`order`] where they have one, sets whatever the order of their items, else
/// [`Value::same`].
#[must_use]
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(_) | Value::Double(_), _) => order(a, b).is_some_and(Ordering::is_eq),
        (Value::Set(a), Value::Set(b)) if a.len() == b.len() && a.len() > 1 => {
            let sorted = |items: &[Value]| {
                let mut items: Vec<Value> = items.to_vec();
                items.sort_by(compare);
                items
            };
            sorted(a).iter().zip(&sorted(b)).all(|(a, b)| a.same(b))
        }
        (a, b) => a.same(b),
    }
}
