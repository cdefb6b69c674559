//! `/rhizome/backups`: backups of the whole store, for administrators.

use std::sync::Arc;

use backup_service::{Backups, Started};
use hyper::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// What a backup is made with.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NewBackup {
    reread: bool,
}

/// What is restored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    #[serde(default = "latest")]
    backup: String,
    graph: String,
    #[serde(rename = "as")]
    name: String,
}

fn latest() -> String {
    "latest".to_owned()
}

/// All backups, oldest first.
pub(crate) fn list(call: &Call) -> Answered {
    let backups = of(call)?.list()?;
    Ok(Reply::value(&json!({ "backups": backups })))
}

/// Starts the task that makes a backup.
pub(crate) fn create(call: &Call) -> Answered {
    let backups = of(call)?;
    let wanted: NewBackup = match call.body.trim_ascii() {
        [] => NewBackup::default(),
        body => read(body)?,
    };
    Ok(started(&backups.start_create(wanted.reread)?))
}

/// Starts the task that restores a graph of a backup under another name.
pub(crate) fn restore(call: &Call) -> Answered {
    let wanted: Restore = read(&call.body)?;
    Ok(started(&of(call)?.start_restore(&wanted.backup, &wanted.graph, &wanted.name)?))
}

fn of(call: &Call) -> Result<&Arc<Backups>, ApiError> {
    let backups = call.app.options.backups.as_ref();
    backups.ok_or_else(|| ApiError::bad_input("this server makes no backups".to_owned()))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::bad_input(format!("the body is not as expected: {error}")))
}

fn started(started: &Started) -> Reply {
    let answer = json!({ "task_id": started.task, "graph": started.graph });
    Reply::json(StatusCode::CREATED, answer.to_string().into_bytes())
}
