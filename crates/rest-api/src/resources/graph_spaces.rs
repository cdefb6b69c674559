//! `/graphspaces`: there is one, `DEFAULT`, as in HugeGraph without a placement driver.

use graph_model::ErrorKind;
use serde_json::{Value, json};

use crate::call::{Answered, App, Call};
use crate::names::DEFAULT_SPACE;
use http_server::Reply;
use rest_errors::ApiError;

/// How HugeGraph says that there is no limit.
const UNLIMITED: i32 = i32::MAX;

/// Names of the graph spaces that were made: none, since none can be. HugeGraph 1.7 without a placement driver answers
/// so; `DEFAULT` is there all the same.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn list(_: &Call) -> Answered {
    let none: [&str; 0] = [];
    Ok(Reply::value(&json!({ "graphSpaces": none })))
}

/// The graph space.
pub(crate) fn get(call: &Call) -> Answered {
    let name = call.param()?;
    if name != DEFAULT_SPACE {
        return Err(ApiError::no_space(&name));
    }
    Ok(Reply::value(&profile_of(&call.app)))
}

/// All graph spaces whose names begin with `prefix`, with what the user may do there.
pub(crate) fn profile(call: &Call) -> Answered {
    let prefix = call.query().text("prefix")?.unwrap_or_default();
    if !DEFAULT_SPACE.starts_with(&*prefix) {
        return Ok(Reply::value(&json!([])));
    }
    let mut profile = profile_of(&call.app);
    if let Value::Object(fields) = &mut profile {
        fields.insert("authed".to_owned(), Value::Bool(true));
        fields.insert("default".to_owned(), Value::Bool(true));
    }
    Ok(Reply::value(&json!([profile])))
}

/// Graph spaces are neither made nor changed nor removed.
pub(crate) fn refuse(call: &Call) -> Answered {
    let message = format!(
        "graph spaces cannot be created, changed or deleted: \
        there is one, '{DEFAULT_SPACE}', as in HugeGraph without a \
         placement driver; {} can be created in it as POST /graphs/NAME",
        if call.address.len() > 1 { "graphs" } else { "any number of graphs" }
    );
    Err(ApiError::of(ErrorKind::NotSupported, message))
}

/// What there is to say about it; nothing in it is limited.
fn profile_of(app: &App) -> Value {
    json!({
        "name": DEFAULT_SPACE,
        "nickname": DEFAULT_SPACE,
        "description": "",
        "cpu_limit": UNLIMITED,
        "memory_limit": UNLIMITED,
        "storage_limit": UNLIMITED,
        "compute_cpu_limit": UNLIMITED,
        "compute_memory_limit": UNLIMITED,
        "max_graph_number": UNLIMITED,
        "max_role_number": UNLIMITED,
        "cpu_used": 0,
        "memory_used": 0,
        "storage_used": 0,
        "graph_number_used": app.store.graph_names().len(),
        "role_number_used": 0,
        "auth": false,
    })
}
