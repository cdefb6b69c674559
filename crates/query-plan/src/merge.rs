//! What maps of `mergeV()` and `mergeE()` may contain.

use std::sync::Arc;

use query_value::{Direction, Enum, Map, Merge, T, Value};

use crate::PlanError;
use crate::names::{label, property_key};

/// What is found or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeKind {
    /// `mergeV()`.
    Vertex,
    /// `mergeE()`.
    Edge,
}

impl MergeKind {
    /// The name of the step.
    #[must_use]
    pub fn step(self) -> &'static str {
        match self {
            Self::Vertex => "mergeV",
            Self::Edge => "mergeE",
        }
    }

    /// The label of an element that is given none.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Edge => "edge",
        }
    }

    /// Which keys a map may have besides names of properties.
    fn allows(self, key: &Value) -> bool {
        match key {
            Value::Enum(Enum::T(T::Id | T::Label)) => true,
            Value::Enum(Enum::Direction(Direction::Out | Direction::In)) => self == Self::Edge,
            _ => false,
        }
    }

    fn allowed(self) -> &'static str {
        match self {
            Self::Vertex => "[T.id, T.label]",
            Self::Edge => "[T.id, T.label, Direction.IN, Direction.OUT]",
        }
    }
}

/// A map; null is an empty one.
///
/// # Errors
/// Another value.
pub fn as_map(value: Value, kind: MergeKind) -> Result<Arc<Map>, PlanError> {
    match value {
        Value::Map(map) => Ok(map),
        Value::Null => Ok(Arc::default()),
        other => Err(PlanError::new(format!("{}() and its options take maps, found {}", kind.step(), other.kind()))),
    }
}

/// Checks a map to look for, or to add.
///
/// # Errors
/// A key or a value that it cannot have.
pub fn check(map: &Map, kind: MergeKind) -> Result<(), PlanError> {
    for (key, value) in map {
        match key {
            Value::String(_) => {
                property_key(key)?;
            }
            key if !kind.allows(key) => {
                return Err(PlanError::new(format!(
                    "{}() and option(onCreate) args expect keys in Map to be either String or {} - check: {}",
                    kind.step(),
                    kind.allowed(),
                    shown(key),
                )));
            }
            Value::Enum(Enum::T(T::Label)) if !matches!(value, Value::String(_)) => {
                return Err(PlanError::new(format!(
                    "{}() and option(onCreate) args expect T.label value to be of String - found: {}",
                    kind.step(),
                    value.class_name(),
                )));
            }
            Value::Enum(Enum::T(T::Label)) => {
                label(value)?;
            }
            Value::Enum(Enum::Direction(direction)) => {
                let (own, name) = match direction {
                    Direction::Out => (Merge::OutV, "outV"),
                    _ => (Merge::InV, "inV"),
                };
                if matches!(value, Value::Enum(Enum::Merge(part)) if *part != own) {
                    return Err(PlanError::new(format!(
                        "Only Merge.{name} token may be used for Direction.{}, found: {}",
                        direction.name(),
                        shown(value),
                    )));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks a map of changes: names of properties alone.
///
/// # Errors
/// Another key.
pub fn check_changes(map: &Map) -> Result<(), PlanError> {
    for key in map.keys() {
        if !matches!(key, Value::String(_)) {
            return Err(PlanError::new(format!(
                "option(onMatch) expects keys in Map to be of String - check: {}",
                shown(key)
            )));
        }
        property_key(key)?;
    }
    Ok(())
}

/// Checks that what is added does not differ from what was looked for.
///
/// # Errors
/// A key with different values.
pub fn check_overrides(search: &Map, create: &Map) -> Result<(), PlanError> {
    for (key, value) in create {
        if search.get(key).is_some_and(|own| own != value) {
            return Err(PlanError::new(format!(
                "option(onCreate) cannot override values from merge() argument: ({}, {})",
                shown(key),
                shown(value)
            )));
        }
    }
    Ok(())
}

/// A key or a value in an error.
#[must_use]
pub fn shown(value: &Value) -> String {
    match value {
        Value::Enum(constant) => constant.name().to_owned(),
        other => format!("{other:?}").chars().take(100).collect(),
    }
}
