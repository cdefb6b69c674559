//! What one may do, and the API keys one has.

use auth::{Editor, Permission, ResourceType};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ask::{Answer, Ask, Done, invalid, read};
use crate::view::View;

/// Whether who asks may do something.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn can_i<R: Ask>(request: &R) -> Done<R> {
    request.accounts()?;
    let wrong = |name: &str| invalid(format!("'{name}' is missing or has no known value"));
    let permission = request.text("permission")?.and_then(|name| Permission::from_name(&name));
    let permission = permission.ok_or_else(|| wrong("permission"))?;
    let kind = request.text("type")?.and_then(|name| ResourceType::from_name(&name)).ok_or_else(|| wrong("type"))?;
    let default = request.default_graph();
    let graph = request.text("graph")?;
    let graph = graph.as_deref().unwrap_or(default);
    let (caller, label) = (request.caller(), request.text("label")?);
    let is_whole = match label.as_deref() {
        Some(label) => caller.may_named(graph, permission, kind, label),
        None => caller.may_all(graph, permission, kind),
    };
    let is_part = is_whole || caller.may(graph, permission, kind);
    let extent = if is_whole {
        "all"
    } else if is_part {
        "part"
    } else {
        "none"
    };
    Ok(Answer::Ok(json!({
        "user": caller.name(), "graph": graph, "permission": permission.name(), "type": kind.name(), "label": label,
        "allowed": is_whole, "extent": extent,
    })))
}

/// The API keys of who asks.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn keys<R: Ask>(request: &R) -> Done<R> {
    let view = View::of(request);
    let shown: Vec<Value> = request.accounts()?.read(|document| {
        let own = document.api_keys.iter().filter(|(_, key)| key.user == request.caller().name());
        own.map(|(id, key)| view.key(id, key)).collect()
    });
    Ok(Answer::Ok(json!({ "keys": shown })))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct NewKey {
    key_description: Option<String>,
    key_expire: Option<i64>,
    read_only: bool,
}

/// A new API key. It is shown this once.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn create_key<R: Ask>(request: &R) -> Done<R> {
    let body: NewKey = read(request)?;
    if body.key_expire.is_some_and(|seconds| seconds <= 0) {
        return Err(invalid("'key_expire' must be a number of seconds above 0").into());
    }
    let editor = Editor::new(request.accounts()?, request.caller());
    let (id, key) = editor.create_key(body.read_only, body.key_expire, body.key_description.as_ref())?;
    Ok(Answer::Created(json!({ "id": id, "key": key })))
}

/// Takes an API key back.
///
/// # Errors
/// What is wrong with the request; those of the users.
pub fn delete_key<R: Ask>(request: &R) -> Done<R> {
    Editor::new(request.accounts()?, request.caller()).delete_key(&request.id()?)?;
    Ok(Answer::NoContent)
}
