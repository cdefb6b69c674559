//! `{G}/schema/propertykeys`.

use graph_json::{
    decode_new_property_key, decode_update_property_key, write_property_key, write_property_key_with_task,
    write_property_keys, write_task_id,
};
use graph_model::Meaning;
use graph_schema::{PropertyKey, SchemaKind};
use hyper::StatusCode;

use crate::call::Call;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::resources::schema::{alter_of, check_name, listed, missing};
use crate::routes::Answered;

/// Property keys are in force at once: no task is started for them.
const NO_TASK: u64 = 0;

/// Creates one.
pub(crate) fn create(call: &Call) -> Answered {
    accepted(&*call.graph()?.create_property_key(&decode_new_property_key(&call.body)?)?)
}

/// Changes the user data of one.
pub(crate) fn alter(call: &Call) -> Answered {
    if call.query().text("action")?.as_deref() == Some("clear") {
        return Err(nothing_to_clear(call)?);
    }
    let alter = alter_of(call)?;
    let update = decode_update_property_key(&call.body)?;
    check_name(call, &update.name)?;
    accepted(&*call.graph()?.alter_property_key(alter, &update)?)
}

/// Why the values of a property key cannot be cleared as a whole: HugeGraph allows that of analytical (OLAP) ones, and none is.
fn nothing_to_clear(call: &Call) -> Result<ApiError, ApiError> {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    if catalogue.property_key_named(&name).is_none() {
        return Err(missing(&catalogue, SchemaKind::PropertyKey, &name));
    }
    let message = format!("property key '{name}' is not analytical (OLAP): 'action=clear' empties such ones only");
    Ok(ApiError::of(Meaning::NotSupported, message))
}

#[expect(clippy::unnecessary_wraps, reason = "the end of handlers")]
fn accepted(key: &PropertyKey) -> Answered {
    let mut out = Vec::new();
    write_property_key_with_task(&mut out, key, NO_TASK);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}

/// All, or those named.
pub(crate) fn list(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let all = catalogue.property_keys().map(|key| &**key);
    let named = |name: &str| catalogue.property_key_named(name).map(|key| &**key);
    let keys = listed(call, &catalogue, SchemaKind::PropertyKey, all, named, |key: &PropertyKey| &key.name)?;
    let mut out = Vec::new();
    write_property_keys(&mut out, keys);
    Ok(Reply::ok(out))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    let key = catalogue.property_key_named(&name).ok_or_else(|| missing(&catalogue, SchemaKind::PropertyKey, &name))?;
    let mut out = Vec::new();
    write_property_key(&mut out, key);
    Ok(Reply::ok(out))
}

/// Deletes one no label uses.
pub(crate) fn delete(call: &Call) -> Answered {
    call.graph()?.delete_property_key(&call.param()?)?;
    let mut out = Vec::new();
    write_task_id(&mut out, NO_TASK);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}
