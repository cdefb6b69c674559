//! `{G}/variables`: named values next to the elements of a graph.

use serde_json::{Map, Value};

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// Sets one; the body is an object with its value under `data`.
pub(crate) fn set(call: &Call) -> Answered {
    let name = call.param()?;
    let body: Map<String, Value> = serde_json::from_slice(&call.body)
        .map_err(|_| ApiError::bad_input("the body must be a JSON object with the value under 'data'"))?;
    let value = body.get("data").ok_or_else(|| ApiError::bad_input("'data' is missing: it is the variable's value"))?;
    check(value)?;
    call.graph()?.variables().set(&name, &value.to_string())?;
    one(&name, value.clone())
}

/// Values are booleans, numbers and strings, and lists of one kind of these.
fn check(value: &Value) -> Result<(), ApiError> {
    let kind = |value: &Value| match value {
        Value::Bool(_) => Some("boolean"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let fits = match value {
        Value::Array(items) => {
            let first = items.first().map(kind);
            items.iter().all(|item| kind(item).is_some() && Some(kind(item)) == first)
        }
        single => kind(single).is_some(),
    };
    if fits {
        return Ok(());
    }
    Err(ApiError::bad_input("'data' must be a boolean, a number, a string, or a list of one kind of these"))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let name = call.param()?;
    match call.graph()?.variables().get(&name)? {
        Some(json) => one(&name, parsed(&json)?),
        None => Err(ApiError::nothing(format!("Variable '{name}' does not exist"))),
    }
}

/// All, as one object.
pub(crate) fn list(call: &Call) -> Answered {
    let mut all = Map::new();
    for (name, json) in call.graph()?.variables().all()? {
        all.insert(name, parsed(&json)?);
    }
    Ok(Reply::value(&Value::Object(all)))
}

/// Deletes one, if it exists.
pub(crate) fn delete(call: &Call) -> Answered {
    call.graph()?.variables().delete(&call.param()?)?;
    Ok(Reply::no_content())
}

fn one(name: &str, value: Value) -> Answered {
    Ok(Reply::value(&Value::Object(Map::from_iter([(name.to_owned(), value)]))))
}

fn parsed(json: &str) -> Result<Value, ApiError> {
    serde_json::from_str(json)
        .map_err(|_| ApiError::of(graph_model::ErrorKind::Corrupt, "a stored variable is no JSON"))
}
