//! Graphs and graph spaces: `{S}/graphs`, `{G}` and its settings, `/graphspaces`.

use std::fmt::Write as _;

use graph_schema::GraphMode;
use serde_json::json;

use crate::call::Call;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::routes::Answered;

/// The only graph space.
pub(crate) const DEFAULT_SPACE: &str = "DEFAULT";

/// What a client must say to clear a graph, literally.
const CLEAR_WORDS: &str = "I'm sure to delete all data";

/// How HugeGraph says that there is no limit.
const UNLIMITED: i32 = i32::MAX;

const MODES: [(&str, GraphMode); 4] = [
    ("NONE", GraphMode::None),
    ("RESTORING", GraphMode::Restoring),
    ("MERGING", GraphMode::Merging),
    ("LOADING", GraphMode::Loading),
];

const READ_MODES: [&str; 3] = ["OLTP_ONLY", "ALL", "OLAP_ONLY"];

/// Names of the graphs.
pub(crate) fn list(call: &Call) -> Answered {
    Ok(Reply::value(&json!({ "graphs": call.app.store.graph_names() })))
}

/// Name and engine of one.
pub(crate) fn get(call: &Call) -> Answered {
    let name = call.graph()?.name();
    Ok(Reply::value(&json!({ "name": name, "backend": call.app.store.engine().name() })))
}

/// What a graph is configured with, as lines of a Java properties file.
pub(crate) fn conf(call: &Call) -> Answered {
    let graph = call.graph()?;
    let mut text = String::new();
    let encode = graph.options().encode_primary_key_number;
    for (key, value) in [
        ("store", graph.name()),
        ("backend", call.app.store.engine().name()),
        ("serializer", "binary"),
        ("vertex.encode_primary_key_number", if encode { "true" } else { "false" }),
    ] {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key}={value}");
    }
    Ok(Reply::text(text))
}

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
    call.graph()?.set_mode(*mode);
    mode_reply(*mode)
}

fn mode_reply(mode: GraphMode) -> Answered {
    let (name, _) = MODES.iter().find(|(_, known)| *known == mode).ok_or_else(ApiError::defect)?;
    Ok(Reply::value(&json!({ "mode": name })))
}

/// The read mode. Without analytical properties all read the same; it is kept so that clients find what they set.
pub(crate) fn read_mode(call: &Call) -> Answered {
    let all = call.app.read_all.lock().contains(call.graph()?.name());
    Ok(Reply::value(&json!({ "graph_read_mode": if all { "ALL" } else { "OLTP_ONLY" } })))
}

/// Sets the read mode; the body is its name as a JSON string.
pub(crate) fn set_read_mode(call: &Call) -> Answered {
    let name = string_body(call)?;
    if !READ_MODES.contains(&&*name) {
        return Err(ApiError::bad_input(format!("the read mode must be OLTP_ONLY or ALL, but got '{name}'")));
    }
    let graph = call.graph()?.name();
    let mut read_all = call.app.read_all.lock();
    if name == "OLTP_ONLY" {
        read_all.remove(graph);
    } else {
        read_all.insert(graph.to_owned());
    }
    Ok(Reply::value(&json!({ "graph_read_mode": name })))
}

fn string_body(call: &Call) -> Result<String, ApiError> {
    serde_json::from_slice(&call.body)
        .map_err(|_| ApiError::bad_input("the body must be a JSON string, in double quotes, such as \"NONE\""))
}

/// Removes schema, elements and tasks.
pub(crate) fn clear(call: &Call) -> Answered {
    if call.query().one("confirm_message")?.as_deref() != Some(CLEAR_WORDS) {
        return Err(ApiError::bad_input(format!(
            "Please take the message: {CLEAR_WORDS} (as parameter confirm_message)"
        )));
    }
    call.app.store.clear_graph(call.graph()?.name())?;
    Ok(Reply::no_content())
}

/// Names of the graph spaces.
pub(crate) fn spaces(_: &Call) -> Answered {
    Ok(Reply::value(&json!({ "graphSpaces": [DEFAULT_SPACE] })))
}

/// The graph space, which is not limited.
pub(crate) fn space(call: &Call) -> Answered {
    let name = call.param()?;
    if name != DEFAULT_SPACE {
        return Err(ApiError::no_space(&name));
    }
    Ok(Reply::value(&json!({
        "name": DEFAULT_SPACE,
        "nickname": DEFAULT_SPACE,
        "description": "",
        "cpu_limit": UNLIMITED,
        "memory_limit": UNLIMITED,
        "storage_limit": UNLIMITED,
        "max_graph_number": UNLIMITED,
        "max_role_number": UNLIMITED,
        "cpu_used": 0,
        "memory_used": 0,
        "storage_used": 0,
        "graph_number_used": call.app.store.graph_names().len(),
        "role_number_used": 0,
        "auth": false,
    })))
}
