//! `{G}/limits`: the limits of a graph, which may be its own in place of those of the settings.

use std::sync::Arc;

use graph_limits::{GraphLimits, LimitsError};
use serde_json::{Value, json};

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// The limits.
pub(crate) fn show(call: &Call) -> Answered {
    let (limits, is_own) = limits(call)?.of(call.graph()?.name());
    let mut shown = json!(limits);
    if let Value::Object(fields) = &mut shown {
        fields.insert("own".to_owned(), Value::Bool(is_own));
    }
    Ok(Reply::value(&shown))
}

/// Gives the graph limits of its own; an empty object takes them back.
pub(crate) fn set(call: &Call) -> Answered {
    let given = serde_json::from_slice(&call.body)
        .map_err(|error| ApiError::bad_input(format!("the body must be a JSON object with limits: {error}")))?;
    limits(call)?.change(call.graph()?.name(), given).map_err(|error| match error {
        LimitsError::Store(error) => error.into(),
        LimitsError::TooMany => ApiError::bad_input(error.to_string()),
    })?;
    show(call)
}

fn limits(call: &Call) -> Result<&Arc<GraphLimits>, ApiError> {
    call.app.options.graph_limits.as_ref().ok_or_else(ApiError::defect)
}
