//! Merging of property values: what becomes of a stored value and a new one under each strategy of a batch update.
//!
//! Pure functions over values that are of their key's type already. Start at [`UpdateStrategies::merge`].

use std::borrow::Cow;
use std::cmp::Ordering;

use bigdecimal::BigDecimal;
use graph_model::{Cardinality, DataType, Properties, PropertyKeyId, Value};

use crate::change::SchemaKind;
use crate::coerce::{check_count, compare, keep_first_of_same};
use crate::definition::PropertyKey;
use crate::{Catalogue, ElementError};

/// How a stored and a new value of a property become one. Names are HugeGraph's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdateStrategy {
    /// The decimal sum of two numbers.
    Sum,
    /// The larger of two numbers or dates.
    Bigger,
    /// The smaller of two numbers or dates.
    Smaller,
    /// Every value that is in one of two collections, once.
    Union,
    /// Every value that is in both collections, once.
    Intersection,
    /// The stored collection with the new one behind it; a SET keeps each value once.
    Append,
    /// The stored collection without the values of the new one.
    Eliminate,
    /// The new value.
    Override,
}

impl UpdateStrategy {
    /// Every strategy, in HugeGraph's order.
    pub const ALL: [Self; 8] = [
        Self::Sum,
        Self::Bigger,
        Self::Smaller,
        Self::Union,
        Self::Intersection,
        Self::Append,
        Self::Eliminate,
        Self::Override,
    ];

    /// Its name in requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "SUM",
            Self::Bigger => "BIGGER",
            Self::Smaller => "SMALLER",
            Self::Union => "UNION",
            Self::Intersection => "INTERSECTION",
            Self::Append => "APPEND",
            Self::Eliminate => "ELIMINATE",
            Self::Override => "OVERRIDE",
        }
    }

    /// The strategy of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name)
    }

    /// What a property key must be for this strategy; `None` where it is.
    fn unmet(self, key: &PropertyKey) -> Option<&'static str> {
        let single = key.cardinality == Cardinality::Single;
        let (met, needed) = match self {
            Self::Sum => (single && key.data_type.is_number(), "a single number"),
            Self::Bigger | Self::Smaller => {
                (single && (key.data_type.is_number() || key.data_type == DataType::Date), "a single number or date")
            }
            Self::Union | Self::Intersection | Self::Append | Self::Eliminate => (!single, "a LIST or a SET"),
            Self::Override => (true, ""),
        };
        (!met).then_some(needed)
    }
}

/// The strategies of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateStrategies(Vec<(PropertyKeyId, UpdateStrategy)>);

impl UpdateStrategies {
    /// The stored properties with the new ones merged in: by the strategy of the key where both have a value, else the
    /// one there is. A property without a strategy is replaced where it is given, and kept where it is not.
    pub fn merge(
        &self,
        catalogue: &Catalogue,
        stored: &Properties,
        new: Properties,
    ) -> Result<Properties, ElementError> {
        let mut merged = stored.clone();
        for (id, new) in new.into_iter() {
            let value = match (merged.remove(id), catalogue.property_key(id)) {
                (Some(old), Some(key)) => merge_values(key, self.of(id), old, new)?,
                _ => new,
            };
            merged.insert(id, value);
        }
        Ok(merged)
    }

    fn of(&self, key: PropertyKeyId) -> UpdateStrategy {
        let found = self.0.iter().find(|(id, _)| *id == key);
        found.map_or(UpdateStrategy::Override, |(_, strategy)| *strategy)
    }
}

impl Catalogue {
    /// Checks the strategies of a request, by name of the property: each key must exist. Whether it is of a type its
    /// strategy is for matters only where there are two values to merge, as in HugeGraph.
    pub fn check_strategies(&self, given: &[(Cow<'_, str>, UpdateStrategy)]) -> Result<UpdateStrategies, ElementError> {
        let mut strategies = Vec::with_capacity(given.len());
        for (name, strategy) in given {
            let key = self.property_key_named(name).ok_or_else(|| ElementError::UnknownKey {
                key: name.clone().into_owned(),
                hint: self.suggestion(SchemaKind::PropertyKey, name),
            })?;
            strategies.push((key.id, *strategy));
        }
        Ok(UpdateStrategies(strategies))
    }
}

/// What two values of one property become. Both are of the key's type.
fn merge_values(key: &PropertyKey, strategy: UpdateStrategy, old: Value, new: Value) -> Result<Value, ElementError> {
    if let Some(needed) = strategy.unmet(key) {
        let (cardinality, data_type) = (key.cardinality.name(), key.data_type.name());
        let reason = format!("it needs {needed}, but the property is a {cardinality} {data_type}");
        return Err(ElementError::Strategy { key: key.name.clone(), strategy: strategy.name(), reason });
    }
    match strategy {
        UpdateStrategy::Override => Ok(new),
        UpdateStrategy::Sum => sum(&old, &new).map_err(|reason| ElementError::Strategy {
            key: key.name.clone(),
            strategy: strategy.name(),
            reason,
        }),
        UpdateStrategy::Bigger => Ok(if order(&old, &new).is_gt() { old } else { new }),
        UpdateStrategy::Smaller => Ok(if order(&old, &new).is_lt() { old } else { new }),
        UpdateStrategy::Union | UpdateStrategy::Intersection | UpdateStrategy::Append | UpdateStrategy::Eliminate => {
            let items = merge_items(key, strategy, old.into_items(), new.into_items());
            check_count(key, items.len())?;
            Ok(if key.cardinality == Cardinality::Set { Value::Set(items) } else { Value::List(items) })
        }
    }
}

fn merge_items(key: &PropertyKey, strategy: UpdateStrategy, mut old: Vec<Value>, mut new: Vec<Value>) -> Vec<Value> {
    match strategy {
        UpdateStrategy::Intersection | UpdateStrategy::Eliminate => {
            new.sort_by(compare);
            let keep = strategy == UpdateStrategy::Intersection;
            old.retain(|item| new.binary_search_by(|other| compare(other, item)).is_ok() == keep);
        }
        _ => old.append(&mut new),
    }
    let distinct = matches!(strategy, UpdateStrategy::Union | UpdateStrategy::Intersection);
    if distinct || key.cardinality == Cardinality::Set {
        keep_first_of_same(&mut old);
    }
    old
}

/// The order of two numbers or dates of one type. NaN is larger than every number, as in Java.
fn order(a: &Value, b: &Value) -> Ordering {
    let floats = |a: f64, b: f64| match (a.is_nan(), b.is_nan()) {
        (false, false) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (a, b) => a.cmp(&b),
    };
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => floats(f64::from(*a), f64::from(*b)),
        (Value::Double(a), Value::Double(b)) => floats(*a, *b),
        (a, b) => compare(a, b),
    }
}

/// The exact sum in the type of both; floats are added as the decimal numbers they are shown as, then rounded once.
fn sum(a: &Value, b: &Value) -> Result<Value, String> {
    let beyond =
        |a: &dyn std::fmt::Display, b: &dyn std::fmt::Display| format!("{a} + {b} is beyond the property's type");
    match (a, b) {
        (Value::Byte(a), Value::Byte(b)) => a.checked_add(*b).map(Value::Byte).ok_or_else(|| beyond(a, b)),
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(|| beyond(a, b)),
        (Value::Long(a), Value::Long(b)) => a.checked_add(*b).map(Value::Long).ok_or_else(|| beyond(a, b)),
        (Value::Float(a), Value::Float(b)) => {
            let sum = decimal_sum(&format!("{a:?}"), &format!("{b:?}")).and_then(|sum| sum.parse::<f32>().ok());
            sum.filter(|sum| sum.is_finite()).map(Value::Float).ok_or_else(|| beyond(a, b))
        }
        (Value::Double(a), Value::Double(b)) => {
            let sum = decimal_sum(&format!("{a:?}"), &format!("{b:?}")).and_then(|sum| sum.parse::<f64>().ok());
            sum.filter(|sum| sum.is_finite()).map(Value::Double).ok_or_else(|| beyond(a, b))
        }
        _ => Err("its values are no numbers".to_owned()),
    }
}

/// The sum of two decimal texts; `None` where one is no number (NaN, an infinity).
fn decimal_sum(a: &str, b: &str) -> Option<String> {
    let (a, b): (BigDecimal, BigDecimal) = (a.parse().ok()?, b.parse().ok()?);
    Some((a + b).to_scientific_notation())
}

#[cfg(test)]
mod tests;
