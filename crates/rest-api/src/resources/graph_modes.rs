//! `{G}/mode` and `{G}/graph_read_mode`: what tools set for the time they work on a graph.

use graph_schema::GraphMode;
use serde_json::json;

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

const MODES: [(&str, GraphMode); 4] = [
    ("NONE", GraphMode::None),
    ("RESTORING", GraphMode::Restoring),
    ("MERGING", GraphMode::Merging),
    ("LOADING", GraphMode::Loading),
];

const READ_MODES: [&str; 3] = ["OLTP_ONLY", "ALL", "OLAP_ONLY"];

/// The mode set by a loading or restoring tool.
pub(crate) fn mode(call: &Call) -> Answered {
    mode_reply(call.graph()?.mode())
}

/// Sets the mode; the body is its name as a JSON string.
pub(crate) fn set_mode(call: &Call) -> Answered {
    let name = string_body(call)?;
    let (_, mode) = MODES.iter().find(|(known, _)| *known == name).ok_or_else(|| {
        ApiError::bad_input(format!("the mode must be NONE, RESTORING, MERGING or LOADING, but got '{name}'"))
    })?;
    call.graph()?.set_mode(*mode)?;
    mode_reply(*mode)
}

fn mode_reply(mode: GraphMode) -> Answered {
    let (name, _) = MODES.iter().find(|(_, known)| *known == mode).ok_or_else(ApiError::defect)?;
    Ok(Reply::value(&json!({ "mode": name })))
}

/// The read mode. Without analytical properties all read the same; it is kept so that clients find what they set.
pub(crate) fn read_mode(call: &Call) -> Answered {
    let name = if call.graph()?.reads_all() { "ALL" } else { "OLTP_ONLY" };
    Ok(Reply::value(&json!({ "graph_read_mode": name })))
}

/// Sets the read mode; the body is its name as a JSON string.
pub(crate) fn set_read_mode(call: &Call) -> Answered {
    let name = string_body(call)?;
    if !READ_MODES.contains(&&*name) {
        return Err(ApiError::bad_input(format!("the read mode must be OLTP_ONLY or ALL, but got '{name}'")));
    }
    call.graph()?.set_reads_all(name != "OLTP_ONLY")?;
    Ok(Reply::value(&json!({ "graph_read_mode": name })))
}

fn string_body(call: &Call) -> Result<String, ApiError> {
    serde_json::from_slice(&call.body)
        .map_err(|_| ApiError::bad_input("the body must be a JSON string, in double quotes, such as \"NONE\""))
}
