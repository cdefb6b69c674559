//! `/rhizome/backups`, `/rhizome/freeze` and `/rhizome/thaw`: backups of the whole store, for administrators.

use std::sync::Arc;
use std::time::Duration;

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

/// How long writes are stopped at most.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Freeze {
    seconds: u64,
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

/// Has no server over the store write, until [`thaw`].
pub(crate) fn freeze(call: &Call) -> Answered {
    let Freeze { seconds } = read(&call.body)?;
    let max = call.app.options.limits.freeze_seconds_max;
    if !(1..=max).contains(&seconds) {
        return Err(ApiError::bad_input(format!(
            "'seconds' must be from 1 to {max} (cluster.freeze_seconds_max), but got {seconds}"
        )));
    }
    call.app.store.freeze(Duration::from_secs(seconds))?;
    tracing::warn!(seconds, user = call.caller.name(), "no server over the store writes until the end of the freeze");
    frozen(call)
}

/// For how much longer they do not write.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn frozen(call: &Call) -> Answered {
    let left = call.app.store.frozen_for().unwrap_or_default();
    Ok(Reply::value(&json!({ "frozen_ms": u64::try_from(left.as_millis()).unwrap_or(u64::MAX) })))
}

/// Has them write again, and says whether none has meanwhile.
pub(crate) fn thaw(call: &Call) -> Answered {
    let held = call.app.store.thaw()?;
    tracing::warn!(held, user = call.caller.name(), "the servers over the store write again");
    Ok(Reply::value(&json!({ "held": held })))
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
