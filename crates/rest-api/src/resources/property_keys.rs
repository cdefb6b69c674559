//! `{G}/schema/propertykeys`.

use graph_host::OlapJob;
use graph_schema::{PropertyKey, SchemaKind};
use hyper::StatusCode;
use rest_json::{
    decode_new_property_key, decode_update_property_key, write_property_key, write_property_key_with_task,
    write_property_keys, write_task_id,
};

use crate::call::{Answered, Call};
use crate::resources::schema::{alter_of, check_name, listed, missing, schema_rights};
use http_server::Reply;
use rest_errors::ApiError;

/// Property keys are in force at once: no task is started for them, but for analytical ones.
const NO_TASK: u64 = 0;

/// Creates one.
pub(crate) fn create(call: &Call) -> Answered {
    let graph = call.graph()?;
    let new = decode_new_property_key(&call.body)?;
    let is_new = graph.catalogue().property_key_named(&new.name).is_none();
    let key = graph.schema().create_property_key(&new)?;
    let task = if is_new { graph.jobs().start_olap(OlapJob::Create, &key.name)? } else { None };
    accepted(&key, task)
}

/// Changes the user data of one, or removes the values of an analytical one.
pub(crate) fn alter(call: &Call) -> Answered {
    if call.query().text("action")?.as_deref() == Some("clear") {
        return clear(call);
    }
    let alter = alter_of(call)?;
    let update = decode_update_property_key(&call.body)?;
    check_name(call, &update.name)?;
    accepted(&*call.graph()?.schema().alter_property_key(alter, &update)?, None)
}

fn clear(call: &Call) -> Answered {
    let (graph, name) = (call.graph()?, call.param()?);
    let task = graph.jobs().start_olap(OlapJob::Clear, &name)?;
    let catalogue = graph.catalogue();
    let key = catalogue.property_key_named(&name).ok_or_else(|| missing(&catalogue, SchemaKind::PropertyKey, &name))?;
    if task.is_none() {
        let message = format!("property key '{name}' is not analytical (OLAP): 'action=clear' empties such ones only");
        return Err(ApiError::bad_input(message));
    }
    accepted(key, task)
}

/// The key, and the task that was started for it: of one that is not analytical none.
#[expect(clippy::unnecessary_wraps, reason = "the end of handlers")]
fn accepted(key: &PropertyKey, task: Option<u64>) -> Answered {
    let mut out = Vec::new();
    write_property_key_with_task(&mut out, key, task.unwrap_or(NO_TASK));
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}

/// All, or those named.
pub(crate) fn list(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let all = catalogue.property_keys().map(|key| &**key);
    let named = |name: &str| catalogue.property_key_named(name).map(|key| &**key);
    let keys = listed(
        call,
        &catalogue,
        SchemaKind::PropertyKey,
        all,
        named,
        |key: &PropertyKey| &key.name,
        |rights, it| rights.sees_key(it),
    )?;
    let mut out = Vec::new();
    write_property_keys(&mut out, keys);
    Ok(Reply::ok(out))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    let rights = schema_rights(call, &catalogue)?;
    let key = catalogue
        .property_key_named(&name)
        .filter(|it| rights.sees_key(it))
        .ok_or_else(|| missing(&catalogue, SchemaKind::PropertyKey, &name))?;
    let mut out = Vec::new();
    write_property_key(&mut out, key);
    Ok(Reply::ok(out))
}

/// Deletes one no label uses; an analytical one in a task.
pub(crate) fn delete(call: &Call) -> Answered {
    let (graph, name) = (call.graph()?, call.param()?);
    let task = graph.jobs().start_olap(OlapJob::Remove, &name)?;
    if task.is_none() {
        graph.schema().delete_property_key(&name)?;
    }
    let mut out = Vec::new();
    write_task_id(&mut out, task.unwrap_or(NO_TASK));
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}
