//! What labels and property keys may be.

use query_value::{Enum, Value};

use crate::{PlanError, Text};

/// The name of a property.
///
/// # Errors
/// A name that is no text, empty, or hidden, as parts of an element are.
pub fn property_key(key: &Value) -> Result<Text, PlanError> {
    let hidden = |name: &str| PlanError::new(format!("Property key can not be a hidden key: {name}"));
    match key {
        Value::String(text) if text.starts_with('~') => Err(hidden(text)),
        Value::String(text) if text.is_empty() => Err(PlanError::new("Property key can not be the empty string")),
        Value::String(text) => Ok(text.clone()),
        Value::Enum(Enum::T(part)) => Err(hidden(&format!("~{}", part.name()))),
        Value::Null => Err(PlanError::new("Property key can not be null")),
        other => Err(PlanError::new(format!("a property's key must be a string, found {}", other.kind()))),
    }
}

/// The label of an element.
///
/// # Errors
/// As [`property_key`].
pub fn label(label: &Value) -> Result<Text, PlanError> {
    match label {
        Value::String(text) if text.is_empty() => Err(PlanError::new("Label can not be empty")),
        Value::String(text) if text.starts_with('~') => {
            Err(PlanError::new(format!("Label can not be a hidden key: {text}")))
        }
        Value::String(text) => Ok(text.clone()),
        Value::Null => Err(PlanError::new("Label can not be null")),
        other => Err(PlanError::new(format!("a label must be a string, found {}", other.kind()))),
    }
}
