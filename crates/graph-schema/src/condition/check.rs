//! From what a client asked for to conditions of the property keys' types.
//!
//! A bound need not be a value of its property: "greater than 28.5" is asked of an INT key as "29 or more", and a bound
//! beyond the type's range as none. HugeGraph cuts such bounds to the type and so loses elements.

use std::borrow::Cow;
use std::ops::{Bound, RangeInclusive};

use graph_model::{Cardinality, DataType, ErrorKind, Value};
use jiff::tz::TimeZone;

use super::{Condition, Conditions, Interval, NewPredicate, Predicate};
use crate::change::SchemaKind;
use crate::coerce::{check_count, coerce, coerce_one, keep_first_of_same};
use crate::definition::PropertyKey;
use crate::error::ValueError;
use crate::input::Literal;
use crate::{Catalogue, limits};

/// A condition that cannot be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// A property key that does not exist.
    #[error("undefined property key '{key}'{hint}")]
    UnknownKey {
        /// The name given.
        key: String,
        /// A similar name, as `; did you mean 'x'?`, or nothing.
        hint: String,
    },
    /// A value that is none of the property.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A comparison of values that have no order.
    #[error("property '{key}' cannot be compared by size: it is {got}, only single numbers and dates can")]
    NoOrder {
        /// Name of the property.
        key: String,
        /// Its cardinality and type.
        got: String,
    },
    /// A search for words in what is no text.
    #[error("property '{key}' cannot be searched for words: it is {got}, only single texts can")]
    NoText {
        /// Name of the property.
        key: String,
        /// Its cardinality and type.
        got: String,
    },
    /// A search for a value in what is no collection.
    #[error("property '{key}' cannot contain values: it is {got}, only LIST and SET properties can")]
    NoCollection {
        /// Name of the property.
        key: String,
        /// Its cardinality and type.
        got: String,
    },
    /// A bound that has no place in the order.
    #[error("property '{key}' cannot be compared with NaN")]
    NotANumber {
        /// Name of the property.
        key: String,
    },
    /// More conditions than [`limits::CONDITIONS_MAX`].
    #[error("{count} conditions are too many, the limit is {limit}")]
    TooMany {
        /// How many were given.
        count: usize,
        /// The limit.
        limit: usize,
    },
}

impl ConditionError {
    /// The kind of error reported to the client.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TooMany { .. } | Self::Value(ValueError::TooManyValues { .. }) => ErrorKind::LimitExceeded,
            _ => ErrorKind::BadInput,
        }
    }
}

impl Catalogue {
    /// Checks conditions on properties, each with the name of its property key.
    pub fn check_conditions(
        &self,
        given: &[(Cow<'_, str>, NewPredicate<'_>)],
        zone: &TimeZone,
    ) -> Result<Conditions, ConditionError> {
        if given.len() > limits::CONDITIONS_MAX {
            return Err(ConditionError::TooMany { count: given.len(), limit: limits::CONDITIONS_MAX });
        }
        let checked = |(name, predicate): &(Cow<'_, str>, NewPredicate<'_>)| {
            let key = self.property_key_named(name).ok_or_else(|| ConditionError::UnknownKey {
                key: name.to_string(),
                hint: self.suggestion(SchemaKind::PropertyKey, name),
            })?;
            Ok(Condition { key: key.id, predicate: Check { key, zone }.predicate(predicate)? })
        };
        given.iter().map(checked).collect()
    }
}

/// What a predicate is checked against.
struct Check<'a> {
    key: &'a PropertyKey,
    zone: &'a TimeZone,
}

/// The position of a number among the values of a property.
enum Place {
    /// It is one.
    At(Value),
    /// Between two neighbours; `None`: beyond the smallest or the largest.
    Between(Option<Value>, Option<Value>),
}

impl Check<'_> {
    fn predicate(&self, given: &NewPredicate<'_>) -> Result<Predicate, ConditionError> {
        if self.key.data_type == DataType::Any {
            return self.any(given);
        }
        match given {
            NewPredicate::Equal(literal) => self.equal(literal),
            NewPredicate::NotEqual(literal) => Ok(Predicate::NotEqual(self.value(literal)?)),
            NewPredicate::Range { low, high } => {
                let low = self.bound(low, |_, above| above)?;
                let high = self.bound(high, |below, _| below)?;
                let interval = low.zip(high).map(|(low, high)| Predicate::Range(Interval { low, high }));
                Ok(interval.unwrap_or_else(|| Predicate::OneOf(Vec::new())))
            }
            NewPredicate::Outside(below, above) => self.outside(below, above),
            NewPredicate::OneOf(literals) => self.one_of(literals),
            NewPredicate::TextContains(words) => {
                if self.key.data_type != DataType::Text || self.is_collection() {
                    return Err(ConditionError::NoText { key: self.name(), got: self.kind() });
                }
                Ok(Predicate::TextContains((&**words).into()))
            }
            NewPredicate::Contains { value, text } => self.contains(value.as_ref(), text),
        }
    }

    /// A predicate on values that say their own types.
    fn any(&self, given: &NewPredicate<'_>) -> Result<Predicate, ConditionError> {
        let bound = |bound: &Bound<Literal<'_>>| match bound {
            Bound::Unbounded => Ok(Bound::Unbounded),
            Bound::Included(literal) => self.item(literal).map(Bound::Included),
            Bound::Excluded(literal) => self.item(literal).map(Bound::Excluded),
        };
        Ok(match given {
            NewPredicate::Equal(literal) => Predicate::Equal(self.item(literal)?),
            NewPredicate::NotEqual(literal) => Predicate::NotEqual(self.item(literal)?),
            NewPredicate::Range { low, high } => Predicate::Range(Interval { low: bound(low)?, high: bound(high)? }),
            NewPredicate::Outside(below, above) => Predicate::Outside(self.item(below)?, self.item(above)?),
            NewPredicate::OneOf(literals) => {
                check_count(self.key, literals.len())?;
                Predicate::OneOf(literals.iter().map(|literal| self.item(literal)).collect::<Result<_, _>>()?)
            }
            NewPredicate::TextContains(words) => Predicate::TextContains((&**words).into()),
            NewPredicate::Contains { .. } => {
                return Err(ConditionError::NoCollection { key: self.name(), got: "of any type".to_owned() });
            }
        })
    }

    fn name(&self) -> String {
        self.key.name.clone()
    }

    fn kind(&self) -> String {
        format!("a {} of {}", self.key.cardinality.name(), self.key.data_type.name())
    }

    fn is_collection(&self) -> bool {
        self.key.cardinality != Cardinality::Single
    }

    fn value(&self, literal: &Literal<'_>) -> Result<Value, ValueError> {
        coerce(self.key, literal, self.zone)
    }

    fn item(&self, literal: &Literal<'_>) -> Result<Value, ValueError> {
        coerce_one(self.key, literal, self.zone)
    }

    fn equal(&self, literal: &Literal<'_>) -> Result<Predicate, ConditionError> {
        if self.is_collection() && !matches!(literal, Literal::Array(_)) {
            return Ok(Predicate::ContainsAny(vec![self.item(literal)?]));
        }
        Ok(Predicate::Equal(self.value(literal)?))
    }

    fn one_of(&self, literals: &[Literal<'_>]) -> Result<Predicate, ConditionError> {
        check_count(self.key, literals.len())?;
        let mut values = literals.iter().map(|literal| self.item(literal)).collect::<Result<Vec<_>, _>>()?;
        keep_first_of_same(&mut values);
        Ok(if self.is_collection() { Predicate::ContainsAny(values) } else { Predicate::OneOf(values) })
    }

    fn contains(&self, value: Option<&Literal<'_>>, text: &str) -> Result<Predicate, ConditionError> {
        if !self.is_collection() {
            return Err(ConditionError::NoCollection { key: self.name(), got: self.kind() });
        }
        let bare = Literal::Text(Cow::Borrowed(text));
        let literal = match value {
            Some(value) if self.key.data_type != DataType::Text || matches!(value, Literal::Text(_)) => value,
            _ => &bare,
        };
        Ok(Predicate::ContainsAny(vec![self.item(literal)?]))
    }

    fn outside(&self, below: &Literal<'_>, above: &Literal<'_>) -> Result<Predicate, ConditionError> {
        // "Smaller than 2.5" is "smaller than 3" of a whole number, "smaller than the largest value and more" is "at
        // most that".
        let (below, above) = (self.place(below)?, self.place(above)?);
        let upper = match below {
            Place::At(value) | Place::Between(_, Some(value)) => Bound::Excluded(value),
            Place::Between(_, None) => Bound::Unbounded,
        };
        let lower = match above {
            Place::At(value) | Place::Between(Some(value), _) => Bound::Excluded(value),
            Place::Between(None, _) => Bound::Unbounded,
        };
        Ok(match (upper, lower) {
            (Bound::Excluded(below), Bound::Excluded(above))
                if super::order(&below, &above).is_some_and(|o| o.is_le()) =>
            {
                Predicate::Outside(below, above)
            }
            // The two halves meet or one of them is everything.
            _ => Predicate::Range(Interval::ALL),
        })
    }

    /// A bound; `None` where nothing can lie on its side. Of a number that is no value of the key, the neighbour that
    /// belongs to the interval is the bound.
    fn bound(
        &self,
        given: &Bound<Literal<'_>>,
        neighbour: fn(Option<Value>, Option<Value>) -> Option<Value>,
    ) -> Result<Option<Bound<Value>>, ConditionError> {
        let (literal, bound): (_, fn(Value) -> Bound<Value>) = match given {
            Bound::Unbounded => return Ok(Some(Bound::Unbounded)),
            Bound::Included(literal) => (literal, Bound::Included),
            Bound::Excluded(literal) => (literal, Bound::Excluded),
        };
        Ok(match self.place(literal)? {
            Place::At(value) => Some(bound(value)),
            Place::Between(below, above) => neighbour(below, above).map(Bound::Included),
        })
    }

    /// Where a literal lies among the values of the key.
    fn place(&self, literal: &Literal<'_>) -> Result<Place, ConditionError> {
        let data_type = self.key.data_type;
        if self.is_collection() || !(data_type.is_number() || data_type == DataType::Date) {
            return Err(ConditionError::NoOrder { key: self.name(), got: self.kind() });
        }
        let range = match data_type {
            DataType::Byte => i64::from(i8::MIN)..=i64::from(i8::MAX),
            DataType::Int => i64::from(i32::MIN)..=i64::from(i32::MAX),
            DataType::Long => i64::MIN..=i64::MAX,
            DataType::Float => return self.place_of_float(literal),
            _ => return Ok(Place::At(self.item(literal)?)),
        };
        match literal {
            Literal::Integer(number) => self.place_of_whole(i128::from(*number), i128::from(*number), &range),
            Literal::Float(number) if number.is_nan() => Err(ConditionError::NotANumber { key: self.name() }),
            Literal::Float(number) => self.place_of_whole(saturated(number.floor()), saturated(number.ceil()), &range),
            literal => Ok(Place::At(self.item(literal)?)),
        }
    }

    /// Where a number lies among the whole numbers of a range: `below` and `above` are the nearest whole numbers, or it
    /// itself.
    fn place_of_whole(&self, below: i128, above: i128, range: &RangeInclusive<i64>) -> Result<Place, ConditionError> {
        let (min, max) = (i128::from(*range.start()), i128::from(*range.end()));
        let value = |number: i128| self.item(&Literal::Integer(i64::try_from(number).unwrap_or_default()));
        if below == above && (min..=max).contains(&below) {
            return Ok(Place::At(value(below)?));
        }
        let below = (below >= min).then(|| value(below.min(max))).transpose()?;
        let above = (above <= max).then(|| value(above.max(min))).transpose()?;
        Ok(Place::Between(below, above))
    }

    fn place_of_float(&self, literal: &Literal<'_>) -> Result<Place, ConditionError> {
        match literal {
            Literal::Float(number) if number.is_finite() && *number > f64::from(f32::MAX) => {
                Ok(Place::Between(Some(Value::Float(f32::MAX)), Some(Value::Float(f32::INFINITY))))
            }
            Literal::Float(number) if number.is_finite() && *number < f64::from(f32::MIN) => {
                Ok(Place::Between(Some(Value::Float(f32::NEG_INFINITY)), Some(Value::Float(f32::MIN))))
            }
            literal => Ok(Place::At(self.item(literal)?)),
        }
    }
}

/// A float without a fraction as a whole number, or the nearest there is.
#[expect(clippy::cast_possible_truncation, reason = "there is no fraction, and the cast saturates")]
fn saturated(number: f64) -> i128 {
    number as i128
}
